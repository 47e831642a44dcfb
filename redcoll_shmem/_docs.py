"""Build the docstrings of collective routines."""

from __future__ import annotations

TEAM = "team : shmem_team_t\n    A team that the calling PE is in.\n"

ACTIVE_SET = (
    "PE_start, logPE_stride, PE_size : int\n"
    "    The active set: ``PE_size`` PEs from ``PE_start`` on, with step ``2**logPE_stride``.\n"
)

NO_ELEMENTS = " With 0 the call ignores the arrays, and they can be None."


def sync_array(size_name: str) -> str:
    """Return the docstring's entry for ``pSync``."""
    return (
        f"pSync : ndarray of long\n    Symmetric array of at least ``{size_name}`` elements. All "
        "of them must be\n    ``SHMEM_SYNC_VALUE``, and the call does not write them.\n"
    )


STATUS = "Returns\n-------\nint\n    0.\n\n"

_OTHERS = """StateError
    {gone}
CollectiveMismatchError
    Members passed different {what}. All members raise it.
"""

SET_ERRORS = (
    "ActiveSetError\n"
    "    The set is malformed or reaches past the last PE, or the calling PE is not in it.\n"
    "ArgumentError\n"
    "    Another argument is wrong (also ``DatatypeError``, ``SymmetryError``, "
    "``OverlapError``).\n"
    "    The other members get ``CollectiveMismatchError``.\n"
)
TEAM_ERRORS = (
    "ArgumentError\n"
    "    An argument is wrong (also ``DatatypeError``, ``SymmetryError``, ``OverlapError``), or\n"
    "    the team is ``SHMEM_TEAM_INVALID``. The other members get ``CollectiveMismatchError``.\n"
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

    Parameters
    ----------
    differ
        The arguments that must not differ between members.
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
