"""Provide mpi4py's own ``MPI``, even after ``redcoll.MPI.install`` has replaced ``mpi4py.MPI``."""

from __future__ import annotations

from mpi4py import MPI

__all__ = ["MPI"]
