# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""Reduce long vectors directly in shared memory, or in chunks through staging buffers.

The channel also reduces several values that are packed into one vector. This module is longer than
400 lines because a Cython class must be in one module.
"""

from libc.stdint cimport int64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy

from redcoll.kernels._compiled.folds cimport (
    Fold,
    _fold_to_many,
    _scan,
    find_loops,
    fold_and_share,
    loops_of,
)
from redcoll.kernels._compiled.machine cimport (
    ALLREDUCE,
    EXSCAN,
    INLINE_BYTES,
    IN_ARENA,
    REDUCE,
    REDUCE_SCATTER,
    SCAN,
    SOURCE,
    TARGET,
    Buffer,
    now_ns,
    share_copy,
)
from redcoll.kernels._compiled.rounds cimport Rounds


cdef class WideCalls:
    """Performs the known calls of a team on several nodes; ``internode.pyx`` implements it."""

    cdef int perform(self, Work* work, int members, const char* source, char* target) except -1:
        raise NotImplementedError


cdef class Pipeline(Rounds):
    """A channel that reduces packed vectors, and vectors longer than its eager buffers."""

    def __cinit__(self, scratch, *others):
        cdef int index
        self._results = scratch.results
        self._chunk_bytes = scratch.chunk_bytes
        self._stages = <Py_ssize_t*> calloc(self._n, sizeof(Py_ssize_t))
        self._operands = <const char**> calloc(4 * self._n, sizeof(char*))
        if self._stages == NULL or self._operands == NULL:
            raise MemoryError
        self._targets = <char**> self._operands + self._n
        self._heaps = <char**> self._operands + 2 * self._n
        self._arenas = <char**> self._operands + 3 * self._n
        for index in range(self._n):
            self._stages[index] = scratch.stages[index]

    def __dealloc__(self):
        free(self._stages)
        free(self._operands)

    def small_segments(self, call, bytes table, bytes data, out):
        """Reduce packed vectors in one round, if each segment has a compiled loop."""
        cdef const int64_t* rows = <const int64_t*> <const char*> table
        cdef const char* source = data
        cdef int n_rows = len(table) // (4 * sizeof(int64_t))
        cdef bint is_inline = len(data) <= INLINE_BYTES
        cdef int row, index
        cdef Buffer into
        for row in range(n_rows):
            if loops_of(rows[4 * row], rows[4 * row + 1]) == NULL:
                return False
        if self.unwaited:
            self.catch_up()
        share_copy(self._payload(self.sequence + 1, self._me, is_inline), source, len(data), False)
        self._round(call.word, call.count, call.extra)
        if out is None:
            return True
        into.take(out, True)
        for row in range(n_rows):
            for index in range(self._n):
                self._operands[index] = (
                    source if index == self._me else self._payload(self.sequence, index, is_inline)
                ) + rows[2]
            loops_of(rows[0], rows[1])(self._operands, self._n, into.at() + rows[2], rows[3])
            rows += 4
        return True

    def long_segment(self, call, int op_code, int type_code, source, target):
        """Reduce a long packed vector that is one segment, if the segment has a compiled loop."""
        cdef Work work
        cdef Buffer of, into
        work.fold = loops_of(op_code, type_code)
        if work.fold == NULL:
            return False
        of.take(source, False)
        if target is not None:
            into.take(target, True)
        work.collective, work.root = ALLREDUCE, -1
        work.word, work.count, work.extra = call.word, call.count, call.extra
        work.source_bytes, work.itemsize = of.n_bytes(), source.itemsize
        work.first_byte, work.target_bytes = 0, into.n_bytes()
        work.offsets = NULL
        if self.unwaited:
            self.catch_up()
        self._run(&work, of.at(), into.at(), -1, -1)
        return True

    def pipeline(self, call, source, into, Py_ssize_t at, offsets=None):
        """Fold ``source`` as ``BaseChannel.staged`` does; return False if there is no loop.

        With the ``offsets`` of the blocks, fold as ``BaseChannel.staged_parts`` does.
        """
        cdef Work work
        cdef Buffer of, to
        find_loops(call, &work.fold)
        if work.fold == NULL:
            return False
        of.take(source, False)
        if into is not None:
            to.take(into, True)
        work.word, work.count, work.extra = call.word, call.count, call.extra
        work.itemsize = call.element.dtype.itemsize
        work.source_bytes = work.count * work.itemsize
        work.first_byte, work.target_bytes = at * work.itemsize, to.n_bytes()
        self._copies.begin(work.source_bytes)
        if offsets is None:
            self._fold_staged(&work, of.at(), to.at())
        else:
            work.offsets = self._in_bytes(offsets, work.itemsize)
            try:
                self._fold_parts(&work, of.at(), to.at())
            finally:
                free(work.offsets)
        self._copies.end()
        return True

    cdef Py_ssize_t* _in_bytes(self, offsets, Py_ssize_t itemsize) except NULL:
        cdef Py_ssize_t* result = <Py_ssize_t*> calloc(self._n + 1, sizeof(Py_ssize_t))
        cdef int index
        if result == NULL:
            raise MemoryError
        for index in range(self._n + 1):
            result[index] = <Py_ssize_t> offsets[index] * itemsize
        return result

    cdef int _run(self, Work* work, const char* source, char* target, int64_t at_source,
                  int64_t at_target) except -1:
        """Perform a whole call, as ``run_large`` and ``scan`` in ``redcoll.collectives`` do.

        Parameters
        ----------
        at_source, at_target
            Places of the arrays on the heap or in the arena. Both are -1 if one array is elsewhere.
        """
        cdef int index, private = 0
        cdef Piece piece
        cdef bint is_scan = work.collective == SCAN or work.collective == EXSCAN
        # A member with ordinary arrays knows before the round that its source must be staged.
        self._cut(&piece, 0, work.source_bytes, work.itemsize)
        if at_source < 0:
            self._copies.begin(work.source_bytes)
            self._stage_first(work, &piece, source, is_scan)
        self._staged_round(work, at_source, at_target)
        for index in range(self._n):
            private += self._head(self.sequence, index)[SOURCE] < 0
        if private == 0:
            self._fold_direct(work, target)
            # After this round, all targets are complete, and no member reads the sources any more.
            self._round(work.word, work.count, work.extra)
            return 0
        if private < self._n:
            if at_source >= 0:
                self._copies.begin(work.source_bytes)
                self._stage_first(work, &piece, source, is_scan)
            self._staged_round(work)
        if is_scan:
            self._scan_staged(work, source, target)
        elif work.offsets != NULL:
            self._fold_parts(work, source, target)
        else:
            self._fold_staged(work, source, target)
        self._copies.end()
        return 0

    cdef int _staged_round(self, Work* work, int64_t at_source=-1, int64_t at_target=-1) except -1:
        """Run a round. Its time does not count in the comparison of the two ways to copy."""
        cdef int64_t since_ns = now_ns() if self._copies.is_timed() else 0
        self._round(work.word, work.count, work.extra, at_source, at_target)
        if self._copies.is_timed():
            self._copies.leave_out(now_ns() - since_ns)
        return 0

    cdef char* _at(self, int index, int64_t place) noexcept:
        """Return the address of a member's array, whose place the member has published."""
        if place & IN_ARENA:
            return self._arenas[index] + (place ^ IN_ARENA)
        return self._heaps[index] + place

    cdef void _fold_direct(self, Work* work, char* own) noexcept:
        """Fold or scan this member's part of all sources into the same part of all targets."""
        cdef Py_ssize_t itemsize = work.itemsize
        cdef Py_ssize_t first, last
        cdef int m = self._n
        cdef int index
        cdef int64_t* head
        self._slice(work.source_bytes, itemsize, &first, &last)
        if work.collective == REDUCE_SCATTER:
            first = work.first_byte
            last = first + work.target_bytes
        for index in range(self._n):
            head = self._head(self.sequence, index)
            self._operands[index] = self._at(index, head[SOURCE]) + first
            self._targets[index] = self._at(index, head[TARGET]) + first
        if work.collective == REDUCE_SCATTER:
            self._targets[0] = own
            m = 1
        elif work.collective == REDUCE:
            self._targets[0] = self._targets[work.root]
            m = 1
        with nogil:
            if work.collective == SCAN or work.collective == EXSCAN:
                _scan(work.fold, self._operands, self._n, self._targets,
                      work.collective == SCAN, (last - first) // itemsize, itemsize)
            else:
                _fold_to_many(work.fold, self._operands, self._n, self._targets, m,
                              (last - first) // itemsize, itemsize)

    cdef int _fold_staged(self, Work* work, const char* source, char* target) except -1:
        """Fold a vector whose chunk 0 is staged on all members; each chunk takes one round."""
        cdef bint is_whole = work.target_bytes == work.source_bytes
        cdef char* own = target if is_whole else NULL
        cdef Py_ssize_t into_bytes = 0 if target == NULL else work.target_bytes
        cdef Py_ssize_t chunk, chunks = self._chunks(work)
        cdef Piece piece, before
        for chunk in range(chunks):
            self._cut(&piece, chunk, work.source_bytes, work.itemsize)
            if chunk:
                self._stage(&piece, source, False)
                self._staged_round(work)
            with nogil:
                self._fold(&piece, work.fold, work.itemsize, source, own)
                if chunk:
                    self._copy_out(&before, target, work.first_byte, into_bytes, own != NULL)
            before = piece
        self._staged_round(work)
        with nogil:
            self._copy_out(&before, target, work.first_byte, into_bytes, own != NULL)
        return 0

    cdef void _stage_first(self, Work* work, Piece* piece, const char* source,
                           bint is_scan) noexcept:
        if work.offsets != NULL:
            self._stage_parts(work, 0, source)
        else:
            self._stage(piece, source, is_scan)

    cdef Py_ssize_t _part_bytes(self, Py_ssize_t itemsize) noexcept nogil:
        """Return the number of bytes that each block has in a chunk.

        ``redcoll.protocol.partition.Parts`` computes the same number.
        """
        cdef Py_ssize_t grain = max(64 // itemsize, 1)
        cdef Py_ssize_t room = self._chunk_bytes // itemsize // max(self._n - 1, 1)
        return room // grain * grain * itemsize

    cdef void _stage_parts(self, Work* work, Py_ssize_t chunk, const char* source) noexcept:
        """Copy the parts that other members fold in a chunk to this member's staging buffer."""
        cdef char* buffer = self._base + self._stages[self._me] + (chunk & 1) * self._chunk_bytes
        cdef Py_ssize_t length = self._part_bytes(work.itemsize)
        cdef Py_ssize_t start, stop
        cdef int block
        with nogil:
            for block in range(self._n):
                start = work.offsets[block] + chunk * length
                stop = min(start + length, work.offsets[block + 1])
                if block != self._me and start < stop:
                    share_copy(buffer + (block - (block > self._me)) * length, source + start,
                               stop - start, self._copies.is_past_caches())

    cdef int _fold_parts(self, Work* work, const char* source, char* target) except -1:
        """Fold this member's block. All members have staged chunk 0; each chunk takes a round."""
        cdef Py_ssize_t length = self._part_bytes(work.itemsize)
        cdef Py_ssize_t chunk, start, stop, longest = 0
        cdef int index
        for index in range(self._n):
            longest = max(longest, work.offsets[index + 1] - work.offsets[index])
        for chunk in range((longest + length - 1) // length):
            if chunk:
                self._stage_parts(work, chunk, source)
                self._staged_round(work)
            start = work.offsets[self._me] + chunk * length
            stop = min(start + length, work.offsets[self._me + 1])
            if start >= stop:
                continue
            for index in range(self._n):
                self._operands[index] = (
                    self._base + self._stages[index] + (chunk & 1) * self._chunk_bytes
                    + (self._me - (self._me > index)) * length
                )
            self._operands[self._me] = source + start
            with nogil:
                work.fold(self._operands, self._n, target + chunk * length,
                           (stop - start) // work.itemsize)
        # After this round, the staging buffers can be reused.
        self._staged_round(work)
        return 0

    cdef int _scan_staged(self, Work* work, const char* source, char* target) except -1:
        """Scan through staging. Each prefix overwrites the staged source of its member."""
        cdef bint is_inclusive = work.collective == SCAN
        cdef Py_ssize_t chunk, chunks = self._chunks(work)
        cdef Piece piece, before
        cdef char* own = self._base + self._stages[self._me]
        cdef int index
        for chunk in range(chunks):
            self._cut(&piece, chunk, work.source_bytes, work.itemsize)
            if chunk:
                self._stage(&piece, source, True)
                self._staged_round(work)
            for index in range(self._n):
                self._targets[index] = (
                    self._base + self._stages[index] + piece.side * self._chunk_bytes + piece.first
                )
                self._operands[index] = self._targets[index]
            with nogil:
                if piece.first < piece.last:
                    _scan(work.fold, self._operands, self._n, self._targets, is_inclusive,
                          (piece.last - piece.first) // work.itemsize, work.itemsize)
                if chunk and (is_inclusive or self._me):
                    memcpy(target + before.start, own + before.side * self._chunk_bytes,
                           before.stop - before.start)
            before = piece
        self._staged_round(work)
        if is_inclusive or self._me:
            with nogil:
                memcpy(target + before.start, own + before.side * self._chunk_bytes,
                       before.stop - before.start)
        return 0

    cdef Py_ssize_t _chunks(self, Work* work) noexcept:
        cdef Py_ssize_t length = self._chunk_bytes // work.itemsize * work.itemsize
        return (work.source_bytes + length - 1) // length

    cdef void _stage(self, Piece* piece, const char* source, bint is_whole) noexcept:
        """Stage a chunk of the source; without ``is_whole`` leave out this member's slice."""
        cdef char* buffer = self._base + self._stages[self._me] + piece.side * self._chunk_bytes
        cdef Py_ssize_t first = piece.first, last = piece.last
        if is_whole:
            first = last = 0
        with nogil:
            share_copy(buffer, source + piece.start, first, self._copies.is_past_caches())
            share_copy(buffer + last, source + piece.start + last,
                       piece.stop - piece.start - last, self._copies.is_past_caches())

    cdef void _fold(self, Piece* piece, Fold fold, size_t itemsize, const char* source,
                    char* own) noexcept nogil:
        """Fold this member's slice of a chunk into the shared result, and into ``own`` if not
        null."""
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
                       shared + piece.first, (piece.last - piece.first) // itemsize, itemsize,
                       self._copies.is_past_caches())

    cdef void _copy_out(self, Piece* piece, char* into, Py_ssize_t at, Py_ssize_t n_bytes,
                        bint has_own) noexcept nogil:
        """Copy bytes ``[at, at + n_bytes)`` of a chunk's result to ``into``.

        With ``has_own``, ``into`` has this member's slice already, and gets all other bytes.
        """
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
        """Compute start and stop of a chunk, and of this member's slice of it."""
        cdef Py_ssize_t length = self._chunk_bytes // itemsize * itemsize
        piece.side = chunk & 1
        piece.start = chunk * length
        piece.stop = min(piece.start + length, n_bytes)
        self._slice(piece.stop - piece.start, itemsize, &piece.first, &piece.last)

    cdef void _slice(self, Py_ssize_t n_bytes, Py_ssize_t itemsize, Py_ssize_t* first,
                     Py_ssize_t* last) noexcept nogil:
        """Compute this member's slice of a vector, as ``redcoll.protocol.partition`` does."""
        cdef Py_ssize_t grain = max(64 // itemsize, 1) * itemsize
        cdef Py_ssize_t grains = (n_bytes + grain - 1) // grain
        first[0] = min(self._me * grains // self._n * grain, n_bytes)
        last[0] = min((self._me + 1) * grains // self._n * grain, n_bytes)
