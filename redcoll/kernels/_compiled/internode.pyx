# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""Perform a known call of a team on several nodes in one compiled call.

``redcoll.internode`` does the same in Python for calls that are not known yet.
"""

from libc.stdint cimport int64_t
from libc.string cimport memcpy
from libcpp.vector cimport vector

from redcoll.kernels._compiled.exchange cimport CompiledExchange, Plan, start_of
from redcoll.kernels._compiled.machine cimport (
    AHEAD,
    DELEGATED,
    INLINE_BYTES,
    STATUS,
    load_acquire,
    now_ns,
    store_release,
    yield_core,
)
from redcoll.kernels._compiled.pipeline cimport Pipeline, WideCalls, Work
from redcoll.kernels._compiled.rounds cimport PATIENCE_NS


cdef class Places:
    """The places of a call's vectors, and the plans of the exchanges of these vectors.

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
    plan
        The plan in which the vectors travel; None for the plan of short vectors.
    plan_one_way
        The plan of a one-way round; None if no round of the call is one-way.
    node
        The number of the caller's node.
    has_root
        Whether the root is on this node.
    parts
        None, or the leader's parts: two lists of parts that arrive, two arrays for their fold, two
        send buffers for the fold, the plan in which the parts arrive after the headers, and the
        plan that sends the fold. Without send buffers the plan sends the fold itself.
    """

    cdef tuple said
    # `is_agreed`: whether the record of agreed calls of the node's leader is known to have the call.
    cdef Plan plan, plan_one_way, plan_after, plan_back
    cdef bint is_folded, has_root, is_agreed, has_parts, is_sent_from_source
    cdef size_t part_count, part_bytes, node
    cdef vector[char*] own, results, sent_back
    cdef vector[vector[const char*]] operands, parts
    cdef object _kept

    def __init__(self, said, is_folded, own, operands, plan, plan_one_way, node, has_root, parts):
        self._kept = own, operands, parts
        self.node, self.has_root, self.plan_one_way = node, has_root, plan_one_way
        self.is_agreed = False
        self.said, self.is_folded, self.plan = said, is_folded, plan
        for array in own:
            self.own.push_back(start_of(array))
        _take(&self.operands, operands)
        self.has_parts = parts is not None
        self.is_sent_from_source = False
        if self.has_parts:
            arrive, results, sent_back, self.plan_after, self.plan_back = parts
            # An exchange that folds on the way overwrites the vector.
            self.is_sent_from_source = plan is None or self.plan.folds[0].empty()
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
    ahead
        The word of ``Room.ahead``, in bytes.
    """

    # The compiled exchange of a leader, and its record of one-way rounds; None if the caller is not
    # a leader.
    cdef CompiledExchange exchange
    cdef object _one_way
    # The list `recent` and the limit of this record.
    cdef list _recent
    cdef const int64_t* _most_one_way
    # These methods of `near` perform a known call, and remember the shape of a call.
    cdef readonly object small, learn
    cdef object _channel
    cdef Pipeline _near
    cdef int64_t* _release
    cdef int64_t* _ahead
    # The last round of which `_ahead` is known here, and its number in the node's own channel.
    cdef int64_t _followed, _near_followed
    # Whether the caller returns from the current round before its node is released, and whether it
    # has done so in the last round.
    cdef bint _goes_on, _has_gone_on
    cdef vector[const char*] _operands
    # In a call of the only member of a node: the distances from the places of the leader's vector
    # and result to the caller's arrays; 0 if the exchange does not use the arrays.
    cdef Py_ssize_t _to_source, _to_target

    def __init__(self, channel, Pipeline near, release, ahead):
        self._channel, self._near = channel, near
        self._release, self._ahead = <int64_t*> start_of(release), <int64_t*> start_of(ahead)
        near.patience_ns = PATIENCE_NS
        by_shape = <object> near
        by_shape.wide = self
        self.small, self.learn = by_shape.small_wide, by_shape.learn_wide

    def lead(self, exchange, one_way):
        """Let the caller do the work of a node leader."""
        self.exchange, self._one_way = exchange, one_way
        self._recent, self._most_one_way = one_way.recent, <int64_t*> start_of(one_way.most)

    def prepare(self, *places):
        """Return the places of a call's vectors. The arguments are those of ``Places``."""
        return Places(*places)

    def round(self, int64_t word, int64_t count=0, int64_t extra=0, int64_t source=-1,
              int64_t target=-1):
        """Run a round without vectors. The channel's method in Python documents the arguments."""
        self._goes_on = False
        cdef int64_t number = self._begin((word, count, extra))
        self._near._post(word, count, extra, source, target, 0)
        self._end(number, self._agree(None, NULL, number, word, count, extra))

    cdef int perform(self, Work* work, int members, const char* source, char* target) except -1:
        cdef Places places = <Places> work.places
        cdef Pipeline near = self._near
        # The caller can be one round ahead of the last release, so it must know the word of the round
        # before. Later rounds up to the number in the word are one-way if their calls are agreed.
        # After a round of the node alone, others can still read the caller's header of that round.
        cdef int64_t before = self._channel.sequence
        self._goes_on = (self.exchange is None and members == 0 and places.is_agreed
                         and self._followed == before and self._near_followed == near.sequence
                         and before < self._ahead[0] >> 1)
        cdef int64_t number = self._begin(places.said)
        cdef const vector[const char*]* operands = &places.operands[number & 1]
        cdef int index, n = min(members, <int> operands.size())
        cdef bint is_alone = near._n == 1 and places.has_parts
        self._to_source = self._to_target = 0
        if (is_alone and n and places.plan_back is not None and places.sent_back.empty()
                and work.target_count == <size_t> work.count):
            self._to_target = target - operands[0][0]
        if near._n > 1 and places.is_folded:
            memcpy(near._payload(near.sequence + 1, near._me, work.source_bytes <= INLINE_BYTES),
                   source, work.source_bytes)
        elif is_alone and places.is_sent_from_source:
            self._to_source = source - places.own[number & 1]
        else:
            memcpy(places.own[number & 1], source, work.source_bytes)
        self.uses_arrays = False
        near._post(work.word, work.count, work.extra, -1, -1, AHEAD if self._goes_on else 0)
        self._end(number, self._agree(places, work, number, work.word, work.count, work.extra))
        self.uses_arrays = False
        if n and not self._to_target:
            self._operands.resize(n)
            for index in range(n):
                self._operands[index] = operands[0][index] + work.first_byte
            with nogil:
                work.fold(self._operands.data(), n, target, work.target_count)
        return 0

    cdef int64_t _begin(self, tuple said) except -1:
        """Begin a round with these words; return its number."""
        cdef object channel = self._channel
        cdef int64_t number
        if self._near.unwaited:
            self._near.catch_up()
        if not self._goes_on:
            self.catch_up()
        number = channel.sequence + 1
        channel.sequence, channel.current = number, said
        return number

    cpdef int catch_up(self) except -1:
        """Wait until the node is released, if the caller has gone on before that.

        Only then the caller can write to memory of the node other than its header and its payload.
        """
        if self._has_gone_on:
            if (not await_number(self._release, self._channel.sequence)
                    or self._release[1] < 0):
                self._channel.await_release(True)
            self._has_gone_on = False
        return 0

    cdef int _end(self, int64_t number, bint is_wrong) except -1:
        cdef object channel = self._channel
        channel.disputed = channel.completed = number
        if is_wrong:
            channel.raise_mismatch()
        channel.told = ()
        return 0

    cdef bint _agree(self, Places places, Work* work, int64_t number, int64_t word, int64_t count,
                     int64_t extra) except -1:
        """Finish a round whose header was published; return whether it failed.

        ``places`` is None in a round without vectors.
        """
        cdef Pipeline near = self._near
        cdef bint is_wrong, is_one_way
        cdef int64_t state
        cdef int index
        if self.exchange is None:
            self._has_gone_on = (self._goes_on and await_number(self._release, number - 1)
                                 and self._release[1] >= 0)
            if self._has_gone_on:
                self._followed, self._near_followed = number, near.sequence
                return False
            if self._goes_on:  # the leader is late, so the caller waits after all
                near._head(near.sequence, near._me)[STATUS] = 0
            if not await_number(self._release, number):
                self._channel.await_release()
            state = self._release[1]
            if state == 0:
                self._followed, self._near_followed = number, near.sequence
                if places is not None:
                    places.is_agreed = self._ahead[0] & 1
            return state != 0
        near._await()
        is_wrong = not near._agrees(word, count, extra)
        # A round in Python can have recorded the call, so look at the record first. All leaders must
        # make the same decision.
        if places is not None and places.plan_one_way is not None and not places.is_agreed:
            places.is_agreed = places.said in self._one_way.agreed
        is_one_way = (places is not None and places.is_agreed
                      and len(self._recent) + 1 < self._most_one_way[0])
        if is_wrong and (is_one_way or self._is_any_ahead()):
            self._channel.dispute(number)
        if not is_wrong and places is not None and places.is_folded and near._n > 1:
            for index in range(near._n):
                near._operands[index] = near._payload(
                    near.sequence, index, work.source_bytes <= INLINE_BYTES)
            with nogil:
                work.fold(near._operands, near._n, places.own[number & 1], count)
        if is_one_way:
            if not self._recent:
                self._one_way.first = number, near.sequence
            self._recent.append(places.said)
            self._ahead[0] |= 1
            if not places.has_root:
                self._release_node(number, False)
            self.exchange.run(number, word | self.exchange.one_way, count, extra, False,
                              places.plan_one_way)
            if places.has_root:
                self._release_node(number, False)
            return False
        if not self.exchange.run(number, word, count, extra, is_wrong,
                                 None if places is None else places.plan,
                                 0 if places is None else self._to_source):
            is_wrong = True
            self._channel.tell_posts()
        elif places is not None and places.has_parts:
            self._combine(places, work, number)
        if self._recent:
            self._one_way.settle()
        if places is not None and places.plan_one_way is not None and not is_wrong:
            self._one_way.agree(places.said)
            self._ahead[0] = self._one_way.ahead(number, places.said)
        else:
            if word & DELEGATED:
                self._one_way.stop()
            self._ahead[0] = number + self._most_one_way[0] - 1 << 1
        self._release_node(number, is_wrong)
        return is_wrong

    cdef bint _is_any_ahead(self) noexcept:
        """Return whether a member of the node can have returned from the current round."""
        cdef int index
        for index in range(self._near._n):
            if self._near._head(self._near.sequence, index)[STATUS] == AHEAD:
                return True
        return False

    cdef void _release_node(self, int64_t number, bint is_wrong) noexcept:
        """Release the members of the node up to a round."""
        self._release[1] = is_wrong
        # Release: a member that reads this number sees the vectors and words of the round.
        store_release(self._release, number)

    cdef int _combine(self, Places places, Work* work, int64_t number) except -1:
        """Fold this node's part of the result, and send it to the nodes that need it."""
        cdef int side = number & 1
        cdef char* result = places.results[side]
        self.uses_arrays = self._to_target != 0 or (
            self._to_source != 0 and places.plan_after is not None)
        if places.plan_after is not None:
            self.exchange.run(number, 0, 0, 0, False, places.plan_after, self._to_source, 0)
        self._operands = places.parts[side]
        if self._to_source:  # then there is an operand for each node
            self._operands[places.node] += self._to_source
        with nogil:
            work.fold(self._operands.data(), self._operands.size(), result, places.part_count)
        if places.sent_back.size():
            memcpy(places.sent_back[side], result, places.part_bytes)
        elif self._to_target:
            memcpy(result + self._to_target, result, places.part_bytes)
        if places.plan_back is not None:
            self.exchange.run(number, 0, 0, 0, False, places.plan_back, self._to_target,
                              self._to_target)
        return 0


cdef bint await_number(const int64_t* word, int64_t number) noexcept:
    """Poll a word for a millisecond; return whether it has reached a number."""
    cdef int64_t until
    with nogil:
        if load_acquire(word) >= number:
            return True
        until = now_ns() + PATIENCE_NS
        while now_ns() < until:
            yield_core()
            if load_acquire(word) >= number:
                return True
    return False
