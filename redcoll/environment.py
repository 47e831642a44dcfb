"""Read settings from environment variables: the parsers, and the class of a setting.

:mod:`redcoll.config` and the modules ``_settings`` of the APIs define the settings.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from typing import Any, Generic, TypeVar

from redcoll.errors import ConfigError

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

KNOWN: dict[str, Setting[Any]] = {}
"""All settings by name. A setting is added when it is made."""
_SUFFIXES = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}


def parse_bytes(text: str) -> int:
    """Return the bytes of a size such as ``4096``, ``64k``, ``1.5m`` or ``2g`` (powers of 1024)."""
    body = text.strip().lower()
    suffix = body[-1:] if body[-1:] in _SUFFIXES else ""
    number = float(body.removesuffix(suffix))
    if not 0 <= number < 1 << 62:
        raise ValueError
    return int(number * _SUFFIXES[suffix])


def parse_symmetric_size(text: str) -> int:
    """Return the bytes of a size as :func:`parse_bytes` does. Ignore characters after the suffix.

    By the rules of OpenSHMEM 1.5, ``SHMEM_SYMMETRIC_SIZE=64MB`` is 64 MiB.
    """
    return parse_bytes(re.sub("([kmgt]).*", r"\1", text.strip().lower()))


def format_bytes(n_bytes: int) -> str:
    """Return a size as text for :func:`parse_bytes`, with the largest suffix that is exact."""
    suffix = max(
        (letter for letter, unit in _SUFFIXES.items() if n_bytes and n_bytes % unit == 0),
        key=_SUFFIXES.__getitem__,
        default="",
    )
    return f"{n_bytes // _SUFFIXES[suffix]}{suffix}"


def checked(parse: Callable[[str], T], is_right: Callable[[T], bool]) -> Callable[[str], T]:
    """Return a parser that accepts only values for which ``is_right`` is true."""

    def parse_right(text: str) -> T:
        value = parse(text)
        if not is_right(value):
            raise ValueError
        return value

    return parse_right


def at_least(least: int, parse: Callable[[str], int] = int) -> Callable[[str], int]:
    """Return a parser of whole numbers, or of sizes, that are at least ``least``."""
    return checked(parse, lambda number: number >= least)


def flag(text: str) -> bool:
    """Parse 0 or 1, or a word such as ``yes`` or ``off``."""
    words = {"1": True, "yes": True, "true": True, "on": True}
    words |= {"0": False, "no": False, "false": False, "off": False}
    return words[text.strip().lower()]


def one_of(*names: str) -> Callable[[str], str]:
    """Return a parser that accepts only these words, in upper or lower case."""
    return checked(lambda text: text.strip().lower(), names.__contains__)


class Setting(Generic[T_co]):
    """A setting: an environment variable with its parser, default and meaning.

    Parameters
    ----------
    takes
        A description of valid values, which follows "it takes" in messages and tables.
    aliases
        Other names of the variable, which are read if ``name`` is not set.
    """

    def __init__(
        self,
        name: str,
        parse: Callable[[str], T_co],
        default: T_co,
        takes: str,
        meaning: str,
        aliases: tuple[str, ...] = (),
    ) -> None:
        self.name = name
        self.parse = parse
        self.default = default
        self.takes = takes
        self.meaning = meaning
        self.aliases = aliases
        KNOWN[name] = self

    @property
    def variable(self) -> str:
        """The name of the variable to read. It is an alias if only the alias is set."""
        names = (self.name, *self.aliases)
        return next((name for name in names if os.environ.get(name, "").strip()), self.name)

    def get(self) -> T_co:
        """Return the current value. An empty variable counts as unset.

        Raises
        ------
        ConfigError
            The value of the variable is not valid.
        """
        variable = self.variable
        text = os.environ.get(variable, "")
        if not text.strip():
            return self.default
        try:
            return self.parse(text)
        except (ValueError, KeyError, OverflowError):
            raise ConfigError(f"{variable}={text!r}: it takes {self.takes}") from None

    def is_set(self) -> bool:
        """Return whether the environment gives a value."""
        return bool(os.environ.get(self.variable, "").strip())

    def problem(self) -> str | None:
        """Return why the value in the environment is wrong; None if it is right."""
        try:
            self.get()
        except ConfigError as error:
            return str(error)
        return None

    def show(self, value: object) -> str:
        """Return a value as text for tables."""
        if value is None:
            return "unset"
        if isinstance(value, bool):
            return str(int(value))
        if isinstance(value, int) and self.takes.startswith("bytes"):
            return format_bytes(value)
        return f"{value:g}" if isinstance(value, float) else str(value)
