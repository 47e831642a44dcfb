"""Define errors that also have the base classes of shmem4py's exceptions."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from redcoll.errors import ArgumentError, DatatypeError, RedcollError, StateError


class CountError(ArgumentError, AssertionError):
    """The length of an array does not fit the number of elements in a call."""


class UnlikeTypesError(DatatypeError, AssertionError):
    """The element types of the arrays of a call differ."""


class UnnamedTypeError(DatatypeError, KeyError):
    """SHMEM has no name for an element type."""

    __str__ = RedcollError.__str__  # a KeyError shows its message as a repr


class FreedError(StateError, KeyError):
    """Memory was freed a second time."""

    __str__ = RedcollError.__str__


class StatusError(ArgumentError, RuntimeError):
    """An argument is wrong. shmem4py raises a ``RuntimeError`` for the same mistake."""


@contextlib.contextmanager
def by_status() -> Iterator[None]:
    """Convert an ``ArgumentError`` in the ``with`` block to a :class:`StatusError`."""
    try:
        yield
    except ArgumentError as error:
        raise StatusError(str(error)) from error.__cause__
