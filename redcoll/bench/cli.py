"""Parse the command line of ``python -m redcoll bench``, and run it."""

from __future__ import annotations

import argparse
import functools
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from redcoll.environment import parse_bytes
from redcoll.errors import ArgumentError, RedcollError

if TYPE_CHECKING:
    from redcoll.bench.plan import Plan
    from redcoll.bench.results import Run

_DESCRIPTION = """\
Time redcoll's reductions next to those of mpi4py and others, alternately in the same job, and
check every result. Start it under mpiexec. With --read it shows earlier results."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the benchmark to a parser."""
    parser.description = _DESCRIPTION
    what = parser.add_argument_group("what to measure (lists are separated by commas)")
    add_list = functools.partial(what.add_argument, metavar="LIST")
    add_list(
        "--collectives",
        type=_words("allreduce", "reduce", "reduce_scatter", "scan"),
        default="allreduce",
        help="measure these of allreduce, reduce, reduce_scatter, scan (default: %(default)s)",
    )
    add_list(
        "--ops",
        type=_words(),
        default="sum",
        help="measure these operations, each with all of --types, or with its own type as in "
        "maxloc:double_int (default: %(default)s)",
    )
    add_list(
        "--types",
        type=_words(),
        default="float64",
        help="use these element types: NumPy's names, or MPI's names of pair types "
        "(default: %(default)s)",
    )
    add_list(
        "--bytes",
        type=_sizes,
        default="8,1k,32k,1m,8m",
        help="use these sizes of each rank's source, with suffix k or m (default: %(default)s)",
    )
    add_list(
        "--pes-sets",
        type=_numbers,
        help="measure on the first ranks of the job, for each of these numbers, while the others "
        "sleep (default: all ranks)",
    )
    add_list(
        "--paths",
        type=_words("symmetric", "private"),
        default="symmetric,private",
        help="use these kinds of arrays (default: %(default)s)",
    )
    add_list(
        "--apis",
        type=_words("core", "shmem", "mpi", "pvm"),
        default="core,shmem,mpi,pvm",
        help="call redcoll through these APIs (default: %(default)s)",
    )
    add_list(
        "--peers",
        type=_words("mpi4py", "memcpy", "shmem4py"),
        default="mpi4py,memcpy",
        help="compare with these: mpi4py, shmem4py, and memcpy, the limit of the machine "
        "(default: %(default)s)",
    )
    how = parser.add_argument_group("how")
    how.add_argument(
        "--repeats",
        type=_positive,
        default=5,
        help="time each cell so often (default: %(default)s)",
    )
    how.add_argument(
        "--batch-ms",
        type=float,
        default=30,
        help="make calls for so many milliseconds in each timing (default: %(default)g)",
    )
    how.add_argument(
        "--competitor",
        action="store_true",
        help="bind rank 0 to one core, and run another program on that core (default: no)",
    )
    how.add_argument(
        "--progress",
        choices=("auto", "yes", "no"),
        default="auto",
        help="show a progress bar on stderr (default: auto, if stderr is a terminal)",
    )
    out = parser.add_argument_group("results")
    add_file = functools.partial(out.add_argument, type=Path, metavar="FILE")
    add_file("--read", nargs="+", help="show the results in these JSON files (default: measure)")
    add_file("--json", help="write all times to this file (default: none)")
    add_file("--plot", help="draw time against size to this PNG file (default: none)")


def _words(*known: str) -> Callable[[str], list[str]]:
    def parse(text: str) -> list[str]:
        words = list(dict.fromkeys(text.lower().split(",")))
        for word in words:
            if known and word not in known:
                raise argparse.ArgumentTypeError(f"{word!r} is not one of {', '.join(known)}")
        return words

    return parse


def _sizes(text: str) -> list[int]:
    try:
        sizes = [parse_bytes(word) for word in text.split(",")]
    except ValueError:
        sizes = []
    if not sizes or min(sizes) < 1:
        raise argparse.ArgumentTypeError(f"{text!r}: sizes are numbers from 1, suffix k or m")
    return sizes


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1")
    return int(text)


def _numbers(text: str) -> list[int]:
    return [_positive(word) for word in text.split(",")]


def main(options: argparse.Namespace) -> int:
    """Measure, or read results, then show them; return the exit code.

    The exit code is 1 if there are wrong results, and 2 after other errors.
    """
    if options.read is None:
        return _measure(options)
    from redcoll.bench import results

    try:
        runs = results.load(options.read)
    except (OSError, ValueError, KeyError) as error:
        sys.stderr.write(f"bench: --read: {error!r}\n")
        return 2
    return _show(runs, options)


def _measure(options: argparse.Namespace) -> int:
    import traceback

    from mpi4py import MPI

    from redcoll.bench.job import measure
    from redcoll.bench.progress import Progress, reaches_terminal
    from redcoll.liveness import aborting

    is_first = MPI.COMM_WORLD.Get_rank() == 0
    try:
        plan, left_out = _plan(options, MPI.COMM_WORLD.Get_size())
        is_auto = options.progress == "auto"
        is_shown = reaches_terminal(sys.stderr) if is_auto else options.progress == "yes"
        run = measure(plan, Progress(sys.stderr, is_shown=is_first and is_shown))
    except RedcollError as error:
        # All ranks have the same arguments, so rank 0 reports the error for all.
        if is_first:
            sys.stderr.write(f"bench: {error}\n")
        return 2
    except BaseException:
        # Without an abort the other ranks would wait forever for this rank.
        traceback.print_exc()
        aborting.end_job()
        raise
    code = 0
    if run is not None:
        for text in left_out:
            print(f"left out: {text}")
        code = _show([run], options)
    return int(MPI.COMM_WORLD.bcast(code, root=0))


def _plan(options: argparse.Namespace, n_pes: int) -> tuple[Plan, list[str]]:
    from redcoll.bench.cases import legal_pairs
    from redcoll.bench.plan import Plan

    pairs, left_out = legal_pairs(options.ops, options.types)
    plan = Plan(
        pes_sets=options.pes_sets or [n_pes],
        collectives=options.collectives,
        pairs=pairs,
        sizes=options.bytes,
        apis=options.apis,
        paths=options.paths,
        peers=options.peers,
        repeats=options.repeats,
        batch_s=options.batch_ms / 1e3,
        has_competitor=options.competitor,
    )
    return plan, left_out


def _show(runs: Sequence[Run], options: argparse.Namespace) -> int:
    from redcoll.bench import results, tables

    print(tables.report(runs))
    if options.json is not None:
        results.save(options.json, runs)
    if options.plot is not None:
        from redcoll.bench import plot

        try:
            plot.draw(options.plot, results.points(runs))
        except ArgumentError as error:
            sys.stderr.write(f"bench: {error}\n")
            return 2
    return int(any(record.error for run in runs for record in run.records))
