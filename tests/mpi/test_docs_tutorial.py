"""Run the examples in the README, the documentation and the docstrings on any number of PEs."""

import doctest
import importlib
import importlib.util
import re
from pathlib import Path

import pytest

pytestmark = [pytest.mark.mpi, pytest.mark.every_size, pytest.mark.smoke]

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)

# Each page must have at least this number of blocks.
PAGES = {
    "README.md": 1,
    "docs/index.md": 1,
    "docs/quickstart.md": 7,
    "docs/from_c_shmem.md": 3,
    "docs/from_pvm.md": 6,
    "docs/from_shmem4py.md": 6,
    "docs/semantics.md": 3,
    "docs/operations.md": 6,
    "docs/from_mpi4py.md": 8,
    "docs/mpi4py_differences.md": 3,
    "docs/shmem.md": 10,
    "docs/cheat_sheet.md": 4,
    "docs/shared_arrays.md": 1,
    "docs/several_reductions.md": 2,
    "docs/small_floats.md": 2,
    "docs/statistics.md": 2,
    "docs/compiled_functions.md": 2,
}


def blocks(page):
    """Return the code blocks of a page.

    Leading empty lines make the line numbers in tracebacks right.
    """
    text = (ROOT / page).read_text()
    return [
        "\n" * text.count("\n", 0, match.start(1)) + match.group(1)
        for match in BLOCK.finditer(text)
    ]


# This page shows an order of operands that holds on one node only.
ON_ONE_NODE = ("docs/semantics.md",)


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, marks=pytest.mark.one_node if page in ON_ONE_NODE else ())
        for page in PAGES
    ],
)
def test_the_blocks_of_a_page_are_one_program(page):
    found = blocks(page)
    assert len(found) >= PAGES[page]
    names = {"__name__": page}
    for block in found:
        exec(compile(block, page, "exec"), names)
    for name, value in list(names.items()):
        if name.startswith("test_"):
            value()


def test_no_page_with_code_is_left_out():
    pages = [path.relative_to(ROOT).as_posix() for path in sorted(ROOT.glob("docs/*.md"))]
    assert pages
    assert [page for page in pages if blocks(page) and page not in PAGES] == []


# The packages may be installed outside of the source tree.
FOLDERS = [
    Path(importlib.util.find_spec(package).origin).parent
    for package in ("redcoll", "redcoll_shmem", "redcoll_pvm")
]
MODULES = sorted(
    ".".join(path.relative_to(folder.parent).with_suffix("").parts).removesuffix(".__init__")
    for folder in FOLDERS
    for path in folder.rglob("*.py")
    if ">>> " in path.read_text()
)
"""All modules with examples in docstrings."""


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_in_docstrings(name):
    tests = doctest.DocTestFinder().find(importlib.import_module(name))
    with_examples = [each for each in tests if each.examples]
    assert with_examples
    for each in with_examples:
        runner = doctest.DocTestRunner()
        out = []
        runner.run(each, out=out.append)
        assert runner.failures == 0, "".join(out)


def test_modules_with_examples_are_found():
    assert {"redcoll.collectives.allreduce", "redcoll.ops", "redcoll.arrays"} <= set(MODULES)
