"""Check arguments with uniform messages, and report errors to members that wait in the same call.

An argument can be any object, and its own methods can raise anything. So the checks of a call run
inside :class:`Checking`, which reports every exception to these members.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from types import TracebackType
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from redcoll.errors import ArgumentError, DatatypeError, RedcollError

Array = NDArray[Any]
"""An array of any element type."""

_MOST_SHOWN = 200


def shown(value: object) -> str:
    """Return a short ``repr`` of any object to put into a message."""
    try:
        text = repr(value)
    except Exception:  # noqa: BLE001 - whatever the program's own method raises
        return f"a {type(value).__name__}"
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}..."


def summary(error: BaseException) -> str:
    """Return the class and the text of any exception to put into a message."""
    name = type(error).__name__
    try:
        return f"{name}: {error}"
    except Exception:  # noqa: BLE001 - whatever the program's own method raises
        return name


def integer(value: Any, name: str, least: int | None = None, most: int | None = None) -> int:
    """Return ``value`` as an int, if it is an integer from ``least`` to ``most``.

    Raise ``ArgumentError`` for other values, and if the value's own ``__index__`` raised.
    """
    try:
        # Use a plain int, because a subclass could have comparisons of its own.
        number = int.__index__(operator.index(value))
    except TypeError:
        raise not_integer(value, name) from None
    except Exception as error:
        why = f", whose __index__ raised {type(error).__name__}"
        raise not_integer(value, name, why) from error
    if (least is not None and number < least) or (most is not None and number > most):
        if most is None:
            bounds = f"at least {least}"
        else:
            bounds = f"at most {most}" if least is None else f"from {least} to {most}"
        raise ArgumentError(f"{name} is {number}; it must be {bounds}")
    return number


def not_integer(value: object, name: str, why: str = "") -> ArgumentError:
    """Return the error for an argument that is not an integer."""
    return ArgumentError(f"{name} is {shown(value)}{why}; it must be an integer")


def flag(value: Any, name: str) -> bool:
    """Return whether ``value`` counts as true.

    Raise ``ArgumentError`` if the value's own ``__bool__`` or ``__len__`` raised.
    """
    try:
        return bool(value)
    except Exception as error:
        raise ArgumentError(
            f"{name} is {shown(value)}; it must be true or false ({type(error).__name__})"
        ) from error


def plain(array: Any, name: str) -> Array:
    """Return an array of NumPy's own class on the same memory.

    Use this array instead of ``array``, because methods of a subclass can return anything or raise.
    Raise ``DatatypeError`` if ``array`` is a masked array or no array.
    """
    kind = type(array)
    if kind is np.ndarray:
        return array  # type: ignore[no-any-return]
    if not issubclass(kind, np.ndarray) or issubclass(kind, np.ma.MaskedArray):
        raise not_array(array, name, " (and not masked)")
    return np.asarray(array)


# The next functions only make errors. Callers test the conditions themselves, so that a call
# without errors makes no extra function calls.


def not_array(value: object, name: str, more: str = "") -> DatatypeError:
    """Return the error for an argument that is not an array."""
    kind = "None" if value is None else f"a {type(value).__name__}"
    return DatatypeError(f"{name} is {kind}; it must be a numpy.ndarray{more}")


def not_writable(name: str) -> ArgumentError:
    """Return the error for a read-only array to which a call must write."""
    return ArgumentError(f"{name} is read-only; it must be writable")


def no_elements(name: str) -> ArgumentError:
    """Return the error for an empty array in a call that uses its first element."""
    return ArgumentError(f"{name} has no elements; it must have at least one")


def two_types(target: Array, source: Array) -> DatatypeError:
    """Return the error for two arrays whose element types differ."""
    return DatatypeError(
        f"target is of {target.dtype}, source of {source.dtype}; they must be of one type"
    )


def require_itemsize(array: Array, size: int, name: str) -> None:
    """Raise ``DatatypeError`` unless the elements of an array have ``size`` bytes, or one byte."""
    if array.itemsize not in (1, size):
        raise DatatypeError(
            f"{name} is of {array.dtype}, {array.itemsize} bytes an element; this routine takes "
            f"elements of {size} bytes, or a view of plain bytes"
        )


def named(call: str, error: Exception) -> Exception:
    """Put the call's name in front of an error of redcoll; return other errors unchanged."""
    return type(error)(f"{call}: {error}") if isinstance(error, RedcollError) else error


class Checking:
    """A context for a call's checks, before the call publishes a header.

    Every exception in the context goes to :meth:`refuse`. Messages begin with the name of the call.
    ``decline`` reports an error to the other members, without waiting.
    """

    __slots__ = ("_call", "_decline")

    def __init__(self, call: str, decline: Callable[[Exception], object]) -> None:
        self._call = call
        self._decline = decline

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, kind: object, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if isinstance(error, Exception):
            self.refuse(error)

    def refuse(self, error: Exception) -> NoReturn:
        """Report an error to the other members, then raise the error with the call's name."""
        wrong = named(self._call, error)
        self._decline(wrong)
        raise wrong from error.__cause__
