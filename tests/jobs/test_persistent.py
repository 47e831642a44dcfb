"""Test that MPI performs persistent reductions, so that the reductions progress in any MPI call."""

import textwrap

import pytest

APART = {"REDCOLL_NODE_SIZE": "1"}


@pytest.mark.parametrize("settings", [{}, APART], ids=["one node", "two nodes"])
@pytest.mark.parametrize("count", [1, 131_072])
def test_persistent_reductions_complete_while_ranks_wait_in_mpi(start_job, settings, count):
    """MPI 4.1, section 6.13, lets rank 0 complete the reduction while rank 1 is in `Recv`."""
    text = f"""
        from redcoll import MPI
        comm = MPI.COMM_WORLD
        source = np.full({count}, pe + 1.0)
        made = dict(Allreduce_init=[3, 3], Reduce_init=[3, 0], Scan_init=[1, 3])
        comm.Allreduce(source, np.empty({count}))  # redcoll serves this communicator
        for name, results in made.items():
            target = np.zeros({count})
            request = getattr(comm, name)(source, target)
            for step in range(3):
                target[:] = 0
                request.Start()
                if pe == 0:
                    request.Wait()
                    comm.Send(bytearray(1), 1)
                else:
                    comm.Recv(bytearray(1), 0)
                    request.Wait()
                assert (target == results[pe]).all(), (name, target)
            request.Free()
        say("complete")
        """
    job = start_job(textwrap.dedent(text), 2, **settings)
    job.succeed(40)
    assert [job.lines(pe) for pe in (0, 1)] == [["complete"]] * 2, job.describe()
