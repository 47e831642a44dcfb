"""Test the plugin ``redcoll.testing`` in new pytest sessions."""

import signal
from xml.etree import ElementTree as ET

import pytest

SESSION = """
import sys

import pytest
from mpi4py import MPI

if __name__ == "__main__":
    words = ["-q", "-p", "no:cacheprovider", "-c", "pytest.ini", "-p", "redcoll.testing"]
    words.append("--color=no")
    words.append(f"--junitxml=rank-{{MPI.COMM_WORLD.rank}}.xml")
    code = pytest.main([*words, *{options}, "test_it.py"])
    with open(f"code-{{MPI.COMM_WORLD.rank}}", "w") as file:
        file.write(str(int(code)))
    sys.exit(code)
"""
START = """
import os, signal, time
import numpy as np
import pytest
from redcoll import MPI

comm = MPI.COMM_WORLD
rank, size = comm.rank, comm.size

def total(count=3):
    result = np.zeros(count)
    comm.Allreduce(np.full(count, rank + 1.0), result)
    assert (result == size * (size + 1) / 2).all()
"""


@pytest.fixture
def start_session(tmp_path, start_job):
    """Return a function that runs pytest on 3 ranks. The first argument is the tests' source."""

    def start(tests, *options, n=3, **environment):
        directory = tmp_path / "0"
        directory.mkdir()
        (directory / "pytest.ini").write_text("[pytest]\n")
        (directory / "test_it.py").write_text(START + tests)
        session = SESSION.format(options=list(options))
        return start_job(session, n, prelude=False, **environment)

    return start


def outcomes(job, n=3):
    """Return each rank's verdicts by test; check that all ranks have the same exit code."""
    found = []
    assert len({(job.directory / f"code-{rank}").read_text() for rank in range(n)}) == 1
    for rank in range(n):
        verdicts = {}
        for case in ET.parse(job.directory / f"rank-{rank}.xml").iter("testcase"):
            bad = [*case.findall("failure"), *case.findall("error"), *case.findall("skipped")]
            text = f"{bad[0].tag}: {bad[0].get('message')}\n{bad[0].text}" if bad else "passed"
            verdicts[case.get("name")] = text
        found.append(verdicts)
    return found


def test_failure_on_one_rank_fails_all(start_session):
    """After a failure on one rank, the test fails on all ranks, even on ranks that wait in redcoll.

    The next tests use a new team.
    """
    job = start_session(
        """
@pytest.fixture
def broken():
    assert rank != 2, "set-up of 2"

@pytest.fixture
def left():
    yield
    assert rank != 0, "teardown of 0"

def test_before():
    total()

def test_body():
    if rank == 1:
        print("printed by 1")
        raise AssertionError("body of 1")
    total()

def test_set_up(broken):
    raise RuntimeError("the body must not run")

def test_teardown(left):
    total(5)

@pytest.mark.parametrize("count", [1, 3000])
def test_after(count):
    total(count)

@pytest.mark.xfail(reason="on all")
def test_expected():
    assert rank != 1

@pytest.mark.xfail(reason="on none")
def test_unexpected():
    total()

def test_all():
    pytest.skip("nowhere")
"""
    )
    job.fail()
    for rank, of_rank in enumerate(outcomes(job)):
        for name, bad, kind in (
            ("test_body", 1, "failure"),
            ("test_set_up", 2, "error"),
            ("test_teardown", 0, "error"),
        ):
            assert of_rank[name].startswith(kind), f"{rank}: {of_rank}"
            assert rank == bad or f"failed on rank {bad}: " in of_rank[name]
            assert "must not run" not in of_rank[name]
        assert rank == 1 or "rank 1 failed: AssertionError: body of 1" in of_rank["test_body"]
        assert of_rank["test_before"] == "passed"
        assert of_rank["test_after[1]"] == of_rank["test_after[3000]"] == "passed"
        assert of_rank["test_expected"].startswith("skipped")
        assert of_rank["test_unexpected"] == "passed"
        assert of_rank["test_all"].startswith("skipped: nowhere")
    # A single report has the errors of all ranks.
    totals = "1 failed, 4 passed, 1 skipped, 1 xfailed, 1 xpassed, 2 errors"
    assert job.out.count(totals) == 1, job.describe()
    for text in ("body of 1", "printed by 1", "set-up of 2", "teardown of 0"):
        assert text in job.out
    assert "waited on ranks 0, 2: test_it.py:" in job.out


def test_each_failure_ends_the_waits_of_the_native_api(start_session):
    job = start_session(
        """
import redcoll

def sum_of_ones():
    result = np.zeros(1)
    redcoll.allreduce(result, np.ones(1))
    assert result == size

def test_before():
    sum_of_ones()

@pytest.mark.parametrize("turn", range(3))
def test_fails(turn):
    assert rank != 1
    sum_of_ones()

def test_after():
    sum_of_ones()
"""
    )
    job.fail()
    for of_rank in outcomes(job):
        assert of_rank["test_before"] == of_rank["test_after"] == "passed"
        for turn in range(3):
            assert of_rank[f"test_fails[{turn}]"].startswith("failure")
    assert job.out.count("3 failed, 2 passed") == 1, job.describe()


def test_error_of_the_collection_is_printed(start_session):
    """One rank cannot import the tests, and the others wait for this rank while they import."""
    job = start_session(
        """
if rank == 1:
    raise ImportError("a missing library")
total()

def test_it():
    total()
""",
        "--redcoll-timeout=2",
    )
    job.fail()
    assert "ImportError: a missing library" in job.err
    job.wait_until_gone()


@pytest.mark.parametrize("seconds", ["0", "-1", "nan", "inf", "1e10"])
def test_wrong_time_limits_are_refused(start_session, seconds):
    job = start_session("\ndef test_it():\n    pass\n", f"--redcoll-timeout={seconds}", n=2)
    job.fail()
    assert "it must be above 0 and at most 1e+09" in job.err + job.out, job.describe()


def test_junit_report_of_all_ranks(start_session):
    """If the path is the same on all ranks, rank 0 writes one report with the agreed verdicts."""
    job = start_session(
        """
def test_body():
    assert rank != 2, "body of 2"

def test_after():
    total()
""",
        "--junitxml=report.xml",
    )
    job.fail()
    (report,) = job.directory.glob("*.xml")
    (suite,) = ET.parse(report).iter("testsuite")
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("2", "1", "0")
    (failure,) = suite.iter("failure")
    assert "failed on rank 2: " in failure.get("message")
    assert "body of 2" in failure.text


def test_skip_on_some_ranks_fails_on_all(start_session):
    job = start_session(
        """
def test_some():
    if rank == 1:
        pytest.skip("not here")

def test_next():
    pass
""",
        "-x",
    )
    job.fail()
    for of_rank in outcomes(job):
        assert of_rank.keys() == {"test_some"}
        assert of_rank["test_some"].startswith("failure")
        assert "skipped on rank 1: Skipped: not here" in of_rank["test_some"]
        assert "passed on ranks 0, 2" in of_rank["test_some"]
        assert "all ranks must skip the test, or none (--redcoll-skips)" in of_rank["test_some"]


def test_skips_of_each_rank(start_session):
    job = start_session(
        """
@pytest.fixture(params=[0, 1])
def only(request):
    if rank != request.param:
        pytest.skip("another rank's")

def test_some(only):
    pass

def test_fails(only):
    raise AssertionError(f"of {rank}")
""",
        "--redcoll-skips=each",
    )
    job.fail()
    for rank, of_rank in enumerate(outcomes(job)):
        for param in (0, 1):
            verdict = "passed" if rank == param else "skipped"
            assert of_rank[f"test_some[{param}]"].startswith(verdict)
            bad = of_rank[f"test_fails[{param}]"]
            assert bad.startswith(("failure", "error"))
            assert f"of {param}" in bad


@pytest.mark.parametrize("way", ["redcoll", "MPI", "one rank"])
def test_deadline(start_session, way):
    """At the deadline a wait in redcoll raises. Any other wait is reported and ends the job."""
    late = {
        "redcoll": "total() if rank else time.sleep(2.5)",
        "MPI": "comm.recv(source=rank)",
        "one rank": "time.sleep(1000 if rank == 1 else 0)",
    }[way]
    job = start_session(f"\ndef test_late():\n    {late}\n", "--redcoll-timeout=2")
    job.fail()
    if way == "redcoll":
        for of_rank in outcomes(job):
            assert "within timeout 'test_late' of 2 s" in of_rank["test_late"]
        return
    stuck = "test_it.py::test_late did not end within 2 s (--redcoll-timeout)"
    assert f"rank 1: {stuck}" in job.err
    assert 'test_it.py", line' in job.err
    assert (way == "MPI") == (f"rank 0: {stuck}" in job.err)
    job.wait_until_gone()


def test_different_collections_are_named(start_session):
    job = start_session(
        """
@pytest.mark.parametrize("at", [0, 1, 2] if rank == 1 else [0, 3])
def test_it(at):
    pass
"""
    )
    job.fail()
    assert "ranks have different tests" in job.err
    assert "rank 1 lacks test_it.py::test_it[3]" in job.err
    assert "rank 1 also has test_it.py::test_it[2]" in job.err
    assert job.err.count("rank 1 lacks") == 1
    assert {(job.directory / f"code-{rank}").read_text() for rank in range(3)} == {"4"}


def test_long_lists_of_different_tests_are_compared_whole(start_session):
    """The error of the collection is shown after 48 KiB of names."""
    job = start_session(
        """
@pytest.mark.parametrize("at", range(-1 if rank == 1 else 0, 2000))
def test_it(at):
    pass

class TestClass:
    @pytest.mark.parametrize("at", 7 if rank == 2 else [7])
    def test_it(self, at):
        pass
"""
    )
    job.fail()
    differ = [line for line in job.err.splitlines() if " lacks " in line or " also has " in line]
    assert differ == [
        "rank 1 also has test_it.py::test_it[-1]",
        "rank 2 lacks test_it.py::TestClass::test_it[7]",
    ]
    assert "rank 2: test_it.py::TestClass: " in job.err, job.describe()


@pytest.mark.parametrize("way", ["dies", "interrupted"])
def test_rank_that_leaves_its_test_ends_the_job(start_session, way):
    number = signal.SIGKILL if way == "dies" else signal.SIGINT
    job = start_session(
        f"""
def test_it():
    if rank == 1:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        os.kill(os.getpid(), {int(number)})
        time.sleep(1000)
    total()
"""
    )
    job.fail(40)
    if way == "interrupted":
        assert "rank 1: the end of the session, with exit code 2" in job.err, job.describe()
        assert "ranks 0, 2: the end of call of test_it.py::test_it" in job.err
    job.wait_until_gone()
