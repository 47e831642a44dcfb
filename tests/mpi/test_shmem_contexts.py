"""Test the life of contexts, and every context routine with the PE numbers of a team."""

import threading

import numpy as np
import pytest
from mpi import oracle
from mpi4py import MPI

import redcoll_shmem as shmem
from redcoll import ArgumentError, DatatypeError, StateError

pytestmark = pytest.mark.mpi

WORLD, INVALID = shmem.SHMEM_TEAM_WORLD, shmem.SHMEM_TEAM_INVALID
DEFAULT, NO_CTX = shmem.SHMEM_CTX_DEFAULT, shmem.SHMEM_CTX_INVALID

DTYPES = {
    "float": "f4", "double": "f8", "longdouble": "g", "char": "i1", "schar": "i1", "short": "i2",
    "int": "i4", "long": "l", "longlong": "q", "uchar": "u1", "ushort": "u2", "uint": "u4",
    "ulong": "L", "ulonglong": "Q", "int8": "i1", "int16": "i2", "int32": "i4", "int64": "i8",
    "uint8": "u1", "uint16": "u2", "uint32": "u4", "uint64": "u8", "size": "u8", "ptrdiff": "i8",
}  # fmt: skip
BITS = {"8": "i1", "16": "f2", "32": "f4", "64": "c8", "128": "c16"}


def split_name(name):
    """Split a routine's name into its verb and its element type.

    The third value is the number of bytes in an element if the routine counts bytes, and else 1.
    """
    rest = name.removeprefix("shmem_ctx_")
    first, _, verb = rest.partition("_")
    if first in DTYPES and verb:
        return verb, np.dtype(DTYPES[first]), 1
    for kind in ("ibput", "ibget", "iput", "iget", "put", "get"):
        if rest.startswith(f"{kind}mem"):
            return rest.replace("mem", "", 1), np.dtype("f4"), 4
        for bits, dtype in BITS.items():
            if rest == f"{kind}{bits}" or rest.startswith(f"{kind}{bits}_"):
                return rest.replace(bits, "", 1), np.dtype(dtype), 1
    return rest, np.dtype("i8" if "signal" not in rest or "put" in rest else "u8"), 1


@pytest.fixture
def contexts():
    """Return two contexts with their PE numbers. The second context reverses the PEs' order."""
    n = shmem.shmem_n_pes()
    team = shmem.shmem_team_split_strided(WORLD, n - 1, -1, n)
    made = [
        (DEFAULT, range(n)),
        (shmem.shmem_team_create_ctx(team, shmem.SHMEM_CTX_PRIVATE), range(n - 1, -1, -1)),
    ]
    yield made
    shmem.shmem_ctx_destroy(made[1][0])
    shmem.shmem_team_destroy(team)


COPIES = (
    *("put", "put_nbi", "get", "get_nbi", "iput", "iget", "ibput", "ibget"),
    *("put_signal", "put_signal_nbi"),
)


def in_batches(arena, cases, prepare):
    """Make all calls, at most 100 of them between two barriers; return the number of calls.

    ``prepare(case)`` returns a call and a check of its result.
    """
    done = 0
    for start in range(0, len(cases), 100):
        arena.reset()
        steps = [prepare(*case) for case in cases[start : start + 100]]
        shmem.shmem_barrier_all()
        for call, _ in steps:
            call()
        shmem.shmem_quiet()
        shmem.shmem_barrier_all()
        for _, check in steps:
            check()
            done += 1
        shmem.shmem_barrier_all()
    return done


def test_every_copy(arena, contexts):
    me, n = shmem.shmem_my_pe(), shmem.shmem_n_pes()
    left, right = (me - 1) % n, (me + 1) % n

    def prepare(name, ctx, number):
        verb, dtype, unit = split_name(name)
        mine, lefts, rights = (
            oracle.values(dtype, 5, np.random.default_rng([pe])) for pe in (me, left, right)
        )
        box, signal = arena.take(5, dtype), arena.take(1, "u8")
        is_get = "get" in verb
        box[...] = mine if is_get else 0
        signal[0] = 0
        to, of = (np.zeros(5, dtype), box) if is_get else (box, mine)
        has_blocks = verb.startswith("ib")
        steps = (1, 1) if verb.startswith("i") else ()
        counts = (1, 5) if has_blocks else (5 * unit,)
        more = (signal, 3, shmem.SHMEM_SIGNAL_ADD) if "signal" in verb else ()

        def call():
            routine = getattr(shmem, name)
            assert routine(ctx, to, of, *steps, *counts, *more, number[right]) is None
            shmem.shmem_ctx_quiet(ctx)

        def check():
            wanted = rights if is_get else lefts
            assert oracle.value_bytes(to) == oracle.value_bytes(wanted), name
            assert signal[0] == (3 if more else 0)

        return call, check

    names = [name for name in shmem.contexts.ROUTINES if split_name(name)[0] in COPIES]
    cases = [(name, *context) for name in names for context in contexts]
    assert len(names) == 10 * 25 + 10 * 5 + 6  # typed and generic; by size; in bytes
    assert in_batches(arena, cases, prepare) == 2 * len(names)


RESULTS = {
    "set": 5, "swap": 5, "fetch": 9, "compare_swap": 5, "inc": 10, "fetch_inc": 10, "add": 14,
    "fetch_add": 14, "and": 1, "fetch_and": 1, "or": 13, "fetch_or": 13, "xor": 12,
    "fetch_xor": 12,
}  # fmt: skip
"""The value of an element after an operation with 5. The element was 9."""


def test_every_single_value_and_atomic(arena, contexts):
    me, n = shmem.shmem_my_pe(), shmem.shmem_n_pes()
    right = (me + 1) % n

    def prepare(name, ctx, number):
        verb, dtype, _ = split_name(name)
        plain = verb.removeprefix("atomic_").removesuffix("_nbi")
        routine, pe = getattr(shmem, name), number[right]
        box = arena.take(1, dtype)
        box[0] = 9
        wanted = {"p": 5, "g": 9, "signal_set": 5, "signal_add": 14}.get(plain)
        wanted = RESULTS[plain] if wanted is None else wanted

        def call():
            if plain == "g":
                assert routine(ctx, box, pe=pe) == 9
            elif plain == "p" or plain.startswith("signal_"):
                assert routine(ctx, box, 5, pe=pe) is None
            else:
                counts = plain.endswith("inc") or plain == "fetch"
                given = (9, 5) if plain == "compare_swap" else () if counts else (5,)
                fetched = np.zeros(1, dtype)
                first = (fetched,) if verb.endswith("_nbi") else ()
                found = routine(ctx, *first, box, *given, pe)
                if first:
                    assert (found, fetched[0]) == (None, 9)
                else:
                    assert found == (9 if "fetch" in plain or "swap" in plain else None)
            shmem.shmem_ctx_fence(ctx)

        def check():
            assert box[0] == wanted, name

        return call, check

    names = [name for name in shmem.contexts.ROUTINES if split_name(name)[0] not in COPIES]
    cases = [(name, *context) for name in names for context in contexts]
    # The terms count the extended, standard and bitwise atomics, then p and g, then the signals.
    # A generic name counts as one more type.
    assert len(names) == 5 * 15 + 8 * 13 + 9 * 8 + 2 * 25 + 2
    assert in_batches(arena, cases, prepare) == 2 * len(names)


def test_every_name_has_a_kind():
    verbs = {split_name(name)[0] for name in shmem.contexts.ROUTINES}
    atomics = {verb for verb in verbs if verb.startswith("atomic_")}
    assert len(atomics) == 14 + 8
    assert verbs - atomics == {*COPIES, "p", "g", "signal_set", "signal_add"}


def test_life():
    n = shmem.shmem_n_pes()
    ctx = shmem.shmem_ctx_create(shmem.SHMEM_CTX_SERIALIZED | shmem.SHMEM_CTX_NOSTORE)
    assert shmem.shmem_ctx_get_team(ctx) is shmem.shmem_ctx_get_team(DEFAULT) is WORLD
    assert shmem.shmem_ctx_get_team(NO_CTX) is INVALID
    for each in (ctx, DEFAULT, NO_CTX):
        shmem.shmem_ctx_fence(each)
        shmem.shmem_ctx_quiet(each)
    shmem.shmem_ctx_destroy(NO_CTX)
    with pytest.raises(ArgumentError, match="cannot be destroyed"):
        shmem.shmem_ctx_destroy(DEFAULT)
    for options in (-1, 8, None):
        with pytest.raises(ArgumentError, match="options"):
            shmem.shmem_ctx_create(options)
    with pytest.raises(ArgumentError, match="SHMEM_TEAM_INVALID"):
        shmem.shmem_team_create_ctx(INVALID, 0)
    team = shmem.shmem_team_split_strided(WORLD, 0, 1, n)
    of_team = shmem.shmem_team_create_ctx(team, 0)
    assert shmem.shmem_ctx_get_team(of_team) is team
    with pytest.raises(ArgumentError, match=f"shmem_ctx_long_p: pe is {n}"):
        shmem.shmem_ctx_long_p(of_team, np.zeros(1, "l"), 1, n)
    shmem.shmem_team_destroy(team)
    shmem.shmem_ctx_destroy(ctx)
    for gone in (ctx, of_team):
        for call in (
            lambda gone=gone: shmem.shmem_ctx_destroy(gone),
            lambda gone=gone: shmem.shmem_ctx_get_team(gone),
            lambda gone=gone: shmem.shmem_ctx_fence(gone),
            lambda gone=gone: shmem.shmem_ctx_quiet(gone),
            lambda gone=gone: shmem.shmem_ctx_long_g(gone, None, 0),
            lambda gone=gone: shmem.shmem_ctx_putmem(gone, None, None, 0, 0),
        ):
            with pytest.raises(StateError, match="destroyed"):
                call()
    with pytest.raises(ArgumentError, match="shmem_ctx_long_g: ctx is SHMEM_CTX_INVALID"):
        shmem.shmem_ctx_long_g(NO_CTX, None, 0)
    with pytest.raises(DatatypeError, match="ctx is a int"):
        shmem.shmem_ctx_long_atomic_inc(0, None, 0)


def test_sessions():
    ctx = shmem.shmem_ctx_create(0)
    batch, total_ops = shmem.SHMEM_CTX_SESSION_BATCH, shmem.SHMEM_CTX_SESSION_TOTAL_OPS
    config = shmem.shmem_ctx_session_config_t(total_ops=100)
    for each in (ctx, DEFAULT, NO_CTX):
        shmem.shmem_ctx_session_start(each, batch, config, total_ops)
        shmem.shmem_ctx_session_start(each, 0)  # starts again with other hints
        shmem.shmem_ctx_session_stop(each)
        shmem.shmem_ctx_session_stop(each)  # does nothing outside a session
    too_many = shmem.shmem_ctx_session_config_t(total_ops=2**64)
    for kind, text, arguments in (
        (ArgumentError, "options is 2", (2,)),
        (ArgumentError, "options is -1", (-1,)),
        (ArgumentError, "config_mask is 2", (0, config, 2)),
        (DatatypeError, "config is None", (batch, None, total_ops)),
        (ArgumentError, f"config.total_ops is {2**64}", (batch, too_many, total_ops)),
    ):
        with pytest.raises(kind, match=f"shmem_ctx_session_start: {text}"):
            shmem.shmem_ctx_session_start(ctx, *arguments)
    shmem.shmem_ctx_destroy(ctx)
    with pytest.raises(StateError, match="destroyed"):
        shmem.shmem_ctx_session_start(ctx, batch)
    with pytest.raises(StateError, match="destroyed"):
        shmem.shmem_ctx_session_stop(ctx)
    with pytest.raises(DatatypeError, match="ctx is None"):
        shmem.shmem_ctx_session_stop(None)


def test_quiet_on_some_pes(arena, contexts):
    me, n = shmem.shmem_my_pe(), shmem.shmem_n_pes()
    box = arena.take(n, "l")
    box[...] = -1
    shmem.shmem_barrier_all()
    for pe in range(n):
        shmem.shmem_long_p(box[me:], me, pe)
    shmem.shmem_pe_quiet(np.arange(n), n)
    shmem.shmem_barrier_all()
    assert box.tolist() == list(range(n))
    shmem.shmem_barrier_all()
    for ctx, number in contexts:
        for pe in range(n):
            shmem.shmem_ctx_long_p(ctx, box[me:], n + me, number[pe])
        shmem.shmem_ctx_pe_quiet(ctx, list(number), n)
        shmem.shmem_barrier_all()
        assert box.tolist() == list(range(n, 2 * n))
        shmem.shmem_barrier_all()
        box[...] = -1
        shmem.shmem_barrier_all()
    shmem.shmem_pe_quiet(None, 0)
    shmem.shmem_ctx_pe_quiet(NO_CTX, None, 5)
    shmem.shmem_pe_quiet((0, 0, n), 2)  # reads the first two PEs only
    for quiet, name in (
        (shmem.shmem_pe_quiet, "shmem_pe_quiet"),
        (lambda *of: shmem.shmem_ctx_pe_quiet(contexts[1][0], *of), "shmem_ctx_pe_quiet"),
    ):
        for text, arguments in (
            ("npes is -1", ([0], -1)),
            ("npes is 2; target_pes has 1 ", ([0], 2)),
            ("target_pes is 3; it must be a seq", (3, 1)),
            (r"target_pes is \[0\]; it must be", ([0, [0]], 2)),
            (r"target_pes is array\(0\); it must be a seq", (np.array(0), 1)),
            (rf"(target_pes|pe) is {n}; ", ([0, n], 2)),
            ("target_pes is -1", (np.array([-1]), 1)),
            ("target_pes is 0.5", ([0.5], 1)),
        ):
            with pytest.raises(ArgumentError, match=f"{name}: {text}"):
                quiet(*arguments)


def test_two_threads_with_a_team_each(arena):
    if shmem.shmem_query_thread() < shmem.SHMEM_THREAD_MULTIPLE:
        pytest.skip(f"MPI gives thread level {MPI.Query_thread()} only")
    me, n = shmem.shmem_my_pe(), shmem.shmem_n_pes()
    teams = [shmem.shmem_team_split_strided(WORLD, 0, 1, n) for _ in range(2)]
    counter = arena.take(1, "l")
    counter[0] = 0
    arrays = [(arena.take(3, "l"), arena.take(3, "l")) for _ in teams]
    shmem.shmem_barrier_all()
    errors, sums = [], []

    def work(team, target, source):
        try:
            for turn in range(50):
                source[...] = me + turn
                shmem.shmem_long_sum_reduce(team, target, source, 3)
                sums.append(target.tolist() == [n * (n - 1) // 2 + turn * n] * 3)
                shmem.shmem_long_atomic_inc(counter, 0)
        except BaseException as error:  # noqa: BLE001 - shown below
            errors.append(error)

    threads = [
        threading.Thread(target=work, args=(team, *pair))
        for team, pair in zip(teams, arrays, strict=True)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    assert sums == [True] * 100
    shmem.shmem_barrier_all()
    assert shmem.shmem_long_atomic_fetch(counter, 0) == 100 * n
    shmem.shmem_barrier_all()
    for team in teams:
        shmem.shmem_team_destroy(team)


def test_odds_and_ends(arena):
    for hints in (0, shmem.SHMEM_MALLOC_ATOMICS_REMOTE, 3):
        memory = shmem.shmem_malloc_with_hints(16, hints)
        memory[...] = 1
        shmem.shmem_free(memory)
    assert shmem.shmem_malloc_with_hints(0, 0) is None
    for arguments, text in (((16, 4), "hints is 4"), ((-1, 0), "size is -1")):
        with pytest.raises(ArgumentError, match=text):
            shmem.shmem_malloc_with_hints(*arguments)
    shmem.shmem_pcontrol(-1)
    with pytest.raises(ArgumentError, match="level is 'x'"):
        shmem.shmem_pcontrol("x")
    box = arena.take(1, "l")
    shmem.shmem_set_cache_inv()
    shmem.shmem_set_cache_line_inv(box)
    shmem.shmem_clear_cache_inv()
    shmem.shmem_clear_cache_line_inv(box)
    shmem.shmem_udcflush()
    shmem.shmem_udcflush_line(box)
    shmem.shmem_barrier_all()
