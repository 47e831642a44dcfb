"""Test how the compiled kernel recognises values of the same structure, and copies arrays."""

from __future__ import annotations

import weakref

import numpy as np
import pytest

from redcoll import kernels
from redcoll.collectives._tree import SCALARS, is_container, leaves

pytestmark = pytest.mark.skipif(
    not kernels.is_built(), reason="the compiled kernel was not built on this machine"
)


def pattern_of(values):
    from redcoll.kernels._compiled import items

    return items.pattern_of(values, is_container, SCALARS)


def copy_arrays(arrays, out):
    from redcoll.kernels._compiled import items

    return items.copy_arrays(arrays, out)


A, B = np.ones((2, 3)), np.ones(4, np.float32)
SAME = (
    ([A, B, 1.5], [A + 1, B * 2, 2.5]),
    ((A, [1, (2, {})]), (A.T.copy().T, [3, (4, {})])),
    ({"a": A, 2: [B]}, {"a": A[::-1], 2: [B[::-1]]}),
    ([], []),
    ([np.ones(0), np.ones(())], [np.zeros(0), np.zeros(())]),
)
OTHERS = (
    ([A, B], [A, B, B]),
    ([A, B], [A]),
    ([A, B], (A, B)),
    ([A, B], [A, A]),
    ([A, B], [A.T, B]),
    ([A, B], [A, B.astype(np.float64)]),
    ([A, B], [A, B.astype(">f4")]),
    ([A, B], [A, np.ma.array(B)]),
    ([A, B], [A, [B]]),
    ([A, B], [A, None]),
    ([1, 2.5], [1, 2]),
    ([1, 2.5], [True, 2.5]),
    ([np.float64(1)], [1.0]),
    ([np.ones(())], [1.0]),
    ([np.ones((1, 2))], [np.ones(2)]),
    ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
    ({"a": 1, "b": 2}, {"a": 1}),
    ({1: A}, {True: A}),
    ({1: A}, {1.0: A}),
    ([{}], [{1: 2}]),
    ([(1, 2), 3], [(1,), 2]),
)


@pytest.mark.parametrize(("values", "again"), SAME)
def test_values_of_one_structure_are_recognised(values, again):
    found = pattern_of(values).items(again)
    assert [id(each) for each in found] == [id(each) for each in leaves(again)]


@pytest.mark.parametrize(("values", "other"), OTHERS)
def test_values_of_other_structures_are_not(values, other):
    pattern = pattern_of(values)
    assert pattern.items(other) is None
    assert len(pattern.items(values)) == len(leaves(values))


@pytest.mark.parametrize("item", [None, "text", {1}, np.ma.ones(2), np.ones(2).view(np.matrix)])
def test_other_items_have_no_pattern(item):
    assert pattern_of([A, item]) is None


def test_a_container_that_grows_meanwhile():
    class Key:
        def __init__(self, action=None):
            self.action = action

        def __hash__(self):
            return 1

        def __eq__(self, other):
            if self.action:
                self.action()
            return True

    pattern = pattern_of({Key(): [1], "b": 2})
    part = [1]
    assert pattern.items({Key(lambda: part.extend([1] * 99)): part, "b": 2}) is None
    values = [{Key(): 1}, A, B]
    values[0] = {Key(values.pop): 1}
    assert pattern_of([{Key(): 1}, A, B]).items(values) is None


def test_arrays_are_copied_in_order():
    arrays = [np.arange(6.0).reshape(2, 3), np.ones(()), np.zeros((0, 2)), np.full(3, 7.0)]
    out = np.empty(10)
    assert copy_arrays(arrays, out)
    assert out.tolist() == [0, 1, 2, 3, 4, 5, 1, 7, 7, 7]
    assert copy_arrays((np.broadcast_to(1.0, (1, 1)),), np.empty(1))


@pytest.mark.parametrize(
    "arrays",
    [
        [np.ones(4)],
        [np.ones(6)],
        [np.ones(5, np.int64)],
        [np.ones(5, ">f8")],
        [np.ones(10)[::2]],
        [np.ones((5, 1, 2))[..., 0]],
        [np.ones(4), 1.0],
        [np.ma.ones(5)],
        [np.broadcast_to(1.0, 5)],
    ],
)
def test_arrays_that_cannot_be_copied(arrays):
    assert not copy_arrays(arrays, np.empty(5))


def results_of(n, shape):
    """Return kept results of ``n`` arrays, and a list of the arrays' addresses."""
    from redcoll.kernels._compiled import items

    vector = np.zeros(n * int(np.prod(shape)))
    arrays = list(np.ndarray((n, *shape), vector.dtype, vector))
    return items.keep_results(vector, arrays), [each.ctypes.data for each in arrays]


@pytest.mark.parametrize("shape", [(4,), (2, 3), (1, 2, 1)])
def test_dropped_results_come_again(shape):
    results, addresses = results_of(3, shape)
    for number in range(3):
        vector, arrays = results.again()
        assert [each.ctypes.data for each in arrays] == addresses
        assert [each.shape for each in arrays] == [shape] * 3
        assert results.again() is None
        arrays[1][...] = number
        assert vector.tolist().count(number) >= arrays[1].size
        arrays.clear()
        assert results.again() is None  # the vector
        del vector


WAYS_TO_HOLD = {
    "an array": lambda arrays: arrays[1],
    "a view": lambda arrays: arrays[1][2:],
    "a view of a view": lambda arrays: arrays[2][1:][::2],
    "the memory": lambda arrays: memoryview(arrays[0]),
    "the base": lambda arrays: arrays[0].base,
    "a reshaped array": lambda arrays: arrays[0].reshape(2, 2),
    "a weak reference": lambda arrays: weakref.ref(arrays[2]),
    "a weak reference to the base": lambda arrays: weakref.ref(arrays[0].base),
}


@pytest.mark.parametrize("way", WAYS_TO_HOLD)
def test_results_do_not_come_again_while_the_program_holds(way):
    results, _ = results_of(3, (4,))
    held = WAYS_TO_HOLD[way](results.again()[1])
    assert held is not None
    assert results.again() is None
    assert results.again() is None
    del held
    assert results.again() is not None


BASE_CHANGES = {"shape": (3, 4), "strides": (0,), "dtype": np.dtype("i8")}


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # NumPy plans to forbid some changes
@pytest.mark.parametrize("attribute", [*BASE_CHANGES, "flags"])
def test_results_whose_base_the_program_has_changed_do_not_come_again(attribute):
    results, _ = results_of(3, (4,))
    vector = results.again()[1][0].base
    if attribute == "flags":
        vector.flags.writeable = False
    else:
        setattr(vector, attribute, BASE_CHANGES[attribute])
    del vector
    assert results.again() is None


CHANGES = {"shape": (2, 2), "strides": (4,), "dtype": np.dtype("i8")}


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # NumPy plans to forbid some changes
@pytest.mark.parametrize("attribute", [*CHANGES, "flags"])
def test_results_that_the_program_has_changed_do_not_come_again(attribute):
    results, _ = results_of(3, (4,))
    arrays = results.again()[1]
    if attribute == "flags":
        arrays[1].flags.writeable = False
    else:
        setattr(arrays[1], attribute, CHANGES[attribute])
    del arrays
    assert results.again() is None
