# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""Posts of a node as messages and back: ``redcoll.kernels._bundles``, compiled."""

from cpython.buffer cimport PyBUF_SIMPLE, PyBUF_WRITABLE, PyBuffer_Release, PyObject_GetBuffer
from libc.stdint cimport int64_t
from libc.string cimport memcmp, memcpy

from redcoll.kernels._compiled.machine cimport (
    HEAD_BYTES,
    ON_STAGE,
    STATUS,
    WORD,
    load_acquire,
    store_release,
)


cdef enum:
    # Forms of a message, as in the NumPy twin.
    SOME, ALL, ALIKE
    MESSAGE_BYTES = 16


cdef int64_t FAILED = <int64_t> 1 << 60


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
         into, fence):
    """As in the NumPy twin; what has come is loaded with acquire, without the fence."""
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
