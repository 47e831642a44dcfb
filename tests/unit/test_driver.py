"""Test the table of tests/run.py, and how tests/run.py reads reports."""

import importlib.util
import re
import sys
from collections import Counter
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def driver():
    spec = importlib.util.spec_from_file_location("driver_of_tests", TESTS / "run.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look up their module here
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]


REPORT = """<testsuites><testsuite>
<testcase classname="a" name="good"/>
<testcase classname="a" name="bad"><failure message="assert 1 == 2"/></testcase>
<testcase classname="a" name="away"><skipped message="no C++ compiler"/></testcase>
<testcase classname="a" name="alone"><skipped message="needs 3 PEs"/></testcase>
</testsuite></testsuites>"""
PASSING = re.sub("<failure[^>]*>", "", REPORT)


def judge(driver, folder, *reports, at_least=0):
    run = driver.Run("run", folder, [], ranks=len(reports), at_least=at_least)
    for rank, text in enumerate(reports):
        if text is not None:
            run.report(rank).write_text(text)
    return driver.judge(run, None, may_be_empty=False)


def test_judge_counts_a_test_that_fails_on_one_rank_as_failed(driver, tmp_path):
    verdict = judge(driver, tmp_path, PASSING, REPORT)
    assert verdict.tally == {"passed": 1, "failed": 1, "skipped": 2}
    assert verdict.failures == ["a::bad, rank 1: assert 1 == 2"]
    assert verdict.failed_ranks == [1]
    assert verdict.skips == {"no C++ compiler": 1, "needs 3 PEs": 1}


@pytest.mark.parametrize("missing", [None, "<testsuites><testsuite>"])
def test_judge_counts_a_missing_report_as_a_failure(driver, tmp_path, missing):
    verdict = judge(driver, tmp_path, PASSING, missing)
    assert verdict.tally["failed"] == 1
    assert "no report from ranks [1]" in verdict.failures[0]


def test_judge_counts_too_few_tests_as_a_failure(driver, tmp_path):
    assert judge(driver, tmp_path, PASSING, at_least=2).tally["failed"] == 0
    verdict = judge(driver, tmp_path, PASSING, at_least=3)
    assert verdict.tally["failed"] == 1
    assert "at least 3 tests have to pass" in verdict.failures[0]


def test_strict_refuses_a_skip_that_is_not_listed(driver, tmp_path):
    verdict = judge(driver, tmp_path, PASSING)
    verdict.refuse_skips(driver.expected_skips())
    assert verdict.tally["failed"] == 1
    assert "no C++ compiler" in verdict.failures[0]


@pytest.mark.parametrize(
    "reason",
    [
        "no C++ compiler",
        "no ThreadSanitizer: cannot find -ltsan",
        "ThreadSanitizer does not run here: FATAL: ThreadSanitizer: unexpected memory mapping",
        "the compiled kernel was not built",
        "the compiled kernel cannot be imported: ModuleNotFoundError",
        "several hosts are made of network namespaces, and only root may make these",
        "several hosts are made by 'ip', which is missing (package iproute2)",
    ],
)
def test_no_listed_reason_allows_what_ci_must_have(driver, reason):
    assert not any(pattern.fullmatch(reason) for pattern in driver.expected_skips())


@pytest.mark.parametrize("tier", ["smoke", "test", "thorough", "all"])
def test_rows_of_one_tier_have_names_of_their_own(driver, tier):
    names = Counter((row.mpi, row.name) for row in driver.ROWS[tier])
    assert max(names.values()) == 1


def test_thorough_has_each_size_and_each_kernel(driver):
    rows = [row for row in driver.ROWS["thorough"] if row.kind == "mpi"]
    often = [row for row in driver.ROWS["test"] if row.kind == "mpi"]
    assert {row.pes for row in rows + often} == {1, 2, 3, 4, 5, 8, 16}
    assert {row.pes for row in rows} == {1, 2, 3, 4, 8, 16}
    for vendor in driver.IN_ALL_TIERS:
        assert {row.kernel for row in rows if row.mpi == vendor} == {"numpy", "compiled"}


def test_thorough_has_each_part_of_what_is_divided(driver):
    parts = {(row.kind, row.marks): set() for row in driver.ROWS["thorough"] if row.part != "1/1"}
    for row in driver.ROWS["thorough"]:
        if row.part != "1/1":
            parts[row.kind, row.marks].add(row.part)
    assert parts
    assert all(found == {"1/2", "2/2"} for found in parts.values())


def test_all_has_each_kernel_at_each_size_on_each_mpi(driver):
    found = {
        (row.mpi, row.kernel, row.pes)
        for row in driver.ROWS["all"]
        if row.kind == "mpi" and not (row.marks or row.files or row.environment)
    }
    assert len(found) == 2 * 2 * 7
