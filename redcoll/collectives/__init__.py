"""Implement the collectives, one in each file, by synchronisation rounds and left folds."""

from redcoll.collectives.allreduce import allreduce
from redcoll.collectives.alltoall import alltoall
from redcoll.collectives.barrier import barrier
from redcoll.collectives.broadcast import broadcast
from redcoll.collectives.collect import collect, fcollect
from redcoll.collectives.exact import exact_dot, exact_sum
from redcoll.collectives.many import allreduce_many, reduce_many
from redcoll.collectives.moments import mean, std, var
from redcoll.collectives.reduce import reduce
from redcoll.collectives.reduce_scatter import reduce_scatter
from redcoll.collectives.scan import exscan, scan
from redcoll.collectives.statistics import histogram, logsumexp, minmax, topk

__all__ = [
    "allreduce",
    "allreduce_many",
    "alltoall",
    "barrier",
    "broadcast",
    "collect",
    "exact_dot",
    "exact_sum",
    "exscan",
    "fcollect",
    "histogram",
    "logsumexp",
    "mean",
    "minmax",
    "reduce",
    "reduce_many",
    "reduce_scatter",
    "scan",
    "std",
    "topk",
    "var",
]
