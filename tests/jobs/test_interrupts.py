"""Test a few interrupts in collective calls. ``tests/stress/interrupts.py`` can make more."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = ROOT / "tests" / "stress" / "interrupts.py"

KERNELS = pytest.mark.parametrize("kernel", ["compiled", "numpy"])
NODES = pytest.mark.parametrize("node_size", ["", "1"], ids=["one node", "simulated nodes"])

# This program runs the stress test with a fault: exceptions do not revoke a team.
NEVER_REVOKED = f"""
import runpy, sys
import redcoll
redcoll.Team.revoke_unless_common = lambda team, error: None
sys.argv = [{str(PROGRAM)!r}, *sys.argv[1:]]
runpy.run_path({str(PROGRAM)!r}, run_name="__main__")
"""


def run(*arguments, n=3, kernel="compiled", node_size="", **settings):
    launcher = shlex.split(os.environ.get("REDCOLL_TEST_MPIEXEC", "mpiexec"))
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    settings |= {"REDCOLL_KERNEL": kernel, "PYTHONPATH": path}
    if node_size:
        settings["REDCOLL_NODE_SIZE"] = node_size
    return subprocess.run(
        [*launcher, "-n", str(n), sys.executable, *arguments],
        cwd=ROOT,
        env={**os.environ, "REDCOLL_TIMEOUT": "20", **settings},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )


def count(result, what):
    """Return the number after the word ``what`` in the program's output; 0 if there is none."""
    found = re.search(rf"\b{what}: (\d+)", result.stdout)
    return int(found.group(1)) if found else 0


@NODES
@KERNELS
def test_sigint_at_random_breaks_the_team_everywhere(kernel, node_size):
    calls = "small,large,share,function,direct,reduce"
    arguments = ("signals", "--rounds", "4", "--calls", calls)
    result = run(str(PROGRAM), *arguments, kernel=kernel, node_size=node_size)
    assert result.returncode == 0, result.stdout + result.stderr
    assert count(result, "rounds") == count(result, "interrupted") == 4 * len(calls.split(","))
    assert count(result, "wrong numbers") == 0


@pytest.mark.long
@NODES
@KERNELS
def test_an_interrupt_at_any_point_breaks_the_team_everywhere(kernel, node_size):
    # On several nodes both kernels run the same Python code. So the two kernels get different
    # seeds, and test different points of this code.
    most = 1 if node_size else 4
    seed = 1 if kernel == "compiled" else 8
    arguments = ("points", "--most", str(most), "--seed", str(seed))
    result = run(str(PROGRAM), *arguments, kernel=kernel, node_size=node_size)
    assert result.returncode == 0, result.stdout + result.stderr
    assert count(result, "points") >= (60 if node_size else 68)
    assert count(result, "compared") > count(result, "points")


def test_an_alarm_is_reported_to_the_others_or_revokes_the_team():
    """The handler of SIGALRM raises. The call reports the exception to all ranks, or revokes."""
    calls = "eager,function,elementwise,share"
    result = run(str(PROGRAM), "points", "--error", "alarm", "--calls", calls, "--most", "8")
    assert result.returncode == 0, result.stdout + result.stderr
    assert count(result, "points") >= 32


def test_a_team_that_is_not_revoked_does_not_pass():
    arguments = ("signals", "--calls", "small", "--rounds", "5")
    result = run("-c", NEVER_REVOKED, *arguments, REDCOLL_TIMEOUT="2")
    assert result.returncode != 0, result.stdout + result.stderr
