"""Test every operation on every element type, in all collectives and on all paths."""

import ml_dtypes
import numpy as np
import pytest
from mpi import oracle
from mpi.oracle import Expected, Guarded, Reduced

import redcoll

pytestmark = [pytest.mark.mpi, pytest.mark.smoke]


def cases():
    """Return all operations and types. One type of each size runs with every number of PEs.

    The size of an element decides how vectors travel. tests/unit/test_fold.py folds all types with
    several numbers of vectors.
    """
    for op in oracle.OPS:
        sizes = set()
        for name, dtype in oracle.types_of(op).items():
            marks = () if dtype.itemsize in sizes else pytest.mark.every_size
            sizes.add(dtype.itemsize)
            yield pytest.param(op, name, marks=marks)


def uneven(n, count):
    """Return ``n`` block lengths with the sum ``count``: different if possible, with some zeros."""
    if n == 1:
        return [count]
    lengths = [0 if index % 3 == 1 else index + 1 for index in range(n)]
    while sum(lengths) > count:
        lengths[lengths.index(max(lengths))] -= 1
    lengths[-1 if lengths[-1] else 0] += count - sum(lengths)
    return lengths


class Pairs:
    """Sources and targets of this PE, in the kind of memory that ``path`` names."""

    def __init__(self, arena, me, path):
        self.is_symmetric = {"symmetric": True, "private": False, "mixed": me % 2 == 0}[path]
        self.arena = arena

    def make(self, row, target_count=None):
        """Return a target and a source that holds ``row``.

        Without ``target_count``, the source is also the target.
        """
        self.arena.reset()
        source = self._get(len(row), row.dtype)
        source.array[...] = row
        target = source if target_count is None else self._get(target_count, row.dtype)
        return target, source

    def _get(self, count, dtype):
        symmetric = Guarded(count, dtype, self.arena.take)  # all PEs allocate, so offsets are equal
        return symmetric if self.is_symmetric else Guarded(count, dtype)


def check_around(target, source, row):
    """Check the guards, and the source if the target is another array."""
    target.check()
    if source is not target:
        source.check()
        oracle.assert_same(source.array, row, what="source")


@pytest.mark.parametrize(("op", "type_name"), cases())
def test_every_collective_and_path(tight, arena, same_everywhere, op, type_name):
    dtype = oracle.types_of(op)[type_name]
    check_every_collective(tight, arena, same_everywhere, op, dtype, getattr(redcoll, op))


@pytest.mark.every_size
@pytest.mark.parametrize("type_name", ["int64", "float64"])
@pytest.mark.parametrize("is_symmetric", [False, True])
def test_single_numbers(tight, arena, same_everywhere, is_symmetric, type_name):
    """Repeated calls on one element wrap around and round like those on vectors."""
    dtype = np.dtype(type_name)
    target, source = (arena.take(1, dtype) if is_symmetric else np.empty(1, dtype) for _ in "ab")
    compared = 0
    for op in (op for op in oracle.OPS if oracle.legal(op, dtype)):
        rows = oracle.rows(op, dtype, tight.size, 100)
        expected = Reduced(op, rows)
        results = np.empty(100, dtype)
        for column in range(100):
            source[:] = rows[tight.index, column]
            redcoll.allreduce(target, source, getattr(redcoll, op), team=tight)
            results[column] = target[0]
        compared += expected.check(results, what=f"{op} of single elements")
        same_everywhere(results)
    assert compared == 100 * sum(oracle.legal(op, dtype) for op in oracle.OPS)


@pytest.mark.every_size
@pytest.mark.parametrize(
    ("op", "type_name"),
    [
        *(("SUM", "bfloat16"), ("PROD", "float8_e4m3fn"), ("SUM", "float8_e5m2")),
        *(("MAX", "float8_e4m3fn"), ("LXOR", "bfloat16"), ("MIN", "float8_e4m3")),
    ],
)
def test_small_floats(tight, arena, same_everywhere, op, type_name):
    """Sums and products are computed in float32 on all ranks and nodes, and rounded once."""
    dtype = np.dtype(getattr(ml_dtypes, type_name))
    check_every_collective(tight, arena, same_everywhere, op, dtype, getattr(redcoll, op))


@pytest.mark.every_size
@pytest.mark.parametrize(("op", "type_name"), [("SUM", "float16"), ("PROD", "bfloat16")])
def test_accumulating_in_float32(tight, arena, same_everywhere, op, type_name):
    function = getattr(redcoll, op).accumulating("float32")
    dtype = np.dtype(type_name if type_name == "float16" else ml_dtypes.bfloat16)
    name = op + oracle.IN_FLOAT32
    check_every_collective(tight, arena, same_everywhere, name, dtype, function)


def check_every_collective(tight, arena, same_everywhere, op, dtype, function):
    me, n = tight.index, tight.size
    everywhere = []
    compared = 0
    for least in (7, 1030):
        count = -(-least // n) * n
        rows = oracle.rows(op, dtype, n, count)
        row = rows[me]
        whole = Reduced(op, rows)
        upto = Expected(op, rows[: me + 1])
        before = Expected(op, rows[:me]) if me else None
        for path in ("symmetric", "private", "mixed"):
            pairs = Pairs(arena, me, path)
            for target_count in (count, None):
                what = f"{op}, {count} elements, {path}{'' if target_count else ', in place'}"

                target, source = pairs.make(row, target_count)
                redcoll.allreduce(target.array, source.array, function, team=tight)
                compared += whole.check(target.array, what=f"allreduce {what}")
                check_around(target, source, row)
                everywhere.append(target.array.copy())

                for root in {n - 1, n // 2}:
                    target, source = pairs.make(row, target_count)
                    into = None if path == "mixed" and me != root else target.array
                    redcoll.reduce(into, source.array, function, root, team=tight)
                    if me == root:
                        compared += whole.check(target.array, what=f"reduce {what}")
                    elif target is source:
                        oracle.assert_same(target.array, row, what="target beside the root")
                    else:
                        target.check_untouched()
                    check_around(target, source, row)

                target, source = pairs.make(row, target_count)
                redcoll.scan(target.array, source.array, function, team=tight)
                compared += upto.check(target.array, what=f"scan {what}")
                check_around(target, source, row)

                target, source = pairs.make(row, target_count)
                redcoll.exscan(target.array, source.array, function, team=tight)
                if before is not None:
                    compared += before.check(target.array, what=f"exscan {what}")
                elif target is source:
                    oracle.assert_same(target.array, row, what="first target of exscan")
                else:
                    target.check_untouched()
                check_around(target, source, row)

            for lengths in (None, uneven(n, count)):
                length = count // n if lengths is None else lengths[me]
                start = me * length if lengths is None else sum(lengths[:me])
                target, source = pairs.make(row, length)
                redcoll.reduce_scatter(target.array, source.array, function, lengths, team=tight)
                if length:
                    block = slice(start, start + length)
                    compared += whole.check(target.array, block, what=f"{lengths} {what}")
                check_around(target, source, row)
    assert compared > 5000
    same_everywhere(np.concatenate(everywhere))
