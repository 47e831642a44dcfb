"""The collectives: one file each, written on rounds and folds."""

from redcoll.collectives.allreduce import allreduce
from redcoll.collectives.barrier import barrier
from redcoll.collectives.reduce import reduce
from redcoll.collectives.reduce_scatter import reduce_scatter
from redcoll.collectives.scan import exscan, scan

__all__ = ["allreduce", "barrier", "exscan", "reduce", "reduce_scatter", "scan"]
