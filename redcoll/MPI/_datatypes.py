"""Map MPI's element types to NumPy's dtypes, if the core can reduce them.

The names are from MPI-4.1: table 3.2, section 6.9.2, and the pair types of section 6.9.4. Names
that mpi4py lacks are left out. Tables with MPI's handles as keys are made at their first use,
because MPI must be running.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from mpi4py import MPI as mpi

from redcoll import ops
from redcoll.datatypes import MPI_PAIRS, element_type, small_float
from redcoll.errors import DatatypeError

# MPI's names of a C type, by NumPy's type character. The sizes can differ between machines.
_C_TYPES: dict[str, tuple[str, ...]] = {
    "?": ("C_BOOL", "CXX_BOOL"),
    "b": ("SIGNED_CHAR",),
    "h": ("SHORT",),
    "i": ("INT",),
    "l": ("LONG",),
    "q": ("LONG_LONG",),
    "B": ("UNSIGNED_CHAR", "BYTE"),
    "H": ("UNSIGNED_SHORT",),
    "I": ("UNSIGNED",),
    "L": ("UNSIGNED_LONG",),
    "Q": ("UNSIGNED_LONG_LONG",),
    "e": ("FLOAT16_T",),
    "f": ("FLOAT",),
    "d": ("DOUBLE",),
    "g": ("LONG_DOUBLE",),
    "F": ("C_COMPLEX", "C_FLOAT_COMPLEX", "CXX_FLOAT_COMPLEX"),
    "D": ("C_DOUBLE_COMPLEX", "CXX_DOUBLE_COMPLEX"),
    "G": ("C_LONG_DOUBLE_COMPLEX", "CXX_LONG_DOUBLE_COMPLEX"),
}
_LOGICALS = ("LOGICAL", "LOGICAL1", "LOGICAL2", "LOGICAL4", "LOGICAL8")
# Types whose size depends on the MPI library. For each of NumPy's kinds, the table has the sizes
# that the core can reduce, and MPI's names of the types. MPI reduces types of other sizes, such as
# REAL*16, which is not a C long double.
_SIZED_TYPES: dict[str, tuple[tuple[int, ...], tuple[str, ...]]] = {
    "i": (
        (1, 2, 4, 8),
        (
            *("INT8_T", "INT16_T", "INT32_T", "INT64_T", "AINT", "OFFSET", "COUNT"),
            *("INTEGER", "INTEGER1", "INTEGER2", "INTEGER4", "INTEGER8"),
            *_LOGICALS,
        ),
    ),
    "u": ((1, 2, 4, 8), ("UINT8_T", "UINT16_T", "UINT32_T", "UINT64_T")),
    "f": ((2, 4, 8), ("REAL", "DOUBLE_PRECISION", "REAL2", "REAL4", "REAL8")),
    "c": ((8, 16), ("COMPLEX", "DOUBLE_COMPLEX", "COMPLEX8", "COMPLEX16")),
}
# The pair types. In MPI's names, "2" stands for "TWO".
_PAIRS = ("FLOAT_INT", "DOUBLE_INT", "LONG_INT", "TWOINT", "SHORT_INT", "LONG_DOUBLE_INT")
FORTRAN_PAIRS = ("TWOREAL", "TWODOUBLE_PRECISION", "TWOINTEGER")
"""Pair types that mpi4py lacks. The type of both members follows "TWO"."""

# The operations that the core can do on types without arithmetic, which are MPI_BYTE and Fortran's
# logical types. MPI does or rejects all other operations on these types.
_LIMITED: dict[str, tuple[ops.Op, ...]] = {
    "BYTE": (ops.AND, ops.OR, ops.XOR),
    **dict.fromkeys(_LOGICALS, (ops.LAND, ops.LOR, ops.LXOR)),
}

# The Fortran handles of the three pairs in MPICH and Open MPI. These libraries do not name the
# pairs in C and Python.
_FORTRAN_HANDLES: dict[str, dict[str, int]] = {
    "MPICH": {"TWOREAL": 0x4C000821, "TWODOUBLE_PRECISION": 0x4C001023, "TWOINTEGER": 0x4C000820},
    "Open MPI": {"TWOREAL": 23, "TWODOUBLE_PRECISION": 24, "TWOINTEGER": 25},
}


@functools.cache
def fortran_pair(name: str) -> mpi.Datatype:
    """Return ``TWOREAL``, ``TWODOUBLE_PRECISION`` or ``TWOINTEGER``.

    The result is the library's own datatype if redcoll finds it, or else a type of two contiguous
    members.
    """
    member = name.removeprefix("TWO")
    code = _FORTRAN_HANDLES.get(mpi.get_vendor()[0], {}).get(name)
    if code is not None:
        try:
            datatype = mpi.Datatype.f2py(code)
            if datatype.Get_name() == f"MPI_2{member}":
                return datatype
        except mpi.Exception:
            pass  # another version of the library, or a library without Fortran
    basic: mpi.Datatype = getattr(mpi, member)
    datatype = basic.Create_contiguous(2).Commit()
    datatype.Set_name(f"MPI_2{member}")
    return datatype


@functools.cache
def _dtypes() -> dict[int, np.dtype[Any]]:
    """Return the dtypes in which the core reduces datatypes, with MPI's handles as keys."""
    known = {_handle(name): np.dtype(char) for char, names in _C_TYPES.items() for name in names}
    null = mpi.DATATYPE_NULL.handle
    for kind, (sizes, names) in _SIZED_TYPES.items():
        for name in names:
            size = getattr(mpi, name).Get_size() if _handle(name) != null else 0
            if size in sizes:
                known[_handle(name)] = np.dtype(f"{kind}{size}")
    handle = _handle("BFLOAT16_T")
    bfloat16 = small_float("bfloat16") if handle != null else None
    if bfloat16 is not None:
        known[handle] = bfloat16
    known |= {_handle(name): _pair(name) for name in _PAIRS}
    for name in FORTRAN_PAIRS:
        if fortran_pair(name).Get_size() == _pair(name).itemsize:
            known[fortran_pair(name).handle] = _pair(name)
    known.pop(null, None)
    return known


@functools.cache
def _limits() -> dict[int, tuple[ops.Op, ...]]:
    return {_handle(name): legal for name, legal in _LIMITED.items()}


def _handle(name: str) -> int:
    datatype: mpi.Datatype = getattr(mpi, name, mpi.DATATYPE_NULL)
    return datatype.handle


def _pair(name: str) -> np.dtype[Any]:
    return MPI_PAIRS[name.replace("TWO", "2")]


def dtype_of(datatype: mpi.Datatype) -> np.dtype[Any] | None:
    """Return the dtype in which the core reduces a datatype; None if the core cannot reduce it."""
    return _dtypes().get(datatype.handle)


def takes(datatype: mpi.Datatype | None, op: ops.Op) -> bool:
    """Return whether the core can do this operation on elements of this datatype."""
    if datatype is None or op.is_user:
        return True
    legal = _limits().get(datatype.handle)
    return legal is None or op in legal


@functools.cache
def unlimited() -> dict[int, np.dtype[Any]]:
    """Return the part of ``_dtypes()`` for datatypes without restrictions on operations."""
    return {handle: dtype for handle, dtype in _dtypes().items() if handle not in _limits()}


@functools.cache
def _datatypes_of_pairs() -> dict[np.dtype[Any], mpi.Datatype]:
    known = {_pair(name): fortran_pair(name) for name in FORTRAN_PAIRS}
    # TWOINT replaces TWOINTEGER, which has the same layout.
    return known | {_pair(name): getattr(mpi, name) for name in _PAIRS}


def datatype_of(dtype: np.dtype[Any]) -> mpi.Datatype | None:
    """Return MPI's datatype for a dtype, which can be a pair; None if MPI has no such datatype."""
    if dtype.names is not None:
        return _datatypes_of_pairs().get(dtype)
    try:
        return mpi.Datatype.fromcode(dtype.char)
    except ValueError:
        return None


@functools.cache
def made_for(dtype: np.dtype[Any]) -> mpi.Datatype:
    """Return a datatype for a dtype, to pass to a user's function. Make one if MPI has none."""
    from mpi4py.util import dtlib

    return datatype_of(dtype) or dtlib.from_numpy_dtype(dtype).Commit()


@functools.cache
def pair_element(dtype: np.dtype[Any]) -> np.dtype[Any] | None:
    """Return the core's pair type for a structured dtype of two fields; None if there is none.

    Padding and the names of the fields do not matter.
    """
    if dtype.names is None or len(dtype.names) != 2 or not dtype.isnative:
        return None
    value, index = (dtype[name] for name in dtype.names)
    if value.subdtype is not None or index.subdtype is not None:
        return None
    pair = np.dtype([("value", value), ("index", index)], align=True)
    try:
        return element_type(pair).dtype
    except DatatypeError:
        return None
