"""Make a team. Its members first agree on settings and sizes, and then each node opens a window.

Construction is collective. It returns a team on all members, or raises on all of them.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import NamedTuple, cast

from redcoll import config, kernels, topology
from redcoll._mpi4py import MPI
from redcoll.comm import gather_objects, least, no_communicator, private_copy, raise_first
from redcoll.errors import ConfigError, HeapError, RedcollError, TeamLimitError
from redcoll.internode.room import total_bytes
from redcoll.kernels.base import BaseChannel
from redcoll.kernels.interface import Kernel
from redcoll.liveness import shutdown
from redcoll.liveness.peers import Peers
from redcoll.liveness.progress import Watch
from redcoll.liveness.wait_graph import Waits
from redcoll.memory import arena
from redcoll.memory.arena import Memory, Place
from redcoll.memory.node_scratch import NodeScratch
from redcoll.memory.shared_window import lacking_descriptors, open_shared
from redcoll.team import settings as team_settings
from redcoll.team import sizes as team_sizes
from redcoll.team.lifecycle import Lifecycle
from redcoll.team.settings import Told
from redcoll.team.sizes import Segment
from redcoll.team.team import Members, Team
from redcoll.topology import Layout, Process


def make_team(
    comm: MPI.Intracomm, pes: Sequence[int], *, is_in_world: bool = True, by_rank: bool = False
) -> Team:
    """Make a team.  Collective over ``comm``, a communicator of the members in their order.

    From here on the team owns ``comm``, and no other code may use it. If this function raises, the
    caller must free ``comm``. ``pes`` is the value of :attr:`Team.pes`. ``is_in_world`` means that
    ``pes`` are numbers of PEs in the job. With ``by_rank``, messages name members by their ranks in
    a communicator.

    Raises
    ------
    TeamLimitError
        One more team would exceed ``REDCOLL_MAX_TEAMS`` on some member; or a member has too few
        communicators or file descriptors left.
    ConfigError
        Members have different settings.
    HeapError
        There is not enough shared memory for the team.
    """
    shutdown.install()
    agreed = _agree(comm, pes, is_in_world=is_in_world, by_rank=by_rank)
    return _on_one_node(agreed) if agreed.layout.is_one_node else _on_several_nodes(agreed)


def team_of_comm(comm: MPI.Intracomm, *, by_rank: bool) -> Team:
    """Make a team of a communicator that the caller still owns; see :meth:`Team.from_comm`."""
    private = private_copy(comm)
    world = MPI.COMM_WORLD.group
    ranks = list(range(comm.Get_size()))
    pes = MPI.Group.Translate_ranks(comm.group, ranks, world)
    known = MPI.UNDEFINED not in pes
    try:
        team = make_team(private, pes if known else ranks, is_in_world=known, by_rank=by_rank)
    except BaseException:
        private.Free()
        raise
    if MPI.COMM_WORLD.Get_rank() == 0:
        config.warn_unknown()
        kernels.warn_slow()
    return team


class _Agreed(NamedTuple):
    """The members of a team, and the results of their agreement before they open windows."""

    comm: MPI.Intracomm
    near: MPI.Intracomm
    """A communicator of the members on the caller's node; ``comm`` if there is only one node."""
    here: Process
    members: Members
    layout: Layout
    settings: Told
    kernel: Kernel

    @property
    def purpose(self) -> str:
        """The name of the team in errors."""
        return f"team of {len(self.members.pes)}"


def _agree(comm: MPI.Intracomm, pes: Sequence[int], *, is_in_world: bool, by_rank: bool) -> _Agreed:
    """Exchange the members' processes, settings and limits.

    Raise an error if the members cannot make a team.
    """
    here = Process.here()
    lacking = lacking_descriptors()
    own = Told({}, None)
    if not lacking:  # reading the settings needs descriptors
        own = _settings(is_in_world=is_in_world)
    told = gather_objects(comm, (here, own, shutdown.registered(), lacking, arena.place()))
    processes = [process for process, *_ in told]
    if is_in_world:
        topology.known_processes.update(zip(pes, processes, strict=True))
    names = topology.names_of(pes, by_rank=by_rank)
    for name, (_, _, _, its_lack, _) in zip(names, told, strict=True):
        if its_lack:
            raise TeamLimitError(f"team of {len(pes)}: on {name} {its_lack}")
    settings: Sequence[Told] = [each for _, each, *_ in told]
    team_settings.require(settings, names, comm.Get_rank())
    limit = config.MAX_TEAMS.get()
    if max(live for _, _, live, *_ in told) >= limit:
        raise TeamLimitError(
            f"a team of {len(pes)} more would make over {limit} teams "
            f"({config.MAX_TEAMS.name}); free some, or raise the limit"
        )
    full_names = topology.on_hosts(names, processes)
    members = Members(tuple(pes), is_in_world, names, full_names, processes)
    layout, near = topology.lay_out(comm)
    if layout.is_one_node:
        near.Free()
        near = comm
        members = members._replace(arenas=_mapped(comm, processes, [place for *_, place in told]))
    kernel = cast("Kernel", kernels.load(own.value(config.KERNEL)))
    return _Agreed(comm, near, here, members, layout, own, kernel)


def _mapped(
    comm: MPI.Intracomm, processes: Sequence[Process], places: Sequence[Place | None]
) -> list[Memory] | None:
    """Return the members' arenas; None if there are none, or if some member cannot map them all."""
    if not any(places):
        return None
    arenas = arena.map_all(processes, places)
    return arenas if least(comm, arenas is not None) else None


def _settings(*, is_in_world: bool) -> Told:
    """Return the settings that must be equal on all members.

    ``is_in_world`` is whether all members are in the caller's ``MPI_COMM_WORLD``.
    """
    if sys.maxsize < 1 << 32:
        # Python would store a 64-bit word in two halves, and another member could read a word of
        # which only one half is new.
        return Told({}, "redcoll needs a 64-bit Python; this one has 32 bits")
    told = team_settings.tell(
        config.SMALL_BYTES,
        config.CHUNK_BYTES,
        config.MAX_TEAMS,
        config.NODE_SIZE,
        config.ORDER,
        config.SUM,
        config.AHEAD,
    )
    wrong = told.wrong or config.SHARED_ARRAYS.problem()
    if wrong is not None:
        return Told({}, wrong)
    try:
        kernel = kernels.choose()
        kernels.load(kernel)  # load it now, so that a failure on one member is reported to all
    except (ConfigError, ImportError, OSError) as error:
        return Told({}, str(error))
    values = {config.KERNEL.name: kernel, **told.values}
    if is_in_world:
        # At the end all ranks of a world send their counts to its rank 0. Only rank 0 uses the name
        # of the file, so the names can differ.
        for row in (config.REPORT, config.PROFILE):
            values[row.name] = "unset" if row.get() is None else "set"
    return Told(values, None)


class _Node(NamedTuple):
    """The scratch memory of the caller's node, with the memory's layout and the wait-for graph."""

    scratch: NodeScratch
    segment: Segment
    waits: Waits
    """The wait-for graph of the team. The members on this node publish their waits in it."""

    def channel(self, agreed: _Agreed, team: Team) -> BaseChannel:
        """Make the caller's channel to the members on its node."""
        window = self.scratch.window
        starts = self.segment.starts(team.size)
        places = self.segment.scratch(window.memory, starts)
        return agreed.kernel.Channel(places, team.index, _spin(agreed), window.fence, team)


def _open_node(agreed: _Agreed, segment: Segment) -> _Node:
    """Open the scratch of each node, or raise on all members."""
    near, members, mates = agreed.near, agreed.members, agreed.layout.members
    purpose = f"scratch of a {agreed.purpose}"
    window = open_shared(agreed.comm, near, segment.bytes, purpose, segment.common_bytes)
    states = [start // 8 for start in segment.starts(len(mates))]
    places = {mate: at + team_sizes.AWAITED for mate, at in zip(mates, states, strict=True)}
    caller = agreed.comm.Get_rank()
    waits = Waits(window.words, places, members.processes, members.full_names, caller)
    return _Node(NodeScratch(near, window, states), segment, waits)


def _spin(agreed: _Agreed) -> int:
    """Return how often the caller polls before it yields."""
    spin = config.SPIN.get()
    if spin is not None:
        return spin
    if not agreed.layout.is_one_node:
        return 0  # waits for other nodes are too long for spinning
    processes = agreed.members.processes
    on_host = [process for process in processes if process.host == agreed.here.host]
    return agreed.kernel.SPIN if len(on_host) <= topology.usable_cores(on_host) else 0


def _on_one_node(agreed: _Agreed) -> Team:
    comm, _, here, members, layout, settings, kernel = agreed
    sizes, _ = team_sizes.agree(settings, kernel, layout, comm, comm)
    node = _open_node(agreed, Segment(sizes))
    peers = Peers(members.processes, members.full_names, here, node.scratch.state_of)
    peers.waits = node.waits
    peers.deadline_of = node.scratch.deadline_of
    life = Lifecycle()
    watch = Watch(peers, node.scratch.progress)
    team = Team(comm, members, layout, kernel, sizes, watch, life)
    team.open(node.channel(agreed, team))
    life.start(team, node.scratch)
    return team


def _on_several_nodes(agreed: _Agreed) -> Team:
    from redcoll.internode.span import Span  # not at the top: one node does not need it

    comm, near, here, members, layout, settings, kernel = agreed
    try:
        sizes, node_sizes = team_sizes.agree(settings, kernel, layout, near, comm)
        wide_bytes = total_bytes(len(layout.nodes), len(members.pes))
        opened = _open_node(agreed, Segment(node_sizes, wide_bytes))
    except BaseException:
        near.Free()
        raise
    life = Lifecycle()
    peers = Peers(members.processes, members.full_names, here, life.state_of)
    peers.waits = opened.waits
    peers.deadline_of = life.deadline_of
    watch = Watch(peers, life.progress, is_one_node=False)
    team = Team(comm, members, layout, kernel, sizes, watch, life)
    node = _node_team(agreed, opened, node_sizes, team)
    span: Span | None = None
    error: RedcollError | None = None
    try:
        span = Span(
            comm,
            layout,
            team.index,
            node.channel,
            opened.scratch,
            opened.segment.wide_start(node.size),
            settings.value(config.ORDER),
            sizes.ahead,
            kernel,
            watch,
            team,
        )
    except MPI.Exception as refusal:
        error = no_communicator(refusal)
    except (NotImplementedError, OSError, MemoryError) as refusal:
        error = HeapError(f"{agreed.purpose}: {refusal}")
    try:
        raise_first(comm, error)
    except RedcollError:
        opened.scratch.free()
        near.Free()
        raise
    assert span is not None  # noqa: S101 - for the type checker
    team.open(span.channel, node, span.rails)
    life.start(team, span)
    return team


def _node_team(agreed: _Agreed, opened: _Node, sizes: team_sizes.Sizes, team: Team) -> Team:
    """Return the team of those members of ``team`` that are on the caller's node."""
    _, near, here, _, layout, _, kernel = agreed
    mates = layout.members
    members = agreed.members.among(mates)
    state_of = opened.scratch.state_of
    wider = team.watch.peers
    peers = Peers(members.processes, members.full_names, here, state_of, (wider, mates))
    # Members of this node can wait for members of other nodes, so the graph has the members of all
    # nodes.
    peers.waits = opened.waits._replace(members=mates)
    peers.deadline_of = opened.scratch.deadline_of
    watch = Watch(peers, team.life.progress)
    own_layout = Layout((tuple(range(len(mates))),), 0)
    node = Team(near, members, own_layout, kernel, sizes, watch, team.life)
    channel = opened.channel(agreed, node)
    channel.folders = layout.owners
    node.open(channel)
    return node
