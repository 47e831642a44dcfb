"""
Break redcoll on purpose, and see whether the tests notice.

``make mutants`` (or ``python tests/mutants.py [NAME...]``) copies the repository to
``build/mutants`` and changes one place there. Then it runs the tests that should notice the change,
for at most ``TIMEOUT_S``. The changed copy is a mutant. If a test fails or hangs, the mutant is
killed. A mutant that survives shows that a test is missing. Run the script with the Python of an
environment that ``make test`` made. If the environment has no Cython, mutants of the compiled
kernel are left out.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TREE = ROOT / "build" / "mutants"
TIMEOUT_S = 300
COPIED = ("redcoll", "redcoll_shmem", "redcoll_pvm", "tests", "examples", "docs")
FILES = ("pyproject.toml", "setup.py", "README.md", "Makefile", "CHANGELOG.md")
KERNEL = "redcoll/kernels/_compiled/"


@dataclass(frozen=True)
class Mutant:
    """One change, with the kernel and the test files that should notice it."""

    name: str
    path: str
    old: str
    new: str
    kernel: str
    tests: str
    pes: int = 3


def unit(name: str, path: str, old: str, new: str, tests: str) -> Mutant:
    return Mutant(name, path, old, new, "", tests, 0)


MUTANTS = [
    # Reductions in rank order.
    unit(
        "numpy-fold-leaves-one-out",
        "redcoll/kernels/_python/folds.py",
        "for operand in operands[2:]:",
        "for operand in operands[3:]:",
        "test_fold.py -k numpy",
    ),
    unit(
        "numpy-fold-over-third-source",
        "redcoll/kernels/_python/folds.py",
        "for source in sources[2:])",
        "for source in sources[3:])",
        "test_fold.py -k numpy",
    ),
    Mutant(
        "numpy-fold-over-third-source-by-reduce",
        "redcoll/kernels/_python/folds.py",
        "for source in sources[2:])",
        "for source in sources[3:])",
        "numpy",
        "test_reductions.py",
    ),
    Mutant(
        "numpy-scan-leaves-second-out",
        "redcoll/kernels/_python/folds.py",
        "            elif index:",
        "            elif index > 1:",
        "numpy",
        "test_reductions.py",
    ),
    Mutant(
        "complex-product",
        "redcoll/ops.py",
        "real = a.real * b.real - a.imag * b.imag",
        "real = a.real * b.real + a.imag * b.imag",
        "numpy",
        "test_reductions.py",
    ),
    Mutant(
        "minloc-larger-index",
        "redcoll/ops.py",
        "lower = tie & (b_index < a_index)",
        "lower = tie & (b_index > a_index)",
        "numpy",
        "test_reductions.py",
    ),
    Mutant(
        "maxloc-later-nan",
        "redcoll/ops.py",
        "take |= b_nan & ~a_nan",
        "take |= b_nan",
        "numpy",
        "test_reductions.py",
    ),
    unit(
        "slices-of-whole-grains",
        "redcoll/protocol/partition.py",
        "min(index * grains // n * grain, count)",
        "min(grains // n * index * grain, count)",
        "test_internode_parts.py",
    ),
    # Synchronisation rounds and buffers.
    Mutant(
        "numpy-one-room",
        "redcoll/kernels/_python/rounds.py",
        "views: list[Array] = call.views[sequence % len(call.views)]",
        "views: list[Array] = call.views[0]",
        "numpy",
        "test_concurrency.py test_reductions.py",
    ),
    Mutant(
        "numpy-count-not-posted",
        "redcoll/kernels/_python/rounds.py",
        "            words[head + COUNT] = call.count\n",
        "",
        "numpy",
        "test_errors.py",
    ),
    Mutant(
        "settle-off-by-one",
        KERNEL + "rounds.pyx",
        "cdef int64_t end = min(upto + 1, self.sequence)",
        "cdef int64_t end = min(upto, self.sequence)",
        "compiled",
        "test_run_ahead.py",
    ),
    Mutant(
        "twice-as-far-ahead",
        KERNEL + "rounds.pyx",
        "self._ahead = scratch.depth // 2",
        "self._ahead = scratch.depth * 2",
        "compiled",
        "test_run_ahead.py",
    ),
    Mutant(
        "ahead-without-a-look",
        KERNEL + "fastpath.pyx",
        "            do_agree &= self._says(sequence, index, work.word, work.count, work.extra)\n"
        "        if not do_agree:\n            self.catch_up()",
        "            pass\n        if not do_agree:\n            self.catch_up()",
        "compiled",
        "test_run_ahead.py",
    ),
    unit(
        "store-without-release",
        KERNEL + "channel.hpp",
        "__atomic_store_n(word, value, __ATOMIC_RELEASE)",
        "__atomic_store_n(word, value, __ATOMIC_RELAXED)",
        "test_races.py",
    ),
    unit(
        "load-without-acquire",
        KERNEL + "channel.hpp",
        "return __atomic_load_n(word, __ATOMIC_ACQUIRE)",
        "return __atomic_load_n(word, __ATOMIC_RELAXED)",
        "test_races.py",
    ),
    # Arguments and collectives.
    Mutant(
        "root-may-be-size",
        "redcoll/collectives/_arguments.py",
        'integer(root, "root", 0, team.size - 1)',
        'integer(root, "root", 0, team.size)',
        "compiled",
        "test_errors.py -k root",
    ),
    Mutant(
        "alltoall-first-block",
        "redcoll/collectives/alltoall.py",
        "theirs[::source_step][start:stop]",
        "theirs[::source_step][:count]",
        "compiled",
        "test_data_movement.py",
    ),
    Mutant(
        "strict-order-by-node",
        "redcoll/internode/span.py",
        'is_strict = order == "strict"',
        "is_strict = False",
        "compiled",
        "test_nodes.py",
    ),
    unit(
        "active-set-past-the-end",
        "redcoll/activeset.py",
        "if last >= n_pes:",
        "if last > n_pes:",
        "test_activeset.py",
    ),
    # Symmetric memory.
    unit(
        "free-merges-no-follower",
        "redcoll/memory/heap.py",
        "if end in self._free_from:",
        "if end in ():",
        "test_allocator.py",
    ),
    Mutant(
        "freed-memory-is-used",
        "redcoll/memory/heap.py",
        "def refuse_freed(self, array: Array, name: str) -> None:\n",
        "def refuse_freed(self, array: Array, name: str) -> None:\n        return\n",
        "numpy",
        "test_heap.py",
    ),
    # The other APIs, and settings.
    Mutant(
        "shmem-overlap-by-one",
        "redcoll_shmem/_reducing.py",
        "if 0 < apart < to.nbytes:",
        "if 0 < apart < to.nbytes - to.itemsize:",
        "compiled",
        "test_shmem_errors.py",
    ),
    Mutant(
        "buffer-cut-silently",
        "redcoll/MPI/_message.py",
        "if count is not None and count > left:",
        "if count is not None and count > memory.size:",
        "compiled",
        "test_mpi_errors.py",
    ),
    Mutant(
        "sum-of-bytes",
        "redcoll/MPI/_datatypes.py",
        "return legal is None or op in legal",
        "return True",
        "compiled",
        "test_mpi_compat.py",
    ),
    unit(
        "stall-warning-later",
        "redcoll/config.py",
        "    60.0,\n",
        "    61.0,\n",
        "test_config.py",
    ),
    # The machinery of the tests.
    unit(
        "teardown-not-exchanged",
        "redcoll/testing/__init__.py",
        "        if code in self._announced:\n",
        '        if call.when == "teardown":\n            return\n'
        "        if code in self._announced:\n",
        "../jobs/test_pytest_plugin.py",
    ),
]


def copy_tree() -> None:
    """Copy everything that the tests need, including the built compiled kernel."""
    shutil.rmtree(TREE, ignore_errors=True)
    TREE.mkdir(parents=True)
    skipped = shutil.ignore_patterns("__pycache__", ".hypothesis")
    for name in COPIED:
        shutil.copytree(ROOT / name, TREE / name, ignore=skipped)
    for name in FILES:
        shutil.copy(ROOT / name, TREE / name)


def environment(mutant: Mutant) -> dict[str, str]:
    kernel = {"REDCOLL_KERNEL": mutant.kernel} if mutant.kernel else {}
    path = os.environ.get("PYTHONPATH", "")
    # With these settings, a test that hangs fails before TIMEOUT_S.
    waits = {"REDCOLL_TIMEOUT": "20", "REDCOLL_TEST_DEADLINE": "60", "PYTHONDONTWRITEBYTECODE": "1"}
    return {**os.environ, **kernel, **waits, "PYTHONPATH": f"{TREE}:{path}"}


def rebuild(mutant: Mutant) -> None:
    command = [sys.executable, "setup.py", "-q", "build_ext", "--inplace"]
    subprocess.run(
        command,
        cwd=TREE,
        env={**environment(mutant), "CFLAGS": "-O1"},
        check=True,
        capture_output=True,
    )


def is_killed(mutant: Mutant) -> bool:
    """Run the tests on the changed tree; return whether a test failed or hung."""
    files = [
        f"tests/{'mpi' if mutant.pes else 'unit'}/{word}" if word.endswith(".py") else word
        for word in mutant.tests.split()
    ]
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *files]
    if mutant.pes:
        # Only tests that are part of `make test` may kill the mutant.
        mpiexec = str(Path(sys.executable).parent / "mpiexec")
        command = [mpiexec, "-n", str(mutant.pes), *command, "--with-mpi", "-m", "not soak"]
    with (TREE / "log").open("w") as log:
        process = subprocess.Popen(
            command,
            cwd=TREE,
            env=environment(mutant),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
        try:
            return process.wait(TIMEOUT_S) != 0
        except subprocess.TimeoutExpired:
            return True
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()


def main() -> int:
    chosen = [each for each in MUTANTS if each.name in (sys.argv[1:] or [each.name])]
    copy_tree()
    survivors = []
    for mutant in chosen:
        changed = TREE / mutant.path
        text = (ROOT / mutant.path).read_text()
        if text.count(mutant.old) != 1:
            print(f"{mutant.name}: the place to change is not in {mutant.path} any more")
            survivors.append(mutant.name)
            continue
        # Unit tests themselves compile the files that they need.
        needs_build = mutant.path.startswith(KERNEL) and mutant.pes
        if needs_build and importlib.util.find_spec("Cython") is None:
            print(f"{mutant.name}: left out, no Cython")
            continue
        changed.write_text(text.replace(mutant.old, mutant.new))
        if needs_build:
            rebuild(mutant)
        start = time.monotonic()
        killed = is_killed(mutant)
        lines = (TREE / "log").read_text(errors="replace").splitlines()
        by = next((line for line in lines if line.startswith(("FAILED", "ERROR"))), mutant.tests)
        verdict = "killed" if killed else "SURVIVED"
        print(f"{mutant.name}: {verdict} in {time.monotonic() - start:.0f} s: {by}", flush=True)
        survivors += [] if killed else [mutant.name]
        changed.write_text(text)
        if needs_build:
            rebuild(mutant)
    print(f"{len(chosen) - len(survivors)} killed or left out, {len(survivors)} not: {survivors}")
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main())
