"""Signaling operations (OpenSHMEM 1.5, section 9.11): a put that also tells that it is there.

``shmem_TYPE_put_signal`` for the types of put, ``shmem_put_signal`` for whatever type the
arrays have, ``shmem_put32_signal`` by size and ``shmem_putmem_signal`` for bytes. The
``_nbi`` forms differ as those of put do; the signal follows its data in both.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from redcoll.errors import ArgumentError, StateError
from redcoll.onesided import signals
from redcoll_shmem._arguments import constant, integer, refuse
from redcoll_shmem._routines import Routines, publish, signature
from redcoll_shmem._types import C_TYPES, RMA_TYPES
from redcoll_shmem.constants import SHMEM_SIGNAL_ADD, SHMEM_SIGNAL_SET
from redcoll_shmem.rma import SIZES, Copy, sized_copy, typed_copy
from redcoll_shmem.synchronization import comparison

Array = NDArray[Any]
Routine = Callable[..., None]

__all__ = ["shmem_signal_fetch", "shmem_signal_wait_until"]

OPERATIONS = {SHMEM_SIGNAL_SET: signals.SET, SHMEM_SIGNAL_ADD: signals.ADD}

_DOC = """Copy {what} to another PE, and then set or add to a signal there.

Parameters
----------
target : ndarray{of}
    At least ``nelems`` elements, contiguous; symmetric.
source : ndarray{of}
    At least ``nelems`` elements, contiguous.
nelems : int
    {counts} to copy. With 0 the arrays may be None; the signal is sent.
sig_addr : ndarray of uint64
    Symmetric; its first element is the signal.
signal : int
    What to set it to, or to add: 0 to ``2**64 - 1``.
sig_op : int
    ``SHMEM_SIGNAL_SET`` or ``SHMEM_SIGNAL_ADD``.
pe : int
    Number of the other PE.

Raises
------
ArgumentError
    A wrong argument (also ``DatatypeError``, ``SymmetryError``); nothing was written.
StateError
    The memory of a symmetric array has been freed.

Notes
-----
{note}
"""

_NOTE = "The source may be reused on return. Who sees the signal sees the data."
_NBI_NOTE = "``shmem_quiet`` completes it; until then the program leaves the source alone."

_SIGNATURE = signature(
    {
        "target": "Array | None",
        "source": "Array | None",
        "nelems": "int",
        "sig_addr": "Array",
        "signal": "int",
        "sig_op": "int",
        "pe": "int",
    }
)


def _routine(name: str, copy: Copy, words: dict[str, str], note: str) -> Routine:
    def routine(
        target: Any, source: Any, nelems: Any, sig_addr: Any, signal: Any, sig_op: Any, pe: Any
    ) -> None:
        try:
            signals.put_signal(
                lambda: copy(target, source, nelems, pe),
                sig_addr,
                signal,
                _operation(sig_op),
                pe,
                "sig_addr",
            )
        except (ArgumentError, StateError) as error:
            refuse(name, error)

    return publish(routine, name, _SIGNATURE, _DOC.format(**words, note=note))


def _operation(sig_op: Any) -> str:
    return constant(OPERATIONS, sig_op, "sig_op", "SHMEM_SIGNAL_SET or SHMEM_SIGNAL_ADD")


def _typed(name: str, type_name: str | None, note: str) -> Routine:
    words = {
        "what": f"{type_name} elements" if type_name else "elements",
        "of": f" of {C_TYPES[type_name]}" if type_name else "",
        "counts": "Elements",
    }
    return _routine(name, typed_copy("put", type_name), words, note)


def _sized(name: str, bits: int | None, note: str) -> Routine:
    words = {
        "what": f"elements of {bits} bits" if bits else "bytes",
        "of": "",
        "counts": "Elements" if bits else "Bytes",
    }
    return _routine(name, sized_copy("put", bits), words, note)


def _makers(suffix: str, note: str) -> dict[str, Callable[[], Routine]]:
    made: dict[str, Callable[[], Routine]] = {}
    for type_name in (*RMA_TYPES, None):
        name = f"shmem_{type_name}_put_signal" if type_name else "shmem_put_signal"
        made[name + suffix] = partial(_typed, name + suffix, type_name, note)
    for bits in (*SIZES, None):
        name = f"shmem_put{bits or 'mem'}_signal{suffix}"
        made[name] = partial(_sized, name, bits, note)
    return made


_BARE_DOC = """{what} a signal on a PE, without data.

Parameters
----------
sig_addr : ndarray of uint64
    Symmetric; its first element is the signal.
signal : int
    What to set it to, or to add: 0 to ``2**64 - 1``.
pe : int
    Number of the PE.

Raises
------
ArgumentError
    A wrong argument.
StateError
    The memory has been freed.
"""


def _bare(name: str, op: str, what: str) -> Routine:
    """``shmem_signal_set`` and ``shmem_signal_add`` (OpenSHMEM 1.6)."""

    def routine(sig_addr: Any, signal: Any, pe: Any) -> None:
        try:
            signals.put_signal(lambda: None, sig_addr, signal, op, pe, "sig_addr")
        except (ArgumentError, StateError) as error:
            refuse(name, error)

    shown = signature({"sig_addr": "Array", "signal": "int", "pe": "int"})
    return publish(routine, name, shown, _BARE_DOC.format(what=what))


ROUTINES = Routines(
    {
        **_makers("", _NOTE),
        **_makers("_nbi", _NBI_NOTE),
        "shmem_signal_set": partial(_bare, "shmem_signal_set", signals.SET, "Set"),
        "shmem_signal_add": partial(_bare, "shmem_signal_add", signals.ADD, "Add to"),
    }
)
WITH_CONTEXT = tuple(ROUTINES)


def shmem_signal_fetch(sig_addr: Array) -> int:
    """The caller's own signal, read atomically.

    Parameters
    ----------
    sig_addr : ndarray of uint64
        Symmetric; its first element is the signal.

    Raises
    ------
    ArgumentError
        It is no such array.
    StateError
        Its memory has been freed.
    """
    try:
        return signals.fetch(sig_addr, "sig_addr")
    except (ArgumentError, StateError) as error:
        refuse("shmem_signal_fetch", error)


def shmem_signal_wait_until(sig_addr: Array, cmp: int, cmp_value: int) -> int:
    """Wait until a comparison of the caller's own signal holds; the value that made it so.

    Parameters
    ----------
    sig_addr : ndarray of uint64
        Symmetric; its first element is the signal.
    cmp
        ``SHMEM_CMP_EQ``, ``_NE``, ``_GT``, ``_LE``, ``_LT`` or ``_GE``.
    cmp_value
        What to compare with.

    Raises
    ------
    ArgumentError
        A wrong argument.
    StateError
        The memory has been freed.
    PeerLostError
        All other PEs have left, or one has died.
    CollectiveTimeoutError
        ``REDCOLL_TIMEOUT`` has passed.
    """
    try:
        wanted = integer(cmp_value, "cmp_value", 0, int(np.iinfo(np.uint64).max))
        return signals.wait_until(sig_addr, comparison(cmp), wanted, "sig_addr")
    except (ArgumentError, StateError) as error:
        refuse("shmem_signal_wait_until", error)
