"""Make functions from tables, and give them names, signatures and docstrings."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from types import NoneType, UnionType
from typing import Any, TypeVar, get_args, get_origin

import numpy as np

from redcoll_shmem._types import name_of

Routine = Callable[..., Any]
Function = TypeVar("Function", bound=Routine)


class LazyRoutines(Mapping[str, Routine]):
    """The routines of a chapter, by name. The first use of a name makes its routine.

    There are over a thousand routines, and a program uses only a few. Making all routines would
    take a large part of a job's start-up time. ``makers`` has the functions that make the routines,
    by name.
    """

    def __init__(self, makers: Mapping[str, Callable[[], Routine]]) -> None:
        self._makers = makers
        self._made: dict[str, Routine] = {}

    def __getitem__(self, name: str) -> Routine:
        if name not in self._made:
            # If two threads make a routine at the same time, setdefault() gives both threads the
            # same object.
            self._made.setdefault(name, self._makers[name]())
        return self._made[name]

    def __contains__(self, name: object) -> bool:
        return name in self._makers

    def __iter__(self) -> Iterator[str]:
        return iter(self._makers)

    def __len__(self) -> int:
        return len(self._makers)


def makers(
    make: Callable[..., Routine], verb: str, types: Iterable[str], *rest: object
) -> dict[str, Callable[[], Routine]]:
    """Return the makers of a verb's routines, by name: one for each type, and the generic form.

    ``make`` gets the name, the type (None for the generic form), and ``rest``.
    """
    return {
        name: partial(make, name, type_name, *rest)
        for type_name in (*types, None)
        for name in (name_of(verb, type_name),)
    }


def finish_routine(
    function: Function, name: str, parameters: Mapping[str, Any], returns: Any, doc: str
) -> Function:
    """Give a function its public name, its signature and its docstring.

    The code object also gets the name, so that tracebacks and profiles show it. ``parameters`` has
    the type of each positional parameter, by name.
    """
    vars_of: Any = function
    vars_of.__module__ = __package__
    vars_of.__name__ = vars_of.__qualname__ = name
    vars_of.__annotations__ = {**parameters, "return": returns}
    vars_of.__signature__ = inspect.Signature(
        [
            inspect.Parameter(
                each, inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=type_name(of)
            )
            for each, of in parameters.items()
        ],
        return_annotation=type_name(returns),
    )
    vars_of.__doc__ = doc
    names = {"co_name": name}
    if hasattr(vars_of.__code__, "co_qualname"):  # since Python 3.11
        names["co_qualname"] = name
    vars_of.__code__ = vars_of.__code__.replace(**names)
    return function


def type_name(of: Any, element: Callable[[Any], str] | None = None) -> str:
    """Return a type as text, as a program writes it: ``NDArray[np.int32] | None``.

    ``element`` is a function that returns the name of an element type (default: this function).
    """
    if isinstance(of, UnionType):
        return " | ".join(type_name(each, element) for each in get_args(of))
    if get_origin(of) is np.ndarray:
        return f"NDArray[{(element or type_name)(element_of(of))}]"
    if of in (None, NoneType):
        return "None"
    is_number = isinstance(of, type) and issubclass(of, np.generic)
    return f"np.{of.__name__}" if is_number else str(of.__name__)


def element_of(array: Any) -> Any:
    """Return the element type of ``NDArray[...]``."""
    return get_args(get_args(array)[1])[0]
