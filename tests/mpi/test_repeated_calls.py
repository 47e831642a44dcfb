"""Test repeated calls: the kernel must not use outdated state about arrays and shapes."""

import copy
import gc
import signal
import sys
import weakref

import numpy as np
import pytest
from mpi import oracle
from mpi4py import MPI

import redcoll
from redcoll import (
    MAX,
    SUM,
    ArgumentError,
    CollectiveError,
    CollectiveMismatchError,
    DatatypeError,
    PeerLostError,
    TeamBrokenError,
)
from redcoll.protocol.descriptor import ALLREDUCE

pytestmark = pytest.mark.mpi


@pytest.fixture
def pair(arena):
    """Return a symmetric source and target that the kernel knows."""
    n, me = redcoll.n_pes(), redcoll.my_pe()
    source, target = arena.take(6, "f8"), arena.take(6, "f8")
    source[...] = me + 1.5
    redcoll.barrier()
    for _ in range(3):
        redcoll.allreduce(target, source)
        assert oracle.assert_same(target, np.full(6, n * (n + 1) / 2 + n / 2)) == 6
    target[...] = -1
    return target, source


@pytest.mark.mpi(min_size=2)
@pytest.mark.parametrize("root", [2**31, 2**40, -(2**40)])
def test_a_root_of_any_size_is_refused(root):
    me = redcoll.my_pe()
    source, target = np.full(3, 1.0), np.full(3, -1.0)
    redcoll.reduce(target, source)
    target[...] = -1
    for at_fault in (0, redcoll.n_pes() - 1):
        here = me == at_fault
        with pytest.raises(ArgumentError if here else CollectiveMismatchError, match="root is"):
            redcoll.reduce(target, source, root=root if here else 0)
        assert (target == -1).all()


def test_pairs_that_differ_in_padding_alone():
    names = {"names": ["value", "index"], "formats": ["f8", "i4"], "offsets": [0, 8]}
    pair, padded = (np.dtype({**names, "itemsize": size}, align=True) for size in (16, 24))
    source = np.array([(2.0, 1), (3.0, 1), (4.0, 1)], pair)
    target = np.zeros_like(source)
    for _ in range(2):
        redcoll.allreduce(target, source, redcoll.MAXLOC)
    assert target.tolist() == source.tolist()
    source, target = np.ones(2, padded), np.zeros(2, padded)
    with pytest.raises(DatatypeError):
        redcoll.allreduce(target, source, redcoll.MAXLOC)
    assert target.tolist() == [(0.0, 0)] * 2


@pytest.mark.mpi(min_size=2)
def test_a_target_that_became_read_only_on_one_pe(pair):
    target, source = pair
    last = redcoll.my_pe() == redcoll.n_pes() - 1
    target.flags.writeable = not last
    with pytest.raises(ArgumentError if last else CollectiveMismatchError, match="read-only"):
        redcoll.allreduce(target, source)
    assert (target == -1).all()
    target.flags.writeable = True
    redcoll.allreduce(target, source)
    assert (target > 0).all()


@pytest.mark.filterwarnings("ignore:Setting the dtype:DeprecationWarning")
def test_a_target_that_became_of_another_type(pair):
    target, source = pair
    target.dtype = np.int64
    with pytest.raises(DatatypeError, match="target is of int64, source of float64"):
        redcoll.allreduce(target, source)
    assert (target.view("f8") == -1).all()


@pytest.mark.filterwarnings("ignore:Setting the shape:DeprecationWarning")
def test_arrays_that_became_of_another_shape_on_one_pe(pair):
    target, source = pair
    n = redcoll.n_pes()
    if redcoll.my_pe() == 0:
        target.shape = source.shape = (2, 3)
    redcoll.allreduce(target, source)
    assert oracle.assert_same(target.reshape(6), np.full(6, n * (n + 1) / 2 + n / 2)) == 6


@pytest.mark.mpi(min_size=2)
@pytest.mark.filterwarnings("ignore:Setting the strides:DeprecationWarning")
@pytest.mark.parametrize("which", ["target", "source"])
@pytest.mark.parametrize("place", ["private", "symmetric"])
def test_allreduce_strides_that_changed_on_one_rank(arena, place, which):
    """If a known array is no longer contiguous on one rank, the call raises on all ranks."""
    n, me = redcoll.n_pes(), redcoll.my_pe()
    take = np.empty if place == "private" else arena.take
    arrays = {name: take(6, "f8") for name in ("target", "source")}
    arrays["source"][...] = me + np.arange(6.0)
    redcoll.barrier()
    for _ in range(3):
        redcoll.allreduce(arrays["target"], arrays["source"])
    arrays["target"][...] = -1
    last = me == n - 1
    if last:
        arrays[which].strides = (0,)
    with pytest.raises(ArgumentError if last else CollectiveMismatchError, match="C-contiguous"):
        redcoll.allreduce(arrays["target"], arrays["source"])
    assert (arrays["target"] == -1).all()
    arrays[which] = take(6, "f8")
    if which == "source":
        arrays["source"][...] = me + np.arange(6.0)
    redcoll.allreduce(arrays["target"], arrays["source"])
    expected = n * np.arange(6.0) + n * (n - 1) / 2
    assert oracle.assert_same(arrays["target"], expected) == 6


def test_arrays_private_and_symmetric_in_turn_with_several_operations(arena):
    """One source is reduced repeatedly into many targets, with different operations and types."""
    n, me = redcoll.n_pes(), redcoll.my_pe()
    compared = 0
    for dtype in ("f8", "i4"):
        for take in (np.empty, arena.take):
            source = take(4, dtype)
            targets = [take(4, dtype) for _ in range(2)]
            source[...] = np.arange(4) * (me + 1)
            redcoll.barrier()
            for turn in range(20):
                for target in targets:
                    redcoll.allreduce(target, source, SUM)
                    expected = np.arange(4) * (n * (n + 1) // 2)
                    compared += oracle.assert_same(target, expected.astype(dtype), what=f"{turn}")
                    redcoll.allreduce(target, source, MAX)
                    compared += oracle.assert_same(target, (np.arange(4) * n).astype(dtype))
    assert compared == 2 * 2 * 20 * 2 * 2 * 4


def test_more_shapes_than_any_kernel_keeps(arena):
    """After many other shapes, the first shapes are used again."""
    n, me = redcoll.n_pes(), redcoll.my_pe()
    source, target = arena.take(700, "f4"), arena.take(700, "f4")
    compared = 0
    for count in [*range(1, 601, 6), *range(1, 30)]:
        source[:count] = me + count
        redcoll.barrier()
        redcoll.allreduce(target[:count], source[:count])
        expected = np.full(count, n * (n - 1) / 2 + n * count, "f4")
        compared += oracle.assert_same(target[:count], expected)
    assert compared == sum([*range(1, 601, 6), *range(1, 30)])
    redcoll.barrier()


@pytest.mark.parametrize("what", ["shapes", "symmetric arrays"])
def test_allreduce_knows_200_again(world, what):
    """The kernel still recognises a call after 199 other calls."""
    n, me = world.n_pes, world.pe
    if what == "shapes":
        vectors = [(np.zeros(count), np.full(count, float(me + count))) for count in range(1, 201)]
    else:
        vectors = [(redcoll.empty(2), redcoll.empty(2)) for _ in range(200)]
        for number, (_, source) in enumerate(vectors):
            source[...] = me + number
    redcoll.barrier()
    for _ in range(2):
        for target, source in vectors:
            redcoll.allreduce(target, source)
    channel, compared = world.team.channel, 0
    for target, source in vectors:
        target[...] = -1
        if n > 1:
            assert channel.small(ALLREDUCE, target, source, SUM)
        redcoll.allreduce(target, source)
        expected = np.full(len(source), n * (source[0] - me) + n * (n - 1) / 2)
        compared += oracle.assert_same(target, expected)
    assert compared == (200 * 201 / 2 if what == "shapes" else 400)
    if what == "symmetric arrays":
        for pair in vectors:
            for array in pair:
                redcoll.free(array)


def test_allreduce_of_more_shapes_than_the_kernel_keeps(world):
    team = redcoll.Team.from_comm(MPI.COMM_WORLD)
    n, me, compared = team.size, team.index, 0
    try:
        for _ in range(2):
            for count in range(1, 1301):
                target = np.zeros(count, np.int8)
                redcoll.allreduce(target, np.full(count, me + count % 7, np.int8), team=team)
                expected = np.full(count, n * (count % 7) + n * (n - 1) // 2, np.int8)
                compared += oracle.assert_same(target, expected)
    finally:
        team.close()
    assert compared == 1300 * 1301


@pytest.mark.one_node
@pytest.mark.mpi(min_size=2)
def test_allreduce_keeps_the_operation_of_a_known_shape(world):
    """The kernel recognises an operation by its address, so redcoll must not free the operation."""
    op = copy.copy(redcoll.SUM)
    target, source = np.zeros(7), np.full(7, 2.0)
    for _ in range(3):
        redcoll.allreduce(target, source, op)
    kept = weakref.ref(op)
    world.team.calls.clear()
    del op
    gc.collect()
    assert kept() is not None
    redcoll.allreduce(target, source, kept())
    assert oracle.assert_same(target, np.full(7, 2.0 * world.n_pes)) == 7


@pytest.mark.mpi(min_size=2)
def test_the_first_call_of_a_shape_is_wrong_on_one_pe(world):
    # Use a new team, for which the kernel knows no shape of a call.
    team = redcoll.Team.from_comm(MPI.COMM_WORLD)
    count = 333
    source, target = np.ones((count, 2))[:, 0], np.zeros(count)
    last = world.pe == world.n_pes - 1
    wrong, right = (source, np.ones(count))
    with pytest.raises(ArgumentError if last else CollectiveMismatchError, match="C-contiguous"):
        redcoll.allreduce(target, wrong if last else right, team=team)
    assert (target == 0).all()
    redcoll.allreduce(target, right, team=team)
    assert oracle.assert_same(target, np.full(count, float(world.n_pes))) == count
    team.close()


@pytest.mark.mpi(min_size=2)
@pytest.mark.parametrize("make", ["array", "full"])
def test_values_that_make_no_array_on_one_pe(world, make):
    last = world.pe == world.n_pes - 1
    right = {"array": ([[1, 2], [3, 4]],), "full": (3, 5, np.int64)}[make]
    wrong = {"array": ([[1, 2], [3]],), "full": (3, 2**100, np.int64)}[make]
    with pytest.raises((ValueError, OverflowError) if last else CollectiveMismatchError):
        getattr(redcoll, make)(*(wrong if last else right))
    redcoll.free(redcoll.array([1.0, 2.0]))


@pytest.mark.mpi(min_size=2)
@pytest.mark.parametrize("what", ["count", "target_step", "source_step"])
@pytest.mark.parametrize("value", [4.0, "4", None])
def test_what_alltoall_counts_are_integers(arena, what, value):
    n = redcoll.n_pes()
    source, target = arena.take(n, "i8"), arena.take(n, "i8")
    source[...], target[...] = 1, -1
    redcoll.barrier()
    last = redcoll.my_pe() == n - 1
    numbers = {"count": 1, "target_step": 1, "source_step": 1}
    if last:
        numbers[what] = value
    with pytest.raises(ArgumentError if last else CollectiveMismatchError, match=f"{what} is"):
        redcoll.alltoall(target, source, **numbers)
    assert (target == -1).all()
    redcoll.alltoall(target, source, 1)
    assert (target == 1).all()


def test_error_modes_of_the_program_stay_its_own(world):
    """In every error mode of NumPy the call returns the result silently. The mode is kept."""
    huge = np.full(3, 1e308)
    infinite = np.full(3, np.inf) if world.n_pes > 1 else huge
    for count in (3, 100_000):
        source, target = np.resize(huge, count), np.zeros(count)
        for mode in ("raise", "warn", "ignore"):
            with np.errstate(all=mode):
                before = np.geterr()
                redcoll.allreduce(target, source)
                assert np.geterr() == before
            assert oracle.assert_same(target, np.resize(infinite, count)) == count


class Alarm(Exception):
    """The exception that the program's signal handler raises."""


@pytest.mark.mpi(min_size=2)
@pytest.mark.parametrize("place", ["private", "symmetric"])
def test_an_exception_from_a_signal_leaves_no_half_done_call_unnoticed(world, place, monkeypatch):
    """The signal can arrive between two calls.

    If it arrives during a call, all PEs must reject the call, or the team must be broken on all
    PEs.
    """

    def handler(*_):
        raise Alarm

    def again(_):
        # In a weakref callback, Python ignores an exception of the handler. So set the alarm again.
        signal.setitimer(signal.ITIMER_REAL, 0.001)

    monkeypatch.setattr(sys, "unraisablehook", again)
    me, count = world.pe, 60_000
    previous = signal.signal(signal.SIGALRM, handler)
    take = np.empty if place == "private" else redcoll.empty
    source, target = take(count), take(count)
    rng = np.random.default_rng(7)
    told = 0
    try:
        for delay in rng.uniform(0.0002, 0.002, 12):
            team = redcoll.Team.from_comm(MPI.COMM_WORLD)
            source[...] = me + 1
            redcoll.allreduce(target, source, team=team)
            MPI.COMM_WORLD.Barrier()
            ended_by = None
            try:
                if me == 0:
                    signal.setitimer(signal.ITIMER_REAL, delay)
                    try:
                        while True:
                            redcoll.allreduce(target, source, team=team)
                    finally:
                        signal.setitimer(signal.ITIMER_REAL, 0)
                while True:
                    redcoll.allreduce(target, source, team=team)
            except (Alarm, CollectiveError) as error:
                ended_by = error
            assert isinstance(ended_by, Alarm) == (me == 0)
            if me == 0 and team.can_go_on:
                # The signal came between two calls, or during the checks of the arguments.
                team.life.revoke(RuntimeError("the end of the test"))
            else:
                was_told = isinstance(ended_by, CollectiveMismatchError)
                assert not was_told or "PE 0 refused its arguments: Alarm" in str(ended_by)
                with pytest.raises(PeerLostError if was_told else TeamBrokenError):
                    redcoll.allreduce(target, source, team=team)
                told += 1
            MPI.COMM_WORLD.Barrier()
            team.close()
        assert me == 0 or told == 12
    finally:
        signal.signal(signal.SIGALRM, previous)
    if place == "symmetric":
        redcoll.free(source)
        redcoll.free(target)
