"""Turn redcoll's errors into exceptions of mpi4py, which ``except MPI.Exception`` catches.

Each class here derives from the class of the same name in :mod:`redcoll.errors` and from
``mpi4py.MPI.Exception``.
"""

from __future__ import annotations

import functools
from typing import Any

from mpi4py import MPI as mpi

from redcoll import errors


class _WithText(mpi.Exception):
    """An exception of mpi4py with one of MPI's error classes and a text of redcoll."""

    _error_class = mpi.ERR_OTHER

    def __init__(self, *texts: Any) -> None:
        RuntimeError.__init__(self, *texts)

    def __int__(self) -> int:
        return self._error_class

    def __str__(self) -> str:
        return BaseException.__str__(self)

    def __repr__(self) -> str:
        return BaseException.__repr__(self)

    # Let programs compare the exception with MPI's error classes, which are integers.
    def __eq__(self, other: object) -> bool:
        return self._error_class == other if isinstance(other, int) else self is other

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(self._error_class)

    def Get_error_string(self) -> str:
        """Return the text."""
        return str(self)

    @property
    def error_string(self) -> str:
        """The text."""
        return str(self)


_CODES: tuple[tuple[type[errors.RedcollError], int], ...] = (
    (errors.OpError, mpi.ERR_OP),
    (errors.DatatypeError, mpi.ERR_TYPE),
    (errors.OverlapError, mpi.ERR_BUFFER),
    (errors.ArgumentError, mpi.ERR_ARG),
    (errors.HeapError, mpi.ERR_NO_MEM),
    (errors.CollectiveMismatchError, mpi.ERR_ARG),
    (errors.RemoteOpError, mpi.ERR_OP),
    (errors.PeerLostError, mpi.ERR_PROC_FAILED),
    (errors.TeamBrokenError, mpi.ERR_REVOKED),
    (errors.RedcollError, mpi.ERR_OTHER),
)
"""MPI's error class for each exception. The first row with a base class of the exception counts."""


@functools.cache
def _with_text(kind: type[errors.RedcollError]) -> type[errors.RedcollError]:
    code = next(code for base, code in _CODES if issubclass(kind, base))
    names = {"_error_class": code, "__doc__": kind.__doc__, "__module__": __name__}
    return type(kind.__name__, (kind, _WithText), names)


def __getattr__(name: str) -> type[errors.RedcollError]:
    # Pickle looks for the classes in this module.
    kind = getattr(errors, name, None)
    if not _is_ours(kind):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return _with_text(kind)


def _is_ours(kind: Any) -> bool:
    """Return whether this is a class of :mod:`redcoll.errors`."""
    return (
        isinstance(kind, type)
        and issubclass(kind, errors.RedcollError)
        and (kind.__module__ == errors.__name__)
    )


def add_mpi4pys(error: BaseException) -> None:
    """Turn an error of redcoll into an error that is also an exception of mpi4py.

    The error remains the same object. It keeps its traceback, its cause, and its mark as an error
    that all ranks raise (``Team.common``).
    """
    kind: Any = type(error)
    if _is_ours(kind):
        error.__class__ = _with_text(kind)


def argument_error(code: int, text: str) -> errors.RedcollError:
    """Return an ``ArgumentError`` that is also mpi4py's exception with the error class ``code``."""
    error = _with_text(errors.ArgumentError)(text)
    vars(error)["_error_class"] = code
    return error
