"""Implement ``python -m redcoll info``, which prints versions, nodes, settings and hints.

A running program can also call :func:`report`. The report then shows how much of the heap the
program uses.
"""

from __future__ import annotations

import os
import platform
import re
import shutil
import sys
import sysconfig
import textwrap
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


_SIZES_BY_LAUNCHERS = (
    *("PMI_SIZE", "OMPI_COMM_WORLD_SIZE", "MV2_COMM_WORLD_SIZE", "PALS_NRANKS"),
    *("FLUX_JOB_SIZE", "SLURM_STEP_NUM_TASKS"),
)
"""Variables in which launchers pass the number of processes."""
_SIZE_OF_ALLOCATION = "SLURM_NTASKS"
"""The number of tasks of Slurm's allocation. Slurm also sets it without a launcher, in the shell of
a batch script or of salloc."""
_RANKS_BY_LAUNCHERS = ("PMIX_RANK", "PMI_RANK", "SLURM_PROCID")
"""Variables in which launchers pass the number of this process. A number above 0 means that there
are other processes."""
_THREADS_OF_BLAS = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS")
"""Variables with the number of threads of NumPy's matrix products. The first that is set counts."""
_COMPILERS = ("c++", "g++", "clang++")

NUMPY_KERNEL_COST = """\
2 ranks on MPICH, sums of float64 in symmetric arrays: 1.1 instead of 0.4 microseconds for 8 \
bytes, 67 instead of 25 for 1 MiB (docs/performance/mpich-numpy.md)"""


def report(width: int = 100) -> str:
    """Return versions, nodes, ranks, kernel, heap, settings and hints.  Collective over all ranks.

    The call starts MPI and, if possible, redcoll. If redcoll cannot start, the report says why.

    Parameters
    ----------
    width
        Number of columns at which long lines wrap.
    """
    from redcoll._mpi4py import MPI
    from redcoll.comm import gather_objects

    config.load_all()
    comm = MPI.COMM_WORLD
    here = topology.Process.here()
    nodes = _nodes(comm, here)
    # Collect wrong values here, because a rank that raised would miss the collective calls below.
    wrong_values = _merged(comm, config.wrong_values())
    hints = wrong_values + _merged(comm, config.unknown_names())
    hints += _merged(comm, _hints_on_start(comm.Get_size())) + _hints(nodes)
    hints += _hints_on_threads(nodes, dict(gather_objects(comm, (here, _blas_threads()))))
    hints += _merged(comm, _hints_on_kernel())
    sections = [
        ("Versions", _pairs(_versions())),
        ("Job", _pairs(_job(nodes))),
        ("Symmetric heap", _pairs(_heap(can_start=not wrong_values))),
        ("Settings", f"{_pairs(_settings())}\n`redcoll config` explains the settings."),
    ]
    if hints:
        sections.append(("Hints", "\n".join(_bullet(hint, width - 2) for hint in hints)))
    return "\n\n".join(f"{title}\n{textwrap.indent(text, '  ')}" for title, text in sections)


def main() -> int:
    """Print the report on rank 0."""
    from redcoll._mpi4py import MPI

    text = report(shutil.get_terminal_size((100, 24)).columns)
    if MPI.COMM_WORLD.Get_rank() == 0:
        print(text)
    return 0


def _pairs(rows: list[tuple[str, str]]) -> str:
    width = max(20, *(len(name) + 2 for name, _ in rows))
    return "\n".join(f"{name:<{width}}{value}" for name, value in rows)


def _bullet(text: str, width: int) -> str:
    return textwrap.fill(text, width, initial_indent="* ", subsequent_indent="  ")


def _merged(comm: MPI.Intracomm, texts: list[str]) -> list[str]:
    """Return the texts of all ranks, each text once, in the order of the ranks.  Collective."""
    from redcoll.comm import gather_objects

    return list(dict.fromkeys(text for each in gather_objects(comm, texts) for text in each))


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


def _nodes(comm: MPI.Intracomm, here: topology.Process) -> list[list[topology.Process]]:
    """Return the processes of each node, with nodes in the order of their first rank."""
    from redcoll._mpi4py import MPI
    from redcoll.comm import gather_objects, least

    node = MPI.Intracomm(comm.Split_type(MPI.COMM_TYPE_SHARED))
    leader = least(node, comm.Get_rank())
    node.Free()
    nodes: dict[int, list[topology.Process]] = {}
    for its_leader, process in gather_objects(comm, (leader, here)):
        nodes.setdefault(its_leader, []).append(process)
    return [nodes[each] for each in sorted(nodes)]


def _job(nodes: list[list[topology.Process]]) -> list[tuple[str, str]]:
    rows = [("ranks", str(sum(map(len, nodes)))), ("nodes", str(len(nodes)))]
    for number, processes in enumerate(nodes[:_MOST_NODES_SHOWN]):
        ranks = _plural(len(processes), "rank")
        cores = _plural(topology.usable_cores(processes), "usable core")
        rows.append((f"  node {number}", f"{processes[0].host}: {ranks} on {cores}"))
    if len(nodes) > _MOST_NODES_SHOWN:
        rows.append(("", f"and {len(nodes) - _MOST_NODES_SHOWN} more"))
    rows.append(("kernel", _kernel()))
    rows.append(("shared arrays", _shared_arrays()))
    return rows


def _kernel() -> str:
    try:
        name = kernels.choose()
    except ConfigError:
        return f"none: {config.KERNEL.get()} was requested and is not installed"
    return name if kernels.is_built() else f"{name} (the compiled one was not built)"


def _shared_arrays() -> str:
    from redcoll.memory import arena

    if arena.place() is None:
        return f"off ({config.SHARED_ARRAYS.name}=1 or redcoll.shared_arrays() turns them on)"
    return f"on, {_human(arena.live_bytes())} in use"


def _heap(*, can_start: bool) -> list[tuple[str, str]]:
    from redcoll import world
    from redcoll.memory import shared_window

    if not can_start:
        rows = [("not started", "a setting is wrong, see the hints")]
    else:
        try:
            rows = _heap_in_use(world.start())
        except RedcollError as error:
            rows = [("not started", str(error))]
    try:
        usage = shutil.disk_usage(shared_window.SHARED_MEMORY_DIR)
    except OSError:
        return rows  # MPI keeps its shared memory elsewhere
    free = f"{_human(usage.free)} of {_human(usage.total)} free"
    return [*rows, (shared_window.SHARED_MEMORY_DIR, free)]


def _heap_in_use(world: World) -> list[tuple[str, str]]:
    allocator = world.heap.allocator
    blocks = _plural(allocator.blocks, "block")
    largest_bytes = allocator.largest_free_bytes
    free_bytes = allocator.capacity_bytes - allocator.used_bytes
    return [
        ("size", f"{_human(allocator.capacity_bytes)} per rank"),
        ("used", f"{_human(allocator.used_bytes)} in {blocks}"),
        # The two numbers differ by much if the free memory is fragmented.
        ("largest free block", f"{_human(largest_bytes)} of {_human(free_bytes)} free"),
    ]


def _settings() -> list[tuple[str, str]]:
    """Return each setting with its value. Add the origin if the value is from the environment."""
    rows = []
    for row in config.settings():
        value = "wrong, see the hints" if row.problem() else row.show(row.get())
        rows.append((row.variable, f"{value}  (environment)" if row.is_set() else value))
    return rows


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
            f"More ranks than cores on {hosts}: the ranks share cores, so times say little about "
            "ranks with a core each."
        )
    return hints


def _hints_on_start(n_ranks: int) -> list[str]:
    """Return a hint if the launcher and mpi4py belong to different MPI libraries."""
    if n_ranks > 1:
        return []
    said = [f"{name}={os.environ.get(name)}" for name in _SIZES_BY_LAUNCHERS if _number(name) > 1]
    said += [f"{name}={os.environ.get(name)}" for name in _RANKS_BY_LAUNCHERS if _number(name) > 0]
    if not said and _number(_SIZE_OF_ALLOCATION) > 1:
        tasks = f"{_SIZE_OF_ALLOCATION}={os.environ[_SIZE_OF_ALLOCATION]}"
        hint = (
            f"Slurm has set {tasks}, and this process is a job of its own with one rank. That is "
            "right for a serial program. To start all tasks as one job, put srun or mpiexec before "
            "python."
        )
        return [hint]
    if not said:
        return []
    beside = Path(sys.executable).with_name("mpiexec")
    launcher = str(beside) if beside.exists() else "the mpiexec of this MPI library"
    hint = (
        f"The launcher has set {' and '.join(said)}, but for MPI this process is a job of its own "
        "with one rank. The launcher then belongs to another MPI library than the one that mpi4py "
        f"has loaded. Start with {launcher}; under Slurm with srun --mpi=pmi2 or --mpi=pmix, "
        "whichever the library takes."
    )
    return [hint]


def _number(name: str) -> int:
    """Return the whole number at the start of a variable's value; -1 if there is none."""
    digits = re.match(r"\s*(\d+)", os.environ.get(name, ""))
    return int(digits[1]) if digits else -1


def _blas_threads() -> int:
    """Return the number of threads that BLAS uses: a variable's value, or the number of cores."""
    told = [_number(name) for name in _THREADS_OF_BLAS if _number(name) > 0]
    return told[0] if told else topology.usable_cores([topology.Process.here()])


def _hints_on_threads(
    nodes: list[list[topology.Process]], threads: dict[topology.Process, int]
) -> list[str]:
    hints = []
    for node in nodes:
        of_ranks = [threads[process] for process in node]
        most, total = max(of_ranks), sum(of_ranks)
        cores = topology.usable_cores(node)
        if len(node) > 1 and most > 1 and total > cores:
            hints.append(
                f"BLAS under NumPy takes up to {_plural(most, 'thread')} a rank on {node[0].host}: "
                f"{total} threads of {len(node)} ranks on {_plural(cores, 'core')}. Matrix "
                "products then slow each other down. Set "
                f"OMP_NUM_THREADS={max(1, cores // len(node))} and OPENBLAS_NUM_THREADS or "
                "MKL_NUM_THREADS to the same before the program starts."
            )
    return hints[:_MOST_NODES_SHOWN]


def _hints_on_kernel() -> list[str]:
    """Return a hint if the compiled kernel is missing: the cost, and how to get the kernel."""
    if not kernels.is_slow():
        return []
    compiler = next(filter(None, map(shutil.which, _COMPILERS)), None)
    first = f"{compiler} is here now" if compiler else f"install a C++ compiler ({_COMPILERS[1]})"
    if compiler and not Path(sysconfig.get_path("include"), "Python.h").exists():
        first = "install Python's headers (Debian's python3-dev)"
    hint = (
        "The NumPy kernel is used, because the compiled one could not be built when redcoll was "
        f"installed. What that costs: {NUMPY_KERNEL_COST}. To get the compiled one, install a "
        f"wheel of redcoll. Or {first}, then pip install --force-reinstall --no-deps "
        "--no-cache-dir redcoll."
    )
    return [hint]
