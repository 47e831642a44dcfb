# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""Run the steps of an exchange between node leaders: ``redcoll.internode.exchange``, compiled.

If ranks share a core, each rank that runs again finds its code and data evicted from the caches.
Then one compiled call takes much less time than a loop in Python.

This module calls MPI's functions by address, so building it needs no MPI library. Requests are
passed by address too, so their size does not matter. The module is longer than 400 lines because a
Cython class must be in one module.
"""

from libc.stdint cimport int64_t
from libc.string cimport memcpy

from redcoll.kernels._compiled.folds cimport find_loops
from redcoll.kernels._compiled.machine cimport Buffer, now_ns, yield_core
from redcoll.kernels._compiled.rounds cimport PATIENCE_NS, TURN_NS

# MPICH's handles are integers, and Open MPI's handles are pointers.
ctypedef int (*TransferByInt)(const void* buffer, int count, int datatype, int node, int tag,
                              int comm, void* request) noexcept nogil
ctypedef int (*TransferByPointer)(const void* buffer, int count, void* datatype, int node, int tag,
                                  void* comm, void* request) noexcept nogil

cdef enum:
    # More words than any MPI library's status has.
    STATUS_WORDS = 32

cdef enum Phase:
    BEGINS, PACKS, RECEIVES, COMPARES

cdef enum Outcome:
    IS_DONE, AWAITS_MESSAGE, AWAITS_SENDS, IS_DISPUTED, HAS_ERROR


cdef class Plan:
    """The steps of an exchange for both parities of the round."""

    def __init__(self, CompiledExchange exchange, found, call):
        cdef Step step
        cdef FoldOfTwo fold
        cdef Copy copy
        cdef int side
        if call is not None:
            find_loops(call, &self.loop)
        self.kept = [list(each) for each in found]
        self.steps.resize(2)
        self.copies.resize(2)
        self.folds.resize(2)
        self.n_requests = 2 * max(map(len, found))
        for side in range(2):
            for planned in found[side]:
                receive, send, message, to, at, pack, unpack, folds, into, waits, source = planned
                step.receive = exchange._functions.handle(receive)
                step.send = exchange._functions.handle(send)
                step.message = step.into = NULL
                step.n_bytes = step.n_arriving = 0
                if message is not None:
                    step.message, step.n_bytes = start_of(message[0]), len(message[0])
                if into is not None:
                    step.into, step.n_arriving = start_of(into[0]), len(into[0])
                step.to, step.waits, step.source = to, waits, source
                step.header = NULL
                if at >= 0:
                    step.header = exchange.words + <int64_t> at
                step.n_packed, step.n_copies = len(pack), len(pack) + len(unpack)
                step.n_folds = len(folds)
                self.steps[side].push_back(step)
                for place, taken in (*pack, *unpack):
                    copy.to, copy.of, copy.n_bytes = start_of(place), start_of(taken), len(taken)
                    copy.is_own = <size_t> (copy.of - exchange._vector) < exchange._vector_bytes
                    self.copies[side].push_back(copy)
                for place, (first, second) in folds:
                    fold.to, fold.count = start_of(place), len(place)
                    fold.of[0], fold.of[1] = start_of(first), start_of(second)
                    self.folds[side].push_back(fold)


cdef char* start_of(memory) except? NULL:
    cdef Buffer buffer
    buffer.take(memory, False)
    return buffer.at()


cdef class MPIFunctions:
    """Functions of MPI.

    Parameters
    ----------
    addresses
        The addresses of ``MPI_Start``, ``MPI_Test``, ``MPI_Isend`` and ``MPI_Irecv``.
    address_of
        A function that returns the address of an MPI handle.
    has_pointers
        Whether handles are pointers.
    raise_error
        A function that gets an error code of MPI, and raises an exception.
    """

    def __init__(self, addresses, address_of, has_pointers, raise_error):
        start, test, send, receive = addresses
        self.start = <StartCall> <void*> <int64_t> start
        self.test = <TestCall> <void*> <int64_t> test
        self.send, self.receive = <void*> <int64_t> send, <void*> <int64_t> receive
        self.address_of = address_of
        self.has_pointers = has_pointers
        self.raise_error = raise_error

    def completes(self, request):
        """Poll a request of mpi4py for 0.1 ms; return whether it is complete."""
        cdef void* handle = <void*> <int64_t> self.address_of(request)
        cdef int64_t until
        cdef int code = 0
        cdef bint is_complete = False
        with nogil:
            until = now_ns() + TURN_NS
            while True:
                is_complete = self.is_complete(handle, &code)
                if is_complete or now_ns() >= until:
                    break
                yield_core()
        if code:
            self.raise_error(code)
        return is_complete

    cdef void* handle(self, request) except? NULL:
        """Return the address of a request's handle; NULL for None."""
        return NULL if request is None else <void*> <int64_t> self.address_of(request)

    cdef bint is_complete(self, void* request, int* code) noexcept nogil:
        """Return whether a request is complete, or its test fails and sets ``code``."""
        cdef int64_t status[STATUS_WORDS]
        cdef int flag = 0
        code[0] = self.test(request, &flag, status)
        return flag or code[0] != 0


cdef class CompiledExchange:
    """The compiled steps of a leader's exchanges.

    Parameters
    ----------
    functions
        The functions of MPI.
    comm, byte
        The leaders' communicator, and the type of bytes.
    memory, own
        The node's memory, and for each parity the index of the first word of the header to send.
    vector
        The memory for the vector whose parts the next exchange sends.
    tag
        The tag of all messages.
    failed, one_way
        The bits of a header's word that say that its sender found an error, and that the round is
        one-way.
    finish
        A function that gets a test, and returns after the test has returned true.
    dispute
        A function that raises the error of a round whose number it gets.
    patience_ns
        The time for which a wait polls before it calls ``finish``.
    """

    def __init__(self, MPIFunctions functions, comm, byte, memory, own, vector, tag, failed,
                 one_way, finish, dispute, patience_ns=PATIENCE_NS):
        self._functions = functions
        self._comm = <const void*> <int64_t> functions.address_of(comm)
        self._byte = <const void*> <int64_t> functions.address_of(byte)
        self._memory = memory, vector, comm, byte
        self._vector, self._vector_bytes = start_of(vector), len(vector)
        self._awaited = -1
        self.words = <int64_t*> start_of(memory)
        for side in range(2):
            self._own[side] = self.words + <int64_t> own[side]
        self._tag, self._patience_ns, self._failed, self.one_way = (
            tag, patience_ns, failed, one_way)
        self._finish, self._dispute = finish, dispute

    def plan(self, steps, call=None):
        """Prepare steps, whose arrays must not move. The plan keeps them alive.

        ``call`` is the call whose operation the steps use; None for steps without folds.
        """
        return Plan(self, steps, call)

    @property
    def awaited(self):
        """The node for which the exchange waits. The property in Python documents the value."""
        return self._awaited

    def exchange(self, int64_t number, int64_t word, int64_t count, int64_t extra, bint is_wrong,
                 Plan plan=None, bint is_one_way=False):
        """Run an exchange. The method ``_exchange`` in Python documents the arguments."""
        return self.run(number, word | self.one_way if is_one_way else word, count, extra,
                        is_wrong, plan)

    cdef bint run(self, int64_t number, int64_t word, int64_t count, int64_t extra,
                  bint is_wrong, Plan plan, Py_ssize_t to_source=0,
                  Py_ssize_t to_target=0) except -1:
        """Run an exchange, as ``exchange`` does. The word also says whether the round is one-way.

        If ``to_source`` is not 0, the exchange reads the vector to send at this distance from its
        own vector. ``to_target`` moves the places of received messages without headers.
        """
        cdef int side = number & 1, outcome
        if plan is None:
            plan = self.short
        self._to_source, self._to_target = to_source, to_target
        self._said[0], self._said[1], self._said[2], self._said[3] = word, count, extra, number
        self._header = self._own[side]
        self._header[0] = word | self._failed if is_wrong else word
        self._header[1], self._header[2], self._header[3] = count, extra, number
        self._steps, self._copies = plan.steps[side].data(), plan.copies[side].data()
        self._folds, self._loop = plan.folds[side].data(), plan.loop
        self._n_steps = plan.steps[side].size()
        if self._requests.size() < plan.n_requests:
            self._requests.resize(plan.n_requests)
            self._sent.resize(plan.n_requests)
        self._step = self._copy = self._fold = self._n_sent = self._n_posted = self._code = 0
        self._phase = BEGINS
        self._is_wrong = is_wrong
        while True:
            with nogil:
                outcome = self._advance()
            if outcome == IS_DONE:
                return not self._is_wrong
            if outcome == HAS_ERROR:
                self._functions.raise_error(self._code)
            if outcome == IS_DISPUTED:
                self._dispute(min(number, self._steps[self._step].header[3]))
            if outcome == AWAITS_MESSAGE:
                self._awaited = self._steps[self._step].source
                self._finish(self._test_message)
            else:
                if word & self.one_way:
                    self._awaited = self._steps[self._n_steps - 1].to
                self._finish(self._test_sends)
            self._awaited = -1

    def _test_message(self):
        """Poll for 0.1 ms; return whether the message of the present step has arrived."""
        cdef bint is_here = False
        cdef int64_t until
        with nogil:
            until = now_ns() + TURN_NS
            while not is_here and now_ns() < until:
                yield_core()
                is_here = self._is_complete(self._receiving)
        if self._code:
            self._functions.raise_error(self._code)
        if is_here:
            self._phase = COMPARES
        return is_here

    def _test_sends(self):
        """Poll for 0.1 ms; return whether MPI no longer needs the messages of this exchange."""
        cdef bint are_sent = False
        cdef int64_t until
        with nogil:
            until = now_ns() + TURN_NS
            while not are_sent and not self._code and now_ns() < until:
                yield_core()
                are_sent = self._are_sent()
        if self._code:
            self._functions.raise_error(self._code)
        return are_sent

    cdef int _advance(self) noexcept nogil:
        """Run steps until all are done, or until one of them must wait for long."""
        cdef const Step* step
        cdef int64_t until
        while self._step < self._n_steps:
            step = self._steps + self._step
            if self._phase == BEGINS:
                self._receive(step)
                if self._code:
                    return HAS_ERROR
                self._phase = PACKS
            if self._phase == PACKS:
                # The copies overwrite messages of earlier steps.
                if step.n_packed and not self._finish_sends():
                    return HAS_ERROR if self._code else AWAITS_SENDS
                self._make_copies(step.n_packed)
                self._post(step)
                if self._code:
                    return HAS_ERROR
                self._phase = RECEIVES
            if self._phase == RECEIVES:
                if not self._has_arrived():
                    until = now_ns() + self._patience_ns
                    while True:
                        yield_core()
                        if self._has_arrived():
                            break
                        if now_ns() >= until:
                            return AWAITS_MESSAGE
                if self._code:
                    return HAS_ERROR
                self._phase = COMPARES
            # The sender has compared its header with those of other nodes. So one comparison covers
            # them.
            if step.header != NULL and (
                    step.header[0] != self._said[0] or step.header[1] != self._said[1]
                    or step.header[2] != self._said[2] or step.header[3] != self._said[3]):
                if ((step.header[0] | self._said[0]) & self.one_way
                        or step.header[3] != self._said[3]):
                    return IS_DISPUTED
                self._is_wrong = True
                if not self._finish_sends():
                    return HAS_ERROR if self._code else AWAITS_SENDS
                self._header[0] |= self._failed
            self._make_copies(step.n_copies - step.n_packed)
            if not self._is_wrong:
                self._make_folds(step.n_folds)
            self._step += 1
            self._phase = BEGINS
        if self._finish_sends():
            return IS_DONE
        return HAS_ERROR if self._code else AWAITS_SENDS

    cdef void _make_copies(self, int n) noexcept nogil:
        cdef const Copy* copy = self._copies + self._copy
        cdef int index
        for index in range(n):
            memcpy(copy[index].to, copy[index].of + (self._to_source if copy[index].is_own else 0),
                   copy[index].n_bytes)
        self._copy += n

    cdef void _make_folds(self, int n) noexcept nogil:
        cdef const FoldOfTwo* fold = self._folds + self._fold
        cdef int index
        for index in range(n):
            self._loop(fold[index].of, 2, fold[index].to, fold[index].count)
        self._fold += n

    cdef void _receive(self, const Step* step) noexcept nogil:
        """Start to receive the message of a step."""
        cdef void* request
        self._receiving = step.receive
        if step.receive != NULL:
            self._code = self._functions.start(step.receive)
        elif step.into != NULL:
            request = self._next_request() if not step.waits else &self._arriving
            self._transfer(self._functions.receive, step.into + self._to_target, step.n_arriving,
                           step.to, request)
            if step.waits:
                self._receiving = request
            else:
                self._await_later(request)

    cdef void _post(self, const Step* step) noexcept nogil:
        """Start to send the message of a step."""
        cdef void* request = step.send
        if request != NULL:
            self._code = self._functions.start(request)
        elif step.message != NULL:
            request = self._next_request()
            # A message with a header begins in the send buffer.
            self._transfer(self._functions.send,
                           step.message + (self._to_source if step.header == NULL else 0),
                           step.n_bytes, step.to, request)
        else:
            return
        self._await_later(request)

    cdef void* _next_request(self) noexcept nogil:
        self._n_posted += 1
        return &self._requests[self._n_posted - 1]

    cdef void _await_later(self, void* request) noexcept nogil:
        self._sent[self._n_sent] = request
        self._n_sent += 1

    cdef void _transfer(self, void* function, const void* message, int n_bytes, int node,
                        void* request) noexcept nogil:
        """Call ``MPI_Isend`` or ``MPI_Irecv``."""
        if self._functions.has_pointers:
            self._code = (<TransferByPointer> function)(
                message, n_bytes, (<void**> self._byte)[0], node, self._tag,
                (<void**> self._comm)[0], request)
        else:
            self._code = (<TransferByInt> function)(
                message, n_bytes, (<int*> self._byte)[0], node, self._tag,
                (<int*> self._comm)[0], request)

    cdef bint _has_arrived(self) noexcept nogil:
        # The first test may receive the message without completing the request.
        return (self._receiving == NULL or self._is_complete(self._receiving)
                or self._is_complete(self._receiving))

    cdef bint _is_complete(self, void* request) noexcept nogil:
        return self._functions.is_complete(request, &self._code)

    cdef bint _finish_sends(self) noexcept nogil:
        """Wait until all messages are sent; return whether they are."""
        cdef int64_t until
        if self._are_sent():
            return True
        until = now_ns() + self._patience_ns
        while not self._code and now_ns() < until:
            yield_core()
            if self._are_sent():
                return True
        return False

    cdef bint _are_sent(self) noexcept nogil:
        while self._n_sent:
            if not self._is_complete(self._sent[self._n_sent - 1]):
                return False
            if self._code:
                return False
            self._n_sent -= 1
        return True
