"""Check arrays and numbers of elements. All calls of the package use these checks."""

from __future__ import annotations

from typing import Any

from redcoll.arguments import Array, plain
from redcoll_shmem._arguments import integer
from redcoll_shmem._types import C_TYPES, is_like, require
from redcoll_shmem.shmem._errors import CountError, UnlikeTypesError, UnnamedTypeError

TYPE_CODES = "".join(dict.fromkeys(dtype.char for dtype in C_TYPES.values()))
"""NumPy's letters for the types that have names in SHMEM."""


def require_array(array: Any, name: str) -> Array:
    """Check that SHMEM has a name for an array's type; return the array as a plain ``ndarray``."""
    require(array, None, name)
    plainly = plain(array, name)
    if plainly.dtype.char not in TYPE_CODES or not plainly.dtype.isnative:
        raise UnnamedTypeError(
            f"{name} is of {plainly.dtype}; it must be of one of the types {TYPE_CODES} "
            "in the machine's byte order"
        )
    return plainly


def require_pair(target: Any, source: Any) -> tuple[Array, Array]:
    """Check two arrays of the same type; return both as :func:`require_array` does."""
    target, source = require_array(target, "target"), require_array(source, "source")
    if not is_like(target.dtype, source.dtype):
        raise UnlikeTypesError(
            f"target is of {target.dtype}, source of {source.dtype}; they must be of one type"
        )
    return target, source


def elements(size: int | None, **rooms: int) -> int:
    """Return ``size``. If it is None, return the largest number of elements that fits all arrays.

    ``rooms`` has the number of elements for which an array has room, by the array's name.
    """
    if size is None:
        return min(rooms.values())
    count = integer(size, "size")
    for name, room in rooms.items():
        if count > room:
            raise CountError(f"size is {count}; {name} has room for {room}")
    return count


def one_element(array: Any, name: str) -> None:
    """Refuse an argument that is not an array of one element."""
    require_array(array, name)
    if array.size != 1:
        raise CountError(f"{name} has {array.size} elements; it must have one")


def room(array: Array, step: int) -> int:
    """Return the number of elements of ``array[::step]``."""
    return len(range(0, array.size, step))
