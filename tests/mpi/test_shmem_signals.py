"""Test puts with a signal, by every name. A PE that sees the signal also sees the data."""

import os

import numpy as np
import pytest
from mpi import oracle
from mpi.oracle import Guarded

import redcoll
import redcoll_shmem as shmem
from redcoll import (
    ArgumentError,
    CollectiveTimeoutError,
    DatatypeError,
    StateError,
    SymmetryError,
)
from redcoll.onesided import signals

pytestmark = pytest.mark.mpi

ROUNDS = int(os.environ.get("REDCOLL_TEST_ROUNDS", "100"))
SET, ADD = shmem.SHMEM_SIGNAL_SET, shmem.SHMEM_SIGNAL_ADD

# Copied from OpenSHMEM 1.5, table 3.
TYPES = {
    "float": "f4", "double": "f8", "longdouble": "g", "char": "i1", "schar": "i1", "short": "i2",
    "int": "i4", "long": "l", "longlong": "q", "uchar": "u1", "ushort": "u2", "uint": "u4",
    "ulong": "L", "ulonglong": "Q", "int8": "i1", "int16": "i2", "int32": "i4", "int64": "i8",
    "uint8": "u1", "uint16": "u2", "uint32": "u4", "uint64": "u8", "size": "u8", "ptrdiff": "i8",
}  # fmt: skip
SIZES = {8: "i1", 16: "f2", 32: "f4", 64: "c8", 128: "c16"}
PUTS = {
    **{f"{name}_put": (dtype, 1) for name, dtype in TYPES.items()},
    "put": ("c8", 1),
    **{f"put{bits}": (dtype, 1) for bits, dtype in SIZES.items()},
    "putmem": ("f8", 8),
}
MOST = 2**64 - 1


def test_number_of_names():
    names = {f"shmem_{put}_signal{suffix}" for put in PUTS for suffix in ("", "_nbi")}
    assert set(shmem.signals.ROUTINES) == names | {"shmem_signal_set", "shmem_signal_add"}
    assert len(names) == 2 * 31


@pytest.mark.parametrize("suffix", ["", "_nbi"])
def test_every_name(arena, suffix):
    me, n = shmem.shmem_my_pe(), shmem.shmem_n_pes()
    left, right = (me - 1) % n, (me + 1) % n
    for put, (dtype, unit) in PUTS.items():
        arena.reset()
        routine = getattr(shmem, f"shmem_{put}_signal{suffix}")
        inbox, signal = Guarded(11, dtype, arena.take), Guarded(1, "u8", arena.take)
        signal.array[0] = 0
        shmem.shmem_barrier_all()
        rows = [oracle.values(dtype, 11, np.random.default_rng([pe])) for pe in (me, left)]
        routine(inbox.array, rows[0], 11 * unit, signal.array, MOST, SET, right)
        seen = shmem.shmem_signal_wait_until(signal.array, shmem.SHMEM_CMP_NE, 0)
        assert seen == MOST
        assert oracle.value_bytes(inbox.array) == oracle.value_bytes(rows[1])
        shmem.shmem_barrier_all()
        routine(None, None, 0, signal.array, 3, ADD, right)
        assert shmem.shmem_signal_wait_until(signal.array, shmem.SHMEM_CMP_LT, MOST) == 2
        assert shmem.shmem_signal_fetch(signal.array) == 2  # the sum is taken modulo 2**64
        inbox.check()
        signal.check()
        shmem.shmem_barrier_all()


def test_signals_without_data(arena):
    me, n = shmem.shmem_my_pe(), shmem.shmem_n_pes()
    signal = arena.take(1, "u8")
    signal[0] = 0
    shmem.shmem_barrier_all()
    for pe in range(n):
        shmem.shmem_signal_add(signal, me + 1, pe)
    total = n * (n + 1) // 2
    assert shmem.shmem_signal_wait_until(signal, shmem.SHMEM_CMP_GE, total) == total
    shmem.shmem_barrier_all()
    shmem.shmem_signal_set(signal, MOST - me, (me + 1) % n)
    shmem.shmem_barrier_all()
    assert shmem.shmem_signal_fetch(signal) == MOST - (me - 1) % n
    shmem.shmem_barrier_all()


def test_ping_pong(arena, delays):
    """The PEs of each pair answer each other's signals and check the data."""
    me, n = shmem.shmem_my_pe(), shmem.shmem_n_pes()
    other = me ^ 1
    data, signal = arena.take(5, "l"), arena.take(1, "u8")
    data[...], signal[0] = 0, 0
    shmem.shmem_barrier_all()
    if other < n:
        for turn in range(1, ROUNDS + 1):
            delays()
            if (turn + me) % 2:
                source = np.arange(5) * turn + me
                shmem.shmem_long_put_signal(data, source, 5, signal, turn, SET, other)
            else:
                seen = shmem.shmem_signal_wait_until(signal, shmem.SHMEM_CMP_GE, turn)
                assert seen == turn
                assert data.tolist() == [at * turn + other for at in range(5)]
    shmem.shmem_barrier_all()


def test_many_senders(arena, delays):
    """All PEs add to the same signal. When the signal has the full sum, all data have arrived."""
    me, n = shmem.shmem_my_pe(), shmem.shmem_n_pes()
    data, signal = arena.take(n, "l"), arena.take(1, "u8")
    data[...], signal[0] = 0, 0
    shmem.shmem_barrier_all()
    for turn in range(1, ROUNDS // 10 + 1):
        delays()
        shmem.shmem_long_put_signal_nbi(data[me:], np.array([turn]), 1, signal, 1, ADD, 0)
        if me == 0:
            assert shmem.shmem_signal_wait_until(signal, shmem.SHMEM_CMP_EQ, turn * n) == turn * n
            assert (data == turn).all()
        shmem.shmem_barrier_all()


def test_wrong_arguments(arena, world, monkeypatch):
    n = shmem.shmem_n_pes()
    box, signal = arena.take(2, "l"), arena.take(1, "u8")
    box[...], signal[0] = 7, 9
    shmem.shmem_barrier_all()
    data = np.zeros(2, "l")
    good = (box, data, 2, signal, 1, SET, 0)

    def but(at, value):
        return (*good[:at], value, *good[at + 1 :])

    for kind, text, arguments in (
        (DatatypeError, "target is None", but(0, None)),
        (SymmetryError, "target is a private", but(0, data)),
        (DatatypeError, "source is of int32", but(1, data.view("i4"))),
        (ArgumentError, "nelems is 3", but(2, 3)),
        (DatatypeError, "sig_addr is of int64", but(3, box)),
        (DatatypeError, "sig_addr is a NoneType", but(3, None)),
        (SymmetryError, "sig_addr is a private", but(3, np.zeros(1, "u8"))),
        (ArgumentError, "no elements", but(3, signal[:0])),
        (ArgumentError, "signal is -1", but(4, -1)),
        (ArgumentError, f"signal is {2**64}", but(4, 2**64)),
        (ArgumentError, "sig_op is 2", but(5, 2)),
        (ArgumentError, "sig_op is None", but(5, None)),
        (ArgumentError, f"pe is {n}", but(6, n)),
    ):
        with pytest.raises(kind, match=text) as info:
            shmem.shmem_long_put_signal(*arguments)
        assert str(info.value).startswith("shmem_long_put_signal: ")
    assert box.tolist() == [7, 7]
    assert signal[0] == 9
    for name, arguments in (
        ("shmem_signal_fetch", (box,)),
        ("shmem_signal_wait_until", (box, 0, 0)),
        ("shmem_signal_wait_until", (signal, 9, 0)),
        ("shmem_signal_wait_until", (signal, 0, -1)),
        ("shmem_signal_set", (box, 0, 0)),
        ("shmem_signal_add", (signal, 0, n)),
    ):
        with pytest.raises(ArgumentError, match=f"{name}: "):
            getattr(shmem, name)(*arguments)
    with pytest.raises(ArgumentError, match="shmem_signal_add: signal is -1"):
        shmem.shmem_signal_add(signal, -1, 0)
    monkeypatch.setattr(world.team.watch, "timeout_s", 0.2)
    with pytest.raises(CollectiveTimeoutError, match=r"sig_addr eq 3.*it is 9"):
        shmem.shmem_signal_wait_until(signal, shmem.SHMEM_CMP_EQ, 3)
    shmem.shmem_barrier_all()
    freed = shmem.zeros(1, "u8")
    shmem.shmem_free(freed)
    with pytest.raises(StateError, match="freed"):
        shmem.shmem_long_put_signal(*but(3, freed))
    shmem.shmem_barrier_all()
    assert box.tolist() == [7, 7]


def test_put_signal_completes_what_goes_to_its_target_alone(world, arena, monkeypatch):
    completed = []
    barrier = world.memory_barrier
    monkeypatch.setattr(world, "memory_barrier", lambda pes=None: completed.append(pes))
    signal = arena.take(1, "u8")
    signals.put_signal(lambda: None, signal, 0, "add", world.n_pes - 1)
    monkeypatch.setattr(world, "memory_barrier", barrier)
    assert completed == [{world.n_pes - 1}]
    redcoll.barrier()
