"""Reduce the items of lists, tuples and dicts in one round."""

from __future__ import annotations

import contextlib
import math
import struct
from collections.abc import Hashable, Sequence
from functools import partial
from typing import Any, Final, NoReturn, TypeVar

import numpy as np

from redcoll.activeset import ActiveSet
from redcoll.arguments import Array, integer
from redcoll.collectives._arguments import team_of
from redcoll.collectives._gathering import gather
from redcoll.collectives._items import checked_items, value_of, vector_of
from redcoll.collectives._packing import Block
from redcoll.collectives._plan import Joined, Plan, make_plan
from redcoll.collectives._told import disagreement, first_difference, is_about_details
from redcoll.collectives._tree import SCALARS, is_container, rebuilt, signature
from redcoll.collectives.dispatch import reduce_by_code
from redcoll.errors import CollectiveMismatchError, RedcollError
from redcoll.ops import PROD, SUM
from redcoll.protocol.descriptor import ALLREDUCE, ALLREDUCE_MANY, NO_ROOT, REDUCE, REDUCE_MANY
from redcoll.team import Team, TeamLike
from redcoll.world import revoke_unless_common

Values = TypeVar("Values")
_Filled = tuple[Array, list[Any]]
"""A group's vector, which is reduced in place, and arrays that are views of the vector."""

_MOST_PATTERNS: Final = 8
"""The most structures that are kept for containers of the same kind, length and operations."""


def allreduce_many(
    values: Values,
    op: Any = SUM,
    *,
    team: TeamLike | None = None,
    active_set: ActiveSet | None = None,
) -> Values:
    """Reduce several values at once, and return all results on every member.

    Collective over the team, which is all PEs unless ``team`` or ``active_set`` is given. All short
    values together take one synchronisation. Each result has the bits of a separate reduction.

    Parameters
    ----------
    values
        A list, a tuple, a named tuple or a dict of *items*, nested in any way. An item is an array
        or a number. Arrays have any shape, memory layout and element type that redcoll takes.
        Numbers are Python's bool, int (of up to 64 bits), float and complex, and NumPy's scalars.
    op
        One operation in any form that :func:`allreduce` takes, or operations in the same structure
        as ``values``. One operation can stand for a part of the structure.

    Returns
    -------
    Any
        The results, in the same structure. An array has the shape and type of its item, in C order.
        A number has the type that a lower-case ``allreduce`` of ``redcoll.MPI`` returns.

    Raises
    ------
    ArgumentError
        An argument is wrong. The error can be a ``DatatypeError`` or ``OpError``, and its message
        names the item. The other members get ``CollectiveMismatchError``. A wrong ``team`` or
        ``active_set`` raises on the caller alone.
    CollectiveMismatchError
        Members passed different structures, shapes, types or operations. The message names the
        first item that differs. All members raise it.
    RemoteOpError
        A user's function raised on another member.
    PeerLostError, CollectiveTimeoutError, TeamBrokenError
        A member has left, has died or is late; or an earlier call broke the team.

    Examples
    --------
    >>> import numpy as np
    >>> import redcoll
    >>> local = {"error": 0.5, "steps": 3, "flux": np.ones(2)}
    >>> ops = {"error": redcoll.MAX, "steps": redcoll.MIN, "flux": redcoll.SUM}
    >>> found = redcoll.allreduce_many(local, ops)
    >>> found["error"], found["steps"]
    (0.5, 3)
    >>> bool((found["flux"] == redcoll.n_pes()).all())
    True
    """
    try:
        if type(team) is not Team or active_set is not None:
            team = team_of(team, active_set)
        found: Values = reduce_values(team, ALLREDUCE_MANY, values, op)
        return found
    except BaseException as error:
        revoke_unless_common(error, team, active_set)
        raise


def reduce_many(
    values: Values,
    op: Any = SUM,
    root: int = 0,
    *,
    team: TeamLike | None = None,
    active_set: ActiveSet | None = None,
) -> Values | None:
    """Reduce several values at once, and return the results on the root; None elsewhere.

    Collective over the team, whose members all wait for each other. Arguments, results and errors
    are those of :func:`allreduce_many`. One argument is new:

    Parameters
    ----------
    root
        Team rank (not a PE number) of the member that gets the results.

    Examples
    --------
    >>> import redcoll
    >>> found = redcoll.reduce_many([1, 2.5], [redcoll.SUM, redcoll.MAX])
    >>> found is None or found == [redcoll.n_pes(), 2.5]
    True
    """
    try:
        if type(team) is not Team or active_set is not None:
            team = team_of(team, active_set)
        found: Values | None = reduce_values(team, REDUCE_MANY, values, op, root)
        return found
    except BaseException as error:
        revoke_unless_common(error, team, active_set)
        raise


def reduce_values(team: Team, collective: int, values: Any, op: Any, root: Any = NO_ROOT) -> Any:
    """Perform the call that ``collective`` names.  Collective over the team."""
    try:
        if type(root) is not int or collective == REDUCE_MANY:
            root = integer(root, "root", 0, team.size - 1)
        plan, items = _planned(team, collective, values, op, root)
        data, joined, alone = _pack(team, plan, items, values, op)
    except Exception as error:  # noqa: BLE001 - whatever the program's own objects raise
        team.checking(collective).refuse(error)
    if team.size == 1:
        return rebuilt(values, iter([x.copy() if type(x) is np.ndarray else x for x in items]))
    has_result = collective == ALLREDUCE_MANY or team.index == root
    try:
        results = None
        if plan.only is not None:
            results = _reduce_at_once(team, plan, plan.only, joined[0], has_result)
        if results is None:
            results = _reduce_packed(team, plan, data, has_result)
        else:
            joined = []
    except CollectiveMismatchError as error:
        if is_about_details(team, error):
            _explain(team, plan)
        raise
    if joined or alone:
        results += _reduce_rest(team, plan, joined, alone, root)
    if not has_result:
        return None
    ordered = results if plan.restore is None else plan.restore(results)
    kind: Any = type(values)
    if plan.is_flat and kind is dict:
        return dict(zip(values, ordered, strict=True))
    if plan.is_flat and (kind is list or kind is tuple):
        return ordered if type(ordered) is kind else kind(ordered)
    return rebuilt(values, iter(ordered))


def _key_of(values: Any, items: list[Any]) -> Hashable:
    """Append the items of ``values`` to ``items``; return a key for structure and types."""
    kind = type(values)
    if kind is list or kind is tuple:
        kinds = tuple(map(type, values))
        if kinds.count(np.ndarray) == len(kinds):
            items += values
            # Ids are faster than hashes of the types. The plan keeps the types alive, so that no
            # other type gets their ids.
            return kind, tuple([x.shape for x in values]), tuple([id(x.dtype) for x in values])
    return signature(values, items)


def _key_of_ops(op: Any) -> Hashable:
    """Return a key for operations. The key contains ids, so the plan keeps the operations alive."""
    if not is_container(op):
        return id(op)
    if isinstance(op, dict):
        return tuple(op), tuple(map(_key_of_ops, op.values()))
    return tuple(map(_key_of_ops, op))


def _is_simple(op: Any) -> bool:
    """Return whether ``op`` is one operation, or a list or tuple of single operations."""
    parts = op if type(op) is list or type(op) is tuple else [op]
    return not any(map(is_container, parts))


def _planned(
    team: Team, collective: int, values: Any, op: Any, root: int
) -> tuple[Plan, Sequence[Any]]:
    """Return the plan and the items of a call."""
    kind = type(values)
    alias: Hashable = None
    if (kind is list or kind is tuple) and values and type(values[0]) in SCALARS:
        # Most calls pass a list or tuple of numbers. The alias is a key that is quick to make. It
        # is kept only if all values are numbers, and no operation is a container.
        are_many = type(op) is list or type(op) is tuple
        alias = (
            collective,
            root,
            kind,
            (*map(type, values),),
            (*map(id, op),) if are_many else id(op),
        )
        known: Any = team.calls.get(alias)
        if known is not None:
            return known, values
    items: list[Any] = []
    key: Hashable = None
    outline: Hashable = None
    if is_container(values):
        outline = "outline", collective, root, kind, len(values), _key_of_ops(op)
        patterns: Any = team.calls.get(outline, ())
        for pattern, its_plan in patterns:
            found = pattern.items(values)
            if found is not None:
                return its_plan, found
        with contextlib.suppress(RedcollError):  # make_plan() raises an error that names the item
            key = collective, root, _key_of(values, items), _key_of_ops(op)
    plan: Any = team.calls.get(key)
    if plan is None:
        plan = make_plan(team, collective, values, op, root)
        # Do not keep plans with functions of the program. A program may make a new function for
        # each call, and the function may refer to large arrays.
        if any(item.op.is_user for item in plan.items):
            return plan, items
        team.remember(key, plan)
    if alias is not None and SCALARS.issuperset(map(type, values)) and _is_simple(op):
        team.remember(alias, plan)
    else:
        pattern = team.kernel.pattern_of(values, is_container, SCALARS)
        if pattern is not None:
            others: Any = team.calls.get(outline, ())
            team.remember(outline, ((pattern, plan), *others[: _MOST_PATTERNS - 1]))
    return plan, items


def _pack(
    team: Team, plan: Plan, items: Sequence[Any], values: Any, op: Any
) -> tuple[bytes, list[_Filled], list[Array]]:
    """Return the bytes of the packed items, the filled groups, and other items' vectors."""
    try:
        data = plan.block.pack(items)
        if not plan.joined and not plan.alone:
            return data, [], []
        joined = [_joined(team, each.block, items) for each in plan.joined]
        alone = [vector_of(plan.items[place], items[place]) for place in plan.alone]
    except (OverflowError, struct.error):
        checked_items(values, op)  # raises an error that names the item
        raise
    return data, joined, alone


def _joined(team: Team, block: Block, items: Sequence[Any]) -> _Filled:
    """Choose a group's items from all items, and copy the group's items to a vector."""
    vector, arrays = block.results()
    if not block.has_only_arrays or not team.kernel.copy_arrays(block.chosen(items), vector):
        vector[...] = np.frombuffer(block.pack(items), vector.dtype)
    return vector, arrays


def _reduce_at_once(
    team: Team, plan: Plan, group: Joined, filled: _Filled, has_result: bool
) -> list[Any] | None:
    """Reduce the only group in the rounds of the call; return None if the kernel cannot do so.

    All members with equal plans make the same choice. Members with different plans get an error.
    """
    vector, _ = filled
    target = vector if has_result else None
    if not team.channel.long_segment(plan.call, group.op.code, group.element_code, vector, target):
        return None
    return group.block.unpack(*filled) if has_result else []


def _reduce_packed(team: Team, plan: Plan, data: bytes, has_result: bool) -> list[Any]:
    """Reduce the packed items in the round of the call; return the results if ``has_result``."""
    block = plan.block
    out, arrays = block.results() if block.own is None else (block.own, [])
    into = out if has_result else None
    if not team.channel.small_segments(plan.call, plan.segments.table, data, into):
        operands = team.channel.exchange(plan.call, np.frombuffer(data, np.uint8))
        if has_result and block.has_quick_folds:
            quick: list[Any] = team.run_silently(block.fold_numbers, operands)
            return quick
        if has_result:
            team.run_silently(team.kernel.fold_segments, plan.segments, operands, out)
    return block.unpack(out, arrays) if has_result else []


def _reduce_rest(
    team: Team, plan: Plan, joined: list[_Filled], alone: list[Array], root: int
) -> list[Any]:
    """Reduce the items that are not packed. With a root, only the root's results are valid."""
    results = []
    reduce = partial(reduce_by_code, team, ALLREDUCE if root == NO_ROOT else REDUCE)
    for group, filled in zip(plan.joined, joined, strict=True):
        vector, _ = filled
        reduce(vector, vector, group.op, root)
        results += group.block.unpack(*filled)
    for place, source in zip(plan.alone, alone, strict=True):
        item = plan.items[place]
        if item.kind is int and item.op is PROD:
            # A product of Python's integers can have any number of bits, so gather the factors.
            results.append(math.prod(gather(team, source).reshape(-1).tolist()))
        else:
            target = np.empty_like(source)
            reduce(target, source, item.op, root)
            results.append(value_of(item, target))
    return results


def _explain(team: Team, plan: Plan) -> NoReturn:
    """Raise the error that names the first item that differs.  Collective over the team."""
    items = plan.items
    posts = team.channel.posts(team.channel.disputed)
    counts = sorted({post.count for post in posts})
    details = [f"{each.describe()} #{each.op.mark:08x}" for each in items]
    number = first_difference(team, plan.call.word, details, counts[-1])
    what = f"item {number + 1} of {' or '.join(map(str, counts))}"
    if number < len(items):
        text = items[number].describe()
    else:
        text = f"{len(items)} items, {plan.structure}"
        if len(counts) == 1:
            what = "the structure of values"
    raise disagreement(team, plan.call.word, text, what)
