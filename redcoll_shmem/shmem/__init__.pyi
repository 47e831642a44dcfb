# The package computes its list of names, which type checkers cannot follow. So this stub imports
# all names.

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
