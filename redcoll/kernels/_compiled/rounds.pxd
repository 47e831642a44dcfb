from libc.stdint cimport int64_t


cdef class Rounds:
    cdef public int64_t sequence
    cdef public bint unwaited
    # What the next post has to take along to other nodes.
    cdef public int64_t carried
    # On several nodes: who carries this node's posts, if it is this PE; whether the vectors of
    # this node have been folded into the first; members on this node, first ones of all nodes.
    cdef public object courier
    cdef public bint is_folded
    cdef int* _near
    cdef int _n_near
    cdef int* _firsts
    cdef int _n_nodes
    cdef int64_t _by_nodes
    cdef char* _base
    cdef Py_ssize_t* _starts
    # Whose words this PE's heads hold, if it was not `_post` that wrote them.
    cdef const void* _posted[2]
    cdef int _n, _me, _spin
    cdef object _turns, _disagree, _give_up

    cdef inline int64_t* _head(self, int parity, int member) noexcept:
        return <int64_t*> (self._base + self._starts[parity * self._n + member])

    cdef void _post(self, int64_t word, int64_t count, int64_t extra, int64_t source,
                    int64_t target, int64_t status) noexcept
    cdef int _round(self, int64_t word, int64_t count, int64_t extra, int64_t source=*,
                    int64_t target=*) except -1
    cdef bint _agrees(self, int parity, int64_t word, int64_t count, int64_t extra) noexcept
    cdef int _catch_up(self) except -1
    cdef int _await(self) except -1
    cdef int _await_near(self) except -1
    cdef int _await_these(self, const int* members, int n) except -1
    cdef object _wait(self, const int64_t* head, int64_t sequence, object turn)
