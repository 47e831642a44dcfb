"""What makes a class of this face stand in for mpi4py's of the same name."""

from __future__ import annotations

from typing import Any, ClassVar


class DropIn(type):
    """Metaclass: ``isinstance`` with our class also takes objects of the one it replaces.

    mpi4py itself, and libraries that import it, hand out objects of mpi4py's classes; a
    program that asks ``isinstance(comm, MPI.Intracomm)`` must not care whose ``MPI`` it
    imported. A program's own subclasses behave as usual.
    """

    replaces: ClassVar[type]

    def __instancecheck__(cls, instance: Any) -> bool:
        if super().__instancecheck__(instance):
            return True
        replaced = cls.__dict__.get("replaces")
        return replaced is not None and isinstance(instance, replaced)
