"""Give each test one verdict on all ranks: ``mpiexec -n 4 python -m pytest -p redcoll.testing``.

This is a plugin of pytest. All ranks run the same tests. After the set-up, the body and the
teardown of each test, the ranks exchange their results:

* A test that failed on one rank has failed on all ranks, with the error of that rank.
* Each test has a deadline. After the deadline, a wait in redcoll raises an error. If a rank is
  elsewhere in the test, the job ends.
* Rank 0 prints one report for all ranks.

The exchange uses MPI's messages on its own communicator.
"""

from __future__ import annotations

import contextlib
import io
import os
import stat
import sys
import threading
import time
import traceback
import zlib
from collections.abc import Generator, Iterable
from pathlib import Path
from typing import Any, Final, NoReturn

import pytest
from _pytest.junitxml import xml_key

from redcoll._mpi4py import MPI
from redcoll.comm import least
from redcoll.errors import RedcollError
from redcoll.liveness import aborting, progress
from redcoll.liveness.deadlines import timeout
from redcoll.testing.exchange import PASSED, Elsewhere, Exchange, Told, different, grouped, ranks
from redcoll.world import world

_MOST_TIMEOUT_S: Final = 1e9
_MOST_GRACE_S: Final = 5.0
"""Time after a test's deadline in which the ranks may still agree on its verdict."""
_TIME_TO_REPORT_S: Final = 2.0
"""Time for rank 0 to report and to end the job."""
_MOST_TEXT: Final = 32 << 10
"""The largest number of characters of a rank's verdict, or of its errors of the collection."""
_NOTICE_BYTES: Final = 256
_NOTICE_TAG: Final = 1 << 14

FAILED, SKIPPED, XFAILED, WAITED, TEXT = b"f", b"s", b"x", b"w", b"t"
"""The codes that ranks exchange. ``WAITED`` means that a rank failed because it waited for a rank
that failed."""
_CODES: Final = {"passed": PASSED, "failed": FAILED, "skipped": SKIPPED}
_WORDS: Final = {code: word for word, code in _CODES.items()}
_WORDS.update({XFAILED: "xfailed", WAITED: "waited", TEXT: "skipped"})


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of this plugin."""
    group = parser.getgroup("redcoll", "tests on several ranks")
    words = "end the waits of a test after this time (default: 60)"
    parser.addini("redcoll_timeout", words, default="60")
    group.addoption("--redcoll-timeout", type=float, metavar="SECONDS", help=words)
    words = "if only some ranks skip a test: agree lets it fail, each lets the others run it"
    parser.addini("redcoll_skips", f"{words} (default: agree)", default="agree")
    group.addoption("--redcoll-skips", choices=("agree", "each"), help=f"{words} (default: agree)")


@pytest.hookimpl(trylast=True)  # after the terminal reporter
def pytest_configure(config: pytest.Config) -> None:
    """Register the ``Agreement`` of this rank.  Collective over ``COMM_WORLD``."""
    config.pluginmanager.register(Agreement(config), "redcoll-agreement")


def name_of(item: pytest.Item) -> str:
    """Return the name of a test, without the rank that some programs put into ``nodeid``."""
    folders = (pytest.Session, pytest.Directory, pytest.File)
    parts = [node.name for node in item.listchain() if not isinstance(node, folders)]
    return "::".join([item.location[0], *parts])


def _timeout_s(config: pytest.Config) -> float:
    """Return the time limit of a test in seconds."""
    value = config.option.redcoll_timeout
    text = config.getini("redcoll_timeout") if value is None else f"{value:g}"
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0
    if not 0 < seconds <= _MOST_TIMEOUT_S:
        most = f"{_MOST_TIMEOUT_S:g}"
        raise pytest.UsageError(f"redcoll_timeout is {text}; it must be above 0 and at most {most}")
    return seconds


class Agreement:
    """The part of one rank in a session of pytest."""

    def __init__(self, config: pytest.Config) -> None:
        self.exchange = Exchange(MPI.Intracomm(MPI.COMM_WORLD).Dup())
        self.rank, self.size = self.exchange.rank, self.exchange.size
        self._timeout_s = _timeout_s(config)
        self._grace_s = min(_MOST_GRACE_S, self._timeout_s)
        skips = config.option.redcoll_skips or config.getini("redcoll_skips")
        if skips not in ("agree", "each"):
            raise pytest.UsageError(f"redcoll_skips is {skips!r}; it must be agree or each")
        self._announced = {FAILED, XFAILED} | ({SKIPPED} if skips == "agree" else set())
        """The verdicts that a rank announces immediately, because other ranks may wait for this
        rank."""
        self._ends_s = 0.0
        self._has_lost_a_rank = False
        """Whether a wait of this test has ended because another rank failed."""
        self._is_waiting = False
        """Whether this rank waits for the others' verdicts."""
        self._thread = threading.get_ident()
        self._error_of_collection = ""
        # Keep a copy of the session's standard error, because pytest captures standard error while
        # a test runs.
        self._stderr = os.fdopen(os.dup(2), "w")
        self._reporter: Any = config.pluginmanager.getplugin("terminalreporter")
        self._held = io.StringIO()
        # Only rank 0 prints the report, unless each rank's output goes to its own file.
        if self.rank and self._reporter and not stat.S_ISREG(os.fstat(1).st_mode):
            self._reporter._tw._file = self._held  # noqa: SLF001 - no public way
        self._notices: dict[int, tuple[MPI.Request, bytearray]] = {}
        self._announcements: list[MPI.Request] = []
        self._share_report(config)
        self._expect(range(self.size))
        progress.failures_elsewhere.append(self.failure_elsewhere)

    def _share_report(self, config: pytest.Config) -> None:
        """Let only rank 0 write a JUnit report whose path is the same on all ranks."""
        path = config.option.xmlpath and str(Path(config.option.xmlpath).absolute())
        paths = self.exchange.comm.allgather(path)
        writer = config.stash.get(xml_key, None)
        if self.rank and writer is not None and len(set(paths)) == 1:
            config.pluginmanager.unregister(writer)
            del config.stash[xml_key]

    def pytest_report_header(self) -> str:
        """Describe the session in one line."""
        return f"redcoll: {self.size} ranks agree on each test, within {self._timeout_s:g} s"

    def _abort(self, why: str) -> NoReturn:
        """Print the failures so far, and end the job."""
        if self._reporter is not None and self.rank == 0:
            self._reporter._tw._file = self._stderr  # noqa: SLF001
            with contextlib.suppress(Exception):  # if this version of pytest differs
                self._reporter.summary_errors()
                self._reporter.summary_failures()
        self._stderr.write(f"\nredcoll: {why}\n")
        self._stderr.flush()
        aborting.end_job(1)
        raise SystemExit(1)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Keep the errors of pytest's collection of tests on this rank."""
        if report.failed:
            self._error_of_collection += f"\n{report.nodeid}: {report.longreprtext}"

    @pytest.hookimpl(trylast=True)
    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Compare the tests of all ranks."""
        self._ends_s = time.monotonic() + self._timeout_s
        names = "\n".join(map(name_of, session.items))
        where = f"a collection of {len(session.items)} tests ({zlib.crc32(names.encode()):08x})"
        try:
            # Send all names, because a name that was cut off would look like a missing test.
            self._gather(where, PASSED, f"{names}\0{self._error_of_collection[:_MOST_TEXT]}")
        except Elsewhere as differ:
            lines = [
                f"ranks have different tests:\n{different(place for place, _ in differ.args[0])}"
            ]
            told = [text.partition("\0") for _, text in differ.args[0]]
            first = dict.fromkeys(told[0][0].split("\n"))  # in order
            for rank, (names, _, error) in enumerate(told):
                its = dict.fromkeys(names.split("\n"))
                lines += [f"rank {rank} lacks {name}" for name in first if name not in its][:8]
                lines += [f"rank {rank} also has {name}" for name in its if name not in first][:8]
                lines += [f"rank {rank}: {error[1:]}"] if error else []
            raise pytest.UsageError(*["\n".join(lines)][self.rank :]) from None

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """Give a test its deadline."""
        self._ends_s = time.monotonic() + self._timeout_s + self._grace_s
        timer = threading.Timer(self._timeout_s + self._grace_s, self._expire, [item])
        timer.daemon = True
        timer.start()
        try:
            with timeout(self._timeout_s, item.name):
                return (yield)
        finally:
            timer.cancel()

    def _expire(self, item: pytest.Item) -> None:
        """End the job, because this rank is still in a test after its deadline."""
        if self._is_waiting:
            return  # the exchange of verdicts has its own deadline
        stack = traceback.extract_stack(sys._current_frames()[self._thread])  # noqa: SLF001
        names = [frame.name for frame in stack]
        first = names.index("pytest_pyfunc_call") + 1 if "pytest_pyfunc_call" in names else 0
        where = "".join(traceback.format_list(stack[first:]))
        late = f"{name_of(item)} did not end within {self._timeout_s:g} s (--redcoll-timeout)"
        self._abort(f"rank {self.rank}: {late}. It was here:\n{where}")

    @pytest.hookimpl(wrapper=True, tryfirst=True)  # run outside of the plugin that handles xfail
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Make the verdict on a test the same on all ranks."""
        report = yield
        try:
            self._agree(item, call, report)
        except Exception:  # noqa: BLE001
            # Abort, because the other ranks would wait forever for this rank's verdict.
            self._abort(f"rank {self.rank} cannot share a verdict:\n{traceback.format_exc()}")
        return report

    def _agree(
        self, item: pytest.Item, call: pytest.CallInfo[None], report: pytest.TestReport
    ) -> None:
        where = f"the end of {call.when} of {name_of(item)}"
        code = _CODES[report.outcome]
        if code == SKIPPED and hasattr(report, "wasxfail"):
            code = XFAILED
        text = "" if code == PASSED else report.longreprtext
        if call.excinfo is not None:
            captured = "".join(f"\n--- {title}\n{body}" for title, body in report.sections)
            text = call.excinfo.exconly().partition("\n")[0] + f"\n{text}{captured}"
            if code == FAILED and self._has_lost_a_rank:
                at = [each.lineno + 1 for each in call.excinfo.traceback if each.path == item.path]
                code, text = WAITED, f"{item.path.name}:{at[-1] if at else '?'}: {text}"
        if code in self._announced:
            self._announce(f"{_WORDS[code]}: {text}")
        told = self._told(where, code, text)
        verdicts = {its_code for its_code, _ in told}
        if SKIPPED in verdicts - self._announced and not verdicts & {FAILED, WAITED}:
            if call.when == "setup" and code == SKIPPED and len(verdicts) > 1:
                # The other ranks run the body of the test. Take part in their exchange after the
                # body.
                told = self._told(where.replace("setup", "call", 1), TEXT, "")
                verdicts = {its_code for its_code, _ in told}
            verdicts.discard(SKIPPED)
        if FAILED in verdicts or (SKIPPED in verdicts and len(verdicts) > 1):
            self._fail(report, told, is_own=code == FAILED)
        elif XFAILED in verdicts:
            self._start_anew()
            report.outcome = "skipped"
            report.wasxfail = getattr(report, "wasxfail", "on another rank")

    def _start_anew(self) -> None:
        """Give redcoll new teams, because the ranks are at different calls in the old teams."""
        self._has_lost_a_rank = False
        has_world = least(self.exchange.comm, world.is_running())
        world.renew()
        if has_world:
            # Start it here, where all ranks are. In the next test, a rank that fails before its
            # first call would let the others wait in MPI. An error is raised again in their calls.
            with contextlib.suppress(RedcollError):
                world.start()

    def _fail(self, report: pytest.TestReport, told: Told, *, is_own: bool) -> None:
        """Make the test fail on this rank, because it failed, or did not run, on some rank."""
        self._start_anew()
        groups = grouped((code, text.partition("\n")[0]) for code, text in told)
        lines, sections = [], []
        for (code, line), its in sorted(groups.items(), key=lambda group: group[0][0] != FAILED):
            verdict = f"{_WORDS[code]} on {ranks(its)}"
            lines.append(f"{verdict}: {line}" if line else verdict)
            if code == FAILED and self.rank not in its:
                sections.append((verdict, told[its[0]][1].partition("\n")[2]))
        if FAILED not in {code for code, _ in told}:
            lines.insert(0, "all ranks must skip the test, or none (--redcoll-skips)")
        if not is_own:
            report.outcome = "failed"
            report.longrepr = "\n".join(lines)
        elif self.size > 1:
            report.sections.append(("verdicts by rank", "\n".join(lines)))
        report.sections += sections

    def _expect(self, others: Iterable[int]) -> None:
        for rank in others:
            if rank != self.rank:
                text = bytearray(_NOTICE_BYTES)
                request = self.exchange.comm.Irecv([text, MPI.BYTE], rank, _NOTICE_TAG)
                self._notices[rank] = request, text

    def failure_elsewhere(self) -> str | None:
        """Return another rank's failure in this test, if any. A failure ends redcoll's waits."""
        for rank, (request, text) in self._notices.items():
            if request.Test():
                self._has_lost_a_rank = True
                return f"rank {rank} {text.rstrip(bytes(1)).decode(errors='replace')}"
        return None

    def _announce(self, text: str) -> None:
        """Send this rank's verdict to the other ranks, which may wait for this rank."""
        data = text.partition("\n")[0].encode(errors="replace")[:_NOTICE_BYTES]
        for rank in self._notices:
            message = [data.ljust(_NOTICE_BYTES, b"\0"), MPI.BYTE]
            self._announcements.append(self.exchange.comm.Isend(message, rank, _NOTICE_TAG))

    def _receive_announcements(self, told: Told) -> None:
        """Complete the announcements of other ranks, and expect new announcements."""
        said = [rank for rank, (code, _) in enumerate(told) if code in self._announced]
        others = [rank for rank in said if rank != self.rank]
        MPI.Request.Waitall([self._notices[rank][0] for rank in others] + self._announcements)
        self._announcements.clear()
        self._expect(others)

    def _gather(self, where: str, code: bytes, text: str) -> Told:
        ends_s = max(self._ends_s, time.monotonic() + self._grace_s)
        self._is_waiting = True
        try:
            return self.exchange.gather(where, code, text, ends_s)
        except TimeoutError as error:
            why = f"{error} within {self._timeout_s:g} s (--redcoll-timeout)"
            self._abort(why + self._error_of_collection)
        finally:
            self._is_waiting = False

    def _told(self, where: str, code: bytes, text: str) -> Told:
        """Exchange verdicts; end the job if the ranks are not at the same place."""
        try:
            told = self._gather(where, code, text[:_MOST_TEXT])
            self._receive_announcements(told)
            return told
        except Elsewhere as differ:
            places = [place for place, _ in differ.args[0]]
            if self.rank == 0:
                self._abort(f"the ranks are at different places:\n{different(places)}\n")
            if places[self.rank].startswith("the end of the session"):
                self._stderr.write(self._held.getvalue())  # it may have an internal error of pytest
                self._stderr.flush()
            time.sleep(_TIME_TO_REPORT_S)
            aborting.end_job(1)
            raise

    def gather(self, where: str, text: str) -> list[str]:
        """Return each rank's ``text``, in rank order.

        All ranks must call this method with the same ``where``.
        """
        return [its_text for _, its_text in self._told(where, TEXT, text)]

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> Generator[None, None, None]:
        """End the session on all ranks, with one exit code."""
        yield
        status = int(session.exitstatus)
        code = PASSED
        if status not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
            code = FAILED
            self._announce(f"ended the session with exit code {status}")
        self._ends_s = time.monotonic() + self._timeout_s
        self._told(f"the end of the session, with exit code {status}", code, "")
        progress.failures_elsewhere.remove(self.failure_elsewhere)
        for request, _ in self._notices.values():
            request.Cancel()
            request.Wait()
