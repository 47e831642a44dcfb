"""
Test jobs of the MPI API: thousands of communicators, spawned processes, and long vectors.

The tests check that no resources leak. They also check that MPI does the reductions if a
communicator gets no team because of the limit of teams.

Set ``REDCOLL_TEST_CYCLES=10000`` to make and free more communicators than by default.
"""

import os
import shlex
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
# MPICH allows about 2,000 communicators at a time, so a leak causes an error. Open MPI allows
# millions.
CYCLES = {"mpich": 2200, "openmpi": 400}
MANY = {"mpich": 1500, "openmpi": 400}

PRELUDE = """
    import os
    import numpy as np
    from redcoll import MPI

    world = MPI.COMM_WORLD

    def used():
        with open("/proc/self/maps") as maps:
            return len(os.listdir("/proc/self/fd")), sum(1 for _ in maps)

    def check(comm):
        target = np.zeros(3)
        comm.Allreduce(np.full(3, comm.rank + 1.0), target)
        assert (target == comm.size * (comm.size + 1) / 2).all()
"""


def run(n_pes, program, timeout_s, first=""):
    """Run a program that begins with the text ``first``; return its output."""
    launcher = shlex.split(os.environ.get("REDCOLL_TEST_MPIEXEC", "mpiexec"))
    text = first + textwrap.dedent(PRELUDE) + textwrap.dedent(program)
    done = subprocess.run(
        [*launcher, "-n", str(n_pes), sys.executable, "-c", text],
        cwd=ROOT,
        env={**os.environ, "REDCOLL_TIMEOUT": "60"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=timeout_s,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr, done.stderr
    return done.stdout


@pytest.mark.quick
def test_made_and_freed(vendor):
    cycles = int(os.environ.get("REDCOLL_TEST_CYCLES", CYCLES[vendor]))
    out = run(
        2,
        f"""
        for cycle in range({cycles}):
            comm = world.Dup()
            check(comm)
            comm.Free()
            if cycle == 100:
                before = used()
        after = used()
        assert all(b < a + 50 for a, b in zip(before, after)), (before, after)
        print("rank", world.rank, "is done", flush=True)
        """,
        timeout_s=max(100, cycles),
    )
    assert out.count("is done") == 2


def test_more_communicators_than_teams(vendor):
    out = run(
        4,
        f"""
        comms = []
        for _ in range({MANY[vendor]}):
            comms.append(world.Dup())
            check(comms[-1])
        assert sum(comm._attach().team is not None for comm in comms) == 200
        for comm in comms:
            check(comm)
        for comm in comms:
            comm.Free()
        comm = world.Dup()
        check(comm)
        assert comm._attach().team is not None
        print("rank", world.rank, "is done", flush=True)
        """,
        timeout_s=300,
    )
    assert out.count("is done") == 4


def test_communicators_that_are_never_freed():
    out = run(
        3,
        """
        comms = [world.Split(i % 2, world.rank) for i in range(5)]
        for comm in (*comms, MPI.COMM_SELF, world):
            check(comm)
        print("rank", world.rank, "is done", flush=True)
        """,
        timeout_s=100,
    )
    assert out.count("is done") == 3


def test_a_team_of_the_core_that_is_never_closed():
    out = run(
        2,
        """
        import redcoll
        team = redcoll.Team.from_comm(world)
        check(world)
        x = np.ones(3)
        redcoll.allreduce(x, x, team=team)
        print("rank", world.rank, "is done", x.sum(), flush=True)
        """,
        timeout_s=100,
    )
    assert out.count("is done 6.0") == 2


def test_processes_spawned_later():
    """MPI reduces on the merged communicator. A team of the core spans both worlds.

    The children may count their calls although their parents do not.
    """
    out = run(
        2,
        """
        import sys
        import redcoll
        from redcoll.team import comm_state
        # In MPICH no window spans two worlds.
        has_team = MPI.get_vendor()[0] != "MPICH"
        of_team = [
            "team = redcoll.Team.from_comm(comm)",
            "redcoll.allreduce(y, np.full(3, comm.rank + 1.0), team=team)",
            "assert (y == 10).all(), y",
            "team.close()",
        ]
        child = "; ".join([  # in one line, as MPICH wants arguments
            "import os",
            "os.environ['REDCOLL_REPORT'] = '/dev/null'",
            "import redcoll",
            "from redcoll import MPI",
            "import numpy as np",
            "parent = MPI.Comm.Get_parent()",
            "comm = parent.Merge(True)",
            "comm.Allreduce(np.full(3, comm.rank + 1.0), y := np.zeros(3))",
            "assert (y == comm.size * (comm.size + 1) / 2).all(), y",
            "assert comm.allreduce(1) == comm.size",
            *(of_team if has_team else ()),
            "comm.Free()",
            "parent.Disconnect()",
        ])
        inter = world.Spawn(sys.executable, ["-c", child], 2)
        assert type(inter) is MPI.Intercomm
        comm = inter.Merge(False)
        assert comm.size == 4
        check(comm)
        assert comm.allreduce(1) == 4
        assert comm_state.find(comm).team is None
        if has_team:
            y = np.zeros(3)
            exec("; ".join(of_team))
        comm.Free()
        inter.Disconnect()
        print("rank", world.rank, "is done", flush=True)
        """,
        timeout_s=100,
    )
    assert out.count("is done") == 2


def available_bytes():
    lines = Path("/proc/meminfo").read_text().splitlines()
    return next(int(line.split()[1]) << 10 for line in lines if line.startswith("MemAvailable"))


@pytest.mark.alone  # next to other jobs, the first use of 4 GiB takes minutes
@pytest.mark.soak
@pytest.mark.skipif(available_bytes() < 8 << 30, reason="needs 8 GiB of memory")
def test_more_than_two_to_the_31_elements():
    out = run(
        2,
        """
        n = 2**31 + 5
        values = np.ones(n, np.int8)
        values[-5:] = [3, 4, 5, 6, world.rank]
        for way in (
            lambda: world.Allreduce(MPI.IN_PLACE, values),
            lambda: world.Allreduce(MPI.IN_PLACE, [values, n, MPI.INT8_T], MPI.MAX),
        ):
            way()
            assert all((values[at : at + 2**26] == 2).all() for at in range(0, 2**31, 2**26))
            assert values[-5:].tolist() == [6, 8, 10, 12, 1]
        print("rank", world.rank, "is done", flush=True)
        """,
        timeout_s=200,
    )
    assert out.count("is done") == 2


def test_imported_before_mpi_is_initialized():
    out = run(
        2,
        """
        assert not MPI.Is_initialized()
        assert type(MPI.COMM_WORLD) is type(MPI.COMM_SELF) is MPI.Intracomm
        MPI.Init()
        check(world)
        duplicate = world.Dup()
        check(duplicate)
        duplicate.Free()
        check(MPI.COMM_SELF)
        if world.rank == 0:
            print("done")
        MPI.Finalize()
        """,
        60,
        first="import mpi4py\nmpi4py.rc.initialize = False\n",
    )
    assert out.split() == ["done"]
