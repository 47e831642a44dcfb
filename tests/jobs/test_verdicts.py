"""The exchange of verdicts between ranks (tests/support/verdicts.py), in sessions of its own."""

from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

TESTS = Path(__file__).resolve().parents[1]

SESSION = f"""
import sys

sys.path.insert(0, {str(TESTS)!r})
import pytest
from mpi4py import MPI
from support.verdicts import PASSED, Plugin, Verdicts

rank, size = MPI.COMM_WORLD.rank, MPI.COMM_WORLD.size
verdicts = Verdicts(MPI.COMM_WORLD.Dup())

class Session:
    @pytest.hookimpl(trylast=True)
    def pytest_configure(self, config):
        plugin = Plugin(verdicts)
        plugin.hold_output(config)
        config.pluginmanager.register(plugin)

if __name__ == "__main__":
    # What the tests import is this session, not another one.
    sys.modules["program"] = sys.modules["__main__"]
    words = ["-q", "-p", "no:cacheprovider", "-c", "pytest.ini", f"--junitxml=rank-{{rank}}.xml"]
    sys.exit(pytest.main([*words, "test_it.py"], [Session()]))
"""


@pytest.fixture
def start_session(tmp_path, start_job):
    """A function that starts pytest with these tests on n ranks."""

    def start(tests, n=3, **environment):
        directory = tmp_path / "0"
        directory.mkdir()
        (directory / "pytest.ini").write_text("[pytest]\n")
        (directory / "test_it.py").write_text(
            "import pytest\nfrom program import PASSED, rank, size, verdicts\n" + tests
        )
        return start_job(SESSION, n, prelude=False, **environment)

    return start


def outcomes(job, n=3):
    """Verdict and message of each test, by rank."""
    found = []
    for rank in range(n):
        verdicts = {}
        for case in ET.parse(job.directory / f"rank-{rank}.xml").iter("testcase"):
            bad = [*case.findall("failure"), *case.findall("error"), *case.findall("skipped")]
            text = f"{bad[0].tag}: {bad[0].get('message')}\n{bad[0].text}" if bad else "passed"
            verdicts[case.get("name")] = text
        found.append(verdicts)
    return found


@pytest.mark.quick
@pytest.mark.parametrize("n", [1, 2, 3, 5])
def test_gather_has_every_text_in_rank_order(start_session, n):
    job = start_session(
        """
def test_texts():
    for turn in range(3):
        told = verdicts.gather(f"turn {turn}", PASSED, f"rank {rank}")
        assert told == [(PASSED, f"rank {each}") for each in range(size)]

def test_long_text_is_cut():
    assert verdicts.gather("long", PASSED, "x" * 5000) == [(PASSED, "x" * 600)] * size
""",
        n,
    )
    job.succeed()
    assert outcomes(job, n) == [{"test_texts": "passed", "test_long_text_is_cut": "passed"}] * n


@pytest.mark.quick
def test_failure_on_one_rank_fails_all(start_session):
    job = start_session(
        """
@pytest.fixture
def broken():
    assert rank != 2, "set-up of 2"

@pytest.fixture
def left():
    yield
    assert rank != 0, "teardown of 0"

def test_body():
    assert rank != 1, "body of 1"

def test_set_up(broken):
    raise RuntimeError("the body must not run")

def test_teardown(left):
    pass

def test_next():
    pass
"""
    )
    job.fail()
    for rank, of_rank in enumerate(outcomes(job)):
        for name, bad, text in (
            ("test_body", 1, "body of 1"),
            ("test_set_up", 2, "set-up of 2"),
            ("test_teardown", 0, "teardown of 0"),
        ):
            kind = "failure" if name == "test_body" else "error"
            assert of_rank[name].startswith(kind), f"{rank}: {of_rank}"
            assert text in of_rank[name]
            assert f"ranks [{bad}]: failed" in of_rank[name] or rank == bad
            assert "must not run" not in of_rank[name]
        assert of_rank["test_next"] == "passed"
    assert "----- rank 1" in job.out
    assert "----- rank 2" in job.out


@pytest.mark.quick
def test_skip_on_some_ranks_is_a_failure(start_session):
    job = start_session(
        """
def test_some():
    if rank == 1:
        pytest.skip("not here")

def test_all():
    pytest.skip("nowhere")
"""
    )
    job.fail()
    for of_rank in outcomes(job):
        assert of_rank["test_some"].startswith("failure")
        assert "ranks [1]: skipped: Skipped: not here" in of_rank["test_some"]
        assert "ranks [0, 2]: passed" in of_rank["test_some"]
        assert of_rank["test_all"].startswith("skipped: nowhere")


def test_rank_at_another_test_ends_the_job(start_session):
    job = start_session(
        """
@pytest.mark.parametrize("at", [0, 1] if rank else [0, 2])
def test_it(at):
    pass
"""
    )
    job.fail()
    assert "is elsewhere in the tests. Ending the job." in job.err
    job.wait_until_gone()


@pytest.mark.parametrize("n", [2, 5])
def test_rank_that_does_not_come_ends_the_job(start_session, n):
    job = start_session(
        """
import time

def test_it():
    if rank == 1:
        time.sleep(1000)
""",
        n,
        REDCOLL_TEST_DEADLINE="2",
    )
    job.fail()
    assert "rank 1 did not come to the end of call of test_it.py::test_it within" in job.err
    assert "Ending the job." in job.err
    job.wait_until_gone()
