from libc.stdint cimport int64_t

# Whether a profile is being recorded, and how many profiles have begun.
cdef bint is_on
cdef int profiles


cdef extern from "recorder.hpp" namespace "redcoll":
    cdef cppclass TickClock:
        int64_t now()
        void moment(int64_t* tick, int64_t* ns)


cdef struct CallSite:
    # A place of the program, and the function that it called; all are NULL if they are unknown.
    void* code
    int instruction
    void* entry


cdef int add(object owner, int64_t key, object name, int64_t number, int64_t n_bytes,
             int64_t start, int64_t stop, void* way, CallSite at) except -2
cdef void add_again(int site, int64_t number, int64_t n_bytes, int64_t start,
                    int64_t stop) noexcept
