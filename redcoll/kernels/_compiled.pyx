# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""The compiled twin of the hot loops in ``redcoll.kernels.numpy``.

Arrays come through the buffer protocol: one build serves every NumPy and every MPI.
"""

from cpython.buffer cimport (
    PyBUF_C_CONTIGUOUS,
    PyBUF_FORMAT,
    PyBUF_SIMPLE,
    PyBUF_WRITABLE,
    PyBuffer_Release,
    PyObject_GetBuffer,
)
from cpython.exc cimport PyErr_Clear
from libc.stdint cimport int64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcmp, memcpy, strcmp, strlen, strcpy


from numpy import ndarray as _ndarray


cdef extern from "Python.h":
    # As PyObject_GetBuffer, but a refusal is only returned.
    int try_buffer "PyObject_GetBuffer"(object, Py_buffer*, int) noexcept


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
    void demote_all(const char* at, size_t n_bytes)
    void share_copy(char* to, const char* of, size_t n_bytes)
    bint overlap(const char* a, size_t a_bytes, const char* b, size_t b_bytes)


cdef extern from "fold.hpp" namespace "redcoll" nogil:
    ctypedef void (*Fold)(const char* const* sources, int n, char* out, size_t count)
    Fold find_fold(int op_code, int type_code)
    void _fold_to_many "redcoll::fold_to_many"(
        Fold fold, const char* const* sources, int n, char* const* targets, int m,
        size_t count, size_t itemsize)
    void _scan "redcoll::scan"(
        Fold fold, const char* const* sources, int n, char* const* targets,
        bint inclusive, size_t count, size_t itemsize)
    void fold_and_share(
        Fold fold, const char* const* sources, int n, char* own, char* shared, size_t count,
        size_t itemsize)


cdef enum:
    # Words of a post's head, as in the NumPy twin.
    SEQUENCE, WORD, COUNT, EXTRA, SOURCE, TARGET, STATUS
    HEAD_BYTES = 64
    INLINE_BYTES = 8
    INLINE_AT = 56
    # Shapes of call that one team knows by heart.
    KNOWN = 64
    # Live blocks of the heap that are remembered.
    BLOCKS = 64
    # Names of types that are.
    NAMES = 16
    FORMAT_BYTES = 32
    # Words of a row of what is to be collected; from the key on as in a head.
    ROW_PUBLISHED = 0, ROW_HEADS = 1, ROW_KEY = 2, ROW_SENDER = 5, ROW_WORDS = 6
    HEAD_KEY = 2
    # So long a wait stays in C before it looks in at Python.
    TURN_NS = 100000
    # Collectives whose results go elsewhere than to all, as in redcoll/signature.py.
    REDUCE = 3
    REDUCE_SCATTER = 4
    SCAN = 5
    EXSCAN = 6
    # Forms of a message between nodes, and kinds of payload, as in redcoll/kernels/_bundles.py.
    SOME = 0, ALL = 1, ALIKE = 2
    IN_SLOT = 1, ON_STAGE = 2
    MESSAGE_BYTES = 16


cdef int64_t FAILED = <int64_t> 1 << 60


cdef struct Shape:
    # What a call is recognised by. The team's table of calls keeps the op alive, the channel
    # the type of the elements: by the object it is told at once, by the format if it is another.
    void* op
    void* dtype
    int collective
    int root
    int64_t mark
    Py_ssize_t source_bytes
    char format[FORMAT_BYTES]
    # What is posted.
    int64_t word
    int64_t count
    int64_t extra
    int64_t carried
    Py_ssize_t payload_at
    # What is folded: so many members, this part of their vectors.
    Fold fold
    int members
    bint by_nodes
    bint has_target
    Py_ssize_t first_byte
    Py_ssize_t target_bytes
    size_t target_count
    bint is_long
    Py_ssize_t itemsize
    # Of a long reduce_scatter where each member folds its own block alone: where the blocks
    # begin and the last ends, in bytes.
    Py_ssize_t* offsets


cdef struct Piece:
    # A chunk of a vector and this PE's slice of it, in bytes; the slice from its start.
    int side
    Py_ssize_t start, stop, first, last


cdef class _HeapWatch:
    """Which parts of the symmetric heap are known to be live, as of its epoch."""

    cdef const char* start
    cdef const char* stop
    cdef Py_buffer _words
    cdef const int64_t* _epoch
    cdef int64_t _known_at
    cdef const char* _starts[BLOCKS]
    cdef const char* _stops[BLOCKS]
    cdef int _known

    def __init__(self, size_t start, size_t stop, epoch):
        PyObject_GetBuffer(epoch, &self._words, PyBUF_SIMPLE)
        self._epoch = <const int64_t*> self._words.buf
        self.start = <const char*> start
        self.stop = <const char*> stop

    cdef void vouch(self, const char* start, const char* stop) noexcept:
        if self._known_at != self._epoch[0]:
            self._known_at = self._epoch[0]
            self._known = 0
        self._starts[self._known % BLOCKS] = start
        self._stops[self._known % BLOCKS] = stop
        self._known += 1

    cdef int64_t offset(self, const char* at) noexcept:
        """How far behind the start of the heap; -1 off the heap."""
        return at - self.start if self.start <= at < self.stop else -1

    cdef bint is_safe(self, const char* at, Py_ssize_t n_bytes) noexcept:
        """Whether memory lies off the heap, or in a block known to be live."""
        cdef int index
        if self._epoch == NULL or at < self.start or at >= self.stop:
            return True
        if self._known_at != self._epoch[0]:
            return False
        for index in range(min(self._known, <int> BLOCKS)):
            if self._starts[index] <= at and at + n_bytes <= self._stops[index]:
                return True
        return False


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


cdef class Posts:
    """The hot part of a channel: posting, waiting, and small reductions in one call."""

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
    learns_long = True
    cdef char* _base
    cdef Py_ssize_t* _starts
    cdef Py_ssize_t* _stages
    cdef Py_ssize_t _results, _chunk_bytes
    cdef const char** _operands
    cdef char** _targets
    cdef char** _heaps
    # Whose heap those belong to.
    cdef _HeapWatch _heaps_of
    cdef int _n, _me, _spin
    cdef object _turns, _disagree, _give_up
    cdef Shape _shapes[KNOWN]
    cdef list _dtypes
    cdef int _learnt
    cdef Shape* _posted[2]

    def __cinit__(self, scratch, int me, int spin, fence, turns, disagree, give_up, **others):
        cdef int index
        cdef Py_buffer window
        self._n = len(scratch.slots)
        self._me = me
        self._spin = spin
        self._dtypes = [None] * KNOWN
        self._turns = turns
        self._disagree = disagree
        self._give_up = give_up
        self._results = scratch.results
        self._chunk_bytes = scratch.chunk_bytes
        self._starts = <Py_ssize_t*> calloc(3 * self._n, sizeof(Py_ssize_t))
        self._stages = self._starts + 2 * self._n
        self._operands = <const char**> calloc(3 * self._n, sizeof(char*))
        self._targets = <char**> self._operands + self._n
        self._heaps = <char**> self._operands + 2 * self._n
        self._near = <int*> calloc(2 * self._n, sizeof(int))
        self._firsts = self._near + self._n
        if self._starts == NULL or self._operands == NULL or self._near == NULL:
            raise MemoryError
        self._n_near = self._n
        for index in range(self._n):
            self._near[index] = index
        # The window outlives the channel, so an address will do: a buffer held here would
        # keep the garbage collector from clearing the team's memoryviews.
        PyObject_GetBuffer(scratch.memory, &window, PyBUF_WRITABLE)
        self._base = <char*> window.buf
        PyBuffer_Release(&window)
        for index in range(self._n):
            self._starts[index] = scratch.slots[index]
            self._starts[self._n + index] = self._starts[index] + <Py_ssize_t> scratch.slot_bytes
            self._stages[index] = scratch.stages[index]

    def __dealloc__(self):
        cdef int index
        for index in range(KNOWN):
            free(self._shapes[index].offsets)
        free(self._starts)
        free(self._operands)
        free(self._near)

    def span(self, near, firsts, int64_t by_nodes):
        """Know that members are on several nodes.

        Parameters
        ----------
        near, firsts
            Indices of the members on this node, and of the first one of each node.
        by_nodes
            A bit for each collective of which only the vectors of the first ones count.
        """
        cdef int index
        self._n_near = len(near)
        self._n_nodes = len(firsts)
        self._by_nodes = by_nodes
        for index in range(self._n_near):
            self._near[index] = near[index]
        for index in range(self._n_nodes):
            self._firsts[index] = firsts[index]

    cdef inline int64_t* _head(self, int parity, int member) noexcept:
        return <int64_t*> (self._base + self._starts[parity * self._n + member])

    def publish(self, int64_t word, int64_t count, int64_t extra, int64_t source,
                int64_t target, int64_t status):
        """Post without waiting."""
        if self.unwaited:
            self._catch_up()
        self._post(word, count, extra, source, target, status)

    cdef void _post(self, int64_t word, int64_t count, int64_t extra, int64_t source,
                    int64_t target, int64_t status) noexcept:
        cdef int64_t sequence = self.sequence + 1
        cdef int parity = sequence & 1
        cdef int64_t* head = self._head(parity, self._me)
        self.sequence = sequence
        self._posted[parity] = NULL
        head[WORD] = word
        head[COUNT] = count
        head[EXTRA] = extra
        head[SOURCE] = source
        head[TARGET] = target
        head[STATUS] = status if status else self.carried
        self.carried = 0
        # Whoever sees this number sees the words above, and what the caller stored
        # into shared memory before.
        store_release(head, sequence)
        if self._spin:
            demote(head)

    cdef int _round(self, int64_t word, int64_t count, int64_t extra, int64_t source=-1,
                    int64_t target=-1) except -1:
        """Post, wait for everybody's post, compare."""
        self._post(word, count, extra, source, target, 0)
        self._await()
        if not self._agrees(self.sequence & 1, word, count, extra):
            self._disagree()
        return 0

    def await_near(self):
        """Wait until every member on this node has posted the current round."""
        self._await_near()

    def await_all(self):
        """Wait until every member has posted the current round."""
        self._await()

    def round(self, int64_t word, int64_t count=0, int64_t extra=0, int64_t source=-1,
              int64_t target=-1):
        """Post, wait for everybody's post, compare."""
        if self.unwaited:
            self._catch_up()
        self._round(word, count, extra, source, target)

    def agrees(self, int64_t word, int64_t count, int64_t extra):
        """Whether all members posted these words in the round just waited for."""
        return self._agrees(self.sequence & 1, word, count, extra)

    def exchange(self, call, source):
        """One round that carries ``source``: every member's contribution, in order."""
        if self.unwaited:
            self._catch_up()
        views = call.views[(self.sequence + 1) & 1]
        views[self._me][...] = source
        self.round(call.word, call.count, call.extra)
        return views

    def locations(self):
        """Heap offsets of all members' sources and targets, as posted in this round."""
        cdef int parity = self.sequence & 1
        return (
            tuple([self._head(parity, index)[SOURCE] for index in range(self._n)]),
            tuple([self._head(parity, index)[TARGET] for index in range(self._n)]),
        )

    def vouch(self, size_t start, size_t stop):
        """These bytes of the heap are one live block, as of the heap's epoch."""
        _heap.vouch(<const char*> start, <const char*> stop)

    def learn(self, call, int collective, int root, int64_t mark, source, int members,
              Py_ssize_t first, Py_ssize_t last):
        """Know a shape of small call by heart: ``small`` serves it until too many others came."""
        cdef Shape* shape = self._learn(call, collective, root, mark, source, first, last)
        if shape != NULL:
            shape.is_long = False
            shape.payload_at = (
                INLINE_AT if shape.source_bytes <= INLINE_BYTES else HEAD_BYTES
            )
            shape.members = members
            shape.carried = 0
            if self._n_nodes and shape.source_bytes > INLINE_BYTES:
                shape.carried = shape.source_bytes << 2 | IN_SLOT
            shape.by_nodes = self._by_nodes >> collective & 1
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
            shape.itemsize = call.element.dtype.itemsize
            if offsets is not None:
                shape.offsets = self._in_bytes(offsets, shape.itemsize)
            shape.has_target = root < 0 or root == self._me
        if heaps is not None and self._heaps_of is not _heap:
            for index, address in enumerate(heaps):
                self._heaps[index] = <char*> address
            self._heaps_of = _heap

    cdef Shape* _learn(self, call, int collective, int root, int64_t mark, source,
                       Py_ssize_t first, Py_ssize_t last) except? NULL:
        """A place for a shape that is not known yet, filled in as far as all have it."""
        cdef Fold fold = find_fold(call.op.code, call.element.code)
        cdef Py_buffer view
        cdef Shape* shape
        if fold == NULL:
            return NULL
        PyObject_GetBuffer(source, &view, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT)
        try:
            if strlen(view.format) >= FORMAT_BYTES or self._find(
                    collective, <void*> call.op, root, mark, &view) != NULL:
                return NULL
            shape = &self._shapes[self._learnt % KNOWN]
            free(shape.offsets)
            shape.offsets = NULL
            self._learnt += 1
            # What the slot held may be this shape's predecessor.
            self._posted[0] = self._posted[1] = NULL
            self._take_dtype(shape, source.dtype)
            shape.op = <void*> call.op
            shape.collective = collective
            shape.root = root
            shape.mark = mark
            shape.source_bytes = view.len
            strcpy(shape.format, view.format)
            shape.word = call.word
            shape.count = call.count
            shape.extra = call.extra
            shape.fold = fold
            shape.itemsize = view.itemsize
            shape.first_byte = first * view.itemsize
            shape.target_bytes = (last - first) * view.itemsize
            shape.target_count = last - first
            return shape
        finally:
            PyBuffer_Release(&view)

    def pipeline(self, call, source, into, Py_ssize_t at):
        """The staged path of a fold, as ``staged`` in the NumPy twin; False without a loop."""
        cdef Shape shape
        shape.fold = find_fold(call.op.code, call.element.code)
        if shape.fold == NULL:
            return False
        cdef _Vectors of = _Vectors((source,), False)
        cdef _Vectors to = _Vectors(() if into is None else (into,), True)
        shape.word, shape.count, shape.extra = call.word, call.count, call.extra
        shape.itemsize = call.element.dtype.itemsize
        shape.source_bytes = shape.count * shape.itemsize
        shape.first_byte = at * shape.itemsize
        shape.target_bytes = 0 if into is None else into.nbytes
        self._fold_staged(&shape, of.at[0], to.at[0])
        return True

    def pipeline_parts(self, call, source, target, offsets):
        """The staged path by blocks, as ``staged_parts`` in the NumPy twin; False without a loop."""
        cdef Shape shape
        shape.fold = find_fold(call.op.code, call.element.code)
        if shape.fold == NULL:
            return False
        cdef _Vectors of = _Vectors((source,), False)
        cdef _Vectors to = _Vectors((target,), True)
        shape.word, shape.count, shape.extra = call.word, call.count, call.extra
        shape.itemsize = call.element.dtype.itemsize
        shape.offsets = self._in_bytes(offsets, shape.itemsize)
        try:
            self._fold_parts(&shape, of.at[0], to.at[0])
        finally:
            free(shape.offsets)
        return True

    cdef Py_ssize_t* _in_bytes(self, offsets, Py_ssize_t itemsize) except NULL:
        cdef Py_ssize_t* result = <Py_ssize_t*> calloc(self._n + 1, sizeof(Py_ssize_t))
        cdef int index
        if result == NULL:
            raise MemoryError
        for index in range(self._n + 1):
            result[index] = <Py_ssize_t> offsets[index] * itemsize
        return result

    cdef int _long(self, Shape* shape, const char* source, char* target) except -1:
        """A call beyond the small path, as ``run_large`` and ``scan`` of the collectives do it."""
        cdef int64_t at_source = -1, at_target = -1
        cdef int index, private = 0
        cdef int parity
        cdef Piece piece
        cdef bint is_scan = shape.collective == SCAN or shape.collective == EXSCAN
        if self._heaps_of is _heap:
            at_source = at_target = _heap.offset(source)
            if target != NULL and shape.collective != REDUCE_SCATTER:
                at_target = _heap.offset(target)
            if at_source < 0 or at_target < 0:
                at_source = at_target = -1
        # Those with private arrays know at once that they have to stage.
        self._cut(&piece, 0, shape.source_bytes, shape.itemsize)
        if at_source < 0:
            self._stage_first(shape, &piece, source, is_scan)
        self._round(shape.word, shape.count, shape.extra, at_source, at_target)
        parity = self.sequence & 1
        for index in range(self._n):
            private += self._head(parity, index)[SOURCE] < 0
        if private == 0:
            self._fold_direct(shape, parity, target)
            # All targets are complete, and all sources free, once all have posted.
            self._round(shape.word, shape.count, shape.extra)
            return 0
        if private < self._n:
            if at_source >= 0:
                self._stage_first(shape, &piece, source, is_scan)
            self._round(shape.word, shape.count, shape.extra)
        if is_scan:
            self._scan_staged(shape, source, target)
        elif shape.offsets != NULL:
            self._fold_parts(shape, source, target)
        else:
            self._fold_staged(shape, source, target)
        return 0

    cdef void _fold_direct(self, Shape* shape, int parity, char* own) noexcept:
        """This PE's part of a fold or scan from everybody's source into everybody's target."""
        cdef Py_ssize_t itemsize = shape.itemsize
        cdef Py_ssize_t first, last
        cdef int m = self._n
        cdef int index
        cdef int64_t* head
        self._slice(shape.source_bytes, itemsize, &first, &last)
        if shape.collective == REDUCE_SCATTER:
            first = shape.first_byte
            last = first + shape.target_bytes
        for index in range(self._n):
            head = self._head(parity, index)
            self._operands[index] = self._heaps[index] + head[SOURCE] + first
            self._targets[index] = self._heaps[index] + head[TARGET] + first
        if shape.collective == REDUCE_SCATTER:
            self._targets[0] = own
            m = 1
        elif shape.collective == REDUCE:
            self._targets[0] = self._targets[shape.root]
            m = 1
        with nogil:
            if shape.collective == SCAN or shape.collective == EXSCAN:
                _scan(shape.fold, self._operands, self._n, self._targets,
                      shape.collective == SCAN, (last - first) // itemsize, itemsize)
            else:
                _fold_to_many(shape.fold, self._operands, self._n, self._targets, m,
                              (last - first) // itemsize, itemsize)

    cdef int _fold_staged(self, Shape* shape, const char* source, char* target) except -1:
        """From chunk 0 staged on all members; one round a chunk."""
        cdef bint is_whole = shape.target_bytes == shape.source_bytes
        cdef char* own = target if is_whole else NULL
        cdef Py_ssize_t into_bytes = 0 if target == NULL else shape.target_bytes
        cdef Py_ssize_t chunk, chunks = self._chunks(shape)
        cdef Piece piece, before
        for chunk in range(chunks):
            self._cut(&piece, chunk, shape.source_bytes, shape.itemsize)
            if chunk:
                self._stage(&piece, source, False)
                self._round(shape.word, shape.count, shape.extra)
            with nogil:
                self._fold(&piece, shape.fold, shape.itemsize, source, own)
                if chunk:
                    self._copy_out(&before, target, shape.first_byte, into_bytes, own != NULL)
            before = piece
        self._round(shape.word, shape.count, shape.extra)
        with nogil:
            self._copy_out(&before, target, shape.first_byte, into_bytes, own != NULL)
        return 0

    cdef void _stage_first(self, Shape* shape, Piece* piece, const char* source,
                           bint is_scan) noexcept:
        if shape.offsets != NULL:
            self._stage_parts(shape, 0, source)
        else:
            self._stage(piece, source, is_scan)

    cdef Py_ssize_t _part_bytes(self, Py_ssize_t itemsize) noexcept nogil:
        """How much of every block a chunk takes, by the rule of ``redcoll.slices.Parts``."""
        cdef Py_ssize_t grain = max(64 // itemsize, 1)
        cdef Py_ssize_t room = self._chunk_bytes // itemsize // max(self._n - 1, 1)
        return room // grain * grain * itemsize

    cdef void _stage_parts(self, Shape* shape, Py_ssize_t chunk, const char* source) noexcept:
        """Copy what the others fold of a chunk into this PE's staging."""
        cdef char* buffer = self._base + self._stages[self._me] + (chunk & 1) * self._chunk_bytes
        cdef Py_ssize_t length = self._part_bytes(shape.itemsize)
        cdef Py_ssize_t start, stop
        cdef int block
        with nogil:
            for block in range(self._n):
                start = shape.offsets[block] + chunk * length
                stop = min(start + length, shape.offsets[block + 1])
                if block != self._me and start < stop:
                    share_copy(buffer + (block - (block > self._me)) * length, source + start,
                               stop - start)

    cdef int _fold_parts(self, Shape* shape, const char* source, char* target) except -1:
        """This PE's block, from chunk 0 of the parts staged on all members; one round a chunk."""
        cdef Py_ssize_t length = self._part_bytes(shape.itemsize)
        cdef Py_ssize_t chunk, start, stop, longest = 0
        cdef int index
        for index in range(self._n):
            longest = max(longest, shape.offsets[index + 1] - shape.offsets[index])
        for chunk in range((longest + length - 1) // length):
            if chunk:
                self._stage_parts(shape, chunk, source)
                self._round(shape.word, shape.count, shape.extra)
            start = shape.offsets[self._me] + chunk * length
            stop = min(start + length, shape.offsets[self._me + 1])
            if start >= stop:
                continue
            for index in range(self._n):
                self._operands[index] = (
                    self._base + self._stages[index] + (chunk & 1) * self._chunk_bytes
                    + (self._me - (self._me > index)) * length
                )
            self._operands[self._me] = source + start
            with nogil:
                shape.fold(self._operands, self._n, target + chunk * length,
                           (stop - start) // shape.itemsize)
        # The staging is free once all have posted.
        self._round(shape.word, shape.count, shape.extra)
        return 0

    cdef int _scan_staged(self, Shape* shape, const char* source, char* target) except -1:
        """Prefixes replace what was staged: each finds its own where it put its source."""
        cdef bint is_inclusive = shape.collective == SCAN
        cdef Py_ssize_t chunk, chunks = self._chunks(shape)
        cdef Piece piece, before
        cdef char* own = self._base + self._stages[self._me]
        cdef int index
        for chunk in range(chunks):
            self._cut(&piece, chunk, shape.source_bytes, shape.itemsize)
            if chunk:
                self._stage(&piece, source, True)
                self._round(shape.word, shape.count, shape.extra)
            for index in range(self._n):
                self._targets[index] = (
                    self._base + self._stages[index] + piece.side * self._chunk_bytes + piece.first
                )
                self._operands[index] = self._targets[index]
            with nogil:
                if piece.first < piece.last:
                    _scan(shape.fold, self._operands, self._n, self._targets, is_inclusive,
                          (piece.last - piece.first) // shape.itemsize, shape.itemsize)
                if chunk and (is_inclusive or self._me):
                    memcpy(target + before.start, own + before.side * self._chunk_bytes,
                           before.stop - before.start)
            before = piece
        self._round(shape.word, shape.count, shape.extra)
        if is_inclusive or self._me:
            with nogil:
                memcpy(target + before.start, own + before.side * self._chunk_bytes,
                       before.stop - before.start)
        return 0

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
        cdef int64_t sequence
        cdef int parity, index, root_index
        cdef int flags = PyBUF_C_CONTIGUOUS | PyBUF_WRITABLE
        cdef int64_t* head
        cdef object dtype
        cdef void* name = NULL
        cdef void* same = NULL
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
        if shape == NULL or self.unwaited or not _heap.is_safe(<char*> of.buf, of.len):
            PyBuffer_Release(&of)
            return False
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
            if (into.len != shape.target_bytes or into.itemsize != shape.itemsize
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
                self._long(shape, <const char*> of.buf, <char*> into.buf)
                return True
            sequence = self.sequence + 1
            self.sequence = sequence
            parity = sequence & 1
            head = self._head(parity, self._me)
            share_copy(<char*> head + shape.payload_at, <const char*> of.buf, of.len)
            if self._posted[parity] != shape:
                self._posted[parity] = shape
                head[WORD] = shape.word
                head[COUNT] = shape.count
                head[EXTRA] = shape.extra
                head[STATUS] = shape.carried
            # Whoever sees this number sees the vector and the words above.
            store_release(head, sequence)
            if self._spin:
                demote(head)
                if of.len > INLINE_BYTES:
                    demote_all(<const char*> head + HEAD_BYTES, of.len)
            if shape.by_nodes and self.courier is not None:
                self._fold_node(shape, parity)
            self._await()
            if not self._agrees(parity, shape.word, shape.count, shape.extra):
                self._disagree()
            if shape.members and shape.by_nodes:
                for index in range(self._n_nodes):
                    self._operands[index] = (<char*> self._head(parity, self._firsts[index])
                                             + shape.payload_at + shape.first_byte)
                shape.fold(self._operands, self._n_nodes, <char*> into.buf, shape.target_count)
            elif shape.members:
                for index in range(shape.members):
                    self._operands[index] = (
                        <char*> self._head(parity, index) + shape.payload_at + shape.first_byte
                    )
                if self._me < shape.members:
                    # Nearer than what was staged of it.
                    self._operands[self._me] = <const char*> of.buf + shape.first_byte
                shape.fold(self._operands, shape.members, <char*> into.buf, shape.target_count)
            return True
        finally:
            PyBuffer_Release(&of)
            if into.buf != NULL:
                PyBuffer_Release(&into)

    cdef int _fold_node(self, Shape* shape, int parity) except -1:
        """Fold this node's vectors into the first of them, where all are of one call."""
        cdef int index
        cdef int64_t* head
        self._await_near()
        for index in range(self._n_near):
            head = self._head(parity, self._near[index])
            if (head[WORD] != shape.word or head[COUNT] != shape.count
                    or head[EXTRA] != shape.extra):
                return 0
            self._operands[index] = <char*> head + shape.payload_at
        if self._n_near > 1:
            shape.fold(self._operands, self._n_near, <char*> self._operands[0], shape.count)
        self.is_folded = True
        return 0

    cdef Py_ssize_t _chunks(self, Shape* shape) noexcept:
        cdef Py_ssize_t length = self._chunk_bytes // shape.itemsize * shape.itemsize
        return (shape.source_bytes + length - 1) // length

    cdef void _stage(self, Piece* piece, const char* source, bint is_whole) noexcept:
        """Copy a chunk of the source, or all but the slice this PE folds, into its staging."""
        cdef char* buffer = self._base + self._stages[self._me] + piece.side * self._chunk_bytes
        cdef Py_ssize_t first = piece.first, last = piece.last
        if is_whole:
            first = last = 0
        with nogil:
            share_copy(buffer, source + piece.start, first)
            share_copy(buffer + last, source + piece.start + last,
                       piece.stop - piece.start - last)

    cdef void _fold(self, Piece* piece, Fold fold, size_t itemsize, const char* source,
                    char* own) noexcept nogil:
        """Fold this PE's slice of a chunk into the result, and where it is wanted whole."""
        cdef char* shared = self._base + self._results + piece.side * self._chunk_bytes
        cdef int index
        if piece.first == piece.last:
            return
        for index in range(self._n):
            self._operands[index] = (
                self._base + self._stages[index] + piece.side * self._chunk_bytes + piece.first
            )
        self._operands[self._me] = source + piece.start + piece.first
        fold_and_share(fold, self._operands, self._n,
                       <char*> NULL if own == NULL else own + piece.start + piece.first,
                       shared + piece.first, (piece.last - piece.first) // itemsize, itemsize)

    cdef void _copy_out(self, Piece* piece, char* into, Py_ssize_t at, Py_ssize_t n_bytes,
                        bint has_own) noexcept nogil:
        """Copy the part ``[at, at + n_bytes)`` of a chunk's result, but what is there already."""
        cdef const char* result = self._base + self._results + piece.side * self._chunk_bytes
        cdef Py_ssize_t low = max(piece.start, at), high = min(piece.stop, at + n_bytes)
        if has_own:
            memcpy(into + piece.start, result, piece.first)
            memcpy(into + piece.start + piece.last, result + piece.last,
                   piece.stop - piece.start - piece.last)
        elif low < high:
            memcpy(into + low - at, result + low - piece.start, high - low)

    cdef void _cut(self, Piece* piece, Py_ssize_t chunk, Py_ssize_t n_bytes,
                   Py_ssize_t itemsize) noexcept nogil:
        """Where a chunk and this PE's slice of it lie."""
        cdef Py_ssize_t length = self._chunk_bytes // itemsize * itemsize
        piece.side = chunk & 1
        piece.start = chunk * length
        piece.stop = min(piece.start + length, n_bytes)
        self._slice(piece.stop - piece.start, itemsize, &piece.first, &piece.last)

    cdef void _slice(self, Py_ssize_t n_bytes, Py_ssize_t itemsize, Py_ssize_t* first,
                     Py_ssize_t* last) noexcept nogil:
        """This PE's slice of a vector, by the rule of ``redcoll.slices``."""
        cdef Py_ssize_t grain = max(64 // itemsize, 1) * itemsize
        cdef Py_ssize_t grains = (n_bytes + grain - 1) // grain
        first[0] = min(self._me * grains // self._n * grain, n_bytes)
        last[0] = min((self._me + 1) * grains // self._n * grain, n_bytes)

    cdef int _take_dtype(self, Shape* shape, dtype) except -1:
        self._dtypes[shape - self._shapes] = dtype
        shape.dtype = <void*> dtype
        return 0

    cdef Shape* _find_by_object(self, int collective, void* op, int root, int64_t mark,
                                void* dtype, Py_ssize_t n_bytes) noexcept:
        cdef int index
        cdef Shape* shape
        for index in range(min(self._learnt, <int> KNOWN)):
            shape = &self._shapes[index]
            if (shape.op == op and shape.dtype == dtype and shape.source_bytes == n_bytes
                    and shape.root == root and shape.collective == collective
                    and shape.mark == mark):
                return shape
        return NULL

    cdef Shape* _find(self, int collective, void* op, int root, int64_t mark,
                      Py_buffer* of) noexcept:
        cdef int index
        cdef Shape* shape
        for index in range(min(self._learnt, <int> KNOWN)):
            shape = &self._shapes[index]
            # The format of a structured type does not tell what pads it at its end.
            if (shape.op == op and shape.source_bytes == of.len and shape.root == root
                    and shape.itemsize == of.itemsize and shape.collective == collective
                    and shape.mark == mark
                    and strcmp(shape.format, of.format) == 0):
                return shape
        return NULL

    cdef bint _agrees(self, int parity, int64_t word, int64_t count, int64_t extra) noexcept:
        cdef int index
        cdef int64_t* head
        for index in range(self._n):
            if index == self._me:
                continue
            head = self._head(parity, index)
            if head[WORD] != word or head[COUNT] != count or head[EXTRA] != extra:
                return False
        return True

    cdef int _catch_up(self) except -1:
        """Wait out a round that this member declined."""
        self.unwaited = False
        return self._await()

    cdef int _await(self) except -1:
        """Until every member has posted; then what they wrote before is visible."""
        cdef bint is_folded
        if self.courier is None:
            return self._await_these(NULL, self._n)
        self._await_near()
        is_folded, self.is_folded = self.is_folded, False
        try:
            self.courier.carry(self.sequence, is_folded)
        except BaseException as error:
            self._give_up(error)
            raise
        # What the others need of this PE's node has gone out with it, and theirs is here.
        return self._await_these(NULL, self._n)

    cdef int _await_near(self) except -1:
        """The same for the members on this node."""
        return self._await_these(self._near, self._n_near)

    cdef int _await_these(self, const int* members, int n) except -1:
        """The same for some members, or the first ones."""
        cdef int64_t sequence = self.sequence
        cdef int parity = sequence & 1
        cdef int index, member, look
        cdef int64_t* head
        cdef object turn = None
        for index in range(n):
            member = index if members == NULL else members[index]
            if member == self._me:
                continue
            head = self._head(parity, member)
            for look in range(self._spin):
                if load_acquire(head) >= sequence:
                    break
                relax()
            while load_acquire(head) < sequence:
                try:
                    turn = self._wait(head, sequence, turn)
                except BaseException as error:
                    self._give_up(error)
                    raise
        return 0

    cdef object _wait(self, const int64_t* head, int64_t sequence, object turn):
        """Look for a while; then, as nobody came, let Python take its turn."""
        cdef int64_t until
        cdef bint has_arrived = False
        # A core that is yielded to another program is gone for milliseconds. So who has one to
        # itself keeps it for the first of these turns, which is longer than most waits.
        cdef bint keeps_core = turn is None and self._spin
        with nogil:
            until = now_ns() + TURN_NS
            while not has_arrived and now_ns() < until:
                if keeps_core:
                    relax()
                else:
                    yield_core()
                has_arrived = load_acquire(head) >= sequence
        if not has_arrived:
            if turn is None:
                turn = self._turns()
            # Once turns are naps there is no point in yielding between them.
            while turn() and load_acquire(head) < sequence:
                pass
        return turn


cdef class _Vectors:
    """Addresses of some arrays that are known to be C-contiguous and of one size."""

    cdef char** at
    cdef Py_buffer* _views
    cdef int n

    def __cinit__(self, arrays, bint is_writable):
        cdef int flags = PyBUF_WRITABLE if is_writable else PyBUF_SIMPLE
        cdef int room = len(arrays)
        self.at = <char**> calloc(room + 1, sizeof(char*))
        self._views = <Py_buffer*> calloc(room + 1, sizeof(Py_buffer))
        if self.at == NULL or self._views == NULL:
            raise MemoryError
        for array in arrays:
            PyObject_GetBuffer(array, &self._views[self.n], flags)
            self.at[self.n] = <char*> self._views[self.n].buf
            self.n += 1

    def __dealloc__(self):
        cdef int index
        for index in range(self.n):
            PyBuffer_Release(&self._views[index])
        free(self._views)
        free(self.at)

    cdef void move(self, Py_ssize_t n_bytes) noexcept:
        cdef int index
        for index in range(self.n):
            self.at[index] += n_bytes


cdef bint _await_change(const int64_t* word, int64_t mask, int64_t value, double limit_s,
                        int spin):
    """Wait a little for ``word & mask`` to differ from ``value``; whether it does."""
    cdef int64_t until
    cdef int look
    cdef bint has_changed = load_acquire(word) & mask != value
    for look in range(spin):
        if has_changed:
            break
        relax()
        has_changed = load_acquire(word) & mask != value
    if not has_changed:
        with nogil:
            until = now_ns() + <int64_t> (1e9 * limit_s)
            while not has_changed and now_ns() < until:
                yield_core()
                has_changed = load_acquire(word) & mask != value
    return has_changed


def await_change(words, Py_ssize_t at, int64_t mask, int64_t value, double limit_s, int spin):
    """As in the NumPy twin."""
    cdef Py_buffer view
    cdef bint has_changed
    PyObject_GetBuffer(words, &view, PyBUF_SIMPLE)
    has_changed = _await_change(<const int64_t*> view.buf + at, mask, value, limit_s, spin)
    PyBuffer_Release(&view)
    return has_changed


def collect(words, expected, seen, int slot_bits, Py_ssize_t slot_words, int head_words,
            list heads, double limit_s, int spin):
    """As in the NumPy twin, in one call as long as what comes is what is expected."""
    cdef Py_buffer memory, rows, known
    cdef const int64_t* row
    cdef const int64_t* head
    cdef int64_t* last
    cdef int64_t published
    cdef Py_ssize_t index
    cdef int word
    PyObject_GetBuffer(words, &memory, PyBUF_SIMPLE)
    PyObject_GetBuffer(expected, &rows, PyBUF_SIMPLE)
    PyObject_GetBuffer(seen, &known, PyBUF_WRITABLE)
    try:
        for index in range(rows.len // (ROW_WORDS * 8)):
            row = <const int64_t*> rows.buf + index * ROW_WORDS
            last = <int64_t*> known.buf + row[ROW_SENDER]
            if not _await_change(
                <const int64_t*> memory.buf + row[ROW_PUBLISHED], -1, last[0], limit_s, spin
            ):
                break
            published = load_acquire(<const int64_t*> memory.buf + row[ROW_PUBLISHED])
            head = (<const int64_t*> memory.buf + row[ROW_HEADS]
                    + (published & ((1 << slot_bits) - 1)) * slot_words)
            if (published >> slot_bits != (last[0] >> slot_bits) + 1
                    or load_acquire(head) != published >> slot_bits
                    or memcmp(head + HEAD_KEY, row + ROW_KEY, (ROW_WORDS - ROW_KEY) * 8)):
                break
            words_of = tuple([head[word] for word in range(head_words)])
            # It may have been somebody else's, and its slot be used anew meanwhile.
            load_fence()
            if load_acquire(head) != published >> slot_bits:
                break
            heads.append(words_of)
            last[0] = published
    finally:
        PyBuffer_Release(&memory)
        PyBuffer_Release(&rows)
        PyBuffer_Release(&known)


def fold_at(int op_code, int type_code, memory, starts, int own_index, own):
    """Left fold of arrays in ``memory``, and ``own`` at its place, into ``own``.

    The first of those in ``memory`` may be overwritten. False, and nothing done, without
    a loop.
    """
    cdef Fold loop = find_fold(op_code, type_code)
    cdef Py_buffer room, into
    cdef const char** operands
    cdef char* out
    cdef int index, n = len(starts) + 1
    if loop == NULL:
        return False
    operands = <const char**> calloc(n, sizeof(char*))
    if operands == NULL:
        raise MemoryError
    try:
        PyObject_GetBuffer(memory, &room, PyBUF_WRITABLE)
        try:
            PyObject_GetBuffer(own, &into, PyBUF_C_CONTIGUOUS | PyBUF_WRITABLE)
            try:
                for index in range(n):
                    if index == own_index:
                        operands[index] = <const char*> into.buf
                    else:
                        operands[index] = (
                            <const char*> room.buf
                            + <Py_ssize_t> starts[index - (index > own_index)]
                        )
                # A loop may write to its first or second operand, not to a later one.
                out = <char*> into.buf if own_index < 2 else <char*> operands[0]
                with nogil:
                    loop(operands, n, out, into.len // into.itemsize)
                    if own_index >= 2:
                        memcpy(into.buf, out, into.len)
            finally:
                PyBuffer_Release(&into)
        finally:
            PyBuffer_Release(&room)
    finally:
        free(operands)
    return True


def hand_over(words, Py_ssize_t at, tuple head, data, Py_ssize_t data_at,
              Py_ssize_t published_at, int64_t published, fence):
    """Store a head and an array, and publish them; as in the NumPy twin."""
    cdef Py_buffer room, of
    cdef int64_t* words_at
    cdef Py_ssize_t index
    PyObject_GetBuffer(words, &room, PyBUF_WRITABLE)
    try:
        words_at = <int64_t*> room.buf
        words_at[at] = head[0]
        store_fence()
        for index in range(1, len(head)):
            words_at[at + index] = head[index]
        if data is not None:
            PyObject_GetBuffer(data, &of, PyBUF_C_CONTIGUOUS)
            memcpy(<char*> room.buf + data_at, of.buf, of.len)
            PyBuffer_Release(&of)
        store_release(words_at + published_at, published)
    finally:
        PyBuffer_Release(&room)


cdef const char* _place(const int64_t* head, const char* memory, int64_t slot, int64_t stage,
                        Py_ssize_t chunk_bytes, Py_ssize_t* n_bytes) noexcept:
    """Where in a node's memory the payload of a post is, and its length."""
    cdef int64_t kind = head[STATUS] & 3
    n_bytes[0] = head[STATUS] >> 2
    if head[WORD] & FAILED:
        n_bytes[0] = head[STATUS]
    elif kind >= ON_STAGE:
        return memory + stage + (kind - ON_STAGE) * chunk_bytes
    return memory + slot + HEAD_BYTES


cdef bint _are_alike(const char* memory, const int64_t* rows, Py_ssize_t n) noexcept:
    """Whether members posted the same words, and nothing besides."""
    cdef const int64_t* first = <const int64_t*> (memory + rows[0])
    cdef Py_ssize_t place
    if first[WORD] & FAILED or first[STATUS]:
        return False
    for place in range(1, n):
        if memcmp(memory + rows[2 * place] + 8, first + 1, HEAD_BYTES - 8):
            return False
    return True


def pack(memory, rows, Py_ssize_t chunk_bytes, int64_t sequence, bint is_folded, bint is_final,
         into):
    """As in the NumPy twin."""
    cdef Py_buffer room, table, message
    cdef const int64_t* row
    cdef const int64_t* head
    cdef const char* base
    cdef const char* start
    cdef char* out
    cdef char* to
    cdef Py_ssize_t place, n, n_bytes
    cdef int64_t count = 0, form = SOME
    PyObject_GetBuffer(memory, &room, PyBUF_SIMPLE)
    PyObject_GetBuffer(rows, &table, PyBUF_SIMPLE)
    PyObject_GetBuffer(into, &message, PyBUF_WRITABLE)
    base = <const char*> room.buf
    row = <const int64_t*> table.buf
    n = table.len // 16
    if is_final:
        form = ALIKE if is_folded or _are_alike(base, row, n) else ALL
    out = <char*> message.buf
    to = out + MESSAGE_BYTES
    for place in range(n):
        head = <const int64_t*> (base + row[2 * place])
        # Acquired: what the member wrote before its post is visible from here on.
        if load_acquire(head) < sequence:
            continue
        if form != ALIKE:
            (<int64_t*> to)[0] = place
            to += 8
        memcpy(to, head, HEAD_BYTES)
        to += HEAD_BYTES
        count += 1
        if is_final:
            start = _place(head, base, row[2 * place], row[2 * place + 1], chunk_bytes, &n_bytes)
            memcpy(to, start, n_bytes)
            to += (n_bytes + 7) // 8 * 8
        if form == ALIKE:
            break
    (<int64_t*> out)[0] = form
    (<int64_t*> out)[1] = count
    PyBuffer_Release(&message)
    PyBuffer_Release(&table)
    PyBuffer_Release(&room)
    return to - out


def deliver(memory, rows, Py_ssize_t chunk_bytes, int64_t sequence, message, fence):
    """As in the NumPy twin."""
    cdef Py_buffer room, table, view
    cdef const int64_t* row
    cdef const char* at
    cdef const int64_t* head = NULL
    cdef char* base
    cdef char* slot
    cdef const char* start
    cdef Py_ssize_t entry, place, n_bytes
    cdef int64_t count, form
    PyObject_GetBuffer(memory, &room, PyBUF_WRITABLE)
    PyObject_GetBuffer(rows, &table, PyBUF_SIMPLE)
    PyObject_GetBuffer(message, &view, PyBUF_SIMPLE)
    base = <char*> room.buf
    row = <const int64_t*> table.buf
    at = <const char*> view.buf
    form = (<const int64_t*> at)[0]
    count = table.len // 16 if form == ALIKE else (<const int64_t*> at)[1]
    at += MESSAGE_BYTES
    for entry in range(count):
        place = entry
        if form != ALIKE:
            place = (<const int64_t*> at)[0]
            at += 8
        slot = base + row[2 * place]
        if form != ALIKE or entry == 0:
            head = <const int64_t*> at
            at += HEAD_BYTES
            if form != SOME:
                start = _place(head, base, row[2 * place], row[2 * place + 1], chunk_bytes,
                               &n_bytes)
                memcpy(<char*> start, at, n_bytes)
                at += (n_bytes + 7) // 8 * 8
        memcpy(slot + 8, head + 1, HEAD_BYTES - 8)
        if form == SOME:
            store_release(<int64_t*> slot, sequence)
    if form != SOME:
        # Only now: the numbers of some may have come before. Whoever of the node sees all
        # sees the posts and what they carry.
        for place in range(table.len // 16):
            store_release(<int64_t*> (base + row[2 * place]), sequence)
    PyBuffer_Release(&view)
    PyBuffer_Release(&table)
    PyBuffer_Release(&room)
    return form != SOME


def compare_swap(words, Py_ssize_t at, int64_t expected, int64_t value):
    """Atomically store ``value`` in ``words[at]`` where ``expected`` is found; the number before."""
    cdef Py_buffer view
    PyObject_GetBuffer(words, &view, PyBUF_WRITABLE)
    cdef int64_t before = _compare_swap(<int64_t*> view.buf + at, expected, value)
    PyBuffer_Release(&view)
    return before


def fold(int op_code, int type_code, operands, out, size_t count):
    """Left fold of vectors into ``out``; False where there is no such loop."""
    cdef Fold loop = find_fold(op_code, type_code)
    if loop == NULL:
        return False
    cdef _Vectors sources = _Vectors(operands, False)
    cdef _Vectors into = _Vectors((out,), True)
    with nogil:
        loop(<const char* const*> sources.at, sources.n, into.at[0], count)
    return True


def fold_to_many(int op_code, int type_code, operands, outs, size_t first, size_t count,
                 size_t itemsize):
    """Left fold of a part of vectors into the same part of others; False without a loop."""
    cdef Fold loop = find_fold(op_code, type_code)
    if loop == NULL:
        return False
    cdef _Vectors sources = _Vectors(operands, False)
    cdef _Vectors into = _Vectors(outs, True)
    sources.move(first * itemsize)
    into.move(first * itemsize)
    with nogil:
        _fold_to_many(loop, <const char* const*> sources.at, sources.n, into.at, into.n, count,
                      itemsize)
    return True


def scan(int op_code, int type_code, operands, outs, size_t first, size_t count,
         size_t itemsize, bint is_inclusive):
    """Running fold of a part of vectors; False without a loop."""
    cdef Fold loop = find_fold(op_code, type_code)
    if loop == NULL:
        return False
    cdef _Vectors sources = _Vectors(operands, False)
    cdef _Vectors into = _Vectors(outs, True)
    sources.move(first * itemsize)
    into.move(first * itemsize)
    with nogil:
        _scan(loop, <const char* const*> sources.at, sources.n, into.at, is_inclusive, count,
              itemsize)
    return True
