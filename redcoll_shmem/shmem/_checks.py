"""The checks that the calls share: of arrays, and of numbers of elements."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from redcoll.arguments import plain
from redcoll.errors import DatatypeError
from redcoll_shmem._arguments import integer
from redcoll_shmem._types import C_TYPES, describe, is_like
from redcoll_shmem.shmem._errors import CountError, UnlikeTypesError, UnnamedTypeError

Array = NDArray[Any]

TYPE_CODES = "".join(dict.fromkeys(dtype.char for dtype in C_TYPES.values()))
"""NumPy's letters for the types that SHMEM has names for."""


def require_array(array: Any, name: str) -> Array:
    """Return an array as one of NumPy's own class, if SHMEM has a name for its type.

    Raises
    ------
    DatatypeError
        There is no array (``UnnamedTypeError``: it is of another type).
    """
    if not isinstance(array, np.ndarray):
        raise DatatypeError(f"{name} is {describe(array)}; it must be a numpy.ndarray")
    plainly = plain(array, name)
    if plainly.dtype.char not in TYPE_CODES or not plainly.dtype.isnative:
        raise UnnamedTypeError(
            f"{name} is of {plainly.dtype}; it must be of one of the types {TYPE_CODES} "
            "in the machine's byte order"
        )
    return plainly


def require_pair(target: Any, source: Any) -> tuple[Array, Array]:
    """Return two arrays of one type, each as :func:`require_array` returns it.

    Raises
    ------
    DatatypeError
        An array is wrong (``UnlikeTypesError``: the types differ).
    """
    target, source = require_array(target, "target"), require_array(source, "source")
    if not is_like(target.dtype, source.dtype):
        raise UnlikeTypesError(
            f"target is of {target.dtype}, source of {source.dtype}; they must be of one type"
        )
    return target, source


def elements(size: int | None, **rooms: int) -> int:
    """Return ``size``, or for None the number of elements that every array has room for.

    Parameters
    ----------
    rooms
        By the name of an array, the number of elements that it has room for.

    Raises
    ------
    CountError
        An array has no room for ``size``.
    """
    if size is None:
        return min(rooms.values())
    count = integer(size, "size")
    for name, room in rooms.items():
        if count > room:
            raise CountError(f"size is {count}; {name} has room for {room}")
    return count


def one_element(array: Any, name: str) -> None:
    """Refuse anything but an array of one element.

    Raises
    ------
    DatatypeError
        There is no array, or SHMEM has no name for its type.
    CountError
        The array has more elements, or none.
    """
    require_array(array, name)
    if array.size != 1:
        raise CountError(f"{name} has {array.size} elements; it must have one")


def room(array: Array, step: int) -> int:
    """Return the number of elements of an array that are ``step`` apart."""
    return len(range(0, array.size, step))
