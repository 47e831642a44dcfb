"""
Interrupt collective calls. Afterwards all ranks have a broken team, or all results are right.

    mpiexec -n 3 python tests/stress/interrupts.py signals --rounds 500
    mpiexec -n 3 python tests/stress/interrupts.py points --calls small,scan

``signals``: in each round all ranks make calls without pause. A timer sends SIGINT to one rank at a
random moment. That rank catches ``KeyboardInterrupt`` and makes further calls, as a careless
program would.

``points``: one rank runs one call under a tracer, which raises at the k-th point at which Python
can run a signal handler. These points are the entry to a function, each line, and the return from
compiled code. The program tries every k, first on rank 0 and then on the last rank. A point in a
loop counts at most twice.

An interrupt counts if it occurs after the outermost function of redcoll has begun and before that
function has returned. Any other interrupt belongs to the program.

Each source depends on the number of its call. So a rank that reads data of another call gets a
wrong sum. Rank 0 prints one line of counts. The exit status is 1 if a count is wrong.
"""

from __future__ import annotations

import argparse
import ctypes
import dis
import functools
import linecache
import os
import random
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

os.environ.setdefault("REDCOLL_TIMEOUT", "20")
os.environ.setdefault("REDCOLL_MAX_TEAMS", "2000")
# With these small limits, short vectors take every path.
os.environ.setdefault("REDCOLL_SMALL_BYTES", "1024")
os.environ.setdefault("REDCOLL_CHUNK_BYTES", "4096")
os.environ.setdefault("SHMEM_SYMMETRIC_SIZE", "192k")

import numpy as np
from mpi4py import MPI

import redcoll
import redcoll.MPI
import redcoll_shmem as shmem
import redcoll_shmem.shmem as face
from redcoll.errors import CollectiveError, PeerLostError, TeamBrokenError
from redcoll.liveness import progress, shutdown

SMALL, EAGER, LARGE = 1, 100, 2000
"""Numbers of elements: one element, a vector in an eager buffer, and several chunks."""
REDCOLL = str(Path(redcoll.__file__).parent) + os.sep
AFTERWARDS = 3
"""Number of calls that each rank makes after an interrupt."""
LONGEST_S = 3e-3
WORDS = ("try:", "return", "raise", "pass")
MOST_TIMES = 2
"""Number of interrupts that are tried at the same line."""

me, n = MPI.COMM_WORLD.rank, MPI.COMM_WORLD.size
# With this interval, waits notice broken teams sooner than by default.
progress._CHECK_EVERY_S = 0.01

Call = Callable[[int], bool]
"""A function that makes the call with a given number, and returns whether the result is right."""


class Alarm(Exception):
    """An exception that a signal handler of the program raises."""


# -- the calls --------------------------------------------------------------------------------


def part(rank: int, number: int, count: int) -> np.ndarray:
    """Return the source of a rank. Sums of sources are exact in any order."""
    return (rank + 1.0) * (number % 1000 + 1) + np.arange(count) % 7


def total(ranks: range, number: int, count: int) -> np.ndarray:
    """Return the sum of the sources of these ranks, computed by a formula."""
    weights = sum(rank + 1 for rank in ranks)
    return weights * (number % 1000 + 1.0) + len(ranks) * (np.arange(count) % 7)


@functools.cache
def symmetric(name: str, count: int) -> np.ndarray:
    """Return a symmetric array. Calls with equal arguments return the same array."""
    return redcoll.zeros(count)


def private(_name: str, count: int) -> np.ndarray:
    """Return an ordinary array."""
    return np.zeros(count)


def summed(x, y):
    """Add two arrays in several steps. The program passes this function as an operation."""
    result = x.copy()
    for at in range(0, len(y), 1000):
        result[at : at + 1000] += y[at : at + 1000]
    return result


FUNCTION = redcoll.user_op(summed)
ELEMENTWISE = redcoll.user_op(np.add, elementwise=True)


def reductions(collective, count, take=private, op=redcoll.SUM):
    """Return a function that prepares calls of a reduction on a team."""

    def build(team) -> Call:
        source = take("source", count * n)
        target = take("target", count * n)
        length = count * n if collective == "reduce_scatter" else count
        of, to = source[:length], target[:count]

        def call(number: int) -> bool:
            of[...] = part(me, number, length)
            to[...] = -1
            if collective == "reduce":
                redcoll.reduce(to, of, op, n - 1, team=team)
                ranks = range(n) if me == n - 1 else range(0)
            else:
                getattr(redcoll, collective)(to, of, op, team=team)
                ranks = {"scan": range(me + 1), "exscan": range(me)}.get(collective, range(n))
            wanted = total(ranks, number, length) if ranks else np.full(length, -1.0)
            if collective == "reduce_scatter":
                wanted = wanted[me * count : (me + 1) * count]
            return to.tobytes() == wanted.tobytes()

        return call

    return build


def copies(collective, count):
    """Return a function that prepares calls of a copying collective on symmetric arrays."""

    def build(team) -> Call:
        source = symmetric("source", LARGE * n)[: count * n]
        target = symmetric("target", LARGE * n)[: count * n]

        def call(number: int) -> bool:
            wanted = np.concatenate([part(rank, number, count) for rank in range(n)])
            target[...] = -1
            if collective == "alltoall":
                source[...] = np.tile(part(me, number, count), n)
                redcoll.alltoall(target, source, count, team=team)
            else:
                source[:count] = part(me, number, count)
                getattr(redcoll, collective)(target, source[:count], team=team)
            return target.tobytes() == wanted.tobytes()

        return call

    return build


def broadcasts(team) -> Call:
    """Prepare calls of broadcast."""
    source, target = symmetric("source", LARGE * n)[:LARGE], symmetric("target", LARGE * n)[:LARGE]

    def call(number: int) -> bool:
        source[...] = part(me, number, LARGE)
        redcoll.broadcast(target, source, number % n, team=team)
        return target.tobytes() == part(number % n, number, LARGE).tobytes()

    return call


def barriers(team) -> Call:
    """Prepare calls of barrier."""

    def call(_number: int) -> bool:
        redcoll.barrier(team=team)
        return True

    return call


def upper_case(collective, count):
    """Return a function that prepares calls of an upper-case method of a communicator."""

    def build(comm) -> Call:
        source, target = np.zeros(count), np.zeros(count)

        def call(number: int) -> bool:
            source[...], target[...] = part(me, number, count), -1
            getattr(comm, collective)(source, target)
            ranks = range(me + 1) if collective == "Scan" else range(n)
            if collective == "Reduce" and me:
                return bool((target == -1).all())
            return target.tobytes() == total(ranks, number, count).tobytes()

        return call

    return build


def lower_case(collective, count):
    """Return a function that prepares calls of a lower-case method on an int or an array."""

    def build(comm) -> Call:
        def call(number: int) -> bool:
            mine = part(me, number, count) if count > 1 else (me + 1) * number
            result = getattr(comm, collective)(mine)
            ranks = range(me + 1) if collective == "scan" else range(n)
            if count == 1:
                return result == number * sum(rank + 1 for rank in ranks)
            return result.tobytes() == total(ranks, number, count).tobytes()

        return call

    return build


CALLS = {
    "small": reductions("allreduce", SMALL),
    "eager": reductions("allreduce", EAGER),
    "large": reductions("allreduce", LARGE),
    "direct": reductions("allreduce", LARGE, symmetric),
    "function": reductions("allreduce", EAGER, op=FUNCTION),
    "long function": reductions("allreduce", LARGE, op=FUNCTION),
    "elementwise": reductions("allreduce", LARGE, op=ELEMENTWISE),
    "reduce": reductions("reduce", SMALL),
    "large reduce": reductions("reduce", LARGE),
    "scan": reductions("scan", SMALL),
    "large scan": reductions("scan", LARGE),
    "exscan": reductions("exscan", EAGER),
    "reduce_scatter": reductions("reduce_scatter", 10),
    "large reduce_scatter": reductions("reduce_scatter", LARGE),
    "barrier": barriers,
    "broadcast": broadcasts,
    "fcollect": copies("fcollect", 10),
    "large fcollect": copies("fcollect", LARGE),
    "collect": copies("collect", LARGE),
    "alltoall": copies("alltoall", 10),
    "Allreduce": upper_case("Allreduce", SMALL),
    "large Allreduce": upper_case("Allreduce", LARGE),
    "Reduce": upper_case("Reduce", EAGER),
    "Scan": upper_case("Scan", SMALL),
    "share": lower_case("allreduce", 1),
    "shared array": lower_case("allreduce", LARGE),
    "shared scan": lower_case("scan", 1),
}


def by_handle(routine):
    """Return a function that prepares calls of a SHMEM routine on a team handle."""

    def build(handle) -> Call:
        source, target = symmetric("source", LARGE * n)[:EAGER], symmetric("target", LARGE * n)

        def call(number: int) -> bool:
            source[...], target[:EAGER] = part(me, number, EAGER), -1
            if routine == "sum_reduce of shmem4py":
                face.sum_reduce(target, source, EAGER, face.Team(handle))
            elif routine == "broadcast":
                shmem.shmem_double_broadcast(handle, target, source, EAGER, number % n)
                return target[:EAGER].tobytes() == part(number % n, number, EAGER).tobytes()
            else:
                getattr(shmem, f"shmem_double_{routine}")(handle, target, source, EAGER)
            ranks = range(me + 1) if routine == "sum_inscan" else range(n)
            return target[:EAGER].tobytes() == total(ranks, number, EAGER).tobytes()

        return call

    return build


def to_all(_team) -> Call:
    """Prepare calls of a SHMEM reduction on the active set of all PEs."""
    source, target = redcoll.zeros(EAGER), redcoll.zeros(EAGER)
    words = shmem.full(shmem.SHMEM_REDUCE_SYNC_SIZE, shmem.SHMEM_SYNC_VALUE, "long")

    def call(number: int) -> bool:
        source[...], target[...] = part(me, number, EAGER), -1
        shmem.shmem_double_sum_to_all(target, source, EAGER, 0, 0, n, None, words)
        return target.tobytes() == total(range(n), number, EAGER).tobytes()

    return call


def zeros(_team) -> Call:
    """Prepare allocations."""

    def call(_number: int) -> bool:
        return bool((redcoll.zeros(EAGER) == 0).all())

    return call


def frees(_team) -> Call:
    """Prepare calls of free."""
    blocks = [redcoll.zeros(1) for _ in range(20)]

    def call(number: int) -> bool:
        redcoll.free(blocks[number])
        return True

    return call


CALLS |= {
    "sum_reduce": by_handle("sum_reduce of shmem4py"),
    "double_sum_reduce": by_handle("sum_reduce"),
    "double_sum_inscan": by_handle("sum_inscan"),
    "double_broadcast": by_handle("broadcast"),
    "double_sum_to_all": to_all,
    "zeros": zeros,
    "free": frees,
}
BY_MPI_BETWEEN_NODES = {"shared array"}
OF_HANDLES = {"sum_reduce", "double_sum_reduce", "double_sum_inscan", "double_broadcast"}
OF_ALL_PES = {"double_sum_to_all", "zeros", "free"}
OF_COMMUNICATORS = {name for name in CALLS if CALLS[name].__qualname__.split("_")[0] in
                    ("upper", "lower")}  # fmt: skip


class Group:
    """A team and the calls on it. The team can belong to a communicator."""

    def __init__(self, name: str) -> None:
        if name in OF_COMMUNICATORS:
            comm = redcoll.MPI.COMM_WORLD.Dup()
            self.team = comm._attach().team
            self.call = CALLS[name](comm)
        elif name in OF_HANDLES:
            handle = shmem.shmem_team_split_strided(shmem.SHMEM_TEAM_WORLD, 0, 1, n)
            self.team = handle.core()
            self.call = CALLS[name](handle)
        elif name in OF_ALL_PES:
            # Start a new world with a new heap, because the team of the last world is broken.
            redcoll.world.world._world = None
            redcoll.init()
            self.team = redcoll.world.start().team
            self.call = CALLS[name](self.team)
        else:
            self.team = redcoll.Team.from_comm(MPI.COMM_WORLD)
            self.call = CALLS[name](self.team)
        self.number = 0

    def next(self) -> bool:
        """Make the next call, or repeat an interrupted call; return whether the result is right."""
        is_right = self.call(self.number + 1)
        self.number += 1
        return is_right


# -- where an interrupt counts ----------------------------------------------------------------


@functools.cache
def _entry(code) -> int:
    """Return the offset of the instruction between the function's entry and its first line."""
    entries = [each.offset for each in dis.get_instructions(code) if each.opname == "RESUME"]
    return entries[0] if entries else -1


def outermost(frame):
    """Return the outermost frame of redcoll if it has begun, and None otherwise."""
    found = None
    while frame is not None:
        if frame.f_code.co_filename.startswith(REDCOLL):
            found = frame
        frame = frame.f_back
    return found if found is not None and found.f_lasti > _entry(found.f_code) else None


class Timer:
    """A POSIX timer that sends SIGINT once, even while the process runs compiled code."""

    def __init__(self) -> None:
        class Event(ctypes.Structure):
            _fields_ = (("value", ctypes.c_void_p), ("number", ctypes.c_int),
                        ("how", ctypes.c_int), ("rest", ctypes.c_char * 48))  # fmt: skip

        libc = ctypes.CDLL(None, use_errno=True)
        libc = libc if hasattr(libc, "timer_create") else ctypes.CDLL("librt.so.1")
        self._set = libc.timer_settime
        self._id = ctypes.c_void_p()
        event = Event(None, signal.SIGINT, 0)
        if libc.timer_create(1, ctypes.byref(event), ctypes.byref(self._id)):
            raise OSError(ctypes.get_errno(), "timer_create")

    def start(self, seconds: float) -> None:
        """Send the signal after this time. With 0, cancel the signal."""
        times = (ctypes.c_long * 4)(0, 0, int(seconds), int(seconds % 1 * 1e9))
        self._set(self._id, 0, times, None)


# -- rounds -----------------------------------------------------------------------------------


def by_signals(name: str, options, counts: Counter) -> None:
    """Run the rounds of a call, each with an interrupt at a random moment."""
    draw = random.Random(f"{options.seed} {name}")
    timer = Timer()
    moments = random.Random()

    def handler(_number, frame) -> None:
        if outermost(frame) is None:
            counts["outside"] += 1
            timer.start(moments.uniform(1e-6, LONGEST_S))
            return
        raise KeyboardInterrupt

    def ignored(what) -> None:
        # Python ignores exceptions that a handler raises in __del__ or a weak reference's callback.
        if what.exc_type is not KeyboardInterrupt:
            sys.__unraisablehook__(what)
            return
        counts["ignored by Python"] += 1
        timer.start(moments.uniform(1e-6, LONGEST_S))

    sys.unraisablehook = ignored
    signal.signal(signal.SIGINT, handler)
    group = None
    for _ in range(options.rounds):
        group = renewed(group, name)
        for _ in range(2):
            count_result(group.next(), counts)
        MPI.COMM_WORLD.Barrier()
        culprit = draw.randrange(n)
        if me == culprit:
            timer.start(moments.uniform(1e-6, LONGEST_S))
        while (result := attempt(group.next, counts)) == "right":
            pass
        if me == culprit:
            timer.start(0)
        counts["interrupted"] += result == "interrupted"
        counts["told"] += result == "lost"
        counts["unexpected"] += result != ("interrupted" if me == culprit else "lost")
        # Make more calls, as a program could after it has caught the exception.
        for _ in range(AFTERWARDS):
            counts["afterwards " + attempt(group.next, counts)] += 1
        MPI.COMM_WORLD.Barrier()
        counts["rounds"] += 1


def renewed(group: Group | None, name: str) -> Group:
    """Return the group, or a new group if there is no group or the team is broken on any rank."""
    if group is not None:
        if MPI.COMM_WORLD.allreduce(group.team.can_go_on, MPI.LAND):
            return group
        shutdown._live.discard(group.team.life)
    return Group(name)


def attempt(call: Callable[[], bool], counts: Counter) -> str:
    """Make a call; return how it ended."""
    try:
        return count_result(call(), counts)
    except (KeyboardInterrupt, Alarm):
        return "interrupted"
    except TeamBrokenError:
        return "broken"
    except PeerLostError:
        return "lost"
    except CollectiveError as error:
        return type(error).__name__


def count_result(is_right: bool, counts: Counter) -> str:
    """Count a compared result; return "right" or "wrong"."""
    counts["compared"] += 1
    counts["wrong"] += not is_right
    return "right" if is_right else "wrong"


class Tracer:
    """A tracer that raises at one point of a call."""

    def __init__(self, at: int, error: type[BaseException]) -> None:
        self._at = at
        self.count = 0
        self._times: Counter[str] = Counter()
        self._error = error
        self._outer = None
        self._has_begun = False
        self.has_raised = False
        self.where = ""

    def run(self, group: Group) -> bool:
        """Make the next call of a group, and raise at the point."""
        small = group.team.small

        def followed(*arguments) -> bool:
            result = small(*arguments)
            self._tick("the return of small()")
            return result

        group.team.small = followed
        sys.setprofile(self._profile)
        sys.settrace(self._trace)
        try:
            return group.next()
        finally:
            sys.settrace(None)
            sys.setprofile(None)
            if group.team.small is followed:
                group.team.small = small

    def _tick(self, where: str) -> None:
        # The number of polls differs between calls, so count a line in a loop only a few times.
        self._times[where] += 1
        self.count += self._times[where] <= MOST_TIMES
        if self.count == self._at and not self.has_raised:
            self.has_raised, self.where = True, where
            raise self._error

    def _is_within(self, frame, event: str) -> bool:
        """Return whether the outermost function has reached its ``try``."""
        if self._outer is None:
            self._outer = frame
        if frame is not self._outer or self._has_begun:
            return True
        line = linecache.getline(frame.f_code.co_filename, frame.f_lineno).strip()
        self._has_begun = event == "line" and line == "try:"
        return False

    def _trace(self, frame, event: str, _):
        if not frame.f_code.co_filename.startswith(REDCOLL):
            return None
        # Python runs no signal handler at a line that consists of one of ``WORDS``.
        line = linecache.getline(frame.f_code.co_filename, frame.f_lineno).strip()
        if self._is_within(frame, event) and event in ("call", "line") and line not in WORDS:
            self._tick(f"{frame.f_code.co_filename[len(REDCOLL) :]}:{frame.f_lineno} ({event})")
        return self._trace

    def _profile(self, frame, event: str, argument) -> None:
        path = frame.f_code.co_filename
        is_ours = event == "c_return" and path.startswith(REDCOLL)
        if is_ours and self._is_within(frame, event):
            self._tick(f"{path[len(REDCOLL) :]}:{frame.f_lineno} after {argument.__name__}")


def by_points(name: str, options, counts: Counter) -> None:
    """Interrupt a call at each of its points, on the first and on the last rank."""
    error = {"interrupt": KeyboardInterrupt, "alarm": Alarm}[options.error]
    group = None
    for culprit in sorted({0, n - 1}):
        group = renewed(group, name)
        # Count the points, with a tracer that never raises.
        tracer = Tracer(sys.maxsize, error)
        count_result(tracer.run(group) if me == culprit else group.next(), counts)
        total = MPI.COMM_WORLD.bcast(tracer.count, culprit)
        stride = max(1, -(-total // options.most)) if options.most else 1
        for at in range(1 + options.seed % stride, total + 1, stride):
            known, group = group, renewed(group, name)
            if options.warm and group is not known:
                count_result(group.next(), counts)
                count_result(group.next(), counts)
            tracer = Tracer(at, error)
            MPI.COMM_WORLD.Barrier()
            call = functools.partial(tracer.run, group) if me == culprit else group.next
            results = [attempt(call, counts)]
            if not MPI.COMM_WORLD.bcast(tracer.has_raised, culprit):
                counts["unexpected"] += results != ["right"]
                continue  # the call had fewer points, because a wait polled less often
            results += [attempt(group.next, counts) for _ in range(AFTERWARDS)]
            # Make a barrier, in which ranks that ran ahead notice a broken team.
            results.append(attempt(functools.partial(barriers(group.team), 0), counts))
            counts["points"] += 1
            all_results = MPI.COMM_WORLD.allgather(results)
            if not are_in_order(all_results, culprit):
                counts["unexpected"] += 1
                report(f"{name}: {MPI.COMM_WORLD.bcast(tracer.where, culprit)}: {all_results}")


def are_in_order(results: list[list[str]], culprit: int) -> bool:
    """Return whether all ranks ended as they must after an interrupt on one rank."""
    own = results[culprit]
    if own[0] != "interrupted":
        return False
    if own[1] == "broken":
        others = [each for rank, each in enumerate(results) if rank != culprit]
        return set(own[1:]) == {"broken"} and all(
            each[-1] in ("lost", "broken") and set(each) <= {"right", "lost", "broken"}
            for each in others
        )
    # The call reported the error to all ranks, so the team still works.
    return all(set(each[1:]) == {"right"} for each in results)


def report(text: str) -> None:
    """Write a line on rank 0."""
    if me == 0:
        sys.stdout.write(text + "\n")
        sys.stdout.flush()


def main() -> int:
    """Run all calls; return the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("how", choices=("signals", "points"))
    parser.add_argument("--calls", help="names, with commas between them; all by default")
    parser.add_argument("--rounds", type=int, default=20, help="interrupts by signals, per call")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--most", type=int, default=0, help="points per call and rank; 0 for all")
    parser.add_argument("--error", choices=("interrupt", "alarm"), default="interrupt")
    parser.add_argument("--cold", dest="warm", action="store_false", help="interrupt first calls")
    parser.add_argument("--verbose", action="store_true", help="a line for each call")
    options = parser.parse_args()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    redcoll.init()
    counts: Counter[str] = Counter()
    for name in options.calls.split(",") if options.calls else CALLS:
        if name in BY_MPI_BETWEEN_NODES and len(redcoll.world.start().team.layout.nodes) > 1:
            report(f"{name}: left out on several nodes, where mpi4py reduces and has no deadline")
            continue
        start_s = time.monotonic()
        (by_signals if options.how == "signals" else by_points)(name, options, counts)
        if options.verbose:
            report(f"{name}: {time.monotonic() - start_s:.1f} s, {dict(counts)}")
    summed = sum(MPI.COMM_WORLD.allgather(counts), Counter())
    for key in ("rounds", "points"):
        summed[key] //= n
    allowed = {
        "afterwards broken",
        "rounds",
        "points",
        "interrupted",
        "told",
        "compared",
        "outside",
        "ignored by Python",
    }
    has_failed = any(summed[key] for key in summed if key not in allowed)
    if options.how == "signals":
        has_failed |= summed["interrupted"] != summed["rounds"]
        has_failed |= summed["afterwards broken"] != AFTERWARDS * n * summed["rounds"]
    team = redcoll.world.start().team
    nodes = len(team.layout.nodes)
    report(
        f"{MPI.get_vendor()[0]}, {team.kernel.NAME} kernel, {n} ranks, {nodes} nodes: "
        + ", ".join(f"{key}: {summed[key]}" for key in sorted(summed) if summed[key])
        + f"; wrong numbers: {summed['wrong']}"
    )
    return int(has_failed or not summed["compared"])


if __name__ == "__main__":
    sys.exit(main())
