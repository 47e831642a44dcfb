# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""Perform a known call of a team on several nodes in one compiled call.

``redcoll.internode`` does the same in Python for calls that are not known yet.
"""

from libc.stdint cimport int64_t
from libc.string cimport memcpy
from libcpp.vector cimport vector

from redcoll.kernels._compiled.exchange cimport CompiledExchange, Plan, start_of
from redcoll.kernels._compiled.machine cimport (
    INLINE_BYTES,
    load_acquire,
    store_release,
    yield_core,
)
from redcoll.kernels._compiled.pipeline cimport Pipeline, WideCalls, Work


cdef class Places:
    """The places of a call's vectors, and the caller's part in exchanges of these vectors.

    In each argument with two entries the index is the parity of the round.

    Parameters
    ----------
    said
        Word, count and extra of the call.
    is_folded
        Whether each node folds its members' vectors before the other nodes read them.
    own
        Two arrays. The caller's vector or its node's fold has its place in them.
    operands
        Two lists of the vectors to fold for the result.
    exchange
        The compiled exchange of a leader; None if the caller is not a leader.
    plan
        The plan in which the vectors travel; None for the plan of short vectors.
    parts
        None, or the leader's parts: two lists of parts that arrive, two arrays for their fold, two
        send buffers for the fold, and the plan that sends it. Without a plan there are no buffers.
    """

    cdef tuple said
    cdef CompiledExchange exchange
    cdef Plan plan, plan_back
    cdef bint is_folded, has_parts
    cdef size_t part_count, part_bytes
    cdef vector[char*] own, results, sent_back
    cdef vector[vector[const char*]] operands, parts
    cdef object _kept

    def __init__(self, said, is_folded, own, operands, exchange, plan, parts):
        self._kept = own, operands, parts
        self.said, self.is_folded, self.exchange, self.plan = said, is_folded, exchange, plan
        for array in own:
            self.own.push_back(start_of(array))
        _take(&self.operands, operands)
        self.has_parts = parts is not None
        if self.has_parts:
            arrive, results, sent_back, self.plan_back = parts
            _take(&self.parts, arrive)
            self.part_count, self.part_bytes = results[0].size, results[0].nbytes
            for array in results:
                self.results.push_back(start_of(array))
            for array in sent_back:
                self.sent_back.push_back(start_of(array))


cdef int _take(vector[vector[const char*]]* into, lists) except -1:
    into.resize(2)
    for side in range(2):
        for array in lists[side]:
            into[0][<size_t> side].push_back(start_of(array))
    return 0


cdef class CompiledCalls(WideCalls):
    """The known calls of a team on several nodes, for one member.

    Parameters
    ----------
    channel
        The member's ``redcoll.internode.channel.Channel``, which has the state of the rounds.
    near
        The channel for the members on the caller's node.
    release
        The two words of the node's memory by which the leader ends a round, in bytes.
    polls
        How often a wait polls before it calls a function in Python.
    """

    cdef object _channel
    cdef Pipeline _near
    cdef int64_t* _release
    cdef int _polls
    cdef vector[const char*] _operands

    def __init__(self, channel, Pipeline near, release, int polls):
        self._channel, self._near, self._polls = channel, near, polls
        self._release = <int64_t*> start_of(release)
        (<object> near).wide = self

    def prepare(self, *places):
        """Return the places of a call's vectors. The arguments are those of ``Places``."""
        return Places(*places)

    cdef int perform(self, Work* work, int members, const char* source, char* target) except -1:
        cdef Places places = <Places> work.places
        cdef Pipeline near = self._near
        cdef object channel = self._channel
        cdef int64_t number
        cdef bint is_wrong
        cdef vector[const char*]* operands
        cdef size_t index
        if near.unwaited:
            near.catch_up()
        number = channel.sequence + 1
        channel.sequence = number
        channel.current = places.said
        if near._n == 1:
            # No other process on the node would read the header or the release.
            memcpy(places.own[number & 1], source, work.source_bytes)
            is_wrong = not self._exchange(places, work, number, False)
            if is_wrong:
                near._post(work.word, work.count, work.extra, -1, -1, 0)
                channel.tell_posts()
        else:
            is_wrong = self._round(places, work, number, source)
        channel.disputed = channel.completed = number
        if is_wrong:
            channel.raise_mismatch()
        channel.told = ()
        operands = &places.operands[number & 1]
        self._operands.resize(min(<size_t> members, operands.size()))
        if self._operands.size():
            for index in range(self._operands.size()):
                self._operands[index] = operands[0][index] + work.first_byte
            with nogil:
                work.fold(self._operands.data(), self._operands.size(), target,
                          work.target_count)
        return 0

    cdef bint _round(self, Places places, Work* work, int64_t number, const char* source) except -1:
        """Run a round on a node with several members; return whether it failed."""
        cdef Pipeline near = self._near
        cdef bint is_inline = work.source_bytes <= INLINE_BYTES, is_wrong
        cdef int index, poll
        if places.is_folded:
            memcpy(near._payload(near.sequence + 1, near._me, is_inline), source,
                   work.source_bytes)
        else:
            memcpy(places.own[number & 1], source, work.source_bytes)
        near._post(work.word, work.count, work.extra, -1, -1, 0)
        if places.exchange is None:
            with nogil:
                for poll in range(self._polls):
                    if load_acquire(self._release) >= number:
                        break
                    yield_core()
            if load_acquire(self._release) < number:
                self._channel.await_release()
            return self._release[1] != 0
        near._await()
        is_wrong = not near._agrees(work.word, work.count, work.extra)
        if places.is_folded and not is_wrong:
            for index in range(near._n):
                near._operands[index] = near._payload(near.sequence, index, is_inline)
            with nogil:
                work.fold(near._operands, near._n, places.own[number & 1], work.count)
        if not self._exchange(places, work, number, is_wrong):
            is_wrong = True
            self._channel.tell_posts()
        self._release[1] = is_wrong
        # Release: a member that reads this number sees the vectors and words of the round.
        store_release(self._release, number)
        return is_wrong

    cdef bint _exchange(self, Places places, Work* work, int64_t number, bint is_wrong) except -1:
        """Do a leader's part of a round; return whether all nodes agree."""
        cdef int side = number & 1
        cdef vector[const char*]* parts
        if not places.exchange.run(number, work.word, work.count, work.extra, is_wrong,
                                   places.plan):
            return False
        if places.has_parts:
            parts = &places.parts[side]
            with nogil:
                work.fold(parts.data(), parts.size(), places.results[side], places.part_count)
            if places.plan_back is not None:
                memcpy(places.sent_back[side], places.results[side], places.part_bytes)
                places.exchange.run(side, 0, 0, 0, False, places.plan_back)
        return True
