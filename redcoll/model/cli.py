"""The command line of ``python -m redcoll model``."""

from __future__ import annotations

import argparse
import sys
from dataclasses import asdict
from pathlib import Path

from redcoll.config import parse_bytes
from redcoll.errors import ArgumentError, RedcollError
from redcoll.model import check, parameters, sweep
from redcoll.model.parameters import Parameters

_DESCRIPTION = """\
Compute what allreduce costs on machines of any size, from a few figures: time, messages and
memory of redcoll's algorithms and of those of MPI libraries. Starts no MPI, unless it measures the
figures (--measure, under mpiexec)."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Give a parser the options of the model."""
    parser.description = _DESCRIPTION
    what = parser.add_argument_group("what to compute (lists are separated by commas)")
    what.add_argument(
        "--nodes",
        type=_numbers,
        default="1..4096",
        metavar="LIST",
        help="numbers of nodes; 1..4096 doubles from 1 on (default: %(default)s)",
    )
    what.add_argument(
        "--ppn", type=_numbers, default="64", metavar="LIST", help="PEs per node (%(default)s)"
    )
    what.add_argument(
        "--bytes",
        type=_sizes,
        default="8,1k,32k,1m,8m",
        metavar="LIST",
        help="sizes of each PE's vector, with suffix k or m (default: %(default)s)",
    )
    machine = parser.add_argument_group("the machine")
    machine.add_argument(
        "--parameters",
        default="cluster",
        metavar="NAME|FILE",
        help=f"{', '.join(parameters.KNOWN)}, or a JSON file (default: %(default)s)",
    )
    machine.add_argument(
        "--set",
        type=_figure,
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="another value for one figure, in seconds, bytes per second or bytes",
    )
    machine.add_argument(
        "--measure",
        type=Path,
        metavar="FILE",
        help="measure the figures of the running job's machine, write them, and go on with them",
    )
    out = parser.add_argument_group("results")
    out.add_argument("--json", type=Path, metavar="FILE", help="write everything computed")
    out.add_argument("--plot", type=Path, metavar="FILE", help="draw time against nodes (PNG)")
    out.add_argument(
        "--check",
        type=Path,
        nargs="+",
        metavar="FILE",
        help="compute what these results of the benchmark measured, and compare",
    )
    out.add_argument(
        "--layout",
        type=_layout,
        metavar="PES+PES",
        help="with --check: PEs of each node, where the results do not say",
    )
    out.add_argument(
        "--within", type=float, default=1.5, help="with --check: the factor allowed (%(default)s)"
    )


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1")
    return int(text)


def _numbers(text: str) -> list[int]:
    numbers = []
    for word in text.split(","):
        first, dots, last = word.partition("..")
        number = _positive(first)
        end = _positive(last) if dots else number
        while number <= end:
            numbers.append(number)
            number *= 2
        if not numbers or numbers[-1] < end:
            numbers.append(end)
    return sorted(set(numbers))


def _sizes(text: str) -> list[int]:
    try:
        sizes = [parse_bytes(word) for word in text.split(",")]
    except ValueError:
        sizes = []
    if not sizes or min(sizes) < 1:
        raise argparse.ArgumentTypeError(f"{text!r}: sizes are numbers from 1, suffix k or m")
    return sizes


def _layout(text: str) -> list[int]:
    return [_positive(word) for word in text.split("+")]


def _figure(text: str) -> tuple[str, float]:
    name, _, value = text.partition("=")
    if name not in parameters.meanings():
        names = ", ".join(parameters.meanings())
        raise argparse.ArgumentTypeError(f"{name!r} is not one of {names}")
    try:
        return name, float(value)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r}: a number is wanted") from None


def main(options: argparse.Namespace) -> int:
    """Measure if asked to, compute, show; the exit code, 1 where a check fails."""
    try:
        machine = _machine(options)
        if machine is None:
            return 0  # another PE shows it
        if options.check is not None:
            return _check(options, machine)
        _show(options, machine)
    except (RedcollError, OSError) as error:
        sys.stderr.write(f"model: {error}\n")
        return 2
    return 0


def _machine(options: argparse.Namespace) -> Parameters | None:
    """The parameters; None on all but one PE of a job that measured them."""
    if options.measure is not None:
        from redcoll.model.measure import measure

        found = measure()
        if found is None:
            return None
        found.save(options.measure)
    elif options.parameters in parameters.KNOWN:
        found = parameters.KNOWN[options.parameters]
    else:
        found = Parameters.load(Path(options.parameters))
    changed = asdict(found)
    changed.update(options.set)
    return Parameters(**changed)


def _check(options: argparse.Namespace, machine: Parameters) -> int:
    from redcoll.bench import results

    try:
        runs = results.load(options.check)
    except (ValueError, KeyError) as error:
        raise ArgumentError(f"--check: {error!r}") from None
    found = check.compare(runs, machine, options.layout)
    print(sweep.aligned(check.table(found)))
    text, is_met = check.verdict(found, options.within)
    print(f"\n{text}")
    return 0 if is_met else 1


def _show(options: argparse.Namespace, machine: Parameters) -> None:
    rows = sweep.sweep(machine, options.nodes, options.ppn, options.bytes)
    print("microseconds\n")
    print(sweep.aligned(sweep.times(rows)))
    print("\nof a PE: messages between nodes / bytes in them / bytes of scratch\n")
    print(sweep.aligned(sweep.needs(rows)))
    print("\nfastest of redcoll's\n")
    print("\n".join(sweep.choices(rows)))
    if options.json is not None:
        sweep.save(options.json, machine, rows)
    if options.plot is not None:
        from redcoll.model import plot

        plot.draw(options.plot, rows)
