"""What a call says of itself in a post: packed, in clear, and back in words.

Members compare these words in every round. Equal words on all members is what makes
every later choice of the protocol the same everywhere.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from redcoll import datatypes, ops

BARRIER: Final = 1
ALLREDUCE: Final = 2
REDUCE: Final = 3
REDUCE_SCATTER: Final = 4
SCAN: Final = 5
EXSCAN: Final = 6
ALLOCATE: Final = 7
FREE: Final = 8
BROADCAST: Final = 9
COLLECT: Final = 10
FCOLLECT: Final = 11
ALLTOALL: Final = 12
CLOSE: Final = 13
SPLIT: Final = 14

NAMES: Final = {
    BARRIER: "barrier",
    ALLREDUCE: "allreduce",
    REDUCE: "reduce",
    REDUCE_SCATTER: "reduce_scatter",
    SCAN: "scan",
    EXSCAN: "exscan",
    ALLOCATE: "allocate",
    FREE: "free",
    BROADCAST: "broadcast",
    COLLECT: "collect",
    FCOLLECT: "fcollect",
    ALLTOALL: "alltoall",
    CLOSE: "close",
    SPLIT: "split",
}

OBJECTS: Final = 255
"""In place of an element type: the members share small objects of any type."""

NO_ROOT: Final = -1
ROOTED: Final = frozenset({REDUCE, BROADCAST})
"""Collectives that have a root."""
FOLDED: Final = frozenset({ALLREDUCE, REDUCE, REDUCE_SCATTER})
"""Collectives in which nodes can fold their members' vectors before other nodes read them."""

FAILED: Final = 1 << 60
"""Set in the word of a member that could not take part, or whose operation raised."""

DELEGATED: Final = 1 << 59
"""Set in the word of a member that wants MPI itself to do this collective."""

AHEAD: Final = -1
"""In place of a length: the member goes on without those whose vectors it does not fold."""


_ROOT_AT: Final = 24
_COUNT_AT: Final = 44
_COUNT_LIMIT: Final = 1 << 14
_FILL_AT: Final = 13
"""A block is aligned to 4096 at most."""
_REPLACED_AT: Final = 15


def pack(collective: int, op: int = 0, element: int = 0, root: int = NO_ROOT) -> int:
    """One 44-bit word: collective, op code, element type's code, root's index."""
    return collective | op << 8 | element << 16 | (root + 1) << _ROOT_AT


FILLS: Final = ("", "of zeros", "of values")
"""What a new block holds: nothing that is set, or what takes another round."""


def pack_allocation(alignment: int, replaced: int | None, fill: str) -> int:
    """One word: a block's alignment, what it holds, and the offset of what it replaces, if any."""
    offset = 0 if replaced is None else replaced + 1
    return alignment | FILLS.index(fill) << _FILL_AT | offset << _REPLACED_AT


def _unpack_allocation(extra: int) -> tuple[int, int | None, str]:
    replaced = (extra >> _REPLACED_AT) - 1
    fill = FILLS[(extra >> _FILL_AT) & 3]
    return extra & ((1 << _FILL_AT) - 1), None if replaced < 0 else replaced, fill


def pack_count(word: int, count: int, extra: int) -> int:
    """The word that says ``count``, too, if it is small and there is nothing ``extra``.

    Members that post equal words of this kind agree on everything.
    """
    if extra or count >= _COUNT_LIMIT:
        return word
    return word | (count + 1) << _COUNT_AT


def tells_count(word: int) -> bool:
    """Whether a word comes from :func:`pack_count` and says everything."""
    return word >> _COUNT_AT & (2 * _COUNT_LIMIT - 1) != 0


def root_of(word: int) -> int:
    """The root's index, ``NO_ROOT`` where there is none."""
    return (word >> _ROOT_AT & ((1 << (_COUNT_AT - _ROOT_AT)) - 1)) - 1


def describe(word: int, count: int, extra: int) -> str:
    """The call in words, for the message of a mismatch."""
    collective, op, element = word & 255, word >> 8 & 255, word >> 16 & 255
    root = root_of(word)
    name = NAMES.get(collective, f"collective {collective}")
    if collective in (BARRIER, CLOSE):
        return f"{name}()"
    if collective == ALLOCATE:
        alignment, replaced, fill = _unpack_allocation(extra)
        instead = "" if replaced is None else f" instead of the block at offset {replaced}"
        return f"{name}({count} bytes{fill and ' ' + fill}, alignment {alignment}{instead})"
    if collective == SPLIT:
        return f"{name}(#{count:08x})"
    if collective == FREE:
        return f"{name}(offset {count})"
    parts = []
    if word & DELEGATED:
        parts.append("by MPI itself")
        count = -1
    if op:
        is_user = op == ops.USER_CODE
        parts.append(f"op={ops.name_of(op)}" + (f" #{extra:08x}" if is_user else ""))
    if element == OBJECTS:
        parts.append("objects")
    elif element:
        row = datatypes.by_code(element)
        parts.append(f"type={row.name if row is not None else element}")
    # Where members may have different counts, none is shown.
    if count >= 0 and collective != COLLECT and element != OBJECTS:
        parts.append(f"count={count}")
    if root != NO_ROOT:
        parts.append(f"root={root}")
    if extra and op != ops.USER_CODE:
        parts.append(f"blocks #{extra:08x}")
    return f"{name}({', '.join(parts)})"


@dataclass(slots=True, eq=False)
class Call:
    """The shape of a call: all that is the same when it is made again on other arrays."""

    word: int
    count: int
    extra: int
    op: ops.Op
    element: datatypes.ElementType
    is_small: bool
    """Whether the vector goes through one round in which everyone folds all of it."""
    views: Any
    """The kernel's views of the staging, if small."""
    locations: Any = None
    """Where all members' arrays were on the heap at the last call, and views of them there."""

    def describe(self) -> str:
        """The call in words."""
        return describe(self.word, self.count, self.extra)
