# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""Compute exact sums: functions of ``redcoll.superaccumulator``, compiled."""

from libc.stdint cimport int64_t

from redcoll.kernels._compiled.machine cimport Buffer


cdef extern from "exact_sums.hpp" namespace "redcoll" nogil:
    void _accumulate "redcoll::accumulate"[T](int64_t*, int, const void*, size_t)
    void _accumulate_products "redcoll::accumulate_products"[T](
        int64_t*, const void*, const void*, size_t)
    void _round_sums "redcoll::round_sums"[T](int64_t*, size_t, size_t, void*)


def accumulate(rows, numbers):
    """Add each row of ``numbers`` to one row of ``rows``, or to two for complex numbers."""
    cdef Buffer into, of
    into.take(rows, True)
    of.take(numbers, False)
    cdef int parts = 2 if numbers.dtype.kind == "c" else 1
    cdef Py_ssize_t n = len(numbers), step = parts * rows.shape[1], row
    cdef Py_ssize_t count = parts * numbers.shape[1]
    cdef Py_ssize_t itemsize = of.itemsize() // parts
    cdef int64_t* sums = <int64_t*> into.at()
    cdef const char* x = of.at()
    with nogil:
        for row in range(n):
            if itemsize == 8:
                _accumulate[double](sums + row * step, parts, x, count)
            else:
                _accumulate[float](sums + row * step, parts, x, count)
            x += count * itemsize


def accumulate_products(row, a, b):
    """Add the products of two vectors of real numbers to a superaccumulator for products."""
    cdef Buffer into, left, right
    into.take(row, True)
    left.take(a, False)
    right.take(b, False)
    cdef int64_t* sums = <int64_t*> into.at()
    cdef size_t count = a.size
    with nogil:
        if left.itemsize() == 8:
            _accumulate_products[double](sums, left.at(), right.at(), count)
        else:
            _accumulate_products[float](sums, left.at(), right.at(), count)


def round_sums(rows, out):
    """Write the rounded sum of each row to ``out``. This changes the rows."""
    cdef Buffer of, into
    of.take(rows, True)
    into.take(out, True)
    cdef int64_t* sums = <int64_t*> of.at()
    cdef size_t n = len(rows), width = rows.shape[1]
    with nogil:
        if into.itemsize() == 8:
            _round_sums[double](sums, n, width, into.at())
        else:
            _round_sums[float](sums, n, width, into.at())
