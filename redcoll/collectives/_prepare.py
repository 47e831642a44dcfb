"""The arguments of one call: checked once per shape of call, and per pair of arrays.

A wrong argument raises before anything is posted or written. The other members are
told (``Team.decline``), so that they raise too instead of waiting.
"""

from __future__ import annotations

import weakref
from typing import Any

import numpy as np
from numpy.typing import NDArray

from redcoll import world
from redcoll.activeset import ActiveSet
from redcoll.datatypes import element_type
from redcoll.errors import ArgumentError, DatatypeError, OverlapError
from redcoll.ops import Op, as_op
from redcoll.signature import NAMES, NO_ROOT, Call, pack
from redcoll.team import Team

Array = NDArray[Any]


def team_of(team: Team | None, active_set: ActiveSet | None) -> Team:
    """The team that a call names by either argument; all PEs unless it names one."""
    if team is not None:
        if active_set is not None:
            raise ArgumentError("give team or active_set, not both")
        return team
    if active_set is None:
        return world.start().team
    return world.start().team_of(active_set)


def prepare(
    team: Team,
    collective: int,
    target: Array,
    source: Array,
    op: Op,
    root: int = NO_ROOT,
    extra: int = 0,
    target_count: int | None = None,
) -> Call:
    """The shape of this call, after all checks.

    Parameters
    ----------
    target
        Receives the result; where a PE gets none, its ``source`` stands for it.
    extra
        What else must be equal on all members, as a number.
    target_count
        Elements that the target must have, if not as many as the source.
    """
    try:
        call = team.calls.get((collective, op, source.dtype, source.size, root, extra))
        if call is None:
            call = _new_call(team, collective, source, op, root, extra)
        if call.checked_target is not None and call.checked_source is not None:  # noqa: SIM102
            if call.checked_target() is target and call.checked_source() is source:
                return call
        check_arrays(call, target, source, target_count)
    except (ArgumentError, AttributeError) as error:
        wrong = error
        if not isinstance(error, ArgumentError):
            wrong = _not_arrays(target=target, source=source)
        text = f"{NAMES[collective]}: {wrong}"
        wrong = type(wrong)(text)
        team.decline(pack(collective), wrong)
        raise wrong from None
    return call


def _new_call(team: Team, collective: int, source: Array, op: Op, root: int, extra: int) -> Call:
    operation = as_op(op)
    if not isinstance(source, np.ndarray):
        raise _not_arrays(source=source)
    element = element_type(source.dtype)
    operation.check(element)
    if not NO_ROOT <= root < team.size:
        raise ArgumentError(
            f"root is {root}; it must be an index in the team, 0 to {team.size - 1}"
        )
    is_small = source.nbytes <= team.small_bytes
    call = Call(
        word=pack(collective, operation.code, element.code, root),
        count=source.size,
        extra=extra or operation.mark,
        op=operation,
        element=element,
        is_small=is_small,
        views=team.channel.views(source.dtype, source.size) if is_small else None,
    )
    team.remember((collective, op, source.dtype, source.size, root, extra), call)
    return call


def _not_arrays(**arrays: object) -> DatatypeError:
    for name, value in arrays.items():
        if not isinstance(value, np.ndarray):
            return DatatypeError(f"{name} is a {type(value).__name__}; it must be a numpy.ndarray")
    return DatatypeError("target and source must be numpy arrays")


def check_arrays(call: Call, target: Array, source: Array, target_count: int | None) -> None:
    """Refuse arrays that do not go with each other; remember those that do.

    Raises
    ------
    ArgumentError
        Also ``DatatypeError``, ``OverlapError``.
    """
    wanted = source.size if target_count is None else target_count
    if target.dtype is not source.dtype and target.dtype != source.dtype:
        raise DatatypeError(
            f"target is of {target.dtype}, source of {source.dtype}; they must be of one type"
        )
    if target is not source and target.size != wanted:
        raise ArgumentError(
            f"target has {target.size} elements; with a source of {source.size} "
            f"it must have {wanted}"
        )
    for name, array in (("target", target), ("source", source)):
        if not array.flags.c_contiguous:
            raise ArgumentError(
                f"{name} (shape {array.shape}, strides {array.strides}) is not C-contiguous; "
                "pass a contiguous array, such as numpy.ascontiguousarray gives"
            )
    if not target.flags.writeable:
        raise ArgumentError("target is read-only; it must be writable")
    if target is source or (target.base is None and source.base is None):
        return
    if np.may_share_memory(target, source):
        same_start = target.ctypes.data == source.ctypes.data
        if not (same_start and target.nbytes == source.nbytes):
            raise OverlapError(
                "target and source overlap without being the same elements; they must be "
                "disjoint or identical"
            )
    # Arrays that own their memory could be resized, so only views are remembered:
    # a weak reference would forbid their owner ndarray.resize, and they are cheap to check.
    if target.base is not None and source.base is not None:
        call.checked_target = weakref.ref(target)
        call.checked_source = weakref.ref(source)


def flat(array: Array) -> Array:
    """A C-contiguous array as a vector on the same memory."""
    return array if array.ndim == 1 else array.reshape(-1)
