"""Pack the descriptor of a call into the words of a header, and describe calls in text.

Members compare these words in every round. If the words are equal, all members make the same
choices in the rest of the call.
"""

from __future__ import annotations

from typing import Any, Final

from redcoll import datatypes, ops

UNKNOWN: Final = 0
BARRIER, ALLREDUCE, REDUCE, REDUCE_SCATTER, SCAN, EXSCAN, ALLOCATE, FREE = range(1, 9)
BROADCAST, COLLECT, FCOLLECT, ALLTOALL, CLOSE, SPLIT = range(9, 15)
ALLREDUCE_MANY, REDUCE_MANY, GATHER, PROFILE = range(15, 19)

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
    ALLREDUCE_MANY: "allreduce_many",
    REDUCE_MANY: "reduce_many",
    GATHER: "gather",
    PROFILE: "profile",
}

OBJECTS: Final = 255
"""The element type's code in rounds that share small Python objects."""

NO_ROOT: Final = -1
ROOTED: Final = frozenset({REDUCE, BROADCAST})
"""Collectives that have a root."""
SEVERAL: Final = frozenset({ALLREDUCE_MANY, REDUCE_MANY})
"""Collectives that reduce several values. Their headers have the number of values and a hash of
their layout."""
_WITHOUT_DETAILS: Final = {
    UNKNOWN: "a call that is not known yet",
    BARRIER: "barrier()",
    CLOSE: "close()",
    PROFILE: "profile()",
}
REDUCTIONS: Final = frozenset({ALLREDUCE, REDUCE, REDUCE_SCATTER, SCAN, EXSCAN})
"""Collectives that fold one vector of each member."""
FOLDED: Final = frozenset({ALLREDUCE, REDUCE, REDUCE_SCATTER, *SEVERAL})
"""Collectives in which nodes can fold their members' vectors before other nodes read them."""

FAILED: Final = 1 << 60
"""A bit in the word of a member that cannot take part, or whose operation raised an exception."""

DELEGATED: Final = 1 << 59
"""A bit in the word of a member that asks for a fallback to MPI."""

ONE_WAY: Final = 1 << 61
"""A bit in the word of a message between nodes that travels only towards the root's node."""

AHEAD: Final = -1
"""The status of a member that runs ahead: it waits only for members whose vectors it needs. On
several nodes, it does not wait until its node is released."""

_ROOT_AT: Final = 24
_COUNT_AT: Final = 44
_COUNT_LIMIT: Final = 1 << 14
_FILL_AT: Final = 13
"""The lowest bit of a block's fill. The bits below hold the block's alignment, up to 4096."""
_REPLACED_AT: Final = 15


def pack(collective: int, op: int = 0, element: int = 0, root: int = NO_ROOT) -> int:
    """Pack collective, operation code, type code and team rank of the root into 44 bits."""
    return collective | op << 8 | element << 16 | (root + 1) << _ROOT_AT


FILLS: Final = ("", "of zeros", "of values")
"""The possible contents of a new block. All contents except the first need another round."""


def pack_allocation(alignment: int, replaced: int | None, fill: str) -> int:
    """Pack a new block's alignment and contents, and the offset of the block that it replaces."""
    offset = 0 if replaced is None else replaced + 1
    return alignment | FILLS.index(fill) << _FILL_AT | offset << _REPLACED_AT


def _unpack_allocation(extra: int) -> tuple[int, int | None, str]:
    replaced = (extra >> _REPLACED_AT) - 1
    fill = FILLS[(extra >> _FILL_AT) & 3]
    return extra & ((1 << _FILL_AT) - 1), None if replaced < 0 else replaced, fill


def pack_count(word: int, count: int, extra: int) -> int:
    """Add ``count`` to the word if ``count`` is below 2**14 and ``extra`` is 0.

    If the words of two members contain counts and are equal, the members agree on the whole call.
    """
    if extra or count >= _COUNT_LIMIT:
        return word
    return word | (count + 1) << _COUNT_AT


def tells_count(word: int) -> bool:
    """Return whether the word contains the count. Such a word describes the whole call."""
    return word >> _COUNT_AT & (2 * _COUNT_LIMIT - 1) != 0


def root_of(word: int) -> int:
    """Return the team rank of the root, or ``NO_ROOT``."""
    return (word >> _ROOT_AT & ((1 << (_COUNT_AT - _ROOT_AT)) - 1)) - 1


_EXTRAS: Final = {REDUCE_SCATTER: "blocks", ALLTOALL: "strides"}
"""What the last word of a collective's header describes."""


def describe(word: int, count: int, extra: int) -> str:
    """Describe the call in text, for messages about mismatches."""
    collective, op, element = word & 255, word >> 8 & 255, word >> 16 & 255
    root = root_of(word)
    name = NAMES.get(collective, f"collective {collective}")
    if collective in _WITHOUT_DETAILS:
        return _WITHOUT_DETAILS[collective]
    if collective == ALLOCATE:
        alignment, replaced, fill = _unpack_allocation(extra)
        instead = "" if replaced is None else f" instead of the block at offset {replaced}"
        return f"{name}({count} bytes{fill and ' ' + fill}, alignment {alignment}{instead})"
    short = {SPLIT: f"#{count:08x}", FREE: f"offset {count}"}
    if collective in short:
        return f"{name}({short[collective]})"
    parts = []
    if collective in SEVERAL:
        parts.append(f"{count} items #{extra:016x}")
        count, extra = -1, 0
    if word & DELEGATED:
        parts.append("by MPI itself")
        count = -1
    if op:
        is_user = op == ops.USER_CODE
        parts.append(f"op={ops.name_of(op)}" + (f" #{extra:08x}" if is_user else ""))
    if element == OBJECTS:
        parts.append("objects")
    elif element:
        parts.append(f"type={datatypes.name_of(element) or element}")
    # Omit the count if members can have different counts.
    if count >= 0 and collective != COLLECT and element != OBJECTS:
        parts.append(f"count={count}")
    if root != NO_ROOT:
        parts.append(f"root={root}")
    if extra and op != ops.USER_CODE:
        parts.append(f"{_EXTRAS.get(collective, 'exact sums')} #{extra:08x}")
    return f"{name}({', '.join(parts)})"


class Call:
    """The checked arguments of a call, without its arrays.

    Calls with equal arguments share a ``Call``. ``is_small`` means that the call takes a single
    round, after which every member folds the whole vector. Then ``views`` has the kernel's views of
    the eager buffers. ``is_widened`` means that the ranks reduce float32 copies of their elements,
    and round the result. ``is_folded`` means that on several nodes each node folds its members'
    vectors before the other nodes read them.
    """

    __slots__ = ("count", "element", "extra", "is_folded", "is_small", "is_widened", "locations",
                 "op", "views", "word")  # fmt: skip

    def __init__(
        self,
        word: int,
        count: int,
        extra: int,
        op: ops.Op,
        element: datatypes.ElementType,
        is_small: bool,
        views: Any,
        is_widened: bool = False,
        is_folded: bool = False,
    ) -> None:
        self.word = word
        self.count = count
        self.extra = extra
        self.op = op
        self.element = element
        self.is_small = is_small
        self.views = views
        self.is_widened = is_widened
        self.is_folded = is_folded
        self.locations: Any = None
        """The last call's ``Operands``: places of all members' arrays, and views of the arrays."""

    def describe(self) -> str:
        """Describe the call in text."""
        return describe(self.word, self.count, self.extra)
