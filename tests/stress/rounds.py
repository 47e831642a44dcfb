"""
Run millions of rounds and check every result, while PEs are delayed at random.

    mpiexec -n 16 python tests/stress/rounds.py --rounds 10m --seconds 360

The seed determines the calls, which are the same on all PEs: barriers, scans, and reductions of
ordinary and of symmetric arrays, with and without a root. Most vectors have a few elements. Some
are so long that redcoll divides them into chunks or slices. PEs are delayed in two ways:

* A PE delays itself between two calls, for up to half a millisecond.
* A further process stops a PE by SIGSTOP at any time, even in the middle of a call. The process
  continues the PE up to two milliseconds later. There are ``--stops`` such stops a second.

Every source contains the number of its round, so the sums of all rounds differ. A PE that reads
data of another round therefore gets a wrong result. Each PE counts the rounds whose result it
compared. PE 0 prints the smallest count and the errors.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import select
import signal
import subprocess
import sys
import time

PLAN = 4096
"""Number of calls in the plan, which the program repeats. A large call has several rounds, so a
small call uses other buffers in the next repetition."""
LATE_S = 500e-6
STOPPED_S = 2e-3
HELD_UP = 1 / 2000
"""Share of the calls before which a PE delays itself."""


def stop_at_random(pids: list[int], per_second: float) -> None:
    """Stop random processes for a short time each, until standard input is closed."""
    draw = random.Random(os.getpid())
    stopped = 0
    while not select.select([sys.stdin], [], [], draw.expovariate(per_second))[0]:
        pid = draw.choice(pids)
        os.kill(pid, signal.SIGSTOP)
        time.sleep(draw.uniform(0, STOPPED_S))
        os.kill(pid, signal.SIGCONT)
        stopped += 1
    sys.stdout.write(f"{stopped}\n")


class Stopper:
    """The process that runs :func:`stop_at_random`."""

    def __init__(self, pids: list[int], per_second: float) -> None:
        command = [sys.executable, __file__, "--stop", ",".join(map(str, pids))]
        self._process = subprocess.Popen(
            [*command, "--stops", str(per_second)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def end(self) -> int:
        """End the process that stops PEs; return the number of stops."""
        return int(self._process.communicate()[0])


class Calls:
    """Functions for all kinds of calls. They return None, or a message if a result was wrong."""

    def __init__(self, redcoll, np) -> None:
        self.me, self.n = redcoll.my_pe(), redcoll.n_pes()
        self._redcoll, self._np = redcoll, np
        self._team = redcoll.world.start().team
        self._others = self.n * (self.n - 1) // 2
        self.kinds = {
            "sum of 1, symmetric": (6, self._sum(1, redcoll.zeros)),
            "sum of 1, private": (6, self._sum(1, np.zeros)),
            "sum of 16, symmetric": (3, self._sum(16, redcoll.zeros)),
            "sum of 16, private": (3, self._sum(16, np.zeros)),
            "sum of 300 int32": (1, self._sum(300, np.zeros, np.int32)),
            "max of 2 int64": (2, self._max()),
            "reduce": (3, self._reduce()),
            "scan": (2, self._scan()),
            "barrier": (4, self._barrier()),
        }
        self.rare = {
            "sum of 9000, symmetric": self._sum(9000, redcoll.zeros),
            "sum of 9000, private": self._sum(9000, np.zeros),
        }

    def _sum(self, count, make, dtype=float):
        source, target = make(count, dtype=dtype), make(count, dtype=dtype)
        allreduce, add, team = self._redcoll.allreduce, self._redcoll.SUM, self._team
        me, n, others = self.me, self.n, self._others
        ramp = self._np.arange(count, dtype=dtype)
        limit = 1 << 50 if dtype is float else 1 << 24

        def of_one(number):
            source[0] = number + me
            allreduce(target, source, add, team=team)
            wanted = n * number + others
            return None if target[0] == wanted else f"{target[0]}, not {wanted}"

        def of_many(number):
            number %= limit
            source[:] = ramp
            source[:] += number + me
            allreduce(target, source, add, team=team)
            wanted = n * (ramp + number) + others
            if (target == wanted).all():
                return None
            at = int((target != wanted).argmax())
            return f"element {at} is {target[at]}, not {wanted[at]}"

        return of_one if count == 1 else of_many

    def _max(self):
        np = self._np
        source, target = np.zeros(2, np.int64), np.zeros(2, np.int64)
        allreduce, maximum, team, me, n = (
            *(self._redcoll.allreduce, self._redcoll.MAX, self._team),
            *(self.me, self.n),
        )

        def call(number):
            source[0], source[1] = number + me, number - me
            allreduce(target, source, maximum, team=team)
            found = target.tolist()
            return None if found == [number + n - 1, number] else f"{found} in round {number}"

        return call

    def _reduce(self):
        np = self._np
        source, target = np.zeros(2), np.zeros(2)
        reduce, add, team = self._redcoll.reduce, self._redcoll.SUM, self._team
        me, n, others = self.me, self.n, self._others

        def call(number):
            root = number % n
            source[0], source[1] = number + me, me
            target[0] = -1
            reduce(target, source, add, root, team=team)
            found = target[0]
            wanted = n * number + others if me == root else -1
            return None if found == wanted else f"{found}, not {wanted}, with root {root}"

        return call

    def _scan(self):
        np = self._np
        source, target = np.zeros(1), np.zeros(1)
        scan, add, team, me = self._redcoll.scan, self._redcoll.SUM, self._team, self.me

        def call(number):
            source[0] = number + me
            scan(target, source, add, team=team)
            wanted = (me + 1) * number + me * (me + 1) // 2
            return None if target[0] == wanted else f"{target[0]}, not {wanted}"

        return call

    def _barrier(self):
        """Return a call that writes a word, makes a barrier, and reads the words of all PEs."""
        words = self._redcoll.zeros(2, dtype=self._np.int64)
        heap = self._redcoll.world.start().heap
        at = heap.offset(words)
        views = [heap.view(pe, at, words.dtype, 2) for pe in range(self.n)]
        barrier, team = self._redcoll.barrier, self._team
        done = 0

        def call(number):
            nonlocal done
            side = done & 1
            done += 1
            words[side] = number
            barrier(team=team)
            found = [int(view[side]) for view in views]
            return None if found == [number] * len(found) else f"{found}, not all {number}"

        return call

    def plan(self, seed):
        """Return the kind and the function of each call, the same on all PEs."""
        draw = random.Random(seed)
        weights = [share for share, _ in self.kinds.values()]
        names = draw.choices(list(self.kinds), weights, k=PLAN)
        plan = [(name, self.kinds[name][1]) for name in names]
        for name, function in self.rare.items():
            plan[draw.randrange(PLAN)] = name, function
        return plan


def parse_count(text):
    """Return the value of a number with the suffix k or m."""
    scale = {"k": 1000, "m": 1_000_000}.get(text[-1:].lower(), 1)
    return int(float(text.rstrip("kKmM")) * scale)


def main():
    parser = argparse.ArgumentParser(description="Many rounds, every result checked.")
    parser.add_argument("--rounds", type=parse_count, default=10_000_000, help="suffix k or m")
    parser.add_argument("--seconds", type=float, default=1e9, help="end sooner, after so long")
    parser.add_argument("--stops", type=float, default=100, help="a second; 0 for none")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--stop", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.stop:
        # The launcher may have ended one of the PEs already.
        with contextlib.suppress(ProcessLookupError):
            stop_at_random(list(map(int, options.stop.split(","))), options.stops)
        return 0
    # A PE whose round never completes raises an error.
    os.environ.setdefault("REDCOLL_TIMEOUT", "60")
    import numpy as np
    from mpi4py import MPI

    import redcoll

    redcoll.init()
    calls = Calls(redcoll, np)
    comm = MPI.COMM_WORLD
    me, n = calls.me, calls.n
    pids = comm.allgather(os.getpid())
    plan = calls.plan(options.seed)
    comm.Barrier()
    stopper = Stopper(pids, options.stops) if me == 0 and options.stops else None
    draw = random.Random(options.seed * 1000 + me)
    begin = time.monotonic()
    rounds, wrong, first, late = 0, 0, None, 0
    is_over = np.zeros(1)
    has_time = np.ones(1)
    while rounds < options.rounds:
        has_time[0] = time.monotonic() - begin < options.seconds
        redcoll.allreduce(is_over, has_time, redcoll.MIN)
        if not is_over[0]:
            break
        held_up = {which for which in range(PLAN) if draw.random() < HELD_UP}
        for which, (name, function) in enumerate(plan[: options.rounds - rounds]):
            if which in held_up:
                late += 1
                until = time.monotonic() + draw.uniform(0, LATE_S)
                while time.monotonic() < until:
                    pass
            trouble = function(rounds)
            rounds += 1
            if trouble is not None:
                wrong += 1
                first = first or f"PE {me}, round {rounds - 1}, {name}: {trouble}"
    stops = stopper.end() if stopper else 0
    took_s = time.monotonic() - begin
    told = comm.gather((rounds, wrong, first, late), root=0)
    if me == 0:
        library = " ".join(map(str, MPI.get_vendor()[:1]))
        version = ".".join(map(str, MPI.get_vendor()[1]))
        least = min(row[0] for row in told)
        wrong = sum(row[1] for row in told)
        print(
            f"{library} {version}, {redcoll.world.start().team.kernel.NAME} kernel, {n} PEs: "
            f"{least} rounds on every PE, all results compared, {wrong} wrong, in {took_s:.0f} s; "
            f"{sum(row[3] for row in told)} delays between calls, {stops} stops anywhere"
        )
        for row in told:
            if row[2]:
                print(row[2])
    return comm.bcast(int(bool(wrong)), root=0)


if __name__ == "__main__":
    sys.exit(main())
