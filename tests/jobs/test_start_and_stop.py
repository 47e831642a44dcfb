"""Test how programs start and stop: without a launcher, in any import order, and with forks."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from jobs.conftest import SPEECH

ROOT = Path(__file__).resolve().parents[2]

WORK = """
import numpy as np
x = redcoll.full(1000, redcoll.my_pe() + 1.0)
redcoll.allreduce(x, x)
n = redcoll.n_pes()
assert (x == n * (n + 1) / 2).all()
y = np.zeros(100_000)
redcoll.allreduce(y, np.ones(100_000), redcoll.MAX, active_set=redcoll.ActiveSet(0, 0, n))
assert (y == 1).all()
redcoll.free(x)
import os
os.write(1, f"{redcoll.my_pe()} of {n} done\\n".encode())
"""


def done(n):
    return sorted(f"{pe} of {n} done" for pe in range(n))


@pytest.mark.smoke
@pytest.mark.quick
@pytest.mark.parametrize("n", [1, 2, 3])
def test_a_program_under_the_launcher(start_job, n):
    job = start_job("import redcoll\n" + WORK, n, prelude=False)
    job.succeed()
    assert sorted(job.out.split("\n")[:-1]) == done(n)
    assert "redcoll" not in job.err


def test_a_program_without_a_launcher(tmp_path):
    """A program without a launcher is what MPI calls a singleton."""
    script = tmp_path / "program.py"
    script.write_text("import redcoll\n" + WORK)
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    result = subprocess.run(
        [sys.executable, str(script)],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    assert result.stdout.split("\n")[:-1] == done(1)


@pytest.mark.parametrize(
    "imports",
    [
        "from mpi4py import MPI\nimport redcoll\n",
        "import redcoll\nfrom mpi4py import MPI\n",
        "import redcoll\nredcoll.init()\nfrom mpi4py import MPI\n",
        "import mpi4py\nmpi4py.rc.threads = False\nimport redcoll\n",
        "import mpi4py\nmpi4py.rc.thread_level = 'serialized'\nimport redcoll\n",
        "from redcoll import *\nimport redcoll\n",
        "import numpy\nimport redcoll_shmem\nimport redcoll_pvm\nimport redcoll\n",
        "from mpi4py import MPI\nMPI.COMM_WORLD.Barrier()\nimport redcoll\n",
    ],
    ids=lambda text: text.replace("\n", "; ")[:60],
)
def test_imports_in_any_order(start_job, imports):
    job = start_job(imports + WORK, 2, prelude=False)
    job.succeed()
    assert sorted(job.out.split("\n")[:-1]) == done(2)


def test_a_program_that_initializes_mpi_itself(start_job):
    program = """
import mpi4py
mpi4py.rc.initialize = False
mpi4py.rc.finalize = False
from mpi4py import MPI
import redcoll
assert not MPI.Is_initialized()
MPI.Init_thread(MPI.THREAD_MULTIPLE)
"""
    job = start_job(program + WORK + "MPI.Finalize()\n", 2, prelude=False)
    job.succeed()
    assert sorted(job.out.split("\n")[:-1]) == done(2)


def test_mpi_that_is_never_initialized(start_job):
    """Without ``MPI.Init``, redcoll raises an error that names ``MPI.Init``."""
    program = """
import mpi4py
mpi4py.rc.initialize = False
import redcoll
try:
    redcoll.init()
except redcoll.StateError as error:
    import os
    os.write(1, f"StateError {'MPI.Init' in str(error)}\\n".encode())
"""
    job = start_job(program, 2, prelude=False)
    job.wait()
    assert job.out == "StateError True\n" * 2, job.describe()


# -- the end ------------------------------------------------------------------------------------


def test_after_finalize_every_call_raises_state_error(start_job):
    job = start_job(
        """
        from mpi4py import MPI
        x = redcoll.ones(5)
        own = redcoll.Team.from_comm(MPI.COMM_WORLD)
        reduce(active_set=redcoll.ActiveSet(pe, 0, 1))
        redcoll.finalize()
        redcoll.finalize()
        calls = {
            "allreduce": lambda: redcoll.allreduce(x, x),
            "private": lambda: reduce(),
            "active set": lambda: reduce(active_set=redcoll.ActiveSet(pe, 0, 1)),
            "barrier": redcoll.barrier,
            "empty": lambda: redcoll.empty(3),
            "free": lambda: redcoll.free(x),
            "init": redcoll.init,
            "my_pe": redcoll.my_pe,
            "n_pes": redcoll.n_pes,
        }
        for name, call in calls.items():
            try:
                call()
            except redcoll.StateError as error:
                assert "finalized" in str(error), error
            else:
                say(name, "raised nothing")
        # Results can still be read, and MPI goes on.
        assert (x == 1).all()
        assert MPI.COMM_WORLD.allreduce(1) == n
        say("end")
        """,
        2,
    )
    job.succeed()
    assert job.lines(0) == job.lines(1) == ["end"]


def test_after_mpi_finalize_every_call_raises_state_error(start_job):
    job = start_job(
        """
        from mpi4py import MPI
        x = redcoll.ones(5)
        reduce()
        MPI.Finalize()
        for call in (reduce, redcoll.barrier, lambda: redcoll.empty(3), lambda: redcoll.free(x)):
            try:
                call()
            except redcoll.StateError:
                pass
            else:
                say("raised nothing")
        redcoll.finalize()
        say("end")
        """,
        2,
    )
    job.succeed()
    assert job.lines(0) == job.lines(1) == ["end"]


def test_finalize_waits_for_all_and_without_a_start_does_nothing(start_job):
    job = start_job(
        """
        if pe == 1:
            time.sleep(0.5)
            mark("late")
        redcoll.finalize()
        say(is_marked("late", 1))
        """,
        2,
    )
    job.succeed()
    assert job.lines(0) == job.lines(1) == ["True"]
    job = start_job("import redcoll\nredcoll.finalize()\nredcoll.finalize()\n", 2, prelude=False)
    job.succeed()


def test_a_pe_that_uses_what_another_has_finalized(start_job):
    job = start_job(
        """
        reduce()
        if pe == 1:
            redcoll.finalize()
        else:
            reduce()
        """,
        2,
    )
    job.fail(30)
    assert "CollectiveMismatchError" in job.err
    job.wait_until_gone()


# -- placement and settings ---------------------------------------------------------------------


@pytest.mark.quick
@pytest.mark.parametrize("size", ["1", "2"])
def test_simulated_nodes_give_the_same_result_and_end(start_job, size):
    job = start_job("say(*reduce(), *reduce(50_000)[:1])", 3, REDCOLL_NODE_SIZE=size)
    job.succeed(30)
    said = [job.lines(pe) for pe in range(3)]
    assert said[0], job.describe()
    assert said == [said[0]] * 3
    assert "WARN" not in job.err


def test_nodes_as_large_as_the_job_are_one(start_job):
    job = start_job("say(*reduce())", 2, REDCOLL_NODE_SIZE="2")
    job.succeed()
    assert job.lines(0) == ["3.0 3.0"]


SETTINGS = {
    "REDCOLL_TIMEOUT": "soon",
    "REDCOLL_KERNEL": "fortran",
    "REDCOLL_MAX_TEAMS": "0",
    "REDCOLL_SMALL_BYTES": "x",
    "SHMEM_SYMMETRIC_SIZE": "much",
    "REDCOLL_NODE_SIZE": "-1",
    "REDCOLL_SPIN": "-1",
    "REDCOLL_STALL_WARN": "0",
}


def test_wrong_settings_are_errors_on_all_pes(start_job):
    """Each wrong setting raises on all PEs. With correct settings redcoll then starts."""
    program = f"""
from mpi4py import MPI
import redcoll
pe = MPI.COMM_WORLD.rank
for name, value in {SETTINGS!r}.items():
    os.environ[name] = value
    try:
        redcoll.init()
    except redcoll.ConfigError as error:
        say(f"{{name}}={{value!r}}" in str(error))
    else:
        say(name, "raised nothing")
    del os.environ[name]
say(redcoll.n_pes())
"""
    job = start_job(SPEECH + program, 2, prelude=False)
    job.succeed(30)
    assert job.lines(0) == job.lines(1) == ["True"] * len(SETTINGS) + ["2"], job.describe()


@pytest.mark.parametrize("name", SETTINGS)
def test_a_wrong_setting_on_one_pe_does_not_hang_the_others(start_job, name):
    program = f"""
import os
if os.environ.get("PMI_RANK", os.environ.get("PMIX_RANK")) == "1":
    os.environ[{name!r}] = {SETTINGS[name]!r}
import redcoll
redcoll.init()
redcoll.barrier()
"""
    job = start_job(program, 3, prelude=False)
    job.fail(30)
    assert f"{name}={SETTINGS[name]!r}" in job.err, job.describe()


@pytest.mark.parametrize("name", ["REDCOLL_TIMEOUT", "REDCOLL_STALL_WARN"])
def test_a_wrong_time_limit_on_one_rank_is_an_error_on_all(start_job, name):
    """The rank with the wrong limit makes its first reduction first, and waits for the others."""
    program = f"""
import redcoll
from redcoll import MPI
pe = MPI.COMM_WORLD.rank
if pe == 1:
    os.environ[{name!r}] = {SETTINGS[name]!r}
else:
    time.sleep(0.5)
try:
    MPI.COMM_WORLD.allreduce(1)
except redcoll.ConfigError as error:
    say({name!r} in str(error))
"""
    job = start_job(SPEECH + program, 2, prelude=False)
    job.succeed(30)
    assert job.lines(0) == job.lines(1) == ["True"], job.describe()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("REDCOLL_SMALL_BYTES", "512"),
        ("REDCOLL_CHUNK_BYTES", "64k"),
        ("REDCOLL_HEAP_BYTES", "2m"),
        ("SHMEM_SYMMETRIC_SIZE", "3m"),
    ],
)
def test_settings_that_must_be_the_same_on_all_pes(start_job, name, value):
    program = f"""
import os
if os.environ.get("PMI_RANK", os.environ.get("PMIX_RANK")) == "1":
    os.environ[{name!r}] = {value!r}
import redcoll
redcoll.init()
"""
    job = start_job(program, 3, prelude=False)
    job.fail(30)
    assert job.err.count(f"ConfigError: {name} must be the same everywhere") == 3, job.describe()
    job.wait_until_gone()


def test_a_heap_size_that_one_pe_alone_has_set_to_the_default(start_job):
    """Both sizes are 128 MiB, so the message must show that only PE 1 has set its size."""
    job = start_job(
        """
        import os
        if os.environ.get("PMI_RANK", os.environ.get("PMIX_RANK")) == "1":
            os.environ["REDCOLL_HEAP_BYTES"] = "128m"
        import redcoll
        redcoll.init()
        """,
        2,
        prelude=False,
    )
    job.fail(30)
    size = 128 << 20
    text = f"must be the same everywhere; found PE 0: {size} (not set), PE 1: {size}"
    assert job.err.count(f"REDCOLL_HEAP_BYTES {text}") == 2, job.describe()


def test_the_limit_of_teams_holds_for_active_sets(start_job):
    """All members of a set beyond the limit get an error; earlier sets keep working."""
    job = start_job(
        """
        sets = [redcoll.ActiveSet(0, 0, 2), redcoll.ActiveSet(0, 1, 2), redcoll.ActiveSet(0, 0, 3)]
        mine = [active for active in sets if active.index(pe) is not None]
        for _ in range(3):
            for active in mine:
                try:
                    reduce(active_set=active)
                except redcoll.TeamLimitError as error:
                    say(active.size, "REDCOLL_MAX_TEAMS" in str(error))
        redcoll.barrier()
        for active in mine[:-1]:
            reduce(active_set=active)
        say(*reduce())
        """,
        4,
        REDCOLL_MAX_TEAMS="3",
        REDCOLL_TIMEOUT="20",
    )
    job.succeed()
    for pe in (0, 1, 2):  # PE 0 is in three sets and in the world
        assert job.lines(pe) == ["3 True"] * 3 + ["10.0 10.0"], job.describe()
    assert job.lines(3) == ["10.0 10.0"]


@pytest.mark.parametrize(
    "program",
    [
        "",
        """
        from redcoll import MPI
        for comm in (MPI.COMM_WORLD, MPI.COMM_WORLD.Dup(), MPI.COMM_WORLD.Dup()):
            comm.allreduce(1)
        redcoll.barrier()
        """,
    ],
    ids=["core", "MPI"],
)
def test_a_typo_warns_once(start_job, program):
    job = start_job(program, 3, REDCOLL_TIMOUT="5")
    job.succeed()
    assert job.err.count("REDCOLL_TIMOUT is not a setting") == 1
    assert "REDCOLL_TIMEOUT" in job.err


# -- child processes ---------------------------------------------------------------------------


FORKS = {
    "subprocess": """
import subprocess
assert subprocess.run([sys.executable, "-c", "print(7)"], capture_output=True).stdout == b"7\\n"
""",
    "os.fork": """
child = os.fork()
if child == 0:
    os._exit(0)
os.waitpid(child, 0)
""",
    "a killed fork": """
import signal
child = os.fork()
if child == 0:
    time.sleep(60)
os.kill(child, signal.SIGKILL)
os.waitpid(child, 0)
""",
    "a fork that runs exit handlers": """
child = os.fork()
if child == 0:
    import atexit
    atexit._run_exitfuncs()
    os._exit(0)
os.waitpid(child, 0)
""",
    "a fork that forgets its arrays": """
import gc
child = os.fork()
if child == 0:
    del x
    gc.collect()
    os._exit(0)
os.waitpid(child, 0)
""",
    "multiprocessing": """
import multiprocessing
with multiprocessing.get_context("fork").Pool(2) as pool:
    assert pool.map(abs, [-1, -2]) == [1, 2]
""",
    "a fork that stays": """
child = os.fork()
if child == 0:
    time.sleep(1)
    os._exit(0)
""",
}


CHECK = """
assert reduce() == (3.0, 3.0)
assert reduce(100_000) == (3.0, 3.0)
redcoll.allreduce(x, x)
assert (x == n).all()
"""


def test_processes_of_the_program_do_not_disturb(start_job):
    steps = [
        f"x = redcoll.ones(1000)\n{make}{CHECK}say({name!r})\n" for name, make in FORKS.items()
    ]
    job = start_job(
        "reduce()\n" + "".join(steps) + "time.sleep(0.3)\nsay(*reduce())\n",
        2,
        REDCOLL_TIMEOUT="20",
    )
    job.succeed()
    assert job.lines(0) == job.lines(1) == [*FORKS, "3.0 3.0"], job.describe()
    assert "redcoll" not in job.err


@pytest.mark.parametrize("kind", ["world", "team", "MPI"])
def test_a_forked_child_cannot_use_its_parents_teams(start_job, kind):
    """A call in the child raises, because it would write to its parent's part of the memory."""
    job = start_job(
        f"""
        from mpi4py import MPI
        from redcoll import MPI as ours
        team = redcoll.Team.from_comm(MPI.COMM_WORLD)
        comm = ours.COMM_WORLD.Dup()
        source, target = np.full(3, pe + 1.0), np.zeros(3)
        calls = {{
            "world": lambda: redcoll.allreduce(target, source),
            "team": lambda: redcoll.allreduce(target, source, team=team),
            "MPI": lambda: comm.Allreduce(source, target),
        }}
        for call in calls.values():
            call()
        call = calls["{kind}"]
        if pe == 1:
            child = os.fork()
            if not child:
                told = []
                for attempt in (call, call, team.close):
                    try:
                        attempt()
                        told.append("no error")
                    except redcoll.StateError as error:
                        told.append("forked" in str(error))
                told.append(redcoll.my_pe())
                say(*told)
                os._exit(0)
            say(os.waitpid(child, 0)[1])
        for call in calls.values():
            target[:] = 0
            call()
            assert target.tolist() == [3.0] * 3
        team.close()
        say("done")
        """,
        2,
        REDCOLL_TIMEOUT="20",
    )
    job.succeed()
    assert job.lines(0) == ["done"]
    assert job.lines(1) == ["True True True 1", "0", "done"], job.describe()
