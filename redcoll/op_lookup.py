"""Find the operation for any form in which a program names it, such as ``MPI.SUM`` or ``"sum"``."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from redcoll import ops
from redcoll.arguments import Array, shown
from redcoll.errors import OpError
from redcoll.ops import BY_NAME, EXACT_SUM, USER_CODE, Op
from redcoll.user_ops import RULE, label_of, mark_of, user_op

_BY_UFUNC: dict[np.ufunc, Op] = {
    np.add: ops.SUM,
    np.multiply: ops.PROD,
    np.maximum: ops.MAX,
    np.minimum: ops.MIN,
    np.bitwise_and: ops.AND,
    np.bitwise_or: ops.OR,
    np.bitwise_xor: ops.XOR,
    np.logical_and: ops.LAND,
    np.logical_or: ops.LOR,
    np.logical_xor: ops.LXOR,
}
_MPI_NAMES = (
    *("SUM", "PROD", "MAX", "MIN", "BAND", "BOR", "BXOR"),
    *("LAND", "LOR", "LXOR", "MAXLOC", "MINLOC"),
)
_NOT_REDUCTIONS = ("OP_NULL", "REPLACE", "NO_OP")

OpLike = Op | np.ufunc | str | Callable[..., Any]
"""Any form in which users name an operation. ``Callable`` includes ``mpi4py.MPI.Op``."""


def as_op(op: object) -> Op:
    """Return the operation for any form in which a user can name it.

    ``op`` is an :class:`Op`, an ``MPI.Op``, a binary ufunc, a name from :data:`BY_NAME` in upper or
    lower case, or a callable that :func:`user_op` takes. An ``MPI.Op`` can also be an instance of a
    subclass, such as ``redcoll.MPI.Op``. Raise ``OpError`` for other objects.
    """
    operation = known(op)
    return operation if isinstance(operation, Op) else user_op(operation)


def known(op: object) -> Op | Callable[[Array, Array], Any]:
    """Return the operation as :func:`as_op` does, but return a hashable user function unchanged.

    The caller can use the function as a key of a dictionary.
    """
    if isinstance(op, Op):
        return op
    operation = spelled(op)
    if operation is not None:
        return operation
    if isinstance(op, str):
        operation = BY_NAME.get(op.lower())
        if operation is None:
            raise OpError(f"op is {op!r}; {RULE}")
        return _remember(op, operation)
    if isinstance(op, np.ufunc):
        predefined = _BY_UFUNC.get(op)
        return op if predefined is None else _remember(op, predefined)
    if is_mpi_op(op):
        return _of_mpi(op)
    if not callable(op):
        raise OpError(f"op is {shown(op)}; {RULE}")
    try:
        hash(op)
    except Exception:  # noqa: BLE001 - whatever the program's own method raises
        return user_op(op)
    return op


_spelled: dict[int, tuple[object, Op]] = {}
"""Predefined operations by the id of the object that named them. The table keeps the object
alive."""
_MOST_KEPT = 256


def spelled(op: object) -> Op | None:
    """Return ``op`` if it is an :class:`Op`, else the operation that is kept for it, or None."""
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
    """Return the operation for an ``MPI.Op``. For a user's operation, make an Op that calls MPI."""
    core: object = getattr(op, "core", None)
    if core is EXACT_SUM:
        return EXACT_SUM
    found = _users.get(id(op))
    if found is not None and found[1] == op.handle and op:  # a freed op has the value False
        return found[2]
    mpi = sys.modules["mpi4py.MPI"]
    for name in _MPI_NAMES:
        if op.handle == getattr(mpi, name).handle:
            return _remember(op, BY_NAME[name.lower()])
    for name in _NOT_REDUCTIONS:
        # An instance of a subclass can have the handle of OP_NULL but the truth value True. Such an
        # instance was made without an operation of MPI, and has not been freed.
        if op.handle == getattr(mpi, name).handle and not (name == "OP_NULL" and op):
            raise OpError(f"op is MPI.{name}, which does not reduce; {RULE}")

    def combine(a: Array, b: Array, out: Array) -> None:
        if not out.size:  # MPI does not call the function for empty buffers
            return
        result = b.copy()
        op.Reduce_local(a, result)
        out[...] = result

    # An operation of MPI has no name, and mpi4py hides the operation's Python function.
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
