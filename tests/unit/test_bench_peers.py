"""Test how benchmarks/peers_page.py compares times with the targets and renders its page."""

import json
from pathlib import Path

import goals
import peers
import peers_page
import pytest
import startup

ROOT = Path(__file__).resolve().parents[2]
SIZES = (8, 32 << 10, 1 << 20)
SERIES = (peers.MPI4PY, peers.ORDINARY, peers.SYMMETRIC, peers.COPY, peers.SHARED)


def entry(vendor, ranks, setting, **us):
    """Return a setting's part of a file, with the same times at all sizes."""
    times = dict(zip(SERIES, (100, 30, 20, 19, 20), strict=True)) | us
    rows = [
        {"bytes": size, "us": {name: [time, 2 * time, time] for name, time in times.items()}}
        for size in SIZES
    ]
    return {"vendor": vendor, "setting": setting, "cores": 2, "ranks": ranks, "rows": rows}


def write(directory, *entries):
    for each in entries:
        name = f"peers-{each['vendor'].replace(' ', '').lower()}-{each['ranks']}.json"
        path = directory / name
        known = json.loads(path.read_text()) if path.exists() else []
        path.write_text(json.dumps([*known, each]))


def compare(directory, starts=()):
    cells, cores, repeats = peers_page.read(directory)
    assert (cores, repeats) == (2, 3)
    table, misses = peers_page.compare(cells, starts)
    rows = [[word.strip() for word in line.split("|")[1:-1]] for line in table[2:]]
    return {name: (limit, words) for name, limit, *words in rows}, misses


def test_all_targets_are_met(tmp_path):
    for library in peers_page.LIBRARIES:
        write(tmp_path, entry(library, 2, "as installed"), entry(library, 4, "as installed"))
    found, misses = compare(tmp_path)
    assert misses == []
    assert found["symmetric arrays, geometric mean"] == ("0.25 / 0.45", ["0.20 / 0.20†"] * 3)
    assert found["ordinary arrays"] == ("1.0 / 1.1", ["0.30 / 0.30†"] * 3)
    assert found["start of `redcoll.MPI`"] == ("1.25", ["not measured"] * 3)


def test_the_quickest_setting_counts(tmp_path):
    slow, quick = {peers.MPI4PY: 1000.0}, {peers.MPI4PY: 25.0, peers.ORDINARY: 20.0}
    write(tmp_path, entry("MPICH", 2, "slow", **slow), entry("MPICH", 2, "quick", **quick))
    write(tmp_path, entry("Intel MPI", 4, "slow", **slow))
    found, misses = compare(tmp_path)
    assert found["ordinary arrays"][1] == ["0.80", "not measured", "0.03†"]
    assert found["symmetric arrays"][1] == ["**0.80**", "not measured", "0.02†"]
    cells = [f"MPICH, 2 ranks, {size}" for size in ("8 B", "32 KiB", "1 MiB")]
    shared = "`shared_arrays()`, 32 KiB and more"
    assert misses == [
        "* symmetric arrays, geometric mean: 0.80 instead of 0.25 (MPICH, a core for each rank)",
        *(f"* symmetric arrays: 0.80 instead of 0.75 ({cell})" for cell in cells),
        "* ordinary arrays, geometric mean: 0.80 instead of 0.4 (MPICH, a core for each rank)",
        *(f"* {shared}: 0.80 instead of 0.7 ({cell})" for cell in cells[1:]),
    ]


def test_starts(tmp_path):
    write(tmp_path, entry("MPICH", 2, "as installed"))
    seconds = {name: [1.0, 1.2] for name in startup.PROGRAMS}
    seconds["redcoll.MPI"] = [1.3, 1.56]
    found, misses = compare(tmp_path, [{"mpi": "MPICH", "pes": 16, "seconds": seconds}])
    assert found["start of `redcoll.MPI`"][1][0] == "**1.30†**"
    assert found["start of `redcoll_shmem`"][1][0] == "1.00†"
    assert misses == ["* start of `redcoll.MPI`: 1.30 instead of 1.25 (MPICH, 16† ranks)"]


def test_each_library_has_limits():
    for limits in (goals.SYMMETRIC, goals.ORDINARY):
        assert tuple(limits) == peers_page.LIBRARIES
    assert set(peers.SETTINGS) == set(peers_page.LIBRARIES)


def test_the_page_is_rendered_from_its_files(tmp_path):
    data = ROOT / "docs" / "performance"
    if not data.is_dir():
        pytest.skip("an installed package has no docs")
    assert peers_page.main([str(data), str(tmp_path / "page.md")]) == 0
    assert (tmp_path / "page.md").read_text() == (ROOT / "docs/performance_peers.md").read_text()
