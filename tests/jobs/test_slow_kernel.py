"""Test that a line on standard error reports a missing compiled kernel.

``python -m redcoll info`` gives the reason.
"""

import pytest

from redcoll import kernels

HIDE_EXTENSIONS = """
import importlib.util

find = importlib.util.find_spec
importlib.util.find_spec = lambda name, *rest: None if "._compiled." in name else find(name, *rest)
"""
EVERY_API = """
import numpy as np
from redcoll import MPI

x, y = np.ones(4), np.zeros(4)
MPI.COMM_WORLD.Allreduce(x, y)
import redcoll
redcoll.allreduce(y, x)
import redcoll_pvm
redcoll_pvm.pvm_joingroup("all")
MPI.COMM_WORLD.Dup().Allreduce(x, y)
"""
ONE_API = {
    "redcoll": "import redcoll; redcoll.init()",
    "redcoll_shmem": "import redcoll_shmem as shmem; shmem.shmem_init()",
    "mpi4py": "from redcoll import MPI; MPI.COMM_WORLD.allreduce(1)",
    "pvm": "from redcoll_pvm import *; pvm_mytid()",
}
LINE = "redcoll: the compiled kernel is not installed."

pytestmark = pytest.mark.quick


def test_slow_kernel_is_reported_once(start_job):
    job = start_job(HIDE_EXTENSIONS + EVERY_API, 2, prelude=False, REDCOLL_KERNEL="")
    job.succeed()
    assert job.err.count(LINE) == 1, job.describe()
    (line,) = [line for line in job.err.splitlines() if LINE in line]
    assert line + "\n" == kernels.SLOW
    for said in ("NumPy kernel", "3 times slower", "install a wheel", "REDCOLL_KERNEL=numpy"):
        assert said in line


@pytest.mark.parametrize("api", ONE_API)
def test_slow_kernel_is_reported_by_each_api(start_job, api):
    job = start_job(HIDE_EXTENSIONS + ONE_API[api], 2, prelude=False, REDCOLL_KERNEL="")
    job.succeed()
    assert job.err.count(LINE) == 1, job.describe()


def test_slow_kernel_is_not_reported_where_it_was_asked_for(start_job):
    program = HIDE_EXTENSIONS + EVERY_API
    job = start_job(program, 2, prelude=False, REDCOLL_KERNEL="numpy")
    job.succeed()
    assert LINE not in job.err, job.describe()


def test_info_shows_the_cost_of_the_slow_kernel(start_job):
    program = HIDE_EXTENSIONS + "from redcoll import info; raise SystemExit(info.main())"
    job = start_job(program, 2, prelude=False, REDCOLL_KERNEL="")
    job.succeed()
    said = " ".join(job.out.split())
    assert "numpy (the compiled one was not built)" in said, job.describe()
    assert "What that costs" in said, job.describe()
    assert "To get the compiled one, install a wheel" in said, job.describe()
