"""mpi4py's own ``MPI``, even after ``redcoll.MPI.install`` has replaced it."""

from __future__ import annotations

from mpi4py import MPI

__all__ = ["MPI"]
