"""Define the operations: their element types, and the functions that combine two operands.

``combine(a, b, out)`` writes ``a op b`` into ``out`` element by element. ``a`` is the operand of
the lower rank. ``out`` may be ``a`` or ``b``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

import numpy as np

from redcoll import config
from redcoll.arguments import Array, shown
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

Combine = Callable[[Array, Array, Array], object]


def _is_nan(values: Array) -> Array:
    """Return a mask of the elements that are NaN. Integers are never NaN."""
    return cast("Array", values != values)  # noqa: PLR0124 - true for NaN alone


def _extreme_with_location(better: np.ufunc) -> Combine:
    """Return the combine function of MAXLOC (``better=np.greater``) or MINLOC (``np.less``).

    A NaN wins over every number. If the values are equal, or both are NaN, the result has the value
    of ``a`` and the smaller index. Zeros of either sign are equal.
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

    On some machines ``numpy.multiply`` uses fused multiply-adds, which round differently.
    """
    if out.dtype.kind != "c":
        np.multiply(a, b, out)
        return
    real = a.real * b.real - a.imag * b.imag
    imag = a.real * b.imag + a.imag * b.real
    out.real = real
    out.imag = imag


class Op:
    """A reduction operation.

    Use the module's constants, such as ``SUM``, and compare them with ``is``.
    """

    name: str
    code: int
    kinds: str
    """Letters of the element kinds on which the operation is defined."""
    combine: Combine
    elementwise: bool
    """Whether redcoll may cut vectors anywhere. If not, it combines whole vectors."""
    is_user: bool
    mark: int
    """Hash of a user function's name. If marks differ, all members raise an error."""
    fold: Callable[[Sequence[Array], Array], object] | None
    """``fold(operands, out)`` combines all members' operands in its own order. With None, redcoll
    makes a left fold by ``combine``."""
    element: ElementType | None
    """The type of elements that a compiled function takes; None for all other operations."""
    address_of: Callable[[np.dtype[Any]], int] | None
    """``address_of(dtype)`` returns the address of a compiled user function, which the compiled
    kernel calls directly. None for all other operations."""
    types: Sequence[str] | None
    """The names of the element types, if the operation is not defined on all types of
    ``kinds``."""
    in_float32: Op | None
    """The plain operation, if this operation accumulates in float32; otherwise None."""
    may_raise: bool
    """Whether members must report the success of the user's function, because it can raise."""

    # A dataclass would take longer to create at import: see docs/architecture.md.
    def __init__(
        self,
        name: str,
        code: int,
        kinds: str,
        combine: Combine,
        elementwise: bool = True,
        is_user: bool = False,
        mark: int = 0,
        fold: Callable[[Sequence[Array], Array], object] | None = None,
        element: ElementType | None = None,
        address_of: Callable[[np.dtype[Any]], int] | None = None,
        types: Sequence[str] | None = None,
        in_float32: Op | None = None,
    ) -> None:
        fields = locals().copy()
        del fields["self"]
        vars(self).update(fields, may_raise=is_user and address_of is None)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{self!r} does not change; {name} cannot be set")

    def accumulating(self, dtype: object) -> Op:
        """Return the form of this operation that accumulates 16-bit and 8-bit floats in float32.

        The elements of all members are widened to float32, combined in order, and rounded once. SUM
        and PROD always accumulate bfloat16 and 8-bit floats in float32. For float16 the program
        must call this method. All members must pass the same operation to a reduction.

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
        """Return the element type of a dtype, after a check that the operation takes it.

        Raises
        ------
        DatatypeError
            Reductions do not take elements of ``dtype``.
        OpError
            The operation is not defined on elements of ``dtype``.
        """
        element = element_type(dtype) if self.element is None else any_element_type(dtype)
        self.check(element)
        return element

    def accumulator(self, dtype: np.dtype[Any]) -> np.dtype[Any] | None:
        """Return the type that accumulates elements of ``dtype``, or None for ``dtype`` itself."""
        if dtype.itemsize > MOST_ACCUMULATED or dtype.kind in "biu":
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
        """Return whether this operation sums this element type exactly, with a single rounding.

        For such a sum, one rank needs the operands of all members. MPI has no such operation.
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
            element.kind != "f" or element.dtype.itemsize > MOST_ACCUMULATED
        ):
            raise OpError(
                f"op {self.name} is not defined on {element.name}; it takes float16, bfloat16 and "
                "8-bit floats"
            )
        if not self.takes(element):
            legal = ", ".join(self.types or [KIND_WORDS[kind] for kind in self.kinds])
            raise OpError(f"op {self.name} is not defined on {element.name}; it takes {legal}")
        if self.address_of is not None:
            self.address_of(element.dtype)  # numba may compile here, and raise before the round


PLAIN_SUM = Op("SUM", 1, "biufc", np.add)
EXACT_SUM = Op("EXACT_SUM", 13, "fc", np.add, fold=fold_exactly, types=EXACT_TYPES)
"""The correctly rounded sum. For two operands it is the usual addition."""
# A wrong value of the setting has no effect here. The construction of a team reports the value.
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

MOST_ACCUMULATED = 2
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
"""Operations by redcoll's names. Bitwise operations also have MPI's names."""


def name_of(code: int) -> str:
    """Return the name of the operation with this code."""
    if code == USER_CODE:
        return "user function"
    op = _BY_CODE.get(code)
    return op.name if op is not None else f"op code {code}"
