"""Test the report of ``python -m redcoll info`` in a running job."""

import pytest

import redcoll
from redcoll import info

pytestmark = pytest.mark.mpi


def rows(report):
    lines = report.partition("\nSettings\n")[0].splitlines()
    return {line[:22].strip(): line[22:] for line in lines if line.startswith("  ")}


@pytest.mark.one_node
def test_the_report_counts_pes_and_heap():
    before = rows(info.report())
    assert before["ranks"] == str(redcoll.n_pes())
    assert before["nodes"] == "1"
    array = redcoll.zeros(3 << 10, "uint8")
    during = rows(info.report())
    redcoll.free(array)
    after = rows(info.report())

    used, blocks = before["used"].split(" in ")
    if used == "0 bytes":
        assert during["used"] == "3 KiB in 1 block"
    assert int(during["used"].split()[-2]) == int(blocks.split()[0]) + 1
    assert after["used"] == before["used"]
    assert after["size"] == before["size"] == during["size"]


def test_a_wrong_setting_on_one_pe_is_reported_on_all(monkeypatch):
    last = redcoll.n_pes() - 1
    if redcoll.my_pe() == last:
        monkeypatch.setenv("REDCOLL_SPIN", "many")
    report = info.report()
    if redcoll.my_pe() == last:
        assert "\n  REDCOLL_SPIN              wrong, see the hints  (environment)\n" in report
    assert "* REDCOLL_SPIN='many': it takes a whole number from 0" in report
    assert rows(report)["not started"] == "a setting is wrong, see the hints"
