"""Pass a wrong value for every argument of every public collective call, on one rank only.

The calls and their parameters come from :func:`inspect.signature`. The wrong values are None,
objects of a wrong type, and objects whose own methods raise. The rank with the wrong value raises
an error of redcoll that names the parameter. The other ranks raise ``CollectiveMismatchError`` in
the same call. Then a reduction on the same team must be right.

A call with a wrong ``team`` or active set has no known members. So the call raises on this rank
only, and the other ranks do not make the call (docs/semantics.md).
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
import redcoll_pvm as pvm
import redcoll_shmem
from redcoll import CollectiveMismatchError, RedcollError
from redcoll_shmem import shmem

pytestmark = pytest.mark.mpi(min_size=2)
pytest_plugins = ["mpi.mpi_tools"]

WORLD = theirs.COMM_WORLD.Dup()
_TEAM_SHAPE = 4  # elements in a vector: 32 bytes, too long for run-ahead


# -- wrong values ---------------------------------------------------------------------------------


class OwnError(Exception):
    """The exception that the methods below raise. No library expects this exception."""


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
    """A callable that raises when redcoll looks it up in a table."""

    __hash__ = _raise  # type: ignore[assignment]
    __eq__ = _raise  # type: ignore[assignment]

    def __call__(self, *args: object) -> Any:
        return args[0]


def values() -> dict[str, Any]:
    """Return wrong values, each under a name. Every call makes new objects."""
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
    """A right call, of which a test replaces one argument by a wrong value.

    Parameters
    ----------
    routine
        The function, which is called with keyword arguments.
    arguments
        Right arguments by parameter. The other parameters have their defaults.
    check
        A function that makes a right reduction on the same team.
    local
        Parameters that determine the members. A wrong value raises only on the rank that passes it.
    free
        Parameters that take any object.
    """

    routine: Any
    arguments: dict[str, Any]
    check: Any
    local: frozenset[str] = frozenset()
    free: frozenset[str] = frozenset()
    names: dict[str, str] = field(default_factory=dict)
    """The name of a parameter in messages, if messages use another name."""
    any_error: bool = False
    """Whether the errors may be those of mpi4py."""

    def takes(self, parameter: str, value: str) -> bool:
        """Return whether the value is right for this call, or lets the rank run ahead."""
        # A scan or rooted reduce of one element lets this rank run ahead (docs/semantics.md).
        is_ahead = parameter == "nreduce" and value.startswith("integer")
        default = inspect.signature(self.routine).parameters[parameter].default
        is_left_out = parameter in self.local and value == "None" and default is None
        return parameter in self.free or is_left_out or is_ahead

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
    """Return this rank's vector, and the sum of all ranks' vectors."""
    rows = oracle.rows("SUM", "i8", WORLD.size, count)
    return rows[WORLD.rank].copy(), oracle.fold("SUM", rows)


def check_core(team=None) -> None:
    source, wanted = fold_of_ranks(5)
    target = np.zeros_like(source)
    redcoll.allreduce(target, source, team=team)
    assert oracle.assert_same(target, wanted) == 5


REDUCTIONS = ("allreduce", "reduce", "scan", "exscan", "reduce_scatter")
EXACT = {"exact_sum": ("x",), "exact_dot": ("a", "b")}
COPIES = ("broadcast", "collect", "fcollect", "alltoall")
ARRAYS = ("array", "empty", "full", "ones", "zeros", "free")
LOCAL = (
    *("user_op", "pair_dtype", "my_pe", "n_pes", "init", "finalize", "shared_arrays"),
    *("jit_op", "profile", "timeout"),
)
"""Functions of the native API that are not collective, or take no arguments."""


def core_call(name: str, arena, tight) -> Call:
    n, k = WORLD.size, _TEAM_SHAPE
    routine = getattr(redcoll, name)
    if name in REDUCTIONS:
        blocks = name == "reduce_scatter"
        arguments = {"target": np.zeros(k), "source": np.ones(k * n if blocks else k)}
        arguments |= {"team": tight}
        check = lambda: check_core(tight)  # noqa: E731
        # "active_set" is not local: the call also passes a team, whose members get the error.
        return Call(routine, arguments, check, frozenset({"team"}))
    if name.endswith("_many"):
        check = lambda: check_core(tight)  # noqa: E731
        return Call(routine, {"values": [1, 2.0], "team": tight}, check, frozenset({"team"}))
    if name in STATISTICS:
        check = lambda: check_core(tight)  # noqa: E731
        arguments = {"x": np.ones(k), "team": tight} | ({"k": 1} if name == "topk" else {})
        return Call(routine, arguments, check, frozenset({"team"}), free_in_statistics(name))
    if name in EXACT:
        arguments = dict.fromkeys(EXACT[name], np.ones(k)) | {"team": tight}
        return Call(routine, arguments, lambda: check_core(tight), frozenset({"team"}))
    if name == "barrier":
        return Call(routine, {}, check_core, frozenset({"team", "active_set"}))
    if name in COPIES:
        many = n if name != "broadcast" else 1
        arguments = {"target": symmetric(arena, k * many), "source": symmetric(arena, k)}
        if name == "alltoall":
            arguments = {"target": symmetric(arena, k * n), "source": symmetric(arena, k * n)}
            arguments |= {"count": k}
        local = frozenset({"team", "active_set"})
        return Call(routine, arguments, check_core, local, names={"target_step": "target"})
    if name == "free":
        return Call(routine, {"array": redcoll.zeros(3)}, check_core)
    shape = {"array": {"values": np.ones(3)}, "full": {"shape": 3, "fill_value": 2}}
    return Call(routine, shape.get(name, {"shape": 3}), check_core)


def free_in_statistics(name: str) -> frozenset[str]:
    """Return the parameters that take any numbers. test_statistics.py tests wrong values."""
    return frozenset({"x", "range"} if name == "histogram" else {"x", "axis"})


MANY = ("allreduce_many", "reduce_many")
STATISTICS = ("mean", "var", "std", "minmax", "topk", "histogram", "logsumexp")
CORE = (*REDUCTIONS, *EXACT, *MANY, *STATISTICS, *COPIES, *ARRAYS, "barrier")

MPI_CALLS = (
    *("Allreduce", "Reduce", "Reduce_scatter_block", "Reduce_scatter", "Scan", "Exscan"),
    *("allreduce", "reduce", "scan", "exscan", "argmax", "argmin"),
    *("allreduce_many", "reduce_many"),
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
        return Call(routine, {"values": np.ones(k)}, check, any_error=True)
    if name in MANY:
        return Call(routine, {"values": [1, 2.0]}, check, any_error=True)
    if name[0].islower():
        # Any object is a right sendobj, because objects other than numbers and arrays are pickled.
        return Call(routine, {"sendobj": 1}, check, free=frozenset({"sendobj"}), any_error=True)
    blocks = name.startswith("Reduce_scatter")
    arguments = {"sendbuf": np.ones(k * n if blocks else k), "recvbuf": np.zeros(k)}
    if name == "Reduce_scatter":
        arguments["recvcounts"] = [k] * n
    return Call(routine, arguments, check, any_error=True)


SET = frozenset({"PE_start", "logPE_stride", "PE_size"})
# One or two routines of each kind. The routines for other types share their code.
SHMEM_CALLS = (
    *("shmem_double_sum_to_all", "shmem_long_max_to_all", "shmem_real8_sum_to_all"),
    *("shmem_broadcast64", "shmem_collect64", "shmem_fcollect64", "shmem_alltoall64"),
    *("shmem_alltoalls64", "shmem_barrier", "shmem_sync", "shmem_team_sync"),
    *("shmem_double_broadcast", "shmem_broadcastmem", "shmem_double_collect"),
    *("shmem_double_fcollect", "shmem_double_alltoall", "shmem_double_alltoalls"),
    *("shmem_double_sum_reduce", "shmem_sum_reduce", "shmem_double_sum_inscan"),
    *("shmem_double_sum_exscan", "redcoll_allreduce", "redcoll_inscan", "redcoll_exscan"),
    *("redcoll_reduce", "redcoll_to_all", "redcoll_to_one"),
    *("redcoll_exact_sum", "redcoll_exact_dot", "redcoll_allreduce_many", "redcoll_reduce_many"),
    *(f"redcoll_{name}" for name in STATISTICS),
    *("shmem_malloc", "shmem_malloc_with_hints", "shmem_calloc", "shmem_align", "shmem_realloc"),
    *("shmem_free", "shmem_team_split_strided", "shmem_team_split_2d"),
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
        "x": lambda: np.ones(k),
        "values": lambda: [1, 2.0],
        "a": lambda: np.ones(k),
        "b": lambda: np.ones(k),
        "k": lambda: 1,
    }
    given = {each: right[each]() for each in parameters if each in right and each != "dest"}
    local = SET | {"team", "parent_team"}
    renamed = {"dst": "target", "sst": "source"}
    short = name.removeprefix("redcoll_")
    free = free_in_statistics(short) if short in STATISTICS else frozenset()
    return Call(routine, given, check_core, frozenset(local), free, names=renamed)


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


# -- trying all values ----------------------------------------------------------------------------

# The standard defines that these calls do nothing, so the other PEs do not take part.
_ALONE = {("shmem_free", "ptr", "None")}


@dataclass
class Trial:
    """The number of calls, and how many of them ended in each way."""

    tried: int = 0
    refused: int = 0
    agreed: int = 0
    alone: int = 0


def try_all(name: str, make: Any, reset: Any, chosen: Any) -> Trial:
    """Pass each wrong value for each argument. Each call has another rank pass the wrong value."""
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
    """Check that all ranks ended the call as the documentation says."""
    others = [each for rank, each in enumerate(told) if rank != bad and each is not None]
    if told[bad] == "returned":
        # The value is right: all ranks accept it, or no other rank depends on it.
        assert all(each == "returned" for each in others), (what, told)
        assert others or parameter in call.local or WORLD.size == 1, (what, told)
        trial.agreed += 1
        return
    if len(set(told)) == 1 and told[bad].startswith("ArgumentError: collect"):
        trial.refused += 1  # each rank of collect may pass another length, so all ranks raise
        return
    assert all(each.startswith("CollectiveMismatchError") for each in others), (what, told)
    if not others:
        trial.alone += 1
    if WORLD.rank == bad:
        names = (parameter, call.names.get(parameter, parameter))
        is_right = call.any_error or any(is_clear(error, each) for each in names)
        assert is_right, (what, told, error)
    trial.refused += 1


def is_clear(error: BaseException, parameter: str) -> bool:
    """Return whether redcoll raised the error and named the parameter."""
    if isinstance(error, CollectiveMismatchError):
        return True  # the value is right by itself
    if not isinstance(error, RedcollError):
        return False
    return parameter in str(error)


def sample(name: str, parameter: str, value: str) -> bool:
    """Return True for values that have revealed defects, and for a quarter of the other cases."""
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


@pytest.mark.parametrize("chosen", CHOICES)
@pytest.mark.parametrize("name", MPI_CALLS)
def test_mpi(comm, record_property, name, chosen):
    make = lambda: mpi_call(name, comm)  # noqa: E731
    trial = try_all(name, make, lambda: None, chosen)
    record_property("tried", trial.tried)
    assert trial.tried == wanted(make(), name, chosen) > 0
    assert trial.refused > 0


# -- PVM: error codes, and failed calls that match the calls of other tasks ------------------------

GROUP, TAG, ROOT = "wrong arguments", 7, 0
PVM_CALLS = ("pvm_reduce", "pvm_gather", "pvm_scatter", "pvm_barrier", "pvm_freezegroup")
# These arguments identify the call. If one is wrong, no other task takes part.
PVM_LOCAL = frozenset({"group", "msgtag", "rootginst"})


def pvm_call(name: str) -> tuple[Any, dict[str, Any]]:
    n, k = WORLD.size, _TEAM_SHAPE
    own = pvm.pvm_getinst(GROUP, pvm.pvm_mytid())
    is_root = own == ROOT
    call = {"count": k, "datatype": pvm.PVM_INT, "msgtag": TAG, "group": GROUP, "rootginst": ROOT}
    if name == "pvm_reduce":
        return pvm.pvm_reduce, {"func": pvm.PvmSum, "data": np.ones(k, "i4"), **call}
    whole = np.ones(n * k, "i4") if is_root else None
    part = np.ones(k, "i4")
    if name == "pvm_gather":
        return pvm.pvm_gather, {"result": whole, "data": part, **call}
    if name == "pvm_scatter":
        return pvm.pvm_scatter, {"result": part, "data": whole, **call}
    count = {"pvm_barrier": "count", "pvm_freezegroup": "size"}[name]
    return getattr(pvm, name), {"group": GROUP, count: n}


def pvm_check() -> None:
    """Check a right reduction, gather and scatter with the same tag, and make a barrier."""
    rows = oracle.rows("SUM", "i4", WORLD.size, 3)
    own = pvm.pvm_getinst(GROUP, pvm.pvm_mytid())
    call = (3, pvm.PVM_INT, TAG, GROUP, ROOT)
    data, whole = rows[own].copy(), np.zeros((WORLD.size, 3), "i4")
    assert pvm.pvm_reduce(pvm.PvmSum, data, *call) == 0
    if own == ROOT:
        assert oracle.assert_same(data, oracle.fold("SUM", rows)) == 3
    assert pvm.pvm_gather(whole, rows[own].copy(), *call) == 0
    if own == ROOT:
        assert oracle.assert_same(whole.reshape(-1), rows.reshape(-1)) == 3 * WORLD.size
    part = np.zeros(3, "i4")
    assert pvm.pvm_scatter(part, rows.copy(), *call) == 0
    assert oracle.assert_same(part, rows[own]) == 3
    assert pvm.pvm_barrier(GROUP, WORLD.size) == 0


@pytest.mark.parametrize("chosen", CHOICES)
@pytest.mark.parametrize("name", PVM_CALLS)
def test_pvm(record_property, name, chosen, capfd):
    me, n = WORLD.rank, WORLD.size
    assert pvm.pvm_joingroup(GROUP) >= 0
    WORLD.Barrier()
    own = pvm.pvm_getinst(GROUP, pvm.pvm_mytid())
    tried = refused = 0
    routine, arguments = pvm_call(name)
    for parameter in arguments:
        for value_name in BAD:
            if not chosen(name, parameter, value_name):
                continue
            what = f"{name}({parameter}={value_name})"
            bad = zlib.crc32(what.encode()) % n
            # A call with a wrong number of members does not count its caller, and matches no other
            # call.
            is_local = parameter in PVM_LOCAL or "reduce gather scatter".find(name[4:]) < 0
            if parameter not in ("data", "result", "func") and value_name.startswith("integer"):
                continue  # this integer is right by itself
            routine, given = pvm_call(name)
            if me == bad:
                given[parameter] = values()[value_name]
            outcome = None
            if me == bad or not is_local:
                error = None
                try:
                    outcome = routine(**given)
                except Exception as raised:  # noqa: BLE001 - compared below
                    error, outcome = raised, describe(raised)
            tried += 1
            told = WORLD.allgather((own, outcome))
            # The error for a count that is too large names the array as well.
            names = (parameter, *(("data", "result") if parameter == "count" else ()))
            if isinstance(outcome, str):
                assert any(is_clear(error, each) for each in names), (what, error)
            root = next(outcome for instance, outcome in told if instance == ROOT)
            others = [out for rank, (each, out) in enumerate(told) if rank != bad and each != ROOT]
            if told[bad][1] != 0:
                refused += 1
            if told[bad][1] != 0 and not is_local:
                if name == "pvm_scatter" and told[bad][0] == ROOT:
                    assert set(others) == {pvm.PvmMismatch}, (what, told)
                else:
                    assert set(others) <= {0}, (what, told)
                if told[bad][0] != ROOT and name != "pvm_scatter":
                    assert root == pvm.PvmMismatch, (what, told)
            elif not is_local:
                assert {out for _, out in told} == {0}, (what, told)
            pvm_check()
    record_property("tried", tried)
    assert refused > 0
    WORLD.Barrier()
    assert pvm.pvm_lvgroup(GROUP) == 0
    WORLD.Barrier()
    capfd.readouterr()  # PvmAutoErr has printed each failure


# -- roots out of range ---------------------------------------------------------------------------

ROOTED = {
    "core": ("reduce", "broadcast"),
    "MPI": ("Reduce", "reduce"),
    "shmem": (
        *("shmem_broadcast64", "shmem_double_broadcast", "shmem_broadcastmem"),
        *("redcoll_reduce", "redcoll_to_one"),
    ),
    "shmem4py": ("broadcast",),
}


@pytest.mark.parametrize("who", ["one", "all"])
@pytest.mark.parametrize("api", ROOTED)
def test_root_just_out_of_range(arena, tight, comm, api, who):
    """The wrong roots are -1, the size, and the size + 1, on one rank and then on all ranks."""
    me, n = WORLD.rank, WORLD.size
    make = {
        "core": lambda name: core_call(name, arena, tight),
        "MPI": lambda name: mpi_call(name, comm),
        "shmem": lambda name: shmem_call(name, arena),
        "shmem4py": lambda name: shmem4py_call(name, arena),
    }[api]
    for name in ROOTED[api]:
        for root in (-1, n, n + 1, np.int64(n)):
            for bad in range(n):
                arena.reset()
                call = make(name)
                parameter = "PE_root" if "PE_root" in call.parameters() else "root"
                is_wrong = who == "all" or me == bad
                right = {parameter: 0} if parameter == "root" else {}
                arguments = call.arguments | ({parameter: root} if is_wrong else right)
                kind = (
                    (redcoll.ArgumentError, theirs.Exception)
                    if is_wrong
                    else CollectiveMismatchError
                )
                with pytest.raises(kind) as caught:
                    call.routine(**arguments)
                if is_wrong and api != "MPI":
                    assert f"{parameter} is {root}; it must be from 0 to {n - 1}" in str(
                        caught.value
                    )
                elif is_wrong:
                    assert caught.value.Get_error_class() == theirs.ERR_ROOT
                call.check()


def test_pvm_root_just_out_of_range():
    """Without a valid root no task waits, and each call returns PvmNoInst."""
    assert pvm.pvm_joingroup(GROUP) >= 0
    WORLD.Barrier()
    for name in ("pvm_reduce", "pvm_gather", "pvm_scatter"):
        for root in (-1, WORLD.size, WORLD.size + 1):
            routine, arguments = pvm_call(name)
            assert routine(**(arguments | {"rootginst": root})) == pvm.PvmNoInst
    pvm_check()
    assert pvm.pvm_lvgroup(GROUP) == 0
    WORLD.Barrier()
