"""
Run mpi4py's own test suite, and write the verdict on each test to a file of this rank.

The command is ``python mpi4py_suite.py VERDICTS TEST_FOLDER [ARGUMENTS OF main.py]``. The script
writes a line ``started`` before each test, and a line with the verdict after the test. So after a
crash, the last line names the test that crashed. A test fails if any of its subtests fails.
"""

import contextlib
import runpy
import sys
import unittest
from pathlib import Path


class Recorder(unittest.TextTestResult):
    """A test result that also writes a line for each test to the file of verdicts."""

    file = None

    def startTest(self, test):
        self.verdict = "passed"
        self.record("started", test)
        super().startTest(test)

    def stopTest(self, test):
        super().stopTest(test)
        self.record(self.verdict, test)

    def record(self, verdict, test):
        # If a fixture raises, id() is a text such as "setUpClass (test_x.TestY)".
        print(verdict, test.id().replace(" ", ":"), file=self.file, flush=True)

    def addError(self, test, err):
        super().addError(test, err)
        self.verdict = "failed"
        if not isinstance(test, unittest.TestCase):  # a fixture of a class or module
            self.record("failed", test)

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self.verdict = "failed"

    def addSubTest(self, test, subtest, err):
        super().addSubTest(test, subtest, err)
        if err is not None:
            self.verdict = "failed"

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self.verdict = "skipped"
        if not isinstance(test, unittest.TestCase):
            self.record("skipped", test)


def main():
    verdicts, folder, *arguments = sys.argv[1:]
    sys.dont_write_bytecode = True
    sys.path.insert(0, folder)
    sys.argv = [f"{folder}/main.py", "--no-builddir", "-v", *arguments]
    unittest.TextTestRunner.resultclass = Recorder
    # The exit code is 0 even if tests failed, because the launcher would end the other ranks
    # after another exit code.
    with Path(verdicts).open("w", encoding="utf-8") as file, contextlib.suppress(SystemExit):
        Recorder.file = file
        runpy.run_path(sys.argv[0], run_name="__main__")


if __name__ == "__main__":
    main()
