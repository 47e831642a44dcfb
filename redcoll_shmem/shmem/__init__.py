"""Provide shmem4py's ``shmem`` on redcoll: ``from redcoll_shmem import shmem``.

The package has the names, signatures, defaults and exceptions of shmem4py 1.0. It needs no SHMEM
library in C. The import of this package starts redcoll, unless ``redcoll_shmem.rc.initialize`` is
False.
"""

from __future__ import annotations

from redcoll_shmem import _counting
from redcoll_shmem._rc import rc
from redcoll_shmem.shmem import (
    atomics,
    collectives,
    constants,
    contexts,
    library,
    locks,
    memory,
    rma,
    signals,
    synchronization,
    teams,
)
from redcoll_shmem.shmem.atomics import *
from redcoll_shmem.shmem.collectives import *
from redcoll_shmem.shmem.constants import *
from redcoll_shmem.shmem.contexts import *
from redcoll_shmem.shmem.library import *
from redcoll_shmem.shmem.locks import *
from redcoll_shmem.shmem.memory import *
from redcoll_shmem.shmem.rma import *
from redcoll_shmem.shmem.signals import *
from redcoll_shmem.shmem.synchronization import *
from redcoll_shmem.shmem.teams import *

__all__: list[str] = []
for _module in (
    *(atomics, collectives, constants, contexts, library, locks),
    *(memory, rma, signals, synchronization, teams),
):
    __all__ += _module.__all__
del _module

if _counting.IS_ON:
    _counting.count_all(globals(), "shmem.")

if rc.initialize:
    if rc.threads:
        library.init_thread(constants.THREAD[rc.thread_level.upper()])
    else:
        library.init()
