"""Make functions that come out of a table look like ones written by hand."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])


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
