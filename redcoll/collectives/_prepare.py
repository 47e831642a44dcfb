"""The arguments of one call: checked once per shape of call, and per pair of arrays.

A wrong argument raises before anything is posted or written. The other members are
told (``Team.decline``), so that they raise too instead of waiting.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from redcoll import world
from redcoll.activeset import ActiveSet
from redcoll.datatypes import element_type
from redcoll.errors import ArgumentError, DatatypeError, OpError, OverlapError, RedcollError
from redcoll.heap import address_of
from redcoll.ops import Op, as_op
from redcoll.signature import NAMES, NO_ROOT, ROOTED, Call, pack, pack_count
from redcoll.team import Team

Array = NDArray[Any]


# What checks raise, and what NumPy and Python raise on things that are no array, operation
# or number. Not every exception: a signal's handler may raise some other.
_WRONG_ARGUMENTS = (RedcollError, AttributeError, OverflowError, TypeError, ValueError)


def team_of(team: Team | None, active_set: ActiveSet | None) -> Team:
    """The team that a call names by either argument; all PEs unless it names one."""
    if team is not None:
        if active_set is not None:
            raise ArgumentError("give team or active_set, not both")
        if not isinstance(team, Team):
            raise ArgumentError(f"team is {team!r}; it must be a redcoll.Team")
        return team
    if active_set is None:
        return world.start().team
    if not isinstance(active_set, ActiveSet):
        raise ArgumentError(
            f"active_set is {active_set!r}; it must be a redcoll.ActiveSet(start, log_stride, size)"
        )
    return world.start().team_of(active_set)


def prepare(
    team: Team,
    collective: int,
    target: Array | None,
    source: Array,
    op: Op,
    root: int = NO_ROOT,
    extra: int = 0,
    target_count: int | None = None,
    *,
    members: int | None = None,
    part: tuple[int, int] | None = None,
) -> Call:
    """The shape of this call, after all checks.

    Parameters
    ----------
    target
        Receives the result; None on a PE that gets none.
    extra
        What else must be equal on all members, as a number.
    target_count
        Elements that the target must have, if not as many as the source.
    members
        How many members' vectors this PE folds, if not all.
    part
        Elements of the vectors that it folds, if not all: start and stop.
    """
    if part is not None:
        target_count = part[1] - part[0]
    try:
        call: Call | None = team.calls.get((collective, op, source.dtype, source.size, root, extra))
        if call is None:
            call = _new_call(team, collective, source, op, root, extra)
        check_arrays(target, source, target_count)
        if call.is_small and not call.op.is_user:
            first, stop = part if part is not None else (0, call.count)
            folded = team.size if members is None else members
            team.channel.learn(call, collective, root, extra, source, folded, first, stop)
            team.channel.trust(call, target, source, op, _live_blocks(target, source))
    except _WRONG_ARGUMENTS as error:
        wrong = _explain(error, target, source, op, root)
        wrong = type(wrong)(f"{NAMES[collective]}: {wrong}")
        team.decline(pack(collective), wrong)
        raise wrong from None
    return call


def _live_blocks(target: Array | None, source: Array) -> list[tuple[int, int]]:
    """Where the blocks of the heap start and stop that hold these arrays."""
    if not world.is_running():
        return []
    live_addresses = world.start().heap.live_addresses
    blocks = [live_addresses(array) for array in (source, target) if array is not None]
    return [block for block in blocks if block is not None]


def _explain(
    error: Exception, target: object, source: object, op: object, root: object
) -> RedcollError:
    """What was wrong with the arguments, where a check has not said so itself."""
    if isinstance(error, RedcollError):
        return error
    for name, value in (("source", source), ("target", target)):
        if not isinstance(value, np.ndarray):
            return DatatypeError(f"{name} is a {type(value).__name__}; it must be a numpy.ndarray")
    if not isinstance(root, int):
        return ArgumentError(f"root is {root!r}; it must be an integer, an index in the team")
    return OpError(f"op is {op!r}; it must be a redcoll operation, a ufunc or a callable ({error})")


def _new_call(team: Team, collective: int, source: Array, op: Op, root: int, extra: int) -> Call:
    operation = as_op(op)
    element = element_type(source.dtype)
    operation.check(element)
    is_rooted = collective in ROOTED
    if not (0 if is_rooted else NO_ROOT) <= operator.index(root) < team.size:
        raise ArgumentError(
            f"root is {root}; it must be an index in the team, 0 to {team.size - 1}"
        )
    is_small = source.nbytes <= team.small_bytes
    extra_word = extra ^ operation.mark << 1
    word = pack(collective, operation.code, element.code, root)
    call = Call(
        word=pack_count(word, source.size, extra_word) if is_small else word,
        count=source.size,
        extra=extra_word,
        op=operation,
        element=element,
        is_small=is_small,
        views=team.channel.views(source.dtype, source.size) if is_small else None,
    )
    team.remember((collective, op, source.dtype, source.size, root, extra), call)
    return call


def check_arrays(
    target: Array | None, source: Array, target_count: int | None, *, may_overlap: bool = False
) -> None:
    """Refuse arrays that do not go with each other.

    Raises
    ------
    ArgumentError
        Also ``DatatypeError``, ``OverlapError``.
    StateError
        An array lies in freed memory of the symmetric heap.
    """
    _check_one("source", source)
    if target is None:
        return
    _check_one("target", target)
    wanted = source.size if target_count is None else target_count
    if target.dtype is not source.dtype and target.dtype != source.dtype:
        raise DatatypeError(
            f"target is of {target.dtype}, source of {source.dtype}; they must be of one type"
        )
    if target.size != wanted:
        raise ArgumentError(
            f"target has {target.size} elements; with a source of {source.size} "
            f"it must have {wanted}"
        )
    if not target.flags.writeable:
        raise ArgumentError("target is read-only; it must be writable")
    if may_overlap or target is source:
        return
    if target.base is not None or source.base is not None:
        _check_overlap(target, source)


def _check_one(name: str, array: Any) -> None:
    if type(array) is not np.ndarray and (  # a quick yes for most
        not isinstance(array, np.ndarray) or isinstance(array, np.ma.MaskedArray)
    ):
        raise DatatypeError(
            f"{name} is a {type(array).__name__}; it must be a numpy.ndarray (and not masked)"
        )
    if not array.flags.c_contiguous:
        raise ArgumentError(
            f"{name} (shape {array.shape}, strides {array.strides}) is not C-contiguous; "
            "pass a contiguous array, such as numpy.ascontiguousarray gives"
        )
    if array.base is not None and world.is_running():
        world.start().heap.refuse_freed(array, name)


def _check_overlap(target: Array, source: Array) -> None:
    if np.may_share_memory(target, source):
        same_start = address_of(target) == address_of(source)
        if not (same_start and target.nbytes == source.nbytes):
            raise OverlapError(
                "target and source overlap without being the same elements; they must be "
                "disjoint or identical"
            )


def flat(array: Array) -> Array:
    """A C-contiguous array as a vector on the same memory."""
    # A numpy.matrix would keep its two dimensions.
    return array if array.ndim == 1 else np.asarray(array).reshape(-1)
