"""Define the types between a team and the layers below it: kernels, channels, and upward calls.

A *kernel* is a module of the type :class:`Kernel`. Through its *channel*, a :class:`NodeChannel`, a
member takes part in the rounds of its node. On several nodes, a second channel from
:mod:`redcoll.internode` uses the first one. Both channels are of the type :class:`Channel`. The
layers below a team call the team through one object, a :class:`TeamHooks`. docs/architecture.md
lists these calls. This module is longer than 400 lines because each type documents its methods, and
both kernels refer to these docstrings.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, ParamSpec, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from redcoll.ops import Op
from redcoll.protocol.call_sites import CallSites
from redcoll.protocol.descriptor import NO_ROOT, Call
from redcoll.protocol.layout import Post, Scratch
from redcoll.protocol.partition import Block, Parts

if TYPE_CHECKING:
    from typing import Protocol
else:
    Protocol = object  # making a class with typing.Protocol takes ten times as long

Array: TypeAlias = NDArray[np.generic]
Buffers: TypeAlias = tuple[list[list[Array]], list[Array]]
Fold: TypeAlias = Callable[[Op, Sequence[Array], Array], None]
About: TypeAlias = Callable[..., tuple[object, int]]
"""Returns the team or communicator of a call, or None, and the bytes of this rank's contribution.
The arguments are those of the call."""
P = ParamSpec("P")
R = TypeVar("R")


class Segments(NamedTuple):
    """The parts of a packed vector of bytes, each with its own operation and element type."""

    rows: list[tuple[Op, np.dtype[Any], int, int]]
    """Operation, element type, first byte, and the byte after the last."""
    table: bytes
    """The rows as words of 64 bits: codes of operation and type, first byte, number of elements."""
    views: dict[int, tuple[Sequence[Array], Array, list[tuple[Op, list[Array], Array]]]]
    """The views that the NumPy kernel keeps, by the id of the list of operands: operands, result,
    and for each segment its operation, operands and result."""


class Pattern(Protocol):
    """The structure of the values of a call: containers, types of numbers, types and shapes."""

    def items(self, values: Any) -> list[Any] | None:
        """Return the items of values of this structure; None if the structure is another one."""


class Results(Protocol):
    """The results of an earlier call: a vector, and arrays that are views of it."""

    def again(self) -> tuple[Array, list[Array]] | None:
        """Return the vector and the arrays; None if the program can still reach them."""


class RunSilently(Protocol):
    """Calls a function of NumPy without floating-point warnings or exceptions."""

    def __call__(self, function: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> R:
        """Return the result of the function for these arguments."""


class Run(Protocol):
    """Calls a loop of the kernel for the operation of one call."""

    def __call__(self, loop: ManyLoop | ScanLoop, operands: Sequence[Array], *rest: object) -> None:
        """Call ``loop(op, operands, *rest)``."""


class ManyLoop(Protocol):
    """Folds elements of several sources into several targets."""

    def __call__(
        self, op: Op, sources: Sequence[Array], targets: Sequence[Array], start: int, stop: int, /
    ) -> None:
        """Fold ``[start, stop)`` of all sources into the same elements of every target."""


class ScanLoop(Protocol):
    """Sets target i to the fold of the sources up to i."""

    def __call__(
        self,
        op: Op,
        sources: Sequence[Array],
        targets: Sequence[Array],
        start: int,
        stop: int,
        is_inclusive: bool,
        /,
    ) -> None:
        """Fold ``[start, stop)``. With ``is_inclusive``, target i includes source i."""


class SmallCall(Protocol):
    """A channel's fast path."""

    def __call__(
        self,
        collective: int,
        target: object,
        source: object,
        op: object,
        root: int = NO_ROOT,
        mark: int = 0,
        /,
    ) -> bool:
        """Perform a small reduction. Or do nothing, publish nothing, and return False."""


class Channel(Protocol):
    """The object through which a member takes part in rounds.

    :class:`redcoll.kernels.base.BaseChannel` documents the methods without a docstring.
    """

    learns_long: bool
    """Whether the kernel implements ``learn_long``, for vectors longer than the eager buffers."""
    records_calls: bool
    """Whether ``small`` itself records its calls for a profile."""
    sequence: int
    """The number of the current round."""
    disputed: int
    """The round that an error message describes: the first round with a difference, or else the
    last round that was compared."""
    members: Sequence[int]
    """The team ranks of the members of the node."""

    def small(
        self,
        collective: int,
        target: Any,
        source: Any,
        op: Any,
        root: int = NO_ROOT,
        mark: int = 0,
    ) -> bool:
        """Perform a small reduction. Or do nothing, publish nothing, and return False."""

    def small_segments(self, call: Call, table: bytes, data: bytes, out: Array | None) -> bool:
        """Reduce packed vectors in one round. Or do nothing, publish nothing, and return False.

        ``table`` has the segments of the vectors, as in :class:`Segments`. ``data`` is the vector
        of this member. ``out`` receives the result; None if this member gets none.
        """

    def long_segment(
        self, call: Call, op_code: int, type_code: int, source: Array, target: Array | None
    ) -> bool:
        """Reduce a packed vector longer than the eager buffers; or return False and do nothing.

        The words of ``call`` are published. All elements have one operation and one type, whose
        codes follow. ``target`` receives the result; None if this member gets none.
        """

    def learn(self, call: Call, *shape: Any) -> None:
        """Learn a shape of small call that has passed its checks."""

    def trust(
        self,
        call: Call,
        target: Array | None,
        source: Array,
        op: Op,
        blocks: Sequence[Block],
        /,
    ) -> None:
        """Learn a small call on arrays that have passed all checks."""

    def views(self, dtype: np.dtype[np.generic], count: int) -> object: ...
    def round(
        self, word: int, count: int = 0, extra: int = 0, source: int = -1, target: int = -1
    ) -> None:
        """Publish a header, wait for the headers of all members, and compare them."""

    def exchange(self, call: Call, source: Array) -> list[Array]:
        """Run one round that carries ``source``; return every member's vector, in order."""

    def share(self, word: int, extra: int, tag: int, data: bytes) -> list[tuple[int, bytes]]: ...
    def decline(self, word: int, text: str) -> None: ...
    def conclude(self, word: int, count: int, extra: int, text: str | None) -> bool: ...
    def posts(self, sequence: int) -> list[Post]: ...
    def said(self) -> tuple[int, int, int]: ...
    def absent(self) -> list[int]: ...
    def where(self, rank: int) -> str: ...
    @property
    def call_sites(self) -> CallSites:
        """The records of the members of the node."""


class NodeChannel(Channel, Protocol):
    """A kernel's channel, through which a member takes part in the rounds of its node."""

    unwaited: bool
    """Whether the caller left the last round without waiting, because it declined or ran ahead."""
    behind: int
    """Number of the current round minus the number of the round for which the caller waits."""
    folders: int

    def note_site(self, sequence: int) -> None:
        """Record the caller's present call site as the site of a round."""

    def publish(
        self, word: int, count: int, extra: int, source: int, target: int, status: int
    ) -> None:
        """Publish a header, which begins a round.  Does not wait for other members."""

    def await_all(self) -> None:
        """Wait until every member has published its header of the current round."""

    def agrees(self, word: int, count: int, extra: int) -> bool:
        """Return whether all members published these words in this round.

        Follows ``await_all``.
        """

    def catch_up(self) -> None:
        """Wait for a round that this member declined, or in which it ran ahead."""

    def locations(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Return the heap offsets of all members' sources and targets in this round."""

    def buffers(self, dtype: np.dtype[np.generic]) -> Buffers: ...
    def put_on_stage(self, side: int, part: Array) -> None: ...
    def in_turn(
        self, call: Call, turns: int, stage: Callable[[int], None], *, is_first_staged: bool = True
    ) -> Iterator[int]: ...
    def stage(self, call: Call, source: Array, chunk: int) -> None: ...
    def staged(self, call: Call, run: Run, source: Array, into: Array | None, at: int) -> None: ...
    def copy_out(self, call: Call, chunk: int, into: Array, at: int, has_own: bool) -> None: ...
    def parts(self, offsets: Sequence[int], itemsize: int) -> Parts | None: ...
    def stage_parts(self, parts: Parts, source: Array, chunk: int) -> None: ...
    def staged_parts(
        self, call: Call, run: Run, parts: Parts, source: Array, out: Array
    ) -> None: ...
    def chunk(self, call: Call, chunk: int) -> tuple[int, int, int, int]: ...
    def own_slice(self, count: int, itemsize: int) -> Block: ...
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
        """Learn a shape of long call that has passed its checks, if ``learns_long`` is True."""


class InternodeChannel(Channel, Protocol):
    """The channel of a team on several nodes."""

    completed: int

    def pieces(
        self, call: Call, source: Array, counts: Sequence[int]
    ) -> Iterator[tuple[int, list[Array]]]: ...
    def pieces_of(self, call: Call, source: Array, root: int) -> Iterator[tuple[int, Array]]: ...


class TeamChannel(NodeChannel, InternodeChannel, Protocol):
    """The channel of a team, as the collectives see it.

    A channel has only the methods of one of the two protocols. On one node it is a ``NodeChannel``,
    on several nodes an ``InternodeChannel``.
    """


class MakeChannel(Protocol):
    """The class of a kernel's channels."""

    def __call__(
        self,
        scratch: Scratch,
        me: int,
        spin: int,
        fence: Callable[[], object] | None,
        hooks: TeamHooks,
    ) -> NodeChannel:
        """Make the channel of the member at place ``me`` of the node."""


class PreparedTeam(Protocol):
    """The team of a prepared call."""

    @property
    def small(self) -> SmallCall: ...


class PreparedHeap(Protocol):
    """The symmetric heap of a prepared call. The compiled kernel also reads ``epoch_word``."""

    @property
    def epoch(self) -> int: ...


class PreparedCall(Protocol):
    """An allreduce with arguments that have passed all checks."""

    @property
    def team(self) -> PreparedTeam: ...
    @property
    def call(self) -> Call: ...
    @property
    def target(self) -> Array:
        """A vector of exactly the elements to write."""

    @property
    def source(self) -> Array:
        """A vector of exactly the elements to reduce."""

    @property
    def heap(self) -> PreparedHeap: ...
    @property
    def epoch(self) -> int:
        """The heap's epoch at the time of the checks. A later epoch invalidates the checks."""

    @property
    def passed(self) -> tuple[object, object, object, object]:
        """The target, the source and two other objects, as the program passed them.

        They are kept alive, so that no other objects get their ids.
        """

    @property
    def words(self) -> memoryview | None:
        """The words of ``pSync``, which the program can change between calls."""

    @property
    def initialized(self) -> memoryview | None:
        """The values that the words of ``pSync`` must have."""

    def perform(self) -> None:
        """Perform the call.  Collective over the team."""


class KnownCalls(Protocol):
    """A store of the calls of one routine whose checks have passed."""

    def keep(self, prepared: PreparedCall, numbers: tuple[int, int, int, int], /) -> None: ...
    def forget(self, team: object, /) -> None: ...
    @property
    def repeat(self) -> Callable[[Any, Any, Any, Any, Any, Any, Any, Any], bool]: ...


class Kernel(Protocol):
    """A kernel: :mod:`redcoll.kernels.numpy` or :mod:`redcoll.kernels.compiled`."""

    NAME: str
    SMALL_BYTES: int
    CHUNK_BYTES: int
    SPIN: int
    POLLS_PER_CLOCK: int
    AHEAD: int

    @property
    def Channel(self) -> MakeChannel: ...  # noqa: N802 - a class
    @property
    def KnownCalls(self) -> Callable[[], KnownCalls]: ...  # noqa: N802 - a class
    @property
    def fold(self) -> Fold: ...
    @property
    def fold_segments(self) -> Callable[[Segments, Sequence[Array], Array], None]: ...
    @property
    def pattern_of(
        self,
    ) -> Callable[[Any, Callable[[object], bool], frozenset[type]], Pattern | None]: ...
    @property
    def copy_arrays(self) -> Callable[[Sequence[Array], Array], bool]: ...
    @property
    def keep_results(self) -> Callable[[Array, list[Array]], Results | None]: ...
    @property
    def fold_to_many(self) -> ManyLoop: ...
    @property
    def scan(self) -> ScanLoop: ...
    @property
    def accumulate(self) -> Callable[[Array, Array], None]: ...
    @property
    def accumulate_products(self) -> Callable[[Array, Array, Array], None]: ...
    @property
    def round_sums(self) -> Callable[[Array, Array], None]: ...
    @property
    def know_heap(self) -> Callable[[int, int, Sequence[int]], None]: ...
    @property
    def know_name(self) -> Callable[[object, np.dtype[np.generic]], None]: ...


class TeamHooks(Protocol):
    """The methods of a team that kernels and :mod:`redcoll.internode` call."""

    @property
    def run_silently(self) -> RunSilently:
        """Calls a function of NumPy without floating-point warnings or exceptions."""

    def start_wait(self, channel: Channel) -> Callable[[], bool]:
        """Begin a slow wait for the members that are absent in ``channel``; return its poll."""

    def raise_mismatch(self, channel: Channel) -> NoReturn:
        """Raise the error that describes what each member published in the disputed round."""
