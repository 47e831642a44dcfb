"""Record the calls of this rank for a profile, as the compiled module of the same name does.

The compiled recorder serves both kernels. redcoll uses this module only if the compiled kernel was
not built. This recorder takes about 2 µs per call.
"""

from __future__ import annotations

import threading
import time
from array import array
from collections.abc import Callable
from types import MethodType
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from redcoll.errors import DelegatedError
from redcoll.kernels.interface import About

FindSite: TypeAlias = Callable[[Any, str | None, str | None], int]

_WORDS: Final = 5
"""The words of a record: call site, number, bytes, and the ticks of start and stop."""
LARGEST_MASK: Final = 0xFFFFFF
_FACTOR: Final = 0x9E3779B97F4A7C15

is_on = False
_most = 0
_mask = 0
_find_site: FindSite
_records = array("q")
_totals: list[list[int]] = []
_counts: dict[int, int] = {}
_of_thread = threading.local()


def begin(most: int, find_site: FindSite) -> None:
    """Begin a profile that keeps up to ``most`` calls.

    ``find_site`` gets the owner of a call, the call's name, and its way (see :func:`note_way`). The
    owner is a team or communicator, and name and way can be None. ``find_site`` returns the number
    of the call site, or -1 for calls that are not recorded. It must keep the owner and the code of
    the call site alive.
    """
    global is_on, _most, _mask, _find_site
    _most, _mask, _find_site, is_on = most, 0, find_site, True
    _counts.clear()
    _totals.clear()
    del _records[:]


def end() -> tuple[bytes, list[tuple[int, int, int]], int]:
    """End the profile.

    Returns
    -------
    records
        Five 64-bit words for each call: call site, number, bytes, start tick and stop tick.
    totals
        For each call site the number of its calls, and the sums of their bytes and ticks.
    mask
        A call was kept if these bits in the hash of its number are 0.
    """
    global is_on  # noqa: PLW0603
    is_on = False
    totals = [(calls, n_bytes, ticks) for calls, n_bytes, ticks in _totals]
    return _records.tobytes(), totals, _mask


def moment() -> tuple[int, int]:
    """Return the processor's tick and the monotonic clock's nanosecond at one moment."""
    now_ns = time.monotonic_ns()
    return now_ns, now_ns


def note_way(way: str) -> None:
    """Set the way of the recorded call that runs in this thread.

    The way of a call is the reason why MPI makes the call.
    """
    _of_thread.way = way


def hashed(numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the hashes of the numbers of calls.

    The hash decides which calls a full record keeps. The number itself would be a bad choice: if a
    rank is late in every tenth call, the record might keep only late calls.
    """
    products = numbers.astype(np.uint64) * np.uint64(_FACTOR)
    return (products >> np.uint64(40)).astype(np.int64)


def _add(owner: object, name: str | None, number: int, n_bytes: int, start: int, stop: int) -> None:
    global _mask  # noqa: PLW0603
    site = _find_site(owner, name, getattr(_of_thread, "way", None))
    if site < 0:
        return
    while site >= len(_totals):
        _totals.append([0, 0, 0])
    total = _totals[site]
    total[0] += 1
    total[1] += n_bytes
    total[2] += stop - start
    if number * _FACTOR >> 40 & _mask:  # the rule of `hashed`, which takes longer for one number
        return
    _records.extend((site, number, n_bytes, start, stop))
    while len(_records) > _WORDS * _most and _mask < LARGEST_MASK:
        _mask = 2 * _mask + 1
        rows = np.array(_records).reshape(-1, _WORDS)
        kept = rows[hashed(rows[:, 1]) & _mask == 0]
        _records[:] = array("q", kept.tobytes())


class RecordedFastPath:
    """Wraps the fast path of a channel, and records its calls."""

    def __init__(self, team: Any) -> None:
        self._team = team
        self._channel = team.channel
        self._small = team.channel.small

    def small(
        self, collective: int, target: Any, source: Any, op: Any, root: int = -1, mark: int = 0
    ) -> bool:
        """Make a small reduction, or return False and do nothing."""
        start = time.monotonic_ns()
        if not self._small(collective, target, source, op, root, mark):
            return False
        stop = time.monotonic_ns()
        if is_on and not getattr(_of_thread, "is_inside", False):
            values = source if isinstance(source, np.ndarray) else source[0]
            _add(self._team, None, self._channel.sequence, values.nbytes, start, stop)
        return True


class Recorded:
    """Wraps a function, and records each call of it. Calls inside the function are not recorded.

    Parameters
    ----------
    name
        The name of the call. None stands for the name of the function that the program called.
    about
        A function that gets the call's arguments after the call. It returns the team or
        communicator (None if unknown), and the number of bytes that this rank contributes.
        None stands for functions whose first argument is the team. Their source is the last array
        in the next three arguments.
    way
        The reason why MPI always makes the call. None means that redcoll makes the call, unless
        :func:`note_way` is called during the call.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        name: str | None,
        about: About | None,
        way: str | None = None,
    ) -> None:
        self._function = function
        self._name = name
        self._about = about
        self._way = way

    def __get__(self, instance: object, owner: type) -> Any:
        """Return the function as a method of an instance."""
        return self if instance is None else MethodType(self, instance)

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        """Call the function."""
        if not is_on or getattr(_of_thread, "is_inside", False):
            return self._function(*arguments, **options)
        _of_thread.is_inside = True
        _of_thread.way = self._way
        is_made = True
        start = time.monotonic_ns()
        try:
            return self._function(*arguments, **options)
        except DelegatedError:
            is_made = False  # the call is recorded later, when MPI makes it
            raise
        finally:
            stop = time.monotonic_ns()
            _of_thread.is_inside = False
            try:
                if self._about is None:
                    owner, n_bytes = arguments[0], _bytes_of_source(arguments)
                else:
                    owner, n_bytes = self._about(*arguments, **options)
            except Exception:  # noqa: BLE001 - a wrong argument, which the call has refused
                owner, n_bytes = None, 0
            if is_made and is_on:
                _add(owner, self._name, _number_of(owner), n_bytes, start, stop)
            _of_thread.way = None


def _bytes_of_source(arguments: tuple[Any, ...]) -> int:
    """Return the bytes of the last array in ``arguments[1:4]``."""
    arrays = [each for each in arguments[1:4] if isinstance(each, np.ndarray)]
    return arrays[-1].nbytes


def _number_of(owner: Any) -> int:
    """Return the number of the call that has just ended. It is the same on all ranks."""
    try:
        number: int = owner.channel.sequence
    except Exception:  # noqa: BLE001 - the owner is not a team, or a closed team
        number = _counts[id(owner)] = _counts.get(id(owner), 0) - 1
    return number
