"""Record the calls of this rank, and find their call sites.

The recorder of :mod:`redcoll.kernels` times the calls. The compiled fast path calls this recorder
itself. While a profile is on, redcoll wraps the fast paths that are written in Python.
:func:`recorded` wraps all other functions before the profile begins.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from types import CodeType, FrameType
from typing import Any, Final, TypeVar

import numpy as np

from redcoll import kernels
from redcoll._mpi4py import MPI
from redcoll.kernels.interface import About
from redcoll.profiling.log import CALL, MOST_COMPARED, MOST_KEPT, Key, Log
from redcoll.protocol import call_sites
from redcoll.team.lifecycle import record_calls

F = TypeVar("F", bound=Callable[..., Any])

CORE: Final = "redcoll"
"""The ``way`` of a call that redcoll itself makes, without MPI."""

is_on = False
"""Whether a profile is being recorded."""
_kernel: Final = kernels.recorder()
_names: dict[int, tuple[CodeType, str]] = {}
"""The code and name of each function that fast paths record. The key is the code's ``id``."""
_ours: dict[int, CodeType] = {}
"""Code objects of redcoll, by ``id``."""

note_way: Final = _kernel.note_way
"""Note the reason why MPI makes the recorded call that this thread is in."""


def recorded(function: F, name: str | None, about: About | None, way: str | None = None) -> F:
    """Return a function whose calls are recorded while a profile is on.

    :class:`redcoll.kernels._python.recorder.Recorded` documents the parameters.
    """
    found: F = _kernel.Recorded(function, name, about, way)
    functools.update_wrapper(found, function)
    return found


def record_fast_calls(functions: dict[str, Callable[..., object]]) -> None:
    """Let the fast paths record the calls of these functions."""
    for name, function in functions.items():
        _names[id(function.__code__)] = function.__code__, name


def begin(at_new_site: Callable[[], object] | None = None) -> None:
    """Record the calls of this rank from now on.

    ``at_new_site`` is called at the first call from each call site.
    """
    global is_on, _sites  # noqa: PLW0603 - one profile at a time
    _sites = _Sites(at_new_site)
    is_on = True
    record_calls(lambda team: _kernel.RecordedFastPath(team).small)


def end() -> Log:
    """Stop recording; return the log of this rank.  A second call returns the same log."""
    global is_on, _sites, _log  # noqa: PLW0603
    record_calls(None)
    is_on = False
    if _sites is not None:
        _log, _sites = _sites.end(), None
        _log.thin(max(MOST_COMPARED // MPI.COMM_WORLD.Get_size(), 1))
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


def _ranks_of(owner: object) -> tuple[int, ...]:
    """Return the members of a communicator or team as ranks in the job; () if unknown."""
    comm = getattr(owner, "comm", owner)
    if not isinstance(comm, MPI.Intracomm) or comm == MPI.COMM_NULL:
        return ()
    world = MPI.COMM_WORLD.Get_group()
    group = comm.Get_group()
    try:
        return tuple(group.Translate_ranks(list(range(group.Get_size())), world))
    finally:
        group.Free()
        world.Free()


class _Sites:
    """The call sites of a profile, by number."""

    def __init__(self, at_new_site: Callable[[], object] | None) -> None:
        self._at_new_site = at_new_site
        self._log = Log()
        self._sites: list[Key] = []
        self._numbers: dict[tuple[Any, ...], int] = {}
        self._groups: dict[int, int] = {}
        """The index of each team's or communicator's group, by the ``id`` of the object."""
        self._kept: list[object] = []
        """Objects whose ``id`` is part of a key. They stay alive here, so that no other object gets
        the same ``id``."""
        _kernel.begin(MOST_KEPT, self.find)
        self._began = _kernel.moment()

    def find(self, owner: Any, name: str | None, way: str | None) -> int:
        """Return the number of the present call site; -1 for a call that is not recorded."""
        found = _caller(sys._getframe(1))  # noqa: SLF001 - the only cheap way
        if found is None:
            return -1
        frame, entry = found
        key = id(frame.f_code), frame.f_lasti, id(entry), id(owner), name, way
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = self._new(frame, entry, owner, name, way)
            self._kept += [frame.f_code, entry, owner]
        return number

    def _new(
        self, frame: FrameType, entry: object, owner: object, name: str | None, way: str | None
    ) -> int:
        if name is None:
            if id(entry) not in _names:
                return -1
            name = _names[id(entry)][1]
        if self._at_new_site is not None:
            self._at_new_site()
        if id(owner) not in self._groups:
            self._groups[id(owner)] = self._log.new_group(_ranks_of(owner))
        site = call_sites.site_of(frame.f_code, frame.f_lasti)
        self._sites.append(Key(site, name, way or CORE, self._groups[id(owner)]))
        return len(self._sites) - 1

    def end(self) -> Log:
        """Return the log of all calls."""
        first_tick, first_ns = self._began
        tick, ns = _kernel.moment()
        records, totals, mask = _kernel.end()
        log = self._log
        per_tick = 1e-9 * (ns - first_ns) / max(tick - first_tick, 1)
        for key, (calls, n_bytes, ticks) in zip(self._sites, totals, strict=False):
            total = log.totals.setdefault(key, [0, 0, 0.0])
            total[0] += calls
            total[1] += n_bytes
            total[2] += ticks * per_tick
        keys = {key: index for index, key in enumerate(log.totals)}
        key_of_site = np.array([keys.get(key, 0) for key in self._sites], np.int64)
        table = np.frombuffer(records, np.int64).reshape(-1, 5)
        seconds = 1e-9 * first_ns + (table[:, 3:] - first_tick) * per_tick
        log.calls = np.empty(len(table), CALL)
        log.calls["key"] = key_of_site[table[:, 0]]
        log.calls["number"], log.calls["n_bytes"] = table[:, 1], table[:, 2]
        log.calls["start_s"], log.calls["stop_s"] = seconds[:, 0], seconds[:, 1]
        log.mask = mask
        return log


_sites: _Sites | None = None
_log = Log()
"""The log of the last profile."""
