"""The model's arithmetic: against figures worked out by hand, and against a simulation."""

from __future__ import annotations

import heapq
import json
import math
import shutil
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from redcoll import __main__ as command
from redcoll.bench import results
from redcoll.bench.cases import Cell
from redcoll.bench.results import Record, Run
from redcoll.errors import ArgumentError
from redcoll.model import algorithms, check, page, sweep
from redcoll.model.machine import Layout, Machine
from redcoll.model.parameters import KNOWN, Parameters, meanings

# Figures that are easy to calculate with: seconds in whole units, 1 byte a second.
PLAIN = Parameters(
    call_s=1000,
    post_s=100,
    look_s=10,
    switch_s=0,
    switch_across_s=0,
    local_s=50,
    cores=8,
    fold_rate=4,
    copy_rate=2,
    memory_rate=1e9,
    latency_s=500,
    overhead_s=20,
    link_rate=1,
    small_bytes=256,
    chunk_bytes=1024,
)
SLOTS = 2 * (64 + 256)


def cost(name, n_bytes, nodes, ppn, **changed):
    machine = Machine(replace(PLAIN, **changed), Layout.even(nodes, ppn))
    return algorithms.ALL[name](machine, n_bytes)


# -- by hand ------------------------------------------------------------------------------------


def test_a_round():
    def round_s(pes, **changed):
        return Machine(replace(PLAIN, **changed), Layout.even(1, pes)).round_s()

    assert round_s(1) == 0
    assert round_s(2) == 100
    assert round_s(5) == 100 + 3 * 10
    # 12 PEs on 4 cores: each core changes twice.
    assert round_s(12, cores=4, switch_s=7) == 100 + 10 * 10 + 2 * 7


def test_waiting_between_nodes_where_pes_share_cores():
    machine = Machine(replace(PLAIN, cores=4, switch_s=7, switch_across_s=9), Layout.even(2, 12))
    assert machine.exchange_s(1, 100, 1) == 500 + 100 + 2 * 9
    assert machine.local_s(0) == 50 + 2 * 7


def test_work_is_shared_by_cores_and_by_memory():
    machine = Machine(replace(PLAIN, memory_rate=10), Layout.even(1, 4))
    assert machine.fold_s(40, 1) == 10
    assert machine.fold_s(40, 2) == 10
    # Three at 4 bytes a second want 12 of 10.
    assert machine.fold_s(40, 3) == pytest.approx(12)
    # A copy reads and writes: four at 2 bytes a second want 16 of 10.
    assert machine.copy_s(40, 4) == pytest.approx(32)
    assert Machine(replace(PLAIN, cores=2), Layout.even(1, 8)).fold_s(40, 8) == 40


def test_an_exchange():
    machine = Machine(PLAIN, Layout.even(8, 4))
    assert machine.exchange_s(0, 100, 1) == 0
    assert machine.exchange_s(1, 100, 1) == 500 + 100
    # The link is what counts: three messages of 100 seconds each.
    assert machine.exchange_s(3, 100, 1) == 500 + 2 * 100 + 100
    # The PE is: each further message is one to send and one to receive.
    assert machine.exchange_s(3, 5, 1) == 500 + 2 * 40 + 5
    # Four PEs share the link.
    assert machine.exchange_s(3, 100, 4) == 500 + 11 * 100 + 100


def test_one_node():
    # Copy 100 / 2, round, fold three others' 100 at 4.
    assert cost("node-small", 100, 1, 4).time_s == 1000 + 50 + 120 + 75
    # 2048 bytes are two chunks: three rounds; each staged and copied out, a quarter folded.
    large = cost("node-large", 2048, 1, 4)
    assert large.time_s == 1000 + 3 * 120 + 2 * (512 + 512 + 3 * 256 / 4)
    assert (large.messages, large.sent_bytes) == (0, 0)
    # Twice as many posts as a PE may be ahead, and two rooms.
    assert large.scratch_bytes == 2 * (128 * 64 + 256) + 2 * 1024


def test_leaders():
    direct = cost("leaders", 100, 5, 4)
    on_node_s = 1000 + 2 * (120 + 50) + 3 * 100 / 4
    assert direct.time_s == on_node_s + (500 + 3 * 100 + 100) + 4 * 100 / 4
    assert (direct.messages, direct.sent_bytes) == (4, 400)
    assert direct.scratch_bytes == SLOTS + 400

    # Five nodes: pieces of 1, 2, and the one that is still missing.
    bruck = cost("bruck", 100, 5, 4)
    assert bruck.time_s == on_node_s + (500 + 100) + (500 + 200) + (500 + 100) + 4 * 100 / 4
    assert (bruck.messages, bruck.sent_bytes) == (3, 400)


def test_owners():
    # One chunk of 1024, four slices of 256, three nodes.
    on_node_s = 1000 + 2 * 120 + 2 * 512 + 3 * 256 / 4
    direct = cost("direct", 1024, 3, 4)
    assert direct.time_s == on_node_s + (500 + 7 * 256 + 256) + 2 * 256 / 4
    assert (direct.messages, direct.sent_bytes) == (2, 512)
    assert direct.scratch_bytes == SLOTS + 2048 + 512

    # Four nodes: parts of 64.
    scatter = cost("scatter", 1024, 4, 4)
    assert scatter.time_s == on_node_s + 2 * (500 + 11 * 64 + 64) + 3 * 64 / 4
    assert (scatter.messages, scatter.sent_bytes) == (6, 384)
    assert scatter.scratch_bytes == SLOTS + 2048 + 3 * 64

    twice = cost("scatter", 2048, 4, 4)
    assert twice.time_s - 1000 == 2 * (scatter.time_s - 1000)
    assert twice.messages == 12
    assert twice.scratch_bytes == scatter.scratch_bytes


def test_a_slice_is_a_cache_line_and_a_part_an_element_at_least():
    assert cost("direct", 8, 2, 4).sent_bytes == 8  # not a quarter of it
    assert cost("direct", 128, 2, 4).sent_bytes == 64
    # Of 16 bytes two nodes can fold a part: two messages to them, and to all others what came out.
    short = cost("scatter", 16, 5, 1)
    assert (short.messages, short.sent_bytes) == (2 + 4, 6 * 8)


def test_the_chain():
    hop_s = 500 + 256
    fold_s = 4 * 256 / 4
    one = cost("chain", 256, 3, 1)
    assert one.time_s == 1000 + 2 * 128 + 3 * 64 + (2 + 2) * hop_s
    # Two chunks of 1024, four slices: the second follows as soon as two steps of the tree let it.
    two = cost("chain", 2048, 3, 4)
    first_s = 1000 + 2 * (120 + 2 * 512) + 3 * fold_s + 4 * (500 + 4 * 256)
    assert two.time_s == first_s + 2 * (4 * 256)
    assert (two.messages, two.sent_bytes) == (4, 4 * 256)


def test_mpis_own():
    # Four PEs on each of two nodes: two steps on a node, one between.
    doubling = cost("mpi-doubling", 100, 2, 4)
    local_s = 50 + 2 * 50
    between_s = 500 + 3 * 100 + 100
    assert doubling.time_s == 1000 + 2 * (local_s + 25) + between_s + 25
    # Three nodes: one step for two of them, two more for the third.
    assert cost("mpi-doubling", 100, 3, 1).messages == 3

    halving = cost("mpi-rabenseifner", 800, 2, 4)
    steps_s = [2 * (50 + 400) + 100, 2 * (50 + 200) + 50, 2 * (500 + 3 * 100 + 100) + 25]
    assert halving.time_s == 1000 + sum(steps_s)
    assert halving.sent_bytes == 200

    ring = cost("mpi-ring", 800, 2, 4)
    assert ring.time_s == 1000 + 14 * (500 + 100) + 7 * 25


def test_unequal_nodes():
    layout = Layout.of([1, 3, 2])
    assert (layout.nodes, layout.most, layout.least) == (3, 3, 1)
    machine = Machine(PLAIN, layout)
    # One slice only; but the node with three PEs has the longest round and most to fold.
    found = algorithms.owners_direct(machine, 64)
    folded_s = 2 * 64 / 4 + 2 * 64 / 4
    assert found.time_s == 1000 + 2 * 110 + 2 * 32 + (500 + 2 * 64) + folded_s


# -- by simulation --------------------------------------------------------------------------------


def simulated_exchange_s(nodes, senders, n_bytes, p):
    """Everybody on every node sends a message to its like on every other, in events.

    A message: its sender's overhead, its turn on its node's link, the wire, its turn on the
    receiving link, and its receiver's overhead, when that has sent all of its own.
    """
    transfer = n_bytes / p.link_rate
    wire = p.latency_s - 2 * p.overhead_s
    events = [
        ((turn + 1) * p.overhead_s, "sent", node, (node + 1 + turn) % nodes, pe)
        for node in range(nodes)
        for pe in range(senders)
        for turn in range(nodes - 1)
    ]
    heapq.heapify(events)
    link_free = {}
    pe_free = {}
    end = 0.0
    while events:
        now, what, source, target, pe = heapq.heappop(events)
        if what == "sent":
            leaves = max(now, link_free.get(("out", source), 0.0)) + transfer
            link_free["out", source] = leaves
            heapq.heappush(events, (leaves + wire, "came", source, target, pe))
        elif what == "came":
            # The link passes on while it receives: only another message can hold one up.
            through = max(now, link_free.get(("in", target), 0.0) + transfer)
            link_free["in", target] = through
            heapq.heappush(events, (through, "taken", source, target, pe))
        else:
            own_sent = (nodes - 1) * p.overhead_s
            end_of_it = max(now, pe_free.get((target, pe), own_sent)) + p.overhead_s
            pe_free[target, pe] = end_of_it
            end = max(end, end_of_it)
    return end


@pytest.mark.parametrize("machine_name", ["cluster", "ethernet"])
def test_the_exchange_is_as_simulated(machine_name):
    p = KNOWN[machine_name]
    compared = 0
    for nodes in (2, 3, 5, 8, 17, 32):
        for senders in (1, 2, 8):
            machine = Machine(p, Layout.even(nodes, senders))
            for n_bytes in (8, 1024, 8192, 65536, 1 << 20):
                wanted = simulated_exchange_s(nodes, senders, n_bytes, p)
                computed = machine.exchange_s(nodes - 1, n_bytes, senders)
                assert 0.9 < computed / wanted < 1.5, (nodes, senders, n_bytes)
                compared += 1
                if nodes == 2 and senders == 1:
                    assert computed == pytest.approx(wanted)
    assert compared == 90


def simulated_chain_s(nodes, chunks, fold_s, transfer, p):
    """Chunks down a chain and back by a binomial tree, in events; one PE on each node."""
    wire = p.latency_s - 2 * p.overhead_s
    pe_free = [0.0] * nodes
    link_free = [0.0] * nodes
    events = []
    end = 0.0

    def send(node, target, what, chunk):
        pe_free[node] += p.overhead_s
        link_free[node] = max(link_free[node], pe_free[node]) + transfer
        heapq.heappush(events, (link_free[node] + wire, chunk, what, target))

    def children(node):
        """Of a node, counted from the root, which is the last node."""
        place = nodes - 1 - node
        step = 1
        while step < nodes:
            if place < step and place + step < nodes:
                yield nodes - 1 - (place + step)
            step *= 2

    for chunk in range(chunks):
        heapq.heappush(events, (0.0, chunk, "fold", 0))
    while events:
        now, chunk, what, node = heapq.heappop(events)
        start = max(now, pe_free[node]) + (p.overhead_s if node or what == "take" else 0)
        pe_free[node] = start + (fold_s if what == "fold" else 0)
        end = max(end, pe_free[node])
        if what == "fold" and node < nodes - 1:
            send(node, node + 1, "fold", chunk)
        else:
            for child in children(node):
                send(node, child, "take", chunk)
    return end


@pytest.mark.parametrize("machine_name", ["cluster", "ethernet"])
@pytest.mark.parametrize("nodes", [2, 3, 4, 8, 16])
@pytest.mark.parametrize("chunks", [1, 4, 16])
def test_the_chain_is_as_simulated(machine_name, nodes, chunks):
    p = replace(KNOWN[machine_name], call_s=0, chunk_bytes=64 << 10)
    machine = Machine(p, Layout.even(nodes, 1))
    n_bytes = chunks * p.chunk_bytes
    fold_s = machine.fold_s(p.chunk_bytes, 1)
    wanted = simulated_chain_s(nodes, chunks, fold_s, p.chunk_bytes / p.link_rate, p)
    computed = algorithms.chain(machine, n_bytes).time_s - 2 * machine.copy_s(n_bytes, 1)
    assert 1 / 1.5 < computed / wanted < 1.5


# -- as functions of nodes and PEs ----------------------------------------------------------------


@pytest.mark.parametrize("name", [*algorithms.ON_NODE, *algorithms.BETWEEN, *algorithms.STRICT])
@pytest.mark.parametrize("n_bytes", [8, 32 << 10, 8 << 20])
def test_nothing_grows_with_the_square_of_the_pes(name, n_bytes):
    on_node = name in algorithms.ON_NODE
    small = cost(name, n_bytes, 1 if on_node else 64, 16)
    large = cost(name, n_bytes, 1 if on_node else 128, 32)
    # Four times the PEs: what a PE sends and keeps grows with the nodes at most.
    assert large.messages <= 2.1 * small.messages
    assert large.sent_bytes <= 2.1 * small.sent_bytes
    assert large.scratch_bytes <= 2.1 * small.scratch_bytes


def test_only_what_a_layout_can_use_is_compared():
    one = algorithms.costs(Machine(PLAIN, Layout.even(1, 4)), 8)
    two = algorithms.costs(Machine(PLAIN, Layout.even(2, 4)), 8)
    assert set(one) == {*algorithms.ON_NODE, *algorithms.YARDSTICKS}
    assert set(two) == {*algorithms.BETWEEN, *algorithms.STRICT, *algorithms.YARDSTICKS}
    assert algorithms.fastest(two, algorithms.STRICT) == "chain"


@pytest.mark.parametrize(
    ("nodes", "ppn", "n_bytes", "wanted"),
    [
        (1, 4, 8, "node-small"),
        (1, 4, 4 << 10, "node-small"),
        (1, 4, (4 << 10) + 8, "node-large"),
        (2, 2, 256 << 10, "leaders"),
        (2, 2, (256 << 10) + 8, "direct"),
        (4, 2, 256 << 10, "scatter"),
        (16, 64, 32 << 10, "leaders"),
        (4096, 64, 8, "leaders"),
        (4096, 64, (32 << 10) + 8, "scatter"),
    ],
)
def test_taken_is_what_the_library_takes(nodes, ppn, n_bytes, wanted):
    machine = Machine(KNOWN["cluster"], Layout.even(nodes, ppn))
    assert algorithms.taken(machine, n_bytes) == wanted
    wanted_s = algorithms.costs(machine, n_bytes)[wanted].time_s
    assert algorithms.redcoll_s(machine, n_bytes) == wanted_s


def test_page_never_credits_what_redcoll_lacks():
    rows = sweep.sweep(KNOWN["cluster"], [1, 2, 64, 4096], [1, 64], [8, 32 << 10, 8 << 20])
    assert len(rows) == 24
    assert not {row.taken for row in rows} & {"bruck", "chain", *algorithms.YARDSTICKS}
    # One leader a node sends to 4095 others: nowhere near MPI's twelve steps.
    [short] = [row for row in rows if (row.nodes, row.ppn, row.n_bytes) == (4096, 64, 8)]
    assert short.ratio > 50


def test_many_steps_beat_many_messages_where_nodes_are_many():
    def best(nodes, n_bytes):
        found = algorithms.costs(Machine(KNOWN["cluster"], Layout.even(nodes, 64)), n_bytes)
        return algorithms.fastest(found, algorithms.BETWEEN)

    assert best(2, 8) in {"leaders", "direct"}
    assert best(1024, 8) == "bruck"
    assert best(64, 8 << 20) == "scatter"


# -- parameters, tables, files --------------------------------------------------------------------


def test_parameters_are_checked_and_kept(tmp_path):
    file = tmp_path / "machine.json"
    PLAIN.save(file)
    assert Parameters.load(file) == PLAIN
    assert set(meanings()) == set(asdict(PLAIN))
    with pytest.raises(ArgumentError, match=r"link_rate=0: a number above 0"):
        replace(PLAIN, link_rate=0)
    with pytest.raises(ArgumentError, match=r"latency_s=nan: a number from 0"):
        replace(PLAIN, latency_s=math.nan)
    file.write_text('{"call_s": 1}')
    with pytest.raises(ArgumentError, match="exactly these names are wanted: call_s, post_s"):
        Parameters.load(file)
    file.write_text("call_s = 1")
    with pytest.raises(ArgumentError, match=r"machine\.json"):
        Parameters.load(file)


def test_wrong_layouts_are_refused():
    with pytest.raises(ArgumentError, match="0 nodes of 2 PEs"):
        Layout.even(0, 2)
    with pytest.raises(ArgumentError, match=r"PEs of the nodes \[2, 0\]"):
        Layout.of([2, 0])


def test_a_sweep_and_its_tables(tmp_path):
    rows = sweep.sweep(PLAIN, [1, 2, 4], [4], [8, 4096])
    assert [(row.nodes, row.n_bytes) for row in rows] == [
        (nodes, n_bytes) for nodes in (1, 2, 4) for n_bytes in (8, 4096)
    ]
    times = sweep.times(rows)
    assert times[0][:3] == ["nodes", "PEs", "bytes"]
    assert times[1][3:5] != ["-", "-"]
    assert times[3][3:5] == ["-", "-"]
    assert len({len(line) for line in times}) == 1
    assert sweep.needs(rows)[3][5] == "1 / 8 / 648"  # leaders at 2 nodes
    assert sweep.choices(rows)[0].startswith("8 B, 4 PEs a node: node-small at 1, leaders at ")
    assert sweep.markdown([["a", "b"], ["1", "2"]]) == "| a | b |\n| ---: | ---: |\n| 1 | 2 |"
    assert sweep.aligned([["a", "bb"], ["ccc", "d"]]) == "  a  bb\nccc   d"

    sweep.save(tmp_path / "rows.json", PLAIN, rows)
    content = json.loads((tmp_path / "rows.json").read_text())
    assert content["parameters"] == asdict(PLAIN)
    assert len(content["rows"]) == 6
    for row, kept in zip(rows, content["rows"], strict=True):
        assert kept["algorithms"] == {name: asdict(each) for name, each in row.costs.items()}
        assert kept["taken"] == row.taken


# -- beside measured times ------------------------------------------------------------------------


def measured(pes, n_bytes, lane, seconds, path="private", nodes=None):
    cell = Cell("allreduce", "sum", "float64", pes, n_bytes)
    facts = {"job_pes": pes, "mpi": "MPICH 5.0.2", "kernel": "compiled"}
    if nodes is not None:
        facts["nodes"] = nodes
    return Run(facts, [], [Record(cell, lane, path, 10, seconds)])


def test_measured_times_are_compared_with_their_own_layout():
    runs = [
        measured(4, 8, "core", [2.0, 1.0, 3.0], nodes=[0, 0, 1, 1]),
        measured(3, 8, "mpi4py", [5.0], nodes=[0, 1, 1]),
        measured(3, 8, "core", [5.0], "symmetric", nodes=[0, 1, 1]),
        measured(3, 8, "shmem", [5.0], nodes=[0, 1, 1]),
    ]
    found = check.compare(runs, PLAIN)
    assert [(each.pes, each.lane, each.measured_s) for each in found] == [
        ((2, 2), "core", 2.0),
        ((1, 2), "mpi4py", 5.0),
    ]
    assert found[0].computed_s == algorithms.redcoll_s(Machine(PLAIN, Layout.even(2, 2)), 8)
    assert found[1].computed_s == algorithms.mpi_s(Machine(PLAIN, Layout.of([1, 2])), 8)
    assert found[0].factor == found[0].computed_s / 2
    assert check.table(found)[1][:3] == ["2+2", "8 B", "core"]


def test_a_set_of_the_first_pes_may_be_on_fewer_nodes():
    run = measured(2, 8, "core", [1.0], nodes=[0, 0, 1, 1])
    assert check.compare([run], PLAIN)[0].pes == (2,)


def test_a_layout_can_be_said():
    runs = [measured(4, 8, "core", [1.0]), measured(2, 8, "core", [1.0])]
    assert [each.pes for each in check.compare(runs, PLAIN, [1, 3])] == [(1, 3)]
    with pytest.raises(ArgumentError, match="do not say where the PEs were"):
        check.compare(runs, PLAIN)
    with pytest.raises(ArgumentError, match="no times of allreduce"):
        check.compare(runs, PLAIN, [5])


def test_the_verdict_is_on_redcolls_times():
    def verdict(*factors):
        found = [check.Comparison((2,), 8, "core", 1.0, factor) for factor in factors]
        return check.verdict([*found, check.Comparison((2,), 8, "mpi4py", 1.0, 99.0)], 1.5)

    assert verdict(1.4, 1 / 1.4) == (
        "2 of 2 times of redcoll are within a factor 1.5; the worst is 1.40",
        True,
    )
    assert verdict(1.0, 1.6)[1] is False
    assert verdict(0.5)[0].endswith("the worst is 2.00")
    assert verdict()[1] is False
    assert check.Comparison((2,), 8, "core", math.nan, 1.0).factor == math.inf


# -- the command ----------------------------------------------------------------------------------


def run_command(capsys, *arguments):
    code = command.main(["model", *map(str, arguments)])
    return code, *capsys.readouterr()


def test_the_command_computes(capsys, tmp_path):
    file = tmp_path / "out.json"
    code, out, _ = run_command(
        capsys, "--nodes", "1..4,6", "--ppn", "2", "--bytes", "8,1k", "--json", file
    )
    assert code == 0
    assert {row["nodes"] for row in json.loads(file.read_text())["rows"]} == {1, 2, 4, 6}
    assert "8 B, 2 PEs a node: node-small at 1, " in out


def test_figures_can_be_given_singly(capsys, tmp_path):
    PLAIN.save(tmp_path / "machine.json")
    file = tmp_path / "out.json"
    given = ["--parameters", tmp_path / "machine.json", "--set", "latency_s=1", "--json", file]
    assert run_command(capsys, *given, "--nodes", "2", "--bytes", "8")[0] == 0
    assert json.loads(file.read_text())["parameters"] == {**asdict(PLAIN), "latency_s": 1}


def test_the_command_checks(capsys, tmp_path):
    computed_s = algorithms.redcoll_s(Machine(KNOWN["cluster"], Layout.even(2, 2)), 8)
    results.save(tmp_path / "good.json", [measured(4, 8, "core", [computed_s], nodes=[0, 0, 1, 1])])
    results.save(tmp_path / "bad.json", [measured(4, 8, "core", [1.0], nodes=[0, 0, 1, 1])])
    code, out, _ = run_command(capsys, "--check", tmp_path / "good.json")
    assert code == 0
    assert "1 of 1 times of redcoll are within a factor 1.5" in out
    assert run_command(capsys, "--check", tmp_path / "bad.json")[0] == 1
    code, _, err = run_command(capsys, "--check", tmp_path / "none.json")
    assert code == 2
    assert "none.json" in err


@pytest.mark.parametrize(
    "wrong",
    [
        ["--nodes", "0"],
        ["--nodes", "1..x"],
        ["--bytes", "0"],
        ["--set", "speed=1"],
        ["--set", "latency_s=fast"],
        ["--layout", "2+0"],
    ],
)
def test_wrong_words_are_refused(capsys, wrong):
    with pytest.raises(SystemExit):
        command.main(["model", *wrong])
    assert wrong[0] in capsys.readouterr().err


def test_wrong_figures_are_refused(capsys):
    code, _, err = run_command(capsys, "--set", "link_rate=-1")
    assert code == 2
    assert "link_rate=-1.0: a number above 0 is wanted" in err


def test_the_plot_is_drawn(capsys, tmp_path):
    pytest.importorskip("matplotlib")
    picture = tmp_path / "plot.png"
    assert run_command(capsys, "--nodes", "1..8", "--bytes", "8,1m", "--plot", picture)[0] == 0
    assert picture.read_bytes().startswith(b"\x89PNG")


DOCS = Path(__file__).resolve().parents[2] / "docs"


def test_the_page_in_the_docs_is_what_is_rendered(tmp_path):
    pytest.importorskip("matplotlib")
    shutil.copytree(DOCS / "scaling", tmp_path / "scaling")
    assert page.main([str(tmp_path / "scaling"), str(tmp_path / "scaling.md")]) == 0
    rendered = (tmp_path / "scaling.md").read_text()
    assert rendered == (DOCS / "scaling.md").read_text(), "run `make model`"
    assert all((tmp_path / "scaling" / f"{name}.png").exists() for name in KNOWN)


def test_the_page_compares_with_results_beside_it(tmp_path):
    pytest.importorskip("matplotlib")
    PLAIN.save(tmp_path / "own.parameters.json")
    run = measured(4, 8, "core", [1e-3], nodes=[0, 0, 1, 1])
    results.save(tmp_path / "own.results.json", [run])
    text = page.render(tmp_path, tmp_path / "page.md")
    assert "### own\n\n0 of 1 times of redcoll are within a factor 1.5;" in text
    assert "| 2+2 | 8 B | core | 1e+03 |" in text or "| 2+2 | 8 B | core | 1000 |" in text
