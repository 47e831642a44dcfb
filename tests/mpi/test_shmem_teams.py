"""Test how teams are split, numbered and destroyed, and test every collective on teams."""

import os

import numpy as np
import pytest
from mpi import oracle
from mpi.oracle import Guarded
from mpi4py import MPI

import redcoll
import redcoll_shmem as shmem
from redcoll import (
    ArgumentError,
    CollectiveMismatchError,
    DatatypeError,
    OverlapError,
    StateError,
    SymmetryError,
    Team,
    TeamLimitError,
)
from redcoll.liveness import shutdown
from redcoll_shmem import shmem as pythonic

pytestmark = [pytest.mark.mpi, pytest.mark.every_size]

ROUNDS = int(os.environ.get("REDCOLL_TEST_ROUNDS", "20"))
WORLD, INVALID = shmem.SHMEM_TEAM_WORLD, shmem.SHMEM_TEAM_INVALID

# Copied from OpenSHMEM 1.5, tables 3 and 11.
_FIXED = {f"{kind}{bits}": f"{kind[0]}{bits // 8}" for kind in ("int", "uint") for bits in (8, 16)}
_FIXED |= {
    f"{kind}{bits}": f"{kind[0]}{bits // 8}" for kind in ("int", "uint") for bits in (32, 64)
}
DTYPES = _FIXED | {
    "char": "i1",
    "schar": "i1",
    "short": "i2",
    "int": "i4",
    "long": "l",
    "longlong": "q",
    "uchar": "u1",
    "ushort": "u2",
    "uint": "u4",
    "ulong": "L",
    "ulonglong": "Q",
    "size": "u8",
    "ptrdiff": "i8",
    "float": "f4",
    "double": "f8",
    "longdouble": "g",
    "complexf": "c8",
    "complexd": "c16",
}
BITWISE = ("uchar", "ushort", "uint", "ulong", "ulonglong", *_FIXED, "size")
SIGNED = ("short", "int", "long", "longlong")
ORDERED = (*BITWISE, "char", "schar", *SIGNED, "ptrdiff", "float", "double", "longdouble")
NUMBERS = (*ORDERED, "complexf", "complexd")
TYPES = {
    **dict.fromkeys(("and", "or", "xor"), (*BITWISE, *SIGNED)),
    **dict.fromkeys(("max", "min"), ORDERED),
    **dict.fromkeys(("sum", "prod"), NUMBERS),
}


def test_number_of_names():
    reductions = {f"shmem_{name}_{op}_reduce" for op, names in TYPES.items() for name in names}
    assert len(reductions) == 142 + 12
    generic = {f"shmem_{op}_reduce" for op in TYPES}
    scans = {f"shmem_{name}_sum_{kind}scan" for name in NUMBERS for kind in ("in", "ex")}
    scans |= {"shmem_sum_inscan", "shmem_sum_exscan"}
    assert set(shmem.team_reductions.ROUTINES) == reductions | generic | scans


class Made:
    """A team and its expected members."""

    def __init__(self, team, pes):
        self.team, self.pes = team, pes
        self.is_member = shmem.shmem_my_pe() in pes
        self.index = pes.index(shmem.shmem_my_pe()) if self.is_member else None


@pytest.fixture
def teams():
    """Yield teams of all PEs, of every second or third PE, and of rows, columns and nodes."""
    n = shmem.shmem_n_pes()
    made = [Made(WORLD, list(range(n)))]
    for start, stride, size in ((n - 1, -2, (n + 1) // 2), (0, 3, (n + 2) // 3)):
        team = shmem.shmem_team_split_strided(WORLD, start, stride, size)
        made.append(Made(team, [start + at * stride for at in range(size)]))
    x_team, y_team = shmem.shmem_team_split_2d(WORLD, 2)
    me = shmem.shmem_my_pe()
    made.append(Made(x_team, [pe for pe in range(n) if pe // 2 == me // 2]))
    made.append(Made(y_team, [pe for pe in range(n) if pe % 2 == me % 2]))
    hosts = MPI.COMM_WORLD.allgather(os.uname().nodename)
    nodes = oracle.nodes_of(range(n), int(os.environ.get("REDCOLL_NODE_SIZE", n)), hosts)
    [node] = [node for node in nodes if me in node]
    yield [*made, Made(shmem.SHMEM_TEAM_SHARED, node)]
    for each in made[1:]:
        shmem.shmem_team_destroy(each.team)


def test_numbers(teams):
    me, n = shmem.shmem_my_pe(), shmem.shmem_n_pes()
    for each in teams:
        if not each.is_member:
            assert each.team is INVALID
            assert shmem.shmem_team_my_pe(each.team) == shmem.shmem_team_n_pes(each.team) == -1
            assert shmem.shmem_team_translate_pe(each.team, 0, WORLD) == -1
            continue
        assert shmem.shmem_team_my_pe(each.team) == each.index
        assert shmem.shmem_team_n_pes(each.team) == len(each.pes)
        for index, pe in enumerate(each.pes):
            assert shmem.shmem_team_translate_pe(each.team, index, WORLD) == pe
        for pe in range(n):
            wanted = each.pes.index(pe) if pe in each.pes else -1
            assert shmem.shmem_team_translate_pe(WORLD, pe, each.team) == wanted
        assert shmem.shmem_team_translate_pe(each.team, 0, INVALID) == -1
        assert shmem.shmem_team_sync(each.team) == 0
        for outside in (-1, len(each.pes), 2**40):
            assert shmem.shmem_team_translate_pe(each.team, outside, WORLD) == -1
        with pytest.raises(ArgumentError, match=r"src_pe is 1\.0; it must be an integer"):
            shmem.shmem_team_translate_pe(each.team, 1.0, WORLD)
    for team in (shmem.SHMEM_TEAM_SHARED, shmem.SHMEM_TEAM_NODE):
        assert shmem.shmem_team_translate_pe(team, shmem.shmem_team_my_pe(team), WORLD) == me
    assert shmem.shmem_team_my_pe(WORLD) == me


def test_configurations():
    config = shmem.shmem_team_config_t(num_contexts=3)
    mask = shmem.SHMEM_TEAM_NUM_CONTEXTS
    n = shmem.shmem_n_pes()
    team = shmem.shmem_team_split_strided(WORLD, 0, 1, n, config, mask)
    assert shmem.shmem_team_get_config(team, mask) == config
    assert shmem.shmem_team_get_config(team, 0) == shmem.shmem_team_config_t()
    same = shmem.shmem_team_split_strided(team, 0, 1, n, config, 0)
    assert shmem.shmem_team_get_config(same, mask).num_contexts == 0
    both = shmem.shmem_team_split_2d(same, n, None, 0, config, mask)
    assert [shmem.shmem_team_get_config(each, mask).num_contexts for each in both] == [0, 3]
    assert [shmem.shmem_team_n_pes(each) for each in both] == [n, 1]
    for each in (*both, same, team):
        shmem.shmem_team_destroy(each)
    shmem.shmem_team_destroy(INVALID)


def test_wrong_splits():
    n = shmem.shmem_n_pes()
    split = shmem.shmem_team_split_strided
    for arguments, text in (
        ((0, 1, n + 1), f"would be PE {n} of"),
        ((n, 1, 1), f"would be PE {n} of"),
        ((-1, 1, 1), "would be PE -1"),
        ((0, -1, 2), "would be PE -1"),
        ((0, 0, 2), "only once"),
        ((0, 1, 0), "size is 0"),
        ((0, 1.5, 1), "stride is 1.5"),
        ((0, 1, n, None, 1), "config is None"),
        ((0, 1, n, None, 2), "config_mask is 2"),
        ((0, 1, n, shmem.shmem_team_config_t(-1), 1), "num_contexts is -1"),
    ):
        with pytest.raises(ArgumentError, match=text) as info:
            split(WORLD, *arguments)
        assert str(info.value).startswith("shmem_team_split_strided: ")
    with pytest.raises(ArgumentError, match="shmem_team_split_2d: xrange is 0"):
        shmem.shmem_team_split_2d(WORLD, 0)
    with pytest.raises(DatatypeError, match="parent_team is a int"):
        split(3, 0, 1, 1)
    with pytest.raises(ArgumentError, match="cannot be destroyed"):
        shmem.shmem_team_destroy(WORLD)
    assert split(INVALID, 0, 1, 1) is INVALID
    assert shmem.shmem_team_split_2d(INVALID, 1) == (INVALID, INVALID)


@pytest.mark.mpi(min_size=2)
def test_members_that_do_not_agree():
    me, n = shmem.shmem_my_pe(), shmem.shmem_n_pes()
    with pytest.raises(CollectiveMismatchError, match="split"):
        shmem.shmem_team_split_strided(WORLD, 0, 1, n if me else n - 1)
    if me:
        with pytest.raises(CollectiveMismatchError, match="size is 0"):
            shmem.shmem_team_split_strided(WORLD, 0, 1, n)
    else:
        with pytest.raises(ArgumentError, match="size is 0"):
            shmem.shmem_team_split_strided(WORLD, 0, 1, 0)
    shmem.shmem_barrier_all()


def test_after_the_end_of_a_team(arena):
    box = arena.take(2, "l")
    team = shmem.shmem_team_split_strided(WORLD, 0, 1, shmem.shmem_n_pes())
    shmem.shmem_long_sum_reduce(team, box, box[:], 2)
    shmem.shmem_team_destroy(team)
    calls = [
        lambda: shmem.shmem_team_destroy(team),
        lambda: shmem.shmem_team_my_pe(team),
        lambda: shmem.shmem_team_n_pes(team),
        lambda: shmem.shmem_team_translate_pe(WORLD, 0, team),
        lambda: shmem.shmem_team_sync(team),
        lambda: shmem.shmem_team_get_config(team, 0),
        lambda: shmem.shmem_team_split_strided(team, 0, 1, 1),
        lambda: shmem.shmem_team_split_2d(team, 1),
        lambda: shmem.shmem_long_sum_reduce(team, box, box[:], 2),
        lambda: shmem.shmem_long_sum_inscan(team, box, box[:], 2),
        lambda: shmem.shmem_long_broadcast(team, box, box[:], 2, 0),
    ]
    for call in calls:
        with pytest.raises(StateError, match="has been destroyed"):
            call()
    with pytest.raises(ArgumentError, match="shmem_long_sum_reduce: team is SHMEM_TEAM_INVALID"):
        shmem.shmem_long_sum_reduce(INVALID, box, box, 2)
    with pytest.raises(ArgumentError, match="SHMEM_TEAM_INVALID"):
        shmem.shmem_team_sync(INVALID)
    with pytest.raises(DatatypeError, match="team is None"):
        shmem.shmem_long_sum_reduce(None, box, box, 2)


def test_too_many_teams(monkeypatch):
    monkeypatch.setenv("REDCOLL_MAX_TEAMS", "1")
    with pytest.raises(TeamLimitError):
        shmem.shmem_team_split_strided(WORLD, 0, 1, shmem.shmem_n_pes())
    monkeypatch.undo()
    team = shmem.shmem_team_split_strided(WORLD, 0, 1, shmem.shmem_n_pes())
    shmem.shmem_team_destroy(team)


@pytest.mark.mpi(min_size=2)
def test_a_split_that_fails_raises_on_the_whole_parent(monkeypatch):
    """The standard returns the error on all PEs of the parent, also outside the new team."""
    me, n = shmem.shmem_my_pe(), shmem.shmem_n_pes()
    monkeypatch.setenv("REDCOLL_MAX_TEAMS", "1")
    for size in (1, n - 1, 1):
        error = TeamLimitError if me < size else CollectiveMismatchError
        with pytest.raises(error, match="REDCOLL_MAX_TEAMS"):
            shmem.shmem_team_split_strided(WORLD, 0, 1, size)
        shmem.shmem_team_sync(WORLD)
    monkeypatch.undo()
    team = shmem.shmem_team_split_strided(WORLD, 0, 1, n - 1)
    assert (team is INVALID) == (me == n - 1)
    shmem.shmem_team_destroy(team)


@pytest.fixture
def live():
    """Return the number of open teams, which must be equal on all PEs.

    If earlier tests left fewer teams on some PEs, these PEs open more teams.
    """
    most = MPI.COMM_WORLD.allreduce(shutdown.registered(), MPI.MAX)
    held = []
    while shutdown.registered() < most:
        held.append(Team.from_comm(MPI.COMM_SELF))
    yield most
    for team in held:
        team.close()


def test_a_split_into_rows_and_columns_makes_both_or_none(live, monkeypatch):
    """If the limit on teams forbids the columns, the rows are closed. The parent still works."""
    for _ in range(3):
        monkeypatch.setenv("REDCOLL_MAX_TEAMS", str(live + 1))
        with pytest.raises(TeamLimitError):
            shmem.shmem_team_split_2d(WORLD, 2)
        monkeypatch.undo()
        assert shutdown.registered() == live
        shmem.shmem_team_sync(WORLD)
    for team in shmem.shmem_team_split_2d(WORLD, 2):
        shmem.shmem_team_destroy(team)


def test_a_row_that_cannot_be_made(live, monkeypatch):
    """If a row cannot be made, its members notify the members of the other rows."""
    me, n = shmem.shmem_my_pe(), shmem.shmem_n_pes()
    if n < 3:
        pytest.skip("needs another row than the first")
    more = shmem.shmem_team_split_strided(WORLD, 0, 1, 2)
    monkeypatch.setenv("REDCOLL_MAX_TEAMS", str(live + 1))
    with pytest.raises(TeamLimitError if me < 2 else CollectiveMismatchError) as caught:
        shmem.shmem_team_split_2d(WORLD, 2)
    assert "REDCOLL_MAX_TEAMS" in str(caught.value)
    monkeypatch.undo()
    assert shutdown.registered() == live + (me < 2)
    shmem.shmem_team_sync(WORLD)
    shmem.shmem_team_destroy(more)


# -- reductions -----------------------------------------------------------------------------------


@pytest.mark.parametrize("op", TYPES)
def test_every_reduction(arena, teams, op):
    compared = 0
    names = [*TYPES[op], None]
    for number, name in enumerate(names):
        arena.reset()
        dtype = np.dtype(DTYPES[name] if name else "i4")
        routine = getattr(shmem, f"shmem_{name}_{op}_reduce" if name else f"shmem_{op}_reduce")
        made = teams[number % len(teams)]
        for at, (each, count) in enumerate(((teams[0], 9), (made, 33), (made, 1))):
            target = Guarded(count, dtype, arena.take)
            source = target if at == 2 else Guarded(count, dtype, arena.take, before=4)
            if not each.is_member:
                continue
            rows = oracle.rows(op.upper(), dtype, len(each.pes), count, seed=number)
            source.array[...] = rows[each.index]
            assert routine(each.team, target.array, source.array, count) == 0
            compared += oracle.check_reduced(op.upper(), rows, target.array, each.pes)
            target.check()
            assert routine(each.team, None, None, 0) == 0
        shmem.shmem_barrier_all()
    assert compared >= 9 * len(names)


def test_the_same_reduction_again_and_again(arena, teams):
    me = shmem.shmem_my_pe()
    target, source = arena.take(3, "d"), arena.take(3, "d")
    for turn in range(20):
        for each in teams:
            if each.is_member:
                source[...] = [me, turn, me * turn]
                shmem.shmem_double_sum_reduce(each.team, target, source, 3)
                total = sum(each.pes)
                assert target.tolist() == [total, turn * len(each.pes), turn * total]
                shmem.shmem_team_sync(each.team)


@pytest.mark.parametrize("kind", ["in", "ex"])
def test_every_scan(arena, teams, kind):
    compared = 0
    for number, name in enumerate([*NUMBERS, None]):
        arena.reset()
        dtype = np.dtype(DTYPES[name] if name else "u2")
        prefix = f"shmem_{name}" if name else "shmem"
        routine = getattr(shmem, f"{prefix}_sum_{kind}scan")
        each = teams[number % len(teams)]
        target, source = Guarded(11, dtype, arena.take), Guarded(11, dtype, arena.take)
        if each.is_member:
            rows = oracle.rows("SUM", dtype, len(each.pes), 11, seed=number)
            upto = each.index + (kind == "in")
            for to, of in ((target, source), (source, source)):
                source.array[...] = rows[each.index]
                assert routine(each.team, to.array, of.array, 11) == 0
                if upto:
                    compared += oracle.check("SUM", rows[:upto], to.array)
                else:
                    compared += oracle.assert_same(to.array, np.zeros(11, dtype))
                to.check()
            assert routine(each.team, None, None, 0) == 0
        shmem.shmem_barrier_all()
    assert compared > 11 * len(NUMBERS) // 3


def test_wrong_arguments_of_reductions(arena):
    n = shmem.shmem_n_pes()
    box, other = arena.take(8, "l"), arena.take(8, "l")
    read_only = box[:]
    read_only.flags.writeable = False
    for kind, text, arguments in (
        (DatatypeError, "target is None", (None, box, 1)),
        (DatatypeError, "int32", (box.view("i4"), other, 1)),
        (SymmetryError, "source is a private", (box, np.zeros(8, "l"), 8)),
        (ArgumentError, "nreduce is 9", (box, other, 9)),
        (ArgumentError, "nreduce is -1", (box, other, -1)),
        (ArgumentError, "nreduce is 'a'", (box, other, "a")),
        (OverlapError, "overlap", (box[1:], box, 7)),
        (OverlapError, "sum_.*: target and source overlap", (box[3:7], box[:4], 4)),  # by 1 long
        (ArgumentError, "read-only", (read_only, other, 8)),
    ):
        for name in ("long_sum_reduce", "long_sum_inscan", "long_sum_exscan"):
            with pytest.raises(kind, match=text) as info:
                getattr(shmem, f"shmem_{name}")(WORLD, *arguments)
            assert str(info.value).startswith(f"shmem_{name}: ")
            # All PEs made the wrong call, so the next calls match.
            shmem.shmem_barrier_all()
    floats = box.view("d"), other.view("d")
    with pytest.raises(ArgumentError, match=r"shmem_and_reduce: .*AND"):
        shmem.shmem_and_reduce(WORLD, *floats, 1)
    for name, root in (("allreduce", ()), ("inscan", ()), ("exscan", ()), ("reduce", (n - 1,))):
        with pytest.raises(ArgumentError, match=f"redcoll_{name}: .*AND"):
            getattr(shmem, f"redcoll_{name}")(WORLD, *floats, 1, redcoll.AND, *root)
        shmem.shmem_barrier_all()


# -- copies ---------------------------------------------------------------------------------------

COPIED = [name for name in DTYPES if not name.startswith("complex")]
KINDS = [*COPIED, None, "mem"]


def routine_of(verb, name):
    if name == "mem":
        return getattr(shmem, f"shmem_{verb}mem"), np.dtype("f4"), 4
    prefix = f"shmem_{name}_" if name else "shmem_"
    return getattr(shmem, f"{prefix}{verb}"), np.dtype(DTYPES[name] if name else "c8"), 1


def pattern(dtype, pe, count):
    return oracle.values(dtype, count, np.random.default_rng([pe, count]))


def pick(teams, number):
    return teams[number % len(teams)]


def same(actual, expected):
    assert oracle.value_bytes(actual) == oracle.value_bytes(expected)
    assert actual.size


def handles(teams):
    """Return handles of both APIs, with the PEs of their teams."""
    for made in teams:
        yield made.team, made.pes
        yield pythonic.Team(made.team), made.pes


def test_every_collective_of_the_core_takes_a_handle(arena, teams):
    me, compared = shmem.shmem_my_pe(), 0
    for team, pes in handles(teams):
        arena.reset()
        if me not in pes:
            continue
        index, size = pes.index(me), len(pes)
        to, of = arena.take(3, "d"), arena.take(3, "d")
        of[...] = me + 1.5
        total = sum(pe + 1.5 for pe in pes)
        for repetition in range(3):
            to[...] = -1
            redcoll.allreduce(to, of, team=team)
            assert (to == total).all()
            redcoll.reduce(to, of, redcoll.MAX, size - 1, team=team)
            assert (to == (max(pes) + 1.5 if index == size - 1 else total)).all()
            redcoll.scan(to, of, team=team)
            assert to[0] == sum(pe + 1.5 for pe in pes[: index + 1])
            redcoll.exscan(to, of, team=team)
            assert index == 0 or to[0] == sum(pe + 1.5 for pe in pes[:index])
            redcoll.barrier(team=team)
            redcoll.broadcast(to, of, 0, team=team)
            assert (to == pes[0] + 1.5).all()
            compared += 1 + repetition
        every, each = arena.take(3 * size, "d"), arena.take(3 * size, "d")
        redcoll.fcollect(every, of, team=team)
        assert every.tolist() == [pe + 1.5 for pe in pes for _ in range(3)]
        redcoll.collect(every, of, team=team)
        assert every[-1] == pes[-1] + 1.5
        each[...] = me
        redcoll.alltoall(every, each, 3, team=team)
        assert every.tolist() == [pe for pe in pes for _ in range(3)]
        redcoll.reduce_scatter(to, each, team=team)
        assert (to == sum(pes)).all()
    assert compared >= 6


def test_the_core_refuses_handles_that_stand_for_no_team():
    ones = np.ones(3)
    team = shmem.shmem_team_split_strided(WORLD, 0, 1, shmem.shmem_n_pes())
    redcoll.allreduce(ones, np.ones(3), team=team)
    shmem.shmem_team_destroy(team)
    for kind, text, wrong in (
        (ArgumentError, "team is SHMEM_TEAM_INVALID", INVALID),
        (StateError, "team is TEAM_INVALID", pythonic.TEAM_INVALID),
        (StateError, "has been destroyed", team),
        (StateError, "has been destroyed", pythonic.Team(team)),
        (ArgumentError, "team is 7; it must be a redcoll.Team", 7),
    ):
        with pytest.raises(kind, match=text):
            redcoll.allreduce(ones, ones, team=wrong)
    shmem.shmem_barrier_all()


def test_number_of_copies():
    verbs = ("broadcast", "collect", "fcollect", "alltoall", "alltoalls")
    assert len(COPIED) == 24
    wanted = {routine_of(verb, name)[0] for verb in verbs for name in KINDS}
    assert set(shmem.team_collectives.ROUTINES.values()) == wanted
    assert len(wanted) == 5 * 26


def test_every_broadcast(arena, teams):
    for number, name in enumerate(KINDS):
        arena.reset()
        routine, dtype, unit = routine_of("broadcast", name)
        each, count = pick(teams, number), 1 + 7 * number
        target, source = Guarded(count, dtype, arena.take), Guarded(count, dtype, arena.take)
        if each.is_member:
            root = number % len(each.pes)
            source.array[...] = pattern(dtype, each.pes[each.index], count)
            assert routine(each.team, target.array, source.array, count * unit, root) == 0
            same(target.array, pattern(dtype, each.pes[root], count))
            target.check()
            assert routine(each.team, None, None, 0, root) == 0
        shmem.shmem_barrier_all()


def test_every_collect(arena, teams):
    for number, name in enumerate(KINDS):
        arena.reset()
        each = pick(teams, number)
        counts = [(3 * pe + number) % 5 for pe in each.pes]
        total = sum(counts)
        routine, dtype, unit = routine_of("collect", name)
        fixed, _, _ = routine_of("fcollect", name)
        target, source = Guarded(max(total, 1), dtype, arena.take), Guarded(5, dtype, arena.take)
        grid = Guarded(5 * len(each.pes), dtype, arena.take)
        if each.is_member:
            source.array[...] = pattern(dtype, each.pes[each.index], 5)
            own = counts[each.index]
            given = source.array if own else None
            assert routine(each.team, target.array, given, own * unit) == 0
            parts = [pattern(dtype, pe, 5) for pe in each.pes]
            wanted = np.concatenate([part[:n] for part, n in zip(parts, counts, strict=True)])
            if total:
                same(target.array, wanted)
            target.check()
            assert fixed(each.team, grid.array, source.array, 5 * unit) == 0
            same(grid.array, np.concatenate(parts))
            grid.check()
            assert fixed(each.team, None, None, 0) == 0
        shmem.shmem_barrier_all()


def test_every_alltoall(arena, teams):
    for number, name in enumerate(KINDS):
        arena.reset()
        each, count = pick(teams, number), 1 + number % 3
        size = len(each.pes)
        routine, dtype, unit = routine_of("alltoall", name)
        target = Guarded(count * size, dtype, arena.take)
        source = Guarded(count * size, dtype, arena.take)
        if each.is_member:
            source.array[...] = pattern(dtype, each.pes[each.index], count * size)
            assert routine(each.team, target.array, source.array, count * unit) == 0
            start = each.index * count
            parts = [pattern(dtype, pe, count * size)[start : start + count] for pe in each.pes]
            same(target.array, np.concatenate(parts))
            target.check()
            assert routine(each.team, None, None, 0) == 0
        shmem.shmem_barrier_all()


def test_every_strided_alltoall(arena, teams):
    for number, name in enumerate(KINDS):
        arena.reset()
        each, count = pick(teams, number), 1 + number % 3
        size = len(each.pes)
        routine, dtype, _ = routine_of("alltoalls", name)
        if name == "mem":
            dtype = np.dtype("u1")
        dst, sst = 1 + number % 2, 1 + number % 3
        to_count, of_count = ((count * size - 1) * step + 1 for step in (dst, sst))
        target, source = Guarded(to_count, dtype, arena.take), Guarded(of_count, dtype, arena.take)
        before = target.array.copy()
        if each.is_member:
            source.array[...] = pattern(dtype, each.pes[each.index], of_count)
            assert routine(each.team, target.array, source.array, dst, sst, count) == 0
            blocks = slice(each.index * count, (each.index + 1) * count)
            parts = [pattern(dtype, pe, of_count)[::sst][blocks] for pe in each.pes]
            before[::dst] = np.concatenate(parts)
            same(target.array, before)
            target.check()
            assert routine(each.team, None, None, dst, sst, 0) == 0
        shmem.shmem_barrier_all()


def test_wrong_arguments_of_copies(arena):
    n = shmem.shmem_n_pes()
    box, other = arena.take(8 * n, "l"), arena.take(8 * n, "l")
    for kind, text, name, arguments in (
        (ArgumentError, f"PE_root is {n}", "long_broadcast", (box, other, 8, n)),
        (ArgumentError, "PE_root is -1", "broadcastmem", (box, other, 8, -1)),
        (DatatypeError, "int32", "int_broadcast", (box, other.view("i4"), 8, 0)),
        (SymmetryError, "target is a private", "long_fcollect", (box.copy(), other, 8)),
        (ArgumentError, f"nelems is {9 * n}", "long_fcollect", (box, other, 9)),
        (DatatypeError, "source is None", "long_collect", (box, None, 1)),
        (DatatypeError, "target is None", "collect", (None, None, 0)),
        (OverlapError, "overlap", "long_alltoall", (box, box, 1)),
        (ArgumentError, "dst is 0", "long_alltoalls", (box, other, 0, 1, 1)),
        (ArgumentError, "sst is -2", "alltoallsmem", (box, other, 1, -2, 1)),
    ):
        with pytest.raises(kind, match=text):
            getattr(shmem, f"shmem_{name}")(WORLD, *arguments)
        shmem.shmem_barrier_all()


# -- stress ---------------------------------------------------------------------------------------


def test_teams_made_and_destroyed_while_others_reduce(arena, delays):
    """In each round one half of the PEs makes and destroys a team while the other half reduces."""
    me, n = shmem.shmem_my_pe(), shmem.shmem_n_pes()
    mine = Made(None, [pe for pe in range(n) if pe % 2 == me % 2])
    _, half = shmem.shmem_team_split_2d(WORLD, 2)
    target, source = arena.take(5, "l"), arena.take(5, "l")
    size = len(mine.pes)
    for turn in range(ROUNDS):
        delays()
        if turn % 2 == me % 2:
            part = (turn // 2) % size + 1
            team = shmem.shmem_team_split_strided(half, size - 1, -1, part)
            if team is not INVALID:
                source[...] = me
                shmem.shmem_long_max_reduce(team, target, source, 5)
                assert (target == max(mine.pes[size - part :])).all()
                delays()
                shmem.shmem_team_destroy(team)
        else:
            for step in range(5):
                source[...] = me + step
                shmem.shmem_long_sum_reduce(half, target, source, 5)
                assert (target == sum(mine.pes) + step * size).all()
    shmem.shmem_team_destroy(half)
    shmem.shmem_barrier_all()


def test_memory_by_the_numbers_of_a_team(arena):
    me, n = shmem.shmem_my_pe(), shmem.shmem_n_pes()
    backwards = shmem.shmem_team_split_strided(WORLD, n - 1, -1, n)
    box = arena.take(3, "l")
    box[...] = me
    shmem.shmem_barrier_all()
    seen = 0
    for pe in range(n):
        there = shmem.shmem_team_ptr(backwards, box[1:], pe)
        if shmem.shmem_ptr(box, n - 1 - pe) is None:  # ``pe`` is on another node
            assert there is None
        else:
            assert there.tolist() == [n - 1 - pe] * 2
            seen += 1
    assert seen >= 1  # at least the caller's own memory
    shmem.shmem_barrier_all()
    right = shmem.shmem_team_ptr(WORLD, box, (me + 1) % n)
    if right is not None:
        right[0] = -1 - me
    shmem.shmem_barrier_all()
    left = (me - 1) % n
    assert box[0] == (me if shmem.shmem_ptr(box, left) is None else -1 - left)
    assert shmem.shmem_team_ptr(INVALID, box, 0) is None
    for kind, text, arguments in (
        (ArgumentError, f"pe is {n}", (backwards, box, n)),
        (ArgumentError, "pe is 'x'", (backwards, box, "x")),
        (SymmetryError, "target", (backwards, np.zeros(3), 0)),
        (DatatypeError, "team is None", (None, box, 0)),
    ):
        with pytest.raises(kind, match=f"shmem_team_ptr: .*{text}"):
            shmem.shmem_team_ptr(*arguments)
    shmem.shmem_barrier_all()
    shmem.shmem_team_destroy(backwards)
    with pytest.raises(StateError, match="destroyed"):
        shmem.shmem_team_ptr(backwards, box, 0)
