"""Define the predefined functions of pvm_reduce. Programs can also call them directly.

``func(datatype, x, y, num, info)`` combines ``num`` elements of ``y`` into ``x``. The function sets
``info[0]`` to 0, or to ``PvmBadParam`` if it is not defined on the type.

PVM's rules differ from NumPy's:

* Maximum and minimum of real numbers keep x only if x is strictly greater (smaller) than y. If x
  and y are equal, or if x or y is a NaN, the result is y.
* Maximum and minimum of complex numbers compare the squared moduli, computed in the element type.
  The result is y only if y has the strictly greater (smaller) squared modulus.
* The product of complex numbers is the textbook formula, with every step rounded.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import FunctionType
from typing import Any, cast

import numpy as np

from redcoll.arguments import Array, integer
from redcoll.ops import PLAIN_SUM, PROD, USER_CODE, Op
from redcoll_pvm import constants as pvm
from redcoll_pvm._arrays import vector
from redcoll_pvm._task import OutParameter, put

__all__ = ["PvmMax", "PvmMin", "PvmProduct", "PvmSum"]

Function = Callable[[int, Any, Any, int, Any], Any]
"""A function of pvm_reduce: ``func(datatype, x, y, num, info)``."""

Table = Mapping[int, Op]
"""The operations of a predefined function, by datatype."""

_INTEGERS = (pvm.PVM_SHORT, pvm.PVM_INT, pvm.PVM_LONG)
_REALS = (pvm.PVM_FLOAT, pvm.PVM_DOUBLE)
_COMPLEX = (pvm.PVM_CPLX, pvm.PVM_DCPLX)
_ORDERED = (pvm.PVM_BYTE, *_INTEGERS, *_REALS)


def _extreme(better: np.ufunc) -> Table:
    def of_reals(x: Array, y: Array, out: Array) -> None:
        np.copyto(out, y, where=~better(x, y))

    def square(z: Array) -> Array:
        return cast("Array", z.real * z.real + z.imag * z.imag)

    def of_complex(x: Array, y: Array, out: Array) -> None:
        np.copyto(out, y, where=better(square(y), square(x)))

    # As user operations these do not run in the kernel's loops, which have redcoll's rules.
    real = Op(better.__name__, USER_CODE, "iuf", of_reals, is_user=True)
    modulus = Op(better.__name__, USER_CODE, "c", of_complex, is_user=True)
    return dict.fromkeys(_ORDERED, real) | dict.fromkeys(_COMPLEX, modulus)


_MAX = _extreme(np.greater)
_MIN = _extreme(np.less)
_ARITHMETIC = (*_INTEGERS, *_REALS, *_COMPLEX)
_SUM: Table = dict.fromkeys(_ARITHMETIC, PLAIN_SUM)
_PRODUCT: Table = dict.fromkeys(_ARITHMETIC, PROD)


def PvmMax(datatype: int, x: Array, y: Array, num: int, info: OutParameter) -> None:
    """Compute ``x = max(x, y)``; complex numbers are compared by modulus (pvm_reduce(3PVM)).

    Parameters
    ----------
    datatype
        PVM_BYTE, PVM_SHORT, PVM_INT, PVM_LONG, PVM_FLOAT, PVM_DOUBLE, PVM_CPLX or
        PVM_DCPLX.
    x, y
        Contiguous arrays of ``datatype`` with at least ``num`` elements each. ``x`` is changed in
        place.
    num
        Number of elements. A negative number counts as 0.
    info
        A list or array, or None. ``info[0]`` is set to 0, or to ``PvmBadParam`` for another
        datatype.

    Raises
    ------
    DatatypeError, ArgumentError
        ``x`` or ``y`` is not such an array, or ``datatype`` or ``num`` is not an integer.
    """
    _apply(_MAX, datatype, x, y, num, info)


def PvmMin(datatype: int, x: Array, y: Array, num: int, info: OutParameter) -> None:
    """Compute ``x = min(x, y)``; complex numbers are compared by modulus.

    The arguments are those of PvmMax.
    """
    _apply(_MIN, datatype, x, y, num, info)


def PvmSum(datatype: int, x: Array, y: Array, num: int, info: OutParameter) -> None:
    """Compute ``x = x + y``; integers wrap (pvm_reduce(3PVM)).

    Parameters
    ----------
    datatype
        PVM_SHORT, PVM_INT, PVM_LONG, PVM_FLOAT, PVM_DOUBLE, PVM_CPLX or PVM_DCPLX.
    x, y, num, info
        As for PvmMax, with the same exceptions.
    """
    _apply(_SUM, datatype, x, y, num, info)


def PvmProduct(datatype: int, x: Array, y: Array, num: int, info: OutParameter) -> None:
    """Compute ``x = x * y``; see PvmSum for the arguments."""
    _apply(_PRODUCT, datatype, x, y, num, info)


_TABLES: Mapping[Function, Table] = {PvmMax: _MAX, PvmMin: _MIN, PvmSum: _SUM, PvmProduct: _PRODUCT}


def _apply(table: Table, datatype: int, x: Array, y: Array, num: int, info: OutParameter) -> None:
    datatype, num = integer(datatype, "datatype"), max(integer(num, "num"), 0)
    op = table.get(datatype)
    if op is not None:
        x = vector("x", x, datatype, num, writable=True)
        y = vector("y", y, datatype, num, writable=False)
        with np.errstate(all="ignore"):
            op.combine(x, y, x)
    put(info, [pvm.PvmBadParam if op is None else pvm.PvmOk])


def table_of(func: object) -> Table | None:
    """Return a predefined function's operation for each datatype; None for any other object."""
    return _TABLES.get(func) if isinstance(func, FunctionType) else None
