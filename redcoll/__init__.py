"""Reductions of arrays across the ranks of an MPI job.

This is redcoll's native API, with teams, active sets and symmetric arrays. ``redcoll.MPI`` has
mpi4py's interface, ``redcoll_shmem`` has OpenSHMEM's, and ``redcoll_pvm`` has PVM's.

Importing this module does not start MPI. The first call that needs MPI starts it.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from redcoll import config
from redcoll._version import __version__
from redcoll.activeset import ActiveSet
from redcoll.datatypes import MPI_PAIRS, pair_dtype
from redcoll.errors import (
    ActiveSetError,
    AlreadyInGroupError,
    ArgumentError,
    CollectiveError,
    CollectiveMismatchError,
    CollectiveTimeoutError,
    ConfigError,
    DatatypeError,
    DelegatedError,
    GroupError,
    GroupLimitError,
    HeapError,
    NoGroupError,
    NoInstanceError,
    NotInGroupError,
    OpError,
    OverlapError,
    PeerLostError,
    RedcollError,
    RemoteOpError,
    StateError,
    SymmetryError,
    TeamBrokenError,
    TeamLimitError,
)
from redcoll.ops import (
    AND,
    EXACT_SUM,
    LAND,
    LOR,
    LXOR,
    MAX,
    MAXLOC,
    MIN,
    MINLOC,
    OR,
    PROD,
    SUM,
    XOR,
    Op,
)

if TYPE_CHECKING:
    from redcoll.arrays import array, empty, free, full, ones, zeros
    from redcoll.collectives.allreduce import allreduce
    from redcoll.collectives.alltoall import alltoall
    from redcoll.collectives.barrier import barrier
    from redcoll.collectives.broadcast import broadcast
    from redcoll.collectives.collect import collect, fcollect
    from redcoll.collectives.exact import exact_dot, exact_sum
    from redcoll.collectives.many import allreduce_many, reduce_many
    from redcoll.collectives.moments import mean, std, var
    from redcoll.collectives.reduce import reduce
    from redcoll.collectives.reduce_scatter import reduce_scatter
    from redcoll.collectives.scan import exscan, scan
    from redcoll.collectives.statistics import histogram, logsumexp, minmax, topk
    from redcoll.liveness.deadlines import timeout
    from redcoll.memory.arena import shared_arrays
    from redcoll.profiler import profile
    from redcoll.team import Team
    from redcoll.user_ops import jit_op, user_op
    from redcoll.world import finalize, init, my_pe, n_pes

_FAST = ("allreduce", "reduce", "reduce_scatter", "scan", "exscan")
"""Reductions with a fast path. In a profile the fast path itself can record calls."""
_REDUCTIONS = (
    *_FAST,
    *("allreduce_many", "reduce_many"),
    *("mean", "var", "std", "minmax", "topk", "histogram", "logsumexp"),
    *("exact_sum", "exact_dot"),
)

# The modules that need MPI or that few programs need, with their public names. The first use of a
# name imports its module.
_MODULES = {
    "arrays": ("array", "empty", "free", "full", "ones", "zeros"),
    "collectives.allreduce": ("allreduce",),
    "collectives.alltoall": ("alltoall",),
    "collectives.barrier": ("barrier",),
    "collectives.broadcast": ("broadcast",),
    "collectives.collect": ("collect", "fcollect"),
    "collectives.exact": ("exact_dot", "exact_sum"),
    "collectives.many": ("allreduce_many", "reduce_many"),
    "collectives.moments": ("mean", "std", "var"),
    "collectives.reduce": ("reduce",),
    "collectives.reduce_scatter": ("reduce_scatter",),
    "collectives.scan": ("exscan", "scan"),
    "collectives.statistics": ("histogram", "logsumexp", "minmax", "topk"),
    "liveness.deadlines": ("timeout",),
    "memory.arena": ("shared_arrays",),
    "profiler": ("profile",),
    "team": ("Team",),
    "user_ops": ("jit_op", "user_op"),
    "world": ("finalize", "init", "my_pe", "n_pes"),
}
_LAZY = {name: f"redcoll.{module}" for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name == "MPI":
        return importlib.import_module("redcoll.MPI")
    module = _LAZY.get(name)
    if module is None:
        raise AttributeError(f"module 'redcoll' has no attribute {name!r}")
    value = getattr(importlib.import_module(module), name)
    if name in _REDUCTIONS and (_counts or config.REPORT.is_set() or config.PROFILE.is_set()):
        value = _counted(name, value)
    globals()[name] = value
    return value


_counts = False


def _counted(name: str, function: Any) -> Any:
    from redcoll import tally

    if not _counts and not tally.is_wanted():
        return function
    if name in _FAST and tally.has_fast_records():
        tally.record_core()
        return function
    about = tally.about_arrays if name in _FAST else tally.about_values
    return tally.counted(function, f"redcoll.{name}", about)


def _count_reductions(*, is_on: bool) -> None:
    """Begin or end counting the reductions of this module, for :func:`profile`."""
    global _counts  # noqa: PLW0603 - the state of the module
    _counts = is_on
    for name in _REDUCTIONS:
        if name in globals():
            function = globals()[name]
            if is_on:
                globals()[name] = _counted(name, function)
            elif name not in _FAST:
                globals()[name] = getattr(function, "__wrapped__", function)


def __dir__() -> list[str]:
    return sorted({*globals(), *_LAZY, "MPI"})


__all__ = [
    "AND",
    "EXACT_SUM",
    "LAND",
    "LOR",
    "LXOR",
    "MAX",
    "MAXLOC",
    "MIN",
    "MINLOC",
    "MPI_PAIRS",
    "OR",
    "PROD",
    "SUM",
    "XOR",
    "ActiveSet",
    "ActiveSetError",
    "AlreadyInGroupError",
    "ArgumentError",
    "CollectiveError",
    "CollectiveMismatchError",
    "CollectiveTimeoutError",
    "ConfigError",
    "DatatypeError",
    "DelegatedError",
    "GroupError",
    "GroupLimitError",
    "HeapError",
    "NoGroupError",
    "NoInstanceError",
    "NotInGroupError",
    "Op",
    "OpError",
    "OverlapError",
    "PeerLostError",
    "RedcollError",
    "RemoteOpError",
    "StateError",
    "SymmetryError",
    "Team",
    "TeamBrokenError",
    "TeamLimitError",
    "__version__",
    "allreduce",
    "allreduce_many",
    "alltoall",
    "array",
    "barrier",
    "broadcast",
    "collect",
    "empty",
    "exact_dot",
    "exact_sum",
    "exscan",
    "fcollect",
    "finalize",
    "free",
    "full",
    "histogram",
    "init",
    "jit_op",
    "logsumexp",
    "mean",
    "minmax",
    "my_pe",
    "n_pes",
    "ones",
    "pair_dtype",
    "profile",
    "reduce",
    "reduce_many",
    "reduce_scatter",
    "scan",
    "shared_arrays",
    "std",
    "timeout",
    "topk",
    "user_op",
    "var",
    "zeros",
]

# The import ignores wrong values of these settings. The construction of a team reports the values.
if config.DUMP_SIGNAL.problem() is None and config.DUMP_SIGNAL.is_set():
    importlib.import_module("redcoll.liveness.dump").install()
if config.SHARED_ARRAYS.problem() is None and config.SHARED_ARRAYS.get():
    importlib.import_module("redcoll.memory.arena").shared_arrays()
