"""Test the public names of the package, and that its import has no side effects."""

import importlib
import inspect
import subprocess
import sys
from importlib import resources

import pytest

import redcoll
from redcoll import errors

PACKAGES = ["redcoll", "redcoll_shmem", "redcoll_pvm"]


def python(program):
    """Return the words that ``program`` prints in a new process."""
    result = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False
    )
    assert result.returncode == 0, result.stderr
    return result.stdout.split()


def test_import_starts_no_mpi():
    program = "import sys, redcoll; print(*sys.modules)"
    loaded = python(program)
    assert "redcoll" in loaded
    assert not [name for name in loaded if name.startswith("mpi4py")]


def test_names_that_need_no_mpi_start_none():
    program = """
import sys
import redcoll
import numpy
redcoll.ActiveSet(0, 1, 4), redcoll.SUM, redcoll.pair_dtype(float), redcoll.user_op(numpy.fmax)
dir(redcoll), redcoll.__version__
print(*sys.modules)
"""
    assert not [name for name in python(program) if name.startswith("mpi4py")]


def test_import_of_the_core_loads_no_api():
    loaded = python("import sys, redcoll.collectives.many; print(*sys.modules)")
    assert "redcoll.world" in loaded
    assert not [name for name in loaded if name.startswith(("redcoll_", "redcoll.MPI"))]


STARTS = {
    "import redcoll_shmem as shmem; shmem.shmem_init()": [
        *("redcoll.collectives", "redcoll.onesided"),
        "redcoll.user_ops",
    ],
    "from redcoll import MPI; MPI.COMM_WORLD.Barrier()": [
        f"redcoll.collectives.{name}" for name in ("many", "moments", "statistics")
    ],
}


@pytest.mark.parametrize("start", STARTS)
def test_start_loads_no_module_that_few_programs_need(start):
    """Each of these modules adds 0.1 ms or more to the start of each rank. pathlib adds 4 ms."""
    unwanted = [*STARTS[start], "dataclasses", "hashlib", "pathlib", "random", "signal"]
    program = f"""
import sys, numpy, mpi4py.typing, mpi4py.MPI
sys.modules.update(dict.fromkeys({unwanted}))  # None: an import raises ModuleNotFoundError
{start}
print(*sys.modules)
"""
    loaded = python(program)
    assert "redcoll.team.construction" in loaded
    assert set(unwanted) <= set(loaded)


def test_all_is_what_is_public():
    """Every name in ``__all__`` exists, and every public name is in ``__all__``."""
    for name in redcoll.__all__:
        assert getattr(redcoll, name) is not None
        assert name in dir(redcoll)
    modules = {name for name in dir(redcoll) if inspect.ismodule(getattr(redcoll, name))}
    # These names come from `from __future__ import annotations` and from typing.
    helpers = {"annotations", "TYPE_CHECKING", "Any"}
    public = {name for name in dir(redcoll) if not name.startswith("_")} - modules - helpers
    assert public | {"__version__"} == set(redcoll.__all__)


def test_all_is_sorted_and_without_doubles():
    assert len(set(redcoll.__all__)) == len(redcoll.__all__)


def test_lazy_names_are_those_of_their_modules():
    for name, module in redcoll._LAZY.items():
        value = getattr(importlib.import_module(module), name)
        assert getattr(redcoll, name) is value


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="'redcoll' has no attribute 'allreduc'"):
        redcoll.allreduc  # noqa: B018


def test_every_error_can_be_caught_as_redcolls_own():
    classes = [
        value
        for value in vars(errors).values()
        if inspect.isclass(value) and issubclass(value, Exception)
    ]
    assert len(classes) > 15
    for each in classes:
        assert issubclass(each, errors.RedcollError)
        assert each.__doc__
        assert each.__name__ in redcoll.__all__


@pytest.mark.parametrize(
    ("ours", "builtin"),
    [
        ("ArgumentError", ValueError),
        ("DatatypeError", TypeError),
        ("OpError", TypeError),
        ("HeapError", MemoryError),
        ("StateError", RuntimeError),
        ("CollectiveTimeoutError", TimeoutError),
        ("PeerLostError", ConnectionError),
    ],
)
def test_every_error_can_be_caught_as_the_built_in_one(ours, builtin):
    assert issubclass(getattr(errors, ours), builtin)


def test_public_functions_and_classes_are_documented():
    for name in redcoll.__all__:
        value = getattr(redcoll, name)
        if inspect.isfunction(value) or inspect.isclass(value):
            assert inspect.getdoc(value), name


@pytest.mark.parametrize("package", PACKAGES)
def test_every_package_is_typed(package):
    assert resources.files(package).joinpath("py.typed").is_file()
