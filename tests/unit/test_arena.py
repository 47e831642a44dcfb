"""Test shared arrays in one process: the allocator, NumPy's handler, forks, threads, limits."""

import os
import re
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from redcoll import kernels

HERE = Path(__file__).resolve().parent
HEADERS = HERE.parents[1] / "redcoll" / "kernels" / "_compiled"


def test_allocator_random_steps_under_address_sanitizer(tmp_path):
    compiler = shutil.which("c++") or shutil.which("g++")
    if compiler is None:
        pytest.skip("no C++ compiler")
    if not HEADERS.is_dir():
        pytest.skip("no C++ sources: the package is installed")
    program = tmp_path / "arena"
    command = [compiler, "-O1", "-g", "-std=c++17", "-fsanitize=address,undefined", "-pthread"]
    command += ["-fno-sanitize-recover=all", "-I", HEADERS, HERE / "arena.cpp", "-o", program]
    build = subprocess.run(command, capture_output=True, text=True, check=False)
    if "sanitize" in build.stderr or "asan" in build.stderr:
        pytest.skip(f"no AddressSanitizer: {build.stderr.splitlines()[0]}")
    assert build.returncode == 0, build.stderr
    # The program never frees the arena itself, so leaks are not checked.
    environment = {**os.environ, "ASAN_OPTIONS": "detect_leaks=0"}
    for seed in (1, 2):
        done = subprocess.run(
            [program, "4000", str(seed)],
            env=environment,
            capture_output=True,
            text=True,
            timeout=100,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        compared = int(re.search(r"(\d+) bytes compared", done.stdout)[1])
        assert compared > 10**7, done.stdout


def run(program, **environment):
    """Run a program in a process of its own, because a process has one arena; return the output."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", PRELUDE + textwrap.dedent(program)],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


PRELUDE = """
import os, sys, threading, warnings
import numpy as np
import redcoll
try:
    from numpy._core.multiarray import get_handler_name
except ImportError:
    from numpy.core.multiarray import get_handler_name

def is_shared(array):
    return get_handler_name(array) == "redcoll_shared_arrays"
"""

needs_compiled = pytest.mark.skipif(
    not kernels.is_built(), reason="the compiled kernel was not built"
)


@needs_compiled
def test_shared_arrays_start_and_end():
    assert run(
        """
        before = np.ones(10_000)
        chosen = redcoll.shared_arrays()
        large, small = np.ones(10_000), np.ones(100)
        with redcoll.shared_arrays():
            nested = np.zeros(10_000)
        still = np.zeros(10_000)
        chosen.close()
        chosen.close()
        after = np.ones(10_000)
        print(*map(is_shared, (before, large, nested, still, after)), chosen.is_on)
        from redcoll.memory import arena
        n = arena.live_bytes()
        offsets = [arena.offset(x.ctypes.data) for x in (before, large, small, nested, after)]
        print(*(each >= 0 for each in offsets), n == 3 * 81920)
        view = large[5000:]
        del large, nested, still
        print(arena.live_bytes() == 81920, view.sum() == 5000)
        del view
        print(arena.live_bytes() == 0)
        """
    ) == (
        [
            "False",
            "True",
            "True",
            "True",
            "False",
            "False",
            "False",
            "True",
            "False",
            "True",
            "False",
            "True",
            "True",
            "True",
            "True",
        ]
    )


@needs_compiled
def test_shared_arrays_resize_keeps_contents():
    assert run(
        """
        redcoll.shared_arrays()
        x = np.arange(10_000)
        for count in (20_000, 100, 50_000, 10):
            x.resize(count, refcheck=False)
            n = min(count, 100 if count > 20_000 else count, 10_000)
            assert (x[:n] == np.arange(n)).all(), count
            assert not x[10_000:].any()
            print(is_shared(x), x.size)
        """
    ) == ["True", "20000", "True", "100", "True", "50000", "True", "10"]


@needs_compiled
def test_shared_arrays_when_full_are_ordinary():
    assert run(
        """
        redcoll.shared_arrays(max_bytes=1 << 20)
        from redcoll.memory import arena
        kept = [np.full(10_000, i) for i in range(40)]
        inside = [x for x in kept if arena.offset(x.ctypes.data) >= 0]
        print(len(inside), all((x == i).all() for i, x in enumerate(kept)))
        del inside, kept
        print(arena.live_bytes(), arena.offset(np.ones(120_000).ctypes.data) >= 0)
        """
    ) == ["12", "True", "0", "True"]


@needs_compiled
def test_shared_arrays_zeros_are_zero_in_used_memory():
    assert run(
        """
        redcoll.shared_arrays(max_bytes=1 << 20)
        for turn in range(200):
            x = np.zeros(20_000 + 100 * (turn % 7))
            assert not x.any()
            x[:] = turn + 1
        print("done")
        """
    ) == ["done"]


@needs_compiled
def test_shared_arrays_other_threads_have_ordinary_ones():
    assert run(
        """
        redcoll.shared_arrays()
        found = []
        def make():
            found.append(is_shared(np.ones(10_000)))
            with redcoll.shared_arrays():
                found.append(is_shared(np.ones(10_000)))
        thread = threading.Thread(target=make)
        thread.start(); thread.join()
        print(*found, is_shared(np.ones(10_000)))
        def work(seed):
            random = np.random.default_rng(seed)
            with redcoll.shared_arrays():
                kept = []
                for step in range(2000):
                    kept.append((step, np.full(random.integers(4096, 20_000), step)))
                    if len(kept) > 20:
                        at = random.integers(20)
                        value, x = kept.pop(at)
                        assert (x == value).all()
            done.append(seed)
        done = []
        threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
        for each in threads: each.start()
        for each in threads: each.join()
        from redcoll.memory import arena
        print(sorted(done), arena.live_bytes())
        """
    ) == ["False", "True", "True", "[0,", "1,", "2,", "3]", "0"]


@needs_compiled
def test_shared_arrays_child_has_copies_after_a_fork():
    assert run(
        """
        import warnings
        warnings.simplefilter("ignore")
        redcoll.shared_arrays()
        from redcoll.memory import arena
        xs = [np.full(100_000, i) for i in range(5)]
        reader, writer = os.pipe()
        back, ready = os.pipe()
        child = os.fork()
        if not child:
            os.read(reader, 1)  # the parent has changed its arrays
            seen = all((x == i).all() for i, x in enumerate(xs))
            xs[0][:] = 77
            del xs[1]
            new = np.ones(100_000)
            is_private = arena.place() is None and arena.offset(new.ctypes.data) < 0
            warned = []
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                redcoll.shared_arrays()
                warned = [str(each.message) for each in caught]
            os._exit(0 if seen and is_private and "forked" in warned[0] else 1)
        for i, x in enumerate(xs):
            x[:] = 100 + i
        os.write(writer, b"1")
        _, status = os.waitpid(child, 0)
        print(status, all((x == 100 + i).all() for i, x in enumerate(xs)))
        again = np.ones(100_000)
        print(arena.offset(again.ctypes.data) >= 0)
        """
    ) == ["0", "True", "True"]


@needs_compiled
def test_shared_arrays_from_the_environment():
    program = "print(is_shared(np.ones(10_000)))"
    assert run(program, REDCOLL_SHARED_ARRAYS="1") == ["True"]
    assert run(program, REDCOLL_SHARED_ARRAYS="0") == ["False"]


@needs_compiled
def test_shared_arrays_without_address_space_warn():
    assert run(
        """
        import resource
        resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            chosen = redcoll.shared_arrays(max_bytes=1 << 40)
        print(chosen.is_on, "ordinary" in str(caught[0].message), is_shared(np.ones(10_000)))
        print(redcoll.shared_arrays(max_bytes=1 << 20).is_on, is_shared(np.ones(10_000)))
        """
    ) == ["False", "True", "False", "True", "True"]


@pytest.mark.parametrize("wrong", ["0", "-1", "1.5", "'1m'"])
def test_shared_arrays_max_bytes_wrong(wrong):
    [text] = run(
        f"""
        try:
            redcoll.shared_arrays({wrong})
        except redcoll.ArgumentError as error:
            print("max_bytes" in str(error))
        """
    )
    assert text == "True"
