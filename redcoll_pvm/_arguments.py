"""Integer arguments of the calls."""

from __future__ import annotations

import operator
from typing import Any

from redcoll.errors import ArgumentError


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
    try:
        return operator.index(value)
    except TypeError:
        raise ArgumentError(f"{name} is {value!r}; it must be an integer") from None
