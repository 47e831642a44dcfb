"""Define the settings of this API for ``redcoll.config``, without an import of the API."""

from redcoll.environment import Setting, at_least, flag, parse_bytes

MAX_GROUPS = Setting(
    "REDCOLL_MAX_GROUPS",
    at_least(1),
    256,
    "a whole number from 1",
    "Limit the number of PVM groups that exist at once in the job.",
)
HANDOVER_BYTES = Setting(
    "REDCOLL_HANDOVER_BYTES",
    at_least(16 << 10, parse_bytes),
    8 << 20,
    "bytes, suffix k, m or g, at least 16k",
    "Set the size of each PVM task's buffer for contributions that the root of a call has not "
    "fetched yet. A task waits only if the buffer is full, or if 256 contributions are unfetched. "
    "If shared memory is scarce, redcoll makes the default smaller.",
)
HOLD = Setting(
    "REDCOLL_PVM_HOLD",
    flag,
    False,
    "0 or 1",
    "With 1, every rank except rank 0 waits in its first PVM call until pvm_spawn returns its "
    "task id. Ranks that nobody spawns end when rank 0 leaves.",
)
