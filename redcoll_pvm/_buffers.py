"""Message buffers: runs of items of one type, packed and unpacked in order.

On the wire a message is its runs: two 64-bit words (datatype, bytes), then the items,
padded to a multiple of 8 bytes.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from redcoll.errors import ArgumentError
from redcoll_pvm import constants as pvm
from redcoll_pvm._arrays import DTYPES
from redcoll_pvm._task import PvmError

Array = NDArray[Any]
Bytes = NDArray[np.uint8]

_HEAD_BYTES = 16


class Buffer:
    """A message that is being packed, or that has arrived."""

    def __init__(self, bufid: int, encoding: int = pvm.PvmDataDefault) -> None:
        self.bufid = bufid
        self.encoding = encoding
        self.msgtag = -1
        self.source: int | None = None
        """The task that sent it; None while it is packed here."""
        self.runs: list[tuple[int, Array]] = []
        """Datatype and items; a string is one run of bytes."""
        self._at = (0, 0)

    @property
    def n_bytes(self) -> int:
        """Bytes of all items."""
        return sum(items.nbytes for _, items in self.runs)

    # -- packing --------------------------------------------------------------------

    def pack(self, datatype: int, items: Array) -> None:
        """Append items, which are copied now or, if left in place, when sent."""
        if self.encoding != pvm.PvmDataInPlace or datatype == pvm.PVM_STR:
            items = items.copy()
        if items.size or datatype == pvm.PVM_STR:  # of no items nothing is to be unpacked
            self.runs.append((datatype, items))

    def encoded(self) -> Bytes:
        """The message as it travels."""
        pieces = []
        for datatype, items in self.runs:
            pieces.append(np.array([datatype, items.nbytes], np.int64).view(np.uint8))
            pieces.append(np.ascontiguousarray(items).view(np.uint8))
            pieces.append(np.zeros(-items.nbytes % 8, np.uint8))
        return np.concatenate(pieces) if pieces else np.empty(0, np.uint8)

    # -- unpacking ------------------------------------------------------------------

    def decode(self, body: Bytes) -> None:
        """Take the runs of a message that has arrived."""
        at = 0
        while at < len(body):
            datatype, n_bytes = body[at : at + _HEAD_BYTES].view(np.int64).tolist()
            at += _HEAD_BYTES
            self.runs.append((datatype, body[at : at + n_bytes].view(DTYPES[datatype])))
            at += n_bytes + -n_bytes % 8

    def unpack(self, datatype: int, n_items: int) -> Array:
        """The next items.

        Raises
        ------
        PvmError
            PvmNoData if there are not so many; PvmMismatch if they are of another type.
            Nothing is taken then.
        """
        run, item = self._at
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
        self._at = (run, item)
        return np.concatenate(parts) if parts else np.empty(0, DTYPES[datatype])

    def next_bytes(self) -> int:
        """Bytes of the run that comes next, 0 at the end."""
        run = self._at[0]
        return self.runs[run][1].nbytes if run < len(self.runs) else 0

    def unpack_string(self) -> bytes:
        """The next item, which must be a string.

        Raises
        ------
        PvmError
            PvmNoData at the end; PvmMismatch if it is something else.
        """
        run, item = self._at
        if run == len(self.runs):
            raise PvmError(pvm.PvmNoData)
        kind, items = self.runs[run]
        if kind != pvm.PVM_STR or item:
            raise PvmError(pvm.PvmMismatch)
        self._at = (run + 1, 0)
        return items.tobytes()


class Buffers:
    """The buffers of a task: the active ones, and those it has been told the number of."""

    def __init__(self) -> None:
        self._last_id = 0
        self._known: dict[int, Buffer] = {}
        self.send: Buffer | None = None
        self.receive: Buffer | None = None

    def new(self, encoding: int = pvm.PvmDataDefault) -> Buffer:
        """A buffer with a number of its own."""
        self._last_id += 1
        buffer = Buffer(self._last_id, encoding)
        self._known[buffer.bufid] = buffer
        return buffer

    def of(self, bufid: int) -> Buffer | None:
        """The buffer of a number, None if there is none."""
        return self._known.get(bufid)

    def free(self, buffer: Buffer | None) -> None:
        """Forget a buffer."""
        if buffer is not None:
            self._known.pop(buffer.bufid, None)

    def clear_receive(self) -> None:
        """Forget the active receive buffer."""
        self.free(self.receive)
        self.receive = None

    def require_send(self) -> Buffer:
        """The active send buffer.

        Raises
        ------
        PvmError
            There is none (PvmNoBuf).
        """
        if self.send is None:
            raise PvmError(pvm.PvmNoBuf)
        return self.send

    def require_receive(self) -> Buffer:
        """The active receive buffer.

        Raises
        ------
        PvmError
            There is none (PvmNoBuf).
        """
        if self.receive is None:
            raise PvmError(pvm.PvmNoBuf)
        return self.receive


buffers = Buffers()


def strided(name: str, size: int, nitem: int, stride: int) -> slice:
    """Which elements of an array of ``size`` a call is about.

    Raises
    ------
    PvmError
        ``nitem`` below 0 or ``stride`` below 1 (PvmBadParam).
    ArgumentError
        The array ends before.
    """
    if nitem < 0 or stride < 1:
        raise PvmError(pvm.PvmBadParam)
    end = (nitem - 1) * stride + 1 if nitem else 0
    if end > size:
        raise ArgumentError(
            f"{name} has {size} elements; {nitem} items at stride {stride} take {end}"
        )
    return slice(0, end, stride)
