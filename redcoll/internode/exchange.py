"""Exchange headers and vectors between node leaders, as :mod:`redcoll.internode.steps` plans it.

MPI's own collectives cannot serve here. Leaders that disagree about the count would start
collectives of different lengths, which MPI leaves undefined. Here all rounds have the same number
of messages, of any length. So no leader waits for a message that never arrives, and no message
remains for the next round.

The exception is a one-way round (:mod:`redcoll.internode.one_way`), which has fewer messages.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable
from typing import Any, Final, NoReturn

import numpy as np

from redcoll._mpi4py import MPI
from redcoll.internode.room import SHORT_BYTES, Room
from redcoll.internode.steps import Step, Steps, around
from redcoll.kernels.interface import Fold
from redcoll.kernels.thresholds import fold_bytes_across
from redcoll.liveness.progress import QUICK_POLLS, poll
from redcoll.protocol.descriptor import FAILED, ONE_WAY, Call
from redcoll.protocol.partition import LINE_BYTES as LINE
from redcoll.topology import Layout

_TAG: Final = 1
_WORD: Final = 8
_POINTER_BYTES: Final = ctypes.sizeof(ctypes.c_void_p)


def functions_of_mpi(compiled: Callable[..., Any] | None) -> Any:
    """Return functions of MPI for compiled code, as an object of the kernel's ``MPIFunctions``.

    Return None if the kernel has no such class, or if a function cannot be found.
    """
    if compiled is None:
        return None
    try:
        addresses = [_address_of(f"MPI_{name}") for name in ("Start", "Test", "Isend", "Irecv")]
    except (OSError, AttributeError):
        return None
    has_pointers = MPI._sizeof(MPI.Comm) == _POINTER_BYTES  # noqa: SLF001 - mpi4py documents it
    return compiled(addresses, MPI._addressof, has_pointers, _raise_error)  # noqa: SLF001


def _address_of(name: str) -> int:
    """Return the address of the function that mpi4py calls by this name."""
    # A tool that was preloaded defines the name in the global scope. Otherwise only mpi4py's module
    # and the libraries that it needs have the name.
    place = None if hasattr(ctypes.CDLL(None), name) else MPI.__file__
    return ctypes.cast(getattr(ctypes.CDLL(place), name), ctypes.c_void_p).value or 0


def _raise_error(code: int) -> NoReturn:
    raise MPI.Exception(code)


def _is_done() -> bool:
    return True


class Exchange:
    """A leader's side of the exchange.

    The ranks of ``comm`` are the numbers of the leaders' nodes. ``fold`` calls the kernel's fold
    without warnings of NumPy. ``turns`` is called when a wait is slow. It returns the function to
    call between polls. ``dispute`` raises the error of a round whose number it gets, if the nodes
    differ and a one-way round is involved. ``functions`` is the result of
    :func:`functions_of_mpi`. ``compiled`` is the kernel's ``CompiledExchange``, which runs the
    steps. If one of these two is None, Python runs the steps.
    """

    def __init__(
        self,
        comm: MPI.Intracomm,
        layout: Layout,
        room: Room,
        fold: Fold,
        turns: Callable[[], Callable[[], bool]],
        dispute: Callable[[int], NoReturn],
        functions: Any = None,
        compiled: Callable[..., Any] | None = None,
    ) -> None:
        self._isend, self._irecv = comm.Isend, comm.Irecv
        self._room = room
        self._words = room.words
        self._fold, self._turns, self._dispute = fold, turns, dispute
        nodes = len(layout.nodes)
        sources = around(layout.node, nodes)
        receives = [
            [
                comm.Recv_init([room.memory[start:stop], MPI.BYTE], sources[distance], _TAG)
                for distance, (start, stop) in zip(room.distances, messages, strict=True)
            ]
            for messages in room.received
        ]
        self.steps = Steps(layout, room, receives)
        self._short: list[list[Step]] = [
            [
                each._replace(send=comm.Send_init(each.message or [], each.to, _TAG))
                for each in steps
            ]
            for steps in self.steps.of_vectors([SHORT_BYTES] * nodes)
        ]
        most = fold_bytes_across(nodes, 1) + 2 * LINE * nodes
        self.vector, self.arrived = np.empty(most, np.uint8), np.empty(most, np.uint8)
        """Memory for the vector whose parts the next exchange sends, and for parts that arrive
        after the headers."""
        self.plan: Callable[..., Any] = lambda steps, call=None: (steps, call)
        """Prepares a result of :attr:`steps` for :attr:`exchange`.

        The second argument is the call whose operation the steps use; None for steps without
        folds."""
        self.exchange: Callable[..., bool] = self._exchange
        """Exchanges headers and vectors, as :meth:`_exchange` does."""
        self.compiled: Any = None
        """The compiled exchange; None if Python runs the steps."""
        self._awaited = -1
        self._completes: Callable[[MPI.Request], bool] = MPI.Request.Test
        """Returns whether a request is complete; the compiled function polls for 0.1 ms."""
        if functions is not None and compiled is not None:
            self._completes = functions.completes
            own = [start // _WORD for start in room.sent]
            self.compiled = engine = compiled(
                *(functions, comm, MPI.BYTE, room.memory, own, self.vector),
                *(_TAG, FAILED, ONE_WAY, self.finish, dispute),
            )
            self.plan, self.exchange = engine.plan, engine.exchange
            engine.short = engine.plan(self._short)

    def _exchange(
        self,
        number: int,
        word: int,
        count: int,
        extra: int,
        is_wrong: bool,
        plan: tuple[list[list[Step]], Call | None] | None = None,
        is_one_way: bool = False,
    ) -> bool:
        """Exchange headers and vectors; return whether all nodes agree.

        The caller's own vectors must be in the send buffer, or in ``vector`` if parts travel.
        ``plan`` is a result of :attr:`plan`. It is None if no node's vectors have more than
        ``SHORT_BYTES``. In a one-way round it has the messages of such a round.
        """
        words, side = self._words, number & 1
        said = [word | ONE_WAY if is_one_way else word, count, extra, number]
        own = self._room.sent[side] // _WORD
        for place, each in enumerate(said):
            words[own + place] = each
        if is_wrong:
            words[own] |= FAILED
        requests: list[MPI.Request] = []
        steps, call = plan or (self._short, None)
        for step in steps[side]:
            test = self._receive(step, requests)
            if step.pack:
                self._finish_all(requests)
            for into, source in step.pack:
                into[...] = source
            self._send(step, requests)
            self._await(test, step.source)
            # The sender has compared its header with those of other nodes. So one comparison
            # covers them.
            theirs = words[step.at : step.at + 4].tolist() if step.at >= 0 else said
            if theirs != said:
                if (theirs[0] | said[0]) & ONE_WAY or theirs[3] != number:
                    self._dispute(min(number, theirs[3]))
                is_wrong = True
                self._finish_all(requests)
                words[own] |= FAILED
            for into, source in step.unpack:
                into[...] = source
            if call is not None and not is_wrong:
                for into, operands in step.folds:
                    self._fold(call.op, operands, into)
        if is_one_way:
            self._awaited = steps[side][-1].to
        self._finish_all(requests)
        self._awaited = -1
        return not is_wrong

    def _await(self, test: Callable[[], bool], source: int) -> None:
        """Wait for the message of a step, which comes from the node ``source``."""
        for _ in QUICK_POLLS:
            # The first test may receive the message without completing the request, so test twice.
            if test() or test():
                return
            os.sched_yield()
        self._awaited = source
        self.finish(test)
        self._awaited = -1

    def _receive(self, step: Step, requests: list[MPI.Request]) -> Callable[[], bool]:
        """Start the receive of a step; return the test to pass before the next step.

        If no test must pass before the next step, append the request to ``requests``.
        """
        if step.receive is not None:
            step.receive.Start()
            return step.receive.Test
        if step.into is None:
            return _is_done
        request = self._irecv(step.into, step.to, _TAG)
        if step.waits:
            return request.Test
        requests.append(request)
        return _is_done

    def _send(self, step: Step, requests: list[MPI.Request]) -> None:
        """Start to send the message of a step, and append its request to ``requests``."""
        if step.send is not None:
            step.send.Start()
            requests.append(step.send)
        elif step.message is not None:
            requests.append(self._isend(step.message, step.to, _TAG))

    def _finish_all(self, requests: list[MPI.Request]) -> None:
        for each in requests:
            if not each.Test():
                self.finish(each.Test)
        requests.clear()

    @property
    def awaited(self) -> int:
        """The node for which the exchange waits; -1 if it waits for no single node.

        It waits for the message of this node. At the end of a one-way round, it waits until this
        node receives a message.
        """
        return self._awaited if self.compiled is None else int(self.compiled.awaited)

    def finish(self, test: Callable[[], bool]) -> None:
        """Poll until a request is complete.

        Raise ``CollectiveTimeoutError`` after ``REDCOLL_TIMEOUT``, and ``PeerLostError`` if a
        member that the request needs has exited or timed out.
        """
        poll(test, self._turns)

    def free(self) -> None:
        """Free the requests, which must not be active. Collective over the leaders."""
        for steps in self._short:
            while steps:
                # Take the requests out of the list first, so that no request is freed twice after
                # an interrupt.
                receive, send, *_ = steps.pop()
                if receive is not None:
                    receive.Free()
                if send is not None:
                    send.Free()
