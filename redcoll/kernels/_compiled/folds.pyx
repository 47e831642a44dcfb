# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""Fold arrays: the functions of ``redcoll.kernels._python.folds``, compiled."""

from cpython.buffer cimport PyBUF_SIMPLE, PyBUF_WRITABLE, PyBuffer_Release, PyObject_GetBuffer
from libc.stdint cimport int64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy

from redcoll.kernels._compiled.machine cimport Buffer


cdef extern from "fold.hpp" namespace "redcoll" nogil:
    # Only this module calls find_fold, because each module that calls find_fold compiles all loops.
    Fold find_fold(int op_code, int type_code)
    Fold function_fold(size_t address, size_t itemsize)


cdef Fold loops_of(int op_code, int type_code) noexcept:
    return find_fold(op_code, type_code)


cdef int find_loops(call, Fold* fold) except -1:
    cdef size_t address, itemsize
    if call.op.address_of is None:
        fold[0] = find_fold(call.op.code, call.element.code)
    else:
        address, itemsize = call.op.address_of(call.element.dtype), call.element.dtype.itemsize
        fold[0] = function_fold(address, itemsize)
    return 0


cdef inline Fold _loops(int op_code, int type_code, size_t function, size_t itemsize) noexcept:
    return function_fold(function, itemsize) if function else find_fold(op_code, type_code)


cdef class Vectors:
    """The addresses of arrays, which must be C-contiguous and have the same size."""

    cdef char** at
    cdef Py_buffer* _views
    cdef int n

    def __cinit__(self, arrays, bint is_writable):
        cdef int flags = PyBUF_WRITABLE if is_writable else PyBUF_SIMPLE
        cdef int room = len(arrays)
        self.at = <char**> calloc(room + 1, sizeof(char*))
        self._views = <Py_buffer*> calloc(room + 1, sizeof(Py_buffer))
        if self.at == NULL or self._views == NULL:
            raise MemoryError
        for array in arrays:
            PyObject_GetBuffer(array, &self._views[self.n], flags)
            self.at[self.n] = <char*> self._views[self.n].buf
            self.n += 1

    def __dealloc__(self):
        cdef int index
        for index in range(self.n):
            PyBuffer_Release(&self._views[index])
        free(self._views)
        free(self.at)

    cdef void move(self, Py_ssize_t n_bytes) noexcept:
        cdef int index
        for index in range(self.n):
            self.at[index] += n_bytes


def fold(int op_code, int type_code, operands, out, size_t count, size_t function=0):
    """Fold vectors into ``out``. Return False if there is no loop for the operation and type.

    ``function`` is the address of a compiled function of the program, which replaces the loop.
    """
    cdef Fold loop = _loops(op_code, type_code, function, out.itemsize)
    if loop == NULL:
        return False
    cdef Vectors sources = Vectors(operands, False)
    cdef Vectors into = Vectors((out,), True)
    with nogil:
        loop(<const char* const*> sources.at, sources.n, into.at[0], count)
    return True


def fold_segments(bytes table, operands, out):
    """Fold packed vectors, segment by segment. Return False if a segment has no compiled loop.

    ``table`` has four words for each segment: the codes of operation and type, the first byte, and
    the number of elements.
    """
    cdef const int64_t* rows = <const int64_t*> <const char*> table
    cdef int n_rows = len(table) // (4 * sizeof(int64_t))
    cdef Vectors sources, into
    cdef const char** at
    cdef int row, index
    for row in range(n_rows):
        if find_fold(rows[4 * row], rows[4 * row + 1]) == NULL:
            return False
    sources = Vectors(operands, False)
    into = Vectors((out,), True)
    at = <const char**> calloc(sources.n + 1, sizeof(char*))
    if at == NULL:
        raise MemoryError
    with nogil:
        for row in range(n_rows):
            for index in range(sources.n):
                at[index] = sources.at[index] + rows[2]
            find_fold(rows[0], rows[1])(at, sources.n, into.at[0] + rows[2], rows[3])
            rows += 4
    free(at)
    return True


def fold_to_many(int op_code, int type_code, operands, outs, size_t first, size_t count,
                 size_t itemsize, size_t function=0):
    """Fold a part of all sources into the same part of all targets; False if there is no loop."""
    cdef Fold loop = _loops(op_code, type_code, function, itemsize)
    if loop == NULL:
        return False
    cdef Vectors sources = Vectors(operands, False)
    cdef Vectors into = Vectors(outs, True)
    sources.move(first * itemsize)
    into.move(first * itemsize)
    with nogil:
        _fold_to_many(loop, <const char* const*> sources.at, sources.n, into.at, into.n, count,
                      itemsize)
    return True


def scan(int op_code, int type_code, operands, outs, size_t first, size_t count,
         size_t itemsize, bint is_inclusive, size_t function=0):
    """Compute a running fold over a part of vectors. Return False if there is no loop."""
    cdef Fold loop = _loops(op_code, type_code, function, itemsize)
    if loop == NULL:
        return False
    cdef Vectors sources = Vectors(operands, False)
    cdef Vectors into = Vectors(outs, True)
    sources.move(first * itemsize)
    into.move(first * itemsize)
    with nogil:
        _scan(loop, <const char* const*> sources.at, sources.n, into.at, is_inclusive, count,
              itemsize)
    return True


def fold_at(int op_code, int type_code, memory, starts, int own_index, own):
    """Fold arrays in ``memory`` and ``own``, which is operand ``own_index``, into ``own``.

    This can overwrite the first array in ``memory``. If there is no loop, do nothing and return
    False.
    """
    cdef Fold loop = find_fold(op_code, type_code)
    cdef Buffer room, into
    cdef const char** operands
    cdef char* out
    cdef int index, n = len(starts) + 1
    if loop == NULL:
        return False
    room.take(memory, True)
    into.take(own, True)
    operands = <const char**> calloc(n, sizeof(char*))
    if operands == NULL:
        raise MemoryError
    try:
        for index in range(n):
            if index == own_index:
                operands[index] = into.at()
            else:
                operands[index] = room.at() + <Py_ssize_t> starts[index - (index > own_index)]
        # A loop can write to its first or second operand, but not to a later one.
        out = into.at() if own_index < 2 else <char*> operands[0]
        with nogil:
            loop(operands, n, out, into.n_bytes() // into.itemsize())
            if own_index >= 2:
                memcpy(into.at(), out, into.n_bytes())
    finally:
        free(operands)
    return True
