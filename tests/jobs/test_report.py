"""Test reports of ``REDCOLL_REPORT`` and ``run --report``.

A report has a row for each pair of a call and a way, such as redcoll, nonblocking or persistent.
"""

import json

import pytest

RUN = ("-m", "redcoll", "run")

# EXPECTED maps each call and way of this program to the numbers of calls and bytes on a rank.
EVERY_WAY = """
    import numpy as np
    from mpi4py import MPI

    world = MPI.COMM_WORLD
    x, y = np.ones(4), np.zeros(4)

    class OnDevice:
        __cuda_array_interface__ = dict(np.ones(3).__array_interface__, version=3)
        def __dlpack_device__(self):
            return 2, 0

    for _ in range(10):
        world.Allreduce(x, y)
    world.Allreduce(MPI.IN_PLACE, y)
    world.Allreduce([x, 2, MPI.DOUBLE], [y, 2, MPI.DOUBLE])
    world.Reduce(x, y if world.rank == 0 else None)
    world.Scan(x, y)
    world.Exscan(x, y)
    world.Reduce_scatter_block(np.ones(2 * world.size), np.zeros(2))
    world.Reduce_scatter(np.ones(2 * world.size), np.zeros(2), [2] * world.size)
    world.allreduce(1)
    world.allreduce(np.float32(1))
    world.allreduce({1, 2}, op=lambda a, b: a | b)
    world.argmax(1.5)
    world.Iallreduce(x, y).Wait()
    world.Ireduce(x, y if world.rank == 0 else None).Wait()
    plan = world.Allreduce_init(x, y)
    for _ in range(3):
        plan.Start()
        plan.Wait()
    plan.Free()
    columns = MPI.DOUBLE.Create_vector(2, 1, 2).Commit()
    op = MPI.Op.Create(lambda a, b, datatype: None)
    world.Allreduce([x, 1, columns], [y, 1, columns], op=op)
    half = world.Create_cart([world.size])
    half.Allreduce(x, y)
    half.Sub([True]).Allreduce(x, y)
    world.Split(world.rank % 2).Allreduce(x, y)
    # Reduce on an intercommunicator between rank 0 and all other ranks.
    side = world.Split(world.rank > 0)
    between = side.Create_intercomm(0, world, 1 if world.rank == 0 else 0)
    between.Allreduce(x, y)
    between.allreduce(1)
    """
EXPECTED = {
    ("Allreduce", "redcoll"): (15, 15 * 32 - 16),
    ("Reduce", "redcoll"): (1, 32),
    ("Scan", "redcoll"): (1, 32),
    ("Exscan", "redcoll"): (1, 32),
    ("Reduce_scatter_block", "redcoll"): (1, 48),
    ("Reduce_scatter", "redcoll"): (1, 48),
    ("allreduce", "redcoll"): (2, 12),
    ("argmax", "redcoll"): (1, 8),
    ("allreduce", "object"): (1, 0),
    ("Iallreduce", "nonblocking"): (1, 32),
    ("Ireduce", "nonblocking"): (1, 32),
    ("Allreduce_init", "persistent"): (1, 32),
    ("Allreduce", "derived datatype"): (1, 16),
    ("Allreduce", "intercommunicator"): (1, 32),
    ("allreduce", "intercommunicator"): (1, 8),
}


def table(file):
    report = json.loads(file.read_text())
    return report, {
        (row["call"], row["way"]): (row["calls"], row["n_bytes"]) for row in report["rows"]
    }


def times(n, expected):
    return {key: (n * calls, n * n_bytes) for key, (calls, n_bytes) in expected.items()}


@pytest.mark.parametrize(
    "through", [(*RUN, "--report=counts.json"), RUN], ids=["option", "setting"]
)
def test_report_counts_each_call_by_the_way_it_took(start_job, through):
    environment = {} if "--report=counts.json" in through else {"REDCOLL_REPORT": "counts.json"}
    job = start_job(EVERY_WAY, 3, prelude=False, through=through, **environment)
    job.succeed()
    report, counts = table(job.directory / "counts.json")
    assert report["ranks"] == 3
    assert report["note"] == ""
    assert counts == times(3, EXPECTED)
    assert all(0 < row["seconds"] < 60 for row in report["rows"])


def test_report_names_what_is_missing_for_a_team(start_job):
    job = start_job(
        """
        import numpy as np
        from redcoll import MPI

        world = MPI.COMM_WORLD
        y = np.zeros(1)
        for comm in (world, world.Dup(), world.Dup()):
            comm.Allreduce(np.ones(1), y)
            assert comm.allreduce(1) == 2
        """,
        2,
        prelude=False,
        REDCOLL_REPORT="counts.json",
        REDCOLL_MAX_TEAMS="1",
    )
    job.succeed()
    assert table(job.directory / "counts.json")[1] == times(
        2,
        {
            ("Allreduce", "redcoll"): (1, 8),
            ("allreduce", "redcoll"): (1, 8),
            ("Allreduce", "too many teams"): (2, 16),
            ("allreduce", "too many teams"): (2, 16),
        },
    )


def test_report_counts_device_buffers_as_mpis(start_job):
    """If one rank passes a device buffer, all ranks use MPI."""
    job = start_job(
        """
        import numpy as np
        from redcoll import MPI

        class Device:
            def __init__(self, array):
                self.__cuda_array_interface__ = dict(array.__array_interface__, version=3)

        world, x, y = MPI.COMM_WORLD, np.ones(3), np.zeros(3)
        world.Allreduce(Device(x) if world.rank else x, Device(y) if world.rank else y)
        assert (y == 2).all()
        """,
        2,
        prelude=False,
        REDCOLL_REPORT="counts.json",
    )
    job.succeed()
    report, _ = table(job.directory / "counts.json")
    assert sorted((row["call"], row["way"], row["calls"]) for row in report["rows"]) == [
        ("Allreduce", "another rank's arguments", 1),
        ("Allreduce", "device buffer", 1),
    ]


def test_report_counts_the_core_and_the_shmem_api(start_job):
    job = start_job(
        """
        import numpy as np
        import redcoll
        import redcoll_shmem as shmem
        from redcoll_shmem import shmem as pythonic

        me, n = redcoll.my_pe(), redcoll.n_pes()
        y = np.zeros(5)
        redcoll.allreduce(y, np.ones(5))
        redcoll.allreduce(y, np.ones(5), op="max")
        redcoll.reduce(y if me == 0 else None, np.ones(5))
        redcoll.scan(y, np.ones(5))
        target, source = shmem.zeros(8, "int64"), shmem.ones(8, "int64")
        work = shmem.zeros(max(4, shmem.SHMEM_REDUCE_MIN_WRKDATA_SIZE), "int64")
        sync = shmem.full(shmem.SHMEM_REDUCE_SYNC_SIZE, shmem.SHMEM_SYNC_VALUE, "int64")
        shmem.shmem_int64_sum_reduce(shmem.SHMEM_TEAM_WORLD, target, source, 6)
        shmem.shmem_long_sum_to_all(target, source, 3, 0, 0, n, work, sync)
        shmem.shmem_sum_reduce(shmem.SHMEM_TEAM_WORLD, target, source, 8)
        pythonic.max_reduce(target, source, size=2)
        redcoll.exact_sum(np.ones((3, 2)), 0)
        redcoll.exact_dot(np.ones(4), np.ones(4))
        redcoll.histogram(np.ones(6), np.array([0.0, 1.0, 2.0]))
        redcoll.mean(axis=np.int64(0), x=np.ones((3, 3)))
        shmem.redcoll_exact_sum(shmem.SHMEM_TEAM_WORLD, np.ones(5))
        shmem.redcoll_exact_dot(shmem.SHMEM_TEAM_WORLD, np.ones(2), np.ones(2))
        shmem.redcoll_allreduce_many(shmem.SHMEM_TEAM_WORLD, [np.ones(5), 1.5], "sum")
        shmem.redcoll_reduce_many(shmem.SHMEM_TEAM_WORLD, values=(1, 2), op="max", PE_root=0)
        shmem.redcoll_var(shmem.SHMEM_TEAM_WORLD, np.ones((3, 2)), 0)
        shmem.redcoll_topk(shmem.SHMEM_TEAM_WORLD, x=np.ones(4), k=2)
        """,
        3,
        prelude=False,
        REDCOLL_REPORT="counts.json",
    )
    job.succeed()
    assert table(job.directory / "counts.json")[1] == times(
        3,
        {
            ("redcoll.allreduce", "redcoll"): (2, 80),
            ("redcoll.reduce", "redcoll"): (1, 40),
            ("redcoll.scan", "redcoll"): (1, 40),
            ("shmem_int64_sum_reduce", "redcoll"): (1, 48),
            ("shmem_long_sum_to_all", "redcoll"): (1, 24),
            ("shmem_sum_reduce", "redcoll"): (1, 64),
            ("shmem.max_reduce", "redcoll"): (1, 16),
            ("redcoll.exact_sum", "redcoll"): (1, 48),
            ("redcoll.exact_dot", "redcoll"): (1, 32),
            ("redcoll.histogram", "redcoll"): (1, 48),
            ("redcoll.mean", "redcoll"): (1, 72),
            ("redcoll_exact_sum", "redcoll"): (1, 40),
            ("redcoll_exact_dot", "redcoll"): (1, 16),
            ("redcoll_allreduce_many", "redcoll"): (1, 48),
            ("redcoll_reduce_many", "redcoll"): (1, 16),
            ("redcoll_var", "redcoll"): (1, 48),
            ("redcoll_topk", "redcoll"): (1, 32),
        },
    )


ONE_CALL = """
    import numpy as np
    from redcoll import MPI

    world = MPI.COMM_WORLD
    world.Allreduce(np.ones(1), np.zeros(1))
    """


@pytest.mark.quick
def test_report_is_one_table_on_standard_error(start_job):
    job = start_job(ONE_CALL, 3, prelude=False, REDCOLL_REPORT="1")
    job.succeed()
    first, head, row = job.err.splitlines()
    assert first == "redcoll: 3 calls of reductions on 3 ranks: 3 by redcoll, 100 %, 0 by MPI"
    assert head.split() == ["call", "reduced", "by", "calls", "bytes", "seconds", "a", "rank"]
    assert row.split()[:4] == ["Allreduce", "redcoll", "3", "24"]
    assert job.out == ""


@pytest.mark.parametrize("setting", ["0", "", "off"])
def test_without_a_report_nothing_is_counted(start_job, setting):
    program = (
        ONE_CALL
        + """
    import sys
    assert "redcoll.tally" not in sys.modules
    assert not hasattr(MPI.Intracomm.Allreduce, "__wrapped__")
    """
    )
    job = start_job(program, 2, prelude=False, REDCOLL_REPORT=setting)
    job.succeed()
    assert job.err == ""


def test_report_of_a_program_that_calls_finalize(start_job):
    job = start_job(ONE_CALL + "MPI.Finalize()\n", 3, prelude=False, REDCOLL_REPORT="1")
    job.succeed()
    assert "3 calls of reductions on 3 ranks" in job.err


@pytest.mark.parametrize("name", ["REDCOLL_REPORT", "REDCOLL_PROFILE"])
@pytest.mark.parametrize("rank", [0, 1])
def test_report_on_one_rank_alone_ends_the_job(start_job, name, rank):
    """Without a check, the job could wait for 60 s at its end."""
    start = f"""
    import os
    if os.environ.get("PMI_RANK", os.environ.get("PMIX_RANK")) == "{rank}":
        os.environ["{name}"] = "1"
    """
    job = start_job(start + ONE_CALL, 2, prelude=False)
    job.fail(30)
    found = ", ".join(f"rank {each}: {'set' if each == rank else 'unset'}" for each in range(2))
    text = f"ConfigError: {name} must be the same everywhere; found {found}"
    assert job.err.count(text) == 2, job.describe()
    job.wait_until_gone()


def test_reports_with_different_names_of_files(start_job):
    """Only rank 0 uses its name."""
    start = """
    import os
    rank = os.environ.get("PMI_RANK", os.environ.get("PMIX_RANK"))
    os.environ["REDCOLL_REPORT"] = f"./counts-{rank}.json"
    """
    job = start_job(start + ONE_CALL, 2, prelude=False)
    job.succeed()
    assert table(job.directory / "counts-0.json")[1] == {("Allreduce", "redcoll"): (2, 16)}


def test_report_leaves_the_programs_own_receives_alone(start_job):
    program = (
        ONE_CALL
        + """
    if world.rank == 0:
        pending = world.Irecv(bytearray(10_000), MPI.ANY_SOURCE, MPI.ANY_TAG)
    """
    )
    job = start_job(program, 3, prelude=False, REDCOLL_REPORT="1")
    job.succeed(30)
    assert "redcoll: 3 calls of reductions on 3 ranks" in job.err


def test_report_of_a_job_without_reductions(start_job):
    job = start_job("from mpi4py import MPI\n", 2, prelude=False, through=(*RUN, "--report"))
    job.succeed()
    assert job.err == "redcoll: 0 calls of reductions on 2 ranks: 0 by redcoll, 0 by MPI\n"


def test_report_of_an_aborted_job_is_rank_0_alone(start_job):
    program = ONE_CALL + "\n    if world.rank == 0:\n        raise ValueError('mine')\n"
    job = start_job(
        program + "    world.recv(source=0)\n", 3, prelude=False, through=(*RUN, "--report")
    )
    job.fail(30)
    assert (
        "redcoll: 1 calls of reductions on 1 rank: 1 by redcoll, 100 %, 0 by MPI; the job was "
        "aborted, so this is rank 0 alone" in job.err
    ), job.describe()
    job.wait_until_gone()


def test_report_does_not_delay_a_job_whose_ranks_die(start_job):
    job = start_job(
        ONE_CALL
        + """
    import os, signal
    if world.rank == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    """,
        3,
        prelude=False,
        survivors=True,
        REDCOLL_REPORT="1",
    )
    job.wait(45)
    job.wait_until_gone()


def test_report_refuses_a_name_that_is_no_file(start_job):
    job = start_job(ONE_CALL, 1, prelude=False, REDCOLL_REPORT="yess")
    job.fail(30)
    assert (
        "ConfigError: REDCOLL_REPORT='yess': it takes 0, 1 or a file's name with a dot or a slash"
        in job.err
    )


def test_report_that_cannot_be_written_goes_to_standard_error(start_job):
    job = start_job(ONE_CALL, 1, prelude=False, REDCOLL_REPORT="/no/such/place.txt")
    job.succeed()
    assert "REDCOLL_REPORT=/no/such/place.txt: No such file or directory" in job.err
    assert "1 calls of reductions on 1 rank" in job.err
