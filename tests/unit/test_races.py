"""Run ThreadSanitizer on the protocol of the rounds, with the compiled kernel's header."""

import shutil
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
HEADERS = HERE.parents[1] / "redcoll" / "kernels" / "_compiled"


def build(directory, *flags):
    """Compile the program with the sanitizer; return its path."""
    compiler = shutil.which("c++") or shutil.which("g++")
    if compiler is None:
        pytest.skip("no C++ compiler")
    program = directory / "rounds_race"
    command = [compiler, "-O1", "-g", "-std=c++17", "-fsanitize=thread", "-pthread", *flags]
    command += ["-I", str(HEADERS), str(HERE / "rounds_race.cpp"), "-o", str(program)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if "sanitize" in done.stderr or "tsan" in done.stderr:
        pytest.skip(f"no ThreadSanitizer: {done.stderr.splitlines()[0]}")
    assert done.returncode == 0, done.stderr
    return program


def run(program, threads, rounds):
    done = subprocess.run(
        [program, str(threads), str(rounds)],
        env={"TSAN_OPTIONS": "halt_on_error=1"},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    # ThreadSanitizer does not run if the system places memory at addresses that the sanitizer does
    # not support. The message differs between versions.
    if "FATAL: ThreadSanitizer" in done.stderr and "memory" in done.stderr:
        pytest.skip(f"ThreadSanitizer does not run here: {done.stderr.splitlines()[0]}")
    return done


@pytest.mark.parametrize("threads", [2, 3])
def test_no_race(tmp_path, threads):
    done = run(build(tmp_path), threads, 600)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "600 rounds, 0 wrong\n"


@pytest.mark.parametrize("fault", ["WITHOUT_ORDER", "WITH_TOO_FEW_HEADS"])
def test_a_fault_is_found_out(tmp_path, fault):
    done = run(build(tmp_path, f"-D{fault}"), 3, 600)
    assert done.returncode != 0
    assert "data race" in done.stderr
