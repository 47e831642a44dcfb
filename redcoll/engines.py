"""Bytes from node to node: what an engine does, and the one that sends MPI's messages.

:mod:`redcoll.mailboxes` is the other one; ``REDCOLL_INTERNODE`` says which it is to be.
"""

from __future__ import annotations

from typing import Any, Final, Protocol

from redcoll._mpi4py import MPI

PROBED: Final = 0
"""Tag of messages that engines may exchange while they are made; later they only probe for it."""


class Request(Protocol):
    """A message under way."""

    def Test(self) -> bool:
        """Whether the message needs this PE no more, and its memory may be used again."""

    def Cancel(self) -> None:
        """Give the message up, before the engine is closed, if it has not begun to move."""


class Prepared(Protocol):
    """A message that is sent or received as often as wanted, with the same memory."""

    def Start(self) -> None:
        """Send or receive it once more; the time before must be over."""

    def Test(self) -> bool:
        """Whether the message needs this PE no more; true also before the first time."""

    def Cancel(self) -> None:
        """As that of a message, of the last one."""

    def Free(self) -> None:
        """Not to be used again."""


class Engine(Protocol):
    """Moves messages. Those of one PE to another with one tag arrive in the order of the calls."""

    def send(self, data: Any, rank: int, tag: int) -> Request:
        """Send the bytes of a contiguous buffer, which stay as they are until that is over."""

    def receive(self, into: Any, rank: int, tag: int) -> Request:
        """Receive the next message, of at most the bytes of a contiguous buffer, into it."""

    def prepare_send(self, data: Any, rank: int, tag: int) -> Prepared:
        """As :meth:`send`, each time that it is started."""

    def prepare_receive(self, into: Any, rank: int, tag: int) -> Prepared:
        """As :meth:`receive`, each time that it is started."""

    def progress(self) -> None:
        """Let all messages move that can; to be called in waits for anything else."""

    def free(self) -> None:
        """Close in order: collective, when all messages have arrived."""

    def abandon(self) -> None:
        """Close after a failure, without waiting: what is under way keeps its memory."""


class Messages:
    """The engine that sends MPI's messages.

    Parameters
    ----------
    comm
        Its members exchange messages; tags are MPI's.
    """

    def __init__(self, comm: MPI.Intracomm) -> None:
        self._comm = comm

    def send(self, data: Any, rank: int, tag: int) -> Request:
        """See :meth:`Engine.send`."""
        return self._comm.Isend([data, MPI.BYTE], rank, tag)

    def receive(self, into: Any, rank: int, tag: int) -> Request:
        """See :meth:`Engine.receive`."""
        return self._comm.Irecv([into, MPI.BYTE], rank, tag)

    def prepare_send(self, data: Any, rank: int, tag: int) -> Prepared:
        """See :meth:`Engine.prepare_send`."""
        return self._comm.Send_init([data, MPI.BYTE], rank, tag)

    def prepare_receive(self, into: Any, rank: int, tag: int) -> Prepared:
        """See :meth:`Engine.prepare_receive`."""
        return self._comm.Recv_init([into, MPI.BYTE], rank, tag)

    def progress(self) -> None:
        """See :meth:`Engine.progress`."""
        self._comm.Iprobe(MPI.ANY_SOURCE, PROBED)

    def free(self) -> None:
        """Nothing is left to do."""

    def abandon(self) -> None:
        """Nothing can be done: MPI keeps what has not been received."""
