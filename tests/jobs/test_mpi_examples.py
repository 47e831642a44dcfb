"""The programs of examples/mpi4py print what examples/README.md says."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "examples" / "mpi4py"
NAMES = [path.stem for path in sorted(FOLDER.glob("*.py"))]

# The standard error of the first has lines of several ranks. The times of the second differ.
VARYING = ("late_rank", "slow_rank", "speed")


def expected(name):
    """The output in examples/README.md."""
    pattern = rf"\$ mpiexec -n \d python examples/mpi4py/{name}\.py\n(.*?)```"
    found = re.search(pattern, (ROOT / "examples" / "README.md").read_text(), re.DOTALL)
    assert found, name
    return found.group(1)


@pytest.mark.parametrize("n", [1, 4])
@pytest.mark.parametrize("name", NAMES)
def test_mpi_examples(name, n, start_job):
    job = start_job((FOLDER / f"{name}.py").read_text(), n, prelude=False)
    job.succeed(100)
    if n == 4 and name not in VARYING:
        # mpi4py's result depends on the MPI library.
        lines = [each for each in expected(name).splitlines() if not each.startswith("mpi4py")]
        out = job.out.replace("program.py:", f"{name}.py:")  # the name of the copy that runs
        assert [each for each in out.splitlines() if not each.startswith("mpi4py")] == lines


def test_late_rank_is_named(start_job):
    job = start_job((FOLDER / "late_rank.py").read_text(), 4, prelude=False)
    job.succeed(100)
    for line in expected("late_rank").splitlines():
        # Only the compiled kernel knows where the late rank made its last call.
        assert line.partition(";")[0] in job.out + job.err


def test_readme_lists_every_example():
    text = (ROOT / "examples" / "README.md").read_text()
    programs = [path.relative_to(ROOT).as_posix() for path in (ROOT / "examples").rglob("*.py")]
    helpers = {"examples/app_picture.py", "examples/app_reference.py"}
    missing = [each for each in programs if each.removeprefix("examples/") not in text]
    assert sorted(set(missing) - helpers) == []
