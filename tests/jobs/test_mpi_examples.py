"""Test that the programs of examples/mpi4py print the output in examples/README.md."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "examples" / "mpi4py"
NAMES = [path.stem for path in sorted(FOLDER.glob("*.py"))]

# The output of these examples differs between runs: it has times, or ranks print in any order.
VARYING = ("late_rank", "slow_rank", "speed")
# Lines with these first words depend on the MPI library or on the BLAS library.
MACHINES = ("mpi4py", "plain")


def expected(name):
    """Return the output that examples/README.md shows for an example."""
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
        lines = [each for each in expected(name).splitlines() if not each.startswith(MACHINES)]
        out = job.out.replace("program.py:", f"{name}.py:")  # the job runs a copy
        assert [each for each in out.splitlines() if not each.startswith(MACHINES)] == lines


def test_exact_products_do_not_depend_on_the_number_of_ranks(start_job):
    job = start_job((FOLDER / "conjugate_gradient.py").read_text(), 3, prelude=False)
    job.succeed(100)
    assert job.out.splitlines()[-1] == expected("conjugate_gradient").splitlines()[-1]


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
