"""Test the model of many nodes, benchmarks/scaling.py, against times computed by hand."""

import json
import statistics
from dataclasses import replace
from pathlib import Path

import pytest
import scaling

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "scaling.md"


@pytest.fixture
def net():
    """Return a network. A message of n bytes takes 5 + n / 10 s, and a fold takes n / 100 s."""
    return scaling.Network(latency_s=3, overhead_s=1, link_rate=10, fold_rate=100)


def test_message_ranks_of_a_node_share_its_link(net):
    assert net.message_s(20) == 7
    assert net.message_s(20, rails=3) == 11


@pytest.mark.parametrize(
    ("name", "nodes", "n_bytes", "rails", "wanted"),
    [
        # The steps send 1, 2 and 4 blocks on 8 nodes, and 1, 2 and 1 blocks on 5 nodes.
        ("allgather", 8, 10, 1, 3 * 5 + 1 + 2 + 4),
        ("allgather", 5, 10, 1, 3 * 5 + 1 + 2 + 1),
        ("allgather", 5, 10, 2, 3 * 5 + 2 + 4 + 2),
        # Each of the four messages takes two overheads. The latency counts once.
        ("alltoall", 5, 10, 1, 3 + 4 * (2 + 1)),
        ("alltoall", 5, 10, 3, 3 + 4 * (2 + 3)),
        ("recursive_doubling", 8, 100, 1, 3 * (5 + 10) + 3 * 1),
        # With 5 nodes, one node first sends its vector to another node. Then four nodes take
        # two steps, and the first node gets the result.
        ("recursive_doubling", 5, 100, 1, 4 * (5 + 10) + 3 * 1),
        # Both the reduce-scatter and the allgather send 40, 20 and 10 bytes.
        ("rabenseifner", 8, 80, 1, 2 * (9 + 7 + 6) + 0.4 + 0.2 + 0.1),
        ("rabenseifner", 5, 80, 1, 2 * (9 + 7) + 0.4 + 0.2 + 2 * (5 + 8) + 0.8),
        ("ring", 4, 80, 1, 3 * (7 + 7 + 0.2)),
        ("ring", 4, 80, 2, 3 * (9 + 9 + 0.2)),
        ("binomial", 5, 100, 1, 3 * (15 + 15 + 1)),
        ("allreduce", 4, 8, 1, 2 * (5 + 0.8) + 2 * 0.08),
        # The ring sends as many bytes as Rabenseifner's algorithm, in more messages.
        ("allreduce", 4, 8000, 1, 2 * (5 + 400) + 2 * (5 + 200) + 40 + 20),
        # With Rabenseifner's algorithm, one of 3 nodes sends its vector twice, so the ring is
        # faster.
        ("allreduce", 3, 9000, 1, 2 * (2 * (5 + 300) + 30)),
    ],
)  # fmt: skip
def test_algorithm_takes_the_time_computed_by_hand(net, name, nodes, n_bytes, rails, wanted):
    assert getattr(scaling, name)(net, nodes, n_bytes, rails) == pytest.approx(wanted)


@pytest.fixture
def machine(net):
    """Return nodes of four ranks, on which 8 bytes take redcoll 1 s and MPI 2 s."""
    node_s = scaling.Curve([(8, 1.0), (8192, 1.0), (65536, 8.0)])
    mpi_node_s = scaling.Curve([(8, 2.0), (65536, 2.0)])
    return scaling.Machine(net, 4, node_s, mpi_node_s)


def test_one_node_takes_the_measured_time(machine):
    assert scaling.redcoll_s(machine, 1, 8, "node") == 1
    assert scaling.mpi_s(machine, 1, 8) == 2


@pytest.mark.parametrize("order", ["node", "mpi"], ids="order-{}".format)
def test_redcoll_sends_short_vectors_with_the_headers(machine, order):
    # The first message has a header of 64 bytes and a vector of 8 bytes. The second message has two
    # headers and two vectors.
    exchange_s = 2 * 5 + 7.2 + 8.0
    assert scaling.redcoll_s(machine, 4, 8, order) == pytest.approx(1 + 1 + exchange_s + 0.24)


def test_redcoll_sends_parts_of_vectors_of_medium_size(machine):
    # Each step sends 2 of the 4 parts of 10240 bytes. On the way back, the steps
    # send 1 part and 2 parts.
    parts_s = 2 * (5 + 6.4 + 2048) + 3 * 102.4
    back_s = (5 + 1024) + (5 + 2048)
    found = scaling.redcoll_s(machine, 4, 40960, "node")
    assert found == pytest.approx(5 + 1 + parts_s + back_s)


def test_redcoll_sends_longer_parts_after_the_headers(machine):
    # Each node sends a part of 16384 bytes to each of the 3 other nodes.
    parts_s = 2 * (5 + 6.4) + 3 + 3 * (2 + 1638.4) + 3 * 163.84
    back_s = (5 + 1638.4) + (5 + 3276.8)
    found = scaling.redcoll_s(machine, 4, 65536, "node")
    assert found == pytest.approx(8 + 1 + parts_s + back_s)


def test_redcoll_folds_parts_on_their_way_in_order_mpi(machine):
    data_s = 2 * (5 + 3276.8) + 327.68 + 2 * (5 + 1638.4) + 163.84
    found = scaling.redcoll_s(machine, 4, 65536, "mpi")
    assert found == pytest.approx(8 + 1 + data_s)


def test_redcoll_takes_rails_for_large_vectors(machine):
    # After the headers, 4 rails send 196608 bytes each, in 4 parts of 49152.
    headers_s = 2 * (5 + 6.4)
    to_owners_s, fold_s, to_all_s = 3 + 3 * (2 + 4 * 4915.2), 1474.56, 10 + 3 * 4 * 4915.2
    found = scaling.redcoll_s(machine, 4, 786432, "node")
    assert found == pytest.approx(96 + 1 + headers_s + to_owners_s + fold_s + to_all_s)


def test_redcoll_takes_the_same_stages_on_two_nodes(machine):
    # 4 rails send 131072 bytes each, in 2 parts of 65536.
    data_s = 3 + (2 + 4 * 6553.6) + 655.36 + 5 + 4 * 6553.6
    found = scaling.redcoll_s(machine, 2, 524288, "node")
    assert found == pytest.approx(64 + 1 + 5 + 6.4 + data_s)


def test_redcoll_leaves_large_vectors_to_mpi_in_order_mpi(machine):
    # After the headers, 4 rails use Rabenseifner's algorithm on 196608 bytes each.
    headers_s = 2 * (5 + 6.4)
    data_s = 2 * (5 + 4 * 9830.4) + 983.04 + 2 * (5 + 4 * 4915.2) + 491.52
    found = scaling.redcoll_s(machine, 4, 786432, "mpi")
    assert found == pytest.approx(96 + 1 + headers_s + data_s)


def test_redcoll_divides_long_blocks_among_the_nodes_in_order_mpi(machine):
    # The 4 rails of 4 nodes leave slices of less than 262144 bytes to MPI. Chunks have 2 MiB.
    short, long = 1 << 20, (1 << 20) + 4096
    found = [scaling.redcoll_s(machine, 4, n, "mpi") for n in (short - 4096, short, long)]
    wanted = [scaling.redcoll_s(machine, 4, n, "node") for n in (short - 4096, short, long)]
    assert found[0] != wanted[0]
    assert found[1:] == wanted[1:]
    # On 16 nodes a slice of a chunk has 512 KiB, and slices of less than 1 MiB are left to MPI.
    assert scaling.redcoll_s(machine, 16, 8 << 20, "mpi") != scaling.redcoll_s(
        machine, 16, 8 << 20, "node"
    )


def test_redcoll_has_no_more_rails_than_cache_lines(machine):
    slow = replace(machine, ranks=512, net=replace(machine.net, overhead_s=10))
    # 4097 bytes fill 65 cache lines, so there are 65 rails. Each rail has about 63 bytes, and
    # each of the 64 nodes folds at least 8 of them.
    headers_s = 6 * (23 + 6.4)
    to_owners_s = 3 + 63 * (20 + 65 * 0.8) + 63 * 0.08
    to_all_s = 6 * 23 + 63 * 4097 / 64 / 10
    found = scaling.redcoll_s(slow, 64, 4097, "node")
    assert found == pytest.approx(1 + 1 + headers_s + to_owners_s + to_all_s)


def test_mpi_takes_the_quicker_of_one_rank_and_all(machine):
    # With recursive doubling by all four ranks, the ranks together send as many bytes as one rank
    # would send alone. Each rank folds a quarter of these bytes.
    assert scaling.mpi_s(machine, 2, 8) == pytest.approx(2 + 5 + 0.8 + 0.02)


def test_curve_is_straight_between_points_and_keeps_the_last_rate():
    curve = scaling.Curve([(8, 1.0), (32, 4.0)])
    assert [curve(n_bytes) for n_bytes in (1, 8, 16, 32, 64)] == pytest.approx([1, 1, 2, 4, 8])


def test_times_on_a_node_have_a_core_for_each_rank_by_default():
    ranks, node_s, mpi_node_s, where = scaling.measured(scaling.RESULTS, None)
    content = json.loads(scaling.RESULTS.read_text())
    runs = [run for run in content["runs"] if run["facts"]["job_pes"] <= run["facts"]["cores"]]
    assert ranks == max(run["facts"]["job_pes"] for run in runs)
    [cell] = [
        cell
        for run in runs
        for cell in run["cells"]
        if (run["facts"]["job_pes"], cell["n_bytes"], cell["collective"]) == (ranks, 8, "allreduce")
        and (cell["op"], cell["type"]) == ("sum", "float64")
        and not run["facts"]["options"].get("competitor")
    ]
    for lane, found in (("core/private", node_s), ("mpi4py/private", mpi_node_s)):
        assert found(8) == pytest.approx(statistics.median(cell["lanes"][lane]["us"]) / 1e6)
    assert "oversubscribed" not in where


def test_times_of_more_ranks_than_cores_are_marked():
    assert "**16 ranks on 2 cores: oversubscribed**" in scaling.measured(scaling.RESULTS, 16)[-1]


@pytest.mark.parametrize(
    ("options", "wanted"),
    [
        (["--ranks", "3"], "--ranks 3"),
        (["--set", "latency=1"], "'latency'"),
        (["--set", "latency_s=fast"], "'fast'"),
        (["--results", "missing.json"], "missing.json"),
    ],
)
def test_wrong_options_are_named(capsys, options, wanted):
    assert scaling.main(options) == 1
    assert wanted in capsys.readouterr().err


@pytest.mark.parametrize("numbers", ["0", "4,-1", "many"])
def test_wrong_numbers_are_named(capsys, numbers):
    with pytest.raises(SystemExit):
        scaling.main(["--nodes", numbers])
    assert numbers in capsys.readouterr().err


def test_figures_can_be_given(capsys):
    options = ["--nodes", "2", "--bytes", "8", "--set", "latency_s=1", "--set", "overhead_s=0"]
    assert scaling.main(options) == 0
    last = capsys.readouterr().out.splitlines()[-1]
    assert last.startswith("| 2 | 10000")  # 1 s, plus microseconds on the node


def test_page_in_the_docs_is_rendered():
    # If this fails after `make bench`, run `make scaling`.
    text = PAGE.read_text()
    assert text.count("| 4096 |") == 1
    assert scaling.render_page(text) == text
