"""Test how usable cores are counted, and how messages name PEs."""

import math

import pytest

from redcoll import topology
from redcoll.topology import Process, names_of, on_hosts, usable_cores


def process(*cores, quota=math.inf, host="host1"):
    return Process(host, 17, "", frozenset(cores), quota)


@pytest.mark.parametrize(
    ("processes", "cores"),
    [
        ([process(0, 1, 2, 3)], 4),
        # The launcher has bound each process to its own core.
        ([process(0), process(1), process(5)], 3),
        ([process(0, 1), process(1, 2)], 3),
        ([process(0), process(0)], 1),
        ([process(*range(8), quota=2.0)], 2),
        ([process(*range(8), quota=2.9), process(*range(8))], 2),
        ([process(0, 1, quota=16.0)], 2),
        ([process(*range(8), quota=0.25)], 1),
        ([process()], 1),
    ],
)
def test_usable_cores_is_the_union_of_masks_within_the_quota(processes, cores):
    assert usable_cores(processes) == cores


V2 = "/sys/fs/cgroup/cpu.max"
V1_QUOTA, V1_PERIOD = (f"/sys/fs/cgroup/cpu/cpu.cfs_{word}_us" for word in ("quota", "period"))


@pytest.mark.parametrize(
    ("files", "quota"),
    [
        ({}, math.inf),
        ({V2: "max 100000\n"}, math.inf),
        ({V2: "150000 100000\n"}, 1.5),
        ({V2: "400000 100000\n", V1_QUOTA: "100000\n", V1_PERIOD: "100000\n"}, 4.0),
        ({V1_QUOTA: "-1\n", V1_PERIOD: "100000\n"}, math.inf),
        ({V1_QUOTA: "50000\n", V1_PERIOD: "100000\n"}, 0.5),
        ({V1_QUOTA: "50000\n"}, math.inf),
        ({V2: ""}, math.inf),
        ({V2: "100000 0\n"}, math.inf),
    ],
)
def test_core_quota_of_both_versions_of_control_groups(monkeypatch, files, quota):
    def text(path):
        if path not in files:
            raise FileNotFoundError(path)
        return files[path]

    monkeypatch.setattr(topology, "_text", text)
    assert topology._core_quota() == quota


def test_names_of_pes_include_the_host_if_there_are_several():
    here, there = process(0), process(0, host="host2")
    assert on_hosts(names_of([0, 3]), [here, here]) == ["PE 0", "PE 3"]
    assert on_hosts(names_of([0, 3]), [here, there]) == ["PE 0 on host1", "PE 3 on host2"]


def test_names_of_the_members_of_a_communicator_are_their_ranks():
    assert names_of([0, 1], by_rank=True) == ["rank 0", "rank 1"]
    assert names_of([3, 0], by_rank=True) == ["rank 0 (PE 3)", "rank 1 (PE 0)"]
