"""Give ``with`` blocks of a program deadlines, which end the waits inside the blocks."""

from __future__ import annotations

import contextlib
import numbers
import time
from array import array
from collections.abc import Iterator, Sequence
from contextvars import ContextVar
from typing import Final, NamedTuple

from redcoll.arguments import shown
from redcoll.errors import ArgumentError, DatatypeError

TEXT_WORDS: Final = 5
"""Number of 64-bit words of shared memory for a short text."""
_MOST_BYTES: Final = 8 * TEXT_WORDS


class Deadline(NamedTuple):
    """The deadline of one block."""

    ends_s: float
    """The time on the monotonic clock."""
    text: str
    """Name and length of the block, such as ``'checkpoint' of 30 s``."""
    short: str
    """The same text with a shortened name, so that it fits into ``TEXT_WORDS`` words of memory."""


_nearest: ContextVar[Deadline | None] = ContextVar("redcoll.timeout", default=None)
"""The earliest deadline of the blocks that are open. Each thread has its own value."""


def nearest() -> Deadline | None:
    """Return the earliest deadline of the blocks that the calling thread is in, if any."""
    return _nearest.get()


def timeout(seconds: float | None, name: str = "") -> contextlib._GeneratorContextManager[None]:
    """Give a block of the program a deadline, which ends every wait of redcoll in the block.

    The deadline is ``seconds`` after the block begins, however many calls the block makes. It holds
    for the calling thread, and for all APIs of redcoll. A wait beyond the deadline raises
    ``CollectiveTimeoutError``, and the team of the call cannot be used any more. Each rank has its
    own blocks, and other ranks need no block.

    In nested blocks the earliest deadline counts, and ``REDCOLL_TIMEOUT`` still limits each wait.
    So an inner block can shorten the time that an outer block allows, but cannot extend it.

    The deadline does not interrupt computations or waits inside MPI. It also has no effect on calls
    that close a team or free a communicator.

    Parameters
    ----------
    seconds
        A number that is at least 0. With None the block has no deadline of its own.
    name
        A name for the block in error messages, such as the name of a step.

    Returns
    -------
    ~contextlib.AbstractContextManager
        A context manager. As a decorator, it gives each call of a function a deadline.

    Raises
    ------
    ArgumentError
        ``seconds`` is negative or NaN.
    DatatypeError
        ``seconds`` is not a number, or ``name`` is not a string.

    Examples
    --------
    >>> import numpy as np
    >>> import redcoll
    >>> total = np.zeros(1)
    >>> with redcoll.timeout(30, "checkpoint"):
    ...     redcoll.allreduce(total, np.ones(1))
    >>> int(total[0]) == redcoll.n_pes()
    True
    """
    if not isinstance(name, str):
        raise DatatypeError(f"timeout: name is {shown(name)}; it must be a string")
    return _until(None if seconds is None else _number(seconds), name)


def _number(seconds: object) -> float:
    if not isinstance(seconds, bool) and isinstance(seconds, numbers.Real):
        length_s = float(seconds)
        if length_s >= 0:
            return length_s
        raise ArgumentError(f"timeout: seconds is {length_s:g}; it must be at least 0")
    raise DatatypeError(
        f"timeout: seconds is {shown(seconds)}; it must be a number of seconds or None"
    )


@contextlib.contextmanager
def _until(seconds: float | None, name: str) -> Iterator[None]:
    outer = _nearest.get()
    inner = outer
    if seconds is not None:
        ends_s = time.monotonic() + seconds
        if outer is None or ends_s < outer.ends_s:
            length = f"of {seconds:g} s"
            text = f"{name!r} {length}" if name else length
            inner = Deadline(ends_s, text, _short(name, length))
    with only(inner):
        yield


@contextlib.contextmanager
def only(deadline: Deadline | None) -> Iterator[None]:
    """Let a block have only this deadline, or none."""
    outer = _nearest.get()
    # Do not reset the variable by a token, because a generator may leave the block in another
    # context.
    _nearest.set(deadline)
    try:
        yield
    finally:
        _nearest.set(outer)


def _short(name: str, length: str) -> str:
    data, most = repr(name)[1:-1].encode(errors="replace"), _MOST_BYTES - len(f"'' {length}")
    if len(data) > most:
        data = data[: most - 3] + b"..."
    return f"'{data.decode(errors='ignore')}' {length}" if name else length


def to_words(short: str) -> list[int]:
    """Return a short text as ``TEXT_WORDS`` words of shared memory."""
    data = short.encode()[:_MOST_BYTES].ljust(_MOST_BYTES, b"\0")
    return memoryview(data).cast("q").tolist()


def from_words(words: Sequence[int]) -> str:
    """Return the short text in these words."""
    return array("q", words).tobytes().rstrip(b"\0").decode(errors="ignore")
