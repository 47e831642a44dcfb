"""Test that allreduce_many and reduce_many equal separate calls, and that errors name items."""

from __future__ import annotations

import collections
import time
from functools import partial
from typing import NamedTuple

import numpy as np
import pytest
from mpi import oracle
from mpi.mpi_tools import about, bits

import redcoll
from redcoll import MPI, CollectiveMismatchError
from redcoll.collectives._plan import make_plan, packed_bytes
from redcoll.protocol.descriptor import ALLREDUCE_MANY, NO_ROOT
from redcoll.team import comm_state

pytest_plugins = ["mpi.mpi_tools"]
pytestmark = pytest.mark.mpi

SHAPES = ((), (3,), (2, 2), (0,), (1, 3, 2))
NUMPYS = ("bool", "int8", "uint16", "int64", "uint64", "float16", "float32", "float64")


class Pair(NamedTuple):
    first: object
    second: object


def team_of(comm):
    return comm_state.attach(comm).team


def rounds_of(team, call) -> int:
    before = team.channel.sequence
    call()
    return team.channel.sequence - before


def laid_out(array, number):
    """Return the same elements in one of three memory layouts."""
    if number % 3 == 1 and array.ndim:
        return np.asfortranarray(array)
    if number % 3 == 2 and array.ndim:
        return np.repeat(array, 2, axis=-1)[..., ::2]
    return array


def sources(op, n, shapes):
    """Yield a shape and the rows of all PEs for each type that the operation takes."""
    for number, dtype in enumerate(oracle.types_of(op).values()):
        shape = shapes[number % len(shapes)]
        count = int(np.prod(shape))
        yield shape, oracle.rows(op, dtype, n, count, seed=number)


@pytest.mark.parametrize("root", [None, 0, -1])
@pytest.mark.parametrize("op", oracle.OPS)
def test_arrays_of_all_types_in_one_call(tight, op, root):
    n, me = tight.size, tight.index
    root = root if root is None else root % n
    cases = list(sources(op, n, SHAPES))
    values = [
        laid_out(rows[me].reshape(shape), number) for number, (shape, rows) in enumerate(cases)
    ]
    if root is None:
        found = redcoll.allreduce_many(values, op, team=tight)
    else:
        found = redcoll.reduce_many(values, op, root, team=tight)
        assert (found is None) == (me != root)
    compared = 0
    for (shape, rows), result in zip(cases, found or [], strict=found is not None):
        assert result.shape == shape
        assert result.dtype == rows.dtype
        if result.size:
            compared += oracle.check_reduced(op, rows, result.reshape(-1))
    wanted = sum(rows.shape[1] for _, rows in cases)
    assert compared == (wanted if found is not None else 0)


def test_all_operations_and_lengths_in_one_call(tight):
    n, me = tight.size, tight.index
    shapes = (*SHAPES, (700,), (40, 5), (3000,))
    cases = [(op, *case) for op in oracle.OPS for case in list(sources(op, n, shapes))]
    values = [rows[me].reshape(shape) for _, shape, rows in cases]
    ops = [getattr(redcoll, op) for op, _, _ in cases]
    for _ in range(2):
        found = redcoll.allreduce_many(values, ops, team=tight)
        compared = 0
        for (op, shape, rows), result in zip(cases, found, strict=True):
            assert result.shape == shape
            if result.size:
                compared += oracle.check_reduced(op, rows, result.reshape(-1))
        assert compared == sum(rows.shape[1] for *_, rows in cases)


def numpys(kind, i):
    return kind(i % 4 + 0.3)


NUMBERS = {
    "int": lambda i: 3 * i - 1,
    "large int": lambda i: 2**63 - 1 if i % 3 else -(2**63),
    "bool": lambda i: i % 2 == 0,
    "float": lambda i: 0.1 * i + 1e10 ** (i % 3),
    "NaN": lambda i: float("nan") if i == 1 else float(i),
    "complex": lambda i: complex(i, 0.1),
    **{f"numpy's {name}": partial(numpys, np.dtype(name).type) for name in NUMPYS},
    "numpy's longdouble": lambda i: np.longdouble("0.1") * i,
    "numpy's complex64": lambda i: np.complex64(i + 0.1j),
    "uint8 that wraps": lambda i: np.uint8(200 + i),
}
KINDS = {
    **dict.fromkeys(("SUM", "PROD"), "biufc"),
    **dict.fromkeys(("MAX", "MIN", "LAND", "LOR", "LXOR"), "biuf"),
    **dict.fromkeys(("BAND", "BOR", "BXOR"), "biu"),
}


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # from the separate calls
def test_numbers_give_what_separate_calls_give(comm):
    me = comm.rank
    names = [(name, op) for name in NUMBERS for op in KINDS]
    legal = [
        (f"{name} {op}", NUMBERS[name](me), getattr(MPI, op))
        for name, op in names
        if np.asarray(NUMBERS[name](0)).dtype.kind in KINDS[op]
    ]
    values = {name: value for name, value, _ in legal}
    found = comm.allreduce_many(values, {name: op for name, _, op in legal})
    assert list(found) == list(values)
    for name, value, op in legal:
        with about(name):
            assert bits(found[name]) == bits(comm.allreduce(value, op))
    assert len(legal) > 120


FEW_NUMBERS = {
    "floats": (float, [0.0, -0.0, float("nan"), -float("nan"), 1.5, float("inf"), -3e-320]),
    "float32": (np.float32, [0.0, -0.0, float("nan"), 2.5, -1e-45, 3e38]),
    "float16": (np.float16, [0.0, -0.0, float("nan"), 2.5, -6e-8]),
    "ints": (int, [-(2**63), 2**63 - 1, 0, -1, 2**32]),
    "int8": (np.int8, [-128, 127, 0, 5]),
    "uint64": (np.uint64, [0, 2**64 - 1, 2**63]),
    "bools": (bool, [True, False]),
    "NumPy's bools": (np.bool_, [True, False]),
}


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # from the separate calls
@pytest.mark.parametrize("kind", FEW_NUMBERS)
def test_a_few_numbers_of_each_kind(comm, kind):
    make, numbers = FEW_NUMBERS[kind]
    names = [name for name, kinds in KINDS.items() if np.dtype(make).kind in kinds]
    compared = 0
    for turn in range(len(numbers)):
        mine = [
            make(numbers[(turn + place * comm.rank) % len(numbers)]) for place in range(len(names))
        ]
        # Call each operation alone, and then all operations in one call.
        for first, last in [*((at, at + 1) for at in range(len(names))), (0, len(names))]:
            ops = [getattr(MPI, name) for name in names[first:last]]
            found = comm.allreduce_many(mine[first:last], ops)
            for name, result, value, op in zip(
                names[first:last], found, mine[first:last], ops, strict=True
            ):
                with about(f"{name} {value}"):
                    assert bits(result) == bits(comm.allreduce(value, op))
                compared += 1
    assert compared == 2 * len(names) * len(numbers)


def test_a_result_has_the_structure_of_the_values(comm):
    n = comm.size
    values = {
        "list": [1, (2.5, np.ones(2))],
        "pair": Pair(True, [np.float32(1)]),
        "ordered": collections.OrderedDict(b=1, a=2),
        7: (),
    }
    ops = {
        "list": MPI.SUM,
        "pair": (MPI.LAND, ["max"]),
        "ordered": {"b": np.add, "a": "min"},
        7: [],
    }
    assert ops["ordered"].keys() == values["ordered"].keys()
    ops["ordered"] = collections.OrderedDict(ops["ordered"])
    found = comm.allreduce_many(values, ops)
    wanted = {
        "list": [n, (2.5 * n, np.full(2, 1.0 * n))],
        "pair": Pair(True, [np.float32(1)]),
        "ordered": collections.OrderedDict(b=n, a=2),
        7: (),
    }
    assert bits(found) == bits(wanted)
    assert type(found["pair"]) is Pair
    assert type(found["ordered"]) is collections.OrderedDict


def test_small_values_take_one_round(comm):
    team = team_of(comm)
    values = [1.5, 2, True, np.int8(1), np.ones(5), np.zeros(3, "f4"), 4.0, 3]
    ops = ["max", "sum", "lor", "bxor", "sum", "min", "prod", "sum"]
    assert rounds_of(team, lambda: comm.allreduce_many(values, ops)) == (comm.size > 1)
    assert rounds_of(team, lambda: comm.reduce_many(values, ops, 0)) == (comm.size > 1)
    separate = rounds_of(team, lambda: [comm.allreduce(1.5) for _ in values])
    assert separate == len(values)


def test_results_do_not_share_memory_with_later_calls(comm):
    first = comm.allreduce_many([np.ones(3), 1])
    comm.allreduce_many([np.zeros(3), 0])
    first[0][0] += 1
    assert first[0].tolist() == [comm.size + 1, comm.size, comm.size]
    alone = np.ones(3)
    found = MPI.COMM_SELF.allreduce_many([alone])
    found[0][0] = 5
    assert alone[0] == 1


HOLDS = {
    "nothing": lambda found: None,
    "all": lambda found: found,
    "one array": lambda found: found[3],
    "a view": lambda found: found[-1][1:],
    "the memory": lambda found: memoryview(found[0]),
}
# The number of arrays and the length of each array. redcoll packs "short", joins "long" and
# "longer" in one group, and joins "groups" in two groups. Results of "longer" are too long to keep.
LENGTHS = {"short": (5, 9), "long": (40, 128), "longer": (20, 8000), "groups": (40, 131)}


@pytest.mark.parametrize("length", LENGTHS)
def test_later_calls_do_not_write_results_that_the_program_holds(comm, length):
    n, me = comm.size, comm.rank
    count, size = LENGTHS[length]
    held, compared = [], 0
    rng = np.random.default_rng(me)  # what a rank holds differs between ranks
    for number in range(40 if length != "longer" else 12):
        values = [np.arange(size, dtype="f8") * number + at + me for at in range(count)]
        if length == "groups":
            values[count // 2 :] = [each.astype("i8") for each in values[count // 2 :]]
        found = comm.allreduce_many(values)
        rooted = comm.reduce_many(values, "sum", number % n)
        assert (rooted is None) == (me != number % n)
        wanted = [n * (number * np.arange(size) + at) + n * (n - 1) // 2 for at in range(count)]
        wanted = [each.astype(value.dtype) for each, value in zip(wanted, values, strict=True)]
        for results in (found, rooted):
            hold = HOLDS[list(HOLDS)[rng.integers(len(HOLDS))]]
            if results is not None:
                compared += sum(map(oracle.assert_same, results, wanted))
                held.append((hold(results), hold(wanted)))
        del found, rooted, results
        for at in rng.permutation(len(held))[:2]:
            mine, its = held[at]
            if isinstance(mine, list):
                compared += sum(map(oracle.assert_same, mine, its))
            elif mine is not None:
                compared += oracle.assert_same(np.asarray(mine), np.asarray(its))
        if rng.integers(3) == 0:
            del held[rng.integers(len(held))]
    assert compared >= count * size * 12


def test_functions_and_products_of_integers(comm):
    n, me = comm.size, comm.rank

    def last(_, b):
        return b

    values = [me, np.arange(3) + me, 2**40, 1.5, np.arange(4.0).reshape(2, 2) * me]
    ops = [last, last, MPI.PROD, MPI.SUM, MPI.Op.Create(lambda a, b, _: None)]
    found = comm.allreduce_many(values, ops)
    assert found[0] == n - 1
    assert type(found[0]) is int
    assert found[1].tolist() == [n - 1, n, n + 1]
    assert found[2] == 2 ** (40 * n)
    assert found[3] == 1.5 * n
    assert found[4].tolist() == [[0, n - 1], [2 * n - 2, 3 * n - 3]]


def test_many_arrays_of_one_shape(comm):
    n, me = comm.size, comm.rank
    values = [np.full((8, 16), me + 0.5 * i) for i in range(100)]
    for found in (comm.allreduce_many(values), comm.allreduce_many(tuple(values), "sum")):
        for i, result in enumerate(found):
            assert result.tolist() == np.full((8, 16), n * (n - 1) / 2 + 0.5 * i * n).tolist()
        assert len(found) == 100


def test_many_numbers(comm):
    values = [comm.rank + i for i in range(3000)]
    n = comm.size
    assert comm.allreduce_many(values) == [n * (n - 1) // 2 + i * n for i in range(3000)]
    found = comm.allreduce_many(values, "lor")
    assert found == ([True] * 3000 if n > 1 else values)


def test_items_of_different_alignment_fit_into_the_buffer(tight):
    n = tight.size
    values = [kind(i) for i in range(42) for kind in (float, np.longdouble)]
    found = redcoll.allreduce_many(values, team=tight)
    assert bits(found) == bits([type(value)(n * value) for value in values])
    few = redcoll.allreduce_many([np.int8(1), np.ones(1, np.longdouble), 2], team=tight)
    assert bits(few) == bits([np.int8(n), np.full(1, n, np.longdouble), 2 * n])


def read_only(array):
    array.flags.writeable = False
    return array


ODD_ARRAYS = {
    "no dimensions": np.array(2.5),
    "no dimensions again": np.array(3.5),
    "no elements": np.ones((0, 3)),
    "more without elements": np.ones((2, 0), np.int8),
    "columns first": np.asfortranarray(np.arange(6.0).reshape(2, 3)),
    "each second": np.arange(8.0)[1::2],
    "backwards": np.arange(4, dtype=np.int16)[::-1],
    "broadcast": np.broadcast_to(np.float32(1.5), (2, 2)),
    "read-only": read_only(np.arange(3.0)),
    "matrix": np.arange(4.0).reshape(2, 2).view(np.matrix),
    "long and each second": np.arange(20_000.0)[::2],
    "last without elements": np.ones(0, np.uint8),
}


@pytest.mark.parametrize("of", [list, tuple, dict])
def test_odd_arrays(comm, of):
    names = list(ODD_ARRAYS)
    values = of(ODD_ARRAYS) if of is dict else of(ODD_ARRAYS.values())
    for _ in range(2):
        found = comm.allreduce_many(values)
        for name, result in zip(names, found.values() if of is dict else found, strict=True):
            with about(name):
                wanted = np.ascontiguousarray(ODD_ARRAYS[name]) * comm.size
                wanted = np.asarray(wanted, ODD_ARRAYS[name].dtype).reshape(ODD_ARRAYS[name].shape)
                assert bits(result) == bits(wanted)
                assert type(result) is np.ndarray
                assert result.flags.writeable


def test_containers_without_items(comm):
    for values in ([], (), {}, [[], ()], {"a": {}}):
        assert bits(comm.allreduce_many(values)) == bits(values)
        found = comm.reduce_many(values)
        assert bits(found) == bits(None if comm.rank else values)


class Checked(Pair):
    def __new__(cls, only):
        return super().__new__(cls, only, only)


def test_a_named_tuple_with_a_constructor_of_its_own(comm):
    found = comm.allreduce_many(Checked(1))
    assert type(found) is Checked
    assert found == (comm.size, comm.size)


def sum_of(comm):
    return comm.allreduce(1) == comm.size


LONG = [1.0] * 5000
# The values of rank 0, the values of the other ranks, and words of the message.
MISMATCHES = {
    "type of a number": ([1, 2.0, 3], [1, 2, 3], ("item 2 of 3", "float in values[1]", "int")),
    "type of an array": (
        [np.ones(2), np.ones(2, "f4")], [np.ones(2)] * 2, ("item 2 of 2", "float32", "float64")
    ),
    "shape": (
        {"a": 1, "b": np.ones((2, 3))},
        {"a": 1, "b": np.ones((3, 2))},
        ("item 2 of 2", "(2, 3)", "(3, 2)", "values['b']"),
    ),
    "number of items": ([1, 2, 3], [1, 2], ("item 3 of 2 or 3", "int in values[2]", "2 items")),
    "structure": ([1, (2, 3)], [1, [2, 3]], ("structure", "[*, (*, *)]", "[*, [*, *]]")),
    "keys": ({"a": 1, "b": 2}, {"b": 1, "a": 2}, ("item 1 of 2", "values['a']", "values['b']")),
    "many items": (LONG, [*LONG[:-1], 1], ("item 5000 of 5000", "float", "int")),
    "long array": (
        [np.ones(40_000)], [np.ones(40_001)], ("item 1 of 1", "(40000,)", "(40001,)")
    ),
}  # fmt: skip
OPERATIONS = {
    "operation": (["sum", "max"], ["sum", "min"], ("item 2 of 2", "op=MAX", "op=MIN")),
    "function": (["sum", lambda a, _: a], "sum", ("item 2 of 2", "op=SUM", "lambda")),
}  # fmt: skip


@pytest.mark.mpi(min_size=2)
@pytest.mark.parametrize("case", [*MISMATCHES, *OPERATIONS])
def test_a_mismatch_names_the_item_everywhere(comm, gather, case):
    first, others, wanted = (MISMATCHES | OPERATIONS)[case]
    mine = others if comm.rank else first
    arguments = ([1, 2], mine) if case in OPERATIONS else (mine,)
    for routine in (comm.allreduce_many, comm.reduce_many):
        with pytest.raises(CollectiveMismatchError) as caught:
            routine(*arguments)
        text = str(caught.value)
        assert all(each in text for each in wanted), text
        assert len(set(gather(text))) == 1
        assert sum_of(comm)


@pytest.mark.mpi(min_size=2)
@pytest.mark.parametrize(
    ("values", "op", "wanted"),
    [
        ([1, None], "sum", "item 2 of 2, values[1]: it is None"),
        ({"a": 1.0, "b": [object()]}, "sum", "item 2 of 2, values['b'][0]: it is a object"),
        ([np.array(["a"], object)], "sum", "item 1 of 1, values[0]: element type object"),
        ([1, 1.5], "band", "item 2 of 2, values[1]: op AND is not defined on float64"),
        ([1, 2**63], "sum", "item 2 of 2, values[1]: it is 9223372036854775808"),
        ([1, 2**63], "max", "item 2 of 2, values[1]: it is 9223372036854775808"),
        ([np.ma.ones(2)], "sum", "item 1 of 1, values[0]: it is a MaskedArray"),
        ([np.ones(2, ">f8")], "sum", "item 1 of 1, values[0]: element type >f8"),
        ([np.ones(2, "f8,i4")], "sum", "item 1 of 1, values[0]:"),
        ([1, (2, 3)], "maxloc", "item 1 of 3, values[0]: op MAXLOC is not defined on int64"),
        ([1, 2], ["sum"], "op has the entries [0] for values"),
        ([1, 2], ["sum", ["max"]], "op has ['max'] for values[1]"),
        ([1, 2], ["sum", 3], "item 2 of 2, values[1]: op is 3"),
        (1.5, "sum", "values is a float; it must be a list, a tuple or a dict"),
    ],
)
def test_a_wrong_item_is_named(comm, values, op, wanted):
    right = [1, 2]
    comm.allreduce_many(right)  # the kernel remembers this call, so only the values differ
    if comm.rank == 0:
        with pytest.raises(redcoll.ArgumentError) as caught:
            comm.allreduce_many(values, op)
        assert wanted in str(caught.value)
    else:
        with pytest.raises(CollectiveMismatchError, match="refused its arguments"):
            comm.allreduce_many(right)
    assert sum_of(comm)


@pytest.mark.mpi(min_size=2)
@pytest.mark.parametrize("op", ["sum", "max"])
def test_a_large_integer_among_many_is_named(comm, op):
    values = [1] * 3000
    comm.allreduce_many(values, op)
    if comm.rank == 0:
        values[2000] = 2**64
    error, wanted = CollectiveMismatchError, r"item 2001 of 3000, values\[2000\]: it is 18446744"
    with pytest.raises(error if comm.rank else redcoll.ArgumentError, match=wanted):
        comm.allreduce_many(values, op)
    assert sum_of(comm)


@pytest.mark.mpi(min_size=2)
def test_another_reduction_on_one_rank(comm):
    routine, argument = (comm.allreduce_many, [1, 2]) if comm.rank else (comm.allreduce, 1)
    with pytest.raises(CollectiveMismatchError, match=r"allreduce_many\(2 items"):
        routine(argument)
    assert sum_of(comm)


@pytest.mark.mpi(min_size=2)
def test_roots_differ(comm):
    with pytest.raises(CollectiveMismatchError, match="root=1"):
        comm.reduce_many([1, 2], root=comm.rank % 2)
    with pytest.raises(redcoll.ArgumentError, match=f"root is {comm.size}"):
        comm.reduce_many([1, 2], root=comm.size)
    assert sum_of(comm)


def test_an_error_of_a_function_leaves_the_team_usable(comm):
    def wrong(_, __):
        raise ValueError("on purpose")

    if comm.size > 1:
        with pytest.raises((ValueError, redcoll.RemoteOpError)):
            comm.allreduce_many([1, 2], ["sum", wrong])
    assert sum_of(comm)


@pytest.mark.mpi(min_size=2)
def test_without_a_team_each_value_is_mpis(comm, monkeypatch):
    assert team_of(comm) is not None
    monkeypatch.setenv("REDCOLL_MAX_TEAMS", "1")
    other = comm.Dup()
    assert team_of(other) is None
    n = comm.size
    found = other.allreduce_many({"a": [1, 2.5], "b": np.ones((2, 2))}, MPI.SUM)
    assert bits(found) == bits({"a": [n, 2.5 * n], "b": np.full((2, 2), 1.0 * n)})
    found = other.reduce_many([1, np.arange(3)], ["max", MPI.SUM], root=1)
    assert (found is None) == (comm.rank != 1)
    if found is not None:
        assert bits(found) == bits([1, np.arange(3) * n])
    other.Free()


def test_the_core_takes_teams_of_all_kinds(world, comm):
    n = comm.size
    assert redcoll.allreduce_many([1, 2.0]) == [redcoll.n_pes(), 2.0 * redcoll.n_pes()]
    assert redcoll.allreduce_many((1,), team=comm) == (n,)
    assert redcoll.reduce_many((1,), root=n - 1, team=world.team) == (
        (n,) if comm.rank == n - 1 else None
    )


# -- calls that come again --------------------------------------------------------------------

LOOPS = ("float64", "float32", "int16", "uint8")
"""Types that both kernels reduce."""


def random_values(rng, depth=0):
    """Return a random structure of numbers and arrays, equal in form on all ranks."""
    kind = rng.integers(8 if depth < 3 else 5)
    dtype = np.dtype(LOOPS[rng.integers(len(LOOPS))])
    if kind < 3:
        shape = tuple(rng.integers(0, 7, rng.integers(4))) if kind else (int(rng.integers(2000)),)
        return laid_out(np.ones(shape, dtype), int(rng.integers(3)))
    if kind == 3:
        return dtype.type(1)
    if kind == 4:
        return [1, 1.0][rng.integers(2)]
    parts = [random_values(rng, depth + 1) for _ in range(rng.integers(6))]
    return [list(parts), tuple(parts), dict(enumerate(parts))][kind - 5]


def filled(values, rng):
    """Return the same structure with random numbers, and arrays in the same memory layouts."""
    if isinstance(values, np.ndarray):
        new = np.zeros_like(values)
        new[...] = rng.integers(0, 60, values.shape)
        return new
    if isinstance(values, dict):
        return {key: filled(each, rng) for key, each in values.items()}
    if isinstance(values, list | tuple):
        return type(values)(filled(each, rng) for each in values)
    return type(values)(rng.integers(0, 60))


def compare_with_separate_calls(comm, values, found, op) -> int:
    """Compare ``found`` with the result of a call for each item; return the number of items."""
    if isinstance(values, dict):
        assert list(values) == list(found)
        values, found = list(values.values()), list(found.values())
    elif isinstance(values, list | tuple):
        assert type(found) is type(values)
    if isinstance(values, list | tuple):
        pairs = zip(values, found, strict=True)
        return sum(compare_with_separate_calls(comm, *pair, op) for pair in pairs)
    if isinstance(values, np.ndarray):
        wanted = np.empty(values.shape, values.dtype)
        comm.Allreduce(np.ascontiguousarray(values), wanted, op)
        assert found.flags.writeable
    else:
        wanted = comm.allreduce(values, op)
    assert bits(found) == bits(wanted)
    return 1


def test_structures_that_come_again(comm):
    compared = items = 0
    for number in range(12):
        values = random_values(np.random.default_rng([number, 3]))
        values = values if isinstance(values, list | tuple | dict) else [values] * 40
        for turn in range(3):
            op = (MPI.SUM, MPI.MAX)[turn // 2]
            mine = filled(values, np.random.default_rng([number, turn, comm.rank]))
            found = comm.allreduce_many(mine, op)
            at_root = comm.reduce_many(mine, op, root=number % comm.size)
            assert (at_root is None) == (comm.rank != number % comm.size)
            assert at_root is None or bits(at_root) == bits(found)
            compared += compare_with_separate_calls(comm, mine, found, op)
            items += 1
    assert items == 36
    assert compared > 300


def changed_lists():
    """Yield a wrong value that one rank passes instead of a list, and words of the message."""
    many = [np.ones(128) for _ in range(100)]
    of = ("item 61 of 100", "values[60]")
    yield [*many[:60], np.ones((2, 64)), *many[61:]], (*of, "(2, 64)", "(128,)")
    yield [*many[:60], np.ones(128, np.int64), *many[61:]], (*of, "int64", "float64")
    yield [*many[:60], 1.5, *many[61:]], (*of, "float in")
    yield many[:60], ("item 61 of 60 or 100",)
    yield tuple(many), ("structure",)
    yield many[:1], ("item 2 of 1 or 100",)
    yield [1.5], ("item 1 of 1 or 100",)


@pytest.mark.mpi(min_size=2)
def test_a_known_structure_changes_on_one_rank(comm, gather):
    many = [np.ones(128) for _ in range(100)]
    for routine in (comm.allreduce_many, comm.reduce_many):
        for changed, wanted in changed_lists():
            for _ in range(2):
                routine(many)
            with pytest.raises(CollectiveMismatchError) as caught:
                routine(changed if comm.rank == 0 else many)
            text = str(caught.value)
            assert all(each in text for each in wanted), text
            assert len(set(gather(text))) == 1
        routine(many, "sum")
        with pytest.raises(CollectiveMismatchError, match=r"item 1 of 100.*op=MAX"):
            routine(many, "max" if comm.rank == 0 else "sum")
        wrong = [*many[:60], None]
        with pytest.raises(redcoll.ArgumentError if comm.rank == 0 else CollectiveMismatchError):
            routine(wrong if comm.rank == 0 else many)
        assert sum_of(comm)


def test_known_arrays_change_in_place(comm):
    values = {"a": np.ones(600), "b": [np.full(600, 2.0)]}
    n = comm.size
    for _ in range(2):
        found = comm.allreduce_many(values)
        assert bits(found) == bits({"a": np.full(600, 1.0 * n), "b": [np.full(600, 2.0 * n)]})
    values["a"] = values["a"].reshape(2, 300)
    assert comm.allreduce_many(values)["a"].shape == (2, 300)
    values["b"].append(3)
    assert comm.allreduce_many(values)["b"][1] == 3 * n
    values[True] = values.pop("a")
    assert list(comm.allreduce_many(values)) == ["b", True]
    values[1] = values.pop(True)
    assert [type(key) for key in comm.allreduce_many(values)] == [str, int]


def test_results_of_many_arrays_are_new(comm):
    values = [np.ones(128) for _ in range(50)]
    comm.allreduce_many(values)
    first = comm.allreduce_many(values)
    kept = first[7]
    kept[:] += 1
    del first
    again = comm.allreduce_many(values)
    assert kept.tolist() == [comm.size + 1] * 128
    assert all(each.tolist() == [comm.size] * 128 for each in again)
    assert all(each.tolist() == [1] * 128 for each in values)
    assert all(each.flags.writeable and each.flags.c_contiguous for each in again)


@pytest.mark.mpi(min_size=2)
def test_rounds_of_many_arrays(comm):
    team = team_of(comm)
    values = [np.ones(128) for _ in range(100)]
    together = np.ones(12800)
    out = np.empty(12800)
    comm.allreduce_many(values)
    one = rounds_of(team, lambda: comm.Allreduce(together, out))
    found = rounds_of(team, lambda: comm.allreduce_many(values))
    assert one <= found <= one + 1


def test_a_number_before_wide_arrays_fits_into_the_buffer(comm):
    team, n = team_of(comm), comm.size
    wide = (packed_bytes(team) - 32) // 16  # with the other items, this array fills the buffer
    for turn in range(4):
        values = [turn + 1.5, np.full(wide, turn + 2, np.longdouble), np.full(3, turn + 3.0)]
        plan = make_plan(team, ALLREDUCE_MANY, values, redcoll.SUM, NO_ROOT)
        assert plan.block.n_bytes <= packed_bytes(team)
        if comm.rank == 0:
            time.sleep(0.02)  # longer values would have overwritten the header of the next round
        found = comm.allreduce_many(values)
        assert found[0] == n * values[0]
        assert all(np.array_equal(a, n * b) for a, b in zip(found[1:], values[1:], strict=True))


@pytest.mark.mpi(min_size=2)
def test_equal_keys_of_different_types(comm):
    with pytest.raises(CollectiveMismatchError, match="True"):
        comm.allreduce_many({1 if comm.rank == 0 else True: 1.5})
    for key in (True, 1, np.True_, 1.0):
        for value in (1.5, np.ones(3)):
            assert [type(each) for each in comm.allreduce_many({key: value})] == [type(key)]
