"""Keep the results of a run: times, and facts about machine and settings. Compute ratios."""

from __future__ import annotations

import datetime as dt
import json
import math
import os
import platform
import statistics
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from redcoll.bench.cases import Cell

if TYPE_CHECKING:
    from mpi4py import MPI

_SCHEMA = 1
_ENVIRONMENT = ("REDCOLL_", "SHMEM_", "MPI4PY_", "MPIR_CVAR_", "OMPI_MCA_", "UCX_", "FI_")
_BY_LAUNCHER = (
    "OMPI_MCA_PREFIXES",
    "OMPI_MCA_cpu_type",
    "OMPI_MCA_initial_wdir",
    "OMPI_MCA_num_procs",
    # Open MPI 4 sets the variables below. Their values contain addresses of the machine.
    "OMPI_MCA_ess",
    "OMPI_MCA_mpi_oversubscribe",
    "OMPI_MCA_orte_",
    "OMPI_MCA_pmix",
    "OMPI_MCA_shmem_RUNTIME_QUERY_hint",
)
"""Variables that Open MPI's launcher sets for its processes. They are not the user's settings."""
_DIGITS = 4

BASELINE = "mpi4py"
LIMIT = "memcpy"
SHMEM4PY = "shmem4py"
OPENSHMEM = "c-shmem"
"""The lane of an OpenSHMEM library called from C."""
PEERS = (BASELINE, LIMIT, SHMEM4PY, OPENSHMEM)


@dataclass(frozen=True)
class Record:
    """The measurement of a cell on a lane."""

    cell: Cell
    lane: str
    path: str
    n_calls: int
    """Number of calls in each repeat."""
    seconds: Sequence[float]
    """Time of one call on the slowest PE, for each repeat."""
    error: str | None = None
    """Why a result was wrong; None if all results were right."""

    @property
    def label(self) -> str:
        """The lane and its kind of arrays, such as ``core/symmetric``."""
        return f"{self.lane}/{self.path}"

    @property
    def is_peer(self) -> bool:
        """Whether redcoll is compared with this lane."""
        return self.lane in PEERS


@dataclass
class Run:
    """The results of a job."""

    facts: dict[str, Any]
    absent: list[dict[str, str]]
    """Lanes that could not be measured, each with its reason."""
    records: list[Record]


@dataclass(frozen=True)
class Load:
    """The CPU time that the machine has spent so far, and the CPU time that this job has spent."""

    wall_s: float
    busy_s: float
    """CPU time of all cores; NaN if the system does not show it."""
    own_s: float
    """CPU time of the job's processes."""

    @classmethod
    def now(cls, comm: MPI.Intracomm) -> Load:
        """Return the present values.  Collective over all PEs of ``comm``."""
        own_s = comm.allreduce(time.process_time())
        return cls(time.monotonic(), _busy_s(), own_s)

    def others_since(self, before: Load) -> float:
        """Return how many cores other programs have kept busy since ``before``, on average."""
        foreign_s = (self.busy_s - before.busy_s) - (self.own_s - before.own_s)
        # The system counts in ticks, and adds some ticks late. So for a short run the machine's CPU
        # time can be less than this job's CPU time.
        return max(foreign_s, 0.0) / max(self.wall_s - before.wall_s, 1e-9)


def _busy_s() -> float:
    try:
        words = Path("/proc/stat").read_text().partition("\n")[0].split()
    except OSError:
        return math.nan
    # The line is: cpu user nice system idle iowait irq softirq steal (proc_stat(5)). Add all values
    # except idle and iowait.
    ticks = [int(word) for word in words[1:9]]
    return (sum(ticks) - ticks[3] - ticks[4]) / os.sysconf("SC_CLK_TCK")


def facts(others: float, options: dict[str, Any]) -> dict[str, Any]:
    """Return facts about machine, versions and settings of the job, as the calling PE sees them.

    ``others`` is the number of cores that other programs kept busy during the run.
    """
    import mpi4py
    import numpy as np
    from mpi4py import MPI

    import redcoll
    from redcoll import world

    vendor, version = MPI.get_vendor()
    here = world.start()
    environment = {
        name: value
        for name, value in sorted(os.environ.items())
        if name.startswith(_ENVIRONMENT) and not name.startswith(("REDCOLL_TEST_", *_BY_LAUNCHER))
    }
    threads = {
        MPI.THREAD_SINGLE: "single",
        MPI.THREAD_FUNNELED: "funneled",
        MPI.THREAD_SERIALIZED: "serialized",
        MPI.THREAD_MULTIPLE: "multiple",
    }
    return {
        "date": dt.datetime.now(dt.timezone.utc).isoformat(timespec="seconds"),
        "job_pes": here.n_pes,
        "nodes": [here.team.layout.node_of(pe) for pe in range(here.n_pes)],
        "kernel": here.team.kernel.NAME,
        "mpi": f"{vendor} {'.'.join(map(str, version))}",
        "thread_level": threads.get(MPI.Query_thread(), "unknown"),
        "redcoll": redcoll.__version__,
        "mpi4py": mpi4py.__version__,
        "numpy": np.__version__,
        "python": platform.python_version(),
        "cpu": _cpu_model(),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 0,
        "cpus": os.cpu_count(),
        "system": f"{platform.system()} {platform.release()}",
        "load_average": [round(value, 2) for value in os.getloadavg()],
        "others_cores": None if math.isnan(others) else round(others, 2),
        "environment": environment,
        "options": options,
    }


def _cpu_model() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.processor() or platform.machine())


def save(path: Path, runs: Sequence[Run]) -> None:
    """Write runs to a JSON file, with one line for each cell."""
    parts = []
    for run in runs:
        by_cell: dict[Cell, list[Record]] = {}
        for record in run.records:
            by_cell.setdefault(record.cell, []).append(record)
        lines = ",\n".join(f"   {json.dumps(_row(*item))}" for item in by_cell.items())
        parts.append(
            f'  {{"facts": {json.dumps(run.facts)},\n   "absent": {json.dumps(run.absent)},\n'
            f'   "cells": [\n{lines}]}}'
        )
    text = f'{{"schema": {_SCHEMA}, "runs": [\n' + ",\n".join(parts) + "]}\n"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def _row(cell: Cell, records: Sequence[Record]) -> dict[str, Any]:
    lanes: dict[str, dict[str, Any]] = {}
    for record in records:
        times = [float(f"{seconds * 1e6:.{_DIGITS}g}") for seconds in record.seconds]
        lanes[record.label] = {"calls": record.n_calls, "us": times}
        if record.error is not None:
            lanes[record.label]["error"] = record.error
    return {**asdict(cell), "lanes": lanes}


def _records(row: dict[str, Any]) -> list[Record]:
    lanes = row.pop("lanes")
    cell = Cell(**row)
    records = []
    for label, content in lanes.items():
        lane, _, path = label.partition("/")
        seconds = [time_us / 1e6 for time_us in content["us"]]
        records.append(Record(cell, lane, path, content["calls"], seconds, content.get("error")))
    return records


def load(paths: Iterable[Path]) -> list[Run]:
    """Read the runs of JSON files.

    Raises
    ------
    ValueError
        A file was not written by ``save``.
    """
    runs = []
    for path in paths:
        content = json.loads(path.read_text())
        if not isinstance(content, dict) or content.get("schema") != _SCHEMA:
            raise ValueError(f"{path} does not hold results of this version of the benchmark")
        runs += [
            Run(each["facts"], each["absent"], [r for row in each["cells"] for r in _records(row)])
            for each in content["runs"]
        ]
    return runs


@dataclass(frozen=True, kw_only=True)
class Point(Record):
    """A record with facts of its job, and its ratios to the peers of its run."""

    mpi: str
    kernel: str
    shared_job: int
    """Number of PEs of a job in which several sets of PEs measured; 0 if all PEs measured
    together."""
    has_competitor: bool
    """Whether another program shared the core of PE 0."""
    nodes: int
    """Number of nodes of the job."""
    ratios: Mapping[str, float]
    """For each peer, the ratio of this record's time to the time of the peer's best lane in this
    cell and run. NaN if there is no such lane.

    A ratio is the median of the ratios of all repeats. In each repeat, the two lanes run shortly
    after each other, so a drift of the machine's speed does not matter.
    """

    @property
    def median_s(self) -> float:
        """The median of the repeats."""
        return _median(self.seconds)

    @property
    def spread(self) -> float:
        """Half the distance between the quartiles, as a share of the median."""
        if len(self.seconds) < 2:
            return math.nan
        low, middle, high = statistics.quantiles(self.seconds, n=4, method="inclusive")
        return (high - low) / 2 / middle

    @property
    def ratio(self) -> float:
        """The ratio of the record's time to the time of mpi4py, the baseline."""
        return self.ratios[BASELINE]


def points(runs: Iterable[Run]) -> list[Point]:
    """Return all records of runs as points, each with its ratios to peers in the same run."""
    found = []
    for run in runs:
        job_pes = run.facts["job_pes"]
        shared_job = job_pes if any(each.cell.pes < job_pes for each in run.records) else 0
        for record in run.records:
            same = [other for other in run.records if other.cell == record.cell]
            # Compare with the machine's limit only on the same kind of arrays.
            near = [other for other in same if other.path == record.path or other.lane != LIMIT]
            peers = (BASELINE, LIMIT, OPENSHMEM)
            point = Point(
                **vars(record),
                mpi=run.facts["mpi"],
                kernel=run.facts["kernel"],
                shared_job=shared_job,
                has_competitor=run.facts["options"].get("competitor", False),
                nodes=len(set(run.facts["nodes"])),
                ratios={peer: _ratio(record, _best(near, peer)) for peer in peers},
            )
            found.append(point)
    return found


def _median(values: Sequence[float]) -> float:
    return statistics.median(values) if values else math.nan


def _best(records: Iterable[Record], lane: str) -> Record | None:
    able = [each for each in records if each.lane == lane and each.error is None and each.seconds]
    return min(able, key=lambda each: _median(each.seconds), default=None)


def _ratio(record: Record, peer: Record | None) -> float:
    if peer is None:
        return math.nan
    # The lists can differ in length, because a record ends at its first wrong result.
    return _median([a / b for a, b in zip(record.seconds, peer.seconds, strict=False)])


def geometric_mean(values: Iterable[float]) -> float:
    """Return the geometric mean of the values that are not NaN; NaN without such values."""
    numbers = [value for value in values if not math.isnan(value)]
    return statistics.geometric_mean(numbers) if numbers else math.nan
