"""What all algorithms are made of: rounds, folds and copies on a node, messages between nodes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from redcoll.errors import ArgumentError
from redcoll.model.parameters import Parameters


@dataclass(frozen=True)
class Layout:
    """How many PEs stand where."""

    nodes: int
    most: int
    """PEs of the node that has most; it sets the pace."""
    least: int
    """PEs of the node that has fewest: as many slices can be exchanged in parallel."""

    @classmethod
    def of(cls, pes: Sequence[int]) -> Layout:
        """The layout with so many PEs on each node.

        Raises
        ------
        ArgumentError
            There is no node, or one without PEs.
        """
        if not pes or min(pes) < 1:
            raise ArgumentError(f"PEs of the nodes {list(pes)}: each node has at least 1")
        return cls(len(pes), max(pes), min(pes))

    @classmethod
    def even(cls, nodes: int, ppn: int) -> Layout:
        """The layout with as many PEs on each node.

        Raises
        ------
        ArgumentError
            There is no node, or no PE.
        """
        if nodes < 1 or ppn < 1:
            raise ArgumentError(f"{nodes} nodes of {ppn} PEs: at least 1 of each is wanted")
        return cls(nodes, ppn, ppn)


@dataclass(frozen=True)
class Machine:
    """A machine with PEs on it.  All times in seconds."""

    parameters: Parameters
    layout: Layout

    def _share(self, busy: int, rate: float, traffic: float) -> float:
        """How many times longer work takes when so many PEs of a node do it at once.

        They share the cores, and the memory: ``traffic`` bytes for each byte of work.
        """
        return max(
            1,
            busy / self.parameters.cores,
            busy * rate * traffic / self.parameters.memory_rate,
        )

    def fold_s(self, n_bytes: float, busy: int) -> float:
        """So many bytes folded onto others, by each of ``busy`` PEs of a node at once."""
        rate = self.parameters.fold_rate
        return n_bytes / rate * self._share(busy, rate, 1)

    def copy_s(self, n_bytes: float, busy: int) -> float:
        """So many bytes copied, by each of ``busy`` PEs of a node at once."""
        rate = self.parameters.copy_rate
        return n_bytes / rate * self._share(busy, rate, 2)

    def _switches(self) -> float:
        """How often a core goes on to another PE until it has been with all of its own."""
        return max(0.0, self.layout.most / self.parameters.cores - 1)

    def switching_s(self) -> float:
        """What waiting costs in addition where a node has more PEs than cores."""
        return self.parameters.switch_s * self._switches()

    def round_s(self) -> float:
        """A round of the PEs of a node; nothing if it has but one."""
        pes = self.layout.most
        if pes == 1:
            return 0.0
        return self.parameters.post_s + (pes - 2) * self.parameters.look_s + self.switching_s()

    def local_s(self, n_bytes: float) -> float:
        """A message between PEs of a node, while all of them send one: copied in and out."""
        return (
            self.parameters.local_s
            + self.switching_s()
            + 2 * self.copy_s(n_bytes, self.layout.most)
        )

    def exchange_s(self, messages: int, n_bytes: float, senders: int) -> float:
        """Messages between nodes, sent and received at once by some PEs of each node.

        Parameters
        ----------
        messages
            So many are sent by each of these PEs, and as many received.
        n_bytes
            In each message.
        senders
            PEs of each node that do so at the same time, over one link.
        """
        if messages == 0:
            return 0.0
        busy_s = 2 * self.parameters.overhead_s * max(1, senders / self.parameters.cores)
        transfer_s = n_bytes / self.parameters.link_rate
        # The first message takes the latency, which has two overheads in it. The others keep the
        # PE or the link busy, whichever takes longer, and the last one still has to get through.
        queue_s = max((messages - 1) * busy_s, (senders * messages - 1) * transfer_s)
        switching_s = self.parameters.switch_across_s * self._switches()
        return self.parameters.latency_s + queue_s + transfer_s + switching_s
