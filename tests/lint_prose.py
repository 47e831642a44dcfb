"""Check the prose of the documentation, the docstrings and the comments, for `make lint`.

``python tests/lint_prose.py`` reports each banned construction, and each sentence of more than 30
words in the documentation or in a docstring.
"""

import ast
import io
import itertools
import re
import sys
import tokenize
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
MOST_WORDS = 30
PATTERNS = (
    *("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs/**/*.md"),
    *("tests/**/*.py", "benchmarks/*.py", "examples/**/*.py", "examples/README.md", "setup.py"),
    *(
        f"{package}/**/*.{kind}"
        for package in ("redcoll", "redcoll_shmem", "redcoll_pvm")
        for kind in ("py", "pyx", "pxd", "hpp")
    ),
)

BANNED = {
    r"^who(ever)? [a-z]+|[,;:] who(ever)? [a-z]+": "name the rank or the reader",
    r", for (it|they|a|the|this|that|these|those)\b": "', because', or turn the sentence round",
    r"\bbut for\b": "'except'",
    r"\bbeside\b": "'next to', 'compared with' or 'besides'",
    r"\bfor ever\b": "'forever'",
    r"\bsince \d+ m?s\b": "'for ... s'",
    r"\bso it is with\b": "'the same applies to'",
    r"\b(tells?|told|hears?|heard) of\b": "'reports' or 'is notified'",
    r"\bkin\b": "'similar'",
    r"\balike\b": "'on all ranks' or 'both'",
    r"\bunasked\b": "'by default'",
    r"\bfor want of\b": "'without'",
    r"\bslips? of the pen\b": "'typo'",
    r"\bof yours\b": "'your'",
    r"\bstands? last\b": "'is at the end'",
    r"\b(has|have|had) come\b": "'has arrived'",
    r"\b(gives?|gave|given|giving) up\b": "'times out' or 'is interrupted'",
    r"\b(a|its|their|whose|each|'s) turns?\b": "'a time slice'",
    r"\bextremes\b": "'MIN and MAX'",
    r"\b(spells|spelt)\b": "'names'",
    r"\bsome KiB\b": "the number",
    r"\b(is|are) to be had\b|\bshall\b": "the present tense",
    r"\bDone: so\b": "a whole sentence",
}
_END = re.compile(r"(?<!e\.g)(?<!i\.e)(?<!etc)(?<!cf)[.!?][\"')\]*]*\s+")
_BANNED = [(re.compile(pattern, re.IGNORECASE), use) for pattern, use in BANNED.items()]


class Finding(NamedTuple):
    """A fault in a line of prose."""

    line: int
    text: str


class Block(NamedTuple):
    """Lines that belong together, such as a paragraph.

    ``is_counted`` says whether :func:`findings` checks the length of the block's sentences.
    """

    lines: list[tuple[int, str]]
    is_counted: bool


# ---- Blocks of prose --------------------------------------------------------------------------


def markdown_blocks(source: str) -> Iterator[Block]:
    """Yield the paragraphs, list entries, headings and table cells of a page."""
    fence, lines = "", []
    for number, line in enumerate(source.splitlines(), 1):
        text = line.strip()
        if fence:
            if text == fence:
                fence = ""
            continue
        opening = re.match(r"`{3,}", text)
        starts_anew = re.match(r"([*-]|\d+\.|:|#+|\|) ?", text)
        if opening or starts_anew or not text or re.fullmatch(r":{3,}.*", text):
            if lines:
                yield Block(lines, is_counted=True)
            lines = []
        if opening:
            fence = opening.group()
        elif text.startswith("|"):
            for cell in text.strip("|").split("|"):
                yield Block([(number, cell.strip())], is_counted=True)
        elif starts_anew:
            lines = [(number, text[starts_anew.end() :])]
            if text.startswith("#"):
                yield Block(lines, is_counted=True)
                lines = []
        elif text and not line.startswith("    " if not lines else "\0"):
            lines.append((number, text))
    if lines:
        yield Block(lines, is_counted=True)


def docstring_blocks(source: str) -> Iterator[Block]:
    """Yield the paragraphs of all strings that stand alone, as docstrings do."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Expr(ast.Constant(str(), lineno=start, end_lineno=end)):
                yield from _paragraphs(source.splitlines()[start - 1 : end], start)


def _paragraphs(rows: list[str], start: int) -> Iterator[Block]:
    lines: list[tuple[int, str]] = []
    indent, literal = 0, None
    for number, row in enumerate(rows, start):
        text = row.strip().strip('"').strip()
        depth = len(row) - len(row.lstrip())
        if literal is not None and text and depth <= literal:
            literal = None
        is_prose = bool(re.search(r"[A-Za-z]{2}", text)) and not text.startswith((">>>", "..."))
        starts_anew = re.match(r"([*-]|\d+\.) ", text)
        if lines and (not is_prose or starts_anew or depth != indent or literal is not None):
            yield Block(lines, is_counted=True)
            lines = []
        if is_prose and literal is None:
            lines.append((number, text))
            indent = depth + (starts_anew.end() if starts_anew else 0)
        if text.endswith("::"):
            literal = depth
    if lines:
        yield Block(lines, is_counted=True)


def comment_blocks(source: str, suffix: str) -> Iterator[Block]:
    """Yield the comments. Comments on successive lines form one block."""
    lines: list[tuple[int, str]] = []
    for number, text in _comments(source, suffix):
        if lines and lines[-1][0] != number - 1:
            yield Block(lines, is_counted=False)
            lines = []
        lines.append((number, text.strip()))
    if lines:
        yield Block(lines, is_counted=False)


def _comments(source: str, suffix: str) -> Iterator[tuple[int, str]]:
    if suffix == ".py":
        for token in tokenize.generate_tokens(io.StringIO(source).readline):
            if token.type == tokenize.COMMENT:
                yield token.start[0], token.string.lstrip("#")
    else:
        mark = "//" if suffix == ".hpp" else "#"
        for number, row in enumerate(source.splitlines(), 1):
            _, found, text = re.sub(r'"(\\.|[^"\\])*"', '""', row).partition(mark)
            if found:
                yield number, text


def blocks(path: Path) -> Iterator[Block]:
    """Yield all prose of a file."""
    source = path.read_text()
    if path.suffix == ".md":
        yield from markdown_blocks(source)
        return
    if path.suffix == ".py":
        yield from docstring_blocks(source)
    yield from comment_blocks(source, path.suffix)


# ---- Faults of prose --------------------------------------------------------------------------


def findings(all_blocks: Iterable[Block]) -> Iterator[Finding]:
    """Yield the faults of all blocks.  Code counts as one word."""
    for block in all_blocks:
        text, starts = "", []
        for number, line in block.lines:
            starts.append((len(text), number))
            text += line + " "
        # Replace code and the targets of links by texts of the same length, so that the positions
        # of the other words stay the same.
        text = re.sub(r"(`+)(.+?)\1", lambda found: "x" * len(found.group()), text)
        text = re.sub(r"\]\([^)]*\)", lambda found: " " * len(found.group()), text)
        ends = [found.end() for found in _END.finditer(text)]
        for start, end in itertools.pairwise([0, *ends, len(text)]):
            lead = re.match(r"[ *\[(]*", text[start:end]).end()
            sentence = text[start + lead : end]
            n_words = len(re.findall(r"\S*\w\S*", sentence))
            faults = [
                (found.start(), f"'{found.group().strip(' ,')}': write {use}")
                for pattern, use in _BANNED
                for found in pattern.finditer(sentence)
            ]
            if block.is_counted and n_words > MOST_WORDS:
                faults.append((0, f"{n_words} words in a sentence; at most {MOST_WORDS}: split"))
            for at, fault in faults:
                yield Finding(max(n for s, n in starts if s <= start + lead + at), fault)


def main() -> int:
    paths = sorted({path for pattern in PATTERNS for path in ROOT.glob(pattern)})
    errors = [
        f"{path.relative_to(ROOT).as_posix()}:{finding.line}: {finding.text}"
        for path in paths
        if "_generated" not in path.parts
        for finding in sorted(findings(blocks(path)))
    ]
    for error in errors:
        print(error)
    return bool(errors)


if __name__ == "__main__":
    sys.exit(main())
