"""Test direct calls of PvmMax, PvmMin, PvmSum and PvmProduct, element by element."""

import itertools
import math
import re
import subprocess
import sys
from array import array

import numpy as np
import pytest

import redcoll_pvm as pvm
from redcoll.errors import ArgumentError

OPERATORS = {
    "max": pvm.PvmMax,
    "min": pvm.PvmMin,
    "sum": pvm.PvmSum,
    "product": pvm.PvmProduct,
}
INTEGERS = {
    pvm.PVM_BYTE: np.int8,
    pvm.PVM_SHORT: np.int16,
    pvm.PVM_INT: np.int32,
    pvm.PVM_LONG: np.int64,
}
REALS = {pvm.PVM_FLOAT: np.float32, pvm.PVM_DOUBLE: np.float64}
COMPLEX = {pvm.PVM_CPLX: np.complex64, pvm.PVM_DCPLX: np.complex128}
UNSIGNED = {pvm.PVM_USHORT: np.uint16, pvm.PVM_UINT: np.uint32, pvm.PVM_ULONG: np.uint64}


def pairs(values, dtype):
    """Return all pairs of the values as two arrays."""
    x, y = zip(*itertools.product(values, repeat=2), strict=True)
    return np.array(x, dtype), np.array(y, dtype)


def apply(name, datatype, x, y):
    result, before = x.copy(), y.copy()
    info = [99]
    OPERATORS[name](datatype, result, y, len(x), info)
    assert info == [0]
    assert y.tobytes() == before.tobytes(), "the operator changed y"
    return result


@pytest.mark.parametrize("name", OPERATORS)
@pytest.mark.parametrize("datatype", INTEGERS)
def test_integers(name, datatype):
    if datatype == pvm.PVM_BYTE and name in ("sum", "product"):
        pytest.skip("PVM does not define sum and product of bytes")
    bits = np.iinfo(INTEGERS[datatype]).bits
    values = [0, 1, -1, 2, 7, -3, 2 ** (bits - 1) - 1, -(2 ** (bits - 1)), 2 ** (bits // 2)]
    x, y = pairs(values, INTEGERS[datatype])
    result = apply(name, datatype, x, y)
    for a, b, c in zip(x.tolist(), y.tolist(), result.tolist(), strict=True):
        exact = {"max": max(a, b), "min": min(a, b), "sum": a + b, "product": a * b}[name]
        assert c == (exact + 2 ** (bits - 1)) % 2**bits - 2 ** (bits - 1)


@pytest.mark.parametrize("name", ["max", "min"])
@pytest.mark.parametrize("datatype", REALS)
def test_real_max_and_min_take_y_for_ties_and_nan(name, datatype):
    dtype = REALS[datatype]
    values = [0.0, -0.0, 1.0, -1.0, math.inf, -math.inf, math.nan, -math.nan, 1e-40, 3e38]
    x, y = pairs(values, dtype)
    result = apply(name, datatype, x, y)
    unsigned = f"u{result.itemsize}"
    for a, b, c in zip(x, y, result, strict=True):
        keeps_x = a > b if name == "max" else a < b
        assert c.view(unsigned) == (a if keeps_x else b).view(unsigned), (a, b)


@pytest.mark.parametrize("datatype", REALS)
def test_real_sums_and_products_are_those_of_the_element_type(datatype):
    dtype = REALS[datatype]
    values = [0.0, -0.0, 1 / 3, -7.5, 1e30, 3e38, math.inf, 1e-40, 2.0**-149]
    x, y = pairs(values, dtype)
    with np.errstate(all="ignore"):
        sums = [a + b for a, b in zip(x, y, strict=True)]
        products = [a * b for a, b in zip(x, y, strict=True)]
    assert apply("sum", datatype, x, y).tobytes() == np.array(sums, dtype).tobytes()
    assert apply("product", datatype, x, y).tobytes() == np.array(products, dtype).tobytes()


@pytest.mark.parametrize("name", ["max", "min"])
@pytest.mark.parametrize("datatype", COMPLEX)
def test_complex_max_and_min_keep_x_for_ties_and_nan(name, datatype):
    part = np.float32 if datatype == pvm.PVM_CPLX else np.float64
    huge, tiny = (1e25, 1e-25) if part is np.float32 else (1e200, 1e-200)
    values = [3 + 4j, 4 + 3j, -5, 5j, 0, 1 + 1j, huge, 2 * huge, tiny, 2 * tiny, complex(math.nan)]
    x, y = pairs(values, COMPLEX[datatype])
    result = apply(name, datatype, x, y)
    for a, b, c in zip(x, y, result, strict=True):
        # Squares overflow or underflow in the element type, so different moduli can tie.
        with np.errstate(all="ignore"):
            a2, b2 = (part(z.real) * part(z.real) + part(z.imag) * part(z.imag) for z in (a, b))
        takes_y = b2 > a2 if name == "max" else b2 < a2
        assert c.tobytes() == (b if takes_y else a).tobytes(), (a, b)


@pytest.mark.parametrize("datatype", COMPLEX)
def test_the_complex_product_is_the_textbook_formula(datatype):
    part = np.float32 if datatype == pvm.PVM_CPLX else np.float64
    numbers = np.random.default_rng(1)
    x, y = (
        (numbers.standard_normal(2000) + 1j * numbers.standard_normal(2000)).astype(
            COMPLEX[datatype]
        )
        for _ in range(2)
    )
    result = apply("product", datatype, x, y)
    a, b, c, d = (np.ascontiguousarray(p) for p in (x.real, x.imag, y.real, y.imag))
    ac, bd, ad, bc = (np.multiply(*pair, dtype=part) for pair in ((a, c), (b, d), (a, d), (b, c)))
    assert result.real.tobytes() == (ac - bd).tobytes()
    assert result.imag.tobytes() == (ad + bc).tobytes()


@pytest.mark.parametrize("name", OPERATORS)
@pytest.mark.parametrize("datatype", [pvm.PVM_STR, *UNSIGNED, -1, 12])
def test_types_on_which_nothing_is_defined(name, datatype):
    x, y = np.ones(2, np.uint8), np.ones(2, np.uint8)
    info = np.zeros(1, np.int32)
    OPERATORS[name](datatype, x, y, 2, info)
    assert info[0] == pvm.PvmBadParam
    assert x.tolist() == [1, 1]


def test_only_num_elements_and_info_may_be_left_out():
    x = np.arange(4.0)
    pvm.PvmSum(pvm.PVM_DOUBLE, x, np.ones(4), 2, None)
    assert x.tolist() == [1, 2, 2, 3]


def test_num_below_0_is_no_element():
    """A negative count combines no elements, as in a C loop."""
    x, info = np.arange(4.0), [99]
    pvm.PvmSum(pvm.PVM_DOUBLE, x, np.ones(4), -1, info)
    assert x.tolist() == [0, 1, 2, 3]
    assert info == [0]


def test_elements_are_counted_through_all_dimensions():
    x, y = np.zeros((3, 2), np.int32), np.ones((3, 2), np.int32)
    pvm.PvmSum(pvm.PVM_INT, x, y, 3, None)
    assert x.tolist() == [[1, 1], [1, 0], [0, 0]]


def test_buffers_without_numpy_will_do():
    x, y = array("d", [1.0, 2.0]), bytearray(np.array([5.0, -7.0]).tobytes())
    pvm.PvmMax(pvm.PVM_DOUBLE, x, memoryview(y).cast("d"), 2, None)
    assert x.tolist() == [5.0, 2.0]


@pytest.mark.parametrize("name", OPERATORS)
@pytest.mark.parametrize(
    ("x", "y", "num", "text"),
    [
        (np.zeros(4), np.ones(1), 4, "y has 1 elements, fewer than the 4 asked for"),
        (np.zeros(3), np.ones(4), 4, "x has 3 elements, fewer than the 4 asked for"),
        (np.zeros(4, np.float32), np.ones(4), 4, "x has elements of float32; PVM_DOUBLE takes"),
        (np.zeros(4), np.ones(4, np.int64), 4, "y has elements of int64; PVM_DOUBLE takes"),
        (np.zeros(8)[::2], np.ones(4), 4, "x is not contiguous"),
        (np.broadcast_to(np.zeros(1), 1), np.ones(1), 1, "x is read-only"),
        ([0.0], np.ones(1), 1, "x is a list; it must be an array of float64"),
        (np.zeros(1), np.ones(1), 1.0, "num is 1.0; it must be an integer"),
    ],
)
def test_what_c_would_take_to_pieces_is_refused(name, x, y, num, text):
    before, info = np.array(x), [99]
    with pytest.raises(ArgumentError, match=re.escape(text)):
        OPERATORS[name](pvm.PVM_DOUBLE, x, y, num, info)
    assert np.array_equal(x, before)
    assert info == [99]


def test_no_warning_leaves_the_operators(recwarn):
    x = np.full(2, 3e38, np.float32)
    pvm.PvmSum(pvm.PVM_FLOAT, x, x.copy(), 2, None)
    pvm.PvmProduct(pvm.PVM_FLOAT, x, x.copy(), 2, None)
    assert not recwarn.list


def test_the_program_keeps_its_error_modes():
    with np.errstate(all="raise"):
        before = np.geterr()
        x = np.full(2, 3e38, np.float32)
        pvm.PvmSum(pvm.PVM_FLOAT, x, x.copy(), 2, None)
        assert np.isinf(x).all()
        assert np.geterr() == before


def test_importing_leaves_the_error_modes_alone():
    code = "import numpy as np; a = np.geterr(); import redcoll_pvm; print(a == np.geterr())"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout == "True\n"
