"""Replace mpi4py's MPI by redcoll's, for programs that import mpi4py."""

from __future__ import annotations

import functools
import sys
import threading
import warnings
from collections.abc import Callable
from importlib.machinery import ExtensionFileLoader
from types import ModuleType
from typing import Any

import mpi4py
from mpi4py import MPI as mpi

_NAME = "mpi4py.MPI"
_OF_MPI4PY = (mpi, mpi.COMM_WORLD, mpi.COMM_SELF, mpi.Comm, mpi.Intracomm)
"""A module that has imported one of these objects uses mpi4py's own reductions."""

_lock = threading.Lock()
_extensions_loading = 0


def install() -> None:
    """Replace ``mpi4py.MPI`` by ``redcoll.MPI``.  Local; a second call changes nothing.

    After the call, every import of ``mpi4py.MPI``, or of names from it, gives ``redcoll.MPI``. So
    programs written for mpi4py reduce on redcoll. Call ``install()`` before other modules import
    mpi4py, for instance in ``conftest.py`` or ``sitecustomize.py``. mpi4py's own module remains
    available as ``redcoll.MPI.mpi4py_MPI``. Extension modules that use mpi4py's C API get mpi4py's
    types and functions.

    Warns
    -----
    RuntimeWarning
        Modules have imported ``mpi4py.MPI`` earlier, and keep mpi4py's reductions. The warning
        names them.
    """
    ours = sys.modules[__package__]
    if sys.modules[_NAME] is ours:
        return
    early = _early_importers()
    mpi4py.MPI = ours
    sys.modules[_NAME] = ours
    for method in ("create_module", "exec_module"):
        _show_mpi4pys_own(ours, method)
    if early:
        warnings.warn(
            f"redcoll.MPI.install: {', '.join(early)} imported mpi4py.MPI before; reductions "
            "called there stay with mpi4py. Call install() before these imports.",
            RuntimeWarning,
            stacklevel=2,
        )


def _early_importers() -> list[str]:
    """Return the modules outside mpi4py and redcoll that have imported mpi4py's communicators."""
    own = {id(each) for each in _OF_MPI4PY}
    return sorted(
        name
        for name, module in list(sys.modules.items())
        if name.partition(".")[0] not in ("mpi4py", "redcoll", "redcoll_shmem", "redcoll_pvm")
        and any(id(value) in own for value in list(getattr(module, "__dict__", {}).values()))
    )


def _show_mpi4pys_own(ours: ModuleType, method: str) -> None:
    """Restore mpi4py's own module while Python loads an extension module.

    While an extension module is loaded, it looks up the types of its functions' arguments. mpi4py's
    types accept redcoll's objects, because redcoll's classes are subclasses. redcoll's types would
    refuse mpi4py's objects.
    """
    load: Callable[..., Any] = getattr(ExtensionFileLoader, method)

    @functools.wraps(load)
    def loading(*args: Any) -> Any:
        global _extensions_loading  # noqa: PLW0603 - one count for all threads
        with _lock:
            _extensions_loading += 1
            sys.modules[_NAME] = mpi
        try:
            return load(*args)
        finally:
            with _lock:
                _extensions_loading -= 1
                if not _extensions_loading:
                    sys.modules[_NAME] = ours

    setattr(ExtensionFileLoader, method, loading)
