"""Build the docstrings of collective routines."""

from __future__ import annotations

TEAM = "team : shmem_team_t\n    A team that contains the calling PE.\n"

ACTIVE_SET = (
    "PE_start, logPE_stride, PE_size : int\n"
    "    The active set. It starts at PE ``PE_start``, with the stride ``2**logPE_stride``, and\n"
    "    has ``PE_size`` members.\n"
)

NO_ELEMENTS = " With 0 the call ignores the arrays, and they can be None."


def sync_array(size_name: str) -> str:
    """Return the docstring's entry for ``pSync``."""
    return (
        f"pSync : ndarray of long\n    Symmetric array of at least ``{size_name}`` elements. All "
        "elements must be\n    ``SHMEM_SYNC_VALUE``. The call does not change them.\n"
    )


STATUS = "Returns\n-------\nint\n    0.\n\n"

_OTHERS = """StateError
    {gone}
CollectiveMismatchError
    Members passed different {what}. All members raise this error.
"""

SET_ERRORS = (
    "ActiveSetError\n"
    "    The set is malformed or reaches past the last PE, or the calling PE is not in it.\n"
    "ArgumentError\n"
    "    Another argument is wrong. The error can be a ``DatatypeError``, ``SymmetryError`` or\n"
    "    ``OverlapError``. The other members get ``CollectiveMismatchError``.\n"
)
TEAM_ERRORS = (
    "ArgumentError\n"
    "    An argument is wrong, or the team is ``SHMEM_TEAM_INVALID``. The error can be a\n"
    "    ``DatatypeError``, ``SymmetryError`` or ``OverlapError``. The other members get\n"
    "    ``CollectiveMismatchError``.\n"
)


def document(
    summary: str,
    text: str,
    parameters: str,
    *,
    on_team: bool,
    differ: str,
    returns: str = "",
    more_errors: str = "",
    notes: str = "",
) -> str:
    """Return the docstring of a collective routine.

    ``differ`` names the arguments that must not differ between members.
    """
    gone = "The memory of an array has been freed."
    if on_team:
        gone = "The team has been destroyed, or the memory of an array has been freed."
    errors = (TEAM_ERRORS if on_team else SET_ERRORS) + _OTHERS.format(gone=gone, what=differ)
    end = f"\nNotes\n-----\n{notes}.\n" if notes else ""
    return (
        f"{summary}\n\n{text}\n\nParameters\n----------\n{parameters}\n{returns}"
        f"Raises\n------\n{errors}{more_errors}{end}"
    )
