# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""Run the rounds of a channel: publish, wait, compare."""

from cpython.buffer cimport PyBUF_WRITABLE, PyBuffer_Release, PyObject_GetBuffer
from cpython.ref cimport Py_DECREF, Py_INCREF
from libc.stdint cimport int64_t, uint64_t
from libc.stdlib cimport calloc, free

from redcoll.kernels._compiled.machine cimport (
    AHEAD,
    COUNT,
    EXTRA,
    SITES,
    SOURCE,
    STATUS,
    TARGET,
    WORD,
    demote,
    load_acquire,
    now_ns,
    relax,
    store_release,
    yield_core,
)

from redcoll.protocol.call_sites import CallSites, is_ours, site_of


cdef extern from "frames.hpp" namespace "redcoll":
    cdef cppclass Frame:
        pass
    Frame* top_frame()
    Frame* previous_frame(Frame* frame)
    void* code_of(Frame* frame)
    int instruction_of(Frame* frame)
    bint has_frames()


cdef enum:
    # The size of the table below: a power of two, so large that most places stay free.
    OURS = 4096


# The known code objects of redcoll. This is a hash table by address, with open addressing.
cdef void* _ours[OURS]
cdef list _kept_ours = []


cdef inline int _hash(void* code, int instruction) noexcept:
    return <int> ((<uint64_t> code >> 4) + <uint64_t> instruction * 37)


cdef inline bint _is_ours(void* code) noexcept:
    cdef int place = _hash(code, 0) & (OURS - 1)
    while _ours[place] != NULL:
        if _ours[place] == code:
            return True
        place = (place + 1) & (OURS - 1)
    return False


cdef bint learn_if_ours(void* code) except -1:
    """Return whether this code belongs to redcoll. If so, keep the code in the table."""
    cdef int place = _hash(code, 0) & (OURS - 1)
    owner = <object> code
    if not is_ours(owner):
        return False
    if len(_kept_ours) < OURS // 2 and not _is_ours(code):
        _kept_ours.append(owner)
        while _ours[place] != NULL:
            place = (place + 1) & (OURS - 1)
        _ours[place] = code
    return True


cdef void* find_caller(int* instruction, void** entry) noexcept:
    """Return the code of the innermost frame that is not known to be redcoll's; NULL without one.

    ``entry`` receives the code of redcoll's function that this frame called.
    """
    cdef Frame* frame = top_frame()
    cdef void* code
    while frame != NULL:
        code = code_of(frame)
        if code != NULL:
            if not _is_ours(code):
                instruction[0] = instruction_of(frame)
                return code
            entry[0] = code
        frame = previous_frame(frame)
    return NULL


cdef class Rounds:
    """The methods of a channel that each round uses."""

    def __cinit__(self, scratch, int me, int spin, fence, hooks):
        cdef int index
        cdef Py_buffer window
        self._n = len(scratch.stages)
        self._me = me
        self._spin = spin
        self._start_wait = hooks.start_wait
        self._raise_mismatch = hooks.raise_mismatch
        self.patience_ns = TURN_NS
        self._ahead = scratch.depth // 2
        self._batch = max(self._ahead // 4, 1)
        self._place_mask = scratch.depth - 1
        self._head_step = scratch.head_step
        self._room_step = scratch.room_step
        self._call_sites = CallSites(scratch.memory, scratch.records, me)
        self._heads = <Py_ssize_t*> calloc(2 * self._n, sizeof(Py_ssize_t))
        self._rooms = self._heads + self._n
        self._writers = <const void**> calloc(scratch.depth, sizeof(void*))
        if self._heads == NULL or self._writers == NULL:
            raise MemoryError
        # The window outlives the channel, so the channel keeps only the address. If the channel
        # kept the buffer, the garbage collector could not clear the team's memoryviews.
        PyObject_GetBuffer(scratch.memory, &window, PyBUF_WRITABLE)
        self._base = <char*> window.buf
        PyBuffer_Release(&window)
        self._record = <int64_t*> (self._base + <Py_ssize_t> scratch.records[me])
        for index in range(self._n):
            self._heads[index] = scratch.heads[index]
            self._rooms[index] = scratch.rooms[index]

    def __dealloc__(self):
        cdef int slot
        for slot in range(SITES):
            if self._sites[slot].code != NULL:
                Py_DECREF(<object> self._sites[slot].code)
        free(self._writers)
        free(self._heads)

    @property
    def call_sites(self):
        """The call sites that the members of the node have recorded."""
        return self._call_sites

    def note_site(self, int64_t sequence):
        """Record the present call site as the site of a round."""
        if has_frames():
            self._note(sequence)
        else:
            self._call_sites.note(sequence)

    cdef int _find_site(self) except -1:
        """Return the slot of the present call site; 0 if there is none."""
        cdef Frame* frame = top_frame()
        cdef void* code
        cdef int instruction, place, slot
        self._entry = NULL
        while frame != NULL:
            code = code_of(frame)
            if code != NULL and not _is_ours(code):
                instruction = instruction_of(frame)
                place = _hash(code, instruction) & 255
                slot = self._slots[place]
                if (self._sites[slot].code == code
                        and self._sites[slot].instruction == instruction):
                    return slot
                slot = self._new_site(code, instruction, place)
                if slot >= 0:
                    return slot
            if code != NULL:
                self._entry = code
            frame = previous_frame(frame)
        return 0

    cdef int _new_site(self, void* code, int instruction, int place) except -2:
        """Return the slot of a call site that is not in the hash table; -1 for code of redcoll."""
        cdef int slot
        for slot in range(1, SITES):
            if self._sites[slot].code == code and self._sites[slot].instruction == instruction:
                self._slots[place] = slot
                return slot
        if learn_if_ours(code):
            return -1
        owner = <object> code
        # If a program has more call sites than slots, most calls would have to replace a slot. So
        # after SITES misses, only one miss in SITES records its call site.
        self._misses += 1
        if self._misses >= SITES and self._misses % SITES:
            return 0
        slot = self._call_sites.new_slot(site_of(owner, instruction))
        Py_INCREF(owner)
        if self._sites[slot].code != NULL:
            Py_DECREF(<object> self._sites[slot].code)
        self._sites[slot] = Site(code, instruction, 0, 0, NULL)
        self._slots[place] = slot
        return slot

    def publish(self, int64_t word, int64_t count, int64_t extra, int64_t source,
                int64_t target, int64_t status):
        """Publish a header, which begins a round, without waiting for other members."""
        if self.unwaited:
            self.catch_up()
        self._post(word, count, extra, source, target, status)

    cdef int _post(self, int64_t word, int64_t count, int64_t extra, int64_t source,
                   int64_t target, int64_t status) except -1:
        cdef int64_t sequence = self.sequence + 1
        self._note(sequence)
        cdef int64_t* head = self._head(sequence, self._me)
        self.sequence = sequence
        self._written_by(sequence)[0] = NULL
        head[WORD] = word
        head[COUNT] = count
        head[EXTRA] = extra
        head[SOURCE] = source
        head[TARGET] = target
        head[STATUS] = status
        # Release: a member that reads this number sees the words above, and everything that the
        # caller stored into shared memory before.
        store_release(head, sequence)
        if self._spin:
            demote(head)
        return 0

    cdef int _round(self, int64_t word, int64_t count, int64_t extra, int64_t source=-1,
                    int64_t target=-1) except -1:
        """Publish a header, wait for the headers of all members, and compare them."""
        self._post(word, count, extra, source, target, 0)
        self._await()
        if not self._agrees(word, count, extra):
            self._raise_mismatch(self)
        return 0

    def await_all(self):
        """Wait until every member has published its header of the current round."""
        self._await()

    def round(self, int64_t word, int64_t count=0, int64_t extra=0, int64_t source=-1,
              int64_t target=-1):
        """Publish a header, wait for the headers of all members, and compare them."""
        if self.unwaited:
            self.catch_up()
        self._round(word, count, extra, source, target)

    def agrees(self, int64_t word, int64_t count, int64_t extra):
        """Return whether all members published these words in this round.

        Call ``await_all`` first.
        """
        return self._agrees(word, count, extra)

    def exchange(self, call, source):
        """Publish ``source`` in one round; return the vectors of all members, in order."""
        if self.unwaited:
            self.catch_up()
        views = call.views[(self.sequence + 1) % <int64_t> len(call.views)]
        views[self._me][...] = source
        self.round(call.word, call.count, call.extra)
        return views

    def locations(self):
        """Return the heap offsets of all members' sources and targets in this round."""
        cdef int64_t sequence = self.sequence
        return (
            tuple([self._head(sequence, index)[SOURCE] for index in range(self._n)]),
            tuple([self._head(sequence, index)[TARGET] for index in range(self._n)]),
        )

    cdef bint _agrees(self, int64_t word, int64_t count, int64_t extra) noexcept:
        """Return whether all members agree in this round and in earlier, uncompared rounds."""
        cdef int index
        cdef bint do_agree = True, is_any_ahead = False
        cdef int64_t sequence = self.sequence
        for index in range(self._n):
            is_any_ahead |= self._head(sequence, index)[STATUS] == AHEAD
            if index != self._me:
                do_agree &= self._says(sequence, index, word, count, extra)
        self.disputed = sequence
        return self._settle(is_any_ahead) and do_agree

    cdef bint _settle(self, bint is_any_ahead) noexcept:
        """Compare the headers of earlier rounds that are due; return whether all members agreed.

        The last compared round is the same on all members, so all members raise in the same call.
        """
        cdef int64_t upto = self._due() if is_any_ahead else self.sequence
        cdef int64_t end = min(upto + 1, self.sequence)
        cdef int64_t first = end
        cdef int64_t sequence
        cdef int index
        # Another member can be one round ahead. That member has then reused its header of round
        # `self.sequence + 1 - depth`. So begin after that round, which has been compared before.
        cdef int64_t begin = max(self._settled + 1, self.sequence + 1 - self._place_mask)
        if begin < end:
            for index in range(self._n):
                for sequence in range(begin, first):
                    if not self._match(sequence, index):
                        first = sequence
                        break
        self._settled = max(self._settled, upto)
        if first < end:
            self.disputed = first
        return first == end

    cdef bint _match(self, int64_t sequence, int member) noexcept:
        """Return whether a member published the same words as the caller in a recent round."""
        cdef int64_t* own = self._head(sequence, self._me)
        return self._says(sequence, member, own[WORD], own[COUNT], own[EXTRA])

    cpdef int catch_up(self) except -1:
        """Wait for a round that this member declined, or in which it ran ahead."""
        cdef int index
        cdef bint is_any_ahead = False
        self._await()
        if not self._is_ahead:
            for index in range(self._n):
                is_any_ahead |= self._head(self.sequence, index)[STATUS] == AHEAD
            # A member that declined raises its own error. The other members report the mismatch.
            self._settle(is_any_ahead)
        self.unwaited = self._is_ahead = False
        return 0

    cdef int _await(self) except -1:
        """Wait until every member has published its header of the current round.

        Acquire: everything that members wrote before their headers is visible afterwards.
        """
        return self._await_first(self._n, self.sequence)

    cdef int _await_first(self, int n, int64_t sequence) except -1:
        """Wait until the first ``n`` members have published a recent round."""
        cdef int member, look
        cdef int64_t* head
        cdef object poll = None
        for member in range(n):
            if member == self._me:
                continue
            head = self._head(sequence, member)
            for look in range(self._spin):
                if load_acquire(head) >= sequence:
                    break
                relax()
            while load_acquire(head) < sequence:
                self.behind = self.sequence - sequence
                poll = self._wait(head, sequence, poll)
        self.behind = 0
        return 0

    cdef object _wait(self, const int64_t* head, int64_t sequence, object poll):
        """Spin or yield for ``patience_ns``. If the member is still late, poll in Python."""
        cdef int64_t until
        cdef bint has_arrived = False
        # A rank that yields to another program loses its core for milliseconds. So a rank with a
        # core of its own spins for the first 0.1 ms, which is longer than most waits.
        cdef bint keeps_core = poll is None and self._spin
        with nogil:
            until = now_ns() + (self.patience_ns if poll is None else TURN_NS)
            while not has_arrived and now_ns() < until:
                if keeps_core:
                    relax()
                else:
                    yield_core()
                has_arrived = load_acquire(head) >= sequence
        if not has_arrived:
            if poll is None:
                poll = self._start_wait(self)
            # If poll() returns true, it also sleeps, and so there is no need to yield in C.
            while poll() and load_acquire(head) < sequence:
                pass
        return poll
