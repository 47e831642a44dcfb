"""Implement the NumPy kernel. It supports all types and operations and needs no compiler."""

from __future__ import annotations

from typing import Final

from redcoll.kernels._python.fastpath import Channel, KnownCalls, know_heap, know_name
from redcoll.kernels._python.folds import Rows, fold, fold_segments, fold_to_many, scan
from redcoll.kernels._python.handover import await_change, collect, compare_swap, fold_at, hand_over
from redcoll.kernels.thresholds import NUMPY
from redcoll.superaccumulator import accumulate, accumulate_products, round_sums

__all__ = ["Channel", "CompiledCalls", "CompiledExchange", "KnownCalls", "MPIFunctions", "Rows",
           "accumulate", "accumulate_products", "await_change", "collect", "compare_swap",
           "copy_arrays", "fold", "fold_at", "fold_segments", "fold_to_many", "hand_over",
           "keep_results", "know_heap", "know_name", "pattern_of", "round_sums",
           "scan"]  # fmt: skip

NAME: Final = "numpy"
SMALL_BYTES, CHUNK_BYTES, SPIN, POLLS_PER_CLOCK, AHEAD = NUMPY


CompiledCalls: Final = None
CompiledExchange: Final = None
MPIFunctions: Final = None
"""Without these classes Python runs the rounds between nodes."""


def pattern_of(*_: object) -> None:
    """Return None, so that the caller itself makes a key for the structure of the values."""


def copy_arrays(*_: object) -> bool:
    """Return False, so that NumPy copies the arrays."""
    return False


def keep_results(*_: object) -> None:
    """Return None: only the compiled kernel keeps results."""
