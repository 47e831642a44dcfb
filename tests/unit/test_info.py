"""Test `python -m redcoll info` and `config`."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from redcoll import (
    __version__,
    config,
    info,
    topology,
)
from redcoll.environment import format_bytes, parse_bytes
from redcoll.memory import shared_window

config.load_all()

SECTIONS = ["Versions", "Job", "Symmetric heap", "Settings"]


def run(*arguments, timeout_s=60, **environment):
    """Run `python -m redcoll` with ``environment`` as the only variables of redcoll."""
    clean = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("REDCOLL_", "SHMEM_"))
    }
    return subprocess.run(
        [sys.executable, "-m", "redcoll", *arguments],
        env={**clean, **environment},
        capture_output=True,
        text=True,
        timeout=timeout_s,
        check=False,
    )


def test_config_lists_every_setting_with_its_default():
    result = run("config")
    assert result.returncode == 0, result.stderr
    lines = result.stdout.splitlines()
    for row in config.settings():
        start = f"{row.name} = {row.show(row.default)}  (default; it takes {row.takes})"
        assert lines.count(start) == 1
    assert len([line for line in lines if not line.startswith(" ")]) == len(config.settings())


def test_config_shows_values_from_the_environment():
    result = run("config", SHMEM_SYMMETRIC_SIZE="0.5g", REDCOLL_KERNEL="numpy", SHMEM_INFO="yes")
    assert result.returncode == 0, result.stderr
    assert "\nSHMEM_SYMMETRIC_SIZE = 512m  (environment; " in result.stdout
    assert "REDCOLL_KERNEL = numpy  (environment; " in result.stdout
    assert "\nSHMEM_INFO = 1  (environment; " in result.stdout


@pytest.mark.parametrize("row", config.settings(), ids=lambda row: row.name)
def test_config_explains_a_wrong_value(row):
    result = run("config", **{row.name: "neither"})
    message = f"{row.name}='neither': it takes {row.takes}"
    assert result.returncode == 1
    assert message in result.stdout.splitlines()
    assert result.stderr == f"redcoll: {message}\n"


def test_config_notices_a_misspelt_name():
    result = run("config", REDCOLL_TIMEOT="3", REDCOLL_TEST_ANYTHING="1")
    assert result.returncode == 1
    expected = "REDCOLL_TIMEOT is not a setting of redcoll; did you mean REDCOLL_TIMEOUT?"
    assert result.stderr == f"redcoll: {expected}\n"


def test_config_starts_no_mpi():
    code = (
        "import sys\n"
        "from redcoll.__main__ import main\n"
        "assert main(['config']) == 0\n"
        "assert 'mpi4py.MPI' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, timeout=60)


@pytest.mark.parametrize("arguments", [[], ["nonsense"], ["info", "more"]])
def test_a_wrong_command_line_shows_the_usage(arguments):
    result = run(*arguments)
    assert result.returncode == 2
    assert result.stderr.startswith("usage: python -m redcoll")


def test_version():
    assert run("--version").stdout == f"redcoll {__version__}\n"


@pytest.mark.parametrize(
    ("n_bytes", "text"),
    [(0, "0"), (1, "1"), (1023, "1023"), (1024, "1k"), (1536, "1536"), (3 << 19, "1536k"),
     (128 << 20, "128m"), (1 << 30, "1g"), (5 << 40, "5t")],
)  # fmt: skip
def test_sizes_are_shown_exactly(n_bytes, text):
    assert format_bytes(n_bytes) == text
    assert parse_bytes(text) == n_bytes


def test_info_of_one_process():
    result = run("info", SHMEM_SYMMETRIC_SIZE="3m")
    assert result.returncode == 0, result.stderr
    lines = result.stdout.splitlines()
    assert [line for line in lines if line in SECTIONS] == SECTIONS
    rows = dict(line.split(maxsplit=1) for line in lines[: lines.index("Settings")] if " " in line)
    assert rows["redcoll"] == __version__
    assert rows["ranks"] == rows["nodes"] == "1"
    assert rows["size"] == "3 MiB per rank"
    assert rows["used"] == "0 bytes in 0 blocks"
    assert rows["largest"] == "free block  3 MiB of 3 MiB free"
    assert rows[shared_window.SHARED_MEMORY_DIR].endswith(" free")


def test_info_goes_on_where_redcoll_cannot_start():
    result = run("info", SHMEM_SYMMETRIC_SIZE="1000t")
    assert result.returncode == 0, result.stderr
    assert "not started         symmetric heap (SHMEM_SYMMETRIC_SIZE): " in result.stdout
    assert " do not fit into the " in result.stdout

    result = run("info", REDCOLL_SPIN="-1", REDCOLL_SPINN="1")
    assert result.returncode == 0, result.stderr
    assert "not started         a setting is wrong, see the hints" in result.stdout
    hints = result.stdout.partition("\nHints\n")[2]
    assert "* REDCOLL_SPIN='-1': it takes a whole number from 0" in hints
    assert "* REDCOLL_SPINN is not a setting of redcoll; did you mean REDCOLL_SPIN?" in hints


@pytest.mark.parametrize(
    ("library", "setting", "devices", "is_expected"),
    [
        ("Open MPI v5.0.11, package: ...", None, [], True),
        ("Open MPI v5.0.11, package: ...", None, None, True),
        ("Open MPI v5.0.11, package: ...", None, ["mlx5_0"], False),
        ("Open MPI v5.0.11, package: ...", "^ucx", [], False),
        ("MPICH Version:      5.0.2", None, [], False),
    ],
)
def test_the_hint_for_open_mpi(monkeypatch, tmp_path, library, setting, devices, is_expected):
    from mpi4py import MPI

    folder = tmp_path / "infiniband"
    if devices is not None:
        folder.mkdir()
        for device in devices:
            (folder / device).touch()
    monkeypatch.setattr(info, "_RDMA_DEVICES", folder)
    monkeypatch.setattr(MPI, "Get_library_version", lambda: library)
    monkeypatch.delenv("OMPI_MCA_osc", raising=False)
    if setting is not None:
        monkeypatch.setenv("OMPI_MCA_osc", setting)
    assert (info.OPEN_MPI_HINT in info._hints([])) is is_expected


@pytest.mark.parametrize(
    ("n_bytes", "text"),
    [(0, "0 bytes"), (1023, "1023 bytes"), (1024, "1 KiB"), (1536, "1.5 KiB"),
     (128 << 20, "128 MiB"), (5 << 40, "5 TiB")],
)  # fmt: skip
def test_sizes_for_reading(n_bytes, text):
    assert info._human(n_bytes) == text


LAUNCHERS = (
    *("PMI_SIZE", "OMPI_COMM_WORLD_SIZE", "MV2_COMM_WORLD_SIZE", "PALS_NRANKS", "FLUX_JOB_SIZE"),
    *("SLURM_STEP_NUM_TASKS", "SLURM_NTASKS", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"),
)


@pytest.mark.parametrize(
    ("environment", "said"),
    [
        ({}, None),
        ({"PMI_SIZE": "1", "PMI_RANK": "0"}, None),
        ({"PMIX_RANK": "0"}, None),
        ({"SLURM_NTASKS": "none"}, None),
        ({"SLURM_NTASKS": "1"}, None),
        ({"SLURM_NTASKS": "4", "SLURM_STEP_NUM_TASKS": "4"}, "SLURM_STEP_NUM_TASKS=4"),
        ({"PMI_SIZE": "3", "PMI_RANK": "1"}, "PMI_SIZE=3 and PMI_RANK=1"),
        ({"OMPI_COMM_WORLD_SIZE": "16"}, "OMPI_COMM_WORLD_SIZE=16"),
        ({"PMIX_RANK": "2"}, "PMIX_RANK=2"),
    ],
)
def test_hint_that_the_launcher_is_another_mpis(monkeypatch, environment, said):
    for name in LAUNCHERS:
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    hints = info._hints_on_start(1)
    if said is None:
        assert hints == []
    else:
        assert [f"The launcher has set {said}, but for MPI this" in hint for hint in hints] == [
            True
        ]
    assert info._hints_on_start(2) == []


def test_hint_on_slurm_blames_no_launcher_where_none_runs(monkeypatch):
    """Slurm sets these variables in salloc's shell and in batch scripts, even without srun."""
    for name in LAUNCHERS:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("SLURM_NTASKS", "4")
    monkeypatch.setenv("SLURM_PROCID", "0")
    (hint,) = info._hints_on_start(1)
    assert hint.startswith("Slurm has set SLURM_NTASKS=4, and this process is a job of its own")
    assert "That is right for a serial program." in hint
    assert info._hints_on_start(4) == []


def test_info_shows_the_hint_on_the_launcher():
    result = run("info", PALS_NRANKS="4", COLUMNS="400")
    assert result.returncode == 0, result.stderr
    hints = result.stdout.partition("\nHints\n")[2]
    assert "* The launcher has set PALS_NRANKS=4, but for MPI this process is a job of" in hints


def node_of(n_pes, n_cores, quota=float("inf")):
    cores = frozenset(range(n_cores))
    return [topology.Process("here", pid, "", cores, quota) for pid in range(n_pes)]


@pytest.mark.parametrize(
    ("n_pes", "n_cores", "threads", "advice"),
    [
        (1, 4, 8, None),
        (4, 4, 1, None),
        (8, 4, 1, None),
        (2, 4, 2, None),
        (2, 4, 4, (": 8 threads of 2 ranks on 4 cores.", "Set OMP_NUM_THREADS=2 ")),
        (8, 2, 2, (": 16 threads of 8 ranks on 2 cores.", "Set OMP_NUM_THREADS=1 ")),
    ],
)
def test_hint_on_threads_of_blas(n_pes, n_cores, threads, advice):
    node = node_of(n_pes, n_cores)
    hints = info._hints_on_threads([node], dict.fromkeys(node, threads))
    if advice is None:
        assert hints == []
    else:
        (hint,) = hints
        assert all(part in hint for part in advice), hint


@pytest.mark.parametrize(
    ("environment", "threads"),
    [
        ({}, 3),
        ({"OMP_NUM_THREADS": "2"}, 2),
        ({"OMP_NUM_THREADS": "2,1"}, 2),
        ({"OMP_NUM_THREADS": "many"}, 3),
        ({"OMP_NUM_THREADS": "2", "OPENBLAS_NUM_THREADS": "5"}, 5),
        ({"MKL_NUM_THREADS": "1"}, 1),
    ],
)
def test_threads_that_blas_takes(monkeypatch, environment, threads):
    for name in ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(topology.Process, "here", lambda: node_of(1, 8, quota=3.5)[0])
    assert info._blas_threads() == threads


@pytest.mark.parametrize("compiler", [None, "/usr/bin/g++"])
def test_hint_on_the_numpy_kernel(monkeypatch, compiler):
    monkeypatch.delenv("REDCOLL_KERNEL", raising=False)
    monkeypatch.setattr(info.kernels, "is_built", lambda: True)
    assert info._hints_on_kernel() == []
    monkeypatch.setattr(info.kernels, "is_built", lambda: False)
    monkeypatch.setattr(info.shutil, "which", lambda name: compiler if name == "g++" else None)
    (hint,) = info._hints_on_kernel()
    assert info.NUMPY_KERNEL_COST in hint
    assert ("/usr/bin/g++ is here now" if compiler else "install a C++ compiler (g++)") in hint
    monkeypatch.setenv("REDCOLL_KERNEL", "numpy")
    assert info._hints_on_kernel() == []


def test_the_cost_of_the_numpy_kernel_is_what_was_measured():
    pages = Path(__file__).parents[2] / "docs" / "performance"
    rows = {}
    for kernel in ("compiled", "numpy"):
        head = f"## allreduce sum float64 on MPICH 5.0.2, {kernel} kernel\n"
        page = (pages / f"mpich-{kernel}.md").read_text()
        part = page.partition(head)[2].partition("##")[0]
        for size in ("8 B", "1 MiB"):
            row = part.partition(f"| 2 | {size} | ")[2]
            rows[kernel, size] = float(row.partition(" ")[0])
    for size, slow, quick in (("8 B", "1.1", "0.4"), ("1 MiB", "67", "25")):
        assert f"{slow} instead of {quick} " in info.NUMPY_KERNEL_COST
        assert float(f"{rows['numpy', size]:.2g}") == float(slow)
        assert float(f"{rows['compiled', size]:.2g}") == float(quick)
