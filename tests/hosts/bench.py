"""
Measure redcoll beside mpi4py on two hosts, made for it on this machine by network.py.

``python tests/hosts/bench.py --mpi mpich DIRECTORY`` starts ``python -m redcoll bench`` with 1, 2
and 4 PEs on each host, and leaves one JSON file; ``make bench-hosts`` does so on both MPIs. Each
host has its own half of the cores. What comes after ``--`` goes to the benchmark.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

import network

from redcoll.bench import goals, launch, results, tables

ALL_PES = (1, 2, 4)
CELLS = (
    "--collectives allreduce --ops sum --types float64 --paths symmetric,private --faces core "
    "--peers mpi4py --repeats 5"
)


def main() -> int:
    parser = argparse.ArgumentParser(description="Measure redcoll on two hosts.")
    parser.add_argument("--mpi", choices=sorted(network.ENVIRONMENTS), required=True)
    parser.add_argument("directory", type=Path, help="where the JSON file goes")
    parser.add_argument("arguments", nargs="*", help="after --: further ones of the benchmark")
    options = parser.parse_args()
    reason = network.unavailable()
    if reason:
        print(f"tests/hosts/bench.py: {reason}", file=sys.stderr)
        return 1
    try:
        hosts = network.Hosts(2, own_cores=True)
    except network.HostsError as error:
        print(f"tests/hosts/bench.py: {error}", file=sys.stderr)
        return 1
    sizes = ",".join(map(str, goals.SIZES))
    bench = [sys.executable, "-m", "redcoll", "bench", *CELLS.split(), "--bytes", sizes]
    runs = []
    with hosts, tempfile.TemporaryDirectory() as scratch:
        for pes in ALL_PES:
            path = Path(scratch, f"{pes}.json")
            print(f"\n{pes} PEs on each of 2 hosts", flush=True)
            launcher = hosts.launcher(options.mpi, [pes, pes])
            command = [*launcher, *bench, *options.arguments, "--json", str(path)]
            if launch.run(
                command, {**hosts.environment(options.mpi), "REDCOLL_KERNEL": "compiled"}
            ):
                return 1
            runs += results.load([path])
    results.save(options.directory / f"hosts-{options.mpi}.json", runs)
    print(f"\n{tables.report(runs)}\n\n{goals.report(results.points(runs))[0]}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
