"""Every argument of every public collective call, wrong on one rank only.

The calls and their parameters come from :func:`inspect.signature`. The values are None, things of a
wrong type, and objects whose own methods raise. On the rank with the wrong value the call raises
an error of redcoll's that names the parameter. The other ranks raise ``CollectiveMismatchError`` in
the same call. Nothing hangs or is paired wrongly: a reduction on the same team is right afterwards.

What cannot be told is not tried together: a wrong ``team`` or active set does not say whom to tell,
so it raises on its rank alone, and the other ranks do not call (docs/semantics.md).
"""

from __future__ import annotations

import inspect
import zlib
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from mpi import oracle
from mpi4py import MPI as theirs

import redcoll
import redcoll_shmem
from redcoll import CollectiveMismatchError, RedcollError
from redcoll_shmem import shmem

pytestmark = pytest.mark.mpi(min_size=2)
pytest_plugins = ["mpi.mpi_tools"]

WORLD = theirs.COMM_WORLD.Dup()
_TEAM_SHAPE = 4  # elements of a vector: 32 bytes, so that nobody goes ahead


# -- wrong values ---------------------------------------------------------------------------------


class OwnError(Exception):
    """What the methods below raise: no error that a library expects."""


def _raise(*_: object, **__: object) -> Any:
    raise OwnError("on purpose")


_METHODS = (
    *("__index__", "__int__", "__len__", "__iter__", "__getitem__", "__array__", "__eq__"),
    *("__hash__", "__bool__", "__repr__", "__str__", "__float__", "__contains__", "__lt__"),
    *("__le__", "__gt__", "__ge__"),
)
_ATTRIBUTES = (
    *("dtype", "size", "flags", "shape", "ndim", "nbytes", "base", "__array_interface__"),
    *("__cuda_array_interface__", "__dlpack__", "__dlpack_device__", "handle", "known", "core"),
)


def _raising(name: str, base: type, methods: Any = (), attributes: Any = ()) -> type:
    body = dict.fromkeys(methods, _raise) | {each: property(_raise) for each in attributes}
    return type(name, (base,), body)


def _array_of(kind: type) -> np.ndarray:
    return np.ones(_TEAM_SHAPE).view(kind)


def _released() -> memoryview:
    view = memoryview(bytearray(32))
    view.release()
    return view


class _Callable:
    """What can be called, but raises where it is looked up in a table."""

    __hash__ = _raise  # type: ignore[assignment]
    __eq__ = _raise  # type: ignore[assignment]

    def __call__(self, *args: object) -> Any:
        return args[0]


def values() -> dict[str, Any]:
    """Wrong values by name, new at each call."""
    return {
        "None": None,
        "text": "wrong",
        "fraction": 1.5,
        "object": object(),
        "list": [1, "a"],
        "huge": 1 << 70,
        "negative": -3,
        "released buffer": _released(),
        "every method raises": _raising("Raising", object, _METHODS, _ATTRIBUTES)(),
        **{f"{each} raises": _raising("Raising", object, [each])() for each in _METHODS[:9]},
        **{f"{each} raises": _raising("Raising", object, (), [each])() for each in _ATTRIBUTES[:3]},
        "array with methods that raise": _array_of(
            _raising("RaisingArray", np.ndarray, _METHODS[4:11], _ATTRIBUTES[:3])
        ),
        "integer with methods that raise": _raising("RaisingInt", int, _METHODS[6:9])(1),
        "callable that cannot be looked up": _Callable(),
    }


BAD = tuple(values())


# -- the calls ------------------------------------------------------------------------------------


@dataclass
class Call:
    """A call that is right, of which one argument is spoiled.

    Parameters
    ----------
    routine
        What is called, with keyword arguments.
    arguments
        Right ones by parameter; of the others the defaults serve.
    check
        Makes a right reduction on the same team.
    local
        Parameters that say who takes part: a wrong one raises on its rank alone.
    free
        Parameters that take any object.
    """

    routine: Any
    arguments: dict[str, Any]
    check: Any
    local: frozenset[str] = frozenset()
    free: frozenset[str] = frozenset()
    names: dict[str, str] = field(default_factory=dict)
    """What messages call a parameter, if not by its name."""

    def takes(self, parameter: str, value: str) -> bool:
        """Whether a value is right: any object, or a set left out."""
        return parameter in self.free or (parameter in self.local and value == "None")

    def parameters(self) -> list[str]:
        found = inspect.signature(self.routine).parameters
        return [
            name
            for name, each in found.items()
            if name != "self" and each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD)
        ]


def symmetric(arena, count: int, dtype="d") -> np.ndarray:
    array = arena.take(count, dtype)
    array[...] = 1
    return array


def fold_of_ranks(count: int) -> tuple[np.ndarray, np.ndarray]:
    """This rank's vector, and the sum of all."""
    rows = oracle.rows("SUM", "i8", WORLD.size, count)
    return rows[WORLD.rank].copy(), oracle.fold("SUM", rows)


def check_core(team=None) -> None:
    source, wanted = fold_of_ranks(5)
    target = np.zeros_like(source)
    redcoll.allreduce(target, source, team=team)
    assert oracle.assert_same(target, wanted) == 5


REDUCTIONS = ("allreduce", "reduce", "scan", "exscan", "reduce_scatter")
COPIES = ("broadcast", "collect", "fcollect", "alltoall")
ARRAYS = ("array", "empty", "full", "ones", "zeros", "free")
LOCAL = ("user_op", "pair_dtype", "my_pe", "n_pes", "init", "finalize")
"""Functions of the core that are not collective, or take no arguments."""


def core_call(name: str, arena, tight) -> Call:
    n, k = WORLD.size, _TEAM_SHAPE
    routine = getattr(redcoll, name)
    if name in REDUCTIONS:
        blocks = name == "reduce_scatter"
        arguments = {"target": np.zeros(k), "source": np.ones(k * n if blocks else k)}
        arguments |= {"team": tight}
        check = lambda: check_core(tight)  # noqa: E731
        return Call(routine, arguments, check, frozenset({"team", "active_set"}))
    if name == "barrier":
        return Call(routine, {}, check_core, frozenset({"team", "active_set"}))
    if name in COPIES:
        many = n if name != "broadcast" else 1
        arguments = {"target": symmetric(arena, k * many), "source": symmetric(arena, k)}
        if name == "alltoall":
            arguments = {"target": symmetric(arena, k * n), "source": symmetric(arena, k * n)}
            arguments |= {"count": k}
        local = frozenset({"team", "active_set"})
        return Call(routine, arguments, check_core, local, frozenset())
    if name == "free":
        return Call(routine, {"array": redcoll.zeros(3)}, check_core)
    shape = {"array": {"values": np.ones(3)}, "full": {"shape": 3, "fill_value": 2}}
    return Call(routine, shape.get(name, {"shape": 3}), check_core)


CORE = (*REDUCTIONS, *COPIES, *ARRAYS, "barrier")

MPI_CALLS = (
    *("Allreduce", "Reduce", "Reduce_scatter_block", "Reduce_scatter", "Scan", "Exscan"),
    *("allreduce", "reduce", "scan", "exscan", "argmax", "argmin"),
)


def mpi_call(name: str, comm) -> Call:
    n, k = comm.size, _TEAM_SHAPE
    routine = getattr(comm, name)

    def check() -> None:
        source, wanted = fold_of_ranks(5)
        target = np.zeros_like(source)
        comm.Allreduce(source, target)
        assert oracle.assert_same(target, wanted) == 5

    if name.startswith("arg"):
        return Call(routine, {"values": np.ones(k)}, check)
    if name[0].islower():
        # An object is pickled where it has no short form; mpi4py's pickling tells nobody.
        return Call(routine, {"sendobj": 1}, check, free=frozenset({"sendobj"}))
    blocks = name.startswith("Reduce_scatter")
    arguments = {"sendbuf": np.ones(k * n if blocks else k), "recvbuf": np.zeros(k)}
    if name == "Reduce_scatter":
        arguments["recvcounts"] = [k] * n
    return Call(routine, arguments, check)


SET = frozenset({"PE_start", "logPE_stride", "PE_size"})
# One routine or two of each chapter and form; those of other types are made of the same parts.
SHMEM_CALLS = (
    *("shmem_double_sum_to_all", "shmem_long_max_to_all", "shmem_real8_sum_to_all"),
    *("shmem_broadcast64", "shmem_collect64", "shmem_fcollect64", "shmem_alltoall64"),
    *("shmem_alltoalls64", "shmem_barrier", "shmem_sync", "shmem_team_sync"),
    *("shmem_double_broadcast", "shmem_broadcastmem", "shmem_double_collect"),
    *("shmem_double_fcollect", "shmem_double_alltoall", "shmem_double_alltoalls"),
    *("shmem_double_sum_reduce", "shmem_sum_reduce", "shmem_double_sum_inscan"),
    *("shmem_double_sum_exscan", "redcoll_allreduce", "redcoll_inscan", "redcoll_exscan"),
    *("redcoll_reduce", "redcoll_to_all", "redcoll_to_one"),
    *("shmem_malloc", "shmem_malloc_with_hints", "shmem_calloc", "shmem_align", "shmem_realloc"),
    *("shmem_free", "shmem_team_split_strided", "shmem_team_split_2d"),
    *("reduce", "sum_reduce", "max_reduce", "alloc"),
)


def shmem_call(name: str, arena) -> Call:
    n, k = WORLD.size, _TEAM_SHAPE
    routine = getattr(redcoll_shmem, name)
    parameters = inspect.signature(routine).parameters
    dtype = "l" if "long" in name else "d"
    many = n if any(word in name for word in ("collect", "alltoall")) else 1
    both = n if "alltoall" in name else 1
    size = k * (8 if name.endswith("mem") else 1)
    sync = symmetric(arena, 64, "l")
    sync[...] = redcoll_shmem.SHMEM_SYNC_VALUE
    block = redcoll.zeros(8, np.uint8) if name in ("shmem_realloc", "shmem_free") else None
    world = redcoll_shmem.SHMEM_TEAM_WORLD
    right = {
        "target": lambda: symmetric(arena, k * many, dtype),
        "source": lambda: symmetric(arena, k * both, dtype),
        "nreduce": lambda: k,
        "nelems": lambda: size,
        "PE_root": lambda: 0,
        "PE_start": lambda: 0,
        "logPE_stride": lambda: 0,
        "PE_size": lambda: n,
        "pWrk": lambda: symmetric(arena, 64, dtype),
        "pSync": lambda: sync,
        "dst": lambda: 1,
        "sst": lambda: 1,
        "team": lambda: world,
        "parent_team": lambda: world,
        "op": lambda: redcoll.SUM,
        "size": lambda: n if name == "shmem_team_split_strided" else 4,
        "count": lambda: 2,
        "hints": lambda: 0,
        "alignment": lambda: 64,
        "ptr": lambda: block,
        "start": lambda: 0,
        "stride": lambda: 1,
        "xrange": lambda: 1,
        "shape": lambda: 3,
    }
    given = {each: right[each]() for each in parameters if each in right and each != "dest"}
    local = SET | {"team", "parent_team"}
    renamed = {"ptr": "array", "dst": "target", "sst": "source"}
    return Call(routine, given, check_core, frozenset(local), names=renamed)


SHMEM4PY_CALLS = (
    *("broadcast", "collect", "fcollect", "alltoall", "alltoalls", "reduce", "sum_reduce"),
    *("min_reduce", "sync", "alloc", "free", "new_array", "del_array", "array", "empty", "zeros"),
    *("ones", "full", "del_signal", "del_lock", "split_strided"),
)


def shmem4py_call(name: str, arena) -> Call:
    n, k = WORLD.size, _TEAM_SHAPE
    if name == "split_strided":
        return Call(shmem.TEAM_WORLD.split_strided, {}, check_core)
    routine = getattr(shmem, name)
    many = n if any(word in name for word in ("collect", "alltoall")) else 1
    both = n if "alltoall" in name else 1
    right = {
        "target": lambda: symmetric(arena, k * many),
        "source": lambda: symmetric(arena, k * both),
        "root": lambda: 0,
        "count": lambda: 3,
        "shape": lambda: 3,
        "obj": lambda: np.ones(3),
        "fill_value": lambda: 2,
        "mem": lambda: redcoll.zeros(3),
        "a": lambda: redcoll.zeros(3),
        "signal": shmem.new_signal,
        "lock": shmem.new_lock,
    }
    parameters = inspect.signature(routine).parameters
    given = {each: right[each]() for each in parameters if each in right}
    renamed = {"obj": "values", "tst": "target", "sst": "source"}
    renamed |= dict.fromkeys(("mem", "a", "signal", "lock"), "array")
    return Call(routine, given, check_core, frozenset({"team"}), names=renamed)


# -- the trial ------------------------------------------------------------------------------------

# By the standard these do nothing, without the other PEs.
_ALONE = {("shmem_free", "ptr", "None")}


@dataclass
class Trial:
    """How many calls were made, and what came of them."""

    tried: int = 0
    refused: int = 0
    agreed: int = 0
    alone: int = 0


def try_all(name: str, make: Any, reset: Any, chosen: Any) -> Trial:
    """Spoil each argument by each value, on one rank; on which one changes from try to try."""
    me, n = WORLD.rank, WORLD.size
    trial = Trial()
    parameters = make().parameters()
    for parameter in parameters:
        for value_name in BAD:
            if not chosen(name, parameter, value_name) or (name, parameter, value_name) in _ALONE:
                continue
            reset()
            call = make()
            if call.takes(parameter, value_name):
                continue
            trial.tried += 1
            what = f"{name}({parameter}={value_name})"
            bad = zlib.crc32(what.encode()) % n
            arguments = dict(call.arguments)
            if me == bad:
                arguments[parameter] = values()[value_name]
            outcome = error = None
            if me == bad or parameter not in call.local:
                try:
                    call.routine(**arguments)
                except Exception as raised:  # noqa: BLE001 - compared below
                    error = raised
                outcome = describe(error)
            told = WORLD.allgather(outcome)
            judge(trial, call, parameter, what, bad, told, error)
            call.check()
    return trial


def describe(error: BaseException | None) -> str:
    if error is None:
        return "returned"
    return f"{type(error).__name__}: {error}"[:300]


def judge(
    trial: Trial, call: Call, parameter: str, what: str, bad: int, told: Any, error: Any
) -> None:
    """Whether all ranks ended as the docs say."""
    others = [each for rank, each in enumerate(told) if rank != bad and each is not None]
    if told[bad] == "returned":
        # A value that is right after all, on all or where nobody has to know.
        assert all(each == "returned" for each in others), (what, told)
        assert others or parameter in call.local or WORLD.size == 1, (what, told)
        trial.agreed += 1
        return
    if len(set(told)) == 1 and told[bad].startswith("ArgumentError: collect"):
        trial.refused += 1  # lengths may differ there, and the round shows them to all
        return
    assert all(each.startswith("CollectiveMismatchError") for each in others), (what, told)
    if not others:
        trial.alone += 1
    if WORLD.rank == bad:
        names = (parameter, call.names.get(parameter, parameter))
        assert any(is_clear(error, each) for each in names), (what, told, error)
    trial.refused += 1


def is_clear(error: BaseException, parameter: str) -> bool:
    """Whether an error is one of redcoll's that names the parameter."""
    if isinstance(error, CollectiveMismatchError):
        return True  # a value that is right by itself
    if not isinstance(error, RedcollError):
        return False
    return parameter in str(error)


def sample(name: str, parameter: str, value: str) -> bool:
    """A third of all, other ones for each call; and each value that has been a defect."""
    if value in ("None", "every method raises"):
        return True
    return zlib.crc32(f"{name} {parameter} {value}".encode()) % 4 == 0


def everything(name: str, parameter: str, value: str) -> bool:
    return True


CHOICES = [
    pytest.param(sample, id="sample"),
    pytest.param(everything, id="everything", marks=pytest.mark.soak),
]


def wanted(call: Call, name: str, chosen: Any) -> int:
    return sum(
        chosen(name, parameter, value) and (name, parameter, value) not in _ALONE
        for parameter in call.parameters()
        for value in BAD
        if not call.takes(parameter, value)
    )


@pytest.mark.parametrize("chosen", CHOICES)
@pytest.mark.parametrize("name", CORE)
def test_core(arena, tight, record_property, name, chosen):
    make = lambda: core_call(name, arena, tight)  # noqa: E731
    trial = try_all(name, make, arena.reset, chosen)
    record_property("tried", trial.tried)
    assert trial.tried == wanted(make(), name, chosen) > 0
    assert trial.refused > 0


def test_core_table_is_complete():
    functions = {name for name in redcoll.__all__ if inspect.isfunction(getattr(redcoll, name))}
    assert functions == {*CORE, *LOCAL}


@pytest.mark.parametrize("chosen", CHOICES)
@pytest.mark.parametrize("name", SHMEM_CALLS)
def test_shmem(arena, record_property, name, chosen):
    make = lambda: shmem_call(name, arena)  # noqa: E731
    trial = try_all(name, make, arena.reset, chosen)
    record_property("tried", trial.tried)
    assert trial.tried == wanted(make(), name, chosen) > 0
    assert trial.refused > 0


@pytest.mark.parametrize("chosen", CHOICES)
@pytest.mark.parametrize("name", SHMEM4PY_CALLS)
def test_shmem4py(arena, record_property, name, chosen):
    make = lambda: shmem4py_call(name, arena)  # noqa: E731
    trial = try_all(name, make, arena.reset, chosen)
    record_property("tried", trial.tried)
    assert trial.tried == wanted(make(), name, chosen) > 0
    assert trial.refused > 0
