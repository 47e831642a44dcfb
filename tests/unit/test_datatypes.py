"""Test the table of element types against the layouts that both MPI libraries use."""

import sys

import ml_dtypes
import numpy as np
import pytest
from mpi import oracle

from redcoll import MPI_PAIRS, DatatypeError, pair_dtype
from redcoll.datatypes import (
    ELEMENT_TYPES,
    SMALL_FLOATS,
    element_type,
    is_small_float,
    name_of,
    small_float,
)

# An entry has the bytes of both members (MPI's size), the bytes of the struct (MPI's extent), and
# the offset of the index. Both MPI libraries on x86-64 Linux report these values. LONG_* assume
# 8 bytes for long, and the other types 4 bytes for int.
LAYOUTS = {
    "FLOAT_INT": (8, 8, 4),
    "DOUBLE_INT": (12, 16, 8),
    "LONG_INT": (12, 16, 8),
    "2INT": (8, 8, 4),
    "SHORT_INT": (6, 8, 4),
    "LONG_DOUBLE_INT": (20, 32, 16),
    "2REAL": (8, 8, 4),
    "2DOUBLE_PRECISION": (16, 16, 8),
    "2INTEGER": (8, 8, 4),
}


def test_the_nine_pairs_of_mpi():
    assert list(MPI_PAIRS) == list(LAYOUTS)


@pytest.mark.skipif(
    np.dtype("l").itemsize != 8 or np.dtype("g").itemsize != 16,
    reason="the sizes are those of machines with 8-byte long and 16-byte long double",
)
@pytest.mark.parametrize("name", LAYOUTS)
def test_pair_layout(name):
    members, extent, at = LAYOUTS[name]
    dtype = MPI_PAIRS[name]
    assert dtype.names == ("value", "index")
    assert sum(dtype[field].itemsize for field in dtype.names) == members
    assert dtype.itemsize == extent
    assert dtype.fields["value"][1] == 0
    assert dtype.fields["index"][1] == at


@pytest.mark.parametrize("name", [name for name in LAYOUTS if not name.startswith("2")])
def test_pair_layout_equals_mpis(name):
    MPI = pytest.importorskip("mpi4py.MPI")
    datatype = getattr(MPI, name)
    assert datatype.Get_size() == LAYOUTS[name][0]
    assert datatype.Get_extent() == (0, MPI_PAIRS[name].itemsize)


def test_pair_layout_of_two_ints_equals_mpis():
    MPI = pytest.importorskip("mpi4py.MPI")
    assert MPI.TWOINT.Get_extent() == (0, MPI_PAIRS["2INT"].itemsize)


def test_codes_are_distinct_and_fit_a_header():
    codes = [row.code for row in ELEMENT_TYPES]
    assert len(set(codes)) == len(codes)
    assert all(0 < code < 256 for code in codes)
    for row in ELEMENT_TYPES:
        assert name_of(row.code) == row.name
    assert name_of(255) is None


def test_small_floats_are_known_by_name_and_size():
    names = {dtype.name for dtype in oracle.SMALL_FLOATS}
    assert names == {name for name, _ in SMALL_FLOATS}
    for dtype in oracle.SMALL_FLOATS:
        row = element_type(dtype)
        assert element_type(dtype) is row
        assert (row.name, row.kind, row.dtype) == (dtype.name, "f", dtype)
        assert SMALL_FLOATS[dtype.name, dtype.itemsize] == row.code
        assert name_of(row.code) == dtype.name
        assert is_small_float(dtype)
        assert small_float(dtype.name) == dtype
    codes = {*SMALL_FLOATS.values(), *(row.code for row in ELEMENT_TYPES)}
    assert len(codes) == len(SMALL_FLOATS) + len(ELEMENT_TYPES)
    assert not any(is_small_float(row.dtype) for row in ELEMENT_TYPES)
    assert small_float("float7") is None


@pytest.mark.parametrize("row", ELEMENT_TYPES, ids=lambda row: row.name)
def test_every_row_is_found_by_its_dtype(row):
    assert element_type(row.dtype) is row
    kind = "p" if row.dtype.names else row.dtype.kind
    assert row.kind == kind


def test_all_types_of_the_design_are_there():
    wanted = [
        *("?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"),
        *("f2", "f4", "f8", "g", "F", "D", "G"),
    ]
    for code in wanted:
        assert element_type(np.dtype(code)).dtype == np.dtype(code)
    for code in wanted[1:13]:
        wide = np.dtype([("value", code), ("index", "i8")], align=True)
        assert element_type(wide).kind == "p"
        assert pair_dtype(code) == wide
    for dtype in MPI_PAIRS.values():
        assert element_type(dtype).kind == "p"


@pytest.mark.parametrize(
    ("code", "name"),
    [
        ("b", "int8"),
        ("h", "int16"),
        ("i", "int32"),
        ("B", "uint8"),
        ("H", "uint16"),
        ("I", "uint32"),
    ],
)
def test_c_codes(code, name):
    assert element_type(np.dtype(code)).name == name


@pytest.mark.parametrize("code", "lqLQpP")
def test_long_and_long_long_are_one_type_where_they_have_one_size(code):
    dtype = np.dtype(code)
    kind = {"i": "int", "u": "uint"}[dtype.kind]
    assert element_type(dtype).name == f"{kind}{8 * dtype.itemsize}"


def test_a_pair_counts_by_its_layout_not_by_how_it_was_written():
    written_out = np.dtype(
        {"names": ["value", "index"], "formats": ["f8", "i4"], "offsets": [0, 8], "itemsize": 16}
    )
    assert element_type(written_out) is element_type(MPI_PAIRS["DOUBLE_INT"])


OTHER = ">" if sys.byteorder == "little" else "<"


@pytest.mark.parametrize(
    ("dtype", "words"),
    [
        (np.dtype(f"{OTHER}f8"), "byte order"),
        (np.dtype([("value", f"{OTHER}f8"), ("index", f"{OTHER}i4")], align=True), "byte order"),
        (np.dtype([("value", "f8"), ("index", "i4")]), "C layout"),  # packed: 12 bytes
        (np.dtype([("v", "f8"), ("i", "i8")]), "pair_dtype"),
        (np.dtype([("value", "c16"), ("index", "i8")], align=True), "pairs"),
        (np.dtype([("index", "f8"), ("value", "i8")], align=True), "pairs"),
        (np.dtype("O"), "not reduced"),
        (np.dtype("U3"), "not reduced"),
        (np.dtype("S3"), "not reduced"),
        (np.dtype("M8[s]"), "not reduced"),
        (np.dtype("m8[s]"), "not reduced"),
        (np.dtype("V8"), "not reduced"),
        (np.dtype(ml_dtypes.float8_e4m3b11fnuz), "not reduced.*bfloat16"),
    ],
    ids=str,
)
def test_refused_types_name_the_rule(dtype, words):
    with pytest.raises(DatatypeError, match=words) as caught:
        element_type(dtype)
    assert str(dtype) in str(caught.value)
