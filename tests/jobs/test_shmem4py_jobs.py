"""Test programs with shmem4py's interface: the examples, start and end."""

import textwrap
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

# The part of PE 0's output that has the same form for all numbers of PEs.
EXAMPLES = {
    "hello": "hello from PE 0 of {n} (redcoll ",
    "pi": "pi is 3.14159265",
    "rotget": "rotget: PE 0 has [",
    "rotput": "rotput: PE 0 has [",
    "ping": "ping: 131072 bytes, ",
    "broadcast": "broadcast: {n} roots, the last sent [",
    "collect": "collect: [0",
    "fcollect": "fcollect: [0.0, 0.0",
    "alltoall": "alltoall: [[0, 0]",
    "lock": "lock: {n} PEs counted to {many}",
    "race": "race: victories of each PE: [",
    "heat": "as computed by one PE",
}


def program_of(name, *arguments):
    """Return a program that runs an example with these arguments."""
    return textwrap.dedent(
        f"""
        import runpy, sys
        sys.argv[:] = {[name, *map(str, arguments)]!r}
        runpy.run_path({str(ROOT / "examples" / "shmem" / f"{name}.py")!r}, run_name="__main__")
        """
    )


@pytest.fixture
def run_example(start_job):
    def run(name, n, *arguments, timeout_s=100):
        job = start_job(program_of(name, *arguments), n, prelude=False, REDCOLL_TIMEOUT="60")
        job.succeed(timeout_s)
        return job.out

    return run


def test_every_example_is_run():
    assert sorted(EXAMPLES) == [
        path.stem for path in sorted((ROOT / "examples/shmem").glob("*.py"))
    ]


@pytest.mark.parametrize("n", [1, 4])
@pytest.mark.parametrize("name", EXAMPLES)
def test_examples(name, n, run_example):
    out = run_example(name, n)
    assert EXAMPLES[name].format(n=n, many=50 * n) in out


def test_hello_prints_in_order(start_job):
    """All PEs write to one file, because the launcher may reorder the output of PEs."""
    all_in_one = """
        import os
        path = os.path.join(os.path.dirname(__file__), "hello")
        os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND), 1)
        """
    program = textwrap.dedent(all_in_one) + program_of("hello")
    job = start_job(program, 4, prelude=False)
    job.succeed()
    lines = (job.directory / "hello").read_text().splitlines()
    assert [line.split()[3] for line in lines] == ["0", "1", "2", "3"]


@pytest.mark.parametrize(("n", "grid"), [(3, "1 x 3"), (16, "4 x 4")])
def test_heat_on_more_pes(n, grid, run_example):
    out = run_example("heat", n, 37, 41, 200)
    assert f"37 x 41 points on {grid} PEs, 200 steps" in out


# -- start and end --------------------------------------------------------------------------------


@pytest.fixture
def run_program(start_job):
    def run(text, n=2, **environment):
        return start_job(textwrap.dedent(text), n, prelude=False, **environment)

    return run


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({}, "True True"),
        ({"SHMEM4PY_RC_FINALIZE": "0"}, "True True"),
        ({"SHMEM4PY_RC_FINALIZE": "1"}, "True False"),
        ({"SHMEM4PY_RC_INITIALIZE": "0"}, "False True"),
        ({"SHMEM4PY_RC_INITIALIZE": "0", "SHMEM4PY_RC_FINALIZE": "1"}, "False False"),
        ({"SHMEM4PY_RC_THREADS": "1", "SHMEM4PY_RC_THREAD_LEVEL": "single"}, "True True"),
    ],
)
def test_rc_sets_when_the_library_starts_and_ends(environment, expected, run_program):
    job = run_program(
        """
        import atexit, os
        from redcoll import world

        def last():
            os.write(1, f"{at_first} {world.is_running()}\\n".encode())

        atexit.register(last)  # runs after handlers that are registered later
        from redcoll_shmem import shmem
        at_first = world.is_running()
        shmem.init()
        shmem.init()
        """,
        **environment,
    )
    job.succeed()
    assert job.out.splitlines() == [expected] * 2


def test_rc_in_the_program(run_program):
    job = run_program(
        """
        from redcoll_shmem import rc
        rc.initialize = False
        from redcoll import world
        from redcoll_shmem import shmem
        assert not world.is_running()
        level = shmem.init_thread(shmem.THREAD_FUNNELED)
        assert level == shmem.query_thread() and isinstance(level, shmem.THREAD)
        x = shmem.ones(3)
        block = shmem.alloc(8)
        lock, signal = shmem.Lock(), shmem.new_signal()
        shmem.sum_reduce(x, x)
        shmem.finalize()
        shmem.finalize()
        # After finalize, freeing does nothing, and results can still be read.
        shmem.free(x)
        shmem.free(x)
        shmem.free(block)
        lock.destroy()
        shmem.del_signal(signal)
        assert x.tolist() == [2.0] * 3
        for call in (
            lambda: shmem.put(x, x.copy(), 0),
            lambda: shmem.sum_reduce(x, x),
            lambda: shmem.zeros(3),
            shmem.barrier_all,
            shmem.TEAM_WORLD.sync,
            shmem.my_pe,
            shmem.init,
        ):
            try:
                call()
            except RuntimeError:
                continue
            raise SystemExit("no error after the end")
        """
    )
    job.succeed()


def test_waiting_for_pes_that_have_left(run_program):
    job = run_program(
        """
        import sys
        from redcoll_shmem import shmem
        flag = shmem.zeros(1, "l")
        if shmem.my_pe():
            sys.exit()
        try:
            shmem.wait_until(flag, "==", 3)
        except ConnectionError as error:
            print(error)
        """,
        3,
    )
    job.succeed()
    assert "wait_until(ivar eq 3), it is 0: all other PEs have left" in job.out


def test_an_exception_on_one_pe_ends_the_job(run_program):
    job = run_program(
        """
        from redcoll_shmem import shmem
        x = shmem.zeros(1, "l")
        if shmem.my_pe() == 1:
            raise ValueError("one of us")
        try:
            shmem.wait_until(x, "==", 1)
        finally:
            shmem.free(x)
        """,
        3,
        REDCOLL_TIMEOUT="20",
    )
    job.fail(60)
    assert "ValueError: one of us" in job.err


def test_global_exit(run_program):
    job = run_program(
        """
        from redcoll_shmem import shmem
        if shmem.my_pe() == 1:
            shmem.global_exit(3)
        shmem.barrier_all()
        """,
        3,
    )
    assert job.fail() == 3
