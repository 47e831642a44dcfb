"""
What all tests under mpiexec share: one verdict for all ranks (``redcoll.testing``), and fixtures.

Each test module says ``pytestmark = pytest.mark.mpi``, or ``pytest.mark.mpi(min_size=2)``.
"""

from __future__ import annotations

import os
import random
import time
import zlib

# Seconds that a wait inside redcoll may take; read when a team is made.
os.environ.setdefault("REDCOLL_TIMEOUT", "20")

import numpy as np
import pytest
from mpi import oracle
from mpi4py import MPI

import redcoll
from redcoll import kernels, topology
from redcoll.world import world as world_module

pytest_plugins = ["redcoll.testing"]

_RANK, _SIZE = MPI.COMM_WORLD.rank, MPI.COMM_WORLD.size


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config) -> None:
    # Beyond every timeout of redcoll's own, below pytest's faulthandler_timeout.
    config.option.redcoll_timeout = float(os.environ.get("REDCOLL_TEST_DEADLINE", "100"))


def pytest_report_header() -> str:
    vendor, version = MPI.get_vendor()
    return (
        f"MPI: {vendor} {'.'.join(map(str, version))}, {_SIZE} PEs, "
        f"kernel {kernels.choose()}, redcoll {redcoll.__version__}"
    )


# -- nodes ----------------------------------------------------------------------------------------


def _nodes() -> int:
    comm = MPI.COMM_WORLD.Dup()
    layout, node = topology.lay_out(comm)
    node.Free()
    comm.Free()
    return len(layout.nodes)


def _place_pes() -> None:
    """Tell the oracle which PEs fold together: by what the job was told, not by redcoll."""
    hosts = MPI.COMM_WORLD.allgather(os.uname().nodename)
    is_strict = os.environ.get("REDCOLL_ORDER") == "strict"
    node_size = 1 if is_strict else int(os.environ.get("REDCOLL_NODE_SIZE", len(hosts)))
    oracle.place([(host, pe // node_size) for pe, host in enumerate(hosts)])


_NODES = _nodes()
_place_pes()


# -- which tests ----------------------------------------------------------------------------------


def pytest_collection_modifyitems(items) -> None:
    # What stores to other PEs' memory needs all on one node.
    if _NODES == 1:
        return
    for item in items:
        if item.get_closest_marker("one_node"):
            item.add_marker(pytest.mark.skip(reason=f"needs one node, the PEs are on {_NODES}"))


# -- fixtures -----------------------------------------------------------------------------------


@pytest.fixture
def world():
    """redcoll's world, started."""
    return world_module.start()


_tight: dict[str, object] = {"world": None}
_TIGHT = {"REDCOLL_SMALL_BYTES": "1024", "REDCOLL_CHUNK_BYTES": "4096"}


@pytest.fixture
def tight(world):
    """
    A team of all PEs whose thresholds are so low that short vectors take every path.

    Up to 1024 bytes are small; chunks have 4096 bytes.
    """
    return _tight_team(world, "tight", _TIGHT)


@pytest.fixture
def tight_in_step(world):
    """The same, and nobody goes ahead of a call: who is told of a mismatch is told in that call."""
    return _tight_team(world, "in step", _TIGHT | {"REDCOLL_AHEAD": "1"})


def _tight_team(world, name, settings):
    if _tight["world"] is not world:
        _tight.clear()
        _tight["world"] = world
    if name not in _tight:
        with pytest.MonkeyPatch.context() as patch:
            for variable, value in settings.items():
                patch.setenv(variable, value)
            _tight[name] = redcoll.Team.from_comm(MPI.COMM_WORLD)
    return _tight[name]


class Arena:
    """Symmetric memory for one test, handed out piece by piece."""

    def __init__(self, n_bytes: int) -> None:
        self._memory = redcoll.empty(n_bytes, np.uint8)
        self._used = 0

    def take(self, count: int, dtype) -> np.ndarray:
        """Like ``numpy.empty``; PEs that take equal pieces in equal order get equal offsets."""
        dtype = np.dtype(dtype)
        start = -(-self._used // 64) * 64
        self._used = start + count * dtype.itemsize
        assert self._used <= self._memory.size, "the test's arena is too small"
        return self._memory[start : self._used].view(dtype)

    def reset(self) -> None:
        """Begin at the start again."""
        self._used = 0


@pytest.fixture
def arena(world):
    """Two MiB of symmetric memory: ``Guarded(count, dtype, arena.take)``."""
    result = Arena((2 << 20) + (64 << 10))
    yield result
    # A test that failed may have left the ranks in different places.
    if world_module._world is world:
        redcoll.free(result._memory)


@pytest.fixture
def rng(request):
    """Random numbers of this rank, the same in every run."""
    return np.random.default_rng([zlib.crc32(request.node.nodeid.encode()), _RANK])


@pytest.fixture
def many():
    """Number of short calls in a row: fewer where each takes longer."""
    return 10_000 if _NODES == 1 and _SIZE <= 4 else 2_000


@pytest.fixture
def delays(request):
    """
    A function that sometimes sleeps a little, differently on each rank.

    Half of its calls return at once, most others give the core away, a few sleep up to 1 ms.
    """
    numbers = random.Random(f"{request.node.nodeid} {_RANK}")

    def delay() -> None:
        kind = numbers.random()
        if kind < 0.04:
            time.sleep(numbers.random() * 1e-3)
        elif kind < 0.5:
            os.sched_yield()

    return delay


@pytest.fixture
def gather(request):
    """
    A function that gives every rank a short text from each, in rank order.

    It waits with a deadline and uses no part of redcoll.
    """
    agreement = request.config.pluginmanager.getplugin("redcoll-agreement")

    def gather_texts(text: str) -> list[str]:
        return agreement.gather(f"gather in {request.node.nodeid}", text)

    return gather_texts


@pytest.fixture
def pretend_nodes(monkeypatch):
    """
    A function that makes nodes of so many PEs, for teams made from then on.

    They have to be within the world's nodes, for a node's members share its heap.
    """
    given = os.environ.get("REDCOLL_NODE_SIZE")

    def pretend(size: int) -> None:
        if given is not None and int(given) % size:
            pytest.skip(f"nodes of {size} PEs are not within the world's, of {given}")
        monkeypatch.setenv("REDCOLL_NODE_SIZE", str(size))

    return pretend


@pytest.fixture
def same_everywhere(gather):
    """A function that fails on all ranks unless an array has the same bytes on all of them."""

    def check(array) -> None:
        data = oracle.value_bytes(array)
        told = gather(f"{len(data)} {zlib.crc32(data):08x}")
        assert len(set(told)) == 1, f"bytes and their CRC by rank: {told}"

    return check
