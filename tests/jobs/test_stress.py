"""Test a short run of the stress test of rounds: its counts, and that it finds wrong results."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = ROOT / "tests" / "stress" / "rounds.py"

# This program makes one sum in three thousand too large on PE 1.
WRONG = f"""
import runpy, sys
import redcoll
right, calls = redcoll.allreduce, 0
def wrong(target, source, *rest, **more):
    global calls
    right(target, source, *rest, **more)
    calls += 1
    if calls % 3_000 == 2_999 and redcoll.my_pe() == 1:
        target[0] += 1
redcoll.allreduce = wrong
sys.argv = [{str(PROGRAM)!r}, *sys.argv[1:]]
runpy.run_path({str(PROGRAM)!r}, run_name="__main__")
"""


def run(n_pes, *arguments):
    launcher = shlex.split(os.environ.get("REDCOLL_TEST_MPIEXEC", "mpiexec"))
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    return subprocess.run(
        [*launcher, "-n", str(n_pes), sys.executable, *arguments],
        cwd=ROOT,
        env={**os.environ, "REDCOLL_TIMEOUT": "60", "PYTHONPATH": path},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )


@pytest.mark.parametrize("n_pes", [1, 3])
def test_every_round_is_compared(n_pes):
    result = run(n_pes, str(PROGRAM), "--rounds", "10k")
    assert result.returncode == 0, result.stdout + result.stderr
    found = re.search(rf"{n_pes} PEs: (\d+) rounds on every PE, .*, (\d+) wrong", result.stdout)
    assert found, result.stdout
    assert found.groups() == ("10000", "0")


def test_it_ends_when_its_time_is_over():
    result = run(2, str(PROGRAM), "--rounds", "1000m", "--seconds", "1", "--stops", "0")
    assert result.returncode == 0, result.stdout + result.stderr
    assert "0 wrong" in result.stdout


def test_a_wrong_sum_does_not_pass():
    result = run(2, "-c", WRONG, "--rounds", "9k", "--stops", "0")
    assert result.returncode == 1, result.stdout + result.stderr
    assert re.search(r"^PE 1, round \d+, sum of ", result.stdout, re.MULTILINE), result.stdout
