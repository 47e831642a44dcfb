"""Implement message buffers, in which items are packed and unpacked in order.

A buffer is a list of runs. A run has items of the same type. A message contains the runs in order.
In a message, each run starts with two 64-bit words, the datatype and the size in bytes. The items
follow, padded to a multiple of 8 bytes.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from redcoll.arguments import Array
from redcoll.errors import ArgumentError
from redcoll_pvm import constants as pvm
from redcoll_pvm._arrays import DTYPES
from redcoll_pvm._task import PvmError

Bytes = NDArray[np.uint8]

_HEAD_BYTES = 16


class Buffer:
    """A message that is being packed, or that has arrived."""

    def __init__(self, bufid: int, encoding: int = pvm.PvmDataDefault) -> None:
        self.bufid = bufid
        self.encoding = encoding
        self.msgtag = -1
        self.source: int | None = None
        """The task that sent the message; None while the message is being packed."""
        self.runs: list[tuple[int, Array]] = []
        """Pairs of datatype and items. Each string is a run of bytes."""
        self.at = (0, 0)

    @property
    def n_bytes(self) -> int:
        """Number of bytes of all items."""
        return sum(items.nbytes for _, items in self.runs)

    # -- packing --------------------------------------------------------------------

    def pack(self, datatype: int, items: Array) -> None:
        """Append items.

        With PvmDataInPlace, numbers are copied when the message is sent. All other items are copied
        immediately.
        """
        if self.encoding != pvm.PvmDataInPlace or datatype == pvm.PVM_STR:
            items = items.copy()
        if items.size or datatype == pvm.PVM_STR:  # an empty string is an item
            self.runs.append((datatype, items))

    def encoded(self) -> Bytes:
        """Return the message as bytes."""
        pieces = []
        for datatype, items in self.runs:
            pieces.append(np.array([datatype, items.nbytes], np.int64).view(np.uint8))
            pieces.append(np.ascontiguousarray(items).view(np.uint8))
            pieces.append(np.zeros(-items.nbytes % 8, np.uint8))
        return np.concatenate(pieces) if pieces else np.empty(0, np.uint8)

    # -- unpacking ------------------------------------------------------------------

    def decode(self, body: Bytes) -> None:
        """Read the runs of a message that has arrived."""
        at = 0
        while at < len(body):
            datatype, n_bytes = body[at : at + _HEAD_BYTES].view(np.int64).tolist()
            at += _HEAD_BYTES
            self.runs.append((datatype, body[at : at + n_bytes].view(DTYPES[datatype])))
            at += n_bytes + -n_bytes % 8

    def unpack(self, datatype: int, n_items: int) -> Array:
        """Return the next items.

        Raises PvmError and unpacks nothing if there are too few items (PvmNoData), or if they have
        another type (PvmMismatch).
        """
        run, item = self.at
        parts = []
        missing = n_items
        while missing:
            if run == len(self.runs):
                raise PvmError(pvm.PvmNoData)
            kind, items = self.runs[run]
            if kind != datatype:
                raise PvmError(pvm.PvmMismatch)
            part = items[item : item + missing]
            parts.append(part)
            missing -= len(part)
            item += len(part)
            if item == len(items):
                run, item = run + 1, 0
        self.at = (run, item)
        return np.concatenate(parts) if parts else np.empty(0, DTYPES[datatype])

    def unpack_string(self) -> bytes:
        """Return the next item, which must be a string.

        Raises PvmError at the end of the message (PvmNoData), or if the next item is not a string
        (PvmMismatch).
        """
        run, item = self.at
        if run == len(self.runs):
            raise PvmError(pvm.PvmNoData)
        kind, items = self.runs[run]
        if kind != pvm.PVM_STR or item:
            raise PvmError(pvm.PvmMismatch)
        self.at = (run + 1, 0)
        return items.tobytes()


class Buffers:
    """The buffers of a task: the active buffers, and buffers that the program knows by number."""

    def __init__(self) -> None:
        self._last_id = 0
        self._known: dict[int, Buffer] = {}
        self.send: Buffer | None = None
        self.receive: Buffer | None = None

    def new(self, encoding: int = pvm.PvmDataDefault) -> Buffer:
        """Return a buffer with a new number."""
        self._last_id += 1
        buffer = Buffer(self._last_id, encoding)
        self._known[buffer.bufid] = buffer
        return buffer

    def of(self, bufid: int) -> Buffer | None:
        """Return the buffer with this number, or None."""
        return self._known.get(bufid)

    def free(self, buffer: Buffer | None) -> None:
        """Forget a buffer."""
        if buffer is not None:
            self._known.pop(buffer.bufid, None)

    def clear_receive(self) -> None:
        """Forget the active receive buffer."""
        self.free(self.receive)
        self.receive = None


def required(buffer: Buffer | None) -> Buffer:
    """Return the active send or receive buffer, or raise PvmError with PvmNoBuf."""
    if buffer is None:
        raise PvmError(pvm.PvmNoBuf)
    return buffer


buffers = Buffers()


def strided(name: str, size: int, nitem: int, stride: int) -> slice:
    """Return the slice of an array that a call packs or unpacks.

    The array has ``size`` elements. Raises PvmError (PvmBadParam) if ``nitem`` is below 0 or
    ``stride`` is below 1. Raises ArgumentError if the array is too short.
    """
    if nitem < 0 or stride < 1:
        raise PvmError(pvm.PvmBadParam)
    end = (nitem - 1) * stride + 1 if nitem else 0
    if end > size:
        raise ArgumentError(
            f"{name} has {size} elements; {nitem} items at stride {stride} take {end}"
        )
    return slice(0, end, stride)
