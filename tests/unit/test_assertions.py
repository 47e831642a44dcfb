"""Test that every assertion of the tests can fail."""

import ast
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]


def void_assertions(source: str) -> list[int]:
    """Return the lines of the assertions that can never fail."""
    asserted = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Assert)]
    return [node.lineno for node in asserted if _is_void(node.test)]


def _is_void(test: ast.expr) -> bool:
    match test:
        case ast.IfExp():
            # Python reads `assert a == b if c else d` as `assert (a == b) if c else d`.
            return True
        case ast.Constant(value) | ast.List([value, *_]) | ast.Tuple([value, *_]):
            return bool(value)
        case ast.BoolOp(ast.Or(), values):
            return any(_is_void(value) for value in values)
        case ast.BoolOp(ast.And(), values):
            return all(_is_void(value) for value in values)
        case ast.Compare(left, [ast.Eq() | ast.Is()], [ast.IfExp(_, body, orelse)]):
            # `a == (b if c else a)` cannot fail if c is false. Ruff itself reports `a == a`.
            return ast.dump(left) in (ast.dump(body), ast.dump(orelse))
    return False


@pytest.mark.parametrize(
    "line",
    [
        "assert a == [1] if b else [2]",
        "assert (a, 'not equal')",
        "assert [1, 2]",
        "assert a == b or True",
        "assert x[0] == (b if c else x[0])",
    ],
)
def test_void_assertion_is_found(line):
    assert void_assertions(line) == [1]


@pytest.mark.parametrize("line", ["assert a == (1 if b else 2)", "assert a", "assert a or b == c"])
def test_sound_assertion_is_not_found(line):
    assert void_assertions(line) == []


def test_no_void_assertion_in_the_tests():
    files = sorted(TESTS.rglob("*.py"))
    assert len(files) > 100
    found = {
        f"{file.relative_to(TESTS)}:{line}"
        for file in files
        for line in void_assertions(file.read_text())
    }
    assert found == set()
