from libc.stdint cimport int64_t

from redcoll.kernels._compiled.machine cimport (
    COUNT,
    EXTRA,
    INLINE_AT,
    NOTED,
    SITES,
    SLOT_BITS,
    WORD,
)


cdef enum:
    # A wait polls in C for this time between two polls in Python.
    TURN_NS = 100000
    # If a team is on several nodes, a wait polls in C for this time before it polls in Python. With
    # several ranks on a core, most waits are shorter, and the interpreter stays out of the caches.
    PATIENCE_NS = 1000000


cdef bint learn_if_ours(void* code) except -1
cdef void* find_caller(int* instruction, void** entry) noexcept


cdef struct Site:
    # A call site that has a slot. The channel owns the reference.
    void* code
    int instruction
    # The number that the last profile gave to the site in calls of the function `entry`.
    int number, profile
    void* entry


cdef class Rounds:
    cdef public int64_t sequence
    cdef public bint unwaited
    # The round that an error message describes.
    cdef public int64_t disputed
    # Number of the current round minus the number of the round for which the caller waits.
    cdef public int64_t behind
    # All headers up to this round have been compared. Members can be `_ahead` rounds beyond it.
    cdef int64_t _settled
    cdef int _ahead, _batch
    # Whether this member ran ahead in the last round.
    cdef bint _is_ahead
    cdef char* _base
    cdef Py_ssize_t* _heads
    cdef Py_ssize_t* _rooms
    cdef Py_ssize_t _place_mask, _head_step, _room_step
    # For each place in the cycle of headers: the shape whose words are in this member's header.
    # It is NULL after `_post`.
    cdef const void** _writers
    cdef int _n, _me, _spin
    # A wait polls in C for this time before it first polls in Python.
    cdef int64_t patience_ns
    cdef object _start_wait, _raise_mismatch
    # This member's record of call sites. `_sites` has the sites by slot, and `_slots` has the slots
    # by a hash of the site.
    cdef int64_t* _record
    cdef Site _sites[SITES]
    cdef unsigned char _slots[256]
    cdef object _call_sites
    cdef int _misses
    # The slot of the last round's call site, and the code of the function that it called.
    cdef int _slot
    cdef void* _entry

    cdef inline int64_t* _head(self, int64_t sequence, int member) noexcept:
        return <int64_t*> (
            self._base + self._heads[member] + (sequence & self._place_mask) * self._head_step
        )

    cdef inline const void** _written_by(self, int64_t sequence) noexcept:
        return &self._writers[sequence & self._place_mask]

    cdef inline char* _payload(self, int64_t sequence, int member, bint is_inline) noexcept:
        if is_inline:
            return <char*> self._head(sequence, member) + INLINE_AT
        return self._base + self._rooms[member] + (sequence & 1) * self._room_step

    cdef inline int _note(self, int64_t sequence) except -1:
        """Record the present call site as the site of a round."""
        self._slot = self._find_site()
        self._record[sequence & (NOTED - 1)] = sequence << SLOT_BITS | self._slot
        return 0

    cdef int _find_site(self) except -1
    cdef int _new_site(self, void* code, int instruction, int place) except -2
    cdef int _post(self, int64_t word, int64_t count, int64_t extra, int64_t source,
                   int64_t target, int64_t status) except -1
    cdef int _round(self, int64_t word, int64_t count, int64_t extra, int64_t source=*,
                    int64_t target=*) except -1
    cdef bint _agrees(self, int64_t word, int64_t count, int64_t extra) noexcept
    cdef inline bint _says(self, int64_t sequence, int member, int64_t word, int64_t count,
                           int64_t extra) noexcept:
        """Return whether a member published these words in a recent round."""
        cdef int64_t* head = self._head(sequence, member)
        return head[WORD] == word and head[COUNT] == count and head[EXTRA] == extra

    cdef bint _match(self, int64_t sequence, int member) noexcept
    cdef inline int64_t _due(self) noexcept:
        """Return the round up to which all members compare headers now, if members run ahead."""
        if self.sequence % self._batch:
            return self._settled
        return self.sequence - self._ahead + self._batch
    cdef bint _settle(self, bint is_any_ahead) noexcept
    cpdef int catch_up(self) except -1
    cdef int _await(self) except -1
    cdef int _await_first(self, int n, int64_t sequence) except -1
    cdef object _wait(self, const int64_t* head, int64_t sequence, object poll)
