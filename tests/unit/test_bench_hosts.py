"""Test how benchmarks/hosts_page.py turns measurements into verdicts, tables and a page."""

from pathlib import Path
from types import SimpleNamespace

import hosts_page
import pytest
import several_hosts as hosts

from redcoll.bench import results
from redcoll.bench.cases import Cell
from redcoll.bench.results import Record, Run

ROOT = Path(__file__).resolve().parents[2]
SIZES = (8, 1 << 20)


def run(n_hosts, ranks, ratio, order="node", collective="allreduce", packets=None):
    """Return the results of a job in which redcoll takes ``ratio`` times mpi4py's time."""
    nodes = [host for host in range(n_hosts) for _ in range(ranks)]
    facts = {
        "date": "2026-01-02T03:04:05+00:00",
        "job_pes": len(nodes),
        "nodes": nodes,
        "kernel": "compiled",
        "mpi": "MPICH 9.9.9",
        "mpi4py": "4",
        "python": "3",
        "cpu": "a processor",
        "cpus": 2,
        "system": "Linux 1",
        "others_cores": 0.01,
        "options": {"repeats": 3},
        "network": "ucx",
        "order": order,
    }
    if packets is not None:
        theirs = {"mean_packets": 4, "mean_bytes": 300}
        facts["links"] = {"redcoll": {"mean_packets": packets, "mean_bytes": 500}, "mpi4py": theirs}
    records = []
    for n_bytes in SIZES:
        cell = Cell(collective, "sum", "float64", len(nodes), n_bytes)
        records += [
            Record(cell, "core", "private", 10, [ratio * 1e-5] * 3),
            Record(cell, "mpi4py", "private", 10, [1e-5] * 3),
        ]
    return Run(facts, [], records)


def rows(*runs):
    """From the page's tables, return the rows that begin with a layout (hosts x ranks)."""
    lines = hosts_page.render(runs).splitlines()
    return [line for line in lines if line.startswith("| ") and line[2].isdigit()]


@pytest.mark.parametrize(
    ("collective", "order", "ranks", "limit"),
    [
        ("allreduce", "node", 1, 1.4),
        ("allreduce", "mpi", 1, 1.2),
        ("allreduce", "node", 2, 1.0),
        ("allreduce", "mpi", 4, 1.0),
        ("reduce", "node", 1, 1.2),
        ("reduce_scatter", "node", 2, 1.2),
    ],
)
def test_a_cell_above_its_limit_is_bold(collective, order, ranks, limit):
    at, above = (rows(run(2, ranks, ratio, order, collective)) for ratio in (limit, limit + 0.01))
    mark = "†" if ranks > 1 else ""
    assert at == [
        f"| 2 x {ranks}{mark} | {limit * 10:.3g} ({limit:.2f}) | {limit * 10:.3g} ({limit:.2f}) |"
    ]
    assert all(row.count("**") == 4 for row in above)


def test_the_ratio_on_16_hosts_must_not_grow():
    found = rows(run(4, 1, 1.0), run(16, 1, 1.14))
    assert [row.count("**") for row in found] == [0, 0]
    found = rows(run(4, 1, 1.0), run(16, 1, 1.16))
    assert [row.count("**") for row in found] == [0, 4]


def test_a_wrong_result_is_shown_and_missed():
    wrong = run(2, 1, 0.5)
    wrong.records[0] = Record(wrong.records[0].cell, "core", "private", 10, [], "off")
    assert rows(wrong) == ["| 2 x 1 | **wrong** | 5 (0.50) |"]
    assert "1 of 2 cells miss their limit." in hosts_page.render([wrong])


def test_the_mean_counts_several_ranks_a_host():
    good = hosts_page.render([run(2, 1, 1.3), run(2, 2, 0.6), run(4, 4, 0.6)])
    assert (
        "0 of 6 cells miss their limit. The geometric mean on 2 or 4 ranks a host, 0.60, " in good
    )
    assert "0.60, meets its limit." in good
    assert "0.90, **misses** its limit." in hosts_page.render([run(2, 2, 0.9)])


def test_a_size_that_was_not_measured_is_a_dash():
    short = run(4, 1, 1.0)
    del short.records[2:]
    assert rows(run(2, 1, 1.0), short)[1] == "| 4 x 1† | 10 (1.00) | - |"


def test_packets_that_grow_faster_than_the_logarithm_are_bold():
    jobs = [
        run(n_hosts, 1, 1.0, packets=packets) for n_hosts, packets in ((2, 3), (4, 6), (16, 13))
    ]
    assert rows(*jobs)[3:] == [
        "| 2 x 1 | 3.0 | 500 | 4.0 | 300 |",
        "| 4 x 1† | 6.0 | 500 | 4.0 | 300 |",
        "| 16 x 1† | **13.0** | 500 | 4.0 | 300 |",
    ]


def test_orders_and_calls_have_tables_of_their_own():
    page = hosts_page.render(
        [run(2, 1, 1.0), run(2, 1, 1.0, "mpi"), run(2, 1, 1.0, collective="reduce_scatter")]
    )
    headings = [line for line in page.splitlines() if line.startswith("##")]
    assert headings == [
        "## MPICH 9.9.9 over ucx",
        "### `Allreduce`, order `node`",
        "### `Reduce_scatter_block`, order `node`",
        "### `Allreduce`, order `mpi`",
    ]


def test_page_is_rendered_from_the_files(tmp_path):
    results.save(tmp_path / "hosts-mpich-ucx.json", [run(2, 1, 1.0, packets=3)])
    results.save(tmp_path / "mpich-compiled.json", [run(1, 2, 0.1)])
    page = tmp_path / "page.md"
    assert hosts.main(["--page", str(page), str(tmp_path)]) == 0
    assert page.read_text() == hosts_page.render([run(2, 1, 1.0, packets=3)])


def test_page_in_the_docs_is_rendered():
    # If this fails after new measurements, run `make bench-hosts`.
    files = sorted((ROOT / "docs" / "performance").glob("hosts-*.json"))
    page = (ROOT / "docs" / "performance_hosts.md").read_text()
    assert page == hosts_page.render(results.load(files))


def test_counting_subtracts_what_happens_without_calls(tmp_path, monkeypatch):
    readings = iter(range(0, 60, 10))

    def read(*_):
        n = next(readings)
        # In reading n, host 1 has sent n packets and n * n bytes, and host 2 twice as much.
        return {
            unit: {1: (n**power, 0), 2: (2 * n**power, 0)}
            for unit, power in (("packets", 1), ("bytes", 2))
        }

    monkeypatch.setattr(hosts, "_read", read)
    made, job = SimpleNamespace(hosts=range(1, 3)), SimpleNamespace(wait=lambda _: 0)
    found = hosts._count(made, job, tmp_path, 10)
    # The counters go from 0 to 10 when nothing runs, from 20 to 30 for redcoll, and from 40
    # to 50 for mpi4py. The number of packets always grows by 10. So no packets are left for a
    # library after the packets of the idle time are subtracted.
    assert found["redcoll"] == {"mean_packets": 0, "most_packets": 0,
                                "mean_bytes": 60, "most_bytes": 80}  # fmt: skip
    assert found["mpi4py"]["most_bytes"] == (2 * (2500 - 1600) - 2 * 100) / 10


def test_layouts_are_read():
    assert hosts._layouts("2x1,16x4") == ((2, 1), (16, 4))
