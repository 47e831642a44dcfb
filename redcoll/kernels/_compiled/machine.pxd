# Declarations of buffer.hpp, channel.hpp and copies.hpp, and the words of a header.

from libc.stdint cimport int64_t


cdef extern from "buffer.hpp" namespace "redcoll":
    cdef cppclass Buffer:
        int take(object, bint is_writable) except -1
        char* at() nogil
        Py_ssize_t n_bytes() nogil
        Py_ssize_t itemsize() nogil


cdef extern from "channel.hpp" namespace "redcoll" nogil:
    int64_t load_acquire(const int64_t* word)
    void store_release(int64_t* word, int64_t value)
    void store_fence()
    void load_fence()
    int64_t _compare_swap "redcoll::compare_swap"(
        int64_t* word, int64_t expected, int64_t value)
    void relax()
    void yield_core()
    int64_t now_ns()
    void demote(const void* line)
    bint overlap(const char* a, size_t a_bytes, const char* b, size_t b_bytes)


cdef extern from "copies.hpp" namespace "redcoll" nogil:
    void demote_all(const char* at, size_t n_bytes)
    void share_copy(char* to, const char* of, size_t n_bytes, bint is_past_caches)
    cdef cppclass CopyChoice:
        void begin(size_t n_bytes)
        bint is_past_caches()
        bint is_timed()
        void leave_out(int64_t ns)
        void end()


cdef enum:
    # tests/unit/test_layout.py compares all these constants with redcoll/protocol.
    # The words of a header.
    SEQUENCE, WORD, COUNT, EXTRA, SOURCE, TARGET, STATUS
    INLINE_BYTES = 8
    INLINE_AT = 56
    IN_ARENA = 0x4000000000000000
    # The bit of a word that asks for MPI itself.
    DELEGATED = 0x800000000000000
    # The record of a member's call sites.
    NOTED = 32, SLOT_BITS = 8, SITES = 64
    # Codes of collectives.
    ALLREDUCE = 2, REDUCE = 3, REDUCE_SCATTER = 4, SCAN = 5, EXSCAN = 6
    # The status of a member that runs ahead.
    AHEAD = -1
