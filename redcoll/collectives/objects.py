"""Reduce Python objects: numbers and arrays in rank order, other objects as pickles through MPI.

In the first round every rank gets the types of the other ranks' objects. So all ranks choose the
same method:

* If all ranks pass numbers, the numbers travel in that round. Every rank folds the numbers in the
  order in which redcoll folds elements of arrays. Real and complex numbers of one type are added,
  multiplied and compared like elements of an array, with the same bits. Python's operators combine
  all other numbers.
* If all ranks pass arrays of one type, memory order and shape, redcoll reduces them as vectors.
* All other objects travel as pickles through MPI. If the operation is a function of the program,
  all objects travel as pickles. MPI calls an operation that takes and returns pickles. This
  operation keeps all exceptions of the function, so that no exception is raised inside MPI.
"""

from __future__ import annotations

import functools
import struct
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from redcoll import ops
from redcoll._mpi4py import MPI
from redcoll.arguments import Array
from redcoll.collectives._tree import CHARS, SCALARS
from redcoll.collectives.dispatch import reduce_by_code
from redcoll.datatypes import element_type, is_small_float, name_of, small_float
from redcoll.errors import DatatypeError, OpError
from redcoll.protocol.descriptor import EXSCAN, NO_ROOT, OBJECTS, SCAN, pack
from redcoll.team import Team
from redcoll.user_ops import label_of, mark_of

Combine = Callable[[Any, Any], Any]
Fold = Callable[[Sequence[Any]], Any]

_ON_ARRAYS = (ops.SUM, ops.EXACT_SUM, ops.PROD, ops.AND, ops.OR, ops.XOR)
"""The operations whose operators in Python also work on whole arrays."""
_ON_REALS = (ops.SUM, ops.EXACT_SUM, ops.PROD, ops.MAX, ops.MIN)
"""The operations whose results on real and complex numbers have the type of the numbers."""
_BY_OPERATION = (
    *(ArithmeticError, LookupError, NotImplementedError, TypeError, ValueError),
    Warning,  # a filter can turn a warning, such as that of an overflow, into an error
)
"""The exceptions that an operation raises for operands that it does not take. Other exceptions come
from a signal's handler."""


# -- objects in headers -----------------------------------------------------------------

_OTHER = 0
"""The tag of an object that is neither a number nor an array."""
_ARRAY = 1
"""The tag of an array. The bytes describe the type, the order and the shape of the array."""
_INT, _FLOAT, _COMPLEX, _BOOL = range(2, 6)
"""The tags of Python's numbers. The tag of a NumPy scalar is the code of its dtype's character."""
_SMALL_FLOAT = 256
"""The tag of a small float is the sum of this number and the code of the element type."""
_FORMS = {int: (_INT, "q"), float: (_FLOAT, "d"), bool: (_BOOL, "?")}
_PACK = {kind: (tag, struct.Struct(f"={form}").pack) for kind, (tag, form) in _FORMS.items()}
_UNPACK = {tag: struct.Struct(f"={form}").unpack for tag, form in _FORMS.values()}
_DTYPES = {ord(char): np.dtype(char) for char in CHARS}
_DTYPES |= {_FLOAT: np.dtype("d"), _COMPLEX: np.dtype("D")}


def _encoded(obj: Any) -> tuple[int, bytes]:
    """Return the tag of an object, and its bytes.

    For an array the bytes hold its type, order and shape, not its elements.
    """
    kind = type(obj)
    if kind in _PACK:
        tag, pack_number = _PACK[kind]
        try:
            return tag, pack_number(obj)
        except struct.error:  # an integer of more than 64 bits
            return _OTHER, b""
    if kind is complex:
        return _COMPLEX, np.complex128(obj).tobytes()
    if kind in SCALARS:
        return ord(obj.dtype.char), obj.tobytes()
    if kind is np.ndarray:
        if obj.ndim and (
            (obj.dtype.char in CHARS and obj.dtype.isnative) or is_small_float(obj.dtype)
        ):
            return _ARRAY, f"{obj.dtype.char}{_order(obj)}{obj.shape}".encode()
    elif isinstance(obj, np.generic) and is_small_float(obj.dtype):
        return _SMALL_FLOAT + element_type(obj.dtype).code, obj.tobytes()
    return _OTHER, b""


def _dtype_of(tag: int) -> np.dtype[Any]:
    if tag < _SMALL_FLOAT:
        return _DTYPES[tag]
    name = name_of(tag - _SMALL_FLOAT) or ""
    dtype = small_float(name)
    if dtype is None:
        raise DatatypeError(f"another rank passed a {name}; install ml_dtypes on this rank too")
    return dtype


def _order(array: Array) -> Any:
    return "F" if array.flags.f_contiguous and not array.flags.c_contiguous else "C"


def _decoded(tag: int, data: bytes) -> Any:
    if tag in _UNPACK:
        return _UNPACK[tag](data)[0]
    number = np.frombuffer(data, _dtype_of(tag))[0]
    return number.item() if tag == _COMPLEX else number


# -- the reductions ---------------------------------------------------------------------


def reduce_objects(
    team: Team,
    collective: int,
    obj: Any,
    op: ops.Op | None,
    combine: Combine,
    root: int,
    function: object,
    by_pickles: Callable[[bytes, OnPickles], bytes | None],
) -> Any:
    """Reduce one object of each rank.  Collective over the team.

    Parameters
    ----------
    op
        redcoll's operation; None if the operation is a function of the program.
    combine
        Computes the operation on two objects.
    function
        The program's function, if ``op`` is None. Ranks compare its name.
    by_pickles
        Reduces one pickle of each rank by MPI, with an operation on two pickles. Returns this
        rank's result, or None if the rank gets no result.

    Returns
    -------
    Any
        The result; None on a rank that gets none.

    Raises
    ------
    CollectiveMismatchError
        Ranks made different reductions, or passed different operations or roots. Or another rank
        could not pickle its object. All ranks raise it.
    RemoteOpError
        The operation, or the pickling of its result, raised on another rank. If the objects are
        numbers, all ranks raise the same exception instead.
    """
    tag, data = (_OTHER, b"") if op is None else _encoded(obj)
    on_pickles = OnPickles(combine)
    pickled = b""
    if tag == _OTHER or len(data) > team.sizes.small_bytes:
        tag, data = _OTHER, b""
        with team.checking(collective):
            pickled = MPI.pickle.dumps(obj)
            MPI.pickle.dumps(pickled)  # MPI pickles these bytes again; raise its error here
    mark = mark_of(label_of(function)) if op is None else 0
    word = pack(collective, ops.USER_CODE if op is None else op.code, OBJECTS, root)
    shared = team.share(word, mark, tag, data)
    tags = {each for each, _ in shared}
    if op is ops.EXACT_SUM:
        _require_exact_types(team, shared)
    if op is not None and _OTHER not in tags:
        if _ARRAY not in tags:
            return _fold_numbers(team, collective, shared, op, combine, root)
        if len(set(shared)) == 1 and op in _ON_ARRAYS and _takes(op, obj.dtype):
            return _reduce_array(team, collective, obj, op, root)
    result = on_pickles.load(by_pickles(pickled or on_pickles.dump(obj), on_pickles))
    team.raise_unless(team.conclude(word, on_pickles.error, extra=mark), on_pickles.error)
    return result


def _takes(op: ops.Op, dtype: np.dtype[Any]) -> bool:
    return op.takes(element_type(dtype))


def _require_exact_types(team: Team, shared: list[tuple[int, bytes]]) -> None:
    """Raise on all ranks unless all objects are numbers or arrays of one type with exact sums."""
    tag, data = shared[0]
    kinds = set(shared) if tag == _ARRAY else {each for each, _ in shared}
    dtype = _DTYPES.get(data[0] if tag == _ARRAY else tag)
    if len(kinds) > 1 or dtype is None or not _takes(ops.EXACT_SUM, dtype):
        raise team.common(
            OpError(
                "op EXACT_SUM takes numbers of one type, or arrays of one type and shape, on all "
                f"ranks; the types are {', '.join(ops.EXACT_SUM.types or ())}"
            )
        )


def _fold_numbers(
    team: Team,
    collective: int,
    shared: list[tuple[int, bytes]],
    op: ops.Op,
    combine: Combine,
    root: int,
) -> Any:
    """Return this rank's result.

    Every rank folds all numbers, so all ranks raise the same error.
    """
    tag = shared[0][0]
    # For these numbers and operations, Python's operators give NumPy's bits and are faster.
    is_quick = tag in _UNPACK and (tag != _FLOAT or op in (ops.PLAIN_SUM, ops.PROD))
    if not is_quick and op in _ON_REALS and {tag} == {each for each, _ in shared}:
        dtype = _dtype_of(tag)
        if dtype.kind not in "biu" and _takes(op, dtype):
            wide = op.accumulator(dtype) or dtype
            numbers = [np.frombuffer(data, dtype).astype(wide) for _, data in shared]
            fold = functools.partial(_fold_vectors, team, op)
            by_nodes = op.folds_by_nodes(element_type(dtype))
            result = _in_order(team, collective, numbers, fold, root, by_nodes=by_nodes)
            if result is None:
                return None
            return _decoded(tag, team.run_silently(result.astype, dtype).tobytes())
    items = [_decoded(*each) for each in shared]
    try:
        return _in_order(
            team, collective, items, functools.partial(functools.reduce, combine), root
        )
    except _BY_OPERATION as error:
        team.common(error)
        raise


def _fold_vectors(team: Team, op: ops.Op, operands: Sequence[Array]) -> Array:
    out = np.empty_like(operands[0])
    team.run_silently(team.kernel.fold, op, operands, out)
    return out


def _in_order(
    team: Team,
    collective: int,
    items: Sequence[Any],
    fold: Fold,
    root: int,
    *,
    by_nodes: bool = True,
) -> Any:
    """Fold the items of this rank's result; return None if this rank gets no result."""
    if collective in (SCAN, EXSCAN):
        fold(items)  # raises the same exception on all ranks
        chosen = items[: team.index + (collective == SCAN)]
        return fold(chosen) if chosen else None
    if team.folds_by_nodes and by_nodes:  # fold each node's items first, as with arrays
        items = [fold([items[index] for index in members]) for members in team.layout.nodes]
    result = fold(items)
    return result if root in (NO_ROOT, team.index) else None


def _reduce_array(team: Team, collective: int, array: Array, op: ops.Op, root: int) -> Array | None:
    order = _order(array)
    result = np.empty(array.shape, array.dtype, order)
    source, target = array.ravel(order), result.reshape(-1, order="A")
    reduce_by_code(team, collective, target, source, op, root)
    has_result = team.index > 0 if collective == EXSCAN else root in (NO_ROOT, team.index)
    return result if has_result else None


_RAISED = b""
"""Travels in place of a pickle if the operation or the pickling raised."""


class OnPickles:
    """An operation on two pickles. It keeps exceptions instead of raising them inside MPI."""

    def __init__(self, combine: Combine) -> None:
        self._combine = combine
        self.error: BaseException | None = None
        """The exception of the operation, or of pickling or reading an object."""

    def __call__(self, x: bytes, y: bytes) -> bytes:
        """Return the pickle of the result of the operation."""
        if _RAISED in (x, y):
            return _RAISED
        return self._pickle_of(lambda: self._combine(MPI.pickle.loads(x), MPI.pickle.loads(y)))

    def dump(self, obj: Any) -> bytes:
        """Return the pickle of an object."""
        return self._pickle_of(lambda: obj)

    def load(self, pickled: bytes | None) -> Any:
        """Return the object of a pickle; None if there is no object."""
        if not pickled:
            return None
        try:
            return MPI.pickle.loads(pickled)
        except BaseException as error:  # noqa: BLE001 - from the object's class, or an interrupt
            self.error = error
            return None

    def _pickle_of(self, make: Callable[[], Any]) -> bytes:
        try:
            pickled: bytes = MPI.pickle.dumps(make())
        except BaseException as error:  # noqa: BLE001 - from a user's function, or an interrupt
            self.error = error
            return _RAISED
        return pickled
