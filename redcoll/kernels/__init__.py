"""Choose and load a kernel. redcoll has a compiled kernel and a NumPy kernel.

A kernel is a module of the type :class:`redcoll.kernels.interface.Kernel`. It also has the
functions ``await_change``, ``hand_over``, ``collect`` and ``fold_at``. The compiled kernel also
has ``compare_swap``, which is None in the NumPy kernel. The NumPy kernel documents the functions.
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
    for name in [
        "arena",
        "exact",
        "exchange",
        "fastpath",
        "folds",
        "handover",
        "internode",
        "items",
        "pipeline",
        "recorder",
        "rounds",
    ]
)
"""The extension modules of the compiled kernel."""

SLOW: Final = f"""\
redcoll: the compiled kernel is not installed. Reductions run on the NumPy kernel, usually 3 times \
slower and often slower than mpi4py. To mend it, install a wheel of redcoll, or a C++ compiler and \
then redcoll again. Set {config.KERNEL.name}=numpy to silence this line.
"""

_has_warned = False


def is_built() -> bool:
    """Return whether all extension modules of the compiled kernel were built."""
    return all(importlib.util.find_spec(name) is not None for name in EXTENSIONS)


def choose() -> str:
    """Return the kernel's name from ``REDCOLL_KERNEL``. The default is ``compiled`` if built.

    Raise ``ConfigError`` if the user asked for the compiled kernel but the kernel was not built.
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
    """Return whether the NumPy kernel runs only because the compiled kernel was not built."""
    return not (config.KERNEL.is_set() or is_built())


def warn_slow() -> None:
    """Write a line on standard error if :func:`is_slow`, at most once in a process."""
    global _has_warned  # noqa: PLW0603 - once per process
    if _has_warned or not is_slow():
        return
    _has_warned = True
    with contextlib.suppress(OSError, ValueError, AttributeError):  # stderr may be closed or None
        sys.stderr.write(SLOW)


def load(name: str) -> ModuleType:
    """Import the kernel of this name."""
    return importlib.import_module(COMPILED_MODULE if name == "compiled" else f"{__name__}.{name}")


def recorder() -> ModuleType:
    """Import the recorder of calls. Both kernels use the compiled recorder if it was built."""
    folder = "_compiled" if is_built() else "_python"
    return importlib.import_module(f"{__name__}.{folder}.recorder")
