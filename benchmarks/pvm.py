"""Time pvm_reduce and compare it with the recorded times of the real PVM.

Run it under mpiexec, with 2, 4 or 8 tasks for the comparison::

    mpiexec -n 4 python benchmarks/pvm.py [--repeats 300] [--json FILE]

A row has the time of pvm_reduce (PvmSum, PVM_DOUBLE, root instance 0) followed by pvm_barrier, or
the time of pvm_barrier alone. The root measures the time in microseconds. A row has the median over
the repeats after a warm-up. Results are checked. The times of PVM 3.4.6 were recorded on a host
with two cores, in two runs with the default route and in two runs with PvmRouteDirect.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from redcoll_pvm import (
    PVM_DOUBLE,
    PvmSum,
    pvm_barrier,
    pvm_exit,
    pvm_joingroup,
    pvm_lvgroup,
    pvm_mytid,
    pvm_reduce,
    pvm_siblings,
)

GROUP = "bench"
COUNTS = (1, 100_000)
WARM_UP = 20
SHARE = 5
"""The goal is that redcoll takes at most PVM's time divided by this number."""

# A key is (PEs, count), and count 0 is the barrier alone. A value has the times of two runs with
# the default route, then of two runs with the direct route.
RECORDED_US = {
    (2, 0): (36, 34, 62, 57),
    (4, 0): (79, 96, 88, 92),
    (8, 0): (148, 177, 120, 109),
    (2, 1): (141, 142, 227, 163),
    (4, 1): (274, 475, 286, 304),
    (8, 1): (632, 684, 403, 441),
    (2, 100_000): (4023, 4202, 3393, 3044),
    (4, 100_000): (11971, 8573, 7042, 7076),
    (8, 100_000): (22290, 20244, 27636, 15366),
}


def measure(count: int, instance: int, n_pes: int, repeats: int) -> dict[str, Any]:
    """Measure a row, in microseconds. All tasks call this function."""
    data = np.full(max(count, 1), instance + 1.0)
    reduce_s, both_s = [], []
    for _ in range(WARM_UP + repeats):
        start_s = time.perf_counter()
        if count:
            code = pvm_reduce(PvmSum, data, count, PVM_DOUBLE, 1, GROUP, 0)
            if code:
                sys.exit(f"pvm_reduce returned {code}")
        middle_s = time.perf_counter()
        pvm_barrier(GROUP, n_pes)
        both_s.append(time.perf_counter() - start_s)
        reduce_s.append(middle_s - start_s)
    # The root's array accumulates over the calls.
    others = sum(range(2, n_pes + 1))
    if count and instance == 0 and not np.all(data == 1.0 + (WARM_UP + repeats) * others):
        sys.exit(f"count {count}: wrong result {data[:4]}")
    return {
        "pes": n_pes,
        "count": count,
        "both_us": 1e6 * statistics.median(both_s[WARM_UP:]),
        "reduce_us": 1e6 * statistics.median(reduce_s[WARM_UP:]),
        "recorded_us": RECORDED_US.get((n_pes, count)),
    }


def show(row: dict[str, Any]) -> str:
    """Format a line of the table."""
    what = f"reduce({row['count']}) + barrier" if row["count"] else "barrier"
    line = f"{row['pes']:4} {what:24} {row['both_us']:10.1f} {row['reduce_us']:10.1f}"
    if row["recorded_us"] is None:
        return line
    default, direct = min(row["recorded_us"][:2]), min(row["recorded_us"][2:])
    line += f" {default:10} {direct:10} {default / row['both_us']:8.1f}"
    return line + ("" if not row["count"] or is_quick(row) else f"  below {SHARE}")


def is_quick(row: dict[str, Any]) -> bool:
    """Return whether a row meets the goal, by the recorded times of PVM's default route."""
    return bool(row["both_us"] * SHARE <= min(row["recorded_us"][:2]))


def main() -> int:
    """Print the table; return 1 if a row misses the goal."""
    parser = argparse.ArgumentParser(
        description="Time pvm_reduce, and compare it with the real PVM."
    )
    parser.add_argument("--repeats", type=int, default=300, help="calls per row (default: 300)")
    parser.add_argument("--json", type=Path, help="write the rows to this file (default: none)")
    options = parser.parse_args()
    pvm_mytid()
    n_pes = pvm_siblings(None)
    instance = pvm_joingroup(GROUP)
    pvm_barrier(GROUP, n_pes)
    rows = [measure(count, instance, n_pes, options.repeats) for count in (0, *COUNTS)]
    pvm_barrier(GROUP, n_pes)
    pvm_lvgroup(GROUP)
    pvm_exit()
    if instance:
        return 0
    print("us, median at the root; recorded: PVM 3.4.6, the better of two runs")
    print(
        f"{'PEs':>4} {'':24} {'redcoll':>10} {'of reduce':>10} {'PVM':>10} {'direct':>10} "
        f"{'PVM/this':>8}"
    )
    for row in rows:
        print(show(row))
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1) + "\n")
    compared = [row for row in rows if row["count"] and row["recorded_us"] is not None]
    return 0 if all(map(is_quick, compared)) else 1


if __name__ == "__main__":
    sys.exit(main())
