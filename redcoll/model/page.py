"""The page of the documentation on machines larger than any at hand.

``python -m redcoll.model.page DIRECTORY PAGE`` draws the pictures into the directory and writes
the page, from figures stated in :mod:`redcoll.model.parameters`. Where the directory has measured
results, ``NAME.results.json`` of the benchmark with ``NAME.parameters.json`` of the same machine,
the page compares with them. The same figures give the same page.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from redcoll.bench import results
from redcoll.model import algorithms, check, plot, sweep
from redcoll.model.parameters import KNOWN, Parameters, meanings

_INTRODUCTION = """\
<!-- Rendered by `make model`: change redcoll/model/page.py, or the figures it uses. -->

# Larger machines

What an allreduce costs on machines larger than any it was tried on, computed by
`python -m redcoll model`: time, messages and memory of each algorithm, from the figures below.
On a machine of your own, measure the figures and compute with them:

```console
$ mpiexec ... python -m redcoll model --measure machine.json
$ python -m redcoll model --parameters machine.json --nodes 1..4096 --ppn 64 --bytes 8,1m
```

`--set latency_s=5e-6` changes a single figure, and `--json` writes all that was computed.

## What is computed

A vector of n bytes on each PE, in private arrays, reduced to all. On a node: rounds, copies and
folds as [](protocol.md) describes them. Work is shared by as many cores as there are, and limited
by the node's memory. Between nodes: the first of several messages takes the latency; the others
keep either the PE busy, with what it does for each, or its node's link, whichever takes longer.
MPI's algorithms are made of the same parts. Not computed are other traffic on the network, its
topology, the noise of the system, and PEs that come late.

redcoll takes `node-small` or `node-large` on one node. On several nodes it takes `leaders` up to a
limit that falls from 256 KiB to 32 KiB as nodes and PEs grow. Beyond that limit it takes `direct`
on two nodes and `scatter` on more. The column "redcoll takes" shows this choice, and "to MPI" its
time divided by that of MPI's fastest algorithm. `REDCOLL_ORDER=strict` takes `chain`. redcoll does
not have `bruck`: its column shows what such an algorithm would take.

Vectors up to the limit do not scale to many nodes. Each leader sends to every other leader, so the
time of `leaders` grows with the number of nodes. MPI's time grows with the logarithm of that
number. On 64 nodes or more, leave reductions of short vectors to MPI.

Nodes are taken to have cores and a network of their own. How near the computed times come to
measured ones, on one, two and three hosts made on one machine of two cores, stands at the end.

"""

_BESIDE = """\
## Beside measured times

For each MPI library and each number of PEs on the hosts the figures were measured, and then the
times, one job after the other; `python -m redcoll model --check` compares. Where the hosts are
network namespaces of one machine, its cores do the network's work too, which the model does not
know: the more PEs share a core, the more it computes too little. Two hosts have a core each, three
share two. On 1+2+3 PEs the figures come from the first two hosts. In microseconds; mpi4py's lane is
beside the fastest of MPI's algorithms above, whichever the library takes.

"""

_NODES = [2**power for power in range(13)]
_SHOWN_NODES = (1, 2, 4, 16, 64, 512, 4096)
_NEEDED_NODES = (1, 2, 16, 4096)
_SIZES = [8, 1 << 10, 32 << 10, 1 << 20, 8 << 20]
_PPN = 64
_WITHIN = 1.5


def main(arguments: Sequence[str] | None = None) -> int:
    """Write pictures and page; the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m redcoll.model.page", description="Render the page on larger machines."
    )
    parser.add_argument("directory", type=Path, help="gets the pictures; may have results")
    parser.add_argument("page", type=Path, help="the Markdown file to write")
    options = parser.parse_args(arguments)
    options.directory.mkdir(parents=True, exist_ok=True)
    options.page.write_text(render(options.directory, options.page))
    return 0


def render(directory: Path, page: Path) -> str:
    """The text of the page; draws the pictures."""
    parts = [_INTRODUCTION, _algorithms(), _figures()]
    parts += [_machine(name, directory, page) for name in KNOWN]
    measured = sorted(directory.glob("*.results.json"))
    if measured:
        parts.append(_comparisons(measured))
    return "".join(parts).rstrip() + "\n"


def _algorithms() -> str:
    table = [["name", "what it does"]]
    for name, algorithm in algorithms.ALL.items():
        table.append([f"`{name}`", (algorithm.__doc__ or "").partition("\n")[0]])
    return f"{_left(table)}\n\n"


def _figures() -> str:
    shown = {name: asdict(parameters) for name, parameters in KNOWN.items()}
    table = [["figure", *KNOWN, "what it is"]]
    for figure, meaning in meanings().items():
        values = (f"{known[figure]:.10g}" for known in shown.values())
        table.append([f"`{figure}`", *values, meaning])
    return (
        "## The figures\n\nSeconds, bytes per second, and bytes; round figures of machines of "
        f"their kind, not of any one machine.\n\n{_left(table)}\n\n"
    )


def _left(table: Sequence[Sequence[str]]) -> str:
    head, *rows = table
    return "\n".join(f"| {' | '.join(row)} |" for row in [head, ["---"] * len(head), *rows])


def _machine(name: str, directory: Path, page: Path) -> str:
    rows = sweep.sweep(KNOWN[name], _NODES, [_PPN], _SIZES)
    picture = directory / f"{name}.png"
    plot.draw(picture, rows)
    link = Path(os.path.relpath(picture, page.parent)).as_posix()
    shown = [row for row in rows if row.nodes in _SHOWN_NODES]
    needed = [row for row in rows if row.nodes in _NEEDED_NODES and row.n_bytes != 1 << 10]
    return "\n\n".join(
        [
            f"## {name}: {_PPN} PEs a node",
            f"![Time against nodes on {name}]({link})",
            "What redcoll takes:",
            "\n".join(f"* {line}" for line in sweep.choices(rows)),
            "Microseconds. The last column divides redcoll's time by that of MPI's fastest:",
            sweep.markdown(sweep.times(shown)),
            "Of a PE: messages between nodes / bytes in them / bytes of scratch:",
            sweep.markdown(sweep.needs(needed)),
            "",
        ]
    )


def _comparisons(paths: Sequence[Path]) -> str:
    found = {}
    for path in paths:
        name = path.name.removesuffix(".results.json")
        parameters = Parameters.load(path.with_name(f"{name}.parameters.json"))
        found[name] = check.compare(results.load([path]), parameters)
    together, _ = check.verdict([each for part in found.values() for each in part], _WITHIN)
    parts = [f"{_BESIDE}{together}."]
    for name, part in found.items():
        text, _ = check.verdict(part, _WITHIN)
        parts.append(f"### {name}\n\n{text}.\n\n{sweep.markdown(check.table(part))}")
    return "\n\n".join(parts)


if __name__ == "__main__":
    sys.exit(main())
