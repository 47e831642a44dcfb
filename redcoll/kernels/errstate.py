"""Run functions of NumPy without warnings or exceptions about overflow and similar events."""

from __future__ import annotations

import contextvars
from collections.abc import Callable
from typing import Any

import numpy as np


def _run_quietly(function: Callable[..., Any], *arguments: Any) -> Any:
    with np.errstate(all="ignore"):
        return function(*arguments)


def silent_runner() -> Callable[..., Any]:
    """Return a function that runs a function silently, and returns the function's result.

    A warning or exception would appear on some members only.
    """
    if int(np.__version__.partition(".")[0]) < 2:
        return _run_quietly
    # NumPy 2 keeps the error modes in the context (contextvars). It is faster to run a function in
    # a context with the modes off than to turn them off and on.
    context = contextvars.copy_context()
    context.run(np.seterr, all="ignore")
    return context.run
