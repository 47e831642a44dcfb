"""Define the settings of this API. ``redcoll.config`` reads them without importing the API."""

from redcoll.environment import Setting, flag, one_of


def _switch(name: str, default: bool, meaning: str) -> Setting[bool]:
    return Setting(name, flag, default, "0 or 1", meaning)


VERSION = _switch(
    "SHMEM_VERSION",
    False,
    "With 1, PE 0 prints the library's version in the first call of shmem_init.",
)
INFO = _switch(
    "SHMEM_INFO",
    False,
    "With 1, PE 0 prints all settings and their current values in the first call of shmem_init.",
)
RC_INITIALIZE = _switch(
    "SHMEM4PY_RC_INITIALIZE",
    True,
    "With 1, importing redcoll_shmem.shmem starts SHMEM (redcoll_shmem.rc.initialize).",
)
RC_THREADS = _switch(
    "SHMEM4PY_RC_THREADS",
    False,
    "With 1, the import requests the thread level in SHMEM4PY_RC_THREAD_LEVEL "
    "(redcoll_shmem.rc.threads).",
)
RC_THREAD_LEVEL = Setting(
    "SHMEM4PY_RC_THREAD_LEVEL",
    one_of("single", "funneled", "serialized", "multiple"),
    "multiple",
    "single, funneled, serialized or multiple",
    "Set the thread level that the import requests (redcoll_shmem.rc.thread_level).",
)
RC_FINALIZE = Setting[bool | None](
    "SHMEM4PY_RC_FINALIZE",
    flag,
    None,
    "0 or 1",
    "With 1, a process that has imported redcoll_shmem.shmem waits for all others when it ends, "
    "as shmem.finalize() does. With 0, the process ends at once, and PEs that wait for it get an "
    "error (redcoll_shmem.rc.finalize).",
)
