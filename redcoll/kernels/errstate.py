"""Run functions of NumPy without warnings or exceptions about overflow and similar events."""

from __future__ import annotations

import contextvars
from collections.abc import Callable
from typing import cast

import numpy as np

from redcoll.kernels.interface import P, R, RunSilently


def _run_silently(function: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> R:
    with np.errstate(all="ignore"):
        return function(*args, **kwargs)


def silent_runner() -> RunSilently:
    """Return a function that runs a function silently, and returns the function's result.

    A warning or exception would appear on some members only.
    """
    if int(np.__version__.partition(".")[0]) < 2:
        return _run_silently
    # NumPy 2 keeps the error modes in the context (contextvars). It is faster to run a function in
    # a context with the modes off than to turn them off and on.
    context = contextvars.copy_context()
    context.run(np.seterr, all="ignore")
    return cast("RunSilently", context.run)
