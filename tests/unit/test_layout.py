"""Test that the compiled kernel's constants equal those of the Python modules."""

import re
from pathlib import Path

import pytest

from redcoll import datatypes, kernels, ops
from redcoll.protocol import call_sites, descriptor, layout, partition

SOURCES = Path(kernels.__file__).parent / "_compiled"
OWN = {
    "TURN_NS",
    "OURS",
    "KNOWN",
    "FIRST_KNOWN",
    "KNOWN_CALLS",
    "CALLERS",
    "NAMES",
    "FORMAT_BYTES",
    "SET_HANDLER",
    "GET_HANDLER",
    "C_CONTIGUOUS",
    "NEW_FLAGS",
    "WRITEABLE",
    "STATUS_WORDS",
    "WIDE",
    "PATIENCE_NS",
}
"""Constants that only the compiled kernel has."""
pytestmark = pytest.mark.skipif(
    not (SOURCES / "machine.pxd").exists(), reason="there are no sources here"
)


def enumerators(text):
    """Return the names and values in a list of enumerators."""
    found, value = {}, -1
    for entry in re.sub(r"(#|//).*", "", text).replace("\n", ",").split(","):
        name, equals, number = (part.strip() for part in entry.partition("="))
        if name:
            value = int(number, 0) if equals else value + 1
            found[name] = value
    return found


def cython_constants(path):
    """Return the names and values of all anonymous enums of a Cython source."""
    found = {}
    for block in re.findall(r"^cdef enum:\n((?:[ ]{4}.*\n)+)", path.read_text(), re.MULTILINE):
        found |= enumerators(block)
    return found


@pytest.mark.parametrize("name", ["machine.pxd", "handover.pyx"])
def test_constants_equal_those_of_the_protocol(name):
    constants = cython_constants(SOURCES / name)
    assert constants
    for constant, value in constants.items():
        [expected] = {
            getattr(module, constant)
            for module in (call_sites, descriptor, layout)
            if hasattr(module, constant)
        }
        assert value == expected, constant


def test_no_other_source_has_constants_of_the_protocol():
    for path in [*SOURCES.glob("*.pyx"), *SOURCES.glob("*.pxd")]:
        if path.name not in ("machine.pxd", "handover.pyx"):
            assert set(cython_constants(path)) <= OWN, path.name


def test_header_is_one_cache_line():
    assert layout.INLINE_AT + layout.INLINE_BYTES == partition.LINE_BYTES


def test_operation_codes_equal_those_of_the_table():
    [codes] = re.findall(r"enum OpCode \{(.*?)\}", (SOURCES / "fold.hpp").read_text(), re.DOTALL)
    assert enumerators(codes) == {op.name: op.code for op in ops.OPS}


def test_loops_are_for_element_types_of_the_table():
    table = (SOURCES / "fold.hpp").read_text().partition("inline Fold find_fold")[2]
    codes = [int(code) for code in re.findall(r"case (\d+): return", table)]
    assert codes
    assert len(set(codes)) == len(codes)
    for code in codes:
        assert datatypes.name_of(code) is not None, code
