"""mpi4py's MPI with its reductions replaced: ``from redcoll import MPI``.

Every name of ``mpi4py.MPI`` is here. Communicators are subclasses of mpi4py's whose blocking
reductions and barriers run on redcoll's core, through shared memory. Nonblocking and
persistent reductions (``Iallreduce``, ``Allreduce_init`` and so on), sends, broadcasts, files,
windows and all the rest are mpi4py's own. ``TWOREAL``, ``TWODOUBLE_PRECISION`` and
``TWOINTEGER`` are the pair types that mpi4py lacks; ``import *`` leaves them out, as looking
for them takes an MPI that runs.
"""

from __future__ import annotations

import importlib
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
"""mpi4py's own module, also after :func:`install`."""

# Programs load MPI's functions from this file by ctypes, and look for mpi4py's headers next to it.
__file__ = _mpi.__file__

# What `import *` gives: what it gives of mpi4py's.
__all__ = [name for name in dir(_mpi) if not name.startswith("_")]

# COMM_WORLD and so on; SUM, MAX and so on.
globals().update(_comm.CONSTANTS)
globals().update(_ops.PREDEFINED)

# Where pickle and readers look for them.
for _class in (Comm, Intracomm, Intercomm, Topocomm, Cartcomm, Graphcomm, Distgraphcomm, Op):
    _class.__module__ = __name__
del _class

_modules.install()

# An error of the program's own ends the job, too, whether or not there has been a reduction.
shutdown.install_hook()


if config.REPORT.get() is not None:
    from redcoll.MPI import _counting

    _counting.install()


def __getattr__(name: str) -> Any:
    # The pair types need an MPI that runs, which importing need not start; mpi4py's own
    # private names are there for those who use them.
    if name in _modules.NAMES:
        return importlib.import_module(f"{__name__}.{name}")
    if name in _datatypes.FORTRAN_PAIRS:
        return _datatypes.fortran_pair(name)
    return getattr(_mpi, name)


def __dir__() -> list[str]:
    return sorted({*dir(_mpi), *_datatypes.FORTRAN_PAIRS, "install", "mpi4py_MPI"})
