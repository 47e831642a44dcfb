"""Define fixtures for hosts, and for jobs on hosts."""

from __future__ import annotations

import pytest
from hosts import network
from jobs.conftest import LAUNCHER, VENDOR, Job


@pytest.fixture(scope="session", autouse=True)
def _hosts_can_be_made():
    reason = network.unavailable()
    if reason:
        pytest.skip(reason)


@pytest.fixture(scope="module")
def two_hosts():
    with network.Hosts(2) as hosts:
        yield hosts


@pytest.fixture(scope="module")
def three_hosts():
    with network.Hosts(3) as hosts:
        yield hosts


@pytest.fixture
def vendor() -> str:
    """Return ``mpich`` or ``openmpi``."""
    return VENDOR


@pytest.fixture(params=sorted(network.NETMODS) if VENDOR == "mpich" else [None])
def netmod(request) -> str | None:
    """Return each key of ``NETMODS`` for MPICH; ``None`` for Open MPI, which always uses TCP."""
    return request.param


def pytest_report_header() -> str:
    return (
        f"between hosts: {network.default_netmod()}" if VENDOR == "mpich" else "between hosts: tcp"
    )


@pytest.fixture
def start_on(tmp_path):
    """
    Return a function that starts a :class:`Job`: ``start_on(hosts, [2, 2], program)``.

    ``options`` are passed to the launcher. ``netmod`` is as in :meth:`network.Hosts.environment`.
    After the test, the fixture ends all processes of the jobs.
    """
    jobs = []

    def start(
        hosts, pes, program, *, cyclic=False, options=(), prelude=False, netmod=None, **environment
    ):
        launcher = hosts.launcher(
            VENDOR, pes, cyclic=cyclic, mpiexec=LAUNCHER[0], options=[*LAUNCHER[1:], *options]
        )
        environment = {**hosts.environment(VENDOR, netmod), **environment}
        directory = tmp_path / str(len(jobs))
        job = Job(directory, program, sum(pes), prelude=prelude, launcher=launcher, **environment)
        jobs.append(job)
        return job

    yield start
    for job in jobs:
        job.end()
