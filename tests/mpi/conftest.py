"""
Make all ranks agree on verdicts with ``redcoll.testing``, and define the common fixtures.

Each test module sets ``pytestmark = pytest.mark.mpi``, or ``pytest.mark.mpi(min_size=2)``.
"""

from __future__ import annotations

import os
import random
import time
import zlib

# The limit in seconds for each wait inside redcoll. Each new team reads this variable.
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
    # The default deadline of a test, 100 s, is longer than all timeouts of redcoll in the tests. It
    # is shorter than faulthandler_timeout.
    if config.option.redcoll_timeout is None:
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
    """Set the node of each PE in the oracle.

    The function computes the nodes from the job's settings without redcoll.
    """
    hosts = MPI.COMM_WORLD.allgather(os.uname().nodename)
    is_strict = os.environ.get("REDCOLL_ORDER") == "strict"
    node_size = 1 if is_strict else int(os.environ.get("REDCOLL_NODE_SIZE", len(hosts)))
    oracle.place([(host, pe // node_size) for pe, host in enumerate(hosts)])


# Tests of mismatches and wrong arguments leave teams that cannot be freed. These count towards the
# limit.
os.environ.setdefault("REDCOLL_MAX_TEAMS", "500")
_NODES = _nodes()
_place_pes()
_IS_IN_STEP = _NODES > 1 and "REDCOLL_AHEAD" not in os.environ
if _IS_IN_STEP:
    # On several nodes a mismatch in a short reduce breaks the team if ranks run ahead. All tests
    # share the world, so the world has no run-ahead. Teams on simulated nodes have it.
    os.environ["REDCOLL_AHEAD"] = "1"


# -- selection of tests ----------------------------------------------------------------------------


def pytest_collection_modifyitems(items) -> None:
    # Tests that store to other PEs' memory need all PEs on one node.
    if _NODES == 1:
        return
    for item in items:
        if item.get_closest_marker("one_node"):
            item.add_marker(pytest.mark.skip(reason=f"needs one node, the PEs are on {_NODES}"))


# -- fixtures -----------------------------------------------------------------------------------


@pytest.fixture
def world():
    """Start redcoll, and return its world."""
    return world_module.start()


_tight: dict[str, object] = {"world": None}
_TIGHT = {"REDCOLL_SMALL_BYTES": "1024", "REDCOLL_CHUNK_BYTES": "4096"}


@pytest.fixture
def tight(world):
    """Return a team of all PEs with thresholds so low that short vectors take every path.

    Vectors of up to 1024 bytes are small, and a chunk has 4096 bytes.
    """
    return _tight_team(world, "tight", _TIGHT)


@pytest.fixture
def tight_in_step(world):
    """Return a team like ``tight`` without run-ahead, so all PEs raise in the mismatched call."""
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
    """A piece of symmetric memory from which a test takes arrays."""

    def __init__(self, n_bytes: int) -> None:
        self._memory = redcoll.empty(n_bytes, np.uint8)
        self._used = 0

    def take(self, count: int, dtype) -> np.ndarray:
        """Return an array like ``numpy.empty``.

        If all PEs take arrays of the same sizes, each array has the same offset on all PEs.
        """
        dtype = np.dtype(dtype)
        start = -(-self._used // 64) * 64
        self._used = start + count * dtype.itemsize
        assert self._used <= self._memory.size, "the test's arena is too small"
        return self._memory[start : self._used].view(dtype)

    def reset(self) -> None:
        """Start again at the beginning of the memory.

        The next array overwrites earlier arrays.
        """
        self._used = 0


@pytest.fixture
def arena(world):
    """Return an arena of symmetric memory, for ``Guarded(count, dtype, arena.take)``.

    It has space for 2 MiB, and for two of the chunks in which long vectors travel.
    """
    most = max(2 << 20, 2 * world.team.sizes.chunk_bytes)
    result = Arena(most + (64 << 10))
    yield result
    # After a failed test a new world exists, and the memory of the old world is gone.
    if world_module._world is world:
        redcoll.free(result._memory)


@pytest.fixture
def rng(request):
    """Return a generator of random numbers.

    Each rank has its own generator, which gives the same numbers in every run.
    """
    return np.random.default_rng([zlib.crc32(request.node.nodeid.encode()), _RANK])


@pytest.fixture
def many():
    """Return the number of short calls in a test. Slow jobs, on many PEs or nodes, make fewer."""
    return 10_000 if _NODES == 1 and _SIZE <= 4 else 2_000


@pytest.fixture
def delays(request):
    """
    Return a function that sometimes sleeps for a short time, differently on each rank.

    Half of its calls return at once, most other calls yield the core, and a few sleep up to 1 ms.
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
    """Return a function that gives every rank the short texts of all ranks, in rank order.

    The function waits with a deadline and does not use redcoll.
    """
    agreement = request.config.pluginmanager.getplugin("redcoll-agreement")

    def gather_texts(text: str) -> list[str]:
        return agreement.gather(f"gather in {request.node.nodeid}", text)

    return gather_texts


@pytest.fixture
def pretend_nodes(monkeypatch):
    """Return a function that sets the number of PEs on each simulated node of later teams.

    A simulated node must lie within a node of the world, because PEs of a node share a heap.
    """
    given = os.environ.get("REDCOLL_NODE_SIZE")
    if _IS_IN_STEP:
        monkeypatch.delenv("REDCOLL_AHEAD", raising=False)

    def pretend(size: int) -> None:
        if given is not None and int(given) % size:
            pytest.skip(f"nodes of {size} PEs are not within the world's, of {given}")
        monkeypatch.setenv("REDCOLL_NODE_SIZE", str(size))

    return pretend


@pytest.fixture
def same_everywhere(gather):
    """Return a function that fails on all ranks unless an array has the same bytes on all ranks."""

    def check(array) -> None:
        data = oracle.value_bytes(array)
        told = gather(f"{len(data)} {zlib.crc32(data):08x}")
        assert len(set(told)) == 1, f"bytes and their CRC by rank: {told}"

    return check
