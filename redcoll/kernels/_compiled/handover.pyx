# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""Pass messages through shared memory: ``redcoll.kernels._python.handover``, compiled."""

from libc.stdint cimport int64_t
from libc.string cimport memcmp, memcpy

from redcoll.kernels._compiled.machine cimport (
    Buffer,
    _compare_swap,
    load_acquire,
    load_fence,
    now_ns,
    relax,
    store_fence,
    store_release,
    yield_core,
)


cdef enum:
    # The words of a row, as in redcoll/protocol/layout.py; tests/unit/test_layout.py compares them.
    ROW_PUBLISHED = 0, ROW_HEADS = 1, ROW_KEY = 2, ROW_SENDER = 5, ROW_WORDS = 6
    HEAD_KEY = 2


cdef bint _await_change(const int64_t* word, int64_t mask, int64_t value, double limit_s,
                        int spin):
    """Wait a short time for ``word & mask`` to differ from ``value``; return whether it does."""
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
    """Wait as :func:`redcoll.kernels._python.handover.await_change` does."""
    cdef Buffer memory
    memory.take(words, False)
    return _await_change(<const int64_t*> memory.at() + at, mask, value, limit_s, spin)


def collect(words, expected, seen, int slot_bits, Py_ssize_t slot_words, int head_words,
            list heads, double limit_s, int spin):
    """Collect expected messages in one call. The NumPy kernel documents the arguments."""
    cdef Buffer memory, rows, known
    cdef const int64_t* at
    cdef const int64_t* row
    cdef const int64_t* head
    cdef int64_t* last
    cdef int64_t published
    cdef Py_ssize_t index
    cdef int word
    memory.take(words, False)
    rows.take(expected, False)
    known.take(seen, True)
    at = <const int64_t*> memory.at()
    for index in range(rows.n_bytes() // (ROW_WORDS * 8)):
        row = <const int64_t*> rows.at() + index * ROW_WORDS
        last = <int64_t*> known.at() + row[ROW_SENDER]
        if not _await_change(at + row[ROW_PUBLISHED], -1, last[0], limit_s, spin):
            break
        published = load_acquire(at + row[ROW_PUBLISHED])
        head = at + row[ROW_HEADS] + (published & ((1 << slot_bits) - 1)) * slot_words
        if (published >> slot_bits != (last[0] >> slot_bits) + 1
                or load_acquire(head) != published >> slot_bits
                or memcmp(head + HEAD_KEY, row + ROW_KEY, (ROW_WORDS - ROW_KEY) * 8)):
            break
        words_of = tuple([head[word] for word in range(head_words)])
        # The sender may have reused the slot while the header was read.
        load_fence()
        if load_acquire(head) != published >> slot_bits:
            break
        heads.append(words_of)
        last[0] = published


def hand_over(words, Py_ssize_t at, tuple head, data, Py_ssize_t data_at,
              Py_ssize_t published_at, int64_t published, fence):
    """Store a header and an array, and publish them; see the NumPy kernel."""
    cdef Buffer room, of
    cdef int64_t* words_at
    cdef Py_ssize_t index
    room.take(words, True)
    words_at = <int64_t*> room.at()
    words_at[at] = head[0]
    store_fence()
    for index in range(1, len(head)):
        words_at[at + index] = head[index]
    if data is not None:
        of.take(data, False)
        memcpy(room.at() + data_at, of.at(), of.n_bytes())
    store_release(words_at + published_at, published)


def compare_swap(words, Py_ssize_t at, int64_t expected, int64_t value):
    """Store ``value`` atomically if the word equals ``expected``; return the old value."""
    cdef Buffer memory
    memory.take(words, True)
    return _compare_swap(<int64_t*> memory.at() + at, expected, value)
