# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""Record the call site, the time and the bytes of each call of this rank, for a profile.

The compiled fast path calls ``add`` itself. ``RecordedFastPath`` and ``Recorded`` wrap functions in
Python. All three use one recorder, so it is in a separate module. Other extension modules call
``add`` through a pointer, which takes about a nanosecond longer.
"""

from types import MethodType

from libc.stdint cimport int64_t, uint64_t

from redcoll.kernels._compiled.rounds cimport find_caller, learn_if_ours

from numpy cimport PyArray_NBYTES, import_array, ndarray

from redcoll.errors import DelegatedError

import_array()


cdef extern from "recorder.hpp" namespace "redcoll":
    cdef struct Record:
        pass
    cdef struct SiteTotal:
        int64_t calls, n_bytes, ticks
    cdef cppclass Recorder:
        TickClock clock
        bint begin(size_t most)
        void release()
        void add(int64_t site, int64_t number, int64_t n_bytes, int64_t start, int64_t stop)
        const Record* records()
        size_t size()
        const SiteTotal* totals()
        size_t sites()
        uint64_t mask()
    cdef struct ThreadState:
        bint is_inside
        void* way
    ThreadState* thread_state()


cdef enum:
    # The number of places in the table of call sites. It is a power of two.
    CALLERS = 2048


cdef struct Caller:
    # Arguments of `add`, and the number of the call site that these arguments identify. The profile
    # keeps the objects of these pointers alive.
    void* code
    void* call
    void* way
    int64_t owner
    int instruction
    int site


cdef CallSite _UNKNOWN = CallSite(NULL, 0, NULL)

# These variables are used only while the GIL is held.
cdef Recorder _recorder
cdef Caller _callers[CALLERS]
cdef object _find_site = None
cdef dict _ways = {}
cdef dict _counts = {}
# The number of threads in a recorded call.
cdef int _inside = 0


def begin(size_t most, find_site):
    """Begin a profile. ``_python.recorder`` documents the arguments."""
    global is_on, profiles, _find_site
    cdef int place
    if not _recorder.begin(most):
        raise MemoryError(f"no memory for a profile of {most} calls")
    for place in range(CALLERS):
        _callers[place].code = NULL
    _counts.clear()
    _find_site = find_site
    profiles += 1
    is_on = True


def end():
    """End the profile. ``_python.recorder`` documents the result."""
    global is_on, _find_site
    cdef const SiteTotal* totals = _recorder.totals()
    is_on = False
    _find_site = None
    records = (<const char*> _recorder.records())[:_recorder.size() * sizeof(Record)]
    sums = [
        (totals[site].calls, totals[site].n_bytes, totals[site].ticks)
        for site in range(_recorder.sites())
    ]
    _recorder.release()
    return records, sums, _recorder.mask()


def moment():
    """Return the processor's tick and the monotonic clock's nanosecond at one moment."""
    cdef int64_t tick = 0, ns = 0
    _recorder.clock.moment(&tick, &ns)
    return tick, ns


def note_way(str way):
    """Set the way of the recorded call that runs in this thread: the reason why MPI makes it."""
    way = _ways.setdefault(way, way)
    thread_state().way = <void*> way


cdef int add(object owner, int64_t key, object name, int64_t number, int64_t n_bytes,
             int64_t start, int64_t stop, void* way, CallSite at) except -2:
    """Record a call, unless this thread is in a recorded call.

    Return the number of the call site in this profile; -1 if the call is not recorded.

    Parameters
    ----------
    owner
        The team or the communicator; None if it is unknown.
    key
        A number that no other owner has.
    name
        The name of the call. None stands for the name of the function that the program called.
    way
        The reason why MPI made the call, which lives as long as the profile; NULL without one.
    at
        The call site, which is found here if it is unknown.
    """
    cdef int site
    cdef void* call
    cdef void* before = NULL
    cdef Caller* caller
    # Another thread may have ended the profile during the call.
    if not is_on or (_inside and thread_state().is_inside):
        return -1
    while True:
        if at.code == NULL:
            at.code = find_caller(&at.instruction, &at.entry)
        call = at.entry if name is None else <void*> name
        caller = &_callers[
            ((<uint64_t> at.code >> 4) + <uint64_t> at.instruction * 37 + <uint64_t> key * 101
             + (<uint64_t> way >> 4)) & (CALLERS - 1)]
        if (caller.code == at.code and at.code != NULL and caller.instruction == at.instruction
                and caller.call == call and caller.owner == key and caller.way == way):
            site = caller.site
            break
        if at.code == NULL or at.code == before or not learn_if_ours(at.code):
            site = _find_site(owner, name, None if way == NULL else <object> way)
            if at.code != before:  # code of redcoll is no call site, and its table is full
                caller.code, caller.call, caller.instruction = at.code, call, at.instruction
                caller.owner, caller.way, caller.site = key, way, site
            break
        before, at.code = at.code, NULL
    if site >= 0:
        _recorder.add(site, number, n_bytes, start, stop)
    return site


cdef void add_again(int site, int64_t number, int64_t n_bytes, int64_t start,
                    int64_t stop) noexcept:
    """Record a call from the call site to which :func:`add` gave this number."""
    if is_on and not (_inside and thread_state().is_inside):
        _recorder.add(site, number, n_bytes, start, stop)


cdef class RecordedFastPath:
    """Wraps the fast path of a channel in Python, and records its calls."""

    cdef object _team, _channel, _small
    cdef int64_t _key

    def __init__(self, team):
        self._team = team
        self._channel = team.channel
        self._small = team.channel.small
        self._key = <int64_t> <void*> team

    def small(self, collective, target, source, op, root=-1, mark=0):
        cdef int64_t start = _recorder.clock.now(), stop
        if not self._small(collective, target, source, op, root, mark):
            return False
        stop = _recorder.clock.now()
        if is_on:
            array = source if isinstance(source, ndarray) else source[0]
            add(self._team, self._key, None, self._channel.sequence,
                PyArray_NBYTES(<ndarray> array), start, stop,
                NULL, _UNKNOWN)
        return True


cdef class Recorded:
    """Wraps a function, and records its calls. ``_python.recorder`` documents this class."""

    cdef dict __dict__
    cdef object _function, _call, _about
    cdef str _way

    def __init__(self, function, call, about, way=None):
        self._function = function
        self._call = call
        self._about = about
        self._way = None if way is None else _ways.setdefault(way, way)

    def __get__(self, instance, owner):
        return self if instance is None else MethodType(self, instance)

    def __call__(self, *arguments, **options):
        global _inside
        cdef ThreadState* state = thread_state()
        cdef int64_t start, stop
        cdef bint is_made = True
        if not is_on or state.is_inside:
            return self._function(*arguments, **options)
        state.is_inside = True
        _inside += 1
        state.way = NULL if self._way is None else <void*> self._way
        start = _recorder.clock.now()
        try:
            if options:
                return self._function(*arguments, **options)
            return self._function(*arguments)
        except DelegatedError:
            is_made = False  # the call is recorded later, when MPI makes it
            raise
        finally:
            stop = _recorder.clock.now()
            state.is_inside = False
            _inside -= 1
            if is_made and is_on:
                self._add(arguments, options, start, stop, state.way)

    cdef int _add(self, tuple arguments, dict options, int64_t start, int64_t stop,
                  void* way) except -1:
        cdef int64_t key
        try:
            if self._about is None:
                owner, n_bytes = arguments[0], _bytes_of_source(arguments)
            else:
                owner, n_bytes = self._about(*arguments, **options)
        except Exception:
            owner, n_bytes = None, 0  # a wrong argument, which the call has refused
        key = <int64_t> <void*> owner
        add(owner, key, self._call, _number_of(owner, key), n_bytes, start, stop, way,
            _UNKNOWN)
        return 0


cdef int64_t _bytes_of_source(tuple arguments) except -1:
    """Return the bytes of the last array in ``arguments[1:4]``."""
    cdef Py_ssize_t index
    for index in range(min(len(arguments), 4) - 1, 0, -1):
        if isinstance(arguments[index], ndarray):
            return PyArray_NBYTES(<ndarray> arguments[index])
    raise TypeError("no array")


cdef int64_t _number_of(owner, int64_t key) except? -1:
    """Return the number of the call that has just ended. It is the same on all ranks."""
    cdef int64_t number
    try:
        return owner.channel.sequence
    except Exception:
        number = _counts.get(key, 0) - 1  # the owner is not a team, or a closed team
        _counts[key] = number
        return number
