"""
Run the same program text under mpi4py and under redcoll, and compare the outcomes.

A case is a function ``case(MPI, comm)``. :func:`same_under_both` runs the case with each of the two
modules, and compares the results by type, shape and bytes. Exceptions are compared by type, and
MPI's exceptions by error class. A case returns its result and the buffers that must not change.
"""

from __future__ import annotations

import contextlib
import math
import struct

import numpy as np
import pytest
from mpi import oracle
from mpi4py import MPI as theirs

from redcoll import MPI as ours
from redcoll.errors import CollectiveMismatchError
from redcoll.liveness import shutdown

COLLECTIVES = (
    "Allreduce",
    "Reduce",
    "Reduce_scatter_block",
    "Reduce_scatter",
    "Scan",
    "Exscan",
)


_kept: dict[str, object] = {}


def _is_whole(name: str = "ours") -> bool:
    """Return whether the communicator that earlier tests used still works."""
    team = _kept[name]._attach().team
    return team is not None and team.can_go_on and team.life in shutdown._live


@pytest.fixture
def comm():
    """Return a redcoll duplicate of the world, with its own team.

    Tests share the duplicate until a test fails, because making a team takes time.
    """
    if not ("ours" in _kept and _is_whole()):
        _kept["ours"] = ours.COMM_WORLD.Dup()
        _kept["theirs"] = theirs.COMM_WORLD.Dup()
    return _kept["ours"]


@pytest.fixture
def comm_in_step(monkeypatch):
    """Return a duplicate without run-ahead, so all ranks raise in the mismatched call."""
    if not ("in step" in _kept and _is_whole("in step")):
        monkeypatch.setenv("REDCOLL_AHEAD", "1")
        _kept["in step"] = ours.COMM_WORLD.Dup()
        _kept["in step"]._attach()
    return _kept["in step"]


@pytest.fixture
def both(comm):
    """Return the two modules, each with its own communicator."""
    return (theirs, _kept["theirs"]), (ours, comm)


def bits(value):
    """Describe a value. Values with equal descriptions have equal types and bits."""
    if isinstance(value, np.ndarray):
        if value.dtype.hasobject:
            return (value.shape, [bits(each) for each in value.flat])
        order = "F" if value.flags.f_contiguous and not value.flags.c_contiguous else "C"
        return (value.dtype.str, value.shape, order, oracle.value_bytes(value))
    if isinstance(value, np.generic):
        return (type(value).__name__, oracle.value_bytes(np.array(value)))
    if isinstance(value, (tuple, list)):
        return (type(value).__name__, [bits(each) for each in value])
    if isinstance(value, dict):
        return ("dict", [(key, bits(each)) for key, each in value.items()])
    if isinstance(value, float):
        return ("float", b"nan" if math.isnan(value) else struct.pack("<d", value))
    if isinstance(value, complex):
        return ("complex", bits(value.real), bits(value.imag))
    if isinstance(value, (bytes, bytearray, memoryview)):
        return ("bytes", bytes(value))
    return (type(value).__name__, value)


def observe(case, MPI, comm):
    """Run a case; return its result, or the exception that it raises."""
    try:
        return None, bits(case(MPI, comm))
    except Exception as error:  # noqa: BLE001 - compared with the other module's
        return error, None


def same_under_both(both, case):
    """Run a case under both modules and compare the outcomes; return the number of comparisons, 1.

    If mpi4py raises on some ranks only, redcoll may raise a mismatch on the other ranks.
    """
    (plain_error, plain), (error, result) = (observe(case, *each) for each in both)
    raised_somewhere = any(both[0][1].allgather(plain_error is not None))
    if plain_error is None:
        if raised_somewhere and isinstance(error, CollectiveMismatchError):
            return 1
        if error is not None:
            raise AssertionError(f"mpi4py gives {plain}, redcoll raises") from error
        assert result == plain
        return 1
    assert error is not None, f"mpi4py raises {plain_error!r}, redcoll gives {result}"
    if isinstance(plain_error, theirs.Exception):
        assert isinstance(error, theirs.Exception), error
        assert error.Get_error_class() == plain_error.Get_error_class()
    else:
        assert type(plain_error) in type(error).__mro__, (plain_error, error)
    return 1


@contextlib.contextmanager
def about(*case):
    """Add the case to the error message of a test that loops over cases."""
    try:
        yield
    except Exception as error:
        raise AssertionError(f"{', '.join(map(str, case))}: {error!r}") from error


def call(comm, name, send, recv, op=None, root=0, recvcounts=None):
    """Call an upper-case reduction by name, by default with SUM."""
    arguments = [send, recv]
    if name == "Reduce_scatter":
        arguments.append(recvcounts)
    if op is not None:
        arguments.append(op)
    elif name == "Reduce":
        return comm.Reduce(*arguments, root=root)
    if name == "Reduce":
        arguments.append(root)
    return getattr(comm, name)(*arguments)
