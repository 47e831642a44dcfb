"""The lower-case reductions: small objects in one round, without pickle.

mpi4py sends pickles up a binomial tree and applies ``op(low, high)`` on the way. Here every
rank shares the bytes of its object, and folds all objects grouped as that tree does: the
same operations on the same operands, so the same results, to the last bit and type. Long
arrays are folded by the core, in the same grouping. What has no short form goes mpi4py's
way; all ranks see in the same round that one has such an object.
"""

from __future__ import annotations

import contextlib
import operator
import os
from collections.abc import Callable, Sequence
from types import BuiltinFunctionType, ModuleType
from typing import Any

import mpi4py
import numpy as np
from mpi4py import MPI as mpi
from numpy.typing import NDArray

from redcoll import collectives, ops
from redcoll.datatypes import element_type
from redcoll.errors import OpError
from redcoll.MPI._arguments import checked_root
from redcoll.MPI._bond import Bond
from redcoll.MPI._encoding import LONG, OTHER, decode, encode, shape_of
from redcoll.MPI._ops import PREDEFINED, Op, as_mpi, core_of
from redcoll.signature import ALLREDUCE, EXSCAN, NO_ROOT, OBJECTS, REDUCE, SCAN, pack
from redcoll.team import Team

Array = NDArray[Any]
Function = Callable[[Any, Any], Any]

_METHODS: dict[int, Any] = {
    ALLREDUCE: mpi.Comm.allreduce,
    REDUCE: mpi.Comm.reduce,
    SCAN: mpi.Intracomm.scan,
    EXSCAN: mpi.Intracomm.exscan,
}
_ON_ARRAYS = (ops.SUM, ops.PROD, ops.AND, ops.OR, ops.XOR)
"""Operations that Python's operators do on whole arrays."""
_OPERATORS: dict[ops.Op, Any] = {ops.SUM: np.add, ops.PROD: np.multiply}
"""What they are there, where the result depends on it: numpy's complex product is not the core's,
and sums and products are rounded differently in another grouping."""
_PLAIN_OPS: dict[ops.Op, mpi.Op] = {
    op.core: mpi.Op(op) for op in PREDEFINED.values() if op.core is not None
}
"""mpi4py's own objects, which are quicker to call."""
_BY_OPERATION = (ArithmeticError, LookupError, NotImplementedError, TypeError, ValueError)
"""What operations raise on objects that they do not take; a signal's handler raises others."""
_LEAST_TREE = 4
"""From so many members on the tree's grouping is another than the left fold's."""


def _is_tree() -> bool:
    """Whether mpi4py's reductions go along a tree (its option ``fast_reduce``)."""
    text = os.environ.get("MPI4PY_RC_FAST_REDUCE", str(getattr(mpi4py.rc, "fast_reduce", True)))
    return text.lower() not in ("0", "n", "no", "f", "false", "off")


_TREE = _is_tree()
_IN_PLACE = {
    operator.iadd,
    operator.iand,
    operator.iconcat,
    operator.ifloordiv,
    operator.ilshift,
    operator.imatmul,
    operator.imod,
    operator.imul,
    operator.ior,
    operator.ipow,
    operator.irshift,
    operator.isub,
    operator.itruediv,
    operator.ixor,
}


# -- groupings ------------------------------------------------------------------------


def fold_all(function: Function, items: Sequence[Any]) -> Any:
    """All items, grouped as mpi4py's ``reduce`` and ``allreduce`` do."""
    if len(items) == 2:
        return function(*items)
    if _TREE:
        return _fold_block(function, items, 0, len(items))
    result = items[0]
    for item in items[1:]:
        result = function(result, item)
    return result


def _fold_block(function: Function, items: Sequence[Any], low: int, length: int) -> Any:
    """What has come to the member at ``low`` of the tree from those before ``low + length``."""
    result = items[low]
    step = 1
    while step < length and low + step < len(items):
        result = function(result, _fold_block(function, items, low + step, step))
        step *= 2
    return result


def fold_before(function: Function, items: Sequence[Any], index: int, *, own: bool) -> Any:
    """The items up to ``index``, grouped as mpi4py's ``scan`` (``own``) and ``exscan`` do.

    None where there are none.
    """
    if not _TREE:
        chosen = items[: index + own]
        return fold_all(function, chosen) if chosen else None
    has_result, result = own, items[index] if own else None
    step = 1
    while step <= index:
        if index & step:
            block = _fold_block(function, items, (index ^ step) & -step, step)
            result = function(block, result) if has_result else block
            has_result = True
        step *= 2
    return result


def _as_python_does(op: ops.Op) -> ops.Op:
    """The core's operation with Python's operator and mpi4py's grouping."""
    operator_on_arrays = _OPERATORS[op]

    def fold(operands: Sequence[Array], out: Array) -> None:
        out[...] = fold_all(operator_on_arrays, operands)

    # Not the core's own code: kernels have loops of their own for that.
    return ops.Op(op.name, ops.USER_CODE, op.kinds, operator_on_arrays, fold=fold)


_PYTHON_OPS = {op: _as_python_does(op) for op in _OPERATORS}


# -- the reductions -------------------------------------------------------------------


def reduction(
    comm: mpi.Intracomm, bond: Bond, collective: int, obj: Any, op: Any, root: Any = NO_ROOT
) -> Any:
    """One lower-case reduction.  Collective over ``comm``, whose bond is given.

    Raises
    ------
    Exception
        What ``op`` raises on these objects: on all ranks, if they have short forms; else on
        the rank where it did, and ``RemoteOpError`` on the others. Without a team mpi4py
        reduces, and the other ranks are not told; neither are they, with or without one, of
        an object that cannot be pickled.
    CollectiveMismatchError
        Ranks called another reduction, or with another operation or root: on all alike, if
        they have a team.
    """
    team = bond.team
    if isinstance(op, ops.Op | str):
        with contextlib.nullcontext() if team is None else team.checking(collective):
            op = _callable(op)
    arguments: tuple[Any, ...] = (root,) if collective == REDUCE else ()
    if team is None:
        return _METHODS[collective](comm, obj, op, *arguments)
    core = op.core if type(op) is Op else core_of(op) if isinstance(op, mpi.Op) else None
    if collective == REDUCE:
        root = checked_root(comm, team, root)
    word, extra = _word(collective, core, op, root)
    # A user's function may give another result each time: as in mpi4py, no two ranks may
    # apply it to the same objects.
    is_safe = core is not None or isinstance(op, np.ufunc) or _is_of_module(op)
    tag, data = encode(obj, team.small_bytes) if is_safe else (OTHER, b"")
    shared = team.share(word, extra, tag, data)
    tags = {tag for tag, _ in shared}
    if OTHER not in tags and LONG not in tags:
        function = op if core is None else _PLAIN_OPS[core]
        items = [decode(*short) for short in shared]
        try:
            return _folded(team, collective, items, function, root)
        except _BY_OPERATION as error:
            team.common(error)
            raise
    if tags == {LONG} and len(set(shared)) == 1:
        fitting = _core_for_arrays(team, collective, core, shape_of(data)[0])
        if fitting is not None:
            return _folded_by_core(team, collective, obj, data, fitting, root)
    return _by_mpi4py(comm, team, collective, obj, op, arguments, (word, extra))


def _callable(op: ops.Op | str) -> mpi.Op:
    """MPI's operation for one of the core's, or for a name."""
    operation = as_mpi(op)
    if not isinstance(operation, mpi.Op):
        raise OpError(f"op is {op!r}; a lower-case reduction takes the function that it is made of")
    return operation


def _is_of_module(op: Any) -> bool:
    """Whether it is one of the functions in C that change nothing, such as ``operator.add``.

    Not those that work in place, which mpi4py lets change what it has yet to use; nor methods,
    such as a random generator's.
    """
    is_function = isinstance(op, BuiltinFunctionType) and isinstance(op.__self__, ModuleType)
    return is_function and op not in _IN_PLACE


def _word(collective: int, core: ops.Op | None, op: Any, root: int) -> tuple[int, int]:
    """What all ranks must agree on."""
    if core is not None:
        return pack(collective, core.code, OBJECTS, root), 0
    function = getattr(op, "function", None) or op
    name = getattr(function, "__qualname__", None) or type(function).__qualname__
    return pack(collective, ops.USER_CODE, OBJECTS, root), ops.mark_of(name)


def _folded(team: Team, collective: int, items: list[Any], function: Function, root: int) -> Any:
    # Everyone folds, also without need of the result: what is wrong is wrong on all.
    if collective in (SCAN, EXSCAN):
        return fold_before(function, items, team.index, own=collective == SCAN)
    result = fold_all(function, items)
    return result if collective == ALLREDUCE or root == team.index else None


def _core_for_arrays(
    team: Team, collective: int, core: ops.Op | None, dtype: np.dtype[Any]
) -> ops.Op | None:
    """What gives mpi4py's result for arrays of this type; None where the core has nothing."""
    kind = element_type(dtype).kind
    if core is None or core not in _ON_ARRAYS or kind not in core.kinds:
        return None
    if core not in _OPERATORS or kind not in "fc":
        return core
    if team.node is not None and team.size > 2:
        return None  # folded node by node, which is another grouping
    if _TREE and team.size >= _LEAST_TREE and collective in (SCAN, EXSCAN):
        return None
    return _PYTHON_OPS[core]


def _folded_by_core(
    team: Team, collective: int, obj: Array, head: bytes, core: ops.Op, root: int
) -> Array | None:
    dtype, is_fortran, shape = shape_of(head)
    order: Any = "F" if is_fortran else "C"
    source = obj.reshape(-1, order=order)
    result = np.empty(shape, dtype, order)
    target = result.reshape(-1, order="A")
    if collective == REDUCE:
        collectives.reduce(target, source, core, root, team=team)
        return result if root == team.index else None
    if collective == EXSCAN:
        collectives.exscan(target, source, core, team=team)
        return result if team.index else None
    (collectives.scan if collective == SCAN else collectives.allreduce)(
        target, source, core, team=team
    )
    return result


class _Raised:
    """Travels in place of an object that an operation could not make."""

    def __init__(self, text: str) -> None:
        self.text = text


class _Guarded:
    """An operation that never raises: mpi4py would leave the other ranks waiting."""

    def __init__(self, op: Any) -> None:
        self._op = op
        self.error: BaseException | None = None

    def __call__(self, x: Any, y: Any) -> Any:
        try:
            for operand in (x, y):
                if isinstance(operand, _Raised):
                    return operand
            return self._op(x, y)
        except BaseException as error:  # noqa: BLE001 - of a user's function, or an interrupt
            self.error = error
            return _Raised(str(error))


def _by_mpi4py(
    comm: mpi.Intracomm,
    team: Team,
    collective: int,
    obj: Any,
    op: Any,
    arguments: tuple[Any, ...],
    signature: tuple[int, int],
) -> Any:
    guarded = _Guarded(op)
    result = _METHODS[collective](comm, obj, guarded, *arguments)
    team.raise_unless(team.conclude(signature[0], guarded.error), guarded.error)
    return result
