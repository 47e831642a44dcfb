"""Define the settings of this API for ``redcoll.config``, without an import of the API."""

from redcoll.environment import Setting, at_least, flag, parse_bytes

MAX_GROUPS = Setting(
    "REDCOLL_MAX_GROUPS",
    at_least(1),
    256,
    "a whole number from 1",
    "PVM groups that may exist at once in the job.",
)
HANDOVER_BYTES = Setting(
    "REDCOLL_HANDOVER_BYTES",
    at_least(16 << 10, parse_bytes),
    8 << 20,
    "bytes, suffix k, m or g, at least 16k",
    "Buffer of each PVM task for contributions that the root of a call has not fetched yet. A task "
    "waits only if the buffer is full, or 256 contributions are unfetched. The default shrinks to "
    "fit a small shared-memory file system.",
)
HOLD = Setting(
    "REDCOLL_PVM_HOLD",
    flag,
    False,
    "0 or 1",
    "Hold every rank but 0 in its first PVM call until pvm_spawn returns it as a task, as if it "
    "did not run before. Ranks that nobody spawns end when rank 0 leaves.",
)
