"""Test that the benchmark runs and checks all lanes: redcoll's APIs and their peers."""

import os
import sys
import time
from types import SimpleNamespace

import numpy as np
import pytest
from mpi4py import MPI

import redcoll
from redcoll.bench import cases, job, lanes, results
from redcoll.bench.apis import Core
from redcoll.bench.cases import Cell
from redcoll.bench.peers import Mpi4py
from redcoll.bench.plan import Plan, reserve_heap
from redcoll.bench.progress import Progress
from redcoll.errors import ArgumentError
from redcoll.world import world as world_module

pytestmark = pytest.mark.mpi


APIS = ("core", "shmem", "mpi", "pvm")


def plan(**changed):
    return Plan(**{
        "pes_sets": [MPI.COMM_WORLD.size],
        "collectives": ["allreduce"],
        "pairs": [("sum", "float64")],
        "sizes": [8, 4096],
        "apis": APIS,
        "paths": lanes.PATHS,
        "peers": ["mpi4py", "memcpy"],
        "repeats": 1,
        "batch_s": 1e-4,
        **changed,
    })  # fmt: skip


def measure(**changed):
    """Run the benchmark; return the run, the lanes' labels by cell, and the errors, on all PEs."""
    # Start redcoll first. The benchmark would start redcoll with a heap that is too small for later
    # tests.
    redcoll.init()
    run = job.measure(plan(**changed), Progress(sys.stderr, is_shown=False))
    assert (run is None) == (redcoll.my_pe() > 0)
    told = None
    if run is not None:
        labels = {}
        for record in run.records:
            assert len(record.seconds) == (0 if record.error else plan(**changed).repeats)
            assert min(record.seconds, default=1) > 0
            labels.setdefault(record.cell, []).append(f"{record.lane}/{record.path}")
        told = run, labels, [record.error for record in run.records if record.error]
    return MPI.COMM_WORLD.bcast(told, root=0)


ALWAYS = {f"{lane}/{path}" for lane in ("core", "mpi4py") for path in lanes.PATHS}
LIMITS = {f"memcpy/{path}" for path in lanes.PATHS}


def test_every_cell_is_measured_and_right():
    run, labels, errors = measure()
    assert errors == []
    assert set(labels) == set(plan().cells(redcoll.n_pes()))
    for found in labels.values():
        assert set(found) >= ALWAYS | LIMITS
    # The benchmark either measures a lane or reports why it is absent.
    reported = {f"{row['lane']}/{row['path']}" for row in run.absent}
    everything = {f"{name}/{path}" for name in (*APIS, "mpi4py", "memcpy")
                  for path in lanes.PATHS}  # fmt: skip
    for found in labels.values():
        assert set(found) | reported == everything
    assert all(row["reason"] for row in run.absent)


def test_facts_of_the_run():
    run, _, _ = measure(sizes=[8])
    assert run.facts["job_pes"] == redcoll.n_pes()
    assert run.facts["kernel"] == world_module.start().team.kernel.NAME
    vendor = MPI.get_vendor()[0]
    assert run.facts["mpi"].startswith(vendor)
    assert run.facts["others_cores"] is None or run.facts["others_cores"] >= 0
    assert not any("TEST" in name for name in run.facts["environment"])


@pytest.mark.parametrize("collective", ["reduce", "reduce_scatter", "scan"])
def test_other_collectives(collective):
    _, labels, errors = measure(collectives=[collective], sizes=[80_000])
    assert errors == []
    assert len(labels) == 1
    for found in labels.values():
        assert set(found) >= ALWAYS
        assert not set(found) & LIMITS


def test_other_types():
    pairs = [("maxloc", "double_int"), ("sum", "int32"), ("minloc", "2int")]
    _, labels, errors = measure(pairs=pairs, sizes=[400])
    assert errors == []
    assert len(labels) == len(pairs)
    for found in labels.values():
        assert set(found) >= ALWAYS


def test_what_a_peer_refuses_is_reported_and_the_rest_goes_on():
    # MPI does not define the sum of a logical type, but redcoll does.
    run, labels, errors = measure(pairs=[("sum", "bool")], sizes=[64])
    assert errors == []
    (found,) = labels.values()
    assert {"core/symmetric", "core/private"} <= set(found)
    reported = {f"{row['lane']}/{row['path']}" for row in run.absent}
    for path in lanes.PATHS:
        assert (f"mpi4py/{path}" in found) != (f"mpi4py/{path}" in reported)


def test_sets_of_pes_reduce_alternately():
    pes_sets = [pes for pes in (1, 2, 3, 5) if pes <= redcoll.n_pes()]
    _, labels, errors = measure(pes_sets=pes_sets, sizes=[8], apis=["core"])
    assert errors == []
    assert sorted(cell.pes for cell in labels) == pes_sets


def test_more_pes_than_there_are():
    with pytest.raises(ArgumentError, match=r"it must be at most .*, the number of ranks"):
        job.measure(plan(pes_sets=[redcoll.n_pes() + 1]), Progress(sys.stderr, is_shown=False))


def test_memory_is_given_back():
    used = world_module.start().heap.allocator.used_bytes
    measure(sizes=[8])
    assert world_module.start().heap.allocator.used_bytes == used


class Lazy(Core):
    """A lane whose call leaves the second target unchanged on one PE."""

    def calls(self, cell, members, buffers):
        calls = super().calls(cell, members, buffers)
        last = members.index == cell.pes - 1
        correct = calls[1]

        def call():
            kept = buffers.targets[1].copy()
            correct()
            if last:
                buffers.targets[1][...] = kept

        return [calls[0], call, *calls[2:]]


class OffByABit(Mpi4py):
    """A peer whose sums have an error that is larger than rounding errors."""

    def calls(self, cell, members, buffers):
        calls = super().calls(cell, members, buffers)

        def call():
            calls[0]()
            buffers.targets[0][0] *= 1 + 1e-12

        return [call, *calls[1:]]


@pytest.mark.parametrize(("name", "lane"), [("core", Lazy), ("mpi4py", OffByABit)])
def test_wrong_results_are_found_on_all_pes(monkeypatch, name, lane):
    monkeypatch.setitem(job.LANES, name, lane)
    _, labels, errors = measure(apis=["core"], paths=["private"], peers=["mpi4py"], sizes=[4096])
    (found,) = labels.values()
    assert sorted(found) == ["core/private", "mpi4py/private"]
    assert len(errors) == 1
    where = redcoll.n_pes() - 1 if lane is Lazy else 0
    assert errors[0].startswith(f"PE {where}: element 0 is ")


def test_an_in_place_lane_is_checked_from_fresh_data(monkeypatch):
    class InPlace(Core):
        is_in_place = True

        def calls(self, cell, members, buffers):
            def call(source):
                redcoll.reduce(source, source.copy(), team=members.team)

            return [lambda source=source: call(source) for source in buffers.sources]

    monkeypatch.setitem(job.LANES, "core", InPlace)
    _, labels, errors = measure(
        collectives=["reduce"], apis=["core"], paths=["private"], peers=["mpi4py"], sizes=[80]
    )
    assert errors == []
    (found,) = labels.values()
    assert sorted(found) == ["core/private", "mpi4py/private"]


@pytest.mark.parametrize(
    ("order", "nodes", "wanted"),
    [("node", [[0], [1]], 0), ("mpi", [[0, 1]], 0), ("mpi", [[0], [1]], Mpi4py.tolerance_per_pe)],
    ids=["order-node", "order-mpi-on-one-node", "order-mpi"],
)
def test_results_may_be_rounded_as_by_mpi_where_mpi_combines(monkeypatch, order, nodes, wanted):
    monkeypatch.setattr(job.config, "ORDER", SimpleNamespace(get=lambda: order))
    assert job._tolerance_per_pe(Core(lanes.PRIVATE, []), nodes) == wanted
    assert job._tolerance_per_pe(Mpi4py(lanes.PRIVATE, []), nodes) == Mpi4py.tolerance_per_pe


def test_the_order_of_the_lanes_changes(monkeypatch):
    order = []
    real = job._time

    def spy(entry, members, n_calls):
        order.append(entry.lane.name)
        return real(entry, members, n_calls)

    monkeypatch.setattr(job, "_time", spy)
    repeats = 12
    measure(apis=["core"], paths=["private"], sizes=[8], repeats=repeats)
    # The calibration calls come before the timed calls.
    timed = order[-3 * repeats :]
    turns = [tuple(timed[at : at + 3]) for at in range(0, len(timed), 3)]
    assert all(sorted(turn) == ["core", "memcpy", "mpi4py"] for turn in turns)
    for place in range(3):
        assert len({turn[place] for turn in turns}) == 3
    assert set(MPI.COMM_WORLD.allgather(tuple(timed))) == {tuple(timed)}


def test_idle_pes_sleep():
    comm = MPI.COMM_WORLD.Dup()
    if comm.rank == 0:
        for rank in range(1, comm.size):
            comm.recv(source=rank)
    before_s = time.process_time()
    start_s = time.monotonic()
    if comm.rank == 0:
        time.sleep(0.5)
    else:
        comm.send("my clock runs", 0)
    job.sleep_until_all(comm)
    waited_s = time.monotonic() - start_s
    used_s = time.process_time() - before_s
    comm.Free()
    assert waited_s >= 0.4
    assert used_s < 0.25 * waited_s


def test_a_heap_that_is_too_small_is_an_error(monkeypatch):
    monkeypatch.setattr(world_module, "_world", None)
    monkeypatch.setenv("SHMEM_SYMMETRIC_SIZE", "1m")
    with pytest.raises(ArgumentError, match=r"SHMEM_SYMMETRIC_SIZE is 1048576 bytes; .* need"):
        reserve_heap(plan(sizes=[8 << 20]))


def test_the_heap_is_made_large_enough(monkeypatch):
    monkeypatch.setattr(world_module, "_world", None)
    monkeypatch.setenv("SHMEM_SYMMETRIC_SIZE", "")
    monkeypatch.setenv("REDCOLL_HEAP_BYTES", "")
    large = plan(sizes=[8 << 20])
    reserve_heap(large)
    arrays = 2 * Cell("allreduce", "sum", "float64", 2, 8 << 20).n_sets
    assert int(os.environ["REDCOLL_HEAP_BYTES"]) > (arrays + 1) * (8 << 20)


def test_points_of_a_measured_run():
    run, _, _ = measure(sizes=[8], apis=["core"])
    for point in results.points([run]):
        assert point.ratio > 0
        assert point.ratios["memcpy"] > 0
        assert point.median_s > 0


def test_contributions_are_equal_on_all_pes(same_everywhere):
    cell = Cell("allreduce", "sum", "float64", 4, 1 << 12)
    same_everywhere(np.concatenate([cases.contribution(cell, (3, 1), i) for i in range(4)]))
