"""Check that settings are equal on all ranks, when the ranks make a team."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeVar, cast

from redcoll import config
from redcoll.environment import Setting
from redcoll.errors import ConfigError

T = TypeVar("T")


class Told(NamedTuple):
    """The settings that a rank sends to the other ranks."""

    values: Mapping[str, object]
    """Values that must be equal on all ranks, by the name of the setting."""
    wrong: str | None
    """An error message about a wrong setting of the rank; None if all its settings are right."""

    def value(self, row: Setting[T]) -> T:
        """Return the value of a setting."""
        return cast("T", self.values[row.name])


def tell(*rows: Setting[object]) -> Told:
    """Return the settings of this rank."""
    wrong = config.wrong_values()
    if wrong:
        return Told({}, wrong[0])
    return Told({row.name: row.get() for row in rows}, None)


def require(told: Sequence[Told], names: Sequence[str], index: int) -> None:
    """Raise ``ConfigError`` on all ranks if a setting is wrong on a rank or differs between ranks.

    ``told`` has the settings of each rank, and ``names`` has the ranks' names in messages.
    ``index`` is the caller's index in both lists.
    """
    own = told[index].wrong
    if own is not None:
        raise ConfigError(own)
    for name, each in zip(names, told, strict=True):
        if each.wrong is not None:
            raise ConfigError(f"{name}: {each.wrong}")
    for setting in told[0].values:
        values = [each.values[setting] for each in told]
        if len(set(values)) > 1:
            pairs = ", ".join(f"{name}: {value}" for name, value in zip(names, values, strict=True))
            raise ConfigError(f"{setting} must be the same everywhere; found {pairs}")
