"""Put data with a signal, a 64-bit word that the put changes after its data have arrived."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from redcoll import world
from redcoll.arguments import Array
from redcoll.errors import ArgumentError, DatatypeError
from redcoll.onesided import atomics, rma

SET = "set"
ADD = "add"


def put_signal(
    copy: Callable[[], object],
    signal: Array,
    value: int,
    op: str,
    pe: int,
    name: str = "signal",
    value_name: str = "value",
) -> None:
    """Put data, and change a signal on the same PE after the data have arrived there.

    ``copy`` checks the put's arguments, then makes the put. ``op`` is ``"set"`` or ``"add"``. The
    change of the signal is atomic with respect to other atomic operations. The first element of
    ``signal`` (``uint64``) is the signal. Raise ``ArgumentError`` for a wrong argument before
    anything is written, and ``StateError`` if the memory has been freed.
    """
    if op not in (SET, ADD):
        raise ArgumentError(f"op is {op!r}; it must be {SET!r} or {ADD!r}")
    _check(signal, name)
    atomics.check(signal, value, pe, name, value_name)
    copy()
    # Complete only the puts to ``pe``. Puts to other PEs may still be in flight.
    rma.quiet([pe])
    atomics.update(signal, op, value, pe, name)


def fetch(signal: Array, name: str = "signal") -> int:
    """Read the caller's own signal atomically; return its value.

    Raise ``ArgumentError`` if ``signal`` is not a symmetric array of ``uint64``, and ``StateError``
    if its memory has been freed.
    """
    _check(signal, name)
    return int(atomics.fetch(signal, world.start().pe, name))


def wait_until(
    signal: Array, compare: Callable[[Any, Any], bool], value: int, name: str = "signal"
) -> int:
    """Wait until ``compare(signal, value)`` holds; return the value of the signal at that time.

    Errors are those of :func:`redcoll.onesided.rma.wait_until`.
    """
    _check(signal, name)
    seen = 0

    @functools.wraps(compare)
    def remember(found: Any, wanted: Any) -> bool:
        nonlocal seen
        seen = found
        return compare(found, wanted)

    rma.wait_until(signal, remember, value, name)
    return int(seen)


def _check(signal: Any, name: str) -> None:
    dtype = getattr(signal, "dtype", None)
    if dtype != np.uint64:
        kind = f"a {type(signal).__name__}" if dtype is None else f"of {dtype}"
        raise DatatypeError(f"{name} is {kind}; it must be a symmetric array of uint64")
