"""``python -m redcoll info``: what runs here, how it is set, and what may be wrong.

:func:`report` may also be called by a running program; the figures of the heap then tell
how much of it the program uses.
"""

from __future__ import annotations

import os
import platform
import shutil
import textwrap
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import mpi4py
import numpy as np

from redcoll import config, kernels, topology
from redcoll._version import __version__
from redcoll.errors import ConfigError, RedcollError

if TYPE_CHECKING:
    from redcoll._mpi4py import MPI
    from redcoll.world import World

_RDMA_DEVICES = Path("/sys/class/infiniband")
_MOST_NODES_SHOWN = 8

OPEN_MPI_HINT = """\
Open MPI's one-sided component osc/ucx fails on machines without an RDMA network: it prints an \
error at every window and makes creating one much slower. Set OMPI_MCA_osc=^ucx in the \
environment before the program starts. With an InfiniBand network it is the right component: \
leave it alone there."""


def report(width: int = 100) -> str:
    """Versions, nodes, PEs, kernel, heap, settings and hints.  Collective over all PEs.

    Starts MPI, and redcoll where that is possible; where it is not, the report says why.

    Parameters
    ----------
    width
        Columns at which long lines are broken.
    """
    from redcoll._mpi4py import MPI

    comm = MPI.COMM_WORLD
    nodes = _nodes(comm)
    # A wrong value on one PE must not keep it from a call that the others make.
    wrong_values = _merged(comm.allgather(config.wrong_values()))
    hints = wrong_values + _merged(comm.allgather(config.unknown_names())) + _hints(nodes)
    sections = [
        ("Versions", _pairs(_versions())),
        ("Job", _pairs(_job(nodes))),
        ("Symmetric heap", _pairs(_heap(can_start=not wrong_values))),
        ("Settings", config.table(width - 2)),
    ]
    if hints:
        sections.append(("Hints", "\n".join(_bullet(hint, width - 2) for hint in hints)))
    return "\n\n".join(f"{title}\n{textwrap.indent(text, '  ')}" for title, text in sections)


def main() -> int:
    """Print the report on PE 0."""
    from redcoll._mpi4py import MPI

    text = report(shutil.get_terminal_size((100, 24)).columns)
    if MPI.COMM_WORLD.Get_rank() == 0:
        print(text)
    return 0


def _pairs(rows: Iterable[tuple[str, str]]) -> str:
    return "\n".join(f"{name:<20}{value}" for name, value in rows)


def _bullet(text: str, width: int) -> str:
    return textwrap.fill(text, width, initial_indent="* ", subsequent_indent="  ")


def _merged(texts_by_pe: list[list[str]]) -> list[str]:
    """Each text once, in the order of the PEs."""
    return list(dict.fromkeys(text for texts in texts_by_pe for text in texts))


def _plural(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _human(n_bytes: int) -> str:
    power = max(n_bytes.bit_length() - 1, 0) // 10
    return f"{n_bytes / 1024**power:.4g} {('bytes', 'KiB', 'MiB', 'GiB', 'TiB')[power]}"


def _versions() -> list[tuple[str, str]]:
    from redcoll._mpi4py import MPI

    library = " ".join(MPI.Get_library_version().partition("\n")[0].partition(",")[0].split())
    standard = ".".join(map(str, MPI.Get_version()))
    return [
        ("redcoll", __version__),
        ("Python", platform.python_version()),
        ("NumPy", np.__version__),
        ("mpi4py", mpi4py.__version__),
        ("MPI library", f"{library} (MPI standard {standard})"),
    ]


def _nodes(comm: MPI.Intracomm) -> list[list[topology.Process]]:
    """The processes of each node, nodes in the order of their first PE."""
    from redcoll._mpi4py import MPI

    node = comm.Split_type(MPI.COMM_TYPE_SHARED)
    leader = node.bcast(comm.Get_rank(), root=0)
    node.Free()
    nodes: dict[int, list[topology.Process]] = {}
    for its_leader, process in comm.allgather((leader, topology.Process.here())):
        nodes.setdefault(its_leader, []).append(process)
    return [nodes[each] for each in sorted(nodes)]


def _job(nodes: list[list[topology.Process]]) -> list[tuple[str, str]]:
    rows = [("PEs", str(sum(map(len, nodes)))), ("nodes", str(len(nodes)))]
    for number, processes in enumerate(nodes[:_MOST_NODES_SHOWN]):
        pes = _plural(len(processes), "PE")
        cores = _plural(topology.usable_cores(processes), "usable core")
        rows.append((f"  node {number}", f"{processes[0].host}: {pes} on {cores}"))
    if len(nodes) > _MOST_NODES_SHOWN:
        rows.append(("", f"and {len(nodes) - _MOST_NODES_SHOWN} more"))
    rows.append(("kernel", _kernel()))
    return rows


def _kernel() -> str:
    try:
        name = kernels.choose()
    except ConfigError:
        return f"none: {config.KERNEL.get()} was asked for and is not there"
    return name if kernels.is_built() else f"{name} (the compiled one was not built)"


def _heap(*, can_start: bool) -> list[tuple[str, str]]:
    from redcoll import window, world

    if not can_start:
        rows = [("not started", "a setting is wrong, see the hints")]
    else:
        try:
            rows = _heap_in_use(world.start())
        except RedcollError as error:
            rows = [("not started", str(error))]
    try:
        usage = shutil.disk_usage(window.SHARED_MEMORY_DIR)
    except OSError:
        return rows  # MPI keeps its shared memory elsewhere
    free = f"{_human(usage.free)} of {_human(usage.total)} free"
    return [*rows, (window.SHARED_MEMORY_DIR, free)]


def _heap_in_use(world: World) -> list[tuple[str, str]]:
    allocator = world.heap.allocator
    blocks = _plural(allocator.blocks, "block")
    largest_bytes = allocator.largest_free_bytes
    free_bytes = allocator.capacity_bytes - allocator.used_bytes
    return [
        ("size", f"{_human(allocator.capacity_bytes)} per PE"),
        ("used", f"{_human(allocator.used_bytes)} in {blocks}"),
        # Far apart where the free memory lies in pieces.
        ("largest free block", f"{_human(largest_bytes)} of {_human(free_bytes)} free"),
    ]


def _hints(nodes: list[list[topology.Process]]) -> list[str]:
    from redcoll._mpi4py import MPI

    hints = []
    is_open_mpi = MPI.Get_library_version().startswith("Open MPI")
    has_rdma = _RDMA_DEVICES.is_dir() and any(_RDMA_DEVICES.iterdir())
    if is_open_mpi and not has_rdma and "OMPI_MCA_osc" not in os.environ:
        hints.append(OPEN_MPI_HINT)
    crowded = [node for node in nodes if len(node) > topology.usable_cores(node)]
    if crowded:
        hosts = ", ".join(node[0].host for node in crowded[:_MOST_NODES_SHOWN])
        hints.append(
            f"More PEs than cores on {hosts}: they take turns on the cores, so times say "
            "little about PEs that have one each."
        )
    return hints
