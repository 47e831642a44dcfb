"""
One verdict on each test for all ranks of a job.

After the set-up, the body and the teardown of every test the ranks exchange how it went. So

* a test that failed on one rank has failed on all, and each rank's report says where;
* a test skipped on some ranks only is a failure, because the others would wait for them;
* ranks that are not at the same test, or do not arrive in time, end the job with a message.

``Plugin`` does that for a session of pytest. It uses no part of redcoll.
"""

from __future__ import annotations

import io
import os
import stat
import sys
import time
import traceback
import zlib
from collections import defaultdict
from collections.abc import Callable

import pytest
from mpi4py import MPI

# How long a rank waits for the others' verdicts. Beyond every timeout of redcoll's own, below
# pytest's faulthandler_timeout.
DEADLINE_S = float(os.environ.get("REDCOLL_TEST_DEADLINE", "100"))
# A rank whose direct neighbour is missing knows that for certain, so it speaks first.
PRECEDENCE_S = 2

PASSED, FAILED, SKIPPED = b"p", b"f", b"s"
CODES = {"passed": PASSED, "failed": FAILED, "skipped": SKIPPED}
WORDS = {code: word for word, code in CODES.items()}
TEXT_BYTES = 600
RECORD_BYTES = 5 + TEXT_BYTES


class Verdicts:
    """The exchange between the ranks of a communicator that nothing else uses."""

    def __init__(self, comm: MPI.Intracomm) -> None:
        self.comm = comm
        self.rank, self.size = comm.rank, comm.size
        self._count = 0

    def gather(self, what: str, code: bytes, text: str) -> list[tuple[bytes, str]]:
        """
        Return every rank's code and text, in rank order.

        End the job when a rank does not arrive, or is elsewhere in the tests. Each of the
        ceil(log2(size)) steps doubles the number of ranks whose record is known.
        """
        self._count += 1
        where = zlib.crc32(f"{self._count} {what}".encode()).to_bytes(4, "little")
        own = where + code + text.encode(errors="replace")[:TEXT_BYTES]
        # Of this rank, the rank before it, the one before that, and so on.
        records = [own.ljust(RECORD_BYTES, b"\0")]
        step = 1
        while step < self.size:
            sent = b"".join(records[: self.size - step])
            arrived = bytearray(len(sent))
            left = (self.rank - step) % self.size
            self._complete(
                [
                    self.comm.Irecv([arrived, MPI.BYTE], left, step),
                    self.comm.Isend([sent, MPI.BYTE], (self.rank + step) % self.size, step),
                ],
                what,
                step,
            )
            for at in range(0, len(arrived), RECORD_BYTES):
                records.append(bytes(arrived[at : at + RECORD_BYTES]))
                if records[-1][:4] != where:
                    of = (self.rank - len(records) + 1) % self.size
                    own_text = f" ({text})" if text else ""
                    self.abort(
                        f"rank {of} is not at {what}{own_text}: it is elsewhere in the tests"
                    )
            step *= 2
        in_order = [records[(self.rank - rank) % self.size] for rank in range(self.size)]
        return [
            (record[4:5], record[5:].rstrip(b"\0").decode(errors="replace")) for record in in_order
        ]

    def _complete(self, requests: list[MPI.Request], what: str, step: int) -> None:
        """Wait for one step; end the job at the deadline."""
        start = time.monotonic()
        deadline_s = DEADLINE_S + (PRECEDENCE_S if step > 1 else 0)
        while requests := [each for each in requests if not each.Test()]:
            waited_s = time.monotonic() - start
            if waited_s > deadline_s:
                unknown = sorted((self.rank - at) % self.size for at in range(step, self.size))
                who = (
                    f"rank {(self.rank - 1) % self.size}"
                    if step == 1
                    else f"one or more of the ranks {unknown}"
                )
                self.abort(f"{who} did not come to {what} within {waited_s:.0f} s")
            time.sleep(0 if waited_s < 2e-3 else 2e-4)

    def abort(self, why: str) -> None:
        show_output(self.rank)
        sys.__stderr__.write(f"\nrank {self.rank}: {why}. Ending the job.\n")
        sys.__stderr__.flush()
        time.sleep(0.1)  # the launcher may cut off what it has not read yet
        MPI.COMM_WORLD.Abort(1)


_held_output: io.StringIO | None = None


def show_output(rank: int) -> None:
    """Write what was held back of this rank's output."""
    if _held_output is not None:
        text, _ = _held_output.getvalue(), _held_output.truncate(0)
        sys.__stdout__.write(f"\n----- rank {rank}\n{text}")
        sys.__stdout__.flush()


class Plugin:
    """
    What makes the ranks' verdicts one.

    ``before_sharing`` is called on a rank whose test has failed, ``after_failure`` then on all.
    """

    def __init__(
        self,
        verdicts: Verdicts,
        before_sharing: Callable[[], None] = lambda: None,
        after_failure: Callable[[], None] = lambda: None,
    ) -> None:
        self._verdicts = verdicts
        self._before_sharing = before_sharing
        self._after_failure = after_failure
        self._failures: list[str] = []

    def hold_output(self, config: pytest.Config) -> None:
        """Show a rank's output only when a test fails, except that of rank 0."""
        global _held_output  # noqa: PLW0603 - one output per process
        reporter = config.pluginmanager.getplugin("terminalreporter")
        # Where every rank has a file of its own for its output, nothing needs to be held back.
        if self._verdicts.rank and reporter and not stat.S_ISREG(os.fstat(1).st_mode):
            _held_output = io.StringIO()
            reporter._tw._file = _held_output

    def pytest_unconfigure(self) -> None:
        if self._failures:
            show_output(self._verdicts.rank)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item, call):
        report = yield
        try:
            self._agree(item, call, report)
        except Exception:  # noqa: BLE001
            # Without this rank's verdict the others would wait in vain.
            self._verdicts.abort(f"the verdicts cannot be shared:\n{traceback.format_exc()}")
        return report

    def _agree(self, item, call, report) -> None:
        """Make the verdict on a test the same on all ranks."""
        if report.failed:
            self._before_sharing()
        text = "" if call.excinfo is None else call.excinfo.exconly()
        what = f"the end of {call.when} of {item.nodeid}"
        told = self._verdicts.gather(what, CODES[report.outcome], text)
        if {code for code, _ in told} in ({PASSED}, {SKIPPED}):
            return
        # Failed on some, or not the same on all ranks: failed on all.
        ranks_of = defaultdict(list)
        for rank, (code, its_text) in enumerate(told):
            ranks_of[f"{WORDS[code]}{': ' + its_text if its_text else ''}"].append(rank)
        summary = "\n".join(f"ranks {ranks}: {line}" for line, ranks in ranks_of.items())
        if report.failed:
            report.sections.append(("all ranks", summary))
        else:
            report.outcome = "failed"
            report.longrepr = f"failed elsewhere, or not done by all ranks alike:\n{summary}"
        self._failures.append(item.nodeid)
        self._after_failure()
