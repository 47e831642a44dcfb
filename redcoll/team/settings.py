"""Settings that PEs must have alike, compared when they meet."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from redcoll import config
from redcoll.errors import ConfigError


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
