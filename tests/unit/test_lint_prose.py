"""Test that the prose check reports banned constructions and long sentences, and nothing else."""

import importlib.util
from pathlib import Path

import pytest

PATH = Path(__file__).resolve().parents[1] / "lint_prose.py"
SPEC = importlib.util.spec_from_file_location("lint_prose", PATH)
lint = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(lint)

LONG = "The ranks " + "of the node " * 10 + "wait."
CODE = "`" + "a b " * 40 + "`"


def in_markdown(source):
    return sorted(finding.line for finding in lint.findings(lint.markdown_blocks(source)))


def in_docstrings(source):
    return sorted(finding.line for finding in lint.findings(lint.docstring_blocks(source)))


def in_comments(source, suffix=".py"):
    return sorted(finding.line for finding in lint.findings(lint.comment_blocks(source, suffix)))


@pytest.mark.parametrize(
    "sentence",
    [
        "Who waits sees it.",
        "The root waits; who needs nothing goes on.",
        "It waits, for the others are late.",
        "All ranks but for the root return.",
        "Its times beside those of MPI.",
        "The rank waits for ever.",
        "It has waited since 60 s.",
        "All ranks do alike.",
        "A rank that gives up says so.",
        "The others have come.",
        "It is most often a slip of the pen.",
        "Of integers and extremes.",
        "It says so to kin routines.",
    ],
)
def test_banned_construction_is_found(sentence):
    assert in_markdown(sentence) == [1]
    assert in_docstrings(f'"""{sentence}"""') == [1]
    assert in_comments(f"x = 1\n# {sentence}") == [2]


@pytest.mark.parametrize(
    "sentence",
    [
        "The rank that waits sees it.",
        "It waits for the others, which are late.",
        "The call prints `but for ever`, as the code says.",
        "It works for a list, for example, or for an array.",
        "Besides, the name says who wrote it.",
        "It raises in turn: first the root, then the other ranks.",
    ],
)
def test_sound_sentence_is_not_found(sentence):
    assert in_markdown(sentence) == []
    assert in_docstrings(f'"""{sentence}"""') == []
    assert in_comments(f"# {sentence}") == []


def test_a_long_sentence_is_found_in_pages_and_docstrings_only():
    assert in_markdown(f"Short.\n\nShort too.\n{LONG}") == [4]
    assert in_docstrings(f'def f():\n    """Short.\n\n    {LONG}\n    """') == [4]
    assert in_comments(f"# {LONG}") == []


def test_code_counts_as_one_word_and_a_link_as_its_text():
    assert in_markdown(f"The call {CODE} returns [a long {'word ' * 20}](where it is).") == []


@pytest.mark.parametrize(
    "source",
    [
        f"```text\n{LONG}\n```",
        f"    {LONG}",
        f"* {LONG[:60]}\n* {LONG[60:]}",
        f"| {LONG[:60]} | {LONG[60:]} |",
        f"## {LONG[:60]}\n{LONG[60:]}",
        f"term\n: {LONG[:60]}",
    ],
)
def test_a_page_without_a_long_sentence(source):
    assert in_markdown(source) == []


def test_a_docstring_without_a_long_sentence():
    words = LONG[:60]
    source = f'''
def f(a, b):
    """{words}

    Parameters
    ----------
    a
        {words}
    b
        {words}

    * {words}
      {words[:50]}.
    * {words}

    Literally::

        {LONG}

    >>> {LONG}
    """
'''
    assert in_docstrings(source) == []


def test_comments_of_a_file_in_c():
    source = 'a = "// alike";  // all alike\n// fine\n// kin\nb;\n// for\n// ever'
    assert in_comments(source, ".hpp") == [1, 3, 5]


def test_all_files_are_read():
    paths = {path for pattern in lint.PATTERNS for path in lint.ROOT.glob(pattern)}
    assert len(paths) > 200
