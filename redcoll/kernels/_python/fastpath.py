"""Implement the fast path of the NumPy kernel: small allreduces of known arrays.

Look-ups and checks take most of the time of a small reduction in Python. So the kernel keeps the
results of the look-ups of each call that has passed its checks. The kernel recognises a view, such
as a symmetric array, by the identity of the object. For arrays that own their memory, the kernel
compares the element type, size and strides. A single float64 or int64 is reduced as a number of
Python, which is faster and gives the same bits.
"""

from __future__ import annotations

import functools
import itertools
import operator
import weakref
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from redcoll.arguments import Array
from redcoll.kernels._python.folds import fold
from redcoll.kernels._python.rounds import Rounds
from redcoll.kernels.interface import Fence, PreparedCall, TeamHooks
from redcoll.ops import AND, MAX, MIN, OR, PLAIN_SUM, PROD, XOR, Op
from redcoll.protocol.descriptor import ALLREDUCE, NO_ROOT, Call, tells_count
from redcoll.protocol.layout import COUNT, EXTRA, PAYLOAD, WORD, Scratch

if TYPE_CHECKING:
    from random import Random


_MOST_KEPT: Final = 1024
_MOST_CALLS_KEPT: Final = 256


def _wrapping_sum(a: int, b: int) -> int:
    """Add two numbers of 64 bits. On overflow the sum wraps around, as in an array."""
    return (a + b + (1 << 63)) % (1 << 64) - (1 << 63)


_ON_NUMBERS: Final[dict[tuple[str, int], Callable[[Any, Any], Any]]] = {
    ("float64", PLAIN_SUM.code): operator.add,
    ("float64", PROD.code): operator.mul,
    ("int64", PLAIN_SUM.code): _wrapping_sum,
    ("int64", MAX.code): max,
    ("int64", MIN.code): min,
    ("int64", AND.code): operator.and_,
    ("int64", OR.code): operator.or_,
    ("int64", XOR.code): operator.xor,
}
"""Functions on Python's numbers, by element type and operation."""

_epoch: Sequence[int] = (0,)
"""The word that counts how often symmetric memory was freed."""


def know_heap(start: int, stop: int, epoch: Sequence[int]) -> None:  # noqa: ARG001
    """Set the bounds of this rank's symmetric heap, and the word that counts calls of ``free``."""
    global _epoch  # noqa: PLW0603 - there is one heap
    _epoch = epoch


def know_name(name: object, dtype: np.dtype[Any]) -> None:
    """Do nothing, because only the compiled kernel uses objects that name dtypes."""


class _Known:
    """A small allreduce whose arguments have passed the checks.

    If the arguments are views, the object stands for this pair of views only. If the arguments own
    their memory, the object stands for all such arrays with the same operation, type and count.
    """

    __slots__ = ("call", "dtype", "epoch", "is_float", "on_numbers", "op", "source", "strides",
                 "target")  # fmt: skip

    def __init__(self, call: Call, target: Array, source: Array, op: Op) -> None:
        self.call = call
        # Keep no weak reference to an array that owns its memory, because NumPy does not resize an
        # array that has weak references.
        if source.base is not None:
            self.target = weakref.ref(target)
            self.source = weakref.ref(source)
        self.dtype = source.dtype
        self.strides = source.strides
        self.op = op
        self.is_float = call.element.kind == "f"
        key = (call.element.name, call.op.code)
        self.on_numbers = _ON_NUMBERS.get(key) if call.count == 1 else None
        self.epoch = _epoch[0]


@functools.cache
def _draws() -> Random:
    import random  # only long jobs need this module

    return random.Random(1)  # noqa: S311 - programs may seed the shared generator


def _keep(table: dict[Any, _Known], key: object, known: _Known) -> None:
    if len(table) >= _MOST_KEPT and key not in table:
        # Delete a random entry instead of the oldest entry. A program that uses its arrays in a
        # cycle needs the oldest entry next.
        del table[next(itertools.islice(table, _draws().randrange(len(table)), None))]
    table[key] = known


class KnownArrays:
    """The small allreduces whose checks have passed."""

    def __init__(self) -> None:
        self._views: dict[int, _Known] = {}
        """The last known call on a source, by the source's id."""
        self._pairs: dict[tuple[int, int, int], _Known] = {}
        """Known calls, by the ids of source, target and operation."""
        self._owners: dict[tuple[int, int, int], _Known] = {}
        """Known calls on arrays that own their memory, by operation, element type and count."""

    def trust(self, call: Call, target: Array | None, source: Array, op: Op) -> None:
        """Keep a call that has passed its checks, if :meth:`find` can recognise it."""
        if (
            target is None
            or not tells_count(call.word)
            or target.ndim != 1
            or source.ndim != 1
            or not target.flags.carray
        ):
            return
        known = _Known(call, target, source, op)
        if target.base is None and source.base is None:
            _keep(self._owners, (id(op), id(source.dtype), call.count), known)
        elif target.base is not None and source.base is not None:
            _keep(self._pairs, (id(source), id(target), id(op)), known)
            _keep(self._views, id(source), known)

    def _owner(self, target: Any, source: Any, op: Op) -> _Known | None:
        """Return the known call for arrays that own their memory. Such arrays cannot overlap."""
        if type(source) is not np.ndarray or type(target) is not np.ndarray:
            return None
        known = self._owners.get((id(op), id(source.dtype), source.size))
        if (
            known is None
            or source.dtype is not known.dtype
            or target.dtype is not known.dtype
            or source.base is not None
            or target.base is not None
            or source.strides != known.strides
            or target.shape != source.shape
            or not (flags := target.flags).carray
            or not flags.owndata
        ):
            return None
        return known

    def find(self, target: Array, source: Array, op: Op) -> _Known | None:
        """Return the known call for these arrays; None if the call must check them."""
        known = self._views.get(id(source))
        if known is None or known.source() is not source:
            known = self._owner(target, source, op)
            if known is None:
                return None
        else:
            if known.target() is not target or known.op is not op:
                known = self._pairs.get((id(source), id(target), id(op)))
                if known is None or known.source() is not source or known.target() is not target:
                    return None
                self._views[id(source)] = known
            # Check the attributes again, because the program may have changed them.
            if (
                known.dtype is not source.dtype
                or known.dtype is not target.dtype
                or source.strides != known.strides
                or target.ndim != 1
                or not target.flags.carray  # writeable, aligned and contiguous
                or known.epoch != _epoch[0]
            ):
                return None
        return known


class Channel(Rounds):
    """The NumPy kernel's channel: rounds, and small reductions of known arrays in one call.

    Its arguments are those of :class:`Rounds`.
    """

    def __init__(
        self,
        scratch: Scratch,
        me: int,
        spin: int,
        fence: Fence,
        hooks: TeamHooks,
    ) -> None:
        super().__init__(scratch, me, spin, fence, hooks)
        self._run = hooks.run_silently
        self._floats = self._memory.cast("d")
        self._known = KnownArrays()

    def learn(self, call: Call, *shape: object) -> None:
        """Do nothing, because this channel recognises repeated calls by their arrays."""

    def learn_long(self, *_: Any, **__: Any) -> None:
        """Do nothing, because ``learns_long`` is False."""

    def trust(
        self,
        call: Call,
        target: Array | None,
        source: Array,
        op: Op,
        blocks: Sequence[tuple[int, int]],  # noqa: ARG002 - the epoch shows that a block was freed
    ) -> None:
        """Remember the arrays of a small call, which have passed all checks.

        ``op`` has the form in which the program passed the operation. If arrays are on the
        symmetric heap, ``blocks`` has start and stop of their live blocks.
        """
        if self.size > 1:
            self._known.trust(call, target, source, op)

    def small(  # noqa: C901 - a call of another function takes as long as reading all headers
        self,
        collective: int,
        target: Any,
        source: Any,
        op: Any,
        root: int = NO_ROOT,  # noqa: ARG002 - known calls have no root
        mark: int = 0,  # noqa: ARG002
    ) -> bool:
        """Perform a small reduction if its arrays are known.

        Returns
        -------
        bool
            Whether the reduction was made. If not, nothing was published or written.
        """
        if collective != ALLREDUCE or self.unwaited:
            return False
        known = self._known.find(target, source, op)
        if known is None:
            return False
        call = known.call
        sequence = self.sequence + 1
        parity = sequence & 1
        heads = self._heads[parity]
        head = heads[self.me]
        views: list[Array] = call.views[parity]
        words = self._words
        on_numbers = known.on_numbers
        if on_numbers is None:
            views[self.me][...] = source
        else:
            numbers = self._floats if known.is_float else words
            numbers[head + PAYLOAD] = source.item()
        self.sequence = sequence
        word = call.word
        if self._posted[parity] is not call:
            words[head + WORD] = word
            words[head + COUNT] = call.count
            words[head + EXTRA] = call.extra
            self._posted[parity] = call
        fence = self._fence
        if fence is not None:
            fence()
        # Release: a member that reads this number sees the vector and the words above.
        words[head] = sequence
        do_agree = True
        for other in self._others[parity]:
            if words[other] < sequence:
                self._wait(sequence, other)
            if fence is not None:
                # Acquire: everything that the member wrote before its header is visible from here
                # on.
                fence()
            if words[other + WORD] != word:
                do_agree = False
        if not do_agree:
            self.disputed = sequence
            self._hooks.raise_mismatch(self)
        if on_numbers is not None:
            result = numbers[heads[0] + PAYLOAD]
            for head in heads[1:]:
                result = on_numbers(result, numbers[head + PAYLOAD])
            target[0] = result
        elif len(views) == 2:
            self._run(call.op.combine, views[0], views[1], target)
        else:
            self._run(fold, call.op, views, target)
        return True


class KnownCalls:
    """The known calls of one routine. Each of these calls has passed its checks.

    A call is identified by the ids of four objects and by four integers.
    """

    def __init__(self) -> None:
        self._calls: dict[tuple[int, ...], Any] = {}

    def keep(self, prepared: PreparedCall, numbers: tuple[int, int, int, int]) -> None:
        """Keep a call that has passed its checks with these integers."""
        if len(self._calls) >= _MOST_CALLS_KEPT:
            self._calls.clear()
        # Slicing makes a plain tuple, which Python unpacks faster than a named one.
        self._calls[(*map(id, prepared.passed), *numbers)] = prepared[:]

    def forget(self, team: object) -> None:
        """Drop the calls of a team, before the team is closed."""
        for key, fields in list(self._calls.items()):
            if fields[0] is team:
                self._calls.pop(key, None)

    def repeat(
        self,
        target: Any,
        source: Any,
        other: Any,
        further: Any,
        count: Any,
        first: Any,
        second: Any,
        third: Any,
    ) -> bool:
        """Perform the call if it is known and its checks would pass.

        Returns
        -------
        bool
            Whether the call was performed, collectively over the team. If not, nothing was
            published or written.
        """
        try:
            index = operator.index  # 4.0 has the hash of 4, but is no integer
            fields = self._calls.get((
                id(target), id(source), id(other), id(further),
                index(count), index(first), index(second), index(third),
            ))  # fmt: skip
        except Exception:  # noqa: BLE001 - an argument is no integer: the checks report it
            return False
        if fields is None:
            return False
        team, call, to, of, heap, epoch, _, words, initialized, perform = fields
        if heap.epoch != epoch or words != initialized or not target.flags.writeable:
            return False
        if not team.small(ALLREDUCE, to, of, call.op):
            perform()
        return True
