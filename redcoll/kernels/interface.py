"""Define the types between a team and the layers below it: kernels, channels, and upward calls.

A *kernel* is a module of the type :class:`Kernel`. A member takes part in the rounds of its node
through a *channel* of the kernel, a ``BaseChannel``. If the team is on several nodes, a second
channel from :mod:`redcoll.internode` uses the node's channel. Both channels are of the type
:class:`Channel`. The layers below a team call the team through one object, a :class:`TeamHooks`.
docs/architecture.md lists these calls.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple, NoReturn, ParamSpec, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from redcoll.ops import Op
from redcoll.protocol.call_sites import CallSites
from redcoll.protocol.descriptor import NO_ROOT, Call
from redcoll.protocol.layout import Post, Scratch
from redcoll.protocol.partition import Block

if TYPE_CHECKING:
    from typing import Protocol

    from redcoll.kernels.base import BaseChannel
else:
    Protocol = object  # making a class with typing.Protocol takes ten times as long

Array: TypeAlias = NDArray[np.generic]
Buffers: TypeAlias = tuple[list[list[Array]], list[Array]]
Fold: TypeAlias = Callable[[Op, Sequence[Array], Array], None]
About: TypeAlias = Callable[..., tuple[object, int]]
"""A function that takes the arguments of a call. It returns the team or communicator of the call
(None if unknown), and the number of bytes that this rank contributes."""
P = ParamSpec("P")
R = TypeVar("R")
ManyLoop: TypeAlias = Callable[[Op, Sequence[Array], Sequence[Array], int, int], None]
"""Folds elements ``[start, stop)`` of several sources into the same elements of several targets."""
ScanLoop: TypeAlias = Callable[[Op, Sequence[Array], Sequence[Array], int, int, bool], None]
"""Sets elements ``[start, stop)`` of target i to the fold of the sources before source i. If the
last argument is True, target i includes source i."""
Run: TypeAlias = Callable[..., None]
"""``run(loop, operands, *rest)`` calls ``loop(op, operands, *rest)`` with the operation."""
SmallCall: TypeAlias = Callable[..., bool]
"""The method ``small`` of a :class:`Channel`."""
Fence: TypeAlias = Callable[[], object] | None
"""A function that orders stores and loads; None if the processor orders them."""


class Segments(NamedTuple):
    """The parts of a packed vector of bytes, each with its own operation and element type."""

    rows: list[tuple[Op, np.dtype[np.generic], int, int]]
    """For each segment its operation, element type, start and stop. Start and stop are in bytes."""
    table: bytes
    """For each segment four 64-bit words: operation code, type code, first byte, number of
    elements."""
    views: dict[int, tuple[Sequence[Array], Array, list[tuple[Op, list[Array], Array]]]]
    """The views that the NumPy kernel keeps. The key is the id of the list of operands. The value
    has the operands, the result, and a list. For each segment, the list has the operation, the
    views of the operands, and the view of the result."""


class Pattern(Protocol):
    """The structure of the values of a call: containers, types, and shapes of arrays."""

    def items(self, values: object) -> list[object] | None:
        """Return the items in ``values``; None if the values have another structure."""


class Results(Protocol):
    """The results of an earlier call: a vector, and arrays that are views of it."""

    def again(self) -> tuple[Array, list[Array]] | None:
        """Return the vector and the arrays; None if the program can still reach them."""


class RunSilently(Protocol):
    """Calls a function of NumPy without floating-point warnings or exceptions."""

    def __call__(self, function: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> R:
        """Return the result of the function for these arguments."""


class Channel(Protocol):
    """The object through which a member takes part in rounds.

    :class:`redcoll.kernels.base.BaseChannel` documents the methods that have no docstring here.
    """

    recognizes: frozenset[int]
    """The collectives whose repeated small calls ``small`` recognises."""
    learns_long: bool
    """Whether the kernel implements ``learn_long``, for vectors longer than the eager buffers."""
    records_calls: bool
    """Whether ``small`` itself records its calls for a profile."""
    sequence: int
    """The number of the current round."""
    disputed: int
    """The number of the round that an error message describes. It is the first round in which
    headers differ, or else the last round whose headers were compared."""
    members: Sequence[int]
    """The team ranks of the members of the node."""

    def small(
        self,
        collective: int,
        target: object,
        source: object,
        op: object,
        root: int = NO_ROOT,
        mark: int = 0,
    ) -> bool:
        """Perform a small reduction and return True; or publish nothing and return False."""

    def small_segments(self, call: Call, table: bytes, data: bytes, out: Array | None) -> bool:
        """Reduce packed vectors in one round and return True; or publish nothing and return False.

        ``table`` has the segments of the vectors, as in :class:`Segments`. ``data`` is the vector
        of this member. ``out`` receives the result; None if this member gets none.
        """

    def long_segment(
        self, call: Call, op_code: int, type_code: int, source: Array, target: Array | None
    ) -> bool:
        """Reduce a packed vector longer than the eager buffers; or return False and do nothing.

        Members publish the words of ``call`` in their headers. All elements have the operation with
        the code ``op_code`` and the type with the code ``type_code``. ``target`` receives the
        result; None if this member gets none.
        """

    def learn(
        self,
        call: Call,
        collective: int,
        root: int,
        mark: int,
        source: Array,
        members: int,
        first: int,
        last: int,
    ) -> None:
        """Remember the shape of a small call, whose arguments have passed their checks."""

    def trust(
        self,
        call: Call,
        target: Array | None,
        source: Array,
        op: Op,
        blocks: Sequence[Block],
        /,
    ) -> None:
        """Remember the arrays of a small call, which have passed all checks."""

    def views(self, dtype: np.dtype[np.generic], count: int) -> object: ...
    def round(
        self, word: int, count: int = 0, extra: int = 0, source: int = -1, target: int = -1
    ) -> None:
        """Publish a header, wait for the headers of all members, and compare them."""

    def exchange(self, call: Call, source: Array) -> list[Array]:
        """Publish ``source`` in one round; return the vectors of all members, in order."""

    def share(self, word: int, extra: int, tag: int, data: bytes) -> list[tuple[int, bytes]]: ...
    def decline(self, word: int, text: str) -> None: ...
    def conclude(self, word: int, count: int, extra: int, text: str | None) -> bool: ...
    def posts(self, sequence: int) -> list[Post]: ...
    def said(self) -> tuple[int, int, int]: ...
    def absent(self) -> list[int]: ...
    def where(self, rank: int) -> str: ...
    @property
    def call_sites(self) -> CallSites:
        """The call sites that the members of the node have recorded."""


class NodeChannel(Channel, Protocol):
    """The methods of :class:`redcoll.kernels.base.BaseChannel` that each kernel implements."""

    unwaited: bool
    """Whether the caller left the last round without waiting, because it declined or ran ahead."""
    behind: int
    """Number of the current round minus the number of the round for which the caller waits."""

    def note_site(self, sequence: int) -> None:
        """Record the caller's present call site as the site of a round."""

    def publish(
        self, word: int, count: int, extra: int, source: int, target: int, status: int
    ) -> None:
        """Publish a header, which begins a round, without waiting for other members."""

    def await_all(self) -> None:
        """Wait until every member has published its header of the current round."""

    def agrees(self, word: int, count: int, extra: int) -> bool:
        """Return whether all members published these words in this round.

        Call ``await_all`` first.
        """

    def catch_up(self) -> None:
        """Wait for a round that this member declined, or in which it ran ahead."""

    def locations(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Return the heap offsets of all members' sources and targets in this round."""

    def learn_long(
        self,
        call: Call,
        collective: int,
        root: int,
        mark: int,
        source: Array,
        first: int,
        last: int,
        heaps: Sequence[int] | None,
        arenas: Sequence[int] | None,
        blocks: Sequence[Block],
        offsets: Sequence[int] | None,
    ) -> None:
        """Remember the shape of a checked long call, if ``learns_long`` is True."""


class InternodeChannel(Channel, Protocol):
    """The channel of a team on several nodes."""

    completed: int

    def pieces(
        self, call: Call, source: Array, counts: Sequence[int]
    ) -> Iterator[tuple[int, list[Array]]]: ...
    def pieces_of(self, call: Call, source: Array, root: int) -> Iterator[tuple[int, Array]]: ...


class PreparedTeam(Protocol):
    """The team of a prepared call."""

    small: SmallCall


class PreparedHeap(Protocol):
    """The symmetric heap of a prepared call.

    The compiled kernel also reads the attribute ``epoch_word``.
    """

    epoch: int


class PreparedCall(NamedTuple):
    """An allreduce whose arguments have passed all checks."""

    team: PreparedTeam
    call: Call
    target: Array
    """A vector of exactly the elements to write."""
    source: Array
    """A vector of exactly the elements to reduce."""
    heap: PreparedHeap
    epoch: int
    """The heap's epoch at the time of the checks. A later epoch invalidates the checks."""
    passed: tuple[object, object, object, object]
    """The target, the source and two other objects, as the program passed them. The call keeps
    these objects alive, so that no other objects get their ids."""
    words: memoryview | None
    """The words of ``pSync``, which the program can change between calls."""
    initialized: memoryview | None
    """The values that the words of ``pSync`` must have."""
    perform: Callable[[], None]
    """Performs the call, which is collective over the team."""


class KnownCalls(Protocol):
    """The known calls of one routine. Each of these calls has passed its checks."""

    def keep(self, prepared: PreparedCall, numbers: tuple[int, int, int, int], /) -> None: ...
    def forget(self, team: object, /) -> None: ...

    repeat: Callable[[object, object, object, object, object, object, object, object], bool]


class Kernel(Protocol):
    """A kernel: :mod:`redcoll.kernels.numpy` or :mod:`redcoll.kernels.compiled`."""

    NAME: str
    SMALL_BYTES: int
    CHUNK_BYTES: int
    SPIN: int
    POLLS_PER_CLOCK: int
    AHEAD: int
    Channel: Callable[[Scratch, int, int, Fence, TeamHooks], BaseChannel]
    CompiledCalls: Callable[..., object] | None
    CompiledExchange: Callable[..., object] | None
    MPIFunctions: Callable[..., object] | None
    KnownCalls: Callable[[], KnownCalls]
    fold: Fold
    fold_segments: Callable[[Segments, Sequence[Array], Array], None]
    pattern_of: Callable[[object, Callable[[object], bool], frozenset[type]], Pattern | None]
    copy_arrays: Callable[[Sequence[Array], Array], bool]
    keep_results: Callable[[Array, list[Array]], Results | None]
    fold_to_many: ManyLoop
    scan: ScanLoop
    accumulate: Callable[[Array, Array], None]
    accumulate_products: Callable[[Array, Array, Array], None]
    round_sums: Callable[[Array, Array], None]
    know_heap: Callable[[int, int, Sequence[int]], None]
    know_name: Callable[[object, np.dtype[np.generic]], None]


class TeamHooks(Protocol):
    """The methods of a team that kernels and :mod:`redcoll.internode` call."""

    run_silently: RunSilently

    def start_wait(self, channel: Channel) -> Callable[[], bool]:
        """Begin to wait for the members absent in ``channel``; return a function that polls."""

    def raise_mismatch(self, channel: Channel, *, is_common: bool = True) -> NoReturn:
        """Raise the error that describes what each member published in the disputed round.

        If the error is not common, the team cannot go on.
        """
