"""Define the settings of redcoll. Each setting is an environment variable and a row in this file.

``python -m redcoll config`` and the settings page of the documentation show these rows. A row reads
the environment whenever its value is needed, so a program may set most of the variables in
``os.environ`` before the first call. Some variables must be set before an import:
``REDCOLL_SUM``, ``REDCOLL_DUMP_SIGNAL`` and ``REDCOLL_SHARED_ARRAYS`` before that of ``redcoll``,
and ``REDCOLL_REPORT`` and ``REDCOLL_PROFILE`` before that of ``redcoll.MPI`` or ``redcoll_shmem``.
The packages of the APIs define their own rows.
"""

from __future__ import annotations

import importlib.util
import os
import sys
import textwrap
import warnings
from typing import Any

from redcoll.environment import (
    KNOWN,
    Setting,
    at_least,
    checked,
    flag,
    one_of,
    parse_bytes,
    parse_symmetric_size,
)

TO_STDERR = "1"
"""The value with which a report goes to standard error."""
_MOST_AHEAD = 1024

_seconds = checked(float, lambda number: number > 0)
_power_of_two = checked(
    int, lambda number: 1 <= number <= _MOST_AHEAD and not number & (number - 1)
)


def _report(text: str) -> str | None:
    try:
        return TO_STDERR if flag(text) else None
    except KeyError:
        # A name without a dot or slash is more likely a typo than a file.
        if "." not in text and "/" not in text:
            raise
        return text


KERNEL = Setting(
    "REDCOLL_KERNEL",
    one_of("auto", "numpy", "compiled"),
    "auto",
    "numpy, compiled or auto",
    "Select the implementation of the inner loops. With auto, redcoll uses the compiled kernel if "
    "it was built. If you set this variable, redcoll prints no line on stderr about a missing "
    "compiled kernel.",
)
TIMEOUT = Setting[float | None](
    "REDCOLL_TIMEOUT",
    _seconds,
    None,
    "seconds, more than 0",
    "Limit the time that a call waits for other ranks. After this time the call raises "
    "CollectiveTimeoutError, which names the ranks that have not arrived. If unset, calls wait "
    "forever.",
)
STALL_WARN = Setting(
    "REDCOLL_STALL_WARN",
    _seconds,
    60.0,
    "seconds, more than 0",
    "Print one line on stderr if a wait takes longer than this time. The line names the ranks "
    "that have not arrived.",
)
MAX_TEAMS = Setting(
    "REDCOLL_MAX_TEAMS",
    at_least(1),
    200,
    "a whole number from 1",
    "Limit the number of teams that exist at once in a process. Each team takes a window and two "
    "communicators, and an MPI library has a limited number of communicators (MPICH: 2046).",
)
NODE_SIZE = Setting[int | None](
    "REDCOLL_NODE_SIZE",
    at_least(1),
    None,
    "a whole number from 1",
    "Simulate nodes of this many consecutive ranks on one machine.",
)
ORDER = Setting(
    "REDCOLL_ORDER",
    one_of("node", "strict", "mpi"),
    "node",
    "node, strict or mpi",
    "Select the order of a reduction over several nodes. With node, redcoll first reduces on each "
    "node and then across nodes. With strict, it reduces in rank order, which gives the same bits "
    "as on one node and takes longer. With mpi, redcoll or MPI combines the results of the nodes "
    "in any order, and may round differently.",
)
SUM = Setting(
    "REDCOLL_SUM",
    one_of("plain", "exact"),
    "plain",
    "plain or exact",
    "With exact, each SUM of float32, float64, complex64 and complex128 is an EXACT_SUM. redcoll "
    "then rounds the sum once, so the sum does not depend on the order. redcoll reads this "
    "setting when it is imported.",
)
SMALL_BYTES = Setting[int | None](
    "REDCOLL_SMALL_BYTES",
    parse_bytes,
    None,
    "bytes, suffix k or m",
    "Reduce vectors up to this size with one synchronisation, after which every rank reduces the "
    "whole vector. If unset, redcoll uses a measured size. On several nodes this size depends on "
    "the number of nodes.",
)
CHUNK_BYTES = Setting[int | None](
    "REDCOLL_CHUNK_BYTES",
    at_least(4096, parse_bytes),
    None,
    "bytes, suffix k or m, at least 4k",
    "Copy long ordinary arrays through shared buffers in chunks of this size. If unset, redcoll "
    "uses a measured size, which differs between one node and several nodes.",
)
SPIN = Setting[int | None](
    "REDCOLL_SPIN",
    checked(int, range(1 << 31).__contains__),
    None,
    "a whole number from 0 to 2147483647",
    "Set how often a waiting rank polls before other threads of its process can run. With 0, the "
    "rank also yields its core from the start of each wait. If unset, the value is 0 on several "
    "nodes and on a node with more ranks than cores. Otherwise it is a measured number.",
)
AHEAD = Setting[int | None](
    "REDCOLL_AHEAD",
    _power_of_two,
    None,
    f"a power of two, 1 to {_MOST_AHEAD}",
    "Set how many small reduces and scans a rank can begin before the slowest rank arrives at the "
    "first of them. This concerns ranks that do not need the data of the slowest rank. In a "
    "reduce, these are all ranks except the root. In a scan on one node, these are the lower "
    "ranks. With 1, every call waits for every rank, and calls that do not match raise at once. "
    "The NumPy kernel always does this. If unset, redcoll uses measured numbers: 128 on one node "
    "and 1024 on several nodes.",
)
REPORT = Setting[str | None](
    "REDCOLL_REPORT",
    _report,
    None,
    "0, 1 or a file's name with a dot or a slash in it",
    "Count the reductions of all ranks: their number, bytes and time, and the reason if MPI did a "
    "reduction. With 1, rank 0 prints the table on stderr at the end of the job. With a file's "
    "name, rank 0 writes the table to the file, in JSON if the name ends in .json.",
)
PROFILE = Setting[str | None](
    "REDCOLL_PROFILE",
    _report,
    None,
    "0, 1 or a file's name with a dot or a slash in it",
    "Record which rank is late in the reductions of all ranks. With 1, rank 0 prints the table of "
    "call sites on stderr at the end of the job. With a file's name, rank 0 writes the table to "
    "the file. If the name ends in .json, rank 0 writes a trace in Chrome's format to the file, "
    "and prints the table on stderr.",
)
DUMP_SIGNAL = Setting[str | None](
    "REDCOLL_DUMP_SIGNAL",
    one_of("usr1", "usr2"),
    None,
    "USR1 or USR2",
    "A process that gets this signal prints on stderr the stacks of its threads and its last "
    "calls of redcoll. Then the process continues. If unset, redcoll handles no signal.",
)
SHARED_ARRAYS = Setting(
    "REDCOLL_SHARED_ARRAYS",
    flag,
    False,
    "0 or 1",
    "With 1, importing redcoll calls redcoll.shared_arrays(). NumPy then allocates the large "
    "arrays of the importing thread in memory that all ranks of the node share. Reductions of "
    "these arrays need no copies.",
)
HEAP_BYTES = Setting(
    "REDCOLL_HEAP_BYTES",
    parse_symmetric_size,
    128 << 20,
    "bytes, suffix k, m, g or t, fractions allowed",
    "Set the size of each rank's symmetric heap. SHMEM_SYMMETRIC_SIZE is OpenSHMEM's name of this "
    "setting, and is used if REDCOLL_HEAP_BYTES is unset. Characters after the suffix are ignored, "
    "so 64MB is 64m. If shared memory is scarce, redcoll "
    "makes the default smaller. If a size that you set does not fit, redcoll raises an error.",
    aliases=("SHMEM_SYMMETRIC_SIZE",),
)


def settings() -> list[Setting[Any]]:
    """Return the settings of redcoll, and of the APIs that have been loaded."""
    return list(KNOWN.values())


def load_all() -> None:
    """Load the settings of all installed APIs, without importing the APIs.

    An API is a package next to ``redcoll`` whose name starts with ``redcoll_``. It declares its
    settings in its module ``_settings``, which imports only :mod:`redcoll.environment`.
    """
    from pathlib import Path  # not at the top: its import adds 4 ms to the start of each rank

    for path in sorted(Path(__file__).parents[1].glob("redcoll_*/_settings.py")):
        name = f"{path.parent.name}._settings"
        if name in sys.modules:
            continue
        spec = importlib.util.spec_from_file_location(name, path)
        if spec is not None and spec.loader is not None:
            module = sys.modules[name] = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)


def table(width: int = 100) -> str:
    """Return a text with a paragraph for each setting: name, value, origin and meaning."""
    lines = []
    for row in settings():
        problem = row.problem()
        origin = "environment" if row.is_set() else "default"
        lines.append(
            problem or f"{row.variable} = {row.show(row.get())}  ({origin}; it takes {row.takes})"
        )
        lines += textwrap.wrap(row.meaning, width, initial_indent="    ", subsequent_indent="    ")
    return "\n".join(lines)


def wrong_values() -> list[str]:
    """Return a message for each variable whose value is not valid."""
    return [text for row in settings() if (text := row.problem())]


def unknown_names() -> list[str]:
    """Return a message for each variable ``REDCOLL_*`` that is not a setting."""
    if not _unknown():
        return []
    load_all()  # a name can belong to an API that this process has not imported
    import difflib  # not at the top: most programs never need it

    messages = []
    for name in _unknown():
        near = difflib.get_close_matches(name, KNOWN, n=1)
        hint = f"; did you mean {near[0]}?" if near else ""
        messages.append(f"{name} is not a setting of redcoll{hint}")
    return messages


def _unknown() -> list[str]:
    # REDCOLL_TEST_* belongs to the test suite.
    return [
        name
        for name in sorted(os.environ)
        if name.startswith("REDCOLL_")
        and name not in KNOWN
        and not name.startswith("REDCOLL_TEST_")
    ]


def warn_unknown() -> None:
    """Warn about variables that look like settings but are not."""
    for text in unknown_names():
        # With stacklevel=1 all these warnings come from this line, so Python shows each text only
        # once.
        warnings.warn(text, stacklevel=1)
