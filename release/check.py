"""
Check that a release may go out: ``python release/check.py v0.1.0``.

The version must be the same in all places, and no placeholder may be left.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PLACEHOLDER = "example.org"
"""Stands for the project's place on the web until there is one."""
VERSIONS = {
    "redcoll/_version.py": r'^__version__ = "([^"]+)"$',
    "CITATION.cff": r"^version: (\S+)$",
    "release/conda/recipe.yaml": r'^  version: "([^"]+)"$',
    "CHANGELOG.md": r"^## (\S+)",
}


def version_in(path: str) -> str:
    """Return the version that a file names first."""
    found = re.search(VERSIONS[path], (ROOT / path).read_text(), re.MULTILINE)
    return found[1] if found else "none"


def problems(tag: str) -> list[str]:
    """Return what keeps this tag from a release."""
    versions = {path: version_in(path) for path in VERSIONS}
    found = [
        f"{path} has version {version}; the tag is {tag}"
        for path, version in versions.items()
        if f"v{version}" != tag
    ]
    if PLACEHOLDER in (ROOT / "pyproject.toml").read_text():
        found.append(f"pyproject.toml names {PLACEHOLDER}; it must name the project's own address")
    if "(not released yet)" in (ROOT / "CHANGELOG.md").read_text():
        found.append("CHANGELOG.md says that the version is not released yet; it must have a date")
    return found


def main() -> int:
    """Print what is wrong; return the exit code."""
    if len(sys.argv) != 2:
        sys.exit("usage: release/check.py TAG, for example v0.1.0")
    found = problems(sys.argv[1])
    for text in found:
        print(text)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
