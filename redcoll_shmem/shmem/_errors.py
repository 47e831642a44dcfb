"""Errors that shmem4py spells as built-in exceptions of other kinds than redcoll's."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from redcoll.errors import ArgumentError, DatatypeError, RedcollError, StateError


class CountError(ArgumentError, AssertionError):
    """A count for which an array has no room."""


class UnlikeTypesError(DatatypeError, AssertionError):
    """Arrays of one call whose element types differ."""


class UnnamedTypeError(DatatypeError, KeyError):
    """An element type for which SHMEM has no name."""

    __str__ = RedcollError.__str__  # a KeyError shows its message as a repr


class FreedError(StateError, KeyError):
    """Memory that is freed a second time."""

    __str__ = RedcollError.__str__


class StatusError(ArgumentError, RuntimeError):
    """A wrong argument that C reports by its status, for which shmem4py has RuntimeError."""


@contextlib.contextmanager
def by_status() -> Iterator[None]:
    """Turn an ``ArgumentError`` that arises in this context into a :class:`StatusError`."""
    try:
        yield
    except ArgumentError as error:
        raise StatusError(str(error)) from error.__cause__
