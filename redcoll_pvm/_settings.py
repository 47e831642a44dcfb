"""Define the settings of this API for ``redcoll.config``. The module imports nothing else."""

from redcoll import config

MAX_GROUPS = config.Setting(
    "REDCOLL_MAX_GROUPS",
    config.positive,
    256,
    "a whole number from 1",
    "PVM groups that may exist at once in the job.",
)
HANDOVER_BYTES = config.Setting(
    "REDCOLL_HANDOVER_BYTES",
    config.bytes_from(16 << 10),
    8 << 20,
    "bytes, suffix k, m or g, at least 16k",
    "Buffer of each PVM task for contributions that the root of a call has not fetched yet. A task "
    "waits only if the buffer is full, or 256 contributions are unfetched. The default shrinks to "
    "fit a small shared-memory file system.",
)
HOLD = config.Setting(
    "REDCOLL_PVM_HOLD",
    config.flag,
    False,
    "0 or 1",
    "Hold every rank but 0 in its first PVM call until pvm_spawn returns it as a task, as if it "
    "did not run before. Ranks that nobody spawns end when rank 0 leaves.",
)

config.register(MAX_GROUPS, HANDOVER_BYTES, HOLD)
