"""Divide the tests between the two MPI libraries, and start the long tests first."""

from __future__ import annotations

import zlib

import pytest


def pytest_addoption(parser) -> None:
    parser.addoption(
        "--part",
        metavar="K/N",
        default="1/1",
        help="run the K-th of N parts of the tests, and all tests that belong to both MPIs",
    )


def pytest_collection_modifyitems(config, items) -> None:
    part, _, parts = config.getoption("--part").partition("/")
    if not (part.isdigit() and parts.isdigit() and 1 <= int(part) <= int(parts)):
        raise pytest.UsageError(f"--part {part}/{parts}: it must be K/N, with K from 1 to N")
    # The choice depends on a hash of the test's name, so the tests of a file spread over the parts.
    other = {
        item
        for item in items
        if zlib.crc32(item.nodeid.encode()) % int(parts) != int(part) - 1
        and not item.get_closest_marker("both_mpis")
    }
    if other:
        config.hook.pytest_deselected(items=list(other))
        items[:] = [item for item in items if item not in other]
    # Start the long tests first. If a long test started last, one worker would still be busy after
    # the other workers have finished.
    items.sort(key=lambda item: item.get_closest_marker("long") is None)
