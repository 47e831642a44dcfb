"""Call the reduction that a descriptor's code names.

The reductions have different arguments. The function of this module takes the same arguments for
every reduction.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from redcoll.arguments import Array
from redcoll.collectives.allreduce import allreduce
from redcoll.collectives.reduce import reduce
from redcoll.collectives.reduce_scatter import reduce_scatter
from redcoll.collectives.scan import exscan, scan
from redcoll.ops import Op
from redcoll.protocol.descriptor import ALLREDUCE, EXSCAN, REDUCE, REDUCE_SCATTER, SCAN
from redcoll.team import Team

_TO_ALL: dict[int, Callable[..., None]] = {ALLREDUCE: allreduce, SCAN: scan, EXSCAN: exscan}


def reduce_by_code(
    team: Team,
    collective: int,
    target: Any,
    source: Array,
    op: Op,
    root: int,
    counts: Sequence[int] | None = None,
) -> None:
    """Call the reduction that ``collective`` names.  Collective over the team.

    In a reduce, ``target`` can be None on all ranks other than the root. Only a reduce uses
    ``root``, a team rank. Only a reduce_scatter uses ``counts``, the sizes of the ranks' blocks.
    """
    if collective == REDUCE:
        reduce(target, source, op, root, team=team)
    elif collective == REDUCE_SCATTER:
        reduce_scatter(target, source, op, counts, team=team)
    else:
        _TO_ALL[collective](target, source, op, team=team)
