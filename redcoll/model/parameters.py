"""The figures that describe a machine."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from redcoll.errors import ArgumentError
from redcoll.kernels import thresholds


def _figure(meaning: str) -> Any:
    return field(metadata={"meaning": meaning})


@dataclass(frozen=True)
class Parameters:
    """One machine, as the model sees it.  Times in seconds, rates in bytes per second."""

    call_s: float = _figure("A call from Python, with nobody to wait for.")
    post_s: float = _figure("A round of two PEs of a node: each posts, and sees the other's post.")
    look_s: float = _figure("Each further PE's post in a round.")
    switch_s: float = _figure(
        "A core's change from one waiting PE to the next, where PEs share it."
    )
    switch_across_s: float = _figure("The same while messages between nodes are waited for.")
    local_s: float = _figure("A short MPI message between two PEs of a node.")
    cores: float = _figure("Cores that a node's PEs have between them.")
    fold_rate: float = _figure("Bytes folded onto others by one core, as far as caches help.")
    copy_rate: float = _figure("Bytes copied by one core.")
    memory_rate: float = _figure("Bytes read and written by all cores of a node together.")
    latency_s: float = _figure("A short message between two nodes, from call to call.")
    overhead_s: float = _figure("What a PE is busy for with each message it sends or receives.")
    link_rate: float = _figure("Bytes that a node sends, while it receives as many.")
    small_bytes: int = _figure(
        "Vectors up to this size travel whole; where nodes or PEs are many only shorter ones."
    )
    chunk_bytes: int = _figure("Size of the pieces of longer ones.")

    def __post_init__(self) -> None:
        for each in fields(self):
            value = getattr(self, each.name)
            is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
            may_be_zero = each.name.endswith("_s")
            if not is_number or not (value > 0 or (may_be_zero and value == 0)):
                rule = "a number from 0" if may_be_zero else "a number above 0"
                raise ArgumentError(f"{each.name}={value!r}: {rule} is wanted")

    def save(self, path: Path) -> None:
        """Write them to a JSON file."""
        path.write_text(json.dumps(asdict(self), indent=1) + "\n")

    @classmethod
    def load(cls, path: Path) -> Parameters:
        """Read what :meth:`save` wrote.

        Raises
        ------
        ArgumentError
            The file holds other names, or values that are no such figures.
        """
        try:
            content = json.loads(path.read_text())
        except (OSError, ValueError) as error:
            raise ArgumentError(f"{path}: {error}") from None
        names = [each.name for each in fields(cls)]
        if not isinstance(content, dict) or set(content) != set(names):
            raise ArgumentError(f"{path}: exactly these names are wanted: {', '.join(names)}")
        return cls(**content)


def meanings() -> dict[str, str]:
    """What each figure means, by its name."""
    return {each.name: each.metadata["meaning"] for each in fields(Parameters)}


# Round figures of machines of their kind, not of any one machine.
KNOWN = {
    # Nodes of 64 cores on a network with RDMA, 100 Gbit/s.
    "cluster": Parameters(
        call_s=0.4e-6,
        post_s=0.3e-6,
        look_s=0.03e-6,
        switch_s=1e-6,
        switch_across_s=1e-6,
        local_s=0.8e-6,
        cores=64,
        fold_rate=12e9,
        copy_rate=10e9,
        memory_rate=300e9,
        latency_s=1.5e-6,
        overhead_s=0.25e-6,
        link_rate=12e9,
        small_bytes=thresholds.SMALL_BYTES_ACROSS,
        chunk_bytes=thresholds.CHUNK_BYTES_ACROSS,
    ),
    # The same nodes on 10 Gbit/s Ethernet, through the kernel's TCP.
    "ethernet": Parameters(
        call_s=0.4e-6,
        post_s=0.3e-6,
        look_s=0.03e-6,
        switch_s=1e-6,
        switch_across_s=1e-6,
        local_s=0.8e-6,
        cores=64,
        fold_rate=12e9,
        copy_rate=10e9,
        memory_rate=300e9,
        latency_s=20e-6,
        overhead_s=3e-6,
        link_rate=1.2e9,
        small_bytes=thresholds.SMALL_BYTES_ACROSS,
        chunk_bytes=thresholds.CHUNK_BYTES_ACROSS,
    ),
}
