from libc.stdint cimport int64_t
from libcpp.vector cimport vector

from redcoll.kernels._compiled.folds cimport Fold

ctypedef int (*StartCall)(void* request) noexcept nogil
ctypedef int (*TestCall)(void* request, int* flag, void* status) noexcept nogil


cdef struct FoldOfTwo:
    char* to
    const char* of[2]
    size_t count


cdef struct Copy:
    char* to
    const char* of
    size_t n_bytes
    # Whether the copy reads the exchange's own vector.
    bint is_own


cdef struct Step:
    # Each pointer is NULL if the step has no such object. `receive` and `send` are persistent
    # requests. `into` is the place of a message without a header.
    void* receive
    void* send
    const char* message
    char* into
    int n_bytes, n_arriving, to, source
    const int64_t* header
    int n_packed, n_copies, n_folds
    bint waits


cdef class Plan:
    # Cython destroys vectors, but no arrays of vectors.
    cdef vector[vector[Step]] steps
    # The copies of all steps, in order. In each step the first `n_packed` fill the message.
    cdef vector[vector[Copy]] copies
    # The folds of all steps, in order, and their loop.
    cdef vector[vector[FoldOfTwo]] folds
    cdef Fold loop
    cdef size_t n_requests
    cdef object kept


cdef class MPIFunctions:
    cdef StartCall start
    cdef TestCall test
    cdef void* send
    cdef void* receive
    cdef bint has_pointers
    cdef object address_of, raise_error

    cdef void* handle(self, request) except? NULL
    cdef bint is_complete(self, void* request, int* code) noexcept nogil


cdef class CompiledExchange:
    # The plan of exchanges without a plan of their own.
    cdef public Plan short
    cdef MPIFunctions _functions
    cdef const void* _comm
    cdef const void* _byte
    cdef int _tag
    cdef int64_t _failed, one_way, _patience_ns
    cdef object _finish, _dispute, _memory
    cdef int64_t* words
    cdef int64_t* _own[2]
    cdef const char* _vector
    cdef size_t _vector_bytes
    # The state of the exchange that is being run.
    cdef int64_t _said[4]
    cdef int _step, _copy, _fold, _phase, _code, _n_sent, _n_posted, _awaited
    cdef bint _is_wrong
    cdef Py_ssize_t _to_source, _to_target
    cdef vector[void*] _sent
    cdef vector[int64_t] _requests
    # The request of the message that the present step receives; NULL if there is none.
    cdef void* _receiving
    cdef int64_t _arriving
    cdef int64_t* _header
    cdef const Step* _steps
    cdef const Copy* _copies
    cdef const FoldOfTwo* _folds
    cdef Fold _loop
    cdef int _n_steps

    cdef bint run(self, int64_t number, int64_t word, int64_t count, int64_t extra,
                  bint is_wrong, Plan plan, Py_ssize_t to_source=*, Py_ssize_t to_target=*) except -1
    cdef int _advance(self) noexcept nogil
    cdef void _make_copies(self, int n) noexcept nogil
    cdef void _make_folds(self, int n) noexcept nogil
    cdef void _receive(self, const Step* step) noexcept nogil
    cdef void _post(self, const Step* step) noexcept nogil
    cdef void _transfer(self, void* function, const void* message, int n_bytes, int node,
                        void* request) noexcept nogil
    cdef void* _next_request(self) noexcept nogil
    cdef void _await_later(self, void* request) noexcept nogil
    cdef bint _has_arrived(self) noexcept nogil
    cdef bint _is_complete(self, void* request) noexcept nogil
    cdef bint _finish_sends(self) noexcept nogil
    cdef bint _are_sent(self) noexcept nogil


cdef char* start_of(memory) except? NULL
