"""Define puts that set a signal after their data (OpenSHMEM 1.5, section 9.11).

``shmem_TYPE_put_signal`` exists for each type that has a ``shmem_TYPE_put``. ``shmem_put_signal``
takes arrays of any type, ``shmem_put32_signal`` takes elements of 32 bits, and
``shmem_putmem_signal`` counts bytes. The copy of a ``_nbi`` form is complete only after
``shmem_quiet``. In all forms the signal arrives after the data.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from redcoll.arguments import Array
from redcoll.errors import ArgumentError, StateError
from redcoll.onesided import signals
from redcoll_shmem._arguments import constant, integer, refuse
from redcoll_shmem._docs import one_sided_errors
from redcoll_shmem._routines import LazyRoutines, Routine, finish_routine
from redcoll_shmem._types import array_of, dtype_of
from redcoll_shmem.constants import SHMEM_SIGNAL_ADD, SHMEM_SIGNAL_SET
from redcoll_shmem.rma import ELEMENTS, Elements
from redcoll_shmem.synchronization import comparison

__all__ = ["shmem_signal_fetch", "shmem_signal_wait_until"]

OPERATIONS = {SHMEM_SIGNAL_SET: signals.SET, SHMEM_SIGNAL_ADD: signals.ADD}

_SIGNAL_DOC = """sig_addr : ndarray of uint64
    Symmetric array, whose first element is the signal.
signal : int
    The new value of the signal, or the value to add, from 0 to ``2**64 - 1``.
"""

_DOC = """Copy {what} to another PE, and then change a signal there.

Parameters
----------
target : ndarray{of}
    Contiguous symmetric array of at least ``nelems`` elements.
source : ndarray{of}
    Contiguous array of at least ``nelems`` elements.
nelems : int
    Number of {counts} to copy. With 0 the arrays can be None, and the signal is still sent.
{signal}sig_op : int
    ``SHMEM_SIGNAL_SET`` or ``SHMEM_SIGNAL_ADD``.
pe : int
    Number of the other PE.
{raises}
Notes
-----
{note}
"""

_NOTE = "The program can change the source after the call. A PE that reads the new signal can\n\
also read the data."
_NBI_NOTE = "The copy is complete after ``shmem_quiet``. Do not change the source before that call."

_SIGNALS = NDArray[np.uint64]


def _routine(name: str, elements: Elements) -> Routine:
    copy = elements.copy("put")

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
                "signal",
            )
        except (ArgumentError, StateError) as error:
            refuse(name, error)

    parameters = {
        **dict.fromkeys(("target", "source"), array_of(dtype_of(elements.type_name)) | None),
        "nelems": int,
        "sig_addr": _SIGNALS,
        **dict.fromkeys(("signal", "sig_op", "pe"), int),
    }
    note = _NBI_NOTE if name.endswith("_nbi") else _NOTE
    raises = one_sided_errors(", and nothing was written")
    doc = _DOC.format(**elements.words(), signal=_SIGNAL_DOC, raises=raises, note=note)
    return finish_routine(routine, name, parameters, None, doc)


def _operation(sig_op: Any) -> str:
    return constant(OPERATIONS, sig_op, "sig_op", "SHMEM_SIGNAL_SET or SHMEM_SIGNAL_ADD")


_BARE_DOC = """{what} a signal on a PE, without data.

Parameters
----------
{signal}pe : int
    Number of the PE.
{raises}"""


def _bare(name: str, op: str, what: str) -> Routine:
    """Make ``shmem_signal_set`` or ``shmem_signal_add`` (OpenSHMEM 1.6)."""

    def routine(sig_addr: Any, signal: Any, pe: Any) -> None:
        try:
            signals.put_signal(lambda: None, sig_addr, signal, op, pe, "sig_addr", "signal")
        except (ArgumentError, StateError) as error:
            refuse(name, error)

    parameters = {"sig_addr": _SIGNALS, "signal": int, "pe": int}
    doc = _BARE_DOC.format(what=what, signal=_SIGNAL_DOC, raises=one_sided_errors())
    return finish_routine(routine, name, parameters, None, doc)


ROUTINES = LazyRoutines(
    {
        **{
            name: partial(_routine, name, elements)
            for suffix in ("_signal", "_signal_nbi")
            for elements in ELEMENTS
            for name in (elements.name("put", suffix),)
        },
        "shmem_signal_set": partial(_bare, "shmem_signal_set", signals.SET, "Set"),
        "shmem_signal_add": partial(_bare, "shmem_signal_add", signals.ADD, "Add to"),
    }
)
WITH_CONTEXT = tuple(ROUTINES)


def shmem_signal_fetch(sig_addr: Array) -> int:
    """Read the calling PE's own signal atomically, and return its value.

    Parameters
    ----------
    sig_addr : ndarray of uint64
        Symmetric array, whose first element is the signal.

    Raises
    ------
    ArgumentError
        ``sig_addr`` is not a symmetric array of ``uint64``.
    StateError
        The memory of ``sig_addr`` has been freed.
    """
    try:
        return signals.fetch(sig_addr, "sig_addr")
    except (ArgumentError, StateError) as error:
        refuse("shmem_signal_fetch", error)


def shmem_signal_wait_until(sig_addr: Array, cmp: int, cmp_value: int) -> int:
    """Wait until the calling PE's own signal satisfies a comparison; return the signal's value.

    Parameters
    ----------
    sig_addr : ndarray of uint64
        Symmetric array, whose first element is the signal.
    cmp
        ``SHMEM_CMP_EQ``, ``_NE``, ``_GT``, ``_LE``, ``_LT`` or ``_GE``.
    cmp_value
        The value to compare the signal with.

    Raises
    ------
    ArgumentError
        An argument is wrong.
    StateError
        The memory has been freed.
    PeerLostError
        All other PEs have exited, or a PE has died.
    CollectiveTimeoutError
        ``REDCOLL_TIMEOUT`` has passed.
    """
    try:
        wanted = integer(cmp_value, "cmp_value", 0, int(np.iinfo(np.uint64).max))
        return signals.wait_until(sig_addr, comparison(cmp).holds, wanted, "sig_addr")
    except (ArgumentError, StateError) as error:
        refuse("shmem_signal_wait_until", error)
