"""Test that the programs of docs/wrong_programs.md print the output on that page."""

import os
import re
from pathlib import Path

import pytest

PAGE = Path(__file__).resolve().parents[2] / "docs" / "wrong_programs.md"
SECTION = re.compile(
    r"^## ([^\n]+)\n\n```\{code-block\} python\n(.*?)```\n\n((?:    [^\n]+\n)+)",
    re.MULTILINE | re.DOTALL,
)
SECTIONS = {title: (program, text) for title, program, text in SECTION.findall(PAGE.read_text())}


def usual(text):
    """Replace limits, times, processes and waiting ranks, because they differ between runs."""
    text = re.sub(r"redcoll\.(MPI\._)?errors\.", "", text)
    text = re.sub(r"process \d+ on [^)]+", "process 4711 on node7", text)
    text = re.sub(r"waited [\d.]+ s", "waited 0.5 s", text)
    text = re.sub(r"within \d s", "within 1 s", text)
    return re.sub(r"; rank [02]: waiting", "; rank 0: waiting", text)


def test_page_has_ten_programs():
    assert len(SECTIONS) == 10


# Waits take long and do not depend on the MPI library, so they are tested on one library only.
TITLES = [
    title
    for title, (_, text) in SECTIONS.items()
    if "REDCOLL_TIMEOUT" not in text or os.environ.get("REDCOLL_TEST_MPI") != "openmpi"
]


@pytest.mark.parametrize("title", TITLES)
def test_wrong_programs(title, start_job):
    program, text = SECTIONS[title]
    options = {"REDCOLL_TIMEOUT": "1"} if "REDCOLL_TIMEOUT" in text else {}
    job = start_job(program, 3, prelude=False, survivors=True, REDCOLL_KERNEL="compiled", **options)
    job.wait(60)
    expected = usual(" ".join(text.split()))
    printed = usual(job.err)
    if "different orders" in title:
        # Two ranks wait for each other, and either rank can time out first. The other rank
        # then raises PeerLostError.
        for site in re.findall(r"program.py:\d+", expected):
            assert site in printed, job.describe()
        return
    assert expected in printed, job.describe()
