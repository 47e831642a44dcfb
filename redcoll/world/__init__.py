"""Start and stop redcoll in a job, and keep the symmetric heap and the teams of active sets."""

from redcoll.world.world import (
    World,
    complete_remote,
    finalize,
    init,
    is_running,
    known_node_team,
    my_pe,
    n_pes,
    revoke_unless_common,
    start,
    team_of_call,
)

__all__ = [
    "World",
    "complete_remote",
    "finalize",
    "init",
    "is_running",
    "known_node_team",
    "my_pe",
    "n_pes",
    "revoke_unless_common",
    "start",
    "team_of_call",
]
