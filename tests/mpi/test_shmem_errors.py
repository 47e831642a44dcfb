"""Test wrong arguments of the reductions: all PEs raise, nothing is written, and later calls work.

A member with a wrong argument raises its own error, which names the routine, the argument, its
value and the rule. The other members raise ``CollectiveMismatchError``.
"""

import re

import numpy as np
import pytest
from mpi.shmem_tools import Arrays, Set, check_sync, even_pes, everybody, sync_array

import redcoll
import redcoll_shmem as shmem
from redcoll import (
    ActiveSetError,
    ArgumentError,
    CollectiveMismatchError,
    DatatypeError,
    OverlapError,
    StateError,
    SymmetryError,
)

pytestmark = [pytest.mark.mpi, pytest.mark.smoke, pytest.mark.filterwarnings("ignore:.*pWrk")]

COUNTS = (4, 6000)  # a small and a large vector


class Call:
    """A right call of ``shmem_double_sum_to_all``. A test makes one argument wrong."""

    name = "shmem_double_sum_to_all"

    def __init__(self, take, members, sync, count):
        self.take, self.members, self.sync = take, members, sync
        self.arrays = Arrays(take, "d", count)
        self.arrays.fill(1)
        self.arguments = {
            "target": self.arrays.target,
            "source": self.arrays.source,
            "nreduce": count,
            **dict(zip(("PE_start", "logPE_stride", "PE_size"), members.numbers, strict=True)),
            "pWrk": self.arrays.work,
            "pSync": sync,
        }

    def __getitem__(self, name):
        return self.arguments[name]

    def __setitem__(self, name, value):
        self.arguments[name] = value

    def __call__(self):
        getattr(shmem, self.name)(*self.arguments.values())


def private_target(call):
    call["target"] = np.zeros(call["nreduce"])


def private_source(call):
    call["source"] = np.ones(call["nreduce"])


def no_target(call):
    call["target"] = None


def a_list(call):
    call["source"] = [1.0] * call["nreduce"]


def other_type(call):
    call["target"] = call["target"].view("l")


def other_size(call):
    call["source"] = call["source"].view("f4")


def swapped_bytes(call):
    call["source"] = call["source"].view(np.dtype("d").newbyteorder())


def negative(call):
    call["nreduce"] = -1


def fraction(call):
    call["nreduce"] = 2.5


def too_many_for_the_target(call):
    call["target"] = call["target"][1:]


def too_many_for_the_source(call):
    call["source"] = call["source"][1:]


def overlap(call):
    call["nreduce"] -= 1
    call["target"], call["source"] = call["source"][1:], call["source"][:-1]


def overlap_by_one(call):
    count = call["nreduce"] = call["nreduce"] // 2
    call["target"] = call["source"][count - 1 : 2 * count - 1]
    call["source"] = call["source"][:count]


def overlap_from_behind(call):
    call["nreduce"] -= 1
    call["target"], call["source"] = call["source"][:-1], call["source"][1:]


def read_only(call):
    call["target"] = call["target"].view()
    call["target"].flags.writeable = False


def with_gaps(call):
    memory = call.take(2 * call["nreduce"], "d")
    call["target"] = memory[::2]


def backwards(call):
    call["source"] = call["source"][::-1]


def at_an_odd_address(call):
    memory = call.take(8 * call["nreduce"] + 8, "u1")
    call["target"] = memory[3:][: 8 * call["nreduce"]].view("d")


def no_sync(call):
    call["pSync"] = None


def number_as_sync(call):
    call["pSync"] = -1


def private_sync(call):
    call["pSync"] = np.full(4, shmem.SHMEM_SYNC_VALUE)


def int32_sync(call):
    call["pSync"] = sync_array(call.take, "i4")


def float_sync(call):
    call["pSync"] = sync_array(call.take, "d")


def short_sync(call):
    call["pSync"] = call["pSync"][: shmem.SHMEM_REDUCE_SYNC_SIZE - 1]


def fresh_sync(call):
    call["pSync"] = call.take(4, "l")
    call["pSync"][...] = 0


def float_work(call):
    call["pWrk"] = call["pWrk"].view("f4")


def private_work(call):
    call["pWrk"] = np.zeros(call["nreduce"])


def work_that_is_none(call):
    call["pWrk"] = "buffer"


SPOILED = {
    private_target: (SymmetryError, "target is a private array.*symmetric"),
    private_source: (SymmetryError, "source is a private array.*symmetric"),
    no_target: (DatatypeError, "target is None; it must be a numpy.ndarray"),
    a_list: (DatatypeError, "source is a list; it must be a numpy.ndarray"),
    other_type: (DatatypeError, "target is of int64; this routine takes float64"),
    other_size: (DatatypeError, "source is of float32; this routine takes float64"),
    swapped_bytes: (DatatypeError, "source is of >f8; this routine takes float64"),
    negative: (ArgumentError, "nreduce is -1; it must be at least 0"),
    fraction: (ArgumentError, "nreduce is 2.5; it must be an integer"),
    too_many_for_the_target: (ArgumentError, "nreduce is {count}; target has {less} elements"),
    too_many_for_the_source: (ArgumentError, "nreduce is {count}; source has {less} elements"),
    overlap: (OverlapError, "target and source overlap.* 8 bytes apart.*disjoint"),
    overlap_by_one: (OverlapError, "^shmem_double_sum_to_all: target and source overlap.*disjoint"),
    overlap_from_behind: (OverlapError, "target and source overlap.* 8 bytes apart.*disjoint"),
    read_only: (ArgumentError, "target is read-only; it must be writable"),
    with_gaps: (ArgumentError, r"target \(shape .*strides \(16,\)\) is not contiguous"),
    backwards: (ArgumentError, r"source \(shape .*strides \(-8,\)\) is not contiguous"),
    at_an_odd_address: (ArgumentError, "target starts at an address.*multiple of 8 bytes"),
    no_sync: (DatatypeError, "pSync is None; it must be.*int64.*shmem.full"),
    number_as_sync: (DatatypeError, "pSync is a int; it must be.*int64.*shmem.full"),
    private_sync: (SymmetryError, "pSync is a private array.*shmem.full"),
    int32_sync: (DatatypeError, "pSync is of int32; it must be of int64.*shmem.full"),
    float_sync: (DatatypeError, "pSync is of float64; it must be of int64.*shmem.full"),
    short_sync: (ArgumentError, "pSync has 0 elements.*SHMEM_REDUCE_SYNC_SIZE = 1.*shmem.full"),
    fresh_sync: (ArgumentError, r"pSync\[0\] is 0.*write pSync\[:\] = shmem.SHMEM_SYNC_VALUE"),
    float_work: (DatatypeError, "pWrk is of float32; this routine takes float64"),
    private_work: (SymmetryError, "pWrk is a private array"),
    work_that_is_none: (DatatypeError, "pWrk is a str; it must be"),
}


@pytest.fixture
def prepared(arena):
    """Yield two active sets and a pSync array for each.

    Afterwards check that pSync is unchanged.
    """
    sets = [everybody(), even_pes()]
    syncs = [sync_array(arena.take) for _ in sets]
    shmem.shmem_barrier_all()
    yield sets, syncs
    check_sync(*syncs)


def check_usable(arena, members, sync):
    for count in COUNTS:
        call = Call(arena.take, members, sync, count)
        call()
        assert (call.arrays.target == len(members.pes)).all()
        call.arrays.check_surroundings()


@pytest.mark.parametrize("who", ["last", "first", "all"])
@pytest.mark.parametrize("spoil", SPOILED, ids=lambda spoil: spoil.__name__)
def test_a_wrong_argument(arena, prepared, spoil, who):
    kind, message = SPOILED[spoil]
    for members, sync in zip(*prepared, strict=True):
        if not members.is_member:
            continue
        culprits = {"last": members.pes[-1:], "first": members.pes[:1], "all": members.pes}[who]
        for count in COUNTS:
            call = Call(arena.take, members, sync, count)
            memory = call.arrays
            is_wrong = shmem.shmem_my_pe() in culprits
            if is_wrong:
                spoil(call)
            with pytest.raises(redcoll.RedcollError) as caught:
                call()
            text = str(caught.value)
            if is_wrong:
                assert type(caught.value) is kind
                assert text.startswith(f"{call.name}: ")
                pattern = message.replace("{count}", str(count)).replace("{less}", str(count - 1))
                assert re.search(pattern, text), text
            else:
                assert type(caught.value) is CollectiveMismatchError
                assert re.search(f"PE {culprits[0]} refused.*{call.name}: ", text), text
            memory.check_untouched()
        check_usable(arena, members, sync)
    shmem.shmem_barrier_all()


@pytest.mark.parametrize("name", ["target", "source", "nreduce", "pWrk", "pSync"])
def test_arguments_that_fit_no_signature_leave_the_team_usable(arena, prepared, name):
    for members, sync in zip(*prepared, strict=True):
        if members.is_member:
            check_usable(arena, members, sync)
            arguments = Call(arena.take, members, sync, 4).arguments
            del arguments[name]
            with pytest.raises(TypeError, match=f"sum_to_all.* is missing arguments: {name}$"):
                shmem.shmem_double_sum_to_all(**arguments)
            check_usable(arena, members, sync)


def test_many_wrong_calls_in_a_row(arena, prepared):
    """A member that makes many wrong calls stays in step with the other members."""
    members, sync = prepared[0][0], prepared[1][0]
    me, n = shmem.shmem_my_pe(), shmem.shmem_n_pes()
    call = Call(arena.take, members, sync, 4)
    for repetition in range(50):
        wrong = repetition % n
        call["nreduce"] = -1 if me == wrong or repetition % 7 == 0 else 4
        expected = ArgumentError if call["nreduce"] < 0 else CollectiveMismatchError
        with pytest.raises(expected):
            call()
        if repetition % 5 == 0:
            call["nreduce"] = 4
            call()
            assert (call.arrays.target == n).all()


def test_freed_arrays(world):
    n = shmem.shmem_n_pes()
    sync = shmem.full(1, shmem.SHMEM_SYNC_VALUE, "l")
    y, x, keep = shmem.zeros(6002), shmem.ones(6002), shmem.zeros(6002)
    for count in COUNTS:
        shmem.shmem_double_sum_to_all(y, x, count, 0, 0, n, None, sync)
    shmem.free(x)
    for count in COUNTS:
        for arrays, name in (((y, x), "source"), ((x, y), "target"), ((x[2:], y), "target")):
            message = f"shmem_double_sum_to_all: {name} .* freed"
            with pytest.raises(StateError, match=message):
                shmem.shmem_double_sum_to_all(*arrays, count, 0, 0, n, None, sync)
    shmem.shmem_double_sum_to_all(keep, y, 4, 0, 0, n, None, sync)
    assert (keep[:4] == n * n).all()
    shmem.free(sync)
    with pytest.raises(StateError, match=r"pSync .* freed"):
        shmem.shmem_double_sum_to_all(keep, y, 4, 0, 0, n, None, sync)
    shmem.free(keep)
    shmem.free(y)


def test_one_member_freed_nothing_but_passes_freed_memory(world):
    """Only one PE passes a freed array. The mismatch error of the other PEs says "freed"."""
    me, n = shmem.shmem_my_pe(), shmem.shmem_n_pes()
    sync = shmem.full(1, shmem.SHMEM_SYNC_VALUE, "l")
    y, x, gone = shmem.zeros(4), shmem.ones(4), shmem.ones(4)
    shmem.free(gone)
    kind = StateError if me == n - 1 else CollectiveMismatchError
    source = gone if me == n - 1 else x
    with pytest.raises(kind, match="freed"):
        shmem.shmem_double_sum_to_all(y, source, 4, 0, 0, n, None, sync)
    assert (y == 0).all()
    for array in (x, y, sync):
        shmem.free(array)


def test_sync_overwritten_later(arena):
    """Every call reads the values of pSync, even if the kernel knows the call."""
    me, n = shmem.shmem_my_pe(), shmem.shmem_n_pes()
    sync = sync_array(arena.take)
    call = Call(arena.take, everybody(), sync, 4)
    shmem.shmem_barrier_all()
    call()
    call()
    if me == n - 1:
        sync[0] = 7
    kind = ArgumentError if me == n - 1 else CollectiveMismatchError
    with pytest.raises(kind, match=r"pSync\[0\] is 7"):
        call()
    sync[0] = shmem.SHMEM_SYNC_VALUE
    call()
    assert (call.arrays.target == n).all()


def test_target_made_read_only_later(arena):
    me = shmem.shmem_my_pe()
    sync = sync_array(arena.take)
    call = Call(arena.take, everybody(), sync, 4)
    shmem.shmem_barrier_all()
    call()
    call["target"][...] = 5
    if me == 0:
        call["target"].flags.writeable = False
    with pytest.raises(ArgumentError if me == 0 else CollectiveMismatchError, match="read-only"):
        call()
    assert (call["target"] == 5).all()


# -- active sets ----------------------------------------------------------------------------------

# The three numbers of a set for n PEs, and what the message says about them.
WRONG_SETS = {
    "negative start": (lambda n: (-1, 0, 1), "PE_start is -1; it must be at least 0"),
    "negative stride": (lambda n: (0, -1, n), "logPE_stride is -1; it must be at least 0"),
    "no members": (lambda n: (0, 0, 0), "PE_size is 0; it must be at least 1"),
    "negative size": (lambda n: (0, 0, -2), "PE_size is -2; it must be at least 1"),
    "one too many": (lambda n: (0, 0, n + 1), "PE_size {n1}.* ends at PE {n}; .*last PE is {last}"),
    "starts too far": (lambda n: (1, 0, n), "PE_start 1.* ends at PE {n}; .*last PE is {last}"),
    "stride too large": (lambda n: (0, 40, 2), "logPE_stride is 40.*past.*last PE, {last}"),
    "stride beyond all": (lambda n: (0, 10**12, 3), "logPE_stride is 10+:.*past"),
    "far away": (lambda n: (10**9, 0, 2), "PE_start 1000000000.*last PE is {last}"),
    "start no number": (lambda n: ("0", 0, n), "PE_start is '0'; it must be an integer"),
    "stride a fraction": (lambda n: (0, 0.5, n), "logPE_stride is 0.5; it must be an integer"),
    "size none": (lambda n: (0, 0, None), "PE_size is None; it must be an integer"),
}


@pytest.mark.parametrize("which", WRONG_SETS)
@pytest.mark.parametrize("nreduce", [0, 4])
def test_wrong_sets(arena, which, nreduce):
    make, message = WRONG_SETS[which]
    n = shmem.shmem_n_pes()
    sync = sync_array(arena.take)
    arrays = Arrays(arena.take, "d", 4)
    arrays.fill(1)
    for key, value in (("{n1}", n + 1), ("{n}", n), ("{last}", n - 1)):
        message = message.replace(key, str(value))
    with pytest.raises(ActiveSetError, match=f"^shmem_double_sum_to_all: .*{message}"):
        shmem.shmem_double_sum_to_all(
            arrays.target, arrays.source, nreduce, *make(n), arrays.work, sync
        )
    arrays.check_untouched()
    check_sync(sync)
    shmem.shmem_barrier_all()


@pytest.mark.parametrize("nreduce", [0, 4])
def test_calling_from_outside(arena, nreduce):
    """A PE outside the set gets an error, and the members complete their call."""
    me, n = shmem.shmem_my_pe(), shmem.shmem_n_pes()
    if n == 1:
        pytest.skip("with one PE nobody is outside")
    sync = sync_array(arena.take)
    shmem.shmem_barrier_all()
    for members in (even_pes(), Set(1, 0, n - 1)):
        call = Call(arena.take, members, sync, 4)
        call["nreduce"] = nreduce
        if members.is_member:
            call()
            assert nreduce == 0 or (call.arrays.target == len(members.pes)).all()
        else:
            with pytest.raises(ActiveSetError, match=f"PE {me} is not in the active set.*members"):
                call()
            call.arrays.check_untouched()
    shmem.shmem_barrier_all()


# -- members that disagree ------------------------------------------------------------------------


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize(
    ("name", "dtype"),
    [
        ("shmem_double_max_to_all", "d"),
        ("shmem_long_sum_to_all", "l"),
        ("shmem_complexf_sum_to_all", "F"),
    ],
)
def test_other_routines(arena, prepared, name, dtype, count):
    """If one member calls another operation or type, all members raise the same error."""
    me, n = shmem.shmem_my_pe(), shmem.shmem_n_pes()
    if n == 1:
        pytest.skip("one PE agrees with itself")
    members, sync = prepared[0][0], prepared[1][0]
    call = Call(arena.take, members, sync, count)
    if me == n - 1:
        call.name = name
        for array in ("target", "source", "pWrk"):
            call[array] = call[array].view(dtype)
    with pytest.raises(
        CollectiveMismatchError, match=r"op=SUM, type=float64.*called.*op="
    ) as caught:
        call()
    assert "Nothing was written" in str(caught.value)
    call.arrays.check_untouched()
    check_usable(arena, members, sync)


@pytest.mark.parametrize(("here", "elsewhere"), [(3, 4), (4, 6000), (6000, 5999)])
def test_other_counts(arena, prepared, here, elsewhere):
    me, n = shmem.shmem_my_pe(), shmem.shmem_n_pes()
    if n == 1:
        pytest.skip("one PE agrees with itself")
    members, sync = prepared[0][0], prepared[1][0]
    call = Call(arena.take, members, sync, max(here, elsewhere))
    call["nreduce"] = here if me == n - 1 else elsewhere
    with pytest.raises(CollectiveMismatchError, match=f"count={here}") as caught:
        call()
    assert f"count={elsewhere}" in str(caught.value)
    call.arrays.check_untouched()
    check_usable(arena, members, sync)


def test_another_collective(arena, prepared):
    me, n = shmem.shmem_my_pe(), shmem.shmem_n_pes()
    if n == 1:
        pytest.skip("one PE agrees with itself")
    members, sync = prepared[0][0], prepared[1][0]
    call = Call(arena.take, members, sync, 4)

    def broadcast():
        shmem.shmem_broadcast64(call["target"], call["source"], 4, 0, 0, 0, n, sync)

    with pytest.raises(CollectiveMismatchError, match=r"called allreduce\(") as caught:
        (broadcast if me else call)()
    assert "called broadcast(" in str(caught.value)
    call.arrays.check_untouched()
    check_usable(arena, members, sync)
