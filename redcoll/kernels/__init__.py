"""The hot loops, twice: on NumPy, and compiled, with the same functions.

A kernel is a module with ``NAME``, its measured ``SMALL_BYTES``, ``CHUNK_BYTES``, ``SPIN`` and
``TURNS_PER_CLOCK``, the class ``Channel``, and the functions ``fold``, ``fold_to_many``, ``scan``,
``know_heap``, ``know_name``, ``await_change``, ``hand_over``, ``collect``, ``fold_at`` and, unless
it is None, ``compare_swap``; the NumPy kernel documents them.
The numbers stand in ``thresholds``.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import sys
from types import ModuleType
from typing import Final

from redcoll import config
from redcoll.errors import ConfigError

COMPILED_MODULE: Final = f"{__name__}.compiled"
EXTENSIONS: Final = tuple(
    f"{__name__}._compiled.{name}"
    for name in ("fastpath", "folds", "handover", "pipeline", "rounds")
)
"""What that is built of."""

SLOW: Final = f"""\
redcoll: the compiled kernel is not installed. Reductions run on the NumPy kernel, usually 3 times \
slower and often slower than mpi4py. To mend it, install a wheel of redcoll, or a C++ compiler and \
then redcoll again. Set {config.KERNEL.name}=numpy to silence this line.
"""

_has_warned = False


def is_built() -> bool:
    """Whether the compiled kernel was built: in all its parts."""
    return all(importlib.util.find_spec(name) is not None for name in EXTENSIONS)


def choose() -> str:
    """The kernel that this process would use: what ``REDCOLL_KERNEL`` says, as far as built.

    Raises
    ------
    ConfigError
        The compiled kernel is asked for and was not built.
    """
    wanted = config.KERNEL.get()
    if wanted == "numpy":
        return wanted
    has_compiled = is_built()
    if wanted == "compiled" and not has_compiled:
        raise ConfigError(
            f"{config.KERNEL.name}=compiled: the compiled kernel was not built; reinstall "
            "where a C++ compiler is at hand, or take numpy"
        )
    return "compiled" if has_compiled else "numpy"


def is_slow() -> bool:
    """Whether the NumPy kernel runs only because the compiled one was not built."""
    return not (config.KERNEL.is_set() or is_built())


def warn_slow() -> None:
    """Write one line on standard error if :func:`is_slow`; once in a process."""
    global _has_warned  # noqa: PLW0603 - once per process
    if _has_warned or not is_slow():
        return
    _has_warned = True
    with contextlib.suppress(OSError, ValueError, AttributeError):  # it may be closed, or None
        sys.stderr.write(SLOW)


def load(name: str) -> ModuleType:
    """The kernel's module by its name."""
    return importlib.import_module(COMPILED_MODULE if name == "compiled" else f"{__name__}.{name}")
