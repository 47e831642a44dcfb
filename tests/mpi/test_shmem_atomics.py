"""Test every atomic routine on boundary values, and with all PEs on the same element."""

import os

import numpy as np
import pytest
from mpi import oracle
from mpi.oracle import Guarded

import redcoll_shmem as shmem
from redcoll import ArgumentError, DatatypeError, StateError, SymmetryError

pytestmark = pytest.mark.mpi

ROUNDS = int(os.environ.get("REDCOLL_TEST_ROUNDS", "100"))

# Copied from OpenSHMEM 1.5, tables 6, 7 and 8.
STANDARD = dict(
    [("int", "i4"), ("long", "l"), ("longlong", "q"), ("uint", "u4"), ("ulong", "L")],
    ulonglong="Q",
    int32="i4",
    int64="i8",
    uint32="u4",
    uint64="u8",
    size="u8",
    ptrdiff="i8",
)
EXTENDED = {**STANDARD, "float": "f4", "double": "f8"}
_BITS = ("uint", "ulong", "ulonglong", "int32", "int64", "uint32", "uint64")
BITWISE = {name: STANDARD[name] for name in _BITS}
OLD = {name: EXTENDED[name] for name in ("int", "long", "longlong")}
OLD_EXTENDED = {**OLD, "float": "f4", "double": "f8"}


def values_of(dtype):
    return oracle.boundary(np.dtype(dtype))


def wrap(value, dtype):
    """Wrap an integer around at the bounds of ``dtype``."""
    bits = 8 * dtype.itemsize
    value %= 1 << bits
    return value - (1 << bits) if dtype.kind == "i" and value >> (bits - 1) else value


RESULTS = {
    "set": lambda old, value: value,
    "swap": lambda old, value: value,
    "add": lambda old, value: old + value,
    "fetch_add": lambda old, value: old + value,
    **{f"{each}and": lambda old, value: old & value for each in ("", "fetch_")},
    **{f"{each}or": lambda old, value: old | value for each in ("", "fetch_")},
    **{f"{each}xor": lambda old, value: old ^ value for each in ("", "fetch_")},
}
TAKES = {
    **dict.fromkeys(("fetch", "set", "swap"), EXTENDED),
    **dict.fromkeys(("compare_swap", "inc", "fetch_inc", "add", "fetch_add"), STANDARD),
    **{f"{each}{op}": BITWISE for each in ("", "fetch_") for op in ("and", "or", "xor")},
}
OLD_NAMES = {
    "fetch": "fetch", "set": "set", "swap": "swap", "compare_swap": "cswap", "inc": "inc",
    "fetch_inc": "finc", "add": "add", "fetch_add": "fadd",
}  # fmt: skip
FETCHING = {verb for verb in TAKES if "fetch" in verb or "swap" in verb}


def cases():
    """Yield (routine, verb, dtype, is_nbi) for every name. The typed names come first."""
    for verb, types in TAKES.items():
        for name, dtype in types.items():
            yield f"shmem_{name}_atomic_{verb}", verb, dtype, False
            if verb in FETCHING:
                yield f"shmem_{name}_atomic_{verb}_nbi", verb, dtype, True
        for dtype in ("i4", "u8"):
            yield f"shmem_atomic_{verb}", verb, dtype, False
            if verb in FETCHING:
                yield f"shmem_atomic_{verb}_nbi", verb, dtype, True
    for verb, old in OLD_NAMES.items():
        for name, dtype in (OLD_EXTENDED if verb in ("fetch", "set", "swap") else OLD).items():
            yield f"shmem_{name}_{old}", verb, dtype, False
        for dtype in ("i4", "i8"):
            yield f"shmem_{old}", verb, dtype, False


def test_names():
    names = {name for name, *_ in cases()}
    assert len(names) == 289
    assert set(shmem.atomics.ROUTINES) == names


def as_number(value, dtype):
    return float(value) if dtype.kind == "f" else int(value)


def pairs(values, is_far):
    """Return pairs of an old value and an operand.

    On one node the function returns all pairs. On several nodes each pair takes messages, so every
    value occurs in a few pairs only.
    """
    if is_far:
        return [*zip(values, values, strict=True), *zip(values, np.roll(values, 1), strict=True)]
    return [(old, value) for old in values for value in values]


def same(a, b, dtype):
    return np.array(a, dtype).tobytes() == np.array(b, dtype).tobytes()


@pytest.mark.parametrize("verb", TAKES)
def test_every_name_on_boundary_values(arena, verb):
    """Each PE works on an element of its own in the memory of its right neighbour."""
    me, n = shmem.shmem_my_pe(), shmem.shmem_n_pes()
    right = (me + 1) % n
    is_far = shmem.shmem_ptr(arena.take(1, "l"), right) is None
    compared = 0
    for name, of, dtype, is_nbi in cases():
        if of != verb:
            continue
        arena.reset()
        dtype = np.dtype(dtype)
        box = Guarded(1, dtype, arena.take)
        there = np.empty(1, dtype)
        shmem.shmem_barrier_all()
        routine = getattr(shmem, name)
        fetched = np.empty(2, dtype)[1:]

        def call(*operands, routine=routine, box=box, is_nbi=is_nbi, fetched=fetched):
            if not is_nbi:
                return routine(box.array, *operands, right)
            assert routine(fetched, box.array, *operands, right) is None
            return fetched.item(0)

        values = values_of(dtype)
        for old, value in pairs(values, is_far):
            there[0] = old
            shmem.shmem_put(box.array, there, there.size, right)
            shmem.shmem_quiet()
            before, wanted = as_number(old, dtype), as_number(old, dtype)
            operand = as_number(value, dtype)
            if verb == "fetch":
                found = call()
            elif verb.endswith("inc"):
                found, wanted = call(), wrap(before + 1, dtype)
            elif verb == "compare_swap":
                condition = as_number(values[0], dtype)
                found = call(condition, operand)
                wanted = operand if before == condition else before
            else:
                found, wanted = call(operand), RESULTS[verb](before, operand)
                wanted = wanted if dtype.kind == "f" else wrap(wanted, dtype)
            if verb in FETCHING:
                assert same(found, before, dtype), (name, before, operand)
                assert type(found) is (float if dtype.kind == "f" else int)
            else:
                assert found is None
            shmem.shmem_quiet()
            shmem.shmem_get(there, box.array, there.size, right)
            assert same(there[0], wanted, dtype), (name, before, operand)
            compared += 1
        shmem.shmem_barrier_all()
        box.check()
    assert compared >= (100 if is_far else 200)


@pytest.mark.parametrize("name", ["shmem_long_atomic_fetch_inc", "shmem_uint_atomic_fetch_add",
                                  "shmem_longlong_finc", "shmem_int_fadd",
                                  "shmem_size_atomic_fetch_inc_nbi",
                                  "shmem_uint32_atomic_fetch_add_nbi"])  # fmt: skip
def test_each_number_is_handed_out_once(arena, delays, name):
    me, n = shmem.shmem_my_pe(), shmem.shmem_n_pes()
    type_name = name.split("_")[1]
    dtype = np.dtype(EXTENDED[type_name])
    counter = arena.take(3, dtype)[1:]
    tickets = arena.take(ROUNDS * n, "l")
    counter[...] = 0
    tickets[...] = 0
    shmem.shmem_barrier_all()
    routine, home = getattr(shmem, name), n - 1
    one = () if "inc" in name else (1,)
    fetched = np.zeros(1, dtype)
    for _ in range(ROUNDS):
        if name.endswith("nbi"):
            routine(fetched, counter, *one, home)
            shmem.shmem_quiet()
            ticket = fetched.item(0)
        else:
            ticket = routine(counter, *one, home)
        shmem.shmem_long_atomic_inc(tickets[ticket:], 0)
        delays()
    shmem.shmem_barrier_all()
    if me == home:
        assert counter[0] == ROUNDS * n
    if me == 0:
        assert (tickets == 1).all()
    shmem.shmem_barrier_all()


def test_different_operations_on_one_element(arena, delays):
    """Adds, bit operations and compare-and-swap loops on one element do not disturb each other."""
    me, n = shmem.shmem_my_pe(), shmem.shmem_n_pes()
    word = arena.take(1, "u8")
    word[0] = 0
    shmem.shmem_barrier_all()
    for turn in range(ROUNDS):
        kind = (me + turn) % 3
        if kind == 0:
            shmem.shmem_ulong_atomic_add(word, 1, 0)
        elif kind == 1:
            assert shmem.shmem_ulong_atomic_fetch_add(word, 1, 0) < ROUNDS * n
        else:
            old = shmem.shmem_ulong_atomic_fetch(word, 0)
            while (found := shmem.shmem_ulong_atomic_compare_swap(word, old, old + 1, 0)) != old:
                old = found
        delays()
    shmem.shmem_barrier_all()
    assert shmem.shmem_ulong_atomic_fetch(word, 0) == ROUNDS * n
    shmem.shmem_barrier_all()
    if me < 32:
        shmem.shmem_uint64_atomic_xor(word, 1 << (63 - me), 0)
    shmem.shmem_barrier_all()
    bits = sum(1 << (63 - pe) for pe in range(min(n, 32)))
    assert shmem.shmem_uint64_atomic_fetch(word, 0) == ROUNDS * n ^ bits
    shmem.shmem_barrier_all()


def test_a_value_is_passed_around(arena):
    """Swapping floats must not lose a value."""
    me, n = shmem.shmem_my_pe(), shmem.shmem_n_pes()
    slot, sums = arena.take(1, "d"), arena.take(n, "d")
    slot[0] = 0.0
    shmem.shmem_barrier_all()
    got = [shmem.shmem_double_atomic_swap(slot, me + turn / 1024, 0) for turn in range(ROUNDS)]
    shmem.shmem_double_p(sums[me:], sum(got), 0)
    shmem.shmem_barrier_all()
    if me == 0:
        given = sum(pe + turn / 1024 for pe in range(n) for turn in range(ROUNDS))
        assert sums.sum() + slot[0] == given  # these sums are exact
    shmem.shmem_barrier_all()


def test_a_list_built_by_compare_and_swap(arena, delays):
    """Every PE pushes nodes to the front of the same list. No node may be lost."""
    me, n = shmem.shmem_my_pe(), shmem.shmem_n_pes()
    head, links = arena.take(1, "l"), arena.take(ROUNDS * n + 1, "l")
    head[0] = 0
    links[...] = -1
    shmem.shmem_barrier_all()
    for turn in range(ROUNDS):
        node = 1 + turn * n + me
        first = shmem.shmem_long_atomic_fetch(head, 0)
        while True:
            shmem.shmem_long_p(links[node:], first, 0)
            shmem.shmem_fence()
            found = shmem.shmem_long_atomic_compare_swap(head, first, node, 0)
            if found == first:
                break
            first = found
        delays()
    shmem.shmem_barrier_all()
    if me == 0:
        seen, at = set(), int(head[0])
        while at:
            seen.add(at)
            at = int(links[at])
        assert seen == set(range(1, ROUNDS * n + 1))
    shmem.shmem_barrier_all()


@pytest.mark.parametrize("shape", [(), (2, 3), (2, 1, 2)], ids=str)
def test_the_first_element_of_arrays_of_any_layout(world, shape):
    me, n = shmem.shmem_my_pe(), shmem.shmem_n_pes()
    for order in ("C", "F"):
        whole = shmem.zeros(shape, "l", order)
        for array in (whole, whole[..., ::2] if shape else whole, np.asmatrix(whole[..., :1])
                      if len(shape) == 2 else whole):  # fmt: skip
            shmem.shmem_long_atomic_add(array, 2, (me + 1) % n)
        shmem.shmem_barrier_all()
        assert whole.flat[0] == 6
        assert whole.sum() == 6
        shmem.shmem_barrier_all()
        shmem.free(whole)


def test_wrong_arguments(arena):
    n = shmem.shmem_n_pes()
    box = arena.take(2, "l")
    box[...] = 7
    shmem.shmem_barrier_all()
    cases = [
        (DatatypeError, "shmem_int_atomic_add: target is of int64", "int_atomic_add", (box, 1, 0)),
        (DatatypeError, "target is None", "long_atomic_inc", (None, 0)),
        (DatatypeError, "target is a list", "atomic_inc", ([1], 0)),
        (SymmetryError, "target is a private", "long_atomic_inc", (np.zeros(1, "l"), 0)),
        (ArgumentError, f"pe is {n}", "long_atomic_inc", (box, n)),
        (ArgumentError, "pe is -1", "long_atomic_fetch", (box, -1)),
        (ArgumentError, "pe is '0'", "long_atomic_fetch", (box, "0")),
        (ArgumentError, r"pe is \[0\]", "long_atomic_fetch", (box, [0])),
        (ArgumentError, "pe is 0.0", "long_atomic_fetch", (box, 0.0)),
        (ArgumentError, r"value is 1e\+300; float32", "float_atomic_set",
         (box.view("f"), 1e300, 0)),
        (ArgumentError, "value is None", "double_atomic_set", (box.view("d"), None, 0)),
        (ArgumentError, "value is 1.5", "long_atomic_add", (box, 1.5, 0)),
        (ArgumentError, f"value is {1 << 63}", "long_atomic_set", (box, 1 << 63, 0)),
        (ArgumentError, ": cond is None", "long_atomic_compare_swap", (box, None, 1, 0)),
        (ArgumentError, "value is -1", "ulong_atomic_add", (box.view("u8"), -1, 0)),
        (ArgumentError, "no elements", "long_atomic_inc", (box[:0], 0)),
        (DatatypeError, "target is of float64; add", "atomic_add", (box.view("d"), 1, 0)),
        (DatatypeError, "takes integers", "atomic_compare_swap", (box.view("d"), 1, 2, 0)),
        (DatatypeError, "complex128", "atomic_fetch", (box.view("D"), 0)),
        (DatatypeError, "fetch is of int32", "long_atomic_fetch_nbi", (np.zeros(1, "i4"), box, 0)),
        (ArgumentError, "fetch has no", "long_atomic_fetch_nbi", (np.zeros(0, "l"), box, 0)),
        (ArgumentError, "multiple of 8", "long_atomic_inc",
         (box.view("u1")[1:9].view("l"), 0)),
    ]  # fmt: skip
    read_only = box[:]
    read_only.flags.writeable = False
    cases.append((ArgumentError, "target is read-only", "long_atomic_inc", (read_only, 0)))
    for kind, text, name, arguments in cases:
        with pytest.raises(kind, match=text) as info:
            getattr(shmem, f"shmem_{name}")(*arguments)
        assert str(info.value).startswith(f"shmem_{name}: ")
    assert (box == 7).all()
    assert shmem.shmem_long_atomic_fetch(read_only, 0) == 7
    freed = shmem.zeros(1, "l")
    shmem.shmem_long_atomic_inc(freed, 0)
    shmem.shmem_barrier_all()
    shmem.shmem_free(freed)
    with pytest.raises(StateError, match="freed"):
        shmem.shmem_long_atomic_inc(freed, 0)
