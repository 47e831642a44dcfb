"""Test the routines that wait for several values, or test several values, at once."""

import operator
import os
from fractions import Fraction

import numpy as np
import pytest

import redcoll_shmem as shmem
from redcoll import (
    ArgumentError,
    CollectiveTimeoutError,
    DatatypeError,
    StateError,
    SymmetryError,
)

pytestmark = pytest.mark.mpi

ROUNDS = int(os.environ.get("REDCOLL_TEST_ROUNDS", "20"))

# Copied from OpenSHMEM 1.5, table 7.
TYPES = dict(  # noqa: C408
    int="i4",
    long="l",
    longlong="q",
    uint="u4",
    ulong="L",
    ulonglong="Q",
    int32="i4",
    int64="i8",
    uint32="u4",
    uint64="u8",
    size="u8",
    ptrdiff="i8",
)
COMPARE = {
    shmem.SHMEM_CMP_EQ: operator.eq,
    shmem.SHMEM_CMP_NE: operator.ne,
    shmem.SHMEM_CMP_GT: operator.gt,
    shmem.SHMEM_CMP_GE: operator.ge,
    shmem.SHMEM_CMP_LT: operator.lt,
    shmem.SHMEM_CMP_LE: operator.le,
}
EQ, NE, GE = shmem.SHMEM_CMP_EQ, shmem.SHMEM_CMP_NE, shmem.SHMEM_CMP_GE


def of_type(name, rest):
    return getattr(shmem, f"shmem_{name}_{rest}" if name else f"shmem_{rest}")


def test_number_of_names():
    names = {
        f"shmem_{prefix}{verb}_{which}{vector}"
        for prefix in (*(f"{name}_" for name in TYPES), "")
        for verb in ("wait_until", "test")
        for which in ("all", "any", "some")
        for vector in ("", "_vector")
    }
    assert len(names) == 156
    assert set(shmem.waits.ROUTINES) == names


@pytest.mark.parametrize("name", [*TYPES, ""])
def test_every_comparison(arena, name):
    """The results of every routine equal Python's own comparisons, on boundary values."""
    dtype = np.dtype(TYPES.get(name, "u2"))
    info = np.iinfo(dtype)
    values = [info.min, info.min + 1, 0, 1, info.max // 2 + 1, info.max - 1, info.max]
    box = arena.take(7, dtype)
    box[...] = values
    others = np.roll(box, 2)
    skips = [None, np.array([0, 1, 0, 0, 5, 0, -1], np.intc), np.ones(7, np.intc)]
    compared = 0
    for skip in skips:
        counts = [at for at in range(7) if skip is None or skip[at] == 0]
        for cmp, compare in COMPARE.items():
            for vector, given in (*(("", value) for value in values), ("_vector", others)):
                wanted = [
                    at for at in counts
                    if compare(int(box[at]), int(given if vector == "" else given[at]))
                ]  # fmt: skip
                holds = len(wanted) == len(counts)
                assert of_type(name, f"test_all{vector}")(box, 7, skip, cmp, given) is holds
                first = wanted[0] if wanted else shmem.SIZE_MAX
                assert of_type(name, f"test_any{vector}")(box, 7, skip, cmp, given) == first
                indices = np.full(7, -1)
                some = of_type(name, f"test_some{vector}")
                assert some(box, 7, indices, skip, cmp, given) == len(wanted)
                assert indices.tolist() == wanted + [-1] * (7 - len(wanted))
                if holds:
                    of_type(name, f"wait_until_all{vector}")(box, 7, skip, cmp, given)
                if wanted or not counts:
                    any_of = of_type(name, f"wait_until_any{vector}")
                    assert any_of(box, 7, skip, cmp, given) == first
                    some = of_type(name, f"wait_until_some{vector}")
                    indices[...] = -1
                    assert some(box, 7, indices, skip, cmp, given) == len(wanted)
                    assert indices.tolist() == wanted + [-1] * (7 - len(wanted))
                compared += 1
    assert compared == 3 * 6 * 8


def test_no_elements(arena):
    box, indices = arena.take(1, "l"), np.zeros(1, "u8")
    shmem.shmem_long_wait_until_all(box, 0, None, EQ, 1)
    assert shmem.shmem_long_test_all(box, 0, None, EQ, 1)
    assert shmem.shmem_long_wait_until_any(box, 0, None, EQ, 1) == shmem.SIZE_MAX
    assert shmem.shmem_long_test_any(box, 0, None, EQ, 1) == shmem.SIZE_MAX
    assert shmem.shmem_long_wait_until_some(box, 0, indices, None, EQ, 1) == 0
    assert shmem.shmem_long_test_some(box, 0, indices, None, EQ, 1) == 0


@pytest.mark.parametrize("which", ["all", "any", "some"])
@pytest.mark.parametrize("vector", ["", "_vector"])
def test_waiting_for_other_pes(arena, delays, which, vector):
    """Every PE stores into its element of each PE's flags. Each PE must see every flag once."""
    me, n = shmem.shmem_my_pe(), shmem.shmem_n_pes()
    flags, status = arena.take(n, "l"), np.zeros(n, np.intc)
    flags[...] = 0
    shmem.shmem_barrier_all()
    routine = getattr(shmem, f"shmem_long_wait_until_{which}{vector}")
    for turn in range(1, ROUNDS + 1):
        delays()
        for step in range(n):
            shmem.shmem_long_p(flags[me:], turn, (me + step) % n)
        wanted = np.full(n, turn) if vector else turn
        status[...] = 0
        if which == "all":
            assert routine(flags, n, None, GE, wanted) is None
            assert (flags >= turn).all()
        seen = []
        while which != "all" and len(seen) < n:
            if which == "any":
                found = [routine(flags, n, status, GE, wanted)]
            else:
                indices = np.full(n, n, "u8")
                count = routine(flags, n, indices, status, GE, wanted)
                found = indices[:count].tolist()
                assert count >= 1
            status[found] = 1
            seen += found
        if which != "all":
            assert sorted(seen) == list(range(n))
            skip = routine(flags, n, *([indices] if which == "some" else []), status, GE, wanted)
            assert skip == (shmem.SIZE_MAX if which == "any" else 0)
    shmem.shmem_barrier_all()


def test_any_of_many_flags(arena, delays):
    """PE 0 takes 64 flags as they arrive. Each other PE sets flags in its own order."""
    me, n = shmem.shmem_my_pe(), shmem.shmem_n_pes()
    flags = arena.take(64, "u8")
    flags[...] = 0
    shmem.shmem_barrier_all()
    senders = range(1, n) if n > 1 else range(1)
    for turn in range(1, max(2, ROUNDS // 10) + 1):
        if me in senders:
            order = np.random.default_rng([turn, me]).permutation(64)
            for at in order[order % len(senders) == me - senders.start]:
                delays()
                shmem.shmem_uint64_p(flags[at:], turn, 0)
        if me == 0:
            status = np.zeros(64, np.intc)
            for _ in range(64):
                at = shmem.shmem_uint64_wait_until_any(flags, 64, status, EQ, turn)
                assert status[at] == 0
                assert flags[at] == turn
                status[at] = 1
            assert status.all()
        shmem.shmem_barrier_all()


@pytest.mark.parametrize("order", ["C", "F", "every second"])
def test_indices_in_arrays_of_any_layout(arena, order):
    box = arena.take(4, "l")
    box[...] = [5, 0, 5, 5]
    indices = np.full((2, 4), -1, "i2", "C")[:, ::2]
    if order != "every second":
        indices = np.full((2, 2), -1, "i1", order)
    assert shmem.shmem_long_test_some(box, 4, indices, None, EQ, 5) == 3
    assert [int(index) for index in indices.flat] == [0, 2, 3, -1]


def test_wrong_arguments(arena):
    box, many = arena.take(4, "l"), arena.take(129, "l")
    box[...] = 0
    good = (box, 4, None, EQ, 0)
    for kind, text, rest, arguments in (
        (DatatypeError, "ivars is None", "long_test_all", (None, *good[1:])),
        (DatatypeError, "ivars is of int64", "int_test_any", good),
        (DatatypeError, "integer type", "test_all", (box.view("d"), *good[1:])),
        (SymmetryError, "ivars is a private", "long_test_all", (np.zeros(4, "l"), *good[1:])),
        (ArgumentError, "ivars has 4 elements; 5", "long_test_all", (box, 5, *good[2:])),
        (ArgumentError, "nelems is -1", "long_wait_until_any", (box, -1, *good[2:])),
        (ArgumentError, "status has 3 elements; 4", "long_test_all",
         (box, 4, np.zeros(3, "i4"), EQ, 0)),
        (DatatypeError, "status is of float64", "long_test_all",
         (box, 4, np.zeros(4), EQ, 0)),
        (ArgumentError, "cmp is 9", "long_wait_until_all", (box, 4, None, 9, 0)),
        (ArgumentError, "cmp is None", "long_wait_until_all", (box, 4, None, None, 0)),
        (ArgumentError, "with is 1.5", "long_wait_until_all", (box, 4, None, EQ, 1.5)),
        (ArgumentError, "with is None", "long_wait_until_all", (box, 4, None, EQ, None)),
        (ArgumentError, r"with is Fraction\(1, 2\)", "long_test_all",
         (box, 4, None, EQ, Fraction(1, 2))),
        (ArgumentError, "with is None", "long_test_all_vector", (box, 2, None, EQ, [None, 1])),
        (ArgumentError, r"with is \[1\]", "long_test_all_vector",
         (box, 2, None, EQ, [[1], [1, 2]])),
        (ArgumentError, r"status is \[\[1\], \[1, 2\]\]", "long_test_all",
         (box, 2, [[1], [1, 2]], EQ, 0)),
        (ArgumentError, "cmp is 0.0", "long_test_all", (box, 4, None, 0.0, 0)),
        (ArgumentError, f"with is {1 << 63}", "long_test_any", (box, 4, None, EQ, 1 << 63)),
        (ArgumentError, "with is -1", "ulong_test_any", (box.view("u8"), 4, None, EQ, -1)),
        (ArgumentError, "with is 4294967296", "uint_test_any",
         (box.view("u4"), 4, None, EQ, 1 << 32)),
        (ArgumentError, r"cmp_value is \[0", "long_test_any", (box, 4, None, EQ, [0] * 4)),
        (DatatypeError, "cmp_values is a int", "long_test_any_vector", good),
        (ArgumentError, "3 values", "long_test_all_vector", (box, 4, None, EQ, np.zeros(3, int))),
        (DatatypeError, "indices is None", "long_test_some", (box, 4, None, None, EQ, 0)),
        (DatatypeError, "indices is of float64", "long_test_some",
         (box, 4, np.zeros(4), None, EQ, 0)),
        (ArgumentError, "indices has 3", "long_wait_until_some",
         (box, 4, np.zeros(3, "u8"), None, EQ, 0)),
        (ArgumentError, "nelems is 129; int8 of indices holds up to 127", "test_some",
         (many, 129, np.zeros(129, "i1"), None, EQ, 0)),
    ):  # fmt: skip
        with pytest.raises(kind, match=text) as info:
            getattr(shmem, f"shmem_{rest}")(*arguments)
        assert str(info.value).startswith(f"shmem_{rest}: ")
    freed = shmem.zeros(2, "l")
    shmem.shmem_free(freed)
    with pytest.raises(StateError, match="freed"):
        shmem.shmem_long_test_all(freed, 2, None, EQ, 0)


def test_constants_may_be_of_numpy(arena):
    box = arena.take(2, "l")
    box[...] = 3
    for kind in (np.int8, np.uint64):
        assert shmem.shmem_long_test_all(box, 2, None, kind(EQ), kind(3))
        assert shmem.shmem_long_test(box, kind(EQ), kind(3))
        shmem.shmem_long_wait_until_all_vector(box, 2, None, kind(EQ), [kind(3), 3])
    shmem.shmem_barrier_all()
    for signal_op, wanted in ((shmem.SHMEM_SIGNAL_SET, 5), (shmem.SHMEM_SIGNAL_ADD, 8)):
        signal, me = box.view("u8"), np.array(shmem.shmem_my_pe())
        shmem.shmem_long_put_signal(box[1:], box[:1], 1, signal, 5, np.int64(signal_op), me)
        assert signal[0] == wanted
        box[0] = 3
    shmem.shmem_barrier_all()


def test_a_deadline_names_the_call_and_the_absent_ranks(arena, world, monkeypatch):
    box = arena.take(4, "l")
    box[...] = [1, 0, 1, 0]
    monkeypatch.setattr(world.team.watch, "timeout_s", 0.2)
    with pytest.raises(CollectiveTimeoutError, match="equal on 4 elements of ivars, of which 2"):
        shmem.shmem_long_wait_until_all(box, 4, None, EQ, 1)
    shmem.shmem_barrier_all()
