"""Test the output of examples/app.py, and that the program finds wrong results."""

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
LAST_LINE = "demo: all results equal NumPy's"

# This program replaces a function of redcoll by a wrong function, and then runs the example.
WITH_CHANGE = """
import runpy, sys
sys.path.insert(0, {examples!r})
sys.argv = ["app.py", {picture!r}]
{change}
runpy.run_path({app!r}, run_name="__main__")
"""


def run(n_pes, *arguments):
    launcher = shlex.split(os.environ.get("REDCOLL_TEST_MPIEXEC", "mpiexec"))
    return subprocess.run(
        [*launcher, "-n", str(n_pes), sys.executable, *arguments],
        cwd=ROOT,
        env={**os.environ, "REDCOLL_TIMEOUT": "60"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )


@pytest.mark.parametrize("n_pes", [1, 2, 5])
def test_the_demonstration(n_pes, tmp_path):
    picture = tmp_path / "folder" / "demo.png"
    result = run(n_pes, str(EXAMPLES / "app.py"), str(picture))
    assert result.returncode == 0, result.stderr
    lines = result.stdout.splitlines()
    assert lines[0].startswith(f"PEs: {n_pes}, images: 1797, clusters: 10, ")
    assert lines[-1] == LAST_LINE
    assert picture.read_bytes().startswith(b"\x89PNG\r\n")


CHANGES = {
    # One PE's sum differs in the last bit, which is within the tolerance of the example's check.
    "mean": """
import numpy, redcoll_shmem as shmem
right = shmem.shmem_double_sum_to_all
def wrong(target, source, *rest):
    right(target, source, *rest)
    if shmem.shmem_my_pe() == 1 and target.size == 64:
        target.flat[20] = numpy.nextafter(target.flat[20], numpy.inf)
shmem.shmem_double_sum_to_all = wrong
""",
    # One PE gets a wrong maximum.
    "brightest": """
import redcoll_shmem as shmem
right = shmem.shmem_double_max_to_all
def wrong(target, source, *rest):
    right(target, source, *rest)
    if shmem.shmem_my_pe() == 0:
        target[0] = source[0] - 1
shmem.shmem_double_max_to_all = wrong
""",
    # MAXLOC returns a wrong index.
    "oddest": """
import redcoll
right = redcoll.allreduce
def wrong(target, source, op):
    right(target, source, op)
    target["index"][3] += 1
redcoll.allreduce = wrong
""",
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_wrong_result_fails_the_demonstration(name, tmp_path):
    program = tmp_path / "changed.py"
    program.write_text(
        WITH_CHANGE.format(
            examples=str(EXAMPLES),
            app=str(EXAMPLES / "app.py"),
            picture=str(tmp_path / "demo.png"),
            change=CHANGES[name],
        )
    )
    result = run(2, str(program))
    assert result.returncode != 0
    assert f"demo: {name} on PE " in result.stderr + result.stdout
    assert LAST_LINE not in result.stdout
    assert not (tmp_path / "demo.png").exists()
