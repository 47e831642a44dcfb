"""Define the settings of this API for ``redcoll.config``, without an import of the API."""

from redcoll.environment import Setting, flag, one_of

VERSION = Setting(
    "SHMEM_VERSION",
    flag,
    False,
    "0 or 1",
    "Print the library's version when SHMEM starts the library (PE 0).",
)
INFO = Setting(
    "SHMEM_INFO",
    flag,
    False,
    "0 or 1",
    "Print this table with the values in force when SHMEM starts the library (PE 0).",
)
RC_INITIALIZE = Setting(
    "SHMEM4PY_RC_INITIALIZE",
    flag,
    True,
    "0 or 1",
    "Whether importing redcoll_shmem.shmem starts the library (redcoll_shmem.rc.initialize).",
)
RC_THREADS = Setting(
    "SHMEM4PY_RC_THREADS",
    flag,
    False,
    "0 or 1",
    "Whether that start requests the thread level of the next row (redcoll_shmem.rc.threads).",
)
RC_THREAD_LEVEL = Setting(
    "SHMEM4PY_RC_THREAD_LEVEL",
    one_of("single", "funneled", "serialized", "multiple"),
    "multiple",
    "single, funneled, serialized or multiple",
    "The thread level that the start requests (redcoll_shmem.rc.thread_level).",
)
RC_FINALIZE = Setting[bool | None](
    "SHMEM4PY_RC_FINALIZE",
    flag,
    None,
    "0 or 1",
    "Whether a process that has imported redcoll_shmem.shmem waits for all others when it ends, "
    "as shmem.finalize() does. If not, it leaves, and PEs that wait for it get an error "
    "(redcoll_shmem.rc.finalize).",
)
