"""Define communicators: subclasses of mpi4py's classes with redcoll's collectives."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable
from typing import Any, ParamSpec, overload

from mpi4py import MPI as mpi

from redcoll.MPI._collectives import Collectives

P = ParamSpec("P")


def adopt(comm: Any) -> Any:
    """Return the same communicator as an object of the matching class of this module."""
    ours = _OURS.get(type(comm))
    return comm if ours is None else ours(comm)


@overload
def _adopting(method: Callable[P, mpi.Cartcomm]) -> Callable[P, Cartcomm]: ...
@overload
def _adopting(method: Callable[P, mpi.Graphcomm]) -> Callable[P, Graphcomm]: ...
@overload
def _adopting(method: Callable[P, mpi.Distgraphcomm]) -> Callable[P, Distgraphcomm]: ...
@overload
def _adopting(  # type: ignore[overload-overlap]  # an Intercomm is no intracommunicator
    method: Callable[P, mpi.Intercomm],
) -> Callable[P, Intercomm]: ...
@overload
def _adopting(method: Callable[P, mpi.Comm]) -> Callable[P, Intracomm]: ...
def _adopting(method: Callable[P, Any]) -> Callable[P, Any]:
    """Return a method that calls mpi4py's method and converts the result by :func:`adopt`."""

    @functools.wraps(method)
    def adopting(*args: P.args, **kwargs: P.kwargs) -> Any:
        return adopt(method(*args, **kwargs))

    return adopting


def _on_ours(function: Callable[..., Any] | None) -> Callable[..., Any] | None:
    """Return a function that converts its first argument by :func:`adopt`."""
    if not callable(function):
        return function
    return lambda comm, *others: function(adopt(comm), *others)


class Comm(mpi.Comm):
    """Communication context, as in mpi4py."""

    @classmethod
    def Create_keyval(
        cls,
        copy_fn: Callable[[mpi.Comm, int, Any], Any] | None = None,
        delete_fn: Callable[[mpi.Comm, int, Any], None] | None = None,
        nopython: bool = False,
    ) -> int:
        """Return a key for attributes. The functions get communicators of this module.  Local."""
        return mpi.Comm.Create_keyval(_on_ours(copy_fn), _on_ours(delete_fn), nopython)

    Get_parent = staticmethod(_adopting(mpi.Comm.Get_parent))
    Join = staticmethod(_adopting(mpi.Comm.Join))

    @classmethod
    def fromhandle(cls, handle: int) -> Any:
        """Return the communicator of an MPI handle, as an object of the matching class."""
        return adopt(mpi.Comm.fromhandle(handle))

    @classmethod
    def fromint(cls, arg: int, /) -> Any:
        """Return the communicator of an integer handle, as an object of the matching class."""
        return adopt(mpi.Comm.fromint(arg))

    @classmethod
    def f2py(cls, arg: int) -> Any:
        """Return the communicator of a Fortran handle, as an object of the matching class."""
        return adopt(mpi.Comm.f2py(arg))

    def free(self) -> None:
        """Call :meth:`Free`, unless the communicator is null or predefined.

        A copy such as ``Intracomm(COMM_WORLD)`` becomes null; the original stays valid.
        """
        if not any(self is constant for constant in CONSTANTS.values()):
            super().free()

    def __reduce__(self) -> str | tuple[Any, ...]:
        for name, comm in CONSTANTS.items():
            if self == comm:
                return name if self is comm else (type(self), (comm,))
        return super().__reduce__()


class Intercomm(mpi.Intercomm, Comm):
    """Intercommunicator, as in mpi4py. Its reductions are MPI's own."""

    Merge = _adopting(mpi.Intercomm.Merge)
    Create = _adopting(mpi.Intercomm.Create)
    Split = _adopting(mpi.Intercomm.Split)

    @classmethod
    def Create_from_groups(  # type: ignore[override]  # mpi4py's stub names another class
        cls,
        local_group: mpi.Group,
        local_leader: int,
        remote_group: mpi.Group,
        remote_leader: int,
        stringtag: str = "org.mpi4py",
        info: mpi.Info = mpi.INFO_NULL,
        errhandler: mpi.Errhandler | None = None,
    ) -> Intercomm:
        """Return an intercommunicator of two groups.  Collective over both groups."""
        comm = mpi.Intercomm.Create_from_groups(
            local_group, local_leader, remote_group, remote_leader, stringtag, info, errhandler
        )
        return Intercomm(comm)


class Intracomm(Collectives, Comm):
    """Intracommunicator whose reductions are redcoll's.

    ``Intracomm(comm)`` makes such an object for any intracommunicator of mpi4py.

    All methods that are not listed here are mpi4py's own. Examples are nonblocking and persistent
    reductions. The ranks of a communicator share a window. The first reduction makes the window,
    and freeing the communicator frees it. No window can be made if there are more than
    ``REDCOLL_MAX_TEAMS`` communicators, or if shared memory has no space. Then MPI reduces, with
    MPI's results and errors.

    Buffers are passed as in mpi4py. In addition, arrays can have any memory layout, and redcoll
    reduces their elements in C order. Structured arrays of value and index need no datatype. ``op``
    can also be an operation of redcoll, a name, a ufunc or a callable on two arrays.
    """

    Create_from_group = staticmethod(_adopting(mpi.Intracomm.Create_from_group))
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
    # Copy the handle instead of calling the constructor. The constructor would call MPI, and a
    # program may import this module before it initializes MPI.
    ours = Intracomm()
    ctypes.memmove(mpi._addressof(ours), mpi._addressof(comm), mpi._sizeof(comm))  # noqa: SLF001
    return ours


CONSTANTS: dict[str, Comm] = {
    "COMM_NULL": Comm(),
    "COMM_WORLD": _predefined(mpi.COMM_WORLD),
    "COMM_SELF": _predefined(mpi.COMM_SELF),
}
"""The predefined communicators by name."""
