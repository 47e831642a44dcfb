"""Provide PVM's groups and reductions for tasks under mpiexec: ``from redcoll_pvm import *``.

The package has the calls and constants of PVM 3.4, with C's order of arguments. Where C takes a
pointer to a result, pass a list or array, and the call sets its first elements. Pass None for NULL.
Every call returns the same integer as in C. The page "From PVM" of the documentation lists the
differences.

``redcoll_pvm.pvm_errno`` is the code of the last call that failed. Read it as an attribute of the
module, because an imported copy would not change.
"""

from __future__ import annotations

import typing

from redcoll_pvm import _task
from redcoll_pvm.collection import *
from redcoll_pvm.constants import *
from redcoll_pvm.fortran import *
from redcoll_pvm.groups import *
from redcoll_pvm.messages import *
from redcoll_pvm.operators import *
from redcoll_pvm.packing import *
from redcoll_pvm.reduction import *
from redcoll_pvm.tasks import *

if not typing.TYPE_CHECKING:  # type checkers read the __all__ of each module
    __all__ = [
        name
        for name, value in list(globals().items())
        if name[0] != "_" and (callable(value) or isinstance(value, int))
    ]


def __getattr__(name: str) -> int:
    if name == "pvm_errno":
        return _task.task.errno
    raise AttributeError(f"module 'redcoll_pvm' has no attribute {name!r}")
