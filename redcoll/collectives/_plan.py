"""Plan how several values are reduced together: packed, joined or alone.

Short items are packed into one vector, which travels with the headers of the call. Consecutive
items of one operation and type are a segment of this vector. Other short items of one operation and
type are joined into a vector, which a further call reduces. Each long item has its own call. An
item also has its own call if its operation is a function of the program. The same applies to a
product of Python's integers, because the product may need more than 64 bits.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final, NamedTuple

import numpy as np

from redcoll.collectives._items import Item, checked_items
from redcoll.collectives._packing import Block, in_order
from redcoll.collectives._tree import is_container, leaves, shape_of
from redcoll.datatypes import element_type
from redcoll.kernels.interface import Segments
from redcoll.kernels.thresholds import inline_bytes_across
from redcoll.ops import Op
from redcoll.protocol.descriptor import Call, pack
from redcoll.protocol.partition import round_up
from redcoll.team import Team

_JOINED_BYTES: Final = 64 << 10
"""Longer items are not joined, because copying them takes longer than a further call."""
_LEAST_BYTES: Final = 64
"""A vector of this size fits into every eager buffer."""
_BYTES: Final = np.dtype(np.uint8)


class Joined(NamedTuple):
    """Items of one operation and type that are reduced as one vector."""

    op: Op
    element_code: int
    block: Block


class Plan(NamedTuple):
    """A checked call on several values."""

    call: Call
    """The call that carries the packed items."""
    items: list[Item]
    block: Block
    """The items that are packed."""
    segments: Segments
    joined: list[Joined]
    """The groups of items that are reduced as one vector."""
    only: Joined | None
    """The group of all items, if all items are in one group and all members are on one node."""
    alone: list[int]
    """The places of the items that have calls of their own."""
    restore: Callable[[list[Any]], Sequence[Any]] | None
    """A function that puts the results into the order of the items; None if the orders are equal.
    The results begin with packed items. Joined items follow, and then items with their own
    calls."""
    structure: str
    """The nesting of the containers, as text for messages."""
    is_flat: bool
    """Whether the structure has no nested containers."""
    kept: Any
    """The operations. They are kept alive, because their ids identify the plan."""


def packed_bytes(team: Team) -> int:
    """Return the largest size of a packed vector. The size is equal on all members."""
    if team.layout.is_one_node:
        return max(team.sizes.small_bytes, _LEAST_BYTES)
    # Do not pack longer vectors, because node leaders would cut them within elements.
    most = team.sizes.fold_bytes if team.folds_by_nodes else team.sizes.small_bytes
    return max(min(most, inline_bytes_across(len(team.layout.nodes))), _LEAST_BYTES)


def _layout(items: Sequence[Item], structure: str) -> int:
    """Return a hash of everything that must be equal on the members."""
    import hashlib  # not at the top, because it loads OpenSSL, which few programs need

    told = [
        (each.place, each.kind.__name__, each.shape, each.element.code, each.op.code, each.op.mark)
        for each in items
    ]
    digest = hashlib.blake2b(repr((told, structure)).encode(), digest_size=8).digest()
    return int.from_bytes(digest, "little") >> 1


def make_plan(team: Team, collective: int, values: Any, op: Any, root: int) -> Plan:
    """Check the arguments of a call, and return its plan.  Local."""
    items = checked_items(values, op)
    packed, groups, alone = _divide(team, items)
    block = Block(team.kernel, items, packed, 8, _BYTES)
    segments = Segments(block.rows, _table(block.rows), {})
    joined = [
        Joined(first.op, first.element.code, Block(team.kernel, items, group, 1, first.dtype))
        for group in groups
        for first in [items[group[0]]]
    ]
    is_only = team.layout.is_one_node and len(joined) == 1 and not packed and not alone
    order = [*block.places, *(place for each in joined for place in each.block.places), *alone]
    back = sorted(range(len(items)), key=order.__getitem__)
    structure = shape_of(values)
    parts = values.values() if isinstance(values, dict) else values
    call = Call(
        word=pack(collective, root=root),
        count=len(items),
        extra=_layout(items, structure),
        op=Op("MANY", 0, "u", np.add, fold=partial(team.kernel.fold_segments, segments)),
        element=element_type(_BYTES),
        is_small=True,
        views=team.channel.views(_BYTES, block.n_bytes),
        is_folded=team.folds_by_nodes,
    )
    return Plan(
        call,
        items=items,
        block=block,
        segments=segments,
        joined=joined,
        only=joined[0] if is_only else None,
        alone=alone,
        restore=None if back == list(range(len(items))) else in_order(back),
        structure=structure,
        is_flat=not any(map(is_container, parts)),
        kept=leaves(op),
    )


def _table(rows: Sequence[tuple[Op, np.dtype[Any], int, int]]) -> bytes:
    words = [
        (op.code, element_type(dtype).code, start, (stop - start) // dtype.itemsize)
        for op, dtype, start, stop in rows
    ]
    return np.array(words, np.int64).tobytes()


def _divide(team: Team, items: Sequence[Item]) -> tuple[set[int], list[list[int]], list[int]]:
    """Return the places of the packed items, of the joined items by group, and of all others."""
    most = packed_bytes(team)
    groups: dict[tuple[Op, np.dtype[Any]], list[int]] = {}
    alone = []
    for place, item in enumerate(items):
        is_gathered = team.folds_by_nodes and not item.op.folds_by_nodes(item.element)
        if is_gathered or not item.can_be_packed or item.n_bytes > max(most, _JOINED_BYTES):
            alone.append(place)
        else:
            groups.setdefault((item.op, item.dtype), []).append(place)
    sizes = {
        key: sum(round_up(items[place].n_bytes, max(8, key[1].alignment)) for place in group)
        for key, group in groups.items()
    }
    packed: set[int] = set()
    joined = []
    left = most - most % 16
    if any(item.dtype.alignment > 8 for item in items):
        left -= 8  # numbers of 8 bytes and arrays of wider elements can have a gap between them
    # With REDCOLL_ORDER=mpi, the bits depend on the length of the vector. So joining would change
    # the bits of an item.
    can_join = team.rails is None or team.rails.order != "mpi"
    for key in sorted(groups, key=lambda key: sizes[key]):
        if sizes[key] <= left:
            packed.update(groups[key])
            left -= sizes[key]
        elif can_join:
            joined.append(groups[key])
        else:
            alone += groups[key]
    return packed, joined, alone
