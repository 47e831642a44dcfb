"""Run functions of NumPy in which overflow and the like are silent."""

from __future__ import annotations

import contextvars
from collections.abc import Callable
from typing import Any

import numpy as np


def _run_quietly(function: Callable[..., Any], *arguments: Any) -> Any:
    with np.errstate(all="ignore"):
        return function(*arguments)


class Quiet:
    """Runs functions silently: a warning or an exception would come on some members only."""

    def __init__(self) -> None:
        self.run: Callable[..., Any] = _run_quietly
        """``run(function, *arguments)`` gives what the function does."""
        if int(np.__version__.partition(".")[0]) >= 2:
            # From NumPy 2 on the error modes belong to the context, and to run in one that
            # has them off is quicker than to turn them off and on.
            context = contextvars.copy_context()
            context.run(np.seterr, all="ignore")
            self.run = context.run
