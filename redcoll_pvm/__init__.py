"""PVM group reductions for tasks started by mpiexec: ``from redcoll_pvm import *``.

The calls and numbers of PVM 3.4, with C's argument order. Where C takes a pointer to a
result, pass a list or array whose first elements are to be set, or None for NULL; every
call returns PVM's integer. What differs from PVM is listed in the documentation, page
"From PVM".

``redcoll_pvm.pvm_errno`` is the code of the last call that failed; as a plain number it
must be asked for through the module.
"""

from __future__ import annotations

import typing

from redcoll_pvm import (
    _task,
    collection,
    constants,
    fortran,
    groups,
    messages,
    operators,
    packing,
    reduction,
    tasks,
)
from redcoll_pvm.collection import *
from redcoll_pvm.constants import *
from redcoll_pvm.fortran import *
from redcoll_pvm.groups import *
from redcoll_pvm.messages import *
from redcoll_pvm.operators import *
from redcoll_pvm.packing import *
from redcoll_pvm.reduction import *
from redcoll_pvm.tasks import *

if not typing.TYPE_CHECKING:  # type checkers read the lists of the modules
    __all__ = (
        collection.__all__
        + constants.__all__
        + fortran.__all__
        + groups.__all__
        + messages.__all__
        + operators.__all__
        + packing.__all__
        + reduction.__all__
        + tasks.__all__
    )


def __getattr__(name: str) -> int:
    if name == "pvm_errno":
        return _task.task.errno
    raise AttributeError(f"module 'redcoll_pvm' has no attribute {name!r}")
