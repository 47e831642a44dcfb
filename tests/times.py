"""Print the runs, files and tests of ``tests/run.py`` that took the most time.

Use: ``python tests/times.py [COUNT]``.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree as ET

LOGS = Path(__file__).resolve().parent.parent / "build" / "tests"


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    runs: Counter[str] = Counter()
    files: Counter[str] = Counter()
    tests: Counter[str] = Counter()
    for report in sorted(LOGS.glob("*/*/rank-0.xml")):
        run = "/".join(report.parts[-3:-1])
        for suite in ET.parse(report).iter("testsuite"):
            runs[run] += float(suite.get("time", 0))
        for case in ET.parse(report).iter("testcase"):
            seconds = float(case.get("time", 0))
            files[f"{run} {case.get('classname')}"] += seconds
            tests[f"{run} {case.get('classname')}::{case.get('name')}"] += seconds
    for what, times in ("Runs", runs), ("Files", files), ("Tests", tests):
        print(what)
        for name, seconds in times.most_common(count):
            print(f"{seconds:8.1f} s  {name}")


if __name__ == "__main__":
    main()
