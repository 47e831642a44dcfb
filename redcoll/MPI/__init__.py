"""Provide ``mpi4py.MPI`` with the reductions of redcoll: ``from redcoll import MPI``.

This module has every name of ``mpi4py.MPI``. Its communicator classes derive from mpi4py's.
Blocking reductions and barriers of intracommunicators run on redcoll's core, through shared memory.
All other calls run mpi4py's own code. Examples are nonblocking and persistent reductions, sends,
broadcasts, files and windows.

``TWOREAL``, ``TWODOUBLE_PRECISION`` and ``TWOINTEGER`` are pair types that mpi4py lacks. redcoll
can make these types only while MPI runs, so ``import *`` leaves them out.

All ranks of a call go the same way through these steps::

    first call on the communicator: wait for all ranks, then make a team
      |
      +-- some rank lacks the resources ---> no team, on all ranks: MPI reduces
      |
    each call with a team
      |
      |  fast path: the kernel knows the arrays and the call ------------+
      |                                                                  |
      +-- parse the arguments                                            |
            |                                                            |
            +-- wrong -------------> publish the refusal; raise the      |
            |                        error; the other ranks see "refused"|
            +-- only MPI can ------> publish "by MPI"            |       |
            |                                |                   |       |
            +-- the core can ------> publish the call            |       |
                                             |                   |       |
                                             v                   v       v
                       the round: every rank compares what all ranks published
                         |
                         +-- one call, all by the core ---> redcoll reduces
                         +-- one call, some "by MPI" -----> MPI reduces, on all ranks
                         +-- calls differ, or "refused" --> CollectiveMismatchError, on all
                                                            other ranks; nothing is written

    any other exception inside a call: the team is revoked; all later calls raise TeamBrokenError
    Free or Disconnect: close the team, then free the communicator

Lower-case reductions take the same steps. In their round, numbers travel with the headers. For
other objects, only the kind of the object travels (:mod:`redcoll.collectives.objects`).
"""

from __future__ import annotations

import importlib
import sys
from typing import Any

import mpi4py.MPI as _mpi
from mpi4py.MPI import *  # noqa: F403

from redcoll import config
from redcoll.liveness import shutdown
from redcoll.MPI import _comm, _datatypes, _modules, _ops
from redcoll.MPI._comm import (
    Cartcomm,
    Comm,
    Distgraphcomm,
    Graphcomm,
    Intercomm,
    Intracomm,
    Topocomm,
)
from redcoll.MPI._install import install  # noqa: F401
from redcoll.MPI._ops import Op

mpi4py_MPI = _mpi
"""mpi4py's own module, which :func:`install` does not replace."""

# Name mpi4py's own file: programs load MPI's functions from this file by ctypes, and look for
# mpi4py's headers next to it.
__file__ = _mpi.__file__

# `import *` gives the same names as from mpi4py.MPI.
__all__ = [name for name in dir(_mpi) if not name.startswith("_")]

# Define COMM_WORLD and the other communicators, and SUM, MAX and the other operations.
globals().update(_comm.CONSTANTS)
globals().update(_ops.PREDEFINED)

# Pickle and the documentation look for the classes in this module.
for _class in (Comm, Intracomm, Intercomm, Topocomm, Cartcomm, Graphcomm, Distgraphcomm, Op):
    _class.__module__ = __name__
del _class

_modules.install()

# From now on an uncaught error ends the job, even before the first reduction.
shutdown.install_hook()


_recorder = sys.modules.get("redcoll.profiling.recorder")
if (
    config.REPORT.get() is not None
    or config.PROFILE.get() is not None
    or (_recorder is not None and _recorder.is_on)  # in a block of redcoll.profile()
):
    from redcoll.MPI import _counting

    _counting.install()
del _recorder


def __getattr__(name: str) -> Any:
    # Make the pair types at their first use, because they need MPI, and an import must not start
    # MPI. The last line serves programs that use mpi4py's private names.
    if name in _modules.NAMES:
        return importlib.import_module(f"{__name__}.{name}")
    if name in _datatypes.FORTRAN_PAIRS:
        return _datatypes.fortran_pair(name)
    return getattr(_mpi, name)


def __dir__() -> list[str]:
    added = {*_ops.PREDEFINED, *_datatypes.FORTRAN_PAIRS, "install", "mpi4py_MPI"}
    return sorted(added | set(dir(_mpi)))
