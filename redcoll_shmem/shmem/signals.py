"""Define signals, and puts that change a signal after the put's data have arrived.

A signal is a symmetric array of one unsigned word of 64 bits. A PE can change the signal of any PE
by ``put_signal``. Each PE can read its own signal, and wait for a value of this signal.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from redcoll import arrays
from redcoll.arguments import Array
from redcoll.errors import ArgumentError, StateError
from redcoll.onesided import rma
from redcoll.onesided import signals as core
from redcoll_shmem._arguments import constant, refuse
from redcoll_shmem.shmem._checks import one_element
from redcoll_shmem.shmem.constants import CMP, SIGNAL
from redcoll_shmem.shmem.contexts import Ctx, pe_of
from redcoll_shmem.shmem.memory import free
from redcoll_shmem.shmem.rma import checked_copy
from redcoll_shmem.shmem.synchronization import comparing
from redcoll_shmem.signals import OPERATIONS

__all__ = [
    "del_signal",
    "new_signal",
    "put_signal",
    "put_signal_nbi",
    "signal_fetch",
    "signal_wait_until",
]


def new_signal() -> Array:
    """Allocate a signal with the value 0.  Collective over all PEs.

    Returns
    -------
    ndarray of uint64
        A symmetric array, whose element ``signal[0]`` is the value. The program can store to this
        element only while no other PE changes the signal.
    """
    return arrays.zeros(1, np.uint64)


def del_signal(signal: Array) -> None:
    """Free a signal, as ``free`` does.  Collective over all PEs."""
    free(signal)


def signal_fetch(signal: Array) -> int:
    """Return the value of the calling PE's own signal."""
    try:
        one_element(signal, "signal")
        return core.fetch(signal)
    except (ArgumentError, StateError) as error:
        refuse("signal_fetch", error)


def signal_wait_until(signal: Array, cmp: CMP, value: int) -> int:
    """Wait until the calling PE's own signal satisfies a comparison; return the signal's value.

    On return, the data of the put that set the signal have arrived. Errors are those of
    ``wait_until``.
    """
    try:
        compare, wanted = comparing(signal, cmp, value, "signal")
        return core.wait_until(signal, compare, wanted)
    except (ArgumentError, StateError) as error:
        refuse("signal_wait_until", error)


def put_signal(
    target: Array,
    source: Array,
    pe: int,
    signal: Array,
    value: int,
    sigop: SIGNAL,
    size: int | None = None,
    ctx: Ctx | None = None,
) -> None:
    """Copy ``source`` into ``target`` on a PE, then change a signal there.

    A PE that reads the new signal can also read the data.

    Parameters
    ----------
    target, source, pe, size, ctx
        The arguments of ``put``.
    signal
        The result of :func:`new_signal`.
    value
        The new value of the signal, or the value to add, from 0 to 2**64 - 1.
    sigop
        A member of ``SIGNAL``.
    """
    _put_signal("put_signal", target, source, pe, signal, value, sigop, size, ctx)


def put_signal_nbi(
    target: Array,
    source: Array,
    pe: int,
    signal: Array,
    value: int,
    sigop: SIGNAL,
    size: int | None = None,
    ctx: Ctx | None = None,
) -> None:
    """Copy, and change the signal, as :func:`put_signal` does."""
    _put_signal("put_signal_nbi", target, source, pe, signal, value, sigop, size, ctx)


def _put_signal(
    routine: str,
    target: Array,
    source: Array,
    pe: int,
    signal: Array,
    value: int,
    sigop: SIGNAL,
    size: int | None,
    ctx: Ctx | None,
) -> None:
    copy = partial(checked_copy, rma.put, target, source, pe, size, ctx)
    try:
        one_element(signal, "signal")
        core.put_signal(
            copy,
            signal,
            value,
            constant(OPERATIONS, sigop, "sigop", "SIGNAL_SET or SIGNAL_ADD"),
            pe_of(pe, ctx),
        )
    except (ArgumentError, StateError) as error:
        refuse(routine, error)
