"""Test wrong calls: all members raise, nothing is written, and the team stays usable."""

import numpy as np
import pytest
from mpi import oracle
from mpi.oracle import Guarded

import redcoll
from redcoll import (
    MAX,
    SUM,
    ActiveSet,
    ArgumentError,
    CollectiveMismatchError,
    DatatypeError,
    OpError,
    OverlapError,
    user_op,
)

pytestmark = [pytest.mark.mpi, pytest.mark.smoke]

COUNTS = (4, 2000)  # a small vector, and a vector in chunks


def first(a, b):
    return a


def second(a, b):
    return b


def check_usable(team):
    n = team.size
    for count in COUNTS:
        y = np.zeros(count)
        redcoll.allreduce(y, np.full(count, team.index + 1.0), team=team)
        assert oracle.assert_same(y, np.full(count, n * (n + 1) / 2)) == count


class Call:
    """A right call. A test changes one part of it on some members."""

    def __init__(self, team, name, count, take=np.empty):
        self.team, self.name, self.take = team, name, take
        self.count, self.dtype = count, np.dtype("f8")
        self.op, self.root = SUM, 0
        self.targets = []

    def __call__(self):
        source = self.take(self.count, self.dtype)
        source[...] = 1
        target = Guarded(self.count, self.dtype, self.take)
        self.targets.append(target)
        team, op = self.team, self.op
        if self.name == "barrier":
            redcoll.barrier(team=team)
        elif self.name == "reduce":
            redcoll.reduce(target.array, source, op, self.root, team=team)
        elif self.name == "reduce_scatter":
            lengths = [0] * team.size
            lengths[self.root] = self.count
            mine = target.array[: lengths[team.index]]
            redcoll.reduce_scatter(mine, source, op, lengths, team=team)
        else:
            getattr(redcoll, self.name)(target.array, source, op, team=team)

    def check_nothing_written(self):
        for target in self.targets:
            target.check_untouched()


REDUCTIONS = ("allreduce", "reduce", "reduce_scatter", "scan", "exscan")


# Each function makes one part of a member's call wrong. SPOIL has the functions, and words of the
# messages.
def other_count(call):
    call.count += 1


def other_count_zero(call):
    call.count = 0


def other_type(call):
    call.dtype = np.dtype("i8")


def other_op(call):
    call.op = MAX


def other_root(call):
    call.root = 1


def other_collective(call):
    call.name = "scan" if call.name != "scan" else "allreduce"


def a_barrier(call):
    call.name = "barrier"


def other_function(call):
    call.op = user_op(second)


SPOIL = {
    other_count: ("count=",),
    other_count_zero: ("count=0",),
    other_type: ("type=int64", "type=float64"),
    other_op: ("op=MAX", "op=SUM"),
    other_root: ("root=1", "root=0"),
    other_collective: ("scan(", "("),
    a_barrier: ("barrier()",),
    other_function: ("op=user function",),
}


@pytest.mark.mpi(min_size=2)
@pytest.mark.parametrize(
    ("name", "spoil"),
    [
        (name, spoil)
        for name in REDUCTIONS
        for spoil in SPOIL
        if spoil is not other_root or name in ("reduce", "reduce_scatter")
    ],
    ids=lambda value: getattr(value, "__name__", value),
)
@pytest.mark.parametrize("place", ["private", "symmetric"])
def test_a_mismatch_is_the_same_error_on_all_members(
    tight_in_step, arena, gather, spoil, name, place
):
    tight = tight_in_step
    n, me = tight.size, tight.index
    for count in COUNTS:
        for bad in {0, n - 1}:
            arena.reset()
            take = arena.take if place == "symmetric" else np.empty
            call = Call(tight, name, count, take)
            if spoil is other_function:
                call.op = user_op(first)
            if me == bad:
                spoil(call)
            with pytest.raises(CollectiveMismatchError) as caught:
                call()
            message = str(caught.value)
            if not (name == "reduce_scatter" and spoil is other_root):
                for words in SPOIL[spoil]:
                    assert words in message
            assert f"PE {bad} called" in message
            call.check_nothing_written()
            assert len(set(gather(message))) == 1
            check_usable(tight)


@pytest.mark.mpi(min_size=2)
def test_mismatches_in_a_row(tight):
    me, n = tight.index, tight.size
    for turn in range(20):
        call = Call(tight, "allreduce", 4 if turn % 3 else 2000)
        if me == turn % n:
            other_count(call)
        with pytest.raises(CollectiveMismatchError):
            call()
        call.check_nothing_written()
    check_usable(tight)


@pytest.mark.mpi(min_size=3)
def test_every_member_different(tight):
    call = Call(tight, "allreduce", 10 + tight.index)
    with pytest.raises(CollectiveMismatchError) as caught:
        call()
    for pe in range(min(tight.size, 8)):
        assert f"PE {pe} called allreduce(op=SUM, type=float64, count={10 + pe})" in str(
            caught.value
        )
    check_usable(tight)


@pytest.mark.mpi(min_size=2)
def test_a_mismatch_in_the_world_team(world):
    x, y = np.ones(5), np.zeros(5)
    with pytest.raises(CollectiveMismatchError, match="count=4"):
        redcoll.allreduce(y[: 4 + (world.pe > 0)], x[: 4 + (world.pe > 0)])
    assert oracle.assert_same(y, np.zeros(5)) == 5
    check_usable(world.team)


@pytest.mark.mpi(min_size=2)
def test_a_mismatch_of_collectives_without_operands(tight):
    call = Call(tight, "reduce" if tight.index else "barrier", 4)
    with pytest.raises(CollectiveMismatchError, match=r"barrier\(\)"):
        call()
    check_usable(tight)


# -- arguments ----------------------------------------------------------------------------------


def good(count):
    return np.ones(count), np.zeros(count)


def wrong_arguments(n):
    """Return error, words of the message, target and source for each kind of wrong argument."""
    read_only = np.zeros(8)
    read_only.flags.writeable = False
    memory = np.zeros(32)
    other_order = np.zeros(8, np.dtype("f8").newbyteorder())
    return {
        "target of another type": (DatatypeError, "float32", np.zeros(8, "f4"), np.ones(8)),
        "no array as target": (DatatypeError, "target is a list", [0.0] * 8, np.ones(8)),
        "no array as source": (DatatypeError, "source is a list", np.zeros(8), [1.0] * 8),
        "None as source": (DatatypeError, "source is None", np.zeros(8), None),
        "a number as source": (DatatypeError, "source is a float", np.zeros(8), 1.0),
        "short target": (ArgumentError, "target has 7 elements", np.zeros(7), np.ones(8)),
        "long target": (ArgumentError, "target has 9 elements", np.zeros(9), np.ones(8)),
        "read-only target": (ArgumentError, "read-only", read_only, np.ones(8)),
        "strided target": (ArgumentError, "contiguous", np.zeros(16)[::2], np.ones(8)),
        "strided source": (ArgumentError, "contiguous", np.zeros(8), np.ones(16)[::2]),
        "Fortran order": (
            ArgumentError,
            "contiguous",
            np.zeros((2, 4), order="F"),
            np.ones((2, 4), order="F"),
        ),
        "overlap": (OverlapError, "overlap", memory[4:12], memory[:8]),
        "overlap by one": (OverlapError, "overlap", memory[7:15], memory[:8]),
        "overlap from below": (OverlapError, "overlap", memory[:8], memory[4:12]),
        "strings": (DatatypeError, "<U3", np.zeros(8, "U3"), np.zeros(8, "U3")),
        "objects": (DatatypeError, "object", np.zeros(8, "O"), np.zeros(8, "O")),
        "dates": (DatatypeError, "datetime64", np.zeros(8, "M8[s]"), np.zeros(8, "M8[s]")),
        "records": (DatatypeError, "pair", np.zeros(8, "f4,f8"), np.zeros(8, "f4,f8")),
        "byte order": (DatatypeError, "byte order", other_order, other_order.copy()),
        "masked": (DatatypeError, "mask", np.zeros(8), np.ma.masked_equal(np.ones(8), 1)),
    }


def check_wrong(team, is_wrong_here, function, error, words):
    """Make a call that is wrong on some members, and check that the next call works."""
    if is_wrong_here:
        with pytest.raises(error, match=words):
            function()
    else:
        with pytest.raises(CollectiveMismatchError, match="refused its arguments") as caught:
            function()
        assert words in str(caught.value)
    check_usable(team)


@pytest.mark.parametrize("name", wrong_arguments(1))
@pytest.mark.parametrize("collective", ["allreduce", "scan", "exscan", "reduce"])
def test_a_wrong_argument_on_one(tight, name, collective):
    """The member with the wrong argument raises its error, and the other members raise a mismatch.

    The test makes each wrong call twice in a row.
    """
    n, me = tight.size, tight.index
    error, words, target, source = wrong_arguments(n)[name]
    function = getattr(redcoll, collective)
    for bad in {0, n - 1}:
        args = (SUM, bad) if collective == "reduce" else (SUM,)  # only the root has a target
        for _ in range(2):
            right_source, right_target = good(8)

            def call(bad=bad, right=(right_target, right_source), args=args):
                function(*((target, source) if me == bad else right), *args, team=tight)

            check_wrong(tight, me == bad, call, error, words)
            if me != bad:
                assert oracle.assert_same(right_target, np.zeros(8)) == 8


@pytest.mark.parametrize("name", wrong_arguments(1))
def test_a_wrong_argument_on_all(tight, name):
    """Each member raises its own error without a wait, and later calls match again."""
    error, words, target, source = wrong_arguments(tight.size)[name]
    for _ in range(3):
        with pytest.raises(error, match=words):
            redcoll.allreduce(target, source, SUM, team=tight)
    check_usable(tight)


@pytest.mark.mpi(min_size=2)
def test_wrong_arguments_on_alternating_ranks(tight):
    """Right and wrong calls alternate. One, several or all members reject a wrong call."""
    n, me = tight.size, tight.index
    patterns = [
        {0},
        {0},
        {n - 1},
        set(range(n)),
        {0, n - 1},
        set(range(n)),
        set(range(n)),
        set(range(0, n, 2)),
        {n - 1},
    ]
    for turn in range(60):
        bad = patterns[turn % len(patterns)]
        target = np.zeros(3, "f4" if me in bad else "f8")
        error = DatatypeError if me in bad else CollectiveMismatchError
        with pytest.raises(error):
            redcoll.allreduce(target, np.ones(3), team=tight)
        if turn % 4 == 3:
            check_usable(tight)
    check_usable(tight)


@pytest.mark.mpi(min_size=2)
def test_refused_while_the_others_call_something_long(tight):
    """The member whose call is refused still takes part in the first round of the others' call."""
    me = tight.index
    for call in (Call(tight, "allreduce", 20_000), Call(tight, "barrier", 1)):
        if me == 0:
            with pytest.raises(DatatypeError):
                redcoll.allreduce(np.zeros(3, "f4"), np.ones(3), team=tight)
        else:
            with pytest.raises(CollectiveMismatchError, match="PE 0 refused its arguments"):
                call()
        check_usable(tight)


@pytest.mark.parametrize(
    "op", [None, "plus", 1, [1], {}, np.sin, np.divmod, object()], ids=lambda op: type(op).__name__
)
def test_arguments_that_are_not_operations(tight, op):
    me = tight.index
    x, y = good(4)

    def call():
        redcoll.allreduce(y, x, op if me == 0 else SUM, team=tight)

    check_wrong(tight, me == 0, call, OpError, "op")
    assert oracle.assert_same(y, np.zeros(4)) == 4


@pytest.mark.parametrize(
    ("op", "dtype"),
    [
        (op, dtype)
        for op in oracle.OPS
        for dtype in (*oracle.PLAIN_TYPES[::3], oracle.MPI_PAIRS["2INT"])
        if not oracle.legal(op, dtype)
    ],
    ids=str,
)
def test_operations_on_types_that_they_do_not_take(tight, op, dtype):
    x, y = np.zeros(3, dtype), np.zeros(3, dtype)
    with pytest.raises(OpError, match=f"op {op} is not defined on"):
        redcoll.allreduce(y, x, getattr(redcoll, op), team=tight)
    check_usable(tight)


@pytest.mark.parametrize("root", [-1, -2, "n", "n + 1", 99, 1.0, "0", None, [0]], ids=repr)
def test_a_root_that_is_no_index(tight, root):
    n, me = tight.size, tight.index
    root = {"n": n, "n + 1": n + 1}.get(root, root) if isinstance(root, str) else root
    x, y = good(4)
    for bad in ({0}, set(range(n))):

        def call(bad=bad):
            redcoll.reduce(y, x, SUM, root if me in bad else 0, team=tight)

        check_wrong(tight, me in bad, call, ArgumentError, "root is")
    assert oracle.assert_same(y, np.zeros(4)) == 4


def test_a_root_of_another_integer_type(tight):
    n, me = tight.size, tight.index
    for root in (np.int64(n - 1), np.uint8(n - 1)):
        x, y = good(4)
        redcoll.reduce(y, x, SUM, root, team=tight)
        assert oracle.assert_same(y, np.full(4, float(n) if me == n - 1 else 0.0)) == 4


def test_no_target_on_the_root(tight):
    me = tight.index
    x, _ = good(4)

    def call():
        redcoll.reduce(None, x, SUM, 0, team=tight)

    check_wrong(tight, me == 0, call, ArgumentError, "target is None")


@pytest.mark.parametrize(
    "counts",
    [
        lambda n: [1] * (n - 1),
        lambda n: [1] * (n + 1),
        lambda n: [2] * n,
        lambda n: [0] * n,
        lambda n: [-1, n + 1, *[0] * (n - 2)] if n > 1 else [-1],
        lambda n: 5,
        lambda n: ["a"] * n,
        lambda n: [1.5] * n,
        lambda n: [None] * n,
    ],
    ids=["short", "long", "too many", "too few", "negative", "int", "text", "fraction", "None"],
)
def test_counts_that_do_not_make_the_source(tight, counts):
    n, me = tight.size, tight.index
    x, y = np.ones(n), np.zeros(1)
    for bad in ({0}, set(range(n))):

        def call(bad=bad):
            lengths = counts(n) if me in bad else [1] * n
            redcoll.reduce_scatter(y, x, SUM, lengths, team=tight)

        check_wrong(tight, me in bad, call, ArgumentError, "counts")
    assert oracle.assert_same(y, np.zeros(1)) == 1


@pytest.mark.mpi(min_size=2)
def test_other_counts_on_one_are_a_mismatch(tight):
    n, me = tight.size, tight.index
    for block in (2, 300):
        lengths = [block] * n
        if me == 0:
            lengths[0], lengths[1] = block + 1, block - 1
        y = np.zeros(lengths[me])
        with pytest.raises(CollectiveMismatchError, match="blocks"):
            redcoll.reduce_scatter(y, np.ones(block * n), SUM, lengths, team=tight)
        assert not y.any()
        check_usable(tight)


@pytest.mark.mpi(min_size=2)
def test_a_source_that_does_not_divide_into_equal_blocks(tight):
    n = tight.size
    with pytest.raises(ArgumentError, match=f"source has {2 * n + 1} elements"):
        redcoll.reduce_scatter(np.zeros(2), np.ones(2 * n + 1), team=tight)
    check_usable(tight)


@pytest.mark.mpi(min_size=2)
def test_reduce_scatter_small_prepares_no_error(tight, monkeypatch):
    """Only a failing call prepares a message, which takes as long as a small reduction."""
    n = tight.size
    x, y = np.arange(4.0 * n), np.zeros(4)
    redcoll.reduce_scatter(y, x, team=tight)
    with monkeypatch.context() as patch:
        patch.delattr("redcoll.team.team.Checking")
        redcoll.reduce_scatter(y, x, team=tight)
    block = np.arange(4.0 * tight.index, 4.0 * (tight.index + 1))
    assert oracle.assert_same(y, n * block) == 4
    check_usable(tight)


@pytest.mark.parametrize("name", ["allreduce", "reduce_scatter", "scan"])
def test_large_calls_prepare_no_error_again(tight, name, monkeypatch):
    """A large call makes all checks, but only the first call prepares error messages."""
    n = tight.size
    x = np.full(1000 * n, 1 << tight.index)
    y = np.zeros(1000 if name == "reduce_scatter" else 1000 * n, x.dtype)
    call = getattr(redcoll, name)
    call(y, x, user_op(np.bitwise_or), team=tight)
    with monkeypatch.context() as patch:
        patch.delattr("redcoll.team.team.Checking")
        call(y, x, user_op(np.bitwise_or), team=tight)
    folds = tight.index + 1 if name == "scan" else n
    assert oracle.assert_same(y, np.full(y.size, (1 << folds) - 1)) == y.size
    check_usable(tight)


@pytest.mark.mpi(min_size=2)
def test_reduce_scatter_in_place_is_refused(tight):
    """The target is shorter than the source, so one array cannot be both."""
    n = tight.size
    for block in (1, 3, 500):
        x = np.ones(block * n)
        with pytest.raises(ArgumentError):
            redcoll.reduce_scatter(x, x, team=tight)
        with pytest.raises(OverlapError):
            redcoll.reduce_scatter(x[:block], x, team=tight)
        assert oracle.assert_same(x, np.ones(block * n)) == block * n
    check_usable(tight)


@pytest.mark.parametrize("function", ["allreduce", "reduce", "reduce_scatter", "scan", "exscan"])
def test_team_and_active_set_arguments(tight, world, function):
    x, y = np.ones(world.n_pes), np.zeros(world.n_pes if function != "reduce_scatter" else 1)
    call = getattr(redcoll, function)
    active = ActiveSet(0, 0, world.n_pes)
    with pytest.raises(ArgumentError, match="team or active_set"):
        call(y, x, team=tight, active_set=active)
    for wrong in ("x", 3, object()):
        with pytest.raises(ArgumentError, match="team is"):
            call(y, x, team=wrong)
    for wrong in ((0, 0, 1), "x", 1):
        with pytest.raises(ArgumentError, match="active_set is"):
            call(y, x, active_set=wrong)
    check_usable(tight)
    check_usable(world.team)


@pytest.mark.parametrize(
    "name", ["alltoall", "array", "broadcast", "collect", "empty", "fcollect", "free", "full"]
)
def test_arguments_that_fit_no_signature_leave_the_team_usable(world, name):
    with pytest.raises(TypeError, match=name):
        getattr(redcoll, name)()
    with pytest.raises(TypeError, match=name):
        getattr(redcoll, name)(no_such_parameter=1)
    check_usable(world.team)


@pytest.mark.parametrize("who", [0, -1])
def test_team_and_active_set_on_one_rank_raise_on_all(tight_in_step, who):
    team = tight_in_step
    x, y = np.ones(4), np.full(4, 7.0)
    if team.index == who % team.size:
        with pytest.raises(ArgumentError, match="team or active_set"):
            redcoll.allreduce(y, x, team=team, active_set=ActiveSet(0, 0, team.size))
    else:
        with pytest.raises(CollectiveMismatchError, match="team or active_set"):
            redcoll.allreduce(y, x, team=team)
    assert oracle.assert_same(y, np.full(4, 7.0)) == 4
    check_usable(team)


def test_team_and_active_set_arguments_of_barrier(tight, world):
    with pytest.raises(ArgumentError, match="team or active_set"):
        redcoll.barrier(team=tight, active_set=ActiveSet(0, 0, world.n_pes))
    with pytest.raises(ArgumentError, match="team is"):
        redcoll.barrier(team="x")
    with pytest.raises(ArgumentError, match="active_set is"):
        redcoll.barrier(active_set=(0, 0, 1))
    check_usable(tight)


# -- a count of 0 --------------------------------------------------------------------------------


def test_count_0_does_nothing_and_keeps_step(tight):
    n = tight.size
    empty = np.zeros(0)
    for _ in range(5):
        for name in ("allreduce", "scan", "exscan", "reduce", "reduce_scatter"):
            getattr(redcoll, name)(empty, empty, team=tight)
        redcoll.reduce_scatter(empty, empty, SUM, [0] * n, team=tight)
        check_usable(tight)
    redcoll.allreduce(np.zeros((0, 3)), np.zeros((3, 0)), user_op(first), team=tight)
    check_usable(tight)


@pytest.mark.mpi(min_size=2)
def test_a_wrong_argument_of_count_0_on_one(tight):
    me = tight.index
    empty = np.zeros(0)
    for _ in range(3):
        target = np.zeros(0, "f4") if me == 0 else empty

        def call(target=target):
            redcoll.allreduce(target, empty, team=tight)

        check_wrong(tight, me == 0, call, DatatypeError, "float32")
