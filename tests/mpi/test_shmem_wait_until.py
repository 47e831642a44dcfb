"""Test ``shmem_wait_until`` and ``shmem_test`` on a value in the caller's own memory."""

import operator
import time

import numpy as np
import pytest
from mpi4py import MPI

import redcoll_shmem as shmem
from redcoll import (
    ArgumentError,
    CollectiveTimeoutError,
    DatatypeError,
    StateError,
    SymmetryError,
)

pytestmark = pytest.mark.mpi

# Copied from OpenSHMEM 1.4, table 5.
TYPES = dict(
    word.split(":")
    for text in (
        "short:i2 int:i4 long:i8 longlong:q ushort:u2 uint:u4 ulong:u8 ulonglong:Q",
        "int32:i4 int64:i8 uint32:u4 uint64:u8 size:u8 ptrdiff:i8",
    )
    for word in text.split()
)
COMPARE = {
    shmem.SHMEM_CMP_EQ: operator.eq,
    shmem.SHMEM_CMP_NE: operator.ne,
    shmem.SHMEM_CMP_GT: operator.gt,
    shmem.SHMEM_CMP_GE: operator.ge,
    shmem.SHMEM_CMP_LT: operator.lt,
    shmem.SHMEM_CMP_LE: operator.le,
}


@pytest.mark.parametrize("name", [*TYPES, ""])
def test_all_comparisons(arena, name):
    dtype = np.dtype(TYPES.get(name, "l"))
    prefix = f"shmem_{name}_" if name else "shmem_"
    wait_until, test = getattr(shmem, f"{prefix}wait_until"), getattr(shmem, f"{prefix}test")
    box = arena.take(3, dtype)
    info = np.iinfo(dtype)
    values = [info.min, info.min + 1, 0, 1, info.max // 2 + 1, info.max - 1, info.max]
    compared = 0
    for own in values:
        box[1] = own
        for value in values:
            for cmp, compare in COMPARE.items():
                holds = test(box[1:], cmp, value)
                assert holds is compare(own, value)
                if holds:
                    wait_until(box[1, ...], cmp, value)
                compared += 1
    assert compared == 6 * 49


@pytest.mark.parametrize("name", [*TYPES, ""])
def test_waiting_for_another_pe(arena, name, delays):
    dtype = np.dtype(TYPES.get(name, "l"))
    prefix = f"shmem_{name}_" if name else "shmem_"
    me, n = shmem.shmem_my_pe(), shmem.shmem_n_pes()
    box = arena.take(1, dtype)
    box[0] = 0
    shmem.shmem_barrier_all()
    p = getattr(shmem, f"shmem_{name or 'long'}_p")
    for turn in range(1, 51):
        delays()
        if me == 0:  # the flag goes once around the ring
            p(box, turn, 1 % n)
        getattr(shmem, f"{prefix}wait_until")(box, shmem.SHMEM_CMP_EQ, turn)
        if me:
            p(box, turn, (me + 1) % n)
    assert box[0] == 50
    shmem.shmem_barrier_all()


@pytest.mark.parametrize("name", ["short", "int", "long", "longlong", ""])
def test_old_wait(arena, name, delays):
    dtype = {"short": "i2", "int": "i4"}.get(name, "l")
    me, n = shmem.shmem_my_pe(), shmem.shmem_n_pes()
    box = arena.take(1, dtype)
    box[0] = 0
    shmem.shmem_barrier_all()
    wait = getattr(shmem, f"shmem_{name}_wait" if name else "shmem_wait")
    p = getattr(shmem, f"shmem_{name or 'long'}_p")
    for turn in range(20):
        delays()
        if me == 0:
            p(box, turn + 1, 1 % n)
        wait(box, turn)
        assert box[0] == turn + 1
        if me:
            p(box, turn + 1, (me + 1) % n)
    shmem.shmem_barrier_all()


def test_polling(arena):
    """A loop of ``shmem_test`` calls must let the other PEs run."""
    me, n = shmem.shmem_my_pe(), shmem.shmem_n_pes()
    box = arena.take(1, "l")
    box[0] = 0
    shmem.shmem_barrier_all()
    shmem.shmem_long_p(box, me + 1, (me + 1) % n)
    end = time.monotonic() + 20
    while not shmem.shmem_long_test(box, shmem.SHMEM_CMP_NE, 0):
        assert time.monotonic() < end
    assert box[0] == (me - 1) % n + 1
    shmem.shmem_barrier_all()


def test_deadline_names_the_awaited_call(arena, world, monkeypatch):
    box = arena.take(1, "i4")
    box[0] = 7
    shmem.shmem_barrier_all()
    monkeypatch.setattr(world.team.watch, "timeout_s", 0.3)
    start = time.monotonic()
    with pytest.raises(CollectiveTimeoutError) as caught:
        shmem.shmem_int_wait_until(box, shmem.SHMEM_CMP_EQ, 8)
    assert 0.3 <= time.monotonic() - start < 10
    text = str(caught.value)
    assert "wait_until(ivar eq 8), it is 7" in text
    assert "within 0.3 s (REDCOLL_TIMEOUT)" in text
    monkeypatch.undo()
    # A wait for a value is not a round, so the team still works.
    shmem.shmem_barrier_all()


def test_stall_is_reported_once(arena, world, monkeypatch, capfd):
    me, n = shmem.shmem_my_pe(), shmem.shmem_n_pes()
    if n == 1:
        pytest.skip("one PE has nobody to wait for")
    box = arena.take(1, "l")
    box[0] = 0
    shmem.shmem_barrier_all()
    monkeypatch.setattr(world.team.watch, "stall_warn_s", 0.2)
    if me == 0:
        MPI.COMM_WORLD.send("about to wait", 1)
        shmem.shmem_wait(box, 0)
        lines = [line for line in capfd.readouterr().err.splitlines() if "redcoll: " in line]
        assert len(lines) == 1
        assert "wait_until(ivar ne 0), it is 0: waiting 0 s for any other PE" in lines[0]
    elif me == 1:
        MPI.COMM_WORLD.recv(source=0)
        time.sleep(0.6)
        shmem.shmem_long_p(box, 1, 0)
    shmem.shmem_barrier_all()


def test_wrong_arguments(arena):
    box = arena.take(2, "l")
    box[...] = 0
    eq = shmem.SHMEM_CMP_EQ
    cases = [
        ("shmem_long_wait_until", (box, 6, 0), ArgumentError, "cmp is 6; .*SHMEM_CMP_EQ"),
        ("shmem_long_wait_until", (box, "==", 0), ArgumentError, "cmp is '=='"),
        ("shmem_long_wait_until", (box, eq, 0.5), ArgumentError, "cmp_value is 0.5"),
        ("shmem_long_wait_until", (box[:0], eq, 0), ArgumentError, "ivar has no elements"),
        ("shmem_long_wait_until", (box, eq, 1 << 63), ArgumentError, f"cmp_value is {1 << 63}"),
        ("shmem_wait_until", (box.view("u8"), eq, -1), ArgumentError, "cmp_value is -1; .* from 0"),
        ("shmem_int_test", (box.view("i4"), eq, 1 << 31), ArgumentError, "cmp_value is 2147483648"),
        ("shmem_short_wait", (box.view("i2"), 1 << 15), ArgumentError, "cmp_value is 32768"),
        ("shmem_long_wait_until", (np.zeros(2, "l"), eq, 0), SymmetryError, "ivar is a private"),
        ("shmem_int_wait_until", (box, eq, 0), DatatypeError, "ivar is of int64; .* int32"),
        ("shmem_wait_until", (box.view("d"), eq, 0), DatatypeError, "ivar is of float64"),
        ("shmem_test", ([0], eq, 0), DatatypeError, "ivar is a list"),
        ("shmem_ulong_test", (box, eq, 0), DatatypeError, "ivar is of int64; .* uint64"),
        ("shmem_wait", (None, 0), DatatypeError, "ivar is None"),
        ("shmem_short_wait", (box, 0), DatatypeError, "ivar is of int64; .* int16"),
    ]
    for name, arguments, kind, message in cases:
        with pytest.raises(kind, match=f"^{name}: .*{message}") as caught:
            getattr(shmem, name)(*arguments)
        assert type(caught.value) is kind
    gone = shmem.zeros(1, "l")
    shmem.free(gone)
    for call in (shmem.shmem_test, shmem.shmem_wait_until):
        with pytest.raises(StateError, match="freed"):
            call(gone, eq, 0)
