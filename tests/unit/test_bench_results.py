"""Test how the benchmark turns its timings into tables, verdicts, pictures and the page."""

import io
import math
import os
import subprocess
import sys
from dataclasses import replace

import goals
import page
import pytest

from redcoll.bench import cli, progress, results, tables
from redcoll.bench.cases import Cell
from redcoll.bench.results import Record, Run

SIZES = (8, 1 << 20)


def facts(**changed):
    return {
        "date": "2026-01-02T03:04:05+00:00",
        "job_pes": 4,
        "nodes": [0, 0, 0, 0],
        "kernel": "compiled",
        "mpi": "MPICH 9.9.9",
        "thread_level": "multiple",
        "redcoll": "0",
        "mpi4py": "4",
        "numpy": "2",
        "python": "3",
        "cpu": "a processor",
        "cores": 2,
        "cpus": 2,
        "system": "Linux 1",
        "load_average": [0.0, 0.0, 0.0],
        "others_cores": 0.01,
        "environment": {},
        "options": {"repeats": 3, "batch_s": 0.03},
        **changed,
    }


def cell(pes=4, n_bytes=8, **changed):
    return Cell(**{"collective": "allreduce", "op": "sum", "type": "float64", **changed,
                   "pes": pes, "n_bytes": n_bytes})  # fmt: skip


def record(where, lane, seconds, path="symmetric", error=None):
    return Record(where, lane, path, 10, seconds, error)


def small_run(**changed):
    here = cell()
    return Run(
        facts(**changed),
        [{"lane": "pvm", "path": "private", "reason": "it sleeps"}],
        [
            record(here, "core", [1e-6, 2e-6, 3e-6]),
            record(here, "core", [4e-6, 4e-6, 4e-6], "private"),
            record(here, "mpi4py", [10e-6, 20e-6, 30e-6]),
            record(here, "mpi4py", [8e-6, 9e-6, 10e-6], "private"),
            record(here, "memcpy", [1e-6, 1e-6, 1e-6]),
        ],
    )


def by_label(found):
    return {point.label: point for point in found}


def test_figures():
    found = by_label(results.points([small_run()]))
    core = found["core/symmetric"]
    assert core.median_s == 2e-6
    # The ratios compare with mpi4py on private arrays, where mpi4py is faster. `ratio` is the
    # median of the ratios of all repeats.
    assert core.ratio == pytest.approx(2 / 9)
    assert core.ratios["memcpy"] == pytest.approx(2)
    assert core.spread == pytest.approx(0.25)
    # memcpy was measured for symmetric arrays only, so private arrays have no ratio to memcpy.
    assert math.isnan(found["core/private"].ratios["memcpy"])
    assert math.isnan(core.ratios[results.OPENSHMEM])
    assert found["mpi4py/symmetric"].ratio == pytest.approx(20 / 9)


def test_a_machine_that_slows_down_changes_times_and_not_ratios():
    here = cell()
    drift = [1, 1, 7, 50, 90]
    run = Run(facts(), [], [
        record(here, "core", [2e-6 * d for d in drift]),
        record(here, "mpi4py", [4e-6 * d for d in drift]),
    ])  # fmt: skip
    assert by_label(results.points([run]))["core/symmetric"].ratio == pytest.approx(0.5)


def test_ratios_stay_in_their_run_and_cell():
    fast, slow = small_run(), small_run()
    slow.records = [record(each.cell, each.lane, [s * 10 for s in each.seconds], each.path)
                    for each in slow.records]  # fmt: skip
    slow.records.append(record(cell(n_bytes=16), "core", [1e-6]))
    found = results.points([fast, slow])
    ratios = [point.ratio for point in found if point.label == "core/symmetric"]
    assert ratios[:2] == pytest.approx([2 / 9, 2 / 9])
    assert math.isnan(ratios[2])


def test_a_wrong_peer_is_no_baseline():
    run = small_run()
    run.records[3] = record(cell(), "mpi4py", [1e-9], "private", error="element 0 is 1, not 2")
    assert by_label(results.points([run]))["core/symmetric"].ratio == pytest.approx(0.1)


def test_geometric_mean():
    assert results.geometric_mean([0.5, 2, math.nan]) == pytest.approx(1)
    assert math.isnan(results.geometric_mean([]))


def test_json_keeps_everything(tmp_path):
    path = tmp_path / "new" / "runs.json"
    before = [small_run(), small_run(kernel="numpy")]
    before[1].records[2] = record(cell(), "mpi4py", [1.23456e-7], error="element 0 is 1, not 2")
    results.save(path, before)
    after = results.load([path])
    assert [run.facts for run in after] == [run.facts for run in before]
    assert [run.absent for run in after] == [run.absent for run in before]
    for new, old in zip(after, before, strict=True):
        assert len(new.records) == len(old.records)
        for one, other in zip(new.records, old.records, strict=True):
            assert replace(one, seconds=()) == replace(other, seconds=())
            assert one.seconds == pytest.approx(other.seconds, rel=1e-3)


@pytest.mark.parametrize("text", ["[]", "{}", '{"schema": 0, "runs": []}', "no JSON"])
def test_other_files_are_refused(tmp_path, text):
    path = tmp_path / "other.json"
    path.write_text(text)
    with pytest.raises(ValueError):  # noqa: PT011 - json's own is one
        results.load([path])


def test_report():
    text = tables.report([small_run()])
    assert "allreduce sum float64 on MPICH 9.9.9, compiled kernel\n" in text
    row = next(line for line in text.splitlines() if line.startswith("  4"))
    assert row.split()[:6] == ["4", "8", "B", "2", "+-25%", "0.22"]
    assert "pvm/private: it sleeps" in text
    assert "not quiet" not in text
    assert "WRONG" not in text


def test_report_of_wrong_results_and_a_busy_machine():
    run = small_run(others_cores=1.5)
    run.records[0] = record(cell(), "core", [1e-6], error="PE 3: element 7 is 1, not 2")
    text = tables.report([run])
    assert "core/symmetric, allreduce sum float64, 4 PEs, 8 B: PE 3: element 7 is 1, not 2" in text
    assert "up to 1.5 of its cores busy" in text


def test_sets_that_share_a_job_are_a_table_of_their_own():
    run = small_run()
    run.records.append(record(cell(pes=2), "core", [1e-6]))
    titles = [tables.title(key) for key in tables.groups(results.points([run, small_run()]))]
    assert titles == [
        "allreduce sum float64 on MPICH 9.9.9, compiled kernel; the first PEs of a job of 4",
        "allreduce sum float64 on MPICH 9.9.9, compiled kernel",
    ]


def goal_run(ratio, kernel="compiled", pes=4, job_pes=None, lane="core", path="symmetric"):
    records = []
    for n_bytes in SIZES:
        here = cell(pes, n_bytes)
        records += [
            record(here, lane, [ratio * 1e-5] * 3, path),
            record(here, "mpi4py", [1e-5] * 3, path),
            record(here, "memcpy", [2.5e-6] * 3, path),
        ]
    return Run(facts(kernel=kernel, job_pes=job_pes or pes), [], records)


def verdicts(*runs):
    return [(v.goal.name, v.where, v.is_met) for v in goals.judge(results.points(runs))]


def test_goals_met_and_missed():
    kind = "allreduce sum float64, 4 PEs"
    assert verdicts(goal_run(0.2)) == [
        ("symmetric arrays", f"{kind}, 8 B", True),
        ("symmetric arrays", f"{kind}, 1 MiB", True),
        ("symmetric arrays", "geometric mean of 2 of 20 cells", True),
        ("symmetric arrays against the memcpy limit", f"{kind}, 1 MiB", True),
    ]
    assert [met for _, _, met in verdicts(goal_run(0.5))] == [True, True, False, False]
    assert [met for _, _, met in verdicts(goal_run(0.76))] == [False, False, False, False]
    # The NumPy kernel's targets are 1.2 at 8 bytes and 0.75 at 1 MiB.
    assert [met for _, _, met in verdicts(goal_run(1.1, "numpy"))] == [True, False]


def test_goals_of_redcoll_mpi():
    found = verdicts(goal_run(0.6, lane="mpi", path="private"))
    assert found[-1] == ("arrays of any kind", "geometric mean of 2 of 20 cells", False)
    assert len(found) == 3


def test_a_job_of_its_own_counts_before_a_shared_one():
    shared = goal_run(5, pes=2, job_pes=16)
    assert not all(met for _, _, met in verdicts(shared))
    assert all(met for _, _, met in verdicts(goal_run(0.2, pes=2), shared))
    assert all(met for _, _, met in verdicts(shared, goal_run(0.2, pes=2)))


def test_jobs_on_several_nodes_have_no_goals():
    several = goal_run(0.3)
    several.facts["nodes"] = [0, 0, 1, 1]
    assert verdicts(several) == []
    assert verdicts(several, goal_run(5)) == verdicts(goal_run(5))


def test_a_wrong_result_misses_its_goal():
    run = goal_run(0.1, "numpy")
    run.records[0] = record(cell(4, 8), "core", [1e-9], error="wrong")
    assert [met for _, _, met in verdicts(run)] == [False, True]


def test_other_cells_have_no_goal():
    run = goal_run(9)
    run.records = [
        record(Cell("allreduce", "sum", "float64", 3, 8), each.lane, each.seconds)
        for each in run.records
    ]
    assert verdicts(run) == []


def options(*words):
    import argparse

    parser = argparse.ArgumentParser()
    cli.add_arguments(parser)
    return parser.parse_args(words)


def test_command_line():
    found = options("--bytes", "8,1.5k,1m", "--ops", "SUM,maxloc:double_int", "--pes-sets", "2,4")
    assert found.bytes == [8, 1536, 1 << 20]
    assert found.ops == ["sum", "maxloc:double_int"]
    assert found.pes_sets == [2, 4]
    assert found.apis == ["core", "shmem", "mpi", "pvm"]


@pytest.mark.parametrize(
    "words",
    [["--bytes", "0"], ["--bytes", "8,x"], ["--apis", "core,c"], ["--pes-sets", "0"],
     ["--repeats", "-1"], ["--peers", "nccl"], ["--paths", "both"]],
)  # fmt: skip
def test_wrong_words_are_refused(words, capsys):
    with pytest.raises(SystemExit) as caught:
        options(*words)
    assert caught.value.code == 2
    assert words[0] in capsys.readouterr().err


def test_read_shows_and_copies(tmp_path, capsys):
    results.save(tmp_path / "a.json", [goal_run(0.3)])
    results.save(tmp_path / "b.json", [goal_run(0.8, pes=2)])
    files = [str(tmp_path / "a.json"), str(tmp_path / "b.json")]
    both = tmp_path / "both.json"
    assert cli.main(options("--read", *files, "--json", str(both))) == 0
    assert "allreduce sum float64 on MPICH 9.9.9, compiled kernel" in capsys.readouterr().out
    assert len(results.load([both])) == 2
    assert cli.main(options("--read", str(tmp_path / "none.json"))) == 2


def test_goals_of_files(tmp_path, capsys):
    results.save(tmp_path / "a.json", [goal_run(0.2)])
    results.save(tmp_path / "b.json", [goal_run(0.8, pes=2)])
    files = [str(tmp_path / "a.json"), str(tmp_path / "b.json")]
    assert goals.main(files) == 0
    text = capsys.readouterr().out
    assert "MISS   0.80 <= 0.75  allreduce sum float64, 2 PEs, 8 B  (MPICH 9.9.9)" in text
    assert "pass   0.20 <= 0.75  allreduce sum float64, 4 PEs, 8 B  (MPICH 9.9.9)" in text
    assert goals.main([*files, "--strict"]) == 1


def test_read_fails_on_wrong_results(tmp_path):
    run = goal_run(0.3)
    run.records[0] = record(cell(), "core", [1e-6], error="wrong")
    results.save(tmp_path / "a.json", [run])
    assert cli.main(options("--read", str(tmp_path / "a.json"))) == 1


def test_page_and_pictures(tmp_path):
    pytest.importorskip("matplotlib", reason="Matplotlib draws the pictures")
    for name, run in (("mpich-compiled", goal_run(0.3)), ("mpich-numpy", goal_run(0.9, "numpy"))):
        results.save(tmp_path / "data" / f"{name}.json", [run])
    target = tmp_path / "performance.md"
    assert page.main([str(tmp_path / "data"), str(target)]) == 0
    text = target.read_text()
    assert text.count("\n## ") == 7
    assert "](data/speedup.png)" in text
    assert "](<data/mpich-numpy.md>)" in text
    rows = (tmp_path / "data" / "mpich-compiled.md").read_text()
    assert "](mpich-compiled.png)" in rows
    assert "| 4† | 8 B | 3 (0.30) |" in rows
    for name in ("mpich-compiled", "mpich-numpy", "speedup", "slower"):
        assert (tmp_path / "data" / f"{name}.png").read_bytes().startswith(b"\x89PNG")
    # The same data give the same page and the same pictures.
    picture = (tmp_path / "data" / "mpich-numpy.png").read_bytes()
    page.main([str(tmp_path / "data"), str(target)])
    assert target.read_text() == text
    assert (tmp_path / "data" / "mpich-numpy.png").read_bytes() == picture


@pytest.mark.parametrize(("took_s", "is_missed"), [(1.2, False), (1.3, True)])
def test_page_lists_a_slow_start_only_above_the_target(took_s, is_missed):
    pytest.importorskip("matplotlib", reason="The page's module imports its charts")
    names = list(page.startup.PROGRAMS)
    seconds = {name: [took_s if name == names[-1] else 1.0] for name in names}
    text = page._targets([], [{"mpi": "MPICH", "pes": 16, "seconds": seconds}])
    line = "* the start of a job, MPICH: 1.30 instead of 1.25 (redcoll.MPI, 16 PEs)"
    assert (line in text) == is_missed
    assert ("All are met." in text) != is_missed


def test_page_without_results_is_an_error(tmp_path, capsys):
    with pytest.raises(SystemExit):
        page.main([str(tmp_path), str(tmp_path / "page.md")])
    assert "no results" in capsys.readouterr().err


def test_progress_is_silent_unless_shown():
    stream = io.StringIO()
    bar = progress.Progress(stream, is_shown=False)
    bar.begin(3)
    bar.show("something")
    bar.advance()
    bar.close()
    assert stream.getvalue() == ""


def test_progress_moves():
    stream = io.StringIO()
    bar = progress.Progress(stream, is_shown=True)
    bar.begin(2)
    bar.show("first")
    bar.advance()
    bar.show("second")
    bar.close()
    _, first, second, _, _ = stream.getvalue().split("\r")
    assert first.startswith("[" + "." * 24 + "]   0%  first")
    assert second.startswith("[" + "#" * 12 + "." * 12 + "]  50%  second")


def test_progress_does_not_take_a_file_or_pipe_for_a_terminal(tmp_path):
    program = (
        "import sys; from redcoll.bench.progress import reaches_terminal; "
        "print(reaches_terminal(sys.stderr))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "False"


def test_progress_takes_a_terminal_for_one():
    import pty

    program = (
        "import sys; from redcoll.bench.progress import reaches_terminal; "
        "print(reaches_terminal(sys.stderr))"
    )
    ours, theirs = pty.openpty()
    try:
        done = subprocess.run(
            [sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=theirs, check=True
        )
    finally:
        os.close(theirs)
        os.close(ours)
    assert done.stdout.strip() == b"True"
