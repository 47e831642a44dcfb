# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""The compiled fast path: whole reductions of arrays whose shape the channel has met before."""

from cpython.buffer cimport (
    PyBUF_C_CONTIGUOUS,
    PyBUF_FORMAT,
    PyBUF_SIMPLE,
    PyBUF_WRITABLE,
    PyBuffer_Release,
    PyObject_GetBuffer,
)
from cpython.exc cimport PyErr_Clear
from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.stdlib cimport free, realloc
from libc.string cimport memmove, strcmp, strcpy, strlen

from redcoll.kernels._compiled.folds cimport Fold, loops_of
from redcoll.kernels._compiled.pipeline cimport Pipeline, Work
from redcoll.kernels._compiled.machine cimport (
    AHEAD,
    COUNT,
    EXSCAN,
    EXTRA,
    INLINE_BYTES,
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

from numpy import ndarray as _ndarray

from redcoll.ops import Op as _Op


cdef extern from "Python.h":
    # As PyObject_GetBuffer, but a refusal is only returned.
    int try_buffer "PyObject_GetBuffer"(object, Py_buffer*, int) noexcept


cdef enum:
    # Shapes of call that one team keeps at most, room for as many as it needs; a power of two.
    KNOWN = 1024
    FIRST_KNOWN = 16
    # Names of types that are.
    NAMES = 16
    FORMAT_BYTES = 32


cdef struct Shape:
    # What a call is recognised by, beside what is in its work. The channel keeps the operation
    # and the type of the elements alive: the type is recognised by the object, or else by its
    # format.
    void* op
    void* dtype
    int64_t mark
    Work work
    char format[FORMAT_BYTES]
    bint has_target
    bint is_long
    # Of a small call: its status, and whether its vector is in the head; so many members' are
    # folded; whether it may be left before all have come.
    int64_t status
    bint is_inline
    bint may_go_ahead
    int members
    # The next shape with the same place in the table, -1 for none.
    int following


cdef struct Block:
    const char* start
    const char* stop


cdef class _HeapWatch:
    """Which parts of the symmetric heap are known to be live, as of its epoch."""

    cdef const char* start
    cdef const char* stop
    cdef Py_buffer _words
    cdef const int64_t* _epoch
    cdef int64_t _known_at
    # The blocks in the order of their addresses. Live blocks do not overlap.
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
                return  # the checks of each call will do
            self._blocks, self._room = blocks, room
        memmove(&self._blocks[at + 1], &self._blocks[at], (self._known - at) * sizeof(Block))
        self._blocks[at].start, self._blocks[at].stop = start, stop
        self._known += 1

    cdef Py_ssize_t _up_to(self, const char* at) noexcept:
        """How many of the blocks start at this address or before."""
        cdef Py_ssize_t low = 0, high = self._known, middle
        while low < high:
            middle = (low + high) // 2
            if self._blocks[middle].start <= at:
                low = middle + 1
            else:
                high = middle
        return low

    cdef int64_t offset(self, const char* at) noexcept:
        """How far behind the start of the heap; -1 off the heap."""
        return at - self.start if self.start <= at < self.stop else -1

    cdef bint is_safe(self, const char* at, Py_ssize_t n_bytes) noexcept:
        """Whether memory lies off the heap, or in a block known to be live."""
        cdef Py_ssize_t index
        if self._epoch == NULL or at < self.start or at >= self.stop:
            return True
        if self._known_at != self._epoch[0]:
            return False
        index = self._up_to(at)
        return index > 0 and at + n_bytes <= self._blocks[index - 1].stop


cdef void* _names[NAMES]
cdef void* _named[NAMES]
cdef int _known_names = 0
cdef list _kept_names = [None] * NAMES


def know_name(name, dtype):
    """``small`` may take ``[array, name]`` for an array of this dtype, the very object."""
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
    """The array of ``[array, name]``, if it is what the name says; None for anything else."""
    cdef int index
    if (type(message) is not list and type(message) is not tuple) or len(message) != 2:
        return None
    array, of = message
    if type(array) is not _ndarray:
        return None
    cdef object dtype = array.dtype
    for index in range(min(_known_names, <int> NAMES)):
        if _names[index] == <void*> of and _named[index] == <void*> dtype:
            name[0] = <void*> of
            return array
    return None


cdef _HeapWatch _heap = _HeapWatch.__new__(_HeapWatch)


def know_heap(size_t start, size_t stop, epoch):
    """Where the symmetric heap of this PE lies, and the word that grows when it frees."""
    global _heap
    _heap = _HeapWatch(start, stop, epoch)


cdef class FastPath(Pipeline):
    """The hot part of a channel, with small reductions in one call."""

    # Whose heap the members' heaps belong to.
    cdef _HeapWatch _heaps_of
    cdef Shape* _shapes
    cdef int _learnt, _room
    # The first shape of each place in the table, -1 for none; places are a power of two.
    cdef int _firsts_of[KNOWN]
    # What the shapes' pointers point to.
    cdef list _ops, _dtypes
    cdef uint32_t _draw
    learns_long = True

    def __cinit__(self, *arguments):
        cdef int place
        self._ops, self._dtypes = [], []
        self._draw = 1
        for place in range(KNOWN):
            self._firsts_of[place] = -1

    def __dealloc__(self):
        cdef int index
        for index in range(self._learnt):
            free(self._shapes[index].work.offsets)
        free(self._shapes)

    def vouch(self, size_t start, size_t stop):
        """These bytes of the heap are one live block, as of the heap's epoch."""
        _heap.vouch(<const char*> start, <const char*> stop)

    def learn(self, call, int collective, int root, int64_t mark, source, int members,
              Py_ssize_t first, Py_ssize_t last):
        """Know a shape of small call by heart: ``small`` serves it until too many others came."""
        cdef Shape* shape = self._learn(call, collective, root, mark, source, first, last)
        if shape != NULL:
            shape.is_long = False
            shape.is_inline = shape.work.source_bytes <= INLINE_BYTES
            shape.members = members
            # Who needs everybody's vector waits for everybody.
            shape.may_go_ahead = (
                self._ahead > 1 and shape.is_inline and members < self._n
                and (collective == REDUCE or collective == SCAN or collective == EXSCAN)
            )
            shape.status = AHEAD if shape.may_go_ahead else 0
            shape.has_target = members > 0 or root < 0

    def learn_long(self, call, int collective, int root, int64_t mark, source,
                   Py_ssize_t first, Py_ssize_t last, heaps, blocks, offsets):
        """Know a shape of call beyond the small path.

        Parameters
        ----------
        first, last
            What part of the result this member gets.
        heaps
            Where the members' heaps start in this process; None without any.
        blocks
            Where the live blocks of the heap that hold the arrays start and stop.
        offsets
            Where the members' blocks begin and the last ends, if each folds its own alone.
        """
        cdef Shape* shape = self._learn(call, collective, root, mark, source, first, last)
        cdef int index
        cdef size_t address
        for block in blocks:
            self.vouch(*block)
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

    cdef Shape* _learn(self, call, int collective, int root, int64_t mark, source,
                       Py_ssize_t first, Py_ssize_t last) except? NULL:
        """A place for a shape that is not known yet, filled in as far as all have it."""
        cdef Fold fold = loops_of(call.op.code, call.element.code)
        cdef Py_buffer view
        cdef Shape* shape
        cdef int index, place
        if fold == NULL:
            return NULL
        PyObject_GetBuffer(source, &view, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT)
        try:
            if strlen(view.format) >= FORMAT_BYTES or self._find(
                    collective, <void*> call.op, root, mark, &view) != NULL:
                return NULL
            index = self._new_place()
            shape = &self._shapes[index]
            # What a head holds may be this shape's predecessor.
            self._forget_writers()
            self._take_dtype(shape, source.dtype)
            self._ops[index] = call.op
            shape.op = <void*> call.op
            shape.work.collective = collective
            shape.work.root = root
            shape.mark = mark
            shape.work.source_bytes = view.len
            strcpy(shape.format, view.format)
            shape.work.word = call.word
            shape.work.count = call.count
            shape.work.extra = call.extra
            shape.work.fold = fold
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
        """A whole reduction, if its shape is known and its arrays are in order.

        Both may be given as ``[array, name]``, with a name that ``know_name`` was told.

        Returns
        -------
        bool
            False: not tried, nothing posted, nothing written.
        """
        cdef Py_buffer into, of
        cdef Shape* shape
        cdef Work* work
        cdef int root_index
        cdef int flags = PyBUF_C_CONTIGUOUS | PyBUF_WRITABLE
        cdef object dtype
        cdef void* name = NULL
        cdef void* same = NULL
        if type(op) is not _Op:
            return False  # another spelling: the caller knows what it stands for, if anything does
        if type(source) is not _ndarray:
            source = _array_of(source, &name)
            if source is None:
                return False
        try:
            root_index = root
        except OverflowError:
            return False  # the checks will refuse it
        # Without its format a buffer is quicker to get, of a structured type by a microsecond.
        dtype = source.dtype
        if try_buffer(source, &of, PyBUF_C_CONTIGUOUS) < 0:
            PyErr_Clear()
            return False
        shape = self._find_by_object(collective, <void*> op, root_index, mark, <void*> dtype,
                                     of.len)
        if shape == NULL:
            PyBuffer_Release(&of)
            if try_buffer(source, &of, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) < 0:
                PyErr_Clear()
                return False
            shape = self._find(collective, <void*> op, root_index, mark, &of)
            if shape != NULL:
                self._take_dtype(shape, dtype)
        if shape == NULL or not _heap.is_safe(<char*> of.buf, of.len):
            PyBuffer_Release(&of)
            return False
        work = &shape.work
        into.buf = NULL
        if shape.has_target:
            if name != NULL:
                target = _array_of(target, &same)
            if type(target) is not _ndarray or name != same:
                PyBuffer_Release(&of)
                return False
            if target.dtype is not dtype:
                flags |= PyBUF_FORMAT
            if try_buffer(target, &into, flags) < 0:
                PyErr_Clear()
                PyBuffer_Release(&of)
                return False
            if (into.len != work.target_bytes or into.itemsize != work.itemsize
                    or (flags & PyBUF_FORMAT and strcmp(into.format, shape.format))
                    or not _heap.is_safe(<char*> into.buf, into.len)
                    or overlap(<char*> into.buf, into.len, <char*> of.buf, of.len)):
                PyBuffer_Release(&of)
                PyBuffer_Release(&into)
                return False
        try:
            if shape.is_long:
                if self._heaps_of is not _heap and _heap.offset(<const char*> of.buf) >= 0:
                    return False
                if self.unwaited:
                    self.catch_up()
                self._long(work, <const char*> of.buf, <char*> into.buf)
            else:
                self._short(shape, <const char*> of.buf, <char*> into.buf)
            return True
        finally:
            PyBuffer_Release(&of)
            if into.buf != NULL:
                PyBuffer_Release(&into)

    cdef int _short(self, Shape* shape, const char* source, char* target) except -1:
        """A call of one round, in which each folds what it gets itself."""
        cdef Work* work = &shape.work
        cdef int64_t sequence
        cdef int64_t* head
        cdef char* staged
        cdef int index
        # A room is not used again before all have left the round that used it last.
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
        # Whoever sees this number sees the vector and the words above.
        store_release(head, sequence)
        if self._spin:
            demote(head)
            if not shape.is_inline:
                demote_all(staged, work.source_bytes)
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
                # Nearer than what was staged of it.
                self._operands[self._me] = source + work.first_byte
            work.fold(self._operands, shape.members, target, work.target_count)
        return 0

    cdef int _go_ahead(self, Work* work, int members) except -1:
        """The end of a round in which this PE needs the first members' vectors alone.

        What the others post is compared some rounds later, when they have most likely come.
        """
        cdef int64_t sequence = self.sequence
        cdef bint do_agree = True
        cdef int index
        self.unwaited = self._is_ahead = True
        # After this the first members' vectors and words of this round are visible.
        self._await_first(members, sequence)
        for index in range(members):
            do_agree &= self._says(sequence, index, work.word, work.count, work.extra)
        if not do_agree:
            self.catch_up()
            self._agrees(work.word, work.count, work.extra)
            self._raise_mismatch(self)
        if self._due() > self._settled:
            # A head is used again only when this has shown that all are done with what it holds.
            self._await_first(self._n, self._due())
            if not self._settle(True):
                self._raise_mismatch(self)
        return 0

    cdef int _long(self, Work* work, const char* source, char* target) except -1:
        """A call beyond the small path, on the heap if its arrays are there."""
        cdef int64_t at_source = -1, at_target = -1
        if self._heaps_of is _heap:
            at_source = at_target = _heap.offset(source)
            if target != NULL and work.collective != REDUCE_SCATTER:
                at_target = _heap.offset(target)
            if at_source < 0 or at_target < 0:
                at_source = at_target = -1
        return self._run(work, source, target, at_source, at_target)

    cdef int _take_dtype(self, Shape* shape, dtype) except -1:
        self._dtypes[shape - self._shapes] = dtype
        shape.dtype = <void*> dtype
        return 0

    cdef inline int _place_of(self, int collective, void* op, int root, int64_t mark,
                              Py_ssize_t n_bytes) noexcept:
        """A shape's place in the table."""
        cdef uint64_t mixed = (
            (<uint64_t> op >> 4) * 31 + <uint64_t> n_bytes * 17 + <uint64_t> mark
            + (<uint64_t> root << 4) + <uint64_t> collective
        )
        # The upper bits of the product depend on all of them (Fibonacci hashing).
        return <int> (mixed * <uint64_t> 0x9E3779B97F4A7C15 >> 54) & (KNOWN - 1)

    cdef int _new_place(self) except -1:
        """A place for one shape more; once there are many, that of any other one."""
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
        # The oldest would be the next one wanted, where a program goes through its shapes in turn.
        self._draw = self._draw * 1664525 + 1013904223  # constants that C holds in an int
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

    cdef Shape* _find(self, int collective, void* op, int root, int64_t mark,
                      Py_buffer* of) noexcept:
        cdef int index = self._firsts_of[self._place_of(collective, op, root, mark, of.len)]
        cdef Shape* shape
        while index >= 0:
            shape = &self._shapes[index]
            # The format of a structured type does not tell what pads it at its end.
            if (shape.op == op and shape.work.source_bytes == of.len and shape.work.root == root
                    and shape.work.itemsize == of.itemsize and shape.work.collective == collective
                    and shape.mark == mark
                    and strcmp(shape.format, of.format) == 0):
                return shape
            index = shape.following
        return NULL
