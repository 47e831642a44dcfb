"""Let programs import mpi4py's modules from redcoll: ``redcoll.MPI.util`` is ``mpi4py.util``.

Programs compute module names from the module of a communicator, for instance ``MPI.__spec__.parent
+ ".util.dtlib"``. ``redcoll.MPI.util`` and ``mpi4py.util`` are the same module object.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, Final, cast

NAMES: Final = ("bench", "futures", "run", "typing", "util")
"""The packages and modules of mpi4py that can be imported from ``redcoll.MPI``."""

_PREFIX: Final = f"{__package__}."


class _Finder:
    """Finds and loads mpi4py's modules by names that start with ``redcoll.MPI``.

    The class has no base class from ``importlib.abc``, because that module imports tempfile and
    bz2.
    """

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return the spec of a module of mpi4py under ``redcoll.MPI``; None for other names."""
        if not fullname.startswith(_PREFIX):
            return None
        name = fullname.removeprefix(_PREFIX)
        if name == "MPI":
            theirs = sys.modules[__package__].__spec__
        elif name.partition(".")[0] in NAMES:
            theirs = importlib.util.find_spec(f"mpi4py.{name}")
        else:
            return None
        if theirs is None:
            return None
        is_package = theirs.submodule_search_locations is not None
        return ModuleSpec(
            fullname, cast("Any", self), loader_state=theirs.name, is_package=is_package
        )

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Return mpi4py's module."""
        module = importlib.import_module(spec.loader_state)
        spec.loader_state = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Restore the module's own spec.  The module itself has been executed before."""
        spec: Any = module.__spec__
        module.__spec__ = spec.loader_state


def install() -> None:
    """Let imports find mpi4py's modules by redcoll's names.  Local; call it once."""
    sys.meta_path.insert(0, _Finder())
