"""Define MPI's operations: the predefined operations, and operations that programs make."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numpy as np
from mpi4py import MPI as mpi
from mpi4py.typing import BufSpec

from redcoll import ops
from redcoll.arguments import Array
from redcoll.errors import ArgumentError, DatatypeError
from redcoll.MPI._datatypes import made_for
from redcoll.MPI._message import UnsupportedError, parse
from redcoll.op_lookup import as_op, known
from redcoll.user_ops import user_op

UserFunction = Callable[[Any, Any, Any], Any]
AnyOp = TypeVar("AnyOp", bound="Op")

_CORE: dict[str, ops.Op | None] = {
    "OP_NULL": None,
    "MAX": ops.MAX,
    "MIN": ops.MIN,
    "SUM": ops.SUM,
    "PROD": ops.PROD,
    "LAND": ops.LAND,
    "BAND": ops.AND,
    "LOR": ops.LOR,
    "BOR": ops.OR,
    "LXOR": ops.LXOR,
    "BXOR": ops.XOR,
    "MAXLOC": ops.MAXLOC,
    "MINLOC": ops.MINLOC,
    "REPLACE": None,
    "NO_OP": None,
}
_NAMES: dict[int, str] = {getattr(mpi, name).handle: name for name in _CORE}


class Op(mpi.Op):
    """Reduction operation, as in mpi4py, but without the limit of 32 user-defined operations.

    mpi4py has 32 handles for user-defined operations. Reductions that MPI makes need a handle. MPI
    makes all nonblocking and persistent reductions. redcoll's reductions need no handle, and
    ``EXACT_SUM`` has none.
    """

    core: ops.Op | None = None
    """The core's operation; None for a user's operation, and for operations that do not reduce."""
    function: UserFunction | None = None
    """The function of a user's operation; None for other operations."""
    _commute: bool = False

    def __init__(self, op: mpi.Op | None = None) -> None:
        if op is None:
            return
        self.core = core_of(op)
        self.function = getattr(op, "function", None)
        self._commute = getattr(op, "_commute", False)

    @classmethod
    def Create(  # noqa: PYI019 - Self is Python 3.11's
        cls: type[AnyOp], function: UserFunction, commute: bool = False
    ) -> AnyOp:
        """Create a user-defined reduction operation.  Local.

        Parameters
        ----------
        function
            ``function(inbuf, inoutbuf, datatype)`` computes ``inoutbuf = inbuf op inoutbuf`` on
            whole vectors, given as ``MPI.buffer``. ``inbuf`` holds the fold of the lower ranks
            (MPI-4.1, section 6.9.5). If the function raises on a rank, the reduction raises the
            same exception on that rank, and ``RemoteOpError`` on the other ranks.
        commute
            Whether the operation is commutative. redcoll folds in rank order in either case.

        Raises
        ------
        AttributeError
            ``function`` cannot be called.
        """
        try:
            self = super().Create(function, commute)
        except RuntimeError:
            self = cls()  # all 32 handles are in use
        self.function = function
        self._commute = bool(commute)
        return self

    @classmethod
    def fromhandle(cls, handle: int) -> Op:
        """Return the operation of an MPI handle.  Local."""
        return Op(mpi.Op.fromhandle(handle))

    @classmethod
    def fromint(cls, arg: int, /) -> Op:
        """Return the operation of an integer handle.  Local."""
        return Op(mpi.Op.fromint(arg))

    @classmethod
    def f2py(cls, arg: int) -> Op:
        """Return the operation of a Fortran handle.  Local."""
        return Op(mpi.Op.f2py(arg))

    def Free(self) -> None:
        """Free a user-defined operation.  Local.

        Raises
        ------
        Exception
            The operation is predefined, or has been freed. The error's class in MPI is ``ERR_OP``.
        """
        if self.function is None or super().__bool__():
            super().Free()
        self.function = None

    def free(self) -> None:
        """Call :meth:`Free`, unless the operation is predefined or has been freed.

        A copy such as ``Op(SUM)`` becomes null; the original stays valid.
        """
        if self.function is not None:
            self.Free()
        elif not any(self is each for each in PREDEFINED.values()):
            super().free()
            self.core = None

    def Is_commutative(self) -> bool:
        """Return whether the operation is commutative."""
        return self._commute if self._has_no_handle() else super().Is_commutative()

    @property
    def is_commutative(self) -> bool:  # type: ignore[override]  # mpi4py's stub has an attribute
        """Whether the operation is commutative."""
        return self.Is_commutative()

    @property
    def is_predefined(self) -> bool:  # type: ignore[override]
        """Whether the operation is one of MPI's."""
        return not self._has_no_handle() and super().is_predefined

    def Reduce_local(self, inbuf: BufSpec, inoutbuf: BufSpec) -> None:
        """Compute ``inoutbuf = inbuf op inoutbuf``.  Local.

        Buffers are passed as in mpi4py.

        Raises
        ------
        Exception
            The exception of mpi4py for wrong arguments, or of a user's function.
        """
        # Call a user's function below, because MPI would end the job if the function raised.
        if self.function is None and not self._has_no_handle():
            super().Reduce_local(inbuf, inoutbuf)
            return
        try:
            first, second = parse(inbuf), parse(inoutbuf, writable=True)
        except UnsupportedError:
            if self._has_no_handle():
                raise
            super().Reduce_local(inbuf, inoutbuf)
            return
        if not first.is_of_type(second):
            raise DatatypeError("inbuf and inoutbuf have different datatypes; they must have one")
        if first.count != second.count:
            raise ArgumentError(f"inoutbuf has {second.count} elements; it must have {first.count}")
        core = as_core(self, first.datatype, first.elements.dtype)
        if core is not None:
            core.combine(first.elements, second.elements, second.elements)
        second.write_back()

    def __call__(self, x: Any, y: Any) -> Any:
        if self._has_no_handle():
            return x + y if self.function is None else self.function(x, y, None)
        return super().__call__(x, y)

    def __bool__(self) -> bool:
        return self.function is not None or self.core is not None or super().__bool__()

    def __eq__(self, other: object) -> bool:
        if self._has_no_handle():
            return self is other
        return super().__eq__(other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = None  # type: ignore[assignment]  # mpi4py's class has none either

    def __reduce__(self) -> str | tuple[Any, ...]:
        name = "EXACT_SUM" if self.core is ops.EXACT_SUM else _NAMES.get(self.handle)
        if self.function is not None:
            return type(self).Create, (self.function, self._commute)
        if name is None:
            return super().__reduce__()
        return name if self is PREDEFINED[name] else (type(self), (PREDEFINED[name],))

    def _has_no_handle(self) -> bool:
        return bool(self) and not super().__bool__()


def core_of(op: mpi.Op) -> ops.Op | None:
    """Return the core's operation for a predefined operation of MPI; None if the core has none."""
    if isinstance(op, Op) and op.core is ops.EXACT_SUM:
        return ops.EXACT_SUM
    return _CORE.get(_NAMES.get(op.handle, "")) if op else None


PREDEFINED: dict[str, Op] = {name: Op(getattr(mpi, name)) for name in _CORE}
"""The predefined operations by name: MPI's in mpi4py's order, then those that MPI lacks."""
_exact = PREDEFINED["EXACT_SUM"] = Op()
_exact.core, _exact._commute = ops.EXACT_SUM, True  # noqa: SLF001 - of this module


_MOST_KEPT = 32
"""Limit on the cached operations of users' functions. Each operation keeps its function alive."""


def as_core(op: Any, datatype: mpi.Datatype | None, dtype: np.dtype[Any]) -> ops.Op | None:
    """Return the core's operation for the argument ``op``; None if the core has none.

    Parameters
    ----------
    op
        An operation of this module, of mpi4py or of the core, a ufunc, a name, or a callable on two
        arrays.
    datatype
        The datatype of the message, which is passed to functions of ``Op.Create``.
    dtype
        Element type of the vectors.

    Raises
    ------
    OpError
        ``op`` does not name an operation.
    """
    if isinstance(op, mpi.Op):
        function = getattr(op, "function", None)
        if function is None:
            return core_of(op)
        shown = datatype if datatype is not None else made_for(dtype)
        return _kept(function, shown.handle)
    operation = known(op)
    return operation if isinstance(operation, ops.Op) else _kept(operation, None)


def as_mpi(op: Any) -> Any:
    """Return MPI's operation for ``op`` if MPI has one; otherwise return ``op`` unchanged.

    Raises
    ------
    OpError
        ``op`` does not name an operation.
    """
    return op if isinstance(op, mpi.Op) else _BY_CORE.get(known(op), op)


_BY_CORE: dict[object, Op] = {op.core: op for op in PREDEFINED.values() if op.core is not None}


def _kept(function: Any, datatype: int | None) -> ops.Op:
    try:
        return _made(function, datatype)
    except TypeError:  # the function cannot be hashed
        return _made.__wrapped__(function, datatype)


@functools.lru_cache(_MOST_KEPT)
def _made(function: Any, datatype: int | None) -> ops.Op:
    """Return the operation for a function. With a datatype, the function takes raw buffers."""
    return as_op(function) if datatype is None else _from_user_function(function, datatype)


def _from_user_function(function: UserFunction, handle: int) -> ops.Op:
    """Return the core's operation for a function on raw buffers."""
    # Make a new Datatype, because the program's Datatype becomes null when the program frees it. If
    # MPI then reuses the handle, this Datatype stands for the program's new datatype.
    datatype = mpi.Datatype.fromhandle(handle)

    def combine(a: Array, b: Array, out: Array) -> None:
        if not out.size:  # MPI does not call the function for empty buffers
            return
        result = b.copy()
        function(_buffer(a), _buffer(result), datatype)
        out[...] = result

    plain = user_op(cast("Callable[[Array, Array], Any]", function))
    return ops.Op(plain.name, plain.code, plain.kinds, combine, False, True, plain.mark)


def _buffer(vector: Array) -> mpi.buffer:
    return mpi.buffer.frombuffer(vector.view(np.uint8), readonly=not vector.flags.writeable)
