"""Run functions of NumPy without warnings or exceptions about overflow and similar events."""

from __future__ import annotations

import contextvars
from collections.abc import Callable
from typing import Any

import numpy as np


def _run_quietly(function: Callable[..., Any], *arguments: Any) -> Any:
    with np.errstate(all="ignore"):
        return function(*arguments)


class Quiet:
    """Runs functions silently, because a warning or exception would appear on some members only."""

    def __init__(self) -> None:
        self.run: Callable[..., Any] = _run_quietly
        """``run(function, *arguments)`` returns the result of the function."""
        if int(np.__version__.partition(".")[0]) >= 2:
            # NumPy 2 keeps the error modes in the context (contextvars). It is faster to run a
            # function in a context with the modes off than to turn them off and on.
            context = contextvars.copy_context()
            context.run(np.seterr, all="ignore")
            self.run = context.run
