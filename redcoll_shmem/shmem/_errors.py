"""Define errors for cases in which the exceptions of shmem4py have other base classes."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from redcoll.errors import ArgumentError, DatatypeError, RedcollError, StateError


class CountError(ArgumentError, AssertionError):
    """An array has no room for a number of elements."""


class UnlikeTypesError(DatatypeError, AssertionError):
    """The element types of the arrays of a call differ."""


class UnnamedTypeError(DatatypeError, KeyError):
    """SHMEM has no name for an element type."""

    __str__ = RedcollError.__str__  # a KeyError shows its message as a repr


class FreedError(StateError, KeyError):
    """Memory was freed a second time."""

    __str__ = RedcollError.__str__


class StatusError(ArgumentError, RuntimeError):
    """An argument is wrong, in a case in which shmem4py raises a RuntimeError."""


@contextlib.contextmanager
def by_status() -> Iterator[None]:
    """Convert an ``ArgumentError`` in this context to a :class:`StatusError`."""
    try:
        yield
    except ArgumentError as error:
        raise StatusError(str(error)) from error.__cause__
