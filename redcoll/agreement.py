"""Settings that PEs must have alike, compared when they meet."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import Any, NamedTuple

from redcoll import config
from redcoll._mpi4py import MPI
from redcoll.errors import ConfigError, RedcollError


class Told(NamedTuple):
    """What one PE tells the others of its settings."""

    values: dict[str, Any]
    """By name: what must be the same on all PEs."""
    wrong: str | None
    """What is wrong with one of its settings; None if nothing is."""


def tell(*rows: config.Setting[Any]) -> Told:
    """What this PE has to tell."""
    wrong = config.wrong_values()
    if wrong:
        return Told({}, wrong[0])
    return Told({row.name: row.get() for row in rows}, None)


def least(comm: MPI.Intracomm, value: int) -> int:
    """The least of the processes' values.  Collective over ``comm``."""
    # mpi4py's allreduce of objects would first duplicate the communicator, and wait for the others
    # with Python's lock held, so that a thread that these wait for cannot come.
    found = array("q", (value,))
    comm.Allreduce(MPI.IN_PLACE, [found, MPI.INT64_T], MPI.MIN)
    return found[0]


def raise_first(comm: MPI.Intracomm, error: RedcollError | None) -> None:
    """Raise on all processes where a step has failed on one.  Collective over ``comm``.

    Parameters
    ----------
    error
        Why the step has failed on this process; None where it has not. The first process's is
        raised.
    """
    if not least(comm, error is None):
        raise next(each for each in comm.allgather(error) if each is not None)


def require(told: Sequence[Told], pes: Sequence[int], index: int) -> None:
    """Raise on all PEs alike where settings are wrong or differ.

    Parameters
    ----------
    told
        What each PE told.
    pes
        What each is called.
    index
        Which of them calls.

    Raises
    ------
    ConfigError
        A setting is wrong on one of the PEs, or not the same on all.
    """
    own = told[index].wrong
    if own is not None:
        raise ConfigError(own)
    for pe, each in zip(pes, told, strict=True):
        if each.wrong is not None:
            raise ConfigError(f"PE {pe}: {each.wrong}")
    for name in told[0].values:
        values = [each.values[name] for each in told]
        if len(set(values)) > 1:
            pairs = ", ".join(f"PE {pe}: {value}" for pe, value in zip(pes, values, strict=True))
            raise ConfigError(f"{name} must be the same on all PEs; found {pairs}")
