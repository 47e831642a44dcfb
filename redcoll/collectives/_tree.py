"""Take items out of nested lists, tuples and dicts, and put results into the same structure.

An *item* is a value that is not a container. The items of a dict are in the order of the dict.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable, Iterator
from typing import Any

import numpy as np

from redcoll.arguments import plain, shown
from redcoll.errors import ArgumentError

PYTHONS = (bool, int, float, complex)
"""The types of Python's own numbers."""
CHARS = "?bBhHiIlLqQefdgFDG"
"""The type characters of NumPy's numbers."""
SCALARS: frozenset[type] = frozenset({*PYTHONS, *(np.dtype(char).type for char in CHARS)})
"""The types of items that are not arrays."""
_DICTS = (dict, OrderedDict)


def _is_sequence(kind: type) -> bool:
    return kind is list or kind is tuple or (issubclass(kind, tuple) and hasattr(kind, "_make"))


def is_container(value: object) -> bool:
    """Return whether this is a list, a tuple, a named tuple or a dict."""
    kind = type(value)
    return kind in _DICTS or _is_sequence(kind)


def signature(values: Any, items: list[Any]) -> Hashable:
    """Append the items of ``values`` to ``items``; return a key for the structure and the types.

    Raise ``DatatypeError`` if an item is neither a number nor an array.
    """
    kind: Any = type(values)
    if kind in SCALARS:
        items.append(values)
        return kind  # type: ignore[no-any-return]
    if kind in _DICTS:
        # The types distinguish keys such as 1 and True, which are equal.
        keys = tuple(values), tuple(map(type, values))
        return kind, keys, tuple([signature(each, items) for each in values.values()])
    if _is_sequence(kind):
        return kind, tuple([signature(each, items) for each in values])
    array = plain(values, "an item")
    items.append(array)
    return array.dtype, array.shape


def rebuilt(like: Any, items: Iterator[Any]) -> Any:
    """Return a structure like ``like`` with these items."""
    kind = type(like)
    if kind in _DICTS:
        return kind((key, rebuilt(each, items)) for key, each in like.items())
    if not _is_sequence(kind):
        return next(items)
    parts = [rebuilt(each, items) for each in like]
    if kind is list:
        return parts
    # The program can have replaced the constructor of a named tuple, so call _make().
    return tuple(parts) if kind is tuple else kind._make(parts)


def leaves(values: Any) -> list[Any]:
    """Return the items of a structure in their order."""
    if not is_container(values):
        return [values]
    parts = values.values() if type(values) in _DICTS else values
    return [leaf for each in parts for leaf in leaves(each)]


def shape_of(values: Any) -> str:
    """Return the structure as text, with ``*`` for each item."""
    kind = type(values)
    if kind in _DICTS:
        parts = ", ".join(f"{key!r}: {shape_of(each)}" for key, each in values.items())
        return f"{{{parts}}}" if kind is dict else f"{kind.__name__}({parts})"
    if not _is_sequence(kind):
        return "*"
    parts = ", ".join(map(shape_of, values))
    if kind is list:
        return f"[{parts}]"
    return f"({parts})" if kind is tuple else f"{kind.__name__}({parts})"


def walk(values: Any, ops: Any, path: str) -> Iterator[tuple[str, Any, Any]]:
    """Yield for each item its place in the structure, the item itself, and its operation.

    Raise ``ArgumentError`` if ``ops`` does not fit the structure of ``values``. ``ops`` is one
    operation for all items, or a structure of operations. In the structure, one operation can stand
    for all items of a part.
    """
    if not is_container(values):
        if is_container(ops):
            raise ArgumentError(
                f"op has {shown(ops)} for {path}, which is one item; it must be one operation"
            )
        yield path, values, ops
        return
    keys = list(values) if type(values) in _DICTS else list(range(len(values)))
    if is_container(ops):
        of = list(ops) if type(ops) in _DICTS else list(range(len(ops)))
        if of != keys:
            raise ArgumentError(
                f"op has the entries {shown(of)} for {path}, which has {shown(keys)}; pass one "
                "operation, or the same structure as values"
            )
    for key in keys:
        yield from walk(values[key], ops[key] if is_container(ops) else ops, f"{path}[{key!r}]")
