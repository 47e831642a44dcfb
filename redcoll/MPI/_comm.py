"""The communicators: mpi4py's, with collectives of redcoll's."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable
from typing import Any, ParamSpec, overload

from mpi4py import MPI as mpi

from redcoll.MPI._collectives import Collectives

P = ParamSpec("P")


class Comm(mpi.Comm):
    """Communication context, as in mpi4py."""

    @classmethod
    def Get_parent(cls) -> Intercomm:
        """Intercommunicator to the processes that spawned this one."""
        return Intercomm(mpi.Comm.Get_parent())

    @classmethod
    def Join(cls, fd: int) -> Intercomm:
        """Intercommunicator of two processes connected by a socket."""
        return Intercomm(mpi.Comm.Join(fd))

    @classmethod
    def fromhandle(cls, handle: int) -> Any:
        """Communicator from an MPI handle, of the class that it is."""
        return adopt(mpi.Comm.fromhandle(handle))

    @classmethod
    def fromint(cls, arg: int, /) -> Any:
        """Communicator from an integer handle, of the class that it is."""
        return adopt(mpi.Comm.fromint(arg))

    @classmethod
    def f2py(cls, arg: int) -> Any:
        """Communicator from a Fortran handle, of the class that it is."""
        return adopt(mpi.Comm.f2py(arg))

    def free(self) -> None:
        """Call :meth:`Free` unless null or predefined; a copy of a predefined one becomes null."""
        if not any(self is constant for constant in CONSTANTS.values()):
            super().free()

    def __reduce__(self) -> str | tuple[Any, ...]:
        for name, comm in CONSTANTS.items():
            if self == comm:
                return name if self is comm else (type(self), (comm,))
        return super().__reduce__()


def adopt(comm: Any) -> Any:
    """The same communicator as an object of this module's class."""
    ours = _OURS.get(type(comm))
    return comm if ours is None else ours(comm)


@overload
def _adopting(method: Callable[P, mpi.Cartcomm]) -> Callable[P, Cartcomm]: ...
@overload
def _adopting(method: Callable[P, mpi.Graphcomm]) -> Callable[P, Graphcomm]: ...
@overload
def _adopting(method: Callable[P, mpi.Distgraphcomm]) -> Callable[P, Distgraphcomm]: ...
@overload
def _adopting(  # type: ignore[overload-overlap]  # these are no intracommunicators
    method: Callable[P, mpi.Intercomm],
) -> Callable[P, Intercomm]: ...
@overload
def _adopting(method: Callable[P, mpi.Comm]) -> Callable[P, Intracomm]: ...
def _adopting(method: Callable[P, Any]) -> Callable[P, Any]:
    """mpi4py's method, giving a communicator of this module's class."""

    @functools.wraps(method)
    def adopting(*args: P.args, **kwargs: P.kwargs) -> Any:
        return adopt(method(*args, **kwargs))

    return adopting


class Intercomm(mpi.Intercomm, Comm):
    """Intercommunicator, as in mpi4py; its reductions are MPI's own."""

    def Merge(self, high: bool = False) -> Intracomm:
        """Merge both groups into an intracommunicator."""
        return Intracomm(super().Merge(high))

    def Create(self, group: mpi.Group) -> Intercomm:
        """Intercommunicator of a part of the local and a part of the remote group."""
        return Intercomm(super().Create(group))

    def Split(self, color: int = 0, key: int = 0) -> Intercomm:
        """Intercommunicators of the processes of one color."""
        return Intercomm(super().Split(color, key))

    @classmethod
    def Create_from_groups(  # type: ignore[override]  # the stub has the wrong class
        cls,
        local_group: mpi.Group,
        local_leader: int,
        remote_group: mpi.Group,
        remote_leader: int,
        stringtag: str = "org.mpi4py",
        info: mpi.Info = mpi.INFO_NULL,
        errhandler: mpi.Errhandler | None = None,
    ) -> Intercomm:
        """Intercommunicator of two groups of processes.  Collective over both."""
        comm = mpi.Intercomm.Create_from_groups(
            local_group, local_leader, remote_group, remote_leader, stringtag, info, errhandler
        )
        return Intercomm(comm)


class Intracomm(Collectives, Comm):
    """Intracommunicator: ``Intracomm(comm)`` is any of mpi4py's, with redcoll's reductions.

    Everything not listed here is mpi4py's own, such as nonblocking and persistent reductions.
    The processes of a communicator share a
    window, made at its first reduction and freed with it; where there can be none
    (``REDCOLL_MAX_TEAMS`` passed, no room in shared memory), MPI reduces: results and
    errors, and what no error is raised for, are MPI's then.

    Buffers are given as to mpi4py. Beyond that: arrays of any memory layout are reduced
    element by element in logical order, structured arrays of a value and its index need no
    datatype, and ``op`` may be a ufunc or a callable on two arrays.
    """

    @classmethod
    def Create_from_group(
        cls,
        group: mpi.Group,
        stringtag: str = "org.mpi4py",
        info: mpi.Info = mpi.INFO_NULL,
        errhandler: mpi.Errhandler | None = None,
    ) -> Intracomm:
        """Communicator of a group of processes.  Collective over the group."""
        comm = mpi.Intracomm.Create_from_group(group, stringtag, info, errhandler)
        return Intracomm(comm)

    Create = _adopting(mpi.Intracomm.Create)
    Create_group = _adopting(mpi.Intracomm.Create_group)
    Split = _adopting(mpi.Intracomm.Split)
    Split_type = _adopting(mpi.Intracomm.Split_type)
    Shrink = _adopting(mpi.Intracomm.Shrink)
    Create_cart = _adopting(mpi.Intracomm.Create_cart)
    Create_graph = _adopting(mpi.Intracomm.Create_graph)
    Create_dist_graph = _adopting(mpi.Intracomm.Create_dist_graph)
    Create_dist_graph_adjacent = _adopting(mpi.Intracomm.Create_dist_graph_adjacent)
    Create_intercomm = _adopting(mpi.Intracomm.Create_intercomm)
    Spawn = _adopting(mpi.Intracomm.Spawn)
    Spawn_multiple = _adopting(mpi.Intracomm.Spawn_multiple)
    Accept = _adopting(mpi.Intracomm.Accept)
    Connect = _adopting(mpi.Intracomm.Connect)


class Topocomm(mpi.Topocomm, Intracomm):
    """Topology intracommunicator, as in mpi4py."""


class Cartcomm(mpi.Cartcomm, Topocomm):
    """Cartesian topology intracommunicator, as in mpi4py."""

    Sub = _adopting(mpi.Cartcomm.Sub)


class Graphcomm(mpi.Graphcomm, Topocomm):
    """General graph topology intracommunicator, as in mpi4py."""


class Distgraphcomm(mpi.Distgraphcomm, Topocomm):
    """Distributed graph topology intracommunicator, as in mpi4py."""


_OURS: dict[type, Any] = {
    getattr(mpi, ours.__name__): ours
    for ours in (Comm, Intracomm, Intercomm, Topocomm, Cartcomm, Graphcomm, Distgraphcomm)
}


def _predefined(comm: mpi.Intracomm) -> Intracomm:
    # The constructor would ask MPI what the communicator is; but a program may import this
    # module before it initializes MPI.
    ours = Intracomm()
    ctypes.memmove(mpi._addressof(ours), mpi._addressof(comm), mpi._sizeof(comm))  # noqa: SLF001
    return ours


CONSTANTS: dict[str, Comm] = {
    "COMM_NULL": Comm(),
    "COMM_WORLD": _predefined(mpi.COMM_WORLD),
    "COMM_SELF": _predefined(mpi.COMM_SELF),
}
"""The predefined communicators by name."""
