"""Test ranks that lack a resource for a team: all ranks raise the same error, or MPI reduces."""

import pytest
from jobs.conftest import SPEECH

PROGRAM = (
    SPEECH
    + """
import resource
from mpi4py import MPI
import numpy as np
pe, n = MPI.COMM_WORLD.rank, MPI.COMM_WORLD.size
import redcoll
from redcoll import MPI as ours, kernels
kernels.load(kernels.choose()), redcoll.allreduce, redcoll.init
source, target = np.full(3, pe + 1.0), np.zeros(3)
MPI.COMM_WORLD.Allreduce(source, target)  # MPI has its connections

class Exhausted:
    def __init__(self, what, left=0):
        self.what, self.held = what, []
        if what == "descriptors":
            soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
            resource.setrlimit(resource.RLIMIT_NOFILE, (min(soft, 128), hard))
        try:
            while len(self.held) < 5000:
                self.held.append(self.take())
        except (OSError, MPI.Exception):
            pass
        self.give_back(left)

    def take(self):
        if self.what == "descriptors":
            return os.open("/dev/null", os.O_RDONLY)
        return MPI.COMM_SELF.Dup()

    def give_back(self, most=5000):
        while self.held and most:
            most -= 1
            one = self.held.pop()
            os.close(one) if self.what == "descriptors" else one.Free()
"""
)


def run(start_job, text, n=3, **environment):
    return start_job(PROGRAM + text, n, prelude=False, REDCOLL_TIMEOUT="20", **environment)


WHAT = [("descriptors", left) for left in (0, 4)]
WHAT += [("communicators", left) for left in (0, 1, 2, 3)]


@pytest.fixture(params=WHAT, ids=lambda what: f"{what[0]}-{what[1]}")
def lack(request, vendor):
    if request.param[0] == "communicators" and vendor != "mpich":
        pytest.skip("only MPICH has so few communicators that a program can use them up")
    return request.param


@pytest.mark.parametrize(("who", "node_size"), [("one", ""), ("all", ""), ("one", "1")])
def test_a_rank_that_has_run_out_fails_on_all(start_job, lack, who, node_size):
    """Native calls that need a new team raise on all ranks until the resources are back."""
    what, left = lack
    if node_size and what == "communicators" and left:
        pytest.skip("MPICH's own collectives hang once it has refused a communicator on one rank")
    text = f"""
def attempt(name, call):
    try:
        call()
        told = "made"
    except (redcoll.TeamLimitError, redcoll.HeapError) as error:
        told = type(error).__name__
    everybody = MPI.COMM_WORLD.allgather(told)
    assert len(set(everybody)) == 1, (name, everybody)
    found.append(name + " " + told)  # a file cannot be opened now

def team():
    team = redcoll.Team.from_comm(MPI.COMM_WORLD)
    redcoll.allreduce(target, source, team=team)
    assert target.tolist() == [n * (n + 1) / 2] * 3
    team.close()

def reduce():
    target[:] = 0
    comm.Allreduce(source, target)
    assert target.tolist() == [n * (n + 1) / 2] * 3

found = []
comm = ours.COMM_WORLD.Dup()
lacking = Exhausted("{what}", {left}) if pe == 1 or "{who}" == "all" else None
attempt("MPI", reduce)
attempt("MPI", reduce)
comm.Free()
attempt("team", team)
attempt("world", redcoll.init)
if lacking is not None:
    lacking.give_back()
attempt("team", team)
attempt("world", redcoll.init)
redcoll.allreduce(target, source)
assert target.tolist() == [n * (n + 1) / 2] * 3
say("\\n".join(found))
"""
    job = run(start_job, text, REDCOLL_NODE_SIZE=node_size)
    job.succeed(60)
    for pe in range(3):
        lines = job.lines(pe)
        assert lines[:2] == ["MPI made"] * 2, job.describe()
        assert lines[-2:] == ["team made", "world made"], job.describe()
        if what == "descriptors" or left == 0:
            assert lines[2:4] == ["team TeamLimitError", "world TeamLimitError"], job.describe()
