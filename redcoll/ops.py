"""THE table of operations: on which kinds each is defined, how two operands combine.

``combine(a, b, out)`` writes ``a op b`` into ``out`` element by element, where
``a`` is the operand of the lower index. ``out`` may be ``a`` or ``b``.
"""

from __future__ import annotations

import sys
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from redcoll.arguments import shown
from redcoll.datatypes import KIND_WORDS, ElementType
from redcoll.errors import OpError

Array = NDArray[Any]
Combine = Callable[[Array, Array, Array], object]


def _is_nan(values: Array) -> Array:
    """Elements unlike themselves: NaN in floats, nothing in integers."""
    return cast("Array", values != values)  # noqa: PLR0124 - NaN is what this asks for


def _extreme_with_location(better: np.ufunc) -> Combine:
    """MAXLOC for ``better=np.greater``, MINLOC for ``np.less``.

    A NaN beats every number. Ties, also between NaNs and between zeros of either
    sign, keep the value of the lower operand and the smaller index.
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
    """A ufunc that does not take its output by position any more."""

    def combine(a: Array, b: Array, out: Array) -> None:
        ufunc(a, b, out=out)

    return combine


def _product(a: Array, b: Array, out: Array) -> None:
    """The product; of complex numbers the textbook's, each step rounded.

    ``numpy.multiply`` contracts to fused multiply-adds where the machine has them.
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

    Predefined operations are compared by identity; use the module's constants.
    """

    name: str
    code: int
    kinds: str
    """Letters of the element kinds on which the operation is defined."""
    combine: Combine = field(repr=False)
    elementwise: bool = True
    """Whether the vector may be cut anywhere; if not, whole vectors are combined."""
    is_user: bool = False
    mark: int = 0
    """Hash of a user function's name: members with other functions are a mismatch."""
    fold: Callable[[Sequence[Array], Array], object] | None = field(default=None, repr=False)
    """``fold(operands, out)`` combines all members' operands grouped in a way of its own; a
    left fold by ``combine`` unless given."""

    def __repr__(self) -> str:
        return f"redcoll.{self.name}" if not self.is_user else f"<redcoll user op {self.name}>"

    def check(self, element: ElementType) -> None:
        """Refuse an element type on which the operation is not defined.

        Raises
        ------
        OpError
            The operation is not defined on this type; the message says on which it is.
        """
        if element.kind not in self.kinds:
            legal = ", ".join(KIND_WORDS[kind] for kind in self.kinds)
            raise OpError(f"op {self.name} is not defined on {element.name}; it takes {legal}")


SUM = Op("SUM", 1, "biufc", np.add)
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

OPS: tuple[Op, ...] = (
    SUM, PROD, MAX, MIN, AND, OR, XOR, LAND, LOR, LXOR, MAXLOC, MINLOC,
)  # fmt: skip

USER_CODE = 63
_BY_CODE = {op.code: op for op in OPS}
BY_NAME: dict[str, Op] = {
    **{op.name.lower(): op for op in OPS},
    "band": AND,
    "bor": OR,
    "bxor": XOR,
}
"""The names that stand for operations: the core's, and MPI's of the bitwise ones."""
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
"""What stands for an operation: also an ``mpi4py.MPI.Op``, which is callable."""


def mark_of(name: str) -> int:
    """Number that stands for a user function's name in a post."""
    return zlib.crc32(name.encode())


def user_op(
    function: Callable[[Array, Array], Any], *, name: str | None = None, elementwise: bool = False
) -> Op:
    """Make an operation of a function of two arrays.

    Parameters
    ----------
    function
        A binary ``numpy.ufunc``, or a callable ``f(a, b)`` that returns an array of
        the same shape; ``a`` holds what the members of lower index contributed.
        It must be associative for the order of folding not to matter, need not be
        commutative, and must not change its arguments.
    name
        What the operation is called in messages. Members that pass functions of
        different names get a mismatch. The function's own name unless given.
    elementwise
        True promises that each element of the result depends on that element of the
        operands alone, so that the PEs may share the work on long vectors. A ufunc
        always is; for any other function whole vectors are combined unless this is set.

    Raises
    ------
    OpError
        ``function`` is not callable, or is a ufunc that is not binary.
    """
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
        if not out.size:  # many functions take an element for granted
            return
        result = np.asarray(function(a, b))
        if result.shape != out.shape:
            raise OpError(
                f"user op {label} returned shape {result.shape} for operands of {out.shape}"
            )
        np.copyto(out, result, casting="same_kind")

    label = name or label_of(function)
    return Op(label, USER_CODE, "biufcp", combine_by_call, elementwise, True, mark_of(label))


_RULE = (
    "it must be a redcoll operation, an MPI.Op, a ufunc, a callable on two arrays, or one of the "
    f"names {', '.join(BY_NAME)}"
)


def label_of(function: object) -> str:
    """Return the name by which ranks compare functions: its qualified name, or its type's."""
    label = getattr(function, "__qualname__", None)
    return label if isinstance(label, str) and label else type(function).__qualname__


def as_op(op: object) -> Op:
    """Return the operation that any spelling of it stands for.

    Parameters
    ----------
    op
        An :class:`Op`; an ``MPI.Op`` (mpi4py's, or a subclass such as that of
        ``redcoll.MPI``); a binary ufunc; a name from :data:`BY_NAME`, in any case; or a
        callable as :func:`user_op` takes.

    Raises
    ------
    OpError
        It is none of these.
    """
    operation = known(op)
    return operation if isinstance(operation, Op) else user_op(operation)


def known(op: object) -> Op | Callable[[Array, Array], Any]:
    """Return what :func:`as_op` does, but a user's function as it is where it can be hashed.

    So a table of calls can have the function itself as a key, and finds it again.
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
"""Predefined operations by the identity of what stands for them, which is kept alive here."""
_MOST_KEPT = 256


def spelled(op: object) -> Op | None:
    """Return the operation that this object is, or that :func:`known` has found for it."""
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
    """Whether it is an operation of mpi4py's, found without importing mpi4py."""
    return any(
        kind.__name__ == "Op" and kind.__module__ == "mpi4py.MPI" for kind in type(op).__mro__
    )


def _of_mpi(op: Any) -> Op:
    """The operation of the same name, by MPI's handle; or one that calls the user's."""
    found = _users.get(id(op))
    if found is not None and found[1] == op.handle and op:  # false once it has been freed
        return found[2]
    mpi = sys.modules["mpi4py.MPI"]
    for name in _MPI_NAMES:
        if op.handle == getattr(mpi, name).handle:
            return _remember(op, BY_NAME[name.lower()])
    for name in _NOT_REDUCTIONS:
        # One of redcoll.MPI's that got no handle of MPI's has that of OP_NULL until it is freed.
        if op.handle == getattr(mpi, name).handle and not (name == "OP_NULL" and op):
            raise OpError(f"op is MPI.{name}, which does not reduce; {_RULE}")

    def combine(a: Array, b: Array, out: Array) -> None:
        if not out.size:  # MPI does not call it either
            return
        result = b.copy()
        op.Reduce_local(a, result)
        out[...] = result

    # MPI knows no name, and mpi4py does not give the function.
    function = getattr(op, "function", None)
    label = "MPI.Op.Create" if function is None else label_of(function)
    operation = Op(label, USER_CODE, "biufc", combine, False, True, mark_of(label))
    if len(_users) >= _MOST_USERS_KEPT:
        _users.clear()
    _users[id(op)] = op, op.handle, operation
    return operation


_users: dict[int, tuple[object, int, Op]] = {}
"""Users' MPI operations by their identity: the object, which is kept alive, and its handle."""
_MOST_USERS_KEPT = 32


def name_of(code: int) -> str:
    """The name that belongs to a code in a post."""
    if code == USER_CODE:
        return "user function"
    op = _BY_CODE.get(code)
    return op.name if op is not None else f"op code {code}"
