"""Test that release/check.py finds differences between the places that state the version."""

import importlib.util
from pathlib import Path

import pytest

import redcoll

ROOT = Path(__file__).resolve().parents[2]
SPEC = importlib.util.spec_from_file_location("check", ROOT / "release" / "check.py")
check = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(check)


@pytest.mark.parametrize("path", check.VERSIONS)
def test_version_is_the_same_everywhere(path):
    assert check.version_in(path) == redcoll.__version__


@pytest.fixture
def tree(tmp_path, monkeypatch):
    """Return a folder with the files of a correct release 2.0."""
    monkeypatch.setattr(check, "ROOT", tmp_path)
    for path, text in {
        "redcoll/_version.py": '__version__ = "2.0"\n',
        "CITATION.cff": "version: 2.0\n",
        "release/conda/recipe.yaml": 'context:\n  version: "2.0"\n',
        "CHANGELOG.md": "# Changes\n\n## 2.0 (2027-01-01)\n",
        "pyproject.toml": "",
    }.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    return tmp_path


def test_release_check_passes(tree):
    assert check.problems("v2.0") == []


@pytest.mark.parametrize(
    ("path", "text", "problem"),
    [
        ("CITATION.cff", "version: 1.9\n", "CITATION.cff has version 1.9; the tag is v2.0"),
        ("CITATION.cff", "", "CITATION.cff has version none"),
        (
            "pyproject.toml",
            'Homepage = "https://example.org/"\n',
            "pyproject.toml names example.org",
        ),
        ("CHANGELOG.md", "## 2.0 (not released yet)\n", "CHANGELOG.md says"),
    ],
)
def test_release_check_reports(tree, path, text, problem):
    (tree / path).write_text(text)
    (found,) = check.problems("v2.0")
    assert found.startswith(problem)


def test_release_check_reports_another_tag_for_each_file(tree):
    assert len(check.problems("v2.1")) == len(check.VERSIONS)
