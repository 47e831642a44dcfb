"""The lower-case reductions: numbers and arrays in rank order, other objects by mpi4py.

One round tells every rank what each rank passes, so all take the same way:

* Numbers travel in that round, and every rank folds them, in the order of the upper-case
  reductions. Real and complex numbers of one type are added, multiplied and compared as there,
  with the same bits. All other numbers are combined by Python's operators, as in mpi4py.
* Arrays of one type and shape are then reduced by the upper-case reductions.
* All else, and every function of the program's own, goes mpi4py's way: as pickles along a tree.
"""

from __future__ import annotations

import contextlib
import functools
import struct
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from mpi4py import MPI as mpi
from numpy.typing import NDArray

from redcoll import ops
from redcoll.datatypes import element_type
from redcoll.errors import OpError
from redcoll.MPI._call import checked_root, on_core
from redcoll.MPI._ops import PREDEFINED, Op, as_mpi, core_of
from redcoll.protocol.descriptor import ALLREDUCE, EXSCAN, NO_ROOT, OBJECTS, REDUCE, SCAN, pack
from redcoll.team import Team
from redcoll.team.comm_state import Bond

Array = NDArray[Any]
Fold = Callable[[Sequence[Any]], Any]

_METHODS: dict[int, Any] = {
    ALLREDUCE: mpi.Comm.allreduce,
    REDUCE: mpi.Comm.reduce,
    SCAN: mpi.Intracomm.scan,
    EXSCAN: mpi.Intracomm.exscan,
}
_ON_ARRAYS = (ops.SUM, ops.PROD, ops.AND, ops.OR, ops.XOR)
"""Operations that Python's operators do on whole arrays."""
_ON_REALS = (ops.SUM, ops.PROD, ops.MAX, ops.MIN)
"""Operations whose results on real and complex numbers are of the same type."""
_PLAIN_OPS: dict[ops.Op, mpi.Op] = {
    op.core: mpi.Op(op) for op in PREDEFINED.values() if op.core is not None
}
"""mpi4py's own objects, which are quicker to call."""
_BY_OPERATION = (
    *(ArithmeticError, LookupError, NotImplementedError, TypeError, ValueError),
    Warning,  # that a filter makes an error, such as of an overflow
)
"""What operations raise on objects that they do not take; a signal's handler raises others."""


# -- what the ranks share ---------------------------------------------------------------

_OTHER = 0
"""An object that is neither of the following."""
_ARRAY = 1
"""An array; the bytes are its type, order and shape."""
_INT, _FLOAT, _COMPLEX, _BOOL = range(2, 6)
"""Python's numbers; a NumPy scalar's tag is the code of its character."""
_FORMS = {int: (_INT, "q"), float: (_FLOAT, "d"), bool: (_BOOL, "?")}
_PACK = {kind: (tag, struct.Struct(f"={form}").pack) for kind, (tag, form) in _FORMS.items()}
_UNPACK = {tag: struct.Struct(f"={form}").unpack for tag, form in _FORMS.values()}
_CHARS = "?bBhHiIlLqQefdgFDG"
_SCALARS = {np.dtype(char).type for char in _CHARS}
_DTYPES = {ord(char): np.dtype(char) for char in _CHARS}
_DTYPES |= {_FLOAT: np.dtype("d"), _COMPLEX: np.dtype("D")}


def _encoded(obj: Any) -> tuple[int, bytes]:
    """A tag that says what an object is, and its bytes."""
    kind = type(obj)
    if kind in _PACK:
        tag, pack_number = _PACK[kind]
        try:
            return tag, pack_number(obj)
        except struct.error:  # an integer of more than 64 bits
            return _OTHER, b""
    if kind is complex:
        return _COMPLEX, np.complex128(obj).tobytes()
    if kind in _SCALARS:
        return ord(obj.dtype.char), obj.tobytes()
    if kind is np.ndarray and obj.ndim and obj.dtype.char in _CHARS and obj.dtype.isnative:
        return _ARRAY, f"{obj.dtype.char}{_order(obj)}{obj.shape}".encode()
    return _OTHER, b""


def _order(array: Array) -> Any:
    return "F" if array.flags.f_contiguous and not array.flags.c_contiguous else "C"


def _decoded(tag: int, data: bytes) -> Any:
    if tag in _UNPACK:
        return _UNPACK[tag](data)[0]
    number = np.frombuffer(data, _DTYPES[tag])[0]
    return number.item() if tag == _COMPLEX else number


# -- the reductions ---------------------------------------------------------------------


def reduction(
    comm: mpi.Intracomm, bond: Bond, collective: int, obj: Any, op: Any, root: Any = NO_ROOT
) -> Any:
    """One lower-case reduction.  Collective over ``comm``, whose bond is given.

    Raises
    ------
    Exception
        What ``op`` raises on these objects: of numbers on all ranks; else on the rank where it
        did, and ``RemoteOpError`` on the others. What pickle raises on an object, and
        ``CollectiveMismatchError`` on the others. Without a team mpi4py reduces, and the other
        ranks are not told.
    CollectiveMismatchError
        Ranks called another reduction, or with another operation or root: on all, if they have
        a team.
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
    tag, data = (_OTHER, b"") if core is None else _encoded(obj)
    if tag == _OTHER or len(data) > team.small_bytes:
        tag, data = _OTHER, b""
        with team.checking(collective):
            mpi.pickle.dumps(obj)  # what raises here would leave the others waiting in MPI
    word, extra = _word(collective, core, op, root)
    shared = team.share(word, extra, tag, data)
    tags = {each for each, _ in shared}
    if core is not None and _OTHER not in tags:
        if _ARRAY not in tags:
            return _folded(team, collective, shared, core, root)
        if len(set(shared)) == 1 and core in _ON_ARRAYS and _takes(core, obj.dtype):
            return _folded_by_core(team, collective, obj, core, root)
    return _by_mpi4py(comm, team, collective, obj, op, arguments, (word, extra))


def _callable(op: ops.Op | str) -> mpi.Op:
    """MPI's operation for one of the core's, or for a name."""
    operation = as_mpi(op)
    if not isinstance(operation, mpi.Op):
        raise OpError(f"op is {op!r}; a lower-case reduction takes the function that it is made of")
    return operation


def _word(collective: int, core: ops.Op | None, op: Any, root: int) -> tuple[int, int]:
    """What all ranks must agree on."""
    if core is not None:
        return pack(collective, core.code, OBJECTS, root), 0
    function = getattr(op, "function", None) if isinstance(op, mpi.Op) else op
    return pack(collective, ops.USER_CODE, OBJECTS, root), ops.mark_of(ops.label_of(function))


def _takes(core: ops.Op, dtype: np.dtype[Any]) -> bool:
    return element_type(dtype).kind in core.kinds


def _folded(
    team: Team, collective: int, shared: list[tuple[int, bytes]], core: ops.Op, root: int
) -> Any:
    """What this rank gets of all numbers; every rank folds all, so all raise the same."""
    tag = shared[0][0]
    # Python adds and multiplies its own reals with the same bits, and quicker.
    is_quick = tag in _UNPACK and (tag != _FLOAT or core in (ops.SUM, ops.PROD))
    if not is_quick and core in _ON_REALS and {tag} == {each for each, _ in shared}:
        dtype = _DTYPES[tag]
        if dtype.kind in "fc" and _takes(core, dtype):
            numbers = [np.frombuffer(data, dtype) for _, data in shared]
            fold = functools.partial(_fold, team, core)
            result = _in_order(team, collective, numbers, fold, root)
            return None if result is None else _decoded(tag, result.tobytes())
    items = [_decoded(*each) for each in shared]
    try:
        return _in_order(
            team, collective, items, functools.partial(functools.reduce, _PLAIN_OPS[core]), root
        )
    except _BY_OPERATION as error:
        team.common(error)
        raise


def _fold(team: Team, core: ops.Op, operands: Sequence[Array]) -> Array:
    out = np.empty_like(operands[0])
    team.fold(core, operands, out)
    return out


def _in_order(team: Team, collective: int, items: Sequence[Any], fold: Fold, root: int) -> Any:
    """The fold of the items that make this rank's result; None without any."""
    if collective in (SCAN, EXSCAN):
        fold(items)  # what it raises it raises on all ranks
        chosen = items[: team.index + (collective == SCAN)]
        return fold(chosen) if chosen else None
    if team.folds_by_nodes:  # each node's first, as upper-case reductions do
        items = [fold([items[index] for index in members]) for members in team.layout.nodes]
    result = fold(items)
    return result if root in (NO_ROOT, team.index) else None


def _folded_by_core(
    team: Team, collective: int, obj: Array, core: ops.Op, root: int
) -> Array | None:
    order = _order(obj)
    result = np.empty(obj.shape, obj.dtype, order)
    source, target = obj.ravel(order), result.reshape(-1, order="A")
    on_core(team, collective, target, source, core, root)
    has_result = team.index > 0 if collective == EXSCAN else root in (NO_ROOT, team.index)
    return result if has_result else None


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
