"""Define the library constants (OpenSHMEM 1.5, section 6).

Constants of OpenSHMEM 1.4 also have their old names, which start with an underscore.

redcoll does not synchronize through pSync arrays. It only checks that they are initialized, and
never changes them. So one element is enough for every call. New memory contains zeros.
``SHMEM_SYNC_VALUE`` is not 0, so the checks find an array that was never initialized.
"""

from __future__ import annotations

from typing import Final

from redcoll._version import __version__

SHMEM_SYNC_VALUE: Final = -1
SHMEM_BARRIER_SYNC_SIZE: Final = 1
SHMEM_BCAST_SYNC_SIZE: Final = 1
SHMEM_COLLECT_SYNC_SIZE: Final = 1
SHMEM_REDUCE_SYNC_SIZE: Final = 1
SHMEM_ALLTOALL_SYNC_SIZE: Final = 1
SHMEM_ALLTOALLS_SYNC_SIZE: Final = 1
SHMEM_SYNC_SIZE: Final = 1
SHMEM_REDUCE_MIN_WRKDATA_SIZE: Final = 1

SHMEM_CMP_EQ: Final = 0
SHMEM_CMP_NE: Final = 1
SHMEM_CMP_GT: Final = 2
SHMEM_CMP_LE: Final = 3
SHMEM_CMP_LT: Final = 4
SHMEM_CMP_GE: Final = 5

SHMEM_THREAD_SINGLE: Final = 0
SHMEM_THREAD_FUNNELED: Final = 1
SHMEM_THREAD_SERIALIZED: Final = 2
SHMEM_THREAD_MULTIPLE: Final = 3

SHMEM_TEAM_NUM_CONTEXTS: Final = 1

SHMEM_CTX_SERIALIZED: Final = 1
SHMEM_CTX_PRIVATE: Final = 2
SHMEM_CTX_NOSTORE: Final = 4

SHMEM_CTX_SESSION_BATCH: Final = 1
SHMEM_CTX_SESSION_TOTAL_OPS: Final = 1

SHMEM_SIGNAL_SET: Final = 0
SHMEM_SIGNAL_ADD: Final = 1

SHMEM_MALLOC_ATOMICS_REMOTE: Final = 1
SHMEM_MALLOC_SIGNAL_REMOTE: Final = 2

SIZE_MAX: Final = (1 << 64) - 1
"""The value that a routine returns instead of an index if no element satisfies the comparison."""

SHMEM_MAJOR_VERSION: Final = 1
SHMEM_MINOR_VERSION: Final = 5
SHMEM_MAX_NAME_LEN: Final = 256
SHMEM_VENDOR_STRING: Final = f"redcoll {__version__}"

_SHMEM_SYNC_VALUE: Final = SHMEM_SYNC_VALUE
_SHMEM_BARRIER_SYNC_SIZE: Final = SHMEM_BARRIER_SYNC_SIZE
_SHMEM_BCAST_SYNC_SIZE: Final = SHMEM_BCAST_SYNC_SIZE
_SHMEM_COLLECT_SYNC_SIZE: Final = SHMEM_COLLECT_SYNC_SIZE
_SHMEM_REDUCE_SYNC_SIZE: Final = SHMEM_REDUCE_SYNC_SIZE
_SHMEM_REDUCE_MIN_WRKDATA_SIZE: Final = SHMEM_REDUCE_MIN_WRKDATA_SIZE
_SHMEM_CMP_EQ: Final = SHMEM_CMP_EQ
_SHMEM_CMP_NE: Final = SHMEM_CMP_NE
_SHMEM_CMP_GT: Final = SHMEM_CMP_GT
_SHMEM_CMP_LE: Final = SHMEM_CMP_LE
_SHMEM_CMP_LT: Final = SHMEM_CMP_LT
_SHMEM_CMP_GE: Final = SHMEM_CMP_GE
_SHMEM_MAJOR_VERSION: Final = SHMEM_MAJOR_VERSION
_SHMEM_MINOR_VERSION: Final = SHMEM_MINOR_VERSION
_SHMEM_MAX_NAME_LEN: Final = SHMEM_MAX_NAME_LEN
_SHMEM_VENDOR_STRING: Final = SHMEM_VENDOR_STRING

CONSTANTS: dict[str, int | str] = {
    name: value
    for name, value in globals().items()
    if name.startswith(("SHMEM_", "_SHMEM_", "SIZE_MAX"))
}
