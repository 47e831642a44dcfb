"""Test jobs with too little shared memory, and that jobs leave no files in shared memory."""

import os
import re
import shutil
import signal
import subprocess

import pytest

MIB = 1 << 20


def _why_not() -> str | None:
    """Return why no private mount namespace can be made; None if it can be made."""
    if os.geteuid():
        return "needs root, for a mount namespace of its own"
    if shutil.which("unshare") is None:
        return "needs unshare (util-linux)"
    command = ["unshare", "-m", "mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", "/dev/shm"]
    result = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
    return f"no mount namespace: {result.stderr.strip()}" if result.returncode else None


REASON = _why_not()
pytestmark = [pytest.mark.root, pytest.mark.skipif(REASON is not None, reason=str(REASON))]

# Mount an empty file system of this size, run a command, and list the files that remain.
PRIVATE = """
mount -t tmpfs -o size={size} tmpfs /dev/shm || exit 99
"$@"
code=$?
ls -A /dev/shm > {listing}
exit $code
"""


@pytest.fixture
def start_inside(start_job, tmp_path):
    """Return a function that starts a job with a private shared-memory file system."""

    def start(program, n, size, **options):
        listing = tmp_path / "left"
        script = PRIVATE.format(size=size, listing=listing)
        inside = ("unshare", "-m", "sh", "-c", script, "sh")
        job = start_job(program, n, inside=inside, **options)
        job.listing = listing
        return job

    return start


def left(job):
    """Return the files that a job left in the file system."""
    return job.listing.read_text().split()


# -- too small ----------------------------------------------------------------------------------


def check_heap_error(job, asked_bytes):
    code = job.fail(60)
    assert code not in (-signal.SIGBUS, 128 + signal.SIGBUS, signal.SIGBUS), job.describe()
    assert "Bus error" not in job.err
    [line, *_] = [line for line in job.err.splitlines() if "HeapError:" in line]
    numbers = [int(word) for word in re.findall(r"\d+", line)]
    # The message has the number of requested bytes, including about a page of heap bookkeeping.
    assert any(asked_bytes <= number < asked_bytes + MIB for number in numbers), line
    # The message has the number of bytes that MPI's files leave free in the file system.
    assert any(8 * MIB < number <= 64 * MIB for number in numbers), line
    assert "SHMEM_SYMMETRIC_SIZE" in line
    job.wait_until_gone()


@pytest.mark.parametrize("n", [1, 2, 4])
def test_a_heap_larger_than_the_file_system(start_inside, n):
    job = start_inside("", n, "64m", SHMEM_SYMMETRIC_SIZE="1g")
    check_heap_error(job, 1 << 30)


def test_heaps_that_only_together_are_too_large(start_inside):
    job = start_inside("", 4, "64m", SHMEM_SYMMETRIC_SIZE="20m")
    check_heap_error(job, 20 * MIB)


def test_the_error_can_be_handled(start_inside):
    """All PEs catch the error, and the job continues without a heap."""
    job = start_inside(
        """
        import os
        from mpi4py import MPI
        import redcoll
        try:
            redcoll.init()
        except redcoll.HeapError:
            os.write(1, b"HeapError\\n")
        MPI.COMM_WORLD.Barrier()
        """,
        2,
        "64m",
        prelude=False,
        SHMEM_SYMMETRIC_SIZE="1g",
    )
    job.succeed()
    assert job.out == "HeapError\n" * 2


@pytest.mark.parametrize("wrong", ["too large", "differs"])
def test_a_start_without_a_heap_can_be_tried_again(start_inside, wrong):
    """Failed starts leave no team, window or communicator behind."""
    job = start_inside(
        f"""
        import os
        from mpi4py import MPI
        import numpy as np
        import redcoll
        from redcoll.memory import shared_window
        from redcoll.liveness import shutdown
        pe = MPI.COMM_WORLD.rank
        wrong = "1g" if "{wrong}" == "too large" else f"{{4 + pe}}m"
        os.environ["SHMEM_SYMMETRIC_SIZE"] = wrong
        for turn in range(30):
            try:
                redcoll.init()
            except (redcoll.HeapError, redcoll.ArgumentError):
                left = shutdown.registered(), shared_window.mapped_bytes()
                assert left == (0, 0), left
            else:
                raise AssertionError
        os.environ["SHMEM_SYMMETRIC_SIZE"] = "4m"
        redcoll.init()
        x = np.ones(3)
        redcoll.allreduce(x, x.copy())
        os.write(1, f"{{x.tolist()}}\\n".encode())
        """,
        2,
        "64m",
        prelude=False,
    )
    job.succeed()
    assert job.out == "[2.0, 2.0, 2.0]\n" * 2


@pytest.mark.parametrize("n", [2, 4])
def test_the_default_heap_shrinks_to_the_free_memory(start_inside, n):
    """The whole heap can be written, without a bus error on the last page."""
    job = start_inside(
        """
        from redcoll import world
        heap = world.start().heap.allocator
        x = redcoll.empty(heap.largest_free_bytes, np.uint8)
        x[...] = 7
        big = np.ones(300_000)
        redcoll.allreduce(big, big)
        say(x.sum() == 7 * x.size, big[-1] == n, x.size >= 1 << 20)
        """,
        n,
        "64m",
    )
    job.succeed()
    for pe in range(n):
        assert job.lines(pe) == ["True True True"]


def test_teams_beyond_the_free_memory(start_inside):
    """A team whose scratch memory does not fit raises an error when it is made."""
    job = start_inside(
        """
        from mpi4py import MPI
        teams = []
        try:
            while len(teams) < 190:
                teams.append(redcoll.Team.from_comm(MPI.COMM_WORLD))
        except redcoll.HeapError as error:
            say("HeapError", "scratch" in str(error))
        x = np.ones(300_000)
        for team in teams:
            redcoll.allreduce(x, x, redcoll.MAX, team=team)
        say(len(teams) > 3, x[-1])
        """,
        2,
        "64m",
        SHMEM_SYMMETRIC_SIZE="8m",
    )
    job.succeed()
    assert job.lines(0) == job.lines(1) == ["HeapError True", "True 1.0"]


def test_exhaustion_by_allocation(start_inside):
    job = start_inside(
        """
        arrays = []
        try:
            while True:
                arrays.append(redcoll.ones(1 << 17))
        except redcoll.HeapError as error:
            say(len(arrays), error)
        say(sum(int(array.sum()) for array in arrays) == len(arrays) << 17)
        """,
        2,
        "64m",
        SHMEM_SYMMETRIC_SIZE="8m",
    )
    job.succeed()
    for pe in (0, 1):
        error, intact = job.lines(pe)
        assert intact == "True"
        assert error.startswith(("8 ", "7 "))
        assert "1048576 bytes asked for" in error


# -- no leftovers ---------------------------------------------------------------------------------

USE_ALL = """
from mpi4py import MPI
x = redcoll.ones(1000)
redcoll.allreduce(x, x)
reduce(100_000)
reduce(active_set=redcoll.ActiveSet(0, 0, 2)) if pe < 2 else None
team = redcoll.Team.from_comm(MPI.COMM_WORLD)
redcoll.barrier(team=team)
"""

ENDS = {
    "return": "",
    "finalize": "redcoll.finalize()",
    "MPI.Finalize": "MPI.Finalize()",
    "exit code": "sys.exit(3)",
    "exception on all": "raise KeyError",
    "exception on one": "if pe == 1: raise KeyError\nreduce()",
    "exception on one, others idle": "if pe == 1: raise KeyError\ntime.sleep(1)",
    "return on one": "if pe == 1: sys.exit(0)\nreduce()",
    "mismatch": "reduce(3 + pe)",
    "heap exhausted": "redcoll.empty(1 << 50)",
}

MPI_FILES = ("mpich_shm_", "sm_segment")


@pytest.mark.parametrize("end", ENDS)
def test_nothing_is_left_after_exit(start_inside, end):
    job = start_inside(USE_ALL + ENDS[end], 3, "256m")
    code = job.wait(60)
    assert (code == 0) == (end in ("return", "finalize", "MPI.Finalize")), job.describe()
    job.wait_until_gone()
    # After an abort a file of MPI may remain. redcoll's memory has no file name.
    ours = [name for name in left(job) if code == 0 or not name.startswith(MPI_FILES)]
    assert ours == [], job.describe()


def test_nothing_of_redcolls_is_left_after_a_kill(start_inside):
    """After a kill only files of MPI may remain, because redcoll's memory has no file name."""
    job = start_inside(USE_ALL + "import signal\nos.kill(os.getpid(), signal.SIGKILL)", 3, "256m")
    job.fail(60)
    job.wait_until_gone()
    assert all(name.startswith(MPI_FILES) for name in left(job)), left(job)
