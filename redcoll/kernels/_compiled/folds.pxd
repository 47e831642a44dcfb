cdef extern from "fold.hpp" namespace "redcoll" nogil:
    # The loops of an operation on a type. The object equals NULL if there are none.
    ctypedef void (*Fold)(const char* const* sources, int n, char* out, size_t count)
    void _fold_to_many "redcoll::fold_to_many"(
        Fold fold, const char* const* sources, int n, char* const* targets, int m,
        size_t count, size_t itemsize)
    void _scan "redcoll::scan"(
        Fold fold, const char* const* sources, int n, char* const* targets,
        bint inclusive, size_t count, size_t itemsize)
    void fold_and_share(
        Fold fold, const char* const* sources, int n, char* own, char* shared, size_t count,
        size_t itemsize, bint is_past_caches)
    bint is_of_program(Fold fold)


# Return the loops for the codes of an operation and a type.
cdef Fold loops_of(int op_code, int type_code) noexcept
# Find the loops of a call, or the compiled function of the program.
cdef int find_loops(call, Fold* fold) except -1
