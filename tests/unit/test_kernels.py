"""Test the choice of the kernel, and rules that both kernels follow."""

import random
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

from redcoll import config, kernels
from redcoll.errors import ConfigError
from redcoll.kernels import thresholds
from redcoll.kernels._python import fastpath
from redcoll.team.sizes import Segment, Sizes

KERNELS = ["numpy"] + ["compiled"] * kernels.is_built()
SOURCES = Path(kernels.__file__).parent / "_compiled"


@pytest.fixture(params=kernels.EXTENSIONS)
def missing(request, monkeypatch):
    """Pretend that one extension is missing."""
    there = find_spec("redcoll.kernels.numpy")
    monkeypatch.setattr(
        "importlib.util.find_spec", lambda name: None if name == request.param else there
    )
    return request.param


def test_all_extensions_are_known():
    sources = sorted(path.stem for path in SOURCES.glob("*.pyx"))
    if not sources:
        pytest.skip("there are no sources here")
    assert [name.rpartition(".")[2] for name in kernels.EXTENSIONS] == sources


def test_one_extension_less_is_no_compiled_kernel(missing, monkeypatch):
    assert not kernels.is_built(), missing
    monkeypatch.delenv(config.KERNEL.name, raising=False)
    assert kernels.choose() == "numpy"
    monkeypatch.setenv(config.KERNEL.name, "compiled")
    with pytest.raises(ConfigError, match="was not built"):
        kernels.choose()


@pytest.mark.parametrize(
    ("nodes", "members", "inline", "folded"),
    [
        (2, 1, 256 << 10, 1 << 20),
        (2, 64, 256 << 10, 256 << 10),
        (4, 1, 32 << 10, 1 << 20),
        (3, 2, 43648, 512 << 10),
        (4, 2, 32 << 10, 1 << 20),
        (4, 4, 32 << 10, 512 << 10),
        (4, 8, 32 << 10, 256 << 10),
        (64, 1, 2048, 1 << 20),
        (100, 1, 1280, 256 << 10),
        (17, 64, 7680, 32 << 10),
        (1024, 64, 192, 32 << 10),
    ],
)
def test_what_is_short_between_nodes(nodes, members, inline, folded):
    assert thresholds.inline_bytes_across(nodes) == inline
    assert inline % 64 == 0
    assert inline * nodes <= 128 << 10 or inline == 192 or nodes == 2
    assert thresholds.fold_bytes_across(nodes, members) == folded
    assert folded >= inline


@pytest.mark.parametrize(
    ("nodes", "members", "folded"),
    [
        (2, 1, 1 << 20),
        (2, 4, 1 << 20),
        (3, 8, 512 << 10),
        (8, 16, 256 << 10),
        (2, 64, 256 << 10),
        (100, 1, 256 << 10),
        (1024, 64, 64 << 10),
    ],
)
def test_leaders_fold_longer_vectors_with_open_mpi(nodes, members, folded):
    assert thresholds.fold_bytes_across(nodes, members, is_open_mpi=True) == folded


@pytest.mark.parametrize(
    ("nodes", "ordered"),
    [(2, 256 << 10), (3, 36 << 10), (8, 96 << 10), (16, 192 << 10), (64, 256 << 10)],
)
def test_which_parts_travel_with_the_headers(nodes, ordered):
    assert thresholds.parts_bytes_across(nodes, is_ordered=True) == ordered
    assert thresholds.parts_bytes_across(nodes, is_ordered=False) == 256 << 10


@pytest.mark.parametrize(("nodes", "direct"), [(3, 256 << 10), (4, 256 << 10), (5, 0), (64, 0)])
def test_which_reduces_go_to_the_roots_node(nodes, direct):
    assert thresholds.direct_bytes_across(nodes) == direct
    # A leader has room for the vectors of the other nodes.
    assert (nodes - 1) * direct <= thresholds.fold_bytes_across(nodes, 1)


@pytest.mark.parametrize(("members", "mib"), [(1, 8), (2, 4), (3, 8 / 3), (8, 1), (64, 1)])
def test_chunks_between_nodes_are_longer_if_nodes_have_few_members(members, mib):
    assert thresholds.chunk_bytes_across(members) == int(mib * 2**20)


def test_full_table_of_known_arrays_draws_none_of_the_programs_random_numbers():
    """Ranks with equal seeds of ``random`` draw equal numbers, even after different reductions."""
    state = random.getstate()
    table = {}
    for key in range(2 * fastpath._MOST_KEPT):
        fastpath._keep(table, key, key)
    assert len(table) == fastpath._MOST_KEPT
    assert random.getstate() == state


class NoHooks:
    """A team whose members never wait and never raise."""

    run_silently = start_wait = raise_mismatch = None


@pytest.mark.parametrize("kernel", KERNELS)
def test_a_header_that_is_in_use_again_is_not_compared(kernel):
    """A slow member compares headers of round 2 after a quick member has published round 3."""
    segment = Segment(Sizes(64, 64, 4096, ahead=1))
    memory = memoryview(bytearray(2 * segment.bytes + segment.common_bytes))
    scratch = segment.scratch(memory, segment.starts(2))
    channel = import_module(f"redcoll.kernels.{kernel}").Channel
    quick, slow = (channel(scratch, me, 0, None, NoHooks()) for me in (0, 1))
    for each in (quick, slow):
        each.publish(1, 1, 0, -1, -1, 0)
    for each in (quick, slow):
        each.await_all()
        each.publish(2, 2, 0, -1, -1, 0)
    quick.publish(3, 3, 0, -1, -1, 0)
    slow.await_all()
    assert slow.agrees(2, 2, 0)
    assert not slow.agrees(3, 2, 0)
