"""Define the operations: the kinds of elements that each takes, and how it combines two operands.

``combine(a, b, out)`` writes ``a op b`` into ``out`` element by element. ``a`` is the operand of
the lower rank. ``out`` may be ``a`` or ``b``.
"""

from __future__ import annotations

import sys
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from redcoll import config
from redcoll.arguments import shown
from redcoll.c_functions import is_compiled, jit, loop_of
from redcoll.c_functions import name_of as name_of_compiled
from redcoll.datatypes import (
    FLOAT32,
    KIND_WORDS,
    ElementType,
    any_element_type,
    element_type,
    is_small_float,
)
from redcoll.errors import ArgumentError, OpError
from redcoll.superaccumulator import EXACT_TYPES, fold_exactly

Array = NDArray[Any]
Combine = Callable[[Array, Array, Array], object]


def _is_nan(values: Array) -> Array:
    """Return a mask of the elements that are NaN. Integers are never NaN."""
    return cast("Array", values != values)  # noqa: PLR0124 - true for NaN alone


def _extreme_with_location(better: np.ufunc) -> Combine:
    """Return the combine function of MAXLOC (``better=np.greater``) or MINLOC (``np.less``).

    A NaN wins over every number. If the values are equal, or both are NaN, the result has the value
    of the lower operand and the smaller index. Zeros of either sign are equal.
    """

    def combine(a: Array, b: Array, out: Array) -> None:
        a_value, b_value = a["value"], b["value"]
        a_index, b_index = a["index"], b["index"]
        take = better(b_value, a_value)
        tie = a_value == b_value
        if a_value.dtype.kind == "f":
            a_nan, b_nan = _is_nan(a_value), _is_nan(b_value)
            take |= b_nan & ~a_nan
            tie |= b_nan & a_nan
        lower = tie & (b_index < a_index)
        value = np.where(take, b_value, a_value)
        index = np.where(take | lower, b_index, a_index)
        out["value"] = value
        out["index"] = index

    return combine


def _with_out(ufunc: np.ufunc) -> Combine:
    """Return a combine function for a ufunc whose ``out`` must be passed by keyword."""

    def combine(a: Array, b: Array, out: Array) -> None:
        ufunc(a, b, out=out)

    return combine


def _product(a: Array, b: Array, out: Array) -> None:
    """Multiply; for complex numbers use the textbook formula, and round every step.

    ``numpy.multiply`` uses fused multiply-adds on machines that have them, and these round
    differently.
    """
    if out.dtype.kind != "c":
        np.multiply(a, b, out)
        return
    real = a.real * b.real - a.imag * b.imag
    imag = a.real * b.imag + a.imag * b.real
    out.real = real
    out.imag = imag


@dataclass(frozen=True, eq=False)
class Op:
    """A reduction operation.

    Compare predefined operations by identity, and use the module's constants.
    """

    name: str
    code: int
    kinds: str
    """Letters of the element kinds on which the operation is defined."""
    combine: Combine = field(repr=False)
    elementwise: bool = True
    """Whether redcoll may cut vectors anywhere. If not, it combines whole vectors."""
    is_user: bool = False
    mark: int = 0
    """Hash of a user function's name. Members with different marks get a mismatch."""
    fold: Callable[[Sequence[Array], Array], object] | None = field(default=None, repr=False)
    """``fold(operands, out)`` combines all members' operands in an order of its own. By default
    redcoll makes a left fold by ``combine``."""
    element: ElementType | None = None
    """The type of elements that a compiled function takes; None for all others."""
    types: Sequence[str] | None = None
    """The names of its element types, if it is not defined on all types of these kinds."""
    in_float32: Op | None = field(default=None, repr=False)
    """The operation that this one is, except that it accumulates in float32."""

    def accumulating(self, dtype: object) -> Op:
        """Return this operation with sums or products of 16-bit and 8-bit floats in float32.

        The elements of all members are widened to float32, combined in order, and rounded once.
        SUM and PROD always do so on bfloat16 and on 8-bit floats. For float16 a
        program must ask for it. All members must pass the same operation.

        Parameters
        ----------
        dtype
            The type to accumulate in: ``"float32"``.

        Raises
        ------
        OpError
            The operation is not SUM or PROD.
        ArgumentError
            ``dtype`` is not float32.

        Examples
        --------
        >>> import numpy as np
        >>> import redcoll
        >>> half = np.array([2048 if redcoll.my_pe() == 0 else 1], np.float16)
        >>> redcoll.allreduce(half, half, redcoll.SUM.accumulating("float32"))
        >>> half[0] == np.float16(2048 + redcoll.n_pes() - 1)
        np.True_
        """
        try:
            is_float32 = np.dtype(cast("Any", dtype)) == FLOAT32
        except (TypeError, ValueError):
            is_float32 = False
        if not is_float32:
            raise ArgumentError(f"dtype is {shown(dtype)}; it must be float32")
        if self.in_float32 is not None:
            return self
        if self not in _IN_FLOAT32:
            raise OpError(f"op {self.name} does not accumulate; only SUM and PROD do")
        return _IN_FLOAT32[self]

    def element_of(self, dtype: np.dtype[Any]) -> ElementType:
        """Return the element type of arrays that the operation takes.

        Raises
        ------
        DatatypeError
            Reductions do not take such elements.
        OpError
            The operation is not defined on them.
        """
        element = element_type(dtype) if self.element is None else any_element_type(dtype)
        self.check(element)
        return element

    def accumulator(self, dtype: np.dtype[Any]) -> np.dtype[Any] | None:
        """Return the type in which elements of this type are accumulated, if it is another one."""
        if dtype.itemsize > _MOST_ACCUMULATED or dtype.kind in "biu":
            return None
        is_wide = self.in_float32 is not None or (self in _IN_FLOAT32 and is_small_float(dtype))
        return FLOAT32 if is_wide else None

    def __repr__(self) -> str:
        return f"redcoll.{self.name}" if not self.is_user else f"<redcoll user op {self.name}>"

    def takes(self, element: ElementType) -> bool:
        """Return whether the operation is defined on this element type."""
        is_of_types = self.types is None or element.name in self.types
        return element.kind in self.kinds and is_of_types

    def folds_by_nodes(self, element: ElementType) -> bool:
        """Return whether redcoll may fold the members of each node first, and then the nodes."""
        return not self.is_user and not self.is_exact_on(element)

    def is_exact_on(self, element: ElementType) -> bool:
        """Return whether the result is rounded only once, so that all operands meet at one place.

        MPI has no such operation.
        """
        return self.code == EXACT_SUM.code and element.name in EXACT_TYPES

    def check(self, element: ElementType) -> None:
        """Refuse an element type on which the operation is not defined.

        Raises
        ------
        OpError
            The operation is not defined on this type. The message lists the types that it takes.
        """
        if self.element is not None:
            if element.dtype != self.element.dtype:
                own = self.element.dtype
                raise OpError(f"op {self.name} is for {own}; it is not defined on {element.dtype}")
            return
        if self.in_float32 is not None and (
            element.kind != "f" or element.dtype.itemsize > _MOST_ACCUMULATED
        ):
            raise OpError(
                f"op {self.name} is not defined on {element.name}; it takes float16, bfloat16 and "
                "8-bit floats"
            )
        if not self.takes(element):
            legal = ", ".join(self.types or [KIND_WORDS[kind] for kind in self.kinds])
            raise OpError(f"op {self.name} is not defined on {element.name}; it takes {legal}")


PLAIN_SUM = Op("SUM", 1, "biufc", np.add)
EXACT_SUM = Op("EXACT_SUM", 13, "fc", np.add, fold=fold_exactly, types=EXACT_TYPES)
"""The correctly rounded sum. Two operands need one rounding, so they are added plainly."""
# A wrong value is reported where a team is made.
_IS_SUM_EXACT = config.SUM.problem() is None and config.SUM.get() == "exact"
SUM = PLAIN_SUM
if _IS_SUM_EXACT:
    SUM = Op("SUM", EXACT_SUM.code, PLAIN_SUM.kinds, np.add, fold=fold_exactly)
PROD = Op("PROD", 2, "biufc", _product)
MAX = Op("MAX", 3, "biuf", _with_out(np.maximum))
MIN = Op("MIN", 4, "biuf", _with_out(np.minimum))
AND = Op("AND", 5, "biu", np.bitwise_and)
OR = Op("OR", 6, "biu", np.bitwise_or)
XOR = Op("XOR", 7, "biu", np.bitwise_xor)
LAND = Op("LAND", 8, "biuf", np.logical_and)
LOR = Op("LOR", 9, "biuf", np.logical_or)
LXOR = Op("LXOR", 10, "biuf", np.logical_xor)
MAXLOC = Op("MAXLOC", 11, "p", _extreme_with_location(np.greater))
MINLOC = Op("MINLOC", 12, "p", _extreme_with_location(np.less))

_MOST_ACCUMULATED = 2
"""Bytes of the longest elements that are accumulated in float32."""
_ADDED_IN_FLOAT32 = 32


def _in_float32(op: Op) -> Op:
    name = f"{op.name}.accumulating('float32')"
    plain = PLAIN_SUM if op is SUM else op
    return Op(name, plain.code + _ADDED_IN_FLOAT32, "f", op.combine, in_float32=op)


_IN_FLOAT32: dict[Op, Op] = {op: _in_float32(op) for op in (SUM, PROD)}

OPS: tuple[Op, ...] = (
    SUM, PROD, MAX, MIN, AND, OR, XOR, LAND, LOR, LXOR, MAXLOC, MINLOC, EXACT_SUM,
)  # fmt: skip

USER_CODE = 63
_BY_CODE = {op.code: op for op in (PLAIN_SUM, *OPS, *_IN_FLOAT32.values())}
BY_NAME: dict[str, Op] = {
    **{op.name.lower(): op for op in OPS},
    "band": AND,
    "bor": OR,
    "bxor": XOR,
}
"""Names of operations: those of redcoll, and MPI's names of the bitwise ones."""
_BY_UFUNC: dict[np.ufunc, Op] = {
    np.add: SUM,
    np.multiply: PROD,
    np.maximum: MAX,
    np.minimum: MIN,
    np.bitwise_and: AND,
    np.bitwise_or: OR,
    np.bitwise_xor: XOR,
    np.logical_and: LAND,
    np.logical_or: LOR,
    np.logical_xor: LXOR,
}
_MPI_NAMES = (
    *("SUM", "PROD", "MAX", "MIN", "BAND", "BOR", "BXOR"),
    *("LAND", "LOR", "LXOR", "MAXLOC", "MINLOC"),
)
_NOT_REDUCTIONS = ("OP_NULL", "REPLACE", "NO_OP")

OpLike = Op | np.ufunc | str | Callable[..., Any]
"""Any form in which users name an operation. ``Callable`` includes ``mpi4py.MPI.Op``."""


def mark_of(name: str) -> int:
    """Return the number that stands for a user function's name in headers."""
    return zlib.crc32(name.encode())


def user_op(
    function: Any, *, name: str | None = None, elementwise: bool = False, dtype: Any = None
) -> Op:
    """Make an operation of a function of two arrays.

    Parameters
    ----------
    function
        A binary ``numpy.ufunc``, or a callable ``f(a, b)`` that returns an array of the same
        shape. ``a`` holds the contributions of the lower ranks. The function must not change its
        arguments. It need not be commutative. Unless it is associative, the result depends on
        the order of the fold.
    name
        The name in messages (default: the function's own). Members that pass functions with
        different names get a mismatch.
    elementwise
        Promise that each element of the result depends only on that element of the operands. Then
        the ranks share the work on long vectors. For a ufunc this always holds; with any other
        function redcoll combines whole vectors by default.
    dtype
        The element type of a compiled function, only for these: a numba ``cfunc``, or a function
        pointer of ctypes or cffi. Its C type must be
        ``void f(const T *a, const T *b, T *out, int64_t n)``. ``out`` can be ``a`` or ``b``.

    Raises
    ------
    OpError
        ``function`` is not callable, is a ufunc that is not binary, or is a compiled function of
        another C type, without ``dtype``, or without a name.
    DatatypeError
        Reductions do not take elements of ``dtype``.

    Examples
    --------
    >>> import numpy as np
    >>> import redcoll
    >>> farther = redcoll.user_op(lambda a, b: np.where(abs(b) > abs(a), b, a), name="farther")
    >>> result = np.zeros(1)
    >>> redcoll.allreduce(result, np.array([-1.0 - redcoll.my_pe()]), farther)
    >>> int(result[0]) == -redcoll.n_pes()
    True
    """
    if is_compiled(function):
        return _of_compiled(function, name, elementwise, dtype)
    if dtype is not None:
        raise OpError(f"dtype is {shown(dtype)}; only compiled functions have one")
    if isinstance(function, np.ufunc):
        if function.nin != 2 or function.nout != 1 or function.signature is not None:
            raise OpError(f"op {function!r}: a ufunc must take two operands and give one result")
        ufunc = function

        def combine(a: Array, b: Array, out: Array) -> None:
            ufunc(a, b, out=out, casting="same_kind")

        label = name or f"numpy.{ufunc.__name__}"
        return Op(label, USER_CODE, "biufcp", combine, True, True, mark_of(label))
    if not callable(function):
        raise OpError(f"op is {shown(function)}; {_RULE}")

    def combine_by_call(a: Array, b: Array, out: Array) -> None:
        if not out.size:  # many functions fail without elements
            return
        result = np.asarray(function(a, b))
        if result.shape != out.shape:
            raise OpError(
                f"user op {label} returned shape {result.shape} for operands of {out.shape}"
            )
        np.copyto(out, result, casting="same_kind")

    label = name or label_of(function)
    return Op(label, USER_CODE, "biufcp", combine_by_call, elementwise, True, mark_of(label))


def _of_compiled(function: Any, name: str | None, elementwise: bool, dtype: Any) -> Op:
    label = name or name_of_compiled(function)
    if not label:
        raise OpError("op is a compiled function without a name; pass name, equal on all ranks")
    if dtype is None:
        raise OpError(f"op {label} is compiled; pass dtype, the type of its elements")
    element = any_element_type(np.dtype(dtype))
    loop = loop_of(function, element.dtype)
    mark = mark_of(f"{label} of {element.dtype!r}")

    def combine(a: Array, b: Array, out: Array, function: object = function) -> None:  # noqa: ARG001 - kept alive
        loop(a, b, out)

    return Op(label, USER_CODE, "biufcp", combine, elementwise, True, mark, element=element)


def jit_op(function: Callable[[Any, Any], Any], *, name: str | None = None) -> Op:
    """Make an operation of a function of two numbers, which numba compiles.

    numba compiles the function for the type of the arrays in the first reduction of this type. It
    is elementwise, so the ranks share the work on long vectors.

    Parameters
    ----------
    function
        ``function(a, b)`` returns the result for one element. ``a`` is of the lower ranks.
    name
        The name by which ranks compare functions (default: the function's own).

    Raises
    ------
    OpError
        numba is not installed, or ``function`` is not callable.

    Examples
    --------
    >>> import numpy as np
    >>> import redcoll
    >>> farther = redcoll.jit_op(lambda a, b: b if abs(b) > abs(a) else a, name="farther")
    >>> result = np.zeros(1)
    >>> redcoll.allreduce(result, np.array([-1.0 - redcoll.my_pe()]), farther)
    >>> int(result[0]) == -redcoll.n_pes()
    True
    """
    if not callable(function):
        raise OpError(f"op is {shown(function)}; it must be a function of two numbers")
    label = name or label_of(function)
    return Op(label, USER_CODE, "biufc", jit(function), True, True, mark_of(label))


_RULE = (
    "it must be a redcoll operation, an MPI.Op, a ufunc, a callable on two arrays, or one of the "
    f"names {', '.join(BY_NAME)}"
)


def label_of(function: object) -> str:
    """Return a function's name for comparison between ranks: its own or its type's __qualname__."""
    label = getattr(function, "__qualname__", None)
    return label if isinstance(label, str) and label else type(function).__qualname__


def as_op(op: object) -> Op:
    """Return the operation for any form in which a user can name it.

    Parameters
    ----------
    op
        An :class:`Op`; an ``MPI.Op`` (mpi4py's, or a subclass such as that of
        ``redcoll.MPI``); a binary ufunc; a name from :data:`BY_NAME`, in any case; or a
        callable as :func:`user_op` takes.

    Raises
    ------
    OpError
        ``op`` is none of these.
    """
    operation = known(op)
    return operation if isinstance(operation, Op) else user_op(operation)


def known(op: object) -> Op | Callable[[Array, Array], Any]:
    """Return what :func:`as_op` returns, but return a hashable user function unchanged.

    So a table of calls can use the function itself as a key.
    """
    if isinstance(op, Op):
        return op
    operation = spelled(op)
    if operation is not None:
        return operation
    if isinstance(op, str):
        operation = BY_NAME.get(op.lower())
        if operation is None:
            raise OpError(f"op is {op!r}; {_RULE}")
        return _remember(op, operation)
    if isinstance(op, np.ufunc):
        predefined = _BY_UFUNC.get(op)
        return op if predefined is None else _remember(op, predefined)
    if is_mpi_op(op):
        return _of_mpi(op)
    if not callable(op):
        raise OpError(f"op is {shown(op)}; {_RULE}")
    try:
        hash(op)
    except Exception:  # noqa: BLE001 - whatever the program's own method raises
        return user_op(op)
    return op


_spelled: dict[int, tuple[object, Op]] = {}
"""Predefined operations by the id of the object that named them. The object is kept alive here."""
_MOST_KEPT = 256


def spelled(op: object) -> Op | None:
    """Return ``op`` itself if it is an :class:`Op`, or what :func:`known` found for it before."""
    if type(op) is Op:
        return op
    found = _spelled.get(id(op))
    return None if found is None else found[1]


def _remember(op: object, operation: Op) -> Op:
    if len(_spelled) >= _MOST_KEPT:
        _spelled.clear()
    _spelled[id(op)] = op, operation
    return operation


# -- MPI's operations ---------------------------------------------------------------------


def is_mpi_op(op: object) -> bool:
    """Return whether ``op`` is an operation of mpi4py, without importing mpi4py."""
    return any(
        kind.__name__ == "Op" and kind.__module__ == "mpi4py.MPI" for kind in type(op).__mro__
    )


def _of_mpi(op: Any) -> Op:
    """Return the operation with the same handle. For a user's operation make one that calls MPI."""
    core: object = getattr(op, "core", None)
    if core is EXACT_SUM:
        return EXACT_SUM
    found = _users.get(id(op))
    if found is not None and found[1] == op.handle and op:  # false once it has been freed
        return found[2]
    mpi = sys.modules["mpi4py.MPI"]
    for name in _MPI_NAMES:
        if op.handle == getattr(mpi, name).handle:
            return _remember(op, BY_NAME[name.lower()])
    for name in _NOT_REDUCTIONS:
        # An operation can have the handle of OP_NULL and still be true. Then a subclass made it
        # without MPI, and its owner has not freed it.
        if op.handle == getattr(mpi, name).handle and not (name == "OP_NULL" and op):
            raise OpError(f"op is MPI.{name}, which does not reduce; {_RULE}")

    def combine(a: Array, b: Array, out: Array) -> None:
        if not out.size:  # MPI does not call the function for empty buffers
            return
        result = b.copy()
        op.Reduce_local(a, result)
        out[...] = result

    # MPI keeps no name, and mpi4py does not show the function.
    function = getattr(op, "function", None)
    label = "MPI.Op.Create" if function is None else label_of(function)
    operation = Op(label, USER_CODE, "biufc", combine, False, True, mark_of(label))
    if len(_users) >= _MOST_USERS_KEPT:
        _users.clear()
    _users[id(op)] = op, op.handle, operation
    return operation


_users: dict[int, tuple[object, int, Op]] = {}
"""Users' MPI operations by id. A value has the object (kept alive), its handle and our Op."""
_MOST_USERS_KEPT = 32


def name_of(code: int) -> str:
    """Return the name of the operation with this code."""
    if code == USER_CODE:
        return "user function"
    op = _BY_CODE.get(code)
    return op.name if op is not None else f"op code {code}"
