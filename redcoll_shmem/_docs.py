"""Build the docstrings of routines that are made from tables."""

from __future__ import annotations

ACTIVE_SET = (
    "PE_start, logPE_stride, PE_size : int\n"
    "    The active set. It starts at PE ``PE_start``, with the stride ``2**logPE_stride``, and\n"
    "    has ``PE_size`` members.\n"
)

NO_ELEMENTS = " With 0 the call ignores the arrays, and they can be None."

_OPERANDS = """target : ndarray{of}
    Symmetric array of at least ``nreduce`` elements, of which the first ``nreduce`` receive
    the result. It starts where ``source`` starts (in place), or is disjoint from ``source``.
source : ndarray{of}
    Symmetric array of at least ``nreduce`` elements. The program can change it after the call.
nreduce : int
    Number of elements to reduce.{zero}
"""

_TEAM = "team : shmem_team_t\n    A team that contains the calling PE.\n"
_STATUS = "Returns\n-------\nint\n    0.\n\n"

_SET_ERRORS = """ActiveSetError
    The set is malformed or reaches past the last PE, or the calling PE is not in it.
ArgumentError
    Another argument is wrong. The error can be a ``DatatypeError``, ``SymmetryError`` or
    ``OverlapError``. The other members get ``CollectiveMismatchError``.
StateError
    The memory of an array has been freed.
"""
_TEAM_ERRORS = """ArgumentError
    An argument is wrong, or the team is ``SHMEM_TEAM_INVALID``. The error can be a
    ``DatatypeError``, ``SymmetryError`` or ``OverlapError``. The other members get
    ``CollectiveMismatchError``.
StateError
    The team has been destroyed, or the memory of an array has been freed.
"""
_WAIT_ERRORS = """PeerLostError, CollectiveTimeoutError, TeamBrokenError
    A member has left, has died or is late; or an earlier call broke the team.
"""
_ALL_RAISE = " All members raise this\n    error."
_SOME_RAISE_LATER = (
    f"{_ALL_RAISE} On one node, if the vectors have at most 8 bytes, a member may get a mismatch\n"
    "    with higher members in a later call."
)


def operands(of: str) -> str:
    """Return the entries for the arrays and the count of a reduction."""
    return _OPERANDS.format(of=of, zero=NO_ELEMENTS)


def sync_array(size_name: str, element: str = "long") -> str:
    """Return the entry for ``pSync``."""
    return (
        f"pSync : ndarray of {element}\n    Symmetric array of at least ``{size_name}`` elements. "
        "All elements must be\n    ``SHMEM_SYNC_VALUE``. The call does not change them.\n"
    )


def document(
    summary: str,
    text: str,
    parameters: str,
    *,
    on_team: bool,
    differ: str,
    is_scan: bool = False,
    notes: str = "",
) -> str:
    """Return the docstring of a collective routine on a team or on an active set.

    ``differ`` names the arguments that must not differ between members.
    """
    return (
        f"{summary}\n\n{text}\n\nParameters\n----------\n"
        f"{_TEAM if on_team else ''}{parameters}\n{_STATUS if on_team else ''}"
        f"Raises\n------\n{_TEAM_ERRORS if on_team else _SET_ERRORS}"
        f"CollectiveMismatchError\n    Members passed different {differ}."
        f"{_SOME_RAISE_LATER if is_scan else _ALL_RAISE}\n{_WAIT_ERRORS}{notes}"
    )


def one_sided_errors(more: str = "") -> str:
    """Return the section on the errors of a routine that accesses one PE's memory.

    ``more`` is another reason for an ``ArgumentError``.
    """
    return (
        f"\nRaises\n------\nArgumentError\n    An argument is wrong{more}.\n"
        "    The error can be a ``DatatypeError`` or a ``SymmetryError``.\n"
        "StateError\n    The memory of a symmetric array has been freed.\n"
    )
