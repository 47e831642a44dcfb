"""Record the calls of this rank.

The fast path of a team records its calls: in the compiled kernel, or by a function around a fast
path in Python. :mod:`redcoll.tally` times all other calls, and passes them to :func:`note`.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from types import CodeType, FrameType
from typing import Any, Final

import numpy as np

from redcoll._mpi4py import MPI
from redcoll.kernels.interface import SmallCall
from redcoll.profiling.log import MOST_KEPT, Entry, Log
from redcoll.protocol import call_sites
from redcoll.protocol.descriptor import NO_ROOT
from redcoll.team import Team, comm_state
from redcoll.team.lifecycle import record_calls

CORE: Final = "redcoll"
"""The way of a call that redcoll makes."""
_MOST_NOTED: Final = 4096

is_on = False
"""Whether a profile is being recorded."""
_log = Log()
_lock = threading.Lock()
_names: dict[int, tuple[CodeType, str]] = {}
"""Functions whose calls the fast path records, and their names, by the identity of their code."""
_ours: dict[int, CodeType] = {}
"""Code of redcoll, by identity."""
_noted: list[tuple[CodeType, int, tuple[Any, ...]]] = []
"""Calls that are not in the log yet. Entering many calls at once is faster."""


def record_fast_calls(functions: dict[str, Callable[..., object]], counting: CodeType) -> None:
    """Let the fast path record the calls of these functions.

    ``counting`` is the code of the functions that pass their calls to :func:`note`.
    """
    _sites.counting = counting
    for name, function in functions.items():
        _names[id(function.__code__)] = function.__code__, name
    if is_on:
        record_calls(_recording)


def begin() -> None:
    """Record the calls of this rank from now on."""
    global _log, is_on  # noqa: PLW0603 - one profile at a time
    _log = Log()
    _noted.clear()
    _sites.begin()
    is_on = True
    if _names:
        record_calls(_recording)


def end() -> Log:
    """Stop recording; return what was recorded."""
    global is_on  # noqa: PLW0603
    record_calls(None)
    is_on = False
    _enter_noted()
    _sites.end(_log)
    _log.rank = MPI.COMM_WORLD.Get_rank()
    return _log


def _caller(frame: FrameType | None) -> tuple[FrameType, CodeType | None] | None:
    """Return the frame of the program that called redcoll, and the code of the called function."""
    entry = None
    while frame is not None:
        code = frame.f_code
        if id(code) not in _ours:
            if not call_sites.is_ours(code):
                return frame, entry
            _ours[id(code)] = code
        entry = code
        frame = frame.f_back
    return None


def note(
    owner: object, call: str | None, way: str, n_bytes: int, start_s: float, stop_s: float
) -> None:
    """Add a call that the caller's caller made.

    Parameters
    ----------
    owner
        The team or the communicator; None if it is unknown.
    call
        The name of the call; None for the name of the function that the program called.
    """
    found = _caller(sys._getframe(2))  # noqa: SLF001 - the only cheap way
    if found is None:
        return
    frame, entry = found
    if call is None:
        _, call = _names.get(id(entry), (None, ""))
    if isinstance(owner, MPI.Intracomm) and owner:
        state = comm_state.find(owner)
        owner = owner if state is None or state.team is None else state.team
    group = _log.group_of(owner)
    number = _log.number_of(owner, group)
    noted = call, way, n_bytes, group, number, start_s, stop_s
    _noted.append((frame.f_code, frame.f_lasti, noted))
    if len(_noted) >= _MOST_NOTED:
        _enter_noted()


def _enter_noted() -> None:
    """Enter the calls of ``_noted`` into the log."""
    with _lock:
        noted, _noted[:] = _noted[:], []
        for code, instruction, call in noted:
            _log.add(Entry(_log.site_of(code, instruction), *call))


def _recording(team: Team) -> SmallCall:
    """Return the fast path of a team as a function that records its calls."""
    recorded: SmallCall | None = getattr(team.channel, "recorded", None)
    if recorded is not None:
        _sites.use_compiled()
        return recorded
    small = team.channel.small

    def timed(
        collective: int,
        target: Any,
        source: Any,
        op: Any,
        root: int = NO_ROOT,
        mark: int = 0,
    ) -> bool:
        start_s = time.monotonic()
        if not small(collective, target, source, op, root, mark):
            return False
        stop_s = time.monotonic()
        if is_on and _is_recorded(sys._getframe(1)):  # noqa: SLF001 - the only cheap way
            array = source if isinstance(source, np.ndarray) else source[0]
            note(team, None, CORE, array.nbytes, start_s, stop_s)
        return True

    return timed


def _is_recorded(frame: FrameType | None) -> bool:
    """Return whether the program called a function that :func:`record_fast_calls` got."""
    entry = None
    while frame is not None and call_sites.is_ours(frame.f_code):
        entry = frame.f_code
        if entry is _sites.counting:
            return False
        frame = frame.f_back
    return id(entry) in _names


class _Sites:
    """The call sites of the compiled kernel's record, by number."""

    def __init__(self) -> None:
        self.counting: CodeType
        self._sites: list[tuple[str, str, int]] = []
        """Site, call, and index of the group."""
        self._numbers: dict[tuple[int, int, int, int], int] = {}
        self._kept: list[object] = []
        self._kernel: Any = None
        self._began = 0, 0

    def begin(self) -> None:
        """Forget the sites of an earlier profile."""
        self._sites, self._numbers, self._kept, self._kernel = [], {}, [], None

    def use_compiled(self) -> None:
        """Begin the compiled kernel's record, unless it has begun."""
        if self._kernel is None:
            from redcoll.kernels._compiled import fastpath

            fastpath.begin_recording(MOST_KEPT, self.find, self.counting)
            self._kernel, self._began = fastpath, fastpath.moment()

    def find(self, channel: Any, serial: int) -> tuple[int, bool]:
        """Return the number of the call site in whose call a channel is."""
        frame: FrameType | None = sys._getframe(1)  # noqa: SLF001 - the only cheap way
        if not _is_recorded(frame):
            return -1, False
        found = _caller(frame)
        if found is None:
            return -1, False
        caller, entry = found
        key = id(caller.f_code), caller.f_lasti, id(entry), serial
        number = self._numbers.get(key)
        if number is None:
            site = _log.site_of(caller.f_code, caller.f_lasti)
            number = self._numbers[key] = len(self._sites)
            self._sites.append((site, _names[id(entry)][1], _log.group_of(channel.team)))
            self._kernel.new_site()
            self._kept += [caller.f_code, entry]
        return number, True

    def end(self, log: Log) -> None:
        """Add the calls to a log."""
        if self._kernel is None:
            return
        first_tick, first_ns = self._began
        tick, ns = self._kernel.moment()
        records, totals, mask = self._kernel.end_recording(len(self._sites))
        per_tick = 1e-9 * (ns - first_ns) / max(tick - first_tick, 1)
        for (site, call, group), (calls, n_bytes, ticks) in zip(self._sites, totals, strict=True):
            like = Entry(site, call, CORE, 0, group, 0, 0.0, 0.0)
            log.add_total(like, calls, n_bytes, ticks * per_tick)
        table = np.frombuffer(records, np.int64).reshape(-1, 5)
        seconds = 1e-9 * first_ns + (table[:, 3:] - first_tick) * per_tick
        for (index, number, n_bytes), times in zip(
            table[:, :3].tolist(), seconds.tolist(), strict=True
        ):
            site, call, group = self._sites[index]
            log.entries.append(Entry(site, call, CORE, n_bytes, group, number, *times))
        log.thin(mask)


_sites: Final = _Sites()
