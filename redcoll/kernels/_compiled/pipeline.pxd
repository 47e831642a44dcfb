from libc.stdint cimport int64_t

from redcoll.kernels._compiled.folds cimport Fold
from redcoll.kernels._compiled.machine cimport CopyChoice
from redcoll.kernels._compiled.rounds cimport Rounds


cdef struct Work:
    # A call: its collective, root and size.
    int collective
    int root
    Py_ssize_t source_bytes
    # The published words.
    int64_t word
    int64_t count
    int64_t extra
    # The loops, and the part of the result that this member gets.
    Fold fold
    Py_ssize_t itemsize
    Py_ssize_t first_byte
    Py_ssize_t target_bytes
    size_t target_count
    # The start of each block and the end of the last one, in bytes. Used by a long reduce_scatter
    # in which each member folds only its own block; otherwise NULL.
    Py_ssize_t* offsets
    # The places of the vectors of a call that `WideCalls` performs; otherwise NULL.
    void* places


cdef class WideCalls:
    # The known calls of a team on several nodes. `kept` are the arrays of a call that failed while
    # MPI used them, because MPI may use them later.
    cdef bint uses_arrays
    cdef object kept
    cdef int perform(self, Work* work, int members, const char* source, char* target) except -1


cdef struct Piece:
    # A chunk of a vector, in bytes, and this member's slice, counted from the chunk's start.
    int side
    Py_ssize_t start, stop, first, last


cdef class Pipeline(Rounds):
    cdef Py_ssize_t* _stages
    cdef Py_ssize_t _results, _chunk_bytes
    cdef const char** _operands
    cdef char** _targets
    cdef char** _heaps
    cdef char** _arenas
    cdef CopyChoice _copies

    cdef Py_ssize_t* _in_bytes(self, offsets, Py_ssize_t itemsize) except NULL
    cdef int _run(self, Work* work, const char* source, char* target, int64_t at_source,
                  int64_t at_target) except -1
    cdef int _staged_round(self, Work* work, int64_t at_source=*, int64_t at_target=*) except -1
    cdef char* _at(self, int index, int64_t place) noexcept
    cdef void _fold_direct(self, Work* work, char* own) noexcept
    cdef int _fold_staged(self, Work* work, const char* source, char* target) except -1
    cdef int _fold_parts(self, Work* work, const char* source, char* target) except -1
    cdef int _scan_staged(self, Work* work, const char* source, char* target) except -1
    cdef void _stage_first(self, Work* work, Piece* piece, const char* source,
                           bint is_scan) noexcept
    cdef Py_ssize_t _part_bytes(self, Py_ssize_t itemsize) noexcept nogil
    cdef void _stage_parts(self, Work* work, Py_ssize_t chunk, const char* source) noexcept
    cdef Py_ssize_t _chunks(self, Work* work) noexcept
    cdef void _stage(self, Piece* piece, const char* source, bint is_whole) noexcept
    cdef void _fold(self, Piece* piece, Fold fold, size_t itemsize, const char* source,
                    char* own) noexcept nogil
    cdef void _copy_out(self, Piece* piece, char* into, Py_ssize_t at, Py_ssize_t n_bytes,
                        bint has_own) noexcept nogil
    cdef void _cut(self, Piece* piece, Py_ssize_t chunk, Py_ssize_t n_bytes,
                   Py_ssize_t itemsize) noexcept nogil
    cdef void _slice(self, Py_ssize_t n_bytes, Py_ssize_t itemsize, Py_ssize_t* first,
                     Py_ssize_t* last) noexcept nogil
