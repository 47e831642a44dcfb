"""What makes a class of this face stand in for mpi4py's of the same name."""

from __future__ import annotations

from abc import ABCMeta
from typing import Any, ClassVar


class DropIn(ABCMeta):
    """Metaclass: for ``isinstance`` and ``issubclass`` our class includes the one it replaces.

    mpi4py itself, and libraries that import it, hand out objects of mpi4py's classes; a
    program that asks ``isinstance(comm, MPI.Intracomm)`` must not care whose ``MPI`` it
    imported. A program's own subclasses behave as usual, and may be abstract.
    """

    replaces: ClassVar[type]

    def __instancecheck__(cls, instance: Any) -> bool:
        replaced = cls.__dict__.get("replaces")
        if replaced is not None and isinstance(instance, replaced):
            return True
        return super().__instancecheck__(instance)

    def __subclasscheck__(cls, subclass: type) -> bool:
        replaced = cls.__dict__.get("replaces")
        if replaced is not None and issubclass(subclass, replaced):
            return True
        return super().__subclasscheck__(subclass)
