from libc.stdint cimport int64_t

# Whether a profile is being recorded.
cdef bint is_on

cdef int64_t now() noexcept
cdef int add(object owner, int64_t key, object name, int64_t number, int64_t n_bytes,
             int64_t start, int64_t stop, void* way) except -1
