"""Make functions that come out of a table look like ones written by hand."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

Routine = Callable[..., Any]
Function = TypeVar("Function", bound=Routine)


class Routines(Mapping[str, Routine]):
    """The routines of a chapter by name, each made when it is first looked up.

    There are over a thousand, of which a program uses a few: to make all of them would take
    a good part of the time that a job needs to start.

    Parameters
    ----------
    makers
        By name, what makes the routine.
    """

    def __init__(self, makers: Mapping[str, Callable[[], Routine]]) -> None:
        self._makers = makers
        self._made: dict[str, Routine] = {}

    def __getitem__(self, name: str) -> Routine:
        if name not in self._made:
            # Of two threads that make it at once, both get the same.
            self._made.setdefault(name, self._makers[name]())
        return self._made[name]

    def __contains__(self, name: object) -> bool:
        return name in self._makers

    def __iter__(self) -> Iterator[str]:
        return iter(self._makers)

    def __len__(self) -> int:
        return len(self._makers)


def signature(parameters: Mapping[str, str], returns: str = "None") -> inspect.Signature:
    """A signature of positional parameters, from their names and annotations."""
    return inspect.Signature(
        [
            inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=annotation)
            for name, annotation in parameters.items()
        ],
        return_annotation=returns,
    )


def publish(function: Function, name: str, shown: inspect.Signature, doc: str) -> Function:
    """``function`` under its public name in this package, with what tools show of it.

    The name is also given to the code, so that tracebacks and profiles tell one routine
    from another.
    """
    vars_of: Any = function
    vars_of.__module__ = __package__
    vars_of.__name__ = vars_of.__qualname__ = name
    vars_of.__signature__ = shown
    vars_of.__doc__ = doc
    vars_of.__annotations__ = {
        **{parameter.name: parameter.annotation for parameter in shown.parameters.values()},
        "return": shown.return_annotation,
    }
    vars_of.__code__ = vars_of.__code__.replace(co_name=name)
    return function
