# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""Compute exact sums: functions of ``redcoll.superaccumulator``, compiled."""

from cpython.buffer cimport (
    PyBUF_C_CONTIGUOUS,
    PyBUF_WRITABLE,
    Py_buffer,
    PyBuffer_Release,
    PyObject_GetBuffer,
)
from libc.stdint cimport int64_t


cdef extern from "exact_sums.hpp" namespace "redcoll" nogil:
    void _accumulate "redcoll::accumulate"[T](int64_t*, int, const void*, size_t)
    void _accumulate_products "redcoll::accumulate_products"[T](
        int64_t*, const void*, const void*, size_t)
    void _round_sums "redcoll::round_sums"[T](int64_t*, size_t, size_t, void*)


cdef class _Memory:
    """Holds the buffer of a C-contiguous array while this object lives."""

    cdef Py_buffer view

    def __cinit__(self, array, bint is_writable):
        PyObject_GetBuffer(
            array, &self.view, PyBUF_C_CONTIGUOUS | (PyBUF_WRITABLE if is_writable else 0)
        )

    def __dealloc__(self):
        PyBuffer_Release(&self.view)


def accumulate(rows, numbers):
    """Add each row of ``numbers`` to one row of ``rows``, or to two for complex numbers."""
    cdef _Memory into = _Memory(rows, True), of = _Memory(numbers, False)
    cdef int parts = 2 if numbers.dtype.kind == "c" else 1
    cdef Py_ssize_t n = len(numbers), step = parts * rows.shape[1], row
    cdef Py_ssize_t count = parts * numbers.shape[1]
    cdef Py_ssize_t itemsize = of.view.itemsize // parts
    cdef int64_t* sums = <int64_t*> into.view.buf
    cdef const char* x = <const char*> of.view.buf
    with nogil:
        for row in range(n):
            if itemsize == 8:
                _accumulate[double](sums + row * step, parts, x, count)
            else:
                _accumulate[float](sums + row * step, parts, x, count)
            x += count * itemsize


def accumulate_products(row, a, b):
    """Add the products of two vectors of real numbers to a superaccumulator for products."""
    cdef _Memory into = _Memory(row, True), left = _Memory(a, False), right = _Memory(b, False)
    cdef int64_t* sums = <int64_t*> into.view.buf
    cdef size_t count = a.size
    with nogil:
        if left.view.itemsize == 8:
            _accumulate_products[double](sums, left.view.buf, right.view.buf, count)
        else:
            _accumulate_products[float](sums, left.view.buf, right.view.buf, count)


def round_sums(rows, out):
    """Write the rounded sum of each row to ``out``. This changes the rows."""
    cdef _Memory of = _Memory(rows, True), into = _Memory(out, True)
    cdef int64_t* sums = <int64_t*> of.view.buf
    cdef size_t n = len(rows), width = rows.shape[1]
    with nogil:
        if into.view.itemsize == 8:
            _round_sums[double](sums, n, width, into.view.buf)
        else:
            _round_sums[float](sums, n, width, into.view.buf)
