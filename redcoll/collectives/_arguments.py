"""Check the arguments of calls.

The *shape* of a call is its collective, element type, count, operation and root. redcoll keeps the
results of the checks for each shape. Later calls of the same shape check only the arrays.

A wrong argument raises before the caller publishes or writes anything. ``Team.checking`` reports
the error to the other members, so that they also raise instead of waiting. Only a wrong ``team`` or
``active_set`` raises on the caller alone, because redcoll cannot know the other members.
"""

from __future__ import annotations

import numpy as np

from redcoll import world
from redcoll._mpi4py import MPI
from redcoll.activeset import ActiveSet
from redcoll.arguments import Array, integer, not_writable, plain, shown, two_types
from redcoll.datatypes import FLOAT32, ElementType, element_type
from redcoll.errors import ArgumentError, DatatypeError, OverlapError
from redcoll.internode.room import bytes_each
from redcoll.memory.heap import address_of
from redcoll.op_lookup import OpLike, as_op, known
from redcoll.ops import Op
from redcoll.protocol.descriptor import (
    BARRIER,
    FOLDED,
    NO_ROOT,
    ROOTED,
    Call,
    pack,
    pack_count,
)
from redcoll.team import Team, TeamHandle, TeamLike, comm_state


def team_of(team: TeamLike | None, active_set: ActiveSet | None) -> Team:
    """Return the team that one of these arguments names; by default the team of all ranks."""
    if type(team) is Team and active_set is None:
        return team
    if team is not None:
        if isinstance(team, TeamHandle):
            team = team.core()
        elif isinstance(team, MPI.Intracomm) and team:
            team = comm_state.attach(team).require()
        if not isinstance(team, Team):
            raise ArgumentError(
                f"team is {shown(team)}; it must be a redcoll.Team, the handle of a team, or an "
                "intracommunicator that has not been freed"
            )
        if active_set is not None:
            error = ArgumentError("give team or active_set, not both")
            team.decline(pack(BARRIER), error)  # any code will do: members can be in any call
            raise error
        return team
    if active_set is None:
        return world.start().team
    if not isinstance(active_set, ActiveSet):
        raise ArgumentError(
            f"active_set is {shown(active_set)}; it must be a "
            "redcoll.ActiveSet(start, log_stride, size)"
        )
    return world.start().team_of(active_set)


def prepare(
    team: Team,
    collective: int,
    target: Array | None,
    source: Array,
    op: OpLike,
    root: int = NO_ROOT,
    extra: int = 0,
    target_count: int | None = None,
    *,
    members: int | None = None,
    part: tuple[int, int] | None = None,
    has_target: bool = True,
) -> Call:
    """Check a call's arguments; return the :class:`Call` for its shape.

    Parameters
    ----------
    target
        Receives the result.
    extra
        A number, such as a hash, for all other arguments that must be equal on all members.
    target_count
        Elements that the target must have (default: as many as the source).
    members
        Number of members whose vectors this PE folds (default: all).
    part
        Start and stop of the elements that this PE folds (default: all elements).
    has_target
        Whether this PE gets a result. If not, the call ignores ``target``.
    """
    if part is not None:
        target_count = part[1] - part[0]
    try:  # this is faster than "with team.checking"
        if type(source) is not np.ndarray:
            source = plain(source, "source")
        to = target if has_target else None
        if has_target and type(target) is not np.ndarray:
            to = plain(target, "target")
        if type(root) is not int:
            root = integer(root, "root")
        operation = op if isinstance(op, Op) else known(op)
        key = (collective, operation, source.dtype, source.size, root, extra)
        call = team.calls.get(key)
        if not isinstance(call, Call):
            call = _new_call(team, collective, source, operation, root, extra)
        check_arrays(to, source, target_count)
        channel = team.channel
        is_known = call.is_small and not call.op.may_raise and not call.is_widened
        if is_known and collective in channel.recognizes:
            first, stop = part if part is not None else (0, call.count)
            folded = team.size if members is None else members
            channel.learn(call, collective, root, extra, source, folded, first, stop)
            channel.trust(call, to, source, call.op, live_blocks(to, source))
    except Exception as error:  # noqa: BLE001 - objects of the program can raise any exception
        team.checking(collective).refuse(error)
    return call


def live_blocks(target: Array | None, source: Array) -> list[tuple[int, int]]:
    """Return the start and stop addresses of the heap's blocks that hold these arrays."""
    if not world.is_running():
        return []
    live_addresses = world.start().heap.live_addresses
    blocks = [live_addresses(array) for array in (source, target) if array is not None]
    return [block for block in blocks if block is not None]


def _new_call(
    team: Team, collective: int, source: Array, op: OpLike, root: int, extra: int
) -> Call:
    operation = as_op(op)
    element = operation.element_of(source.dtype)
    if operation.element is not None:
        _check_size(team, element)
    if collective in ROOTED:
        integer(root, "root", 0, team.size - 1)
    is_folded = collective in FOLDED and team.folds_by_nodes and operation.folds_by_nodes(element)
    sizes = team.sizes
    word = pack(collective, operation.code, element.code, root)
    # If each node folds its own vectors first, the results of the nodes are rounded only after they
    # have travelled in the wider type.
    is_widened = is_folded and operation.accumulator(source.dtype) is not None
    if is_widened:
        element = element_type(FLOAT32)
    n_bytes = source.size * element.dtype.itemsize
    # Nodes do not fold copies whose sum is exact, so all members' copies travel.
    is_folded = is_folded and operation.folds_by_nodes(element)
    is_small = n_bytes <= (sizes.fold_bytes if is_folded else sizes.small_bytes)
    extra_word = extra ^ operation.mark << 1
    call = Call(
        word=pack_count(word, source.size, extra_word) if is_small else word,
        count=source.size,
        extra=extra_word,
        op=operation,
        element=element,
        is_small=is_small,
        views=team.channel.views(element.dtype, source.size) if is_small else None,
        is_widened=is_widened,
        is_folded=is_folded,
    )
    key = collective, op, source.dtype, source.size, root, extra
    team.remember(key, call, op if operation.is_user else None)
    return call


def _check_size(team: Team, element: ElementType) -> None:
    """Refuse elements that are longer than the pieces in which long vectors travel."""
    most = team.sizes.chunk_bytes
    if not team.layout.is_one_node:
        most = min(most, bytes_each(team.size))
    if element.dtype.itemsize > most:
        raise DatatypeError(
            f"element type {element.dtype} has {element.dtype.itemsize} bytes; on this team it "
            f"must have at most {most}"
        )


def check_arrays(
    target: Array | None, source: Array, target_count: int | None, *, may_overlap: bool = False
) -> None:
    """Refuse arrays that the call does not take, or that do not fit each other.

    Raise ``ArgumentError``, ``DatatypeError`` or ``OverlapError`` for a wrong type, size, layout or
    memory, and ``StateError`` if an array lies in freed memory of the heap.
    """
    _check_one("source", source)
    if target is None:
        return
    _check_one("target", target)
    wanted = source.size if target_count is None else target_count
    if target.dtype is not source.dtype and target.dtype != source.dtype:
        raise two_types(target, source)
    if target.size != wanted:
        raise ArgumentError(
            f"target has {target.size} elements; with a source of {source.size} "
            f"it must have {wanted}"
        )
    if not target.flags.writeable:
        raise not_writable("target")
    if may_overlap or target is source:
        return
    if target.base is not None or source.base is not None:
        _check_overlap(target, source)


def _check_one(name: str, array: Array) -> None:
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
    """Return a C-contiguous array as a vector on the same memory."""
    if type(array) is not np.ndarray:
        array = np.asarray(array)  # a numpy.matrix would keep its two dimensions
    return array if array.ndim == 1 else array.reshape(-1)
