"""Provide mpi4py's own ``MPI``, even after ``redcoll.MPI.install`` has replaced the name."""

from __future__ import annotations

from mpi4py import MPI

__all__ = ["MPI"]
