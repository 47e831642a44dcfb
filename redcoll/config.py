"""Every setting of redcoll, an environment variable: one row each.

The rows yield the parser, ``python -m redcoll config`` and the settings page of
the documentation. A value is read when it is asked for, so a program may set
``os.environ`` before the first call.
"""

from __future__ import annotations

import os
import textwrap
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from redcoll.errors import ConfigError

T = TypeVar("T")

_MOST_AHEAD = 1024
_SUFFIXES = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}


def parse_bytes(text: str) -> int:
    """Bytes of a size such as ``4096``, ``64k``, ``1.5m`` or ``2g`` (powers of 1024)."""
    body = text.strip().lower()
    suffix = body[-1:] if body[-1:] in _SUFFIXES else ""
    number = float(body[: len(body) - len(suffix)])
    if not 0 <= number < 1 << 62:
        raise ValueError
    return int(number * _SUFFIXES[suffix])


def format_bytes(n_bytes: int) -> str:
    """A size as :func:`parse_bytes` takes it, with the largest suffix that is exact."""
    suffix = max(
        (letter for letter, unit in _SUFFIXES.items() if n_bytes and n_bytes % unit == 0),
        key=_SUFFIXES.__getitem__,
        default="",
    )
    return f"{n_bytes // _SUFFIXES[suffix]}{suffix}"


def _seconds(text: str) -> float:
    number = float(text)
    if not number > 0:
        raise ValueError
    return number


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise ValueError
    return number


def _power_of_two(text: str) -> int:
    number = int(text)
    if not 1 <= number <= _MOST_AHEAD or number & (number - 1):
        raise ValueError
    return number


def _count(text: str) -> int:
    number = int(text)
    if number < 0:
        raise ValueError
    return number


def _bytes_from(least: int) -> Callable[[str], int]:
    def parse(text: str) -> int:
        number = parse_bytes(text)
        if number < least:
            raise ValueError
        return number

    return parse


def _flag(text: str) -> bool:
    words = {"1": True, "yes": True, "true": True, "on": True}
    words |= {"0": False, "no": False, "false": False, "off": False}
    return words[text.strip().lower()]


TO_STDERR = "1"
"""The report goes to standard error."""


def _report(text: str) -> str | None:
    try:
        return TO_STDERR if _flag(text) else None
    except KeyError:
        # A name without either is more likely a typo than a file.
        if "." not in text and "/" not in text:
            raise
        return text


def _one_of(*names: str) -> Callable[[str], str]:
    def parse(text: str) -> str:
        name = text.strip().lower()
        if name not in names:
            raise ValueError
        return name

    return parse


@dataclass(frozen=True)
class Setting(Generic[T]):
    """One environment variable."""

    name: str
    parse: Callable[[str], T]
    default: T
    takes: str
    """What a value looks like, for messages and tables."""
    meaning: str

    def get(self) -> T:
        """The value in force; an empty variable counts as unset.

        Raises
        ------
        ConfigError
            The variable is set to something that is not what it takes.
        """
        text = os.environ.get(self.name, "")
        if not text.strip():
            return self.default
        try:
            return self.parse(text)
        except (ValueError, KeyError, OverflowError):
            raise ConfigError(f"{self.name}={text!r}: it takes {self.takes}") from None

    def is_set(self) -> bool:
        """Whether the environment gives a value."""
        return bool(os.environ.get(self.name, "").strip())

    def problem(self) -> str | None:
        """What is wrong with the value that the environment gives, None if nothing."""
        try:
            self.get()
        except ConfigError as error:
            return str(error)
        return None

    def show(self, value: T) -> str:
        """A value in the words of tables."""
        if value is None:
            return "unset"
        if isinstance(value, bool):
            return str(int(value))
        if isinstance(value, int) and self.takes.startswith("bytes"):
            return format_bytes(value)
        return f"{value:g}" if isinstance(value, float) else str(value)


KERNEL = Setting(
    "REDCOLL_KERNEL",
    _one_of("auto", "numpy", "compiled"),
    "auto",
    "numpy, compiled or auto",
    "Which twin of the hot loops runs; auto takes the compiled one where it was built. "
    "Setting it also silences the line on stderr about a missing compiled kernel.",
)
TIMEOUT = Setting[float | None](
    "REDCOLL_TIMEOUT",
    _seconds,
    None,
    "seconds, more than 0",
    "How long a call waits for other PEs before it raises CollectiveTimeoutError with the "
    "names of those that have not arrived; unset means for ever.",
)
STALL_WARN = Setting(
    "REDCOLL_STALL_WARN",
    _seconds,
    60.0,
    "seconds, more than 0",
    "After this long in one wait, one line on stderr says who has not arrived.",
)
MAX_TEAMS = Setting(
    "REDCOLL_MAX_TEAMS",
    _positive,
    200,
    "a whole number from 1",
    "Teams that may live at once in a process; each takes a window and two of the "
    "communicators that MPI has (MPICH: 2046 together).",
)
MAX_GROUPS = Setting(
    "REDCOLL_MAX_GROUPS",
    _positive,
    256,
    "a whole number from 1",
    "Dynamic groups (PVM) that may live at once in the job.",
)
HANDOVER_BYTES = Setting(
    "REDCOLL_HANDOVER_BYTES",
    _bytes_from(16 << 10),
    8 << 20,
    "bytes, suffix k, m or g, at least 16k",
    "Room of each PE for contributions to others' calls on groups (PVM) that have not been taken "
    "yet; only when it is full, or a contribution larger, or 256 have not been taken, does their "
    "sender wait. The default shrinks to fit a small shared-memory file system.",
)
PVM_HOLD = Setting(
    "REDCOLL_PVM_HOLD",
    _flag,
    False,
    "0 or 1",
    "Hold every PE but 0 in its first PVM call until pvm_spawn has handed it out, as if it did "
    "not run before; PEs that nobody spawns end when PE 0 leaves.",
)
NODE_SIZE = Setting[int | None](
    "REDCOLL_NODE_SIZE",
    _positive,
    None,
    "a whole number from 1",
    "Pretend that every so many consecutive PEs are a node of their own.",
)
ORDER = Setting(
    "REDCOLL_ORDER",
    _one_of("node", "strict", "mpi"),
    "node",
    "node, strict or mpi",
    "Order of a reduction over several nodes: each node's PEs first and then the nodes; strictly "
    "one PE after the other, which gives the bits of a single node and takes longer; or the nodes "
    "of long vectors as MPI's own reduction combines them, which may round differently.",
)
SMALL_BYTES = Setting[int | None](
    "REDCOLL_SMALL_BYTES",
    parse_bytes,
    None,
    "bytes, suffix k or m",
    "Vectors up to this size go through one round in which every PE folds all of it; "
    "unset means a measured threshold, over several nodes one that depends on how many there are.",
)
CHUNK_BYTES = Setting[int | None](
    "REDCOLL_CHUNK_BYTES",
    _bytes_from(4096),
    None,
    "bytes, suffix k or m, at least 4k",
    "Size of the pieces in which large private arrays pass through a team's scratch; unset "
    "means a measured size, over several nodes another one.",
)
SPIN = Setting[int | None](
    "REDCOLL_SPIN",
    _count,
    None,
    "a whole number from 0",
    "Looks at the other PEs' posts before a waiting PE lets its other threads run. With 0 it "
    "also yields its core from the start of each wait; unset means 0 on several nodes and "
    "where a node has more PEs than cores, and the kernel's own number otherwise.",
)
AHEAD = Setting[int | None](
    "REDCOLL_AHEAD",
    _power_of_two,
    None,
    f"a power of two, 1 to {_MOST_AHEAD}",
    "So many small reduces and scans a PE may begin before the others have come to the first of "
    "them, where it does not need their vectors: all but the root of a reduce, and in a scan who "
    "comes before them. With 1 every call waits for every PE, and calls that do not match are "
    "told of at once; so it is with the NumPy kernel and on several nodes. Unset means the "
    "compiled kernel's measured number.",
)
REPORT = Setting[str | None](
    "REDCOLL_REPORT",
    _report,
    None,
    "0, 1 or a file's name with a dot or a slash in it",
    "Count the reductions of all ranks: which call, by redcoll or by MPI and why, bytes and time. "
    "At the end of the job rank 0 prints the table on stderr (1), or writes it to the file; to one "
    "that ends in .json as JSON.",
)
SYMMETRIC_SIZE = Setting(
    "SHMEM_SYMMETRIC_SIZE",
    parse_bytes,
    128 << 20,
    "bytes, suffix k, m, g or t, fractions allowed",
    "Symmetric heap of each PE. The default shrinks to fit a small shared-memory file system; "
    "a size asked for here is an error when it does not fit.",
)
SHMEM_VERSION = Setting(
    "SHMEM_VERSION",
    _flag,
    False,
    "0 or 1",
    "Print the library's version when SHMEM starts the library (PE 0).",
)
SHMEM_INFO = Setting(
    "SHMEM_INFO",
    _flag,
    False,
    "0 or 1",
    "Print this table with the values in force when SHMEM starts the library (PE 0).",
)

SHMEM4PY_INITIALIZE = Setting(
    "SHMEM4PY_RC_INITIALIZE",
    _flag,
    True,
    "0 or 1",
    "Whether importing redcoll_shmem.shmem starts the library (redcoll_shmem.rc.initialize).",
)
SHMEM4PY_THREADS = Setting(
    "SHMEM4PY_RC_THREADS",
    _flag,
    False,
    "0 or 1",
    "Whether that asks for the next row's thread level (redcoll_shmem.rc.threads).",
)
SHMEM4PY_THREAD_LEVEL = Setting(
    "SHMEM4PY_RC_THREAD_LEVEL",
    _one_of("single", "funneled", "serialized", "multiple"),
    "multiple",
    "single, funneled, serialized or multiple",
    "The thread level asked for (redcoll_shmem.rc.thread_level).",
)
SHMEM4PY_FINALIZE = Setting[bool | None](
    "SHMEM4PY_RC_FINALIZE",
    _flag,
    None,
    "0 or 1",
    "Whether a process that has imported redcoll_shmem.shmem waits for all others when it ends, "
    "as shmem.finalize() does; if not it leaves, and those that wait for it are told "
    "(redcoll_shmem.rc.finalize).",
)

SETTINGS: tuple[Setting[Any], ...] = (
    KERNEL,
    TIMEOUT,
    STALL_WARN,
    MAX_TEAMS,
    MAX_GROUPS,
    HANDOVER_BYTES,
    PVM_HOLD,
    NODE_SIZE,
    ORDER,
    SMALL_BYTES,
    CHUNK_BYTES,
    SPIN,
    AHEAD,
    REPORT,
    SYMMETRIC_SIZE,
    SHMEM_VERSION,
    SHMEM_INFO,
    SHMEM4PY_INITIALIZE,
    SHMEM4PY_THREADS,
    SHMEM4PY_THREAD_LEVEL,
    SHMEM4PY_FINALIZE,
)


def table(width: int = 100) -> str:
    """All settings, one paragraph each: name, value in force, where it comes from, meaning."""
    lines = []
    for row in SETTINGS:
        problem = row.problem()
        origin = "environment" if row.is_set() else "default"
        lines.append(
            problem or f"{row.name} = {row.show(row.get())}  ({origin}; it takes {row.takes})"
        )
        lines += textwrap.wrap(row.meaning, width, initial_indent="    ", subsequent_indent="    ")
    return "\n".join(lines)


def wrong_values() -> list[str]:
    """Which variables are set to what they do not take."""
    return [text for row in SETTINGS if (text := row.problem())]


def unknown_names() -> list[str]:
    """Which ``REDCOLL_*`` variables no row has: most often a slip of the pen."""
    known = [row.name for row in SETTINGS]
    found = []
    for name in sorted(os.environ):
        # REDCOLL_TEST_* belongs to the test suite.
        if not name.startswith("REDCOLL_") or name in known or name.startswith("REDCOLL_TEST_"):
            continue
        import difflib  # of no use where all names are right: start-up does without it

        near = difflib.get_close_matches(name, known, n=1)
        hint = f"; did you mean {near[0]}?" if near else ""
        found.append(f"{name} is not a setting of redcoll{hint}")
    return found


def warn_unknown() -> None:
    """Warn of variables that look like settings and are none."""
    for text in unknown_names():
        # Python shows a warning once for each place: this one, whatever part of redcoll starts.
        warnings.warn(text, stacklevel=1)
