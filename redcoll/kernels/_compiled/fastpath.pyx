# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""Perform a whole reduction in one compiled call, if the channel knows the shape of the call.

The shape is the collective with its operation, root, element type and sizes. This module is longer
than 400 lines because a Cython class must be in one module.
"""

from cpython.buffer cimport (
    PyBUF_ANY_CONTIGUOUS,
    PyBUF_C_CONTIGUOUS,
    PyBUF_FORMAT,
    PyBUF_SIMPLE,
    PyBUF_WRITABLE,
    PyBuffer_Release,
    PyObject_GetBuffer,
)
from cpython.exc cimport PyErr_Clear
cimport cython
from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.stdlib cimport free, realloc
from libc.string cimport memcmp, memmove, strcmp, strcpy, strlen

from redcoll.kernels._compiled.folds cimport Fold, find_loops, is_of_program
from redcoll.kernels._compiled.pipeline cimport Pipeline, WideCalls, Work
from redcoll.kernels._compiled.recorder cimport (
    CallSite,
    TickClock,
    add as record,
    add_again as record_again,
    is_on as is_recording,
    profiles as profile,
)
from redcoll.kernels._compiled.rounds cimport Site
from redcoll.kernels._compiled.machine cimport (
    AHEAD,
    ALLREDUCE,
    COUNT,
    EXSCAN,
    EXTRA,
    INLINE_BYTES,
    IN_ARENA,
    REDUCE,
    REDUCE_SCATTER,
    SCAN,
    STATUS,
    WORD,
    demote,
    demote_all,
    overlap,
    share_copy,
    store_release,
)

from numpy cimport (
    NPY_ARRAY_C_CONTIGUOUS,
    NPY_ARRAY_F_CONTIGUOUS,
    NPY_ARRAY_WRITEABLE,
    PyArray_BYTES,
    PyArray_DESCR,
    PyArray_FLAGS,
    PyArray_NBYTES,
    import_array,
    ndarray,
)

from numpy import integer as _integer

from redcoll.ops import Op as _Op
from redcoll.protocol.descriptor import REDUCTIONS

import_array()


cdef extern from "Python.h":
    # With noexcept, Cython does not raise the exception of a failure. Callers check the result.
    int try_buffer "PyObject_GetBuffer"(object, Py_buffer*, int) noexcept
    int64_t as_int64 "PyLong_AsLongLongAndOverflow"(object, int*) noexcept


cdef enum:
    # A channel keeps at most KNOWN shapes, and its array of shapes has FIRST_KNOWN places at first.
    # Both numbers are powers of two.
    KNOWN = 1024
    FIRST_KNOWN = 16
    # The bit in the code of a collective that marks a call on several nodes.
    WIDE = 256
    # The largest number of type names that are kept.
    NAMES = 16
    FORMAT_BYTES = 32


cdef struct Shape:
    # A call is recognised by these fields and those of `work`. The channel keeps the operation and
    # the dtype alive. The dtype is compared by identity first, and then by its format.
    void* op
    void* dtype
    int64_t mark
    Work work
    char format[FORMAT_BYTES]
    bint has_target
    bint is_long
    # Small calls use these four fields: the status word of the header, whether the header has the
    # vector, whether the call can run ahead, and the number of members whose vectors are folded.
    int64_t status
    bint is_inline
    bint may_go_ahead
    int members
    # The index of the next shape with the same place in the table; -1 if there is none.
    int following


cdef inline bint _is_writeable(ndarray array) noexcept:
    # The highest flag marks results of broadcast_arrays. NumPy warns if a program writes to them.
    return PyArray_FLAGS(array) & (NPY_ARRAY_WRITEABLE | <int> (1u << 31)) == NPY_ARRAY_WRITEABLE


cdef struct Block:
    const char* start
    const char* stop


cdef class _HeapWatch:
    """The known live blocks of the symmetric heap. They are valid for one value of the epoch."""

    cdef const char* start
    cdef const char* stop
    cdef Py_buffer _words
    cdef const int64_t* _epoch
    cdef int64_t _known_at
    # Sorted by address. Live blocks do not overlap.
    cdef Block* _blocks
    cdef Py_ssize_t _known, _room

    def __init__(self, size_t start, size_t stop, epoch):
        PyObject_GetBuffer(epoch, &self._words, PyBUF_SIMPLE)
        self._epoch = <const int64_t*> self._words.buf
        self.start = <const char*> start
        self.stop = <const char*> stop

    def __dealloc__(self):
        free(self._blocks)

    cdef void vouch(self, const char* start, const char* stop) noexcept:
        cdef Py_ssize_t at, room
        cdef Block* blocks
        if self._known_at != self._epoch[0]:
            self._known_at = self._epoch[0]
            self._known = 0
        at = self._up_to(start)
        if at and self._blocks[at - 1].start == start:
            return
        if self._known == self._room:
            room = max(16, 2 * self._room)
            blocks = <Block*> realloc(self._blocks, room * sizeof(Block))
            if blocks == NULL:
                return  # every call then does its checks
            self._blocks, self._room = blocks, room
        memmove(&self._blocks[at + 1], &self._blocks[at], (self._known - at) * sizeof(Block))
        self._blocks[at].start, self._blocks[at].stop = start, stop
        self._known += 1

    cdef Py_ssize_t _up_to(self, const char* at) noexcept:
        """Return the number of known blocks that start at this address or before."""
        cdef Py_ssize_t low = 0, high = self._known, middle
        while low < high:
            middle = (low + high) // 2
            if self._blocks[middle].start <= at:
                low = middle + 1
            else:
                high = middle
        return low

    cdef int64_t offset(self, const char* at) noexcept:
        """Return the offset from the start of the heap; -1 outside the heap."""
        return at - self.start if self.start <= at < self.stop else -1

    cdef bint is_safe(self, const char* at, Py_ssize_t n_bytes) noexcept:
        """Return whether memory is outside the heap, or in a block that is known to be live."""
        cdef Py_ssize_t index
        if self._epoch == NULL or at < self.start or at >= self.stop:
            return True
        if self._known_at != self._epoch[0]:
            return False
        index = self._up_to(at)
        return index > 0 and at + n_bytes <= self._blocks[index - 1].stop


cdef TickClock _clock
cdef void* _names[NAMES]
cdef void* _named[NAMES]
cdef int _known_names = 0
cdef list _kept_names = [None] * NAMES


def know_name(name, dtype):
    """Let ``small`` accept ``[array, name]`` with this name object if the array has this dtype."""
    global _known_names
    cdef int index
    for index in range(min(_known_names, <int> NAMES)):
        if _names[index] == <void*> name and _named[index] == <void*> dtype:
            return
    index = _known_names % NAMES
    _names[index], _named[index] = <void*> name, <void*> dtype
    _kept_names[index] = name, dtype
    _known_names += 1


cdef object _array_of(message, void** name):
    """Return the array of ``[array, name]`` if its dtype has this name; otherwise None."""
    cdef int index
    if (type(message) is not list and type(message) is not tuple) or len(message) != 2:
        return None
    array, of = message
    if type(array) is not ndarray:
        return None
    cdef object dtype = array.dtype
    for index in range(min(_known_names, <int> NAMES)):
        if _names[index] == <void*> of and _named[index] == <void*> dtype:
            name[0] = <void*> of
            return array
    return None


cdef _HeapWatch _heap = _HeapWatch.__new__(_HeapWatch)
cdef const char* _arena_start = NULL
cdef const char* _arena_stop = NULL
# The number of channels that this process has made.
cdef int64_t _channels = 0


cdef int _vouch(blocks) except -1:
    cdef size_t start, stop
    for start, stop in blocks:
        _heap.vouch(<const char*> start, <const char*> stop)
    return 0


def know_heap(size_t start, size_t stop, epoch):
    """Set the bounds of this rank's symmetric heap, and the word that each free increments."""
    global _heap
    _heap = _HeapWatch(start, stop, epoch)


def know_arena(size_t start, size_t stop):
    """Set the bounds of the arena of this process."""
    global _arena_start, _arena_stop
    _arena_start, _arena_stop = <const char*> start, <const char*> stop


cdef class FastPath(Pipeline):
    """A channel with its fast path."""

    # The team, the bytes of the source of the last call, and this channel's number in the process.
    cdef public object team
    cdef Py_ssize_t _source_bytes
    cdef int64_t _number

    # Performs the known calls of a team on several nodes, to which the members of this channel
    # belong; None if there is no such team. This channel knows the shapes of these calls.
    cdef public WideCalls wide

    # The heap of this rank when `_heaps` was filled.
    cdef _HeapWatch _heaps_of
    # Whether every member can address the arenas of all members.
    cdef bint _has_arenas
    cdef Shape* _shapes
    cdef int _learnt, _room
    # The index of the first shape of each place in the table; -1 if there is none.
    cdef int _firsts_of[KNOWN]
    # Keep alive the objects that the shapes point to.
    cdef list _ops, _dtypes
    cdef uint32_t _draw
    recognizes = REDUCTIONS
    learns_long = True
    records_calls = True

    def __cinit__(self, scratch, int me, int spin, fence, hooks):
        global _channels
        cdef int place
        self.team = hooks
        _channels += 1
        self._number = _channels
        self._ops, self._dtypes = [], []
        self._draw = 1
        for place in range(KNOWN):
            self._firsts_of[place] = -1

    def __dealloc__(self):
        cdef int index
        for index in range(self._learnt):
            free(self._shapes[index].work.offsets)
        free(self._shapes)

    def trust(self, call, target, source, op, blocks):
        """Record that these blocks of the heap, which hold the arrays of a call, are live."""
        _vouch(blocks)

    def learn(self, call, int collective, int root, int64_t mark, source, int members,
              Py_ssize_t first, Py_ssize_t last):
        """Remember the shape of a small call, so that ``small`` recognises this shape.

        A later shape can replace it.
        """
        cdef Shape* shape = self._learn(call, collective, root, mark, source, first, last)
        if shape != NULL:
            shape.is_long = False
            shape.is_inline = shape.work.source_bytes <= INLINE_BYTES
            shape.members = members
            # A member that needs the vectors of all members cannot run ahead.
            shape.may_go_ahead = (
                self._ahead > 1 and shape.is_inline and members < self._n
                and (collective == REDUCE or collective == SCAN or collective == EXSCAN)
            )
            shape.status = AHEAD if shape.may_go_ahead else 0
            shape.has_target = members > 0 or root < 0

    def learn_wide(self, call, int collective, int root, int64_t mark, source, int members,
                   Py_ssize_t first, Py_ssize_t last):
        """Remember the shape of a call on several nodes, so that ``small_wide`` recognises it."""
        cdef Shape* shape = self._learn(call, collective | WIDE, root, mark, source, first, last)
        if shape != NULL:
            # Only the branch for long calls looks at the places, so that a small call on one node
            # takes no time for it.
            shape.is_long = True
            shape.members = members
            shape.has_target = members > 0 or root < 0
            # Keep the places first, because this can fail.
            self._ops[shape - self._shapes] = call.op, call.views.prepared
            shape.work.places = <void*> call.views.prepared

    def learn_long(self, call, int collective, int root, int64_t mark, source,
                   Py_ssize_t first, Py_ssize_t last, heaps, arenas, blocks, offsets):
        """Remember the shape of a long call, so that ``small`` recognises this shape.

        Parameters
        ----------
        first, last
            The part of the result that this member gets.
        heaps
            The addresses of the members' heaps in this process; None if there are none.
        arenas
            The addresses of the members' arenas in this process; None unless all members have them.
        blocks
            Start and stop of the live heap blocks that hold the arrays.
        offsets
            The start of each member's block and the end of the last one, if each member
            folds only its own block; otherwise None.
        """
        cdef Shape* shape = self._learn(call, collective, root, mark, source, first, last)
        cdef int index
        cdef size_t address
        _vouch(blocks)
        if shape != NULL:
            shape.is_long = True
            shape.work.itemsize = call.element.dtype.itemsize
            if offsets is not None:
                shape.work.offsets = self._in_bytes(offsets, shape.work.itemsize)
            shape.has_target = root < 0 or root == self._me
        if heaps is not None and self._heaps_of is not _heap:
            for index, address in enumerate(heaps):
                self._heaps[index] = <char*> address
            self._heaps_of = _heap
        if arenas is not None and not self._has_arenas:
            for index, address in enumerate(arenas):
                self._arenas[index] = <char*> address
            self._has_arenas = True

    cdef int64_t _place(self, const char* at) noexcept:
        """Return an array's place on this rank's heap or in its arena; -1 if it is elsewhere."""
        cdef int64_t offset = _heap.offset(at) if self._heaps_of is _heap else -1
        if offset < 0 and self._has_arenas and _arena_start <= at < _arena_stop:
            offset = (at - _arena_start) | IN_ARENA
        return offset

    cdef Shape* _learn(self, call, int collective, int root, int64_t mark, source,
                       Py_ssize_t first, Py_ssize_t last) except? NULL:
        """Return a new shape with the common fields; NULL if the shape is known or has no loop."""
        cdef Fold fold
        cdef Py_buffer view
        cdef Shape* shape
        cdef int index, place
        cdef bytes name
        cdef const char* format
        find_loops(call, &fold)
        if fold == NULL:
            return NULL
        if try_buffer(source, &view, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) == 0:
            format = view.format
        else:
            # A type that a package registered with NumPy, such as bfloat16, has no format. Its name
            # serves as the format, because the name differs from all formats.
            PyErr_Clear()
            PyObject_GetBuffer(source, &view, PyBUF_C_CONTIGUOUS)
            name = call.element.name.encode()
            format = name
        try:
            if strlen(format) >= FORMAT_BYTES:
                format = b""  # the dtype is compared by identity alone
            shape = self._find(collective, <void*> call.op, root, mark, &view, format)
            if shape != NULL:
                self._take_dtype(shape, source.dtype)
                return NULL
            index = self._new_place()
            shape = &self._shapes[index]
            # Another shape may have used this place before. A header may still have the words of
            # that shape.
            self._forget_writers()
            self._take_dtype(shape, source.dtype)
            self._ops[index] = call.op
            shape.op = <void*> call.op
            shape.work.collective = collective
            shape.work.root = root
            shape.mark = mark
            shape.work.source_bytes = view.len
            strcpy(shape.format, format)
            shape.work.word = call.word
            shape.work.count = call.count
            shape.work.extra = call.extra
            shape.work.fold = fold
            shape.work.places = NULL
            shape.work.itemsize = view.itemsize
            shape.work.first_byte = first * view.itemsize
            shape.work.target_bytes = (last - first) * view.itemsize
            shape.work.target_count = last - first
            place = self._place_of(collective, shape.op, root, mark, view.len)
            shape.following = self._firsts_of[place]
            self._firsts_of[place] = index
            return shape
        finally:
            PyBuffer_Release(&view)

    def small(self, int collective, target, source, op, root=-1, int64_t mark=0):
        """Do a whole reduction if its shape is known and its arrays are valid.

        Both arrays can be given as ``[array, name]``, with a name from ``know_name``.

        Returns
        -------
        bool
            False if the reduction was not made. Then nothing was published or written.
        """
        if is_recording:
            return self._recorded(collective, target, source, op, root, mark)
        return self._small(collective, target, source, op, root, mark)

    def small_wide(self, int collective, target, source, op, root=-1, int64_t mark=0):
        """Do the same as ``small`` for a call on several nodes, without recording it."""
        return self._small(collective | WIDE, target, source, op, root, mark)

    @cython.final
    cdef bint _recorded(self, int collective, target, source, op, root, int64_t mark) except -1:
        """Do the same as ``_small``, and record the call. Callers choose between both."""
        # One function for both would make a small call of SHMEM 4 % slower.
        cdef int64_t start = _clock.now(), stop
        cdef CallSite at
        cdef Site* site
        if not self._small(collective, target, source, op, root, mark):
            return False
        stop = _clock.now()
        site = &self._sites[self._slot]
        if site.profile == profile and site.entry == self._entry:
            record_again(site.number, self.sequence, self._source_bytes, start, stop)
            return True
        at.code = site.code  # NULL if the site has no slot
        at.instruction, at.entry = site.instruction, self._entry
        site.number = record(self.team, self._number, None, self.sequence, self._source_bytes,
                             start, stop, NULL, at)
        if site.number >= 0 and at.code != NULL:
            site.profile, site.entry = profile, self._entry
        return True

    @cython.final
    cdef bint _small(self, int collective, target, source, op, root, int64_t mark) except -1:
        cdef ndarray of, into = None
        cdef const char* start
        cdef char* to = NULL
        cdef Shape* shape
        cdef Work* work
        cdef int root_index
        cdef void* name = NULL
        cdef void* same = NULL
        if type(op) is not _Op:
            return False  # another form, such as MPI.SUM, which the caller looks up
        if type(source) is not ndarray:
            source = _array_of(source, &name)
            if source is None:
                return False
        try:
            root_index = root
        except OverflowError:
            return False  # the checks will reject it
        # Read the fields of NumPy's arrays directly, because filling a Py_buffer takes 0.05 us.
        of = <ndarray> source
        if not PyArray_FLAGS(of) & NPY_ARRAY_C_CONTIGUOUS:
            return False
        start = PyArray_BYTES(of)
        self._source_bytes = PyArray_NBYTES(of)
        shape = self._find_by_object(collective, <void*> op, root_index, mark,
                                     <void*> PyArray_DESCR(of), self._source_bytes)
        if shape == NULL:
            shape = self._find_by_format(collective, <void*> op, root_index, mark, of)
        if shape == NULL or not _heap.is_safe(start, self._source_bytes):
            return False
        work = &shape.work
        if shape.has_target:
            if name != NULL:
                target = _array_of(target, &same)
            if type(target) is not ndarray or name != same:
                return False
            into = <ndarray> target
            to = PyArray_BYTES(into)
            if (not PyArray_FLAGS(into) & NPY_ARRAY_C_CONTIGUOUS or not _is_writeable(into)
                    or PyArray_NBYTES(into) != work.target_bytes
                    or (PyArray_DESCR(into) != PyArray_DESCR(of)
                        and not _has_format(into, shape))
                    or not _heap.is_safe(to, work.target_bytes)
                    or overlap(to, work.target_bytes, start, self._source_bytes)):
                return False
        if not shape.is_long:
            self._short(shape, start, to)
            return True
        if work.places != NULL:
            try:
                self.wide.perform(work, shape.members, start, to)
            except BaseException:
                if self.wide.uses_arrays:
                    self.wide.kept = into, of
                raise
            return True
        if self._heaps_of is not _heap and _heap.offset(start) >= 0:
            return False
        if self.unwaited:
            self.catch_up()
        self._long(work, start, to)
        return True

    cdef int _short(self, Shape* shape, const char* source, char* target) except -1:
        """Perform a call in one round. Each member then folds its own result."""
        cdef Work* work = &shape.work
        cdef int64_t sequence
        cdef int64_t* head
        cdef char* staged
        cdef int index
        # An eager buffer can be reused only after all members have left the round that used it.
        if self.unwaited and not (self._is_ahead and shape.is_inline):
            self.catch_up()
        sequence = self.sequence + 1
        self.sequence = sequence
        head = self._head(sequence, self._me)
        staged = self._payload(sequence, self._me, shape.is_inline)
        share_copy(staged, source, work.source_bytes, False)
        if self._written_by(sequence)[0] != <void*> shape:
            head[WORD] = work.word
            head[COUNT] = work.count
            head[EXTRA] = work.extra
            head[STATUS] = shape.status
            self._written_by(sequence)[0] = <void*> shape
        # Release: a member that reads this number sees the vector and the words above.
        store_release(head, sequence)
        if self._spin:
            demote(head)
            if not shape.is_inline:
                demote_all(staged, work.source_bytes)
        # Record the call site only now, because the other members' headers take longer to arrive.
        self._note(sequence)
        if shape.may_go_ahead:
            self._go_ahead(work, shape.members)
        else:
            self._await()
            self.unwaited = self._is_ahead = False
            if not self._agrees(work.word, work.count, work.extra):
                self._raise_mismatch(self)
        if shape.members:
            for index in range(shape.members):
                self._operands[index] = self._payload(
                    sequence, index, shape.is_inline) + work.first_byte
            if self._me < shape.members:
                # The source is in a nearer cache than its staged copy.
                self._operands[self._me] = source + work.first_byte
            if is_of_program(work.fold):
                with nogil:
                    work.fold(self._operands, shape.members, target, work.target_count)
            else:
                work.fold(self._operands, shape.members, target, work.target_count)
        return 0

    cdef int _go_ahead(self, Work* work, int members) except -1:
        """Finish a round in which this member needs only the vectors of the first members.

        The headers of the other members are compared some rounds later, when these members have
        most likely arrived.
        """
        cdef int64_t sequence = self.sequence
        cdef bint do_agree = True
        cdef int index
        self.unwaited = self._is_ahead = True
        # Acquire: the first members' vectors and words of this round are visible from here on.
        self._await_first(members, sequence)
        for index in range(members):
            do_agree &= self._says(sequence, index, work.word, work.count, work.extra)
        if not do_agree:
            self.catch_up()
            self._agrees(work.word, work.count, work.extra)
            self._raise_mismatch(self)
        if self._due() > self._settled:
            # This wait shows that all members have read this member's oldest headers. Only then can
            # this member reuse these headers.
            self._await_first(self._n, self._due())
            if not self._settle(True):
                self._raise_mismatch(self)
        return 0

    cdef int _long(self, Work* work, const char* source, char* target) except -1:
        """Perform a long call, without copies if all members' arrays are in shared memory."""
        cdef int64_t at_source = self._place(source), at_target = at_source
        if target != NULL and work.collective != REDUCE_SCATTER:
            at_target = self._place(target)
        if at_source < 0 or at_target < 0:
            at_source = at_target = -1
        return self._run(work, source, target, at_source, at_target)

    cdef int _take_dtype(self, Shape* shape, dtype) except -1:
        self._dtypes[shape - self._shapes] = dtype
        shape.dtype = <void*> dtype
        return 0

    cdef inline int _place_of(self, int collective, void* op, int root, int64_t mark,
                              Py_ssize_t n_bytes) noexcept:
        """Return a shape's place in the table."""
        cdef uint64_t mixed = (
            (<uint64_t> op >> 4) * 31 + <uint64_t> n_bytes * 17 + <uint64_t> mark
            + (<uint64_t> root << 4) + <uint64_t> collective
        )
        # The upper bits of the product depend on all bits of `mixed` (Fibonacci hashing).
        return <int> (mixed * <uint64_t> 0x9E3779B97F4A7C15 >> 54) & (KNOWN - 1)

    cdef int _new_place(self) except -1:
        """Return a place for one more shape; if the table is full, replace a random shape."""
        cdef int index, room
        cdef int* link
        cdef Shape* shapes
        if self._learnt < KNOWN:
            if self._learnt == self._room:
                room = max(<int> FIRST_KNOWN, 2 * self._room)
                shapes = <Shape*> realloc(self._shapes, room * sizeof(Shape))
                if shapes == NULL:
                    raise MemoryError
                self._forget_writers()
                self._shapes, self._room = shapes, room
            index = self._learnt
            self._shapes[index].work.offsets = NULL
            self._ops.append(None)
            self._dtypes.append(None)
            self._learnt += 1
            return index
        # Do not replace the oldest shape, because a program that uses its shapes in a cycle needs
        # that shape next.
        self._draw = self._draw * 1664525 + 1013904223  # both constants fit into an int of C
        index = <int> (self._draw >> 16) & (KNOWN - 1)
        free(self._shapes[index].work.offsets)
        self._shapes[index].work.offsets = NULL
        link = &self._firsts_of[self._place_of(
            self._shapes[index].work.collective, self._shapes[index].op,
            self._shapes[index].work.root, self._shapes[index].mark,
            self._shapes[index].work.source_bytes)]
        while link[0] != index:
            link = &self._shapes[link[0]].following
        link[0] = self._shapes[index].following
        return index

    cdef void _forget_writers(self) noexcept:
        cdef int index
        for index in range(self._place_mask + 1):
            self._writers[index] = NULL

    cdef Shape* _find_by_object(self, int collective, void* op, int root, int64_t mark,
                                void* dtype, Py_ssize_t n_bytes) noexcept:
        cdef int index = self._firsts_of[self._place_of(collective, op, root, mark, n_bytes)]
        cdef Shape* shape
        while index >= 0:
            shape = &self._shapes[index]
            if (shape.op == op and shape.dtype == dtype and shape.work.source_bytes == n_bytes
                    and shape.work.root == root and shape.work.collective == collective
                    and shape.mark == mark):
                return shape
            index = shape.following
        return NULL

    cdef Shape* _find_by_format(self, int collective, void* op, int root, int64_t mark,
                                ndarray source) except? NULL:
        """Find the shape of a call whose dtype is another object than that of the first call."""
        cdef Py_buffer view
        cdef Shape* shape
        if try_buffer(source, &view, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) < 0:
            PyErr_Clear()
            return NULL
        shape = self._find(collective, op, root, mark, &view, view.format)
        PyBuffer_Release(&view)
        if shape != NULL:
            self._take_dtype(shape, source.dtype)
        return shape

    cdef Shape* _find(self, int collective, void* op, int root, int64_t mark,
                      Py_buffer* of, const char* format) noexcept:
        cdef int index = self._firsts_of[self._place_of(collective, op, root, mark, of.len)]
        cdef Shape* shape
        while index >= 0:
            shape = &self._shapes[index]
            # Compare the item sizes too, because the format of a structured type does not include
            # the padding at its end.
            if (shape.op == op and shape.work.source_bytes == of.len and shape.work.root == root
                    and shape.work.itemsize == of.itemsize and shape.work.collective == collective
                    and shape.mark == mark
                    and strcmp(shape.format, format) == 0):
                return shape
            index = shape.following
        return NULL


cdef bint _has_format(ndarray array, Shape* shape) noexcept:
    """Return whether the elements of an array have the type of a shape."""
    cdef Py_buffer view
    cdef bint is_same
    if try_buffer(array, &view, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) < 0:
        PyErr_Clear()
        return False
    is_same = view.itemsize == shape.work.itemsize and strcmp(view.format, shape.format) == 0
    PyBuffer_Release(&view)
    return is_same


cdef enum:
    # The largest number of calls that are kept for a routine. It is a power of two.
    KNOWN_CALLS = 256


cdef bint _as_number(value, int64_t* number) noexcept:
    """Convert an integer of Python or NumPy; return whether the value could be converted."""
    cdef int overflow = 0
    if not isinstance(value, int):
        if not isinstance(value, _integer):
            return False
        try:
            value = value.__index__()
        except Exception:
            return False  # the checks will report it
    number[0] = as_int64(value, &overflow)
    return overflow == 0


cdef const void* _start_of(object memory, Py_ssize_t* n_bytes) except? NULL:
    """Return the address of a buffer, and set its size."""
    # Do not keep the buffer. At exit the garbage collector clears memoryviews, also if an object
    # still has their buffers. Then the release of such a buffer would crash.
    cdef Py_buffer view
    PyObject_GetBuffer(memory, &view, PyBUF_SIMPLE)
    n_bytes[0] = view.len
    PyBuffer_Release(&view)
    return view.buf


@cython.final
cdef class _KnownCall:
    """A prepared call, and the state that must be the same as when its checks passed."""

    cdef object prepared
    # The objects that the program passed. They are kept alive, so that no other objects get their
    # addresses.
    cdef object target, source, other, further
    cdef int64_t count, first, second, third
    # The team's fast path at the time of the checks. A team replaces its fast path when it ends.
    cdef object team, small
    # None if the channel of the team is not compiled.
    cdef FastPath channel
    cdef object into, of, op
    # The addresses of the heap's epoch, of the words of `pSync`, and of the values that these words
    # must have. `prepared` keeps the memory alive.
    cdef const int64_t* _epoch
    cdef const void* _words
    cdef const void* _initialized
    cdef Py_ssize_t _words_bytes
    cdef int64_t _checked_at

    def __cinit__(self, prepared, numbers):
        cdef Py_ssize_t n_bytes
        self.prepared = prepared
        self.target, self.source, self.other, self.further = prepared.passed
        self.count, self.first, self.second, self.third = numbers
        self.team, self.small = prepared.team, prepared.team.small
        if isinstance(prepared.team.channel, FastPath):
            self.channel = prepared.team.channel
        self.into, self.of, self.op = prepared.target, prepared.source, prepared.call.op
        self._checked_at = prepared.epoch
        self._epoch = <const int64_t*> _start_of(prepared.heap.epoch_word, &n_bytes)
        if prepared.words is not None:
            self._initialized = _start_of(prepared.initialized, &n_bytes)
            self._words = _start_of(prepared.words, &self._words_bytes)

    cdef bint has(self, target, source, other, further, int64_t count, int64_t first,
                  int64_t second, int64_t third) noexcept:
        """Return whether the call was made with these arguments."""
        return (
            self.target is target and self.source is source and self.count == count
            and self.other is other and self.further is further
            and self.first == first and self.second == second and self.third == third
        )

    cdef bint is_valid(self) noexcept:
        """Return whether the checks of the call would pass again."""
        cdef Py_buffer view
        if self._epoch[0] != self._checked_at:
            return False
        # Do not call memcmp if there are no words. On NULL addresses memcmp takes 0.15 us, although
        # it compares nothing.
        if (self._words_bytes > 0
                and memcmp(self._words, self._initialized, self._words_bytes)):
            return False
        if type(self.target) is ndarray:
            return (
                PyArray_FLAGS(<ndarray> self.target)
                & (NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_F_CONTIGUOUS)
                and _is_writeable(<ndarray> self.target)
            )
        if try_buffer(self.target, &view, PyBUF_ANY_CONTIGUOUS | PyBUF_WRITABLE) < 0:
            PyErr_Clear()  # the target is read-only now
            return False
        PyBuffer_Release(&view)
        return True


@cython.final
cdef class KnownCalls:
    """The known calls of one routine. The NumPy kernel documents the methods."""

    # For each hash value, a tuple of calls.
    cdef list _table
    cdef int _kept

    def __cinit__(self):
        self._clear()

    cdef void _clear(self):
        self._table = [()] * KNOWN_CALLS
        self._kept = 0

    cdef inline int _place_of(self, void* target, void* source, int64_t count) noexcept:
        cdef uint64_t mixed = (
            (<uint64_t> target >> 4) * 31 + (<uint64_t> source >> 4) + <uint64_t> count * 17
        )
        return <int> (mixed * <uint64_t> 0x9E3779B97F4A7C15 >> 56) & (KNOWN_CALLS - 1)

    def keep(self, prepared, numbers):
        cdef _KnownCall new = _KnownCall(prepared, numbers), known
        cdef int place = self._place_of(<void*> new.target, <void*> new.source, new.count)
        if self._kept >= KNOWN_CALLS:
            self._clear()
        others = []
        for known in self._table[place]:
            if known.has(new.target, new.source, new.other, new.further,
                         new.count, new.first, new.second, new.third):
                self._kept -= 1  # the new call replaces a call that is no longer valid
            else:
                others.append(known)
        self._table[place] = (new, *others)
        self._kept += 1

    def forget(self, team):
        cdef _KnownCall known
        table = self._table
        self._clear()
        for calls in table:
            for known in calls:
                if known.team is not team:
                    numbers = known.count, known.first, known.second, known.third
                    self.keep(known.prepared, numbers)

    def repeat(self, target, source, other, further, count, first, second, third):
        cdef int64_t n, a, b, c
        cdef tuple calls
        cdef _KnownCall known
        cdef bint is_made
        if not (_as_number(count, &n) and _as_number(first, &a) and _as_number(second, &b)
                and _as_number(third, &c)):
            return False
        calls = self._table[self._place_of(<void*> target, <void*> source, n)]
        for known in calls:
            if known.has(target, source, other, further, n, a, b, c):
                if not known.is_valid():
                    return False
                if known.channel is None or known.team.small is not known.small:
                    is_made = False
                elif is_recording:
                    is_made = known.channel._recorded(
                        ALLREDUCE, known.into, known.of, known.op, -1, 0)
                else:
                    is_made = known.channel._small(
                        ALLREDUCE, known.into, known.of, known.op, -1, 0)
                if not is_made:
                    known.prepared.perform()
                return True
        return False
