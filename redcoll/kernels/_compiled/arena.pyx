# cython: language_level=3, boundscheck=False, wraparound=False
"""Put NumPy's large arrays into memory that all ranks of a node can map (NumPy's NEP 49)."""

from cpython.pycapsule cimport PyCapsule_GetPointer, PyCapsule_New
from libcpp cimport bool as cbool

try:
    from numpy._core._multiarray_umath import _ARRAY_API
except ImportError:  # NumPy 1
    from numpy.core._multiarray_umath import _ARRAY_API


cdef extern from "arena.hpp" namespace "redcoll" nogil:
    cppclass DataMemory:
        pass

    cppclass Arena:
        Arena(char*, size_t, size_t) except +
        void keep()
        size_t live_bytes()
        cbool become_private()

    DataMemory* arena_handler(Arena*, const DataMemory*) except +


cdef enum:
    # Indices in NumPy's table of C functions. They are the same in all versions of NumPy.
    SET_HANDLER = 304
    GET_HANDLER = 305

ctypedef object (*SetHandler)(object)
ctypedef object (*GetHandler)()

cdef void** _numpy = <void**> PyCapsule_GetPointer(_ARRAY_API, NULL)
cdef Arena* _arena = NULL
cdef dict _handlers = {}


def create(size_t start, size_t size, size_t least):
    """Create the arena of this process, in a mapping of ``size`` bytes at the address ``start``.

    The mapping must exist until the process ends, because arrays refer to the arena until then.

    Parameters
    ----------
    least
        Blocks of fewer bytes come from the allocator that NumPy used before.
    """
    global _arena
    _arena = new Arena(<char*> start, size, least)


def handler():
    """Return NumPy's memory handler of this thread, as a capsule."""
    return (<GetHandler> _numpy[GET_HANDLER])()


def use(capsule):
    """Install a capsule as NumPy's memory handler in this thread; return the previous handler."""
    return (<SetHandler> _numpy[SET_HANDLER])(capsule)


def arena_handler_after(before):
    """Return a handler that allocates from the arena if possible, and otherwise by ``before``."""
    cdef DataMemory* found
    name = id(before)
    if name not in _handlers:
        found = arena_handler(_arena, <const DataMemory*> PyCapsule_GetPointer(before, "mem_handler"))
        # Both handlers must live until the process ends, because arrays that use them can live that
        # long.
        _handlers[name] = PyCapsule_New(found, "mem_handler", NULL), before
    return _handlers[name][0]


def keep():
    """Never reuse the blocks of present arrays, because another rank may still write there."""
    if _arena != NULL:
        _arena.keep()


def live_bytes():
    """Return the total size of all live blocks in bytes."""
    return 0 if _arena == NULL else _arena.live_bytes()


def become_private():
    """Replace the arrays of a forked child by private copies, at the same addresses.

    Returns
    -------
    bool
        False if there was no memory for the copies. The arrays are then still shared.
    """
    return _arena.become_private()
