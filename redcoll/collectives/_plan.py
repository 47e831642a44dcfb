"""How several values are reduced together: which are packed into one vector, and how.

A short item is packed: it travels in the round of the call, and a segment of the fold is its own.
Items that do not fit follow in calls of their own: one for all items of one operation and type, and
one for each long item. A function of the program's own and the product of Python's integers, which
may need more than 64 bits, have calls of their own too.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import prod
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from redcoll.collectives._items import (
    Item,
    checked_items,
    decoder,
    encoder,
    format_of,
    split,
    value_of,
    vector_of,
)
from redcoll.collectives._tree import is_container, leaves, shape_of
from redcoll.datatypes import element_type
from redcoll.kernels.interface import Segments
from redcoll.kernels.thresholds import inline_bytes_across
from redcoll.ops import Op
from redcoll.protocol.descriptor import Call, pack
from redcoll.protocol.partition import round_up
from redcoll.team import Team

Array = NDArray[Any]

_JOINED_BYTES: Final = 64 << 10
"""Longer items are not copied to be next to others."""
_LEAST_BYTES: Final = 64
"""Every payload slot has room for this."""
_BYTES: Final = np.dtype(np.uint8)


class Joined(NamedTuple):
    """Items of one operation and type that are reduced as one vector."""

    places: list[int]
    items: list[Item]
    are_arrays: bool
    shape: tuple[int, ...] | None
    """The shape of the arrays, if they have one in common."""

    def vector(self, values: Sequence[Any]) -> Array:
        """Return the elements of all items."""
        vectors = [values[place] for place in self.places]
        if not self.are_arrays:
            vectors = list(map(vector_of, self.items, vectors))
        item = self.items[0]
        whole = np.empty(sum([each.size for each in vectors]), item.dtype)
        return np.concatenate(vectors, axis=None, out=whole)

    def results(self, total: Array) -> list[Any]:
        """Return the results of the items, whose vector was reduced to ``total``."""
        if self.shape is not None:
            return list(total.reshape(len(self.items), *self.shape))
        ends = accumulate(item.size for item in self.items)
        parts = (total[end - item.size : end] for item, end in zip(self.items, ends, strict=True))
        return list(map(value_of, self.items, parts))


@dataclass(slots=True, eq=False, kw_only=True)
class Plan(Call):
    """A call on several values that has passed its checks."""

    items: list[Item]
    packing: struct.Struct
    unpacking: struct.Struct
    """Items that are not packed, and for ``unpacking`` arrays too, are empty bytes."""
    encoders: list[tuple[int, Callable[[Any], Any]]]
    decoders: list[tuple[int, Callable[[Any], Any]]]
    """What turns items into values of the structs and back, by their places."""
    halves: list[int]
    """The places of the items that are packed in two halves, last first."""
    arrays: list[tuple[int, tuple[int, ...], np.dtype[Any], int]]
    """Place, shape, type and first byte of each packed array."""
    segments: Segments
    buffer: Array
    out: Array
    joined: list[Joined]
    """The items that are reduced next to each other."""
    alone: list[int]
    """The items that have calls of their own."""
    structure: str
    """The containers, for messages."""
    is_flat: bool
    """Whether no container is in another one."""
    kept: Any
    """Keeps the operations alive, because their ids identify the plan."""


def packed_bytes(team: Team) -> int:
    """Return the most bytes of a packed vector, equal on all members."""
    if team.layout.is_one_node:
        return max(team.sizes.small_bytes, _LEAST_BYTES)
    # Longer folds of nodes are cut into parts at any byte.
    most = team.sizes.fold_bytes if team.folds_by_nodes else team.sizes.small_bytes
    return max(min(most, inline_bytes_across(len(team.layout.nodes))), _LEAST_BYTES)


def _layout(items: Sequence[Item], structure: str) -> int:
    """Return a hash of all that must be equal on the members."""
    import hashlib  # not at the top: it loads OpenSSL, which few programs need

    told = [
        (each.place, each.kind.__name__, each.shape, each.element.code, each.op.code, each.op.mark)
        for each in items
    ]
    digest = hashlib.blake2b(repr((told, structure)).encode(), digest_size=8).digest()
    return int.from_bytes(digest, "little") >> 1


def make_plan(team: Team, collective: int, values: Any, op: Any, root: int) -> Plan:
    """Return the plan of a call, after all checks.  Local."""
    items = checked_items(values, op)
    packed, joined, alone = _divide(team, items)
    packing, unpacking = ["="], ["="]
    rows: list[tuple[Op, np.dtype[Any], int, int]] = []
    arrays, at = [], 0
    for place, item in enumerate(items):
        if place not in packed:
            packing.append("0s")
            unpacking.append("0s")
            continue
        pad = -at % item.dtype.alignment
        at += pad
        stop = at + item.n_bytes
        form = format_of(item)
        packing.append(f"{pad}x{form}")
        if item.kind is np.ndarray:
            unpacking.append(f"{pad}x0s{item.n_bytes}x")
            arrays.append((place, item.shape, item.dtype, at))
        else:
            unpacking.append(f"{pad}x{form}")
        if rows and rows[-1][:2] == (item.op, item.dtype) and rows[-1][3] == at:
            rows[-1] = (*rows[-1][:3], stop)
        elif stop > at:
            rows.append((item.op, item.dtype, at, stop))
        at = stop
    widest = max((dtype.alignment for _, dtype, _, _ in rows), default=1)
    size = max(round_up(at, max(widest, 8)), 8)
    segments = Segments(rows, _table(rows))
    structure = shape_of(values)
    return Plan(
        word=pack(collective, root=root),
        count=len(items),
        extra=_layout(items, structure),
        op=Op("MANY", 0, "u", np.add, fold=_fold(team, segments)),
        element=element_type(_BYTES),
        is_small=True,
        views=team.channel.views(_BYTES, size),
        items=items,
        packing=struct.Struct("".join(packing)),
        unpacking=struct.Struct("".join(unpacking)),
        encoders=list(_coders(items, packed, encoder)),
        decoders=list(_coders(items, packed, decoder)),
        halves=[place for place in sorted(packed, reverse=True) if items[place].is_split],
        arrays=arrays,
        segments=segments,
        buffer=np.zeros(size, _BYTES),
        out=np.zeros(size, _BYTES),
        joined=[_joined(items, group) for group in joined],
        alone=alone,
        structure=structure,
        is_flat=not any(map(is_container, values)),
        kept=leaves(op),
    )


def _joined(items: Sequence[Item], places: list[int]) -> Joined:
    its_items = [items[place] for place in places]
    are_arrays = all(item.kind is np.ndarray for item in its_items)
    shapes = {item.shape for item in its_items}
    # Numbers and arrays without dimensions are no rows of a matrix.
    is_matrix = are_arrays and len(shapes) == 1 and prod(its_items[0].shape) > 0 and shapes != {()}
    return Joined(places, its_items, are_arrays, shapes.pop() if is_matrix else None)


def _fold(team: Team, segments: Segments) -> Callable[[Sequence[Array], Array], None]:
    fold_segments = team.kernel.fold_segments

    def fold(operands: Sequence[Array], out: Array) -> None:
        fold_segments(segments, operands, out)

    return fold


def _table(rows: Sequence[tuple[Op, np.dtype[Any], int, int]]) -> bytes:
    words = [
        (op.code, element_type(dtype).code, start, (stop - start) // dtype.itemsize)
        for op, dtype, start, stop in rows
    ]
    return np.array(words, np.int64).tobytes()


def _divide(team: Team, items: Sequence[Item]) -> tuple[set[int], list[list[int]], list[int]]:
    """Return the items that are packed, those that are joined, and those reduced alone."""
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
    # MPI's order depends on the length of a vector, so it must be that of a separate call.
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


def _coders(
    items: Sequence[Item], packed: set[int], of: Callable[[Item], Callable[[Any], Any] | None]
) -> Iterator[tuple[int, Callable[[Any], Any]]]:
    for place in sorted(packed):
        coder = of(items[place])
        if coder is not None:
            yield place, coder


def encoded(plan: Plan, items: list[Any]) -> list[Any]:
    """Return the values for the struct of a plan."""
    values = items
    if plan.encoders or plan.halves or plan.joined or plan.alone:
        values = items.copy()
        for group in plan.joined:
            for place in group.places:
                values[place] = b""
        for place in plan.alone:
            values[place] = b""
        for place, encode in plan.encoders:
            values[place] = encode(values[place])
        for place in plan.halves:
            values[place : place + 1] = split(values[place])
    return values


def decoded(plan: Plan, out: Array) -> list[Any]:
    """Return the results of the packed items, each in its place."""
    values = list(plan.unpacking.unpack_from(out.data))
    for place in reversed(plan.halves):
        high, low = values[place : place + 2]
        values[place : place + 2] = ((high << 32) + low,)
    for place, decode in plan.decoders:
        values[place] = decode(values[place])
    for place, shape, dtype, start in plan.arrays:
        values[place] = np.ndarray(shape, dtype, out, start)
    return values
