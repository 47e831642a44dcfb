"""Run the programs of examples/shmem, which check their own results, on several hosts."""

from __future__ import annotations

import pytest
from jobs.test_shmem4py_jobs import EXAMPLES, program_of

pytestmark = pytest.mark.root


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples(start_on, two_hosts, name):
    job = start_on(two_hosts, [2, 2], program_of(name), REDCOLL_TIMEOUT="60")
    job.succeed(100)
    assert EXAMPLES[name].format(n=4, many=200) in job.out


@pytest.mark.parametrize("cyclic", [False, True])
def test_heat_on_three_hosts(start_on, three_hosts, cyclic):
    program = program_of("heat", 37, 41, 200)
    job = start_on(three_hosts, [1, 2, 3], program, cyclic=cyclic, REDCOLL_TIMEOUT="60")
    job.succeed(100)
    assert "37 x 41 points on 2 x 3 PEs, 200 steps" in job.out
