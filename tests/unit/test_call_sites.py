"""Test the texts of call sites, and the shared records that hold them."""

import sys
import time

import pytest

from redcoll.protocol import call_sites
from redcoll.protocol.call_sites import NOTED, RECORD_BYTES, SITES, CallSites


@pytest.fixture
def members():
    """Return three members of a node, each with its own view of the same memory."""
    memory = memoryview(bytearray(64 + 3 * RECORD_BYTES))
    starts = [64 + member * RECORD_BYTES for member in range(3)]
    return [CallSites(memory, starts, me) for me in range(3)]


def test_site_is_that_of_the_caller():
    line = sys._getframe().f_lineno + 1
    assert call_sites.here() == f"test_call_sites.py:{line} test_site_is_that_of_the_caller"


def test_site_of_an_instruction_is_its_line():
    def two_lines(one, two):
        one()
        two()

    seen = []
    first = two_lines.__code__.co_firstlineno

    def note():
        frame = sys._getframe(1)
        seen.append(call_sites.site_of(frame.f_code, frame.f_lasti))

    two_lines(note, note)
    assert seen == [f"test_call_sites.py:{first + line} two_lines" for line in (1, 2)]


def test_code_of_the_package_is_no_site():
    assert call_sites.is_ours(CallSites.note.__code__)
    assert not call_sites.is_ours(test_code_of_the_package_is_no_site.__code__)


def test_members_read_sites_of_the_last_rounds(members):
    for sequence in range(1, NOTED + 6):
        members[1].note(sequence)
    site = members[0].of(1, NOTED + 5)
    assert site.startswith("test_call_sites.py:")
    assert [bool(members[2].of(1, sequence)) for sequence in (5, 6)] == [False, True]
    assert members[0].of(0, 1) == members[0].of(2, 7) == ""


def test_texts_in_other_slots_stay(members):
    slots = [members[0].new_slot(f"file.py:{number}") for number in range(SITES - 1)]
    assert slots == list(range(1, SITES))
    assert members[0].new_slot("x" * 1000) == 1  # reuses the oldest slot except slot 0


def test_wait_is_known_while_it_is_renewed(members, monkeypatch):
    assert members[1].wait_of(0) == ""
    members[0].note_wait("barrier() at a.py:1 f")
    assert members[1].wait_of(0) == "barrier() at a.py:1 f"
    now = time.monotonic()
    monkeypatch.setattr(call_sites.time, "monotonic", lambda: now + 5)
    assert members[1].wait_of(0) == ""
