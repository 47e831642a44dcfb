"""Keep the log of one rank: its calls, with their start and stop times."""

from __future__ import annotations

from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from redcoll.kernels._python import recorder

MOST_KEPT: Final = 100_000
"""The largest number of calls in a rank's log. If there are more calls, the log keeps half of the
calls, then a quarter, and so on."""
MOST_COMPARED: Final = 1_000_000
"""The largest number of calls in the logs of all ranks, which rank 0 compares."""
NO_GROUP: Final = -1

CALL: Final = np.dtype([
    ("key", np.int64),
    ("number", np.int64),
    ("n_bytes", np.int64),
    ("start_s", np.float64),
    ("stop_s", np.float64),
])  # fmt: skip
"""One call in the log of a rank. ``key`` is the index of the call's key in :attr:`Log.totals`. All
ranks of the group give a call the same ``number``."""
Calls: TypeAlias = NDArray[Any]
"""An array of ``CALL``."""


class Key(NamedTuple):
    """What the calls have in common that a log adds up."""

    site: str
    call: str
    way: str
    """``redcoll``, or the reason why MPI made the calls."""
    group: int
    """The index of the group of ranks, or ``NO_GROUP`` if it is unknown."""


class Log:
    """The calls of one rank."""

    def __init__(self) -> None:
        self.rank = 0
        self.calls: Calls = np.empty(0, CALL)
        self.totals: dict[Key, list[float]] = {}
        """The sums of calls, bytes and seconds over all calls."""
        self.groups: list[tuple[tuple[int, ...], int]] = []
        """The ranks of each group, and the group's number among all groups with these ranks."""
        self.mask = 0
        """The log keeps a call if these bits are 0 in the hash of the call's number."""
        self.error_s = 0.0
        """The largest error of the times on the clock of rank 0, in seconds."""

    def new_group(self, ranks: tuple[int, ...]) -> int:
        """Add a group of ranks; return its index, or ``NO_GROUP`` if there are no ranks."""
        if not ranks:
            return NO_GROUP
        same = sum(each == ranks for each, _ in self.groups)
        self.groups.append((ranks, same))
        return len(self.groups) - 1

    def shift(self, offset_s: float) -> None:
        """Add the same number of seconds to all times."""
        self.calls["start_s"] += offset_s
        self.calls["stop_s"] += offset_s

    def thin(self, most: int) -> None:
        """Keep at most ``most`` calls, as a full recorder does."""
        while len(self.calls) > most and self.mask < recorder.LARGEST_MASK:
            self.mask = 2 * self.mask + 1
            self.calls = thinned(self.calls, self.mask)


def thinned(calls: Calls, mask: int) -> Calls:
    """Return the calls that every log with this mask keeps."""
    kept: Calls = calls[recorder.hashed(calls["number"]) & mask == 0]
    return kept
