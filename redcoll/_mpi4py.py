"""mpi4py's own ``MPI``, also where ``redcoll.MPI.install`` has put redcoll's in its place."""

from __future__ import annotations

from mpi4py import MPI

__all__ = ["MPI"]
