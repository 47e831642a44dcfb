"""Integer arguments of the calls."""

from __future__ import annotations

from typing import Any

from redcoll.arguments import integer as any_integer


def integer(name: str, value: Any) -> int:
    """An argument as one of Python's integers, which does not wrap as NumPy's do.

    Parameters
    ----------
    name
        What the caller's argument is called.
    value
        An integer of any kind.

    Raises
    ------
    ArgumentError
        It is something else.
    """
    return any_integer(value, name)
