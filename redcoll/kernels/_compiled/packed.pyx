# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""Reduce several values that are packed into one vector."""

from cpython.buffer cimport (
    PyBUF_SIMPLE,
    PyBUF_WRITABLE,
    PyBuffer_Release,
    PyObject_GetBuffer,
)
from libc.stdint cimport int64_t

from redcoll.kernels._compiled.folds cimport loops_of
from redcoll.kernels._compiled.machine cimport ALLREDUCE, INLINE_BYTES, share_copy
from redcoll.kernels._compiled.pipeline cimport Pipeline, Work


cdef class Packed(Pipeline):
    """A channel that reduces packed vectors."""

    def small_segments(self, call, bytes table, bytes data, out):
        """Reduce packed vectors in one round, if each segment has a compiled loop."""
        cdef const int64_t* rows = <const int64_t*> <const char*> table
        cdef const char* source = data
        cdef int n_rows = len(table) // (4 * sizeof(int64_t))
        cdef bint is_inline = len(data) <= INLINE_BYTES
        cdef int row, index
        cdef Py_buffer into
        for row in range(n_rows):
            if loops_of(rows[4 * row], rows[4 * row + 1]) == NULL:
                return False
        if self.unwaited:
            self.catch_up()
        share_copy(self._payload(self.sequence + 1, self._me, is_inline), source, len(data), False)
        self._round(call.word, call.count, call.extra)
        if out is None:
            return True
        PyObject_GetBuffer(out, &into, PyBUF_WRITABLE)
        for row in range(n_rows):
            for index in range(self._n):
                self._operands[index] = (
                    source if index == self._me else self._payload(self.sequence, index, is_inline)
                ) + rows[2]
            loops_of(rows[0], rows[1])(
                self._operands, self._n, <char*> into.buf + rows[2], rows[3])
            rows += 4
        PyBuffer_Release(&into)
        return True

    def long_segment(self, call, int op_code, int type_code, source, target):
        """Reduce a long packed vector that is one segment, if the segment has a compiled loop."""
        cdef Work work
        cdef Py_buffer of, into
        work.fold = loops_of(op_code, type_code)
        if work.fold == NULL:
            return False
        PyObject_GetBuffer(source, &of, PyBUF_SIMPLE)
        try:
            into.buf, into.len = NULL, 0
            if target is not None:
                PyObject_GetBuffer(target, &into, PyBUF_WRITABLE)
            try:
                work.collective, work.root = ALLREDUCE, -1
                work.word, work.count, work.extra = call.word, call.count, call.extra
                work.source_bytes, work.itemsize = of.len, source.itemsize
                work.first_byte, work.target_bytes = 0, into.len
                work.offsets = NULL
                if self.unwaited:
                    self.catch_up()
                self._run(&work, <const char*> of.buf, <char*> into.buf, -1, -1)
            finally:
                if target is not None:
                    PyBuffer_Release(&into)
        finally:
            PyBuffer_Release(&of)
        return True
