"""Test that the documentation agrees with the code."""

import importlib.util
import re
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

import redcoll
from redcoll import MPI, config, ops

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"


def load(name):
    spec = importlib.util.spec_from_file_location(name, DOCS / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_reference_has_every_public_name():
    text = (DOCS / "api.md").read_text()
    names = [name for name in redcoll.__all__ if name != "__version__"]
    assert len(names) > 40
    missing = [name for name in names if not re.search(rf"(redcoll\.|`){name}\b", text)]
    assert missing == []


def test_the_reference_has_no_other_names():
    text = (DOCS / "api.md").read_text()
    named = re.findall(r"^\.\. (?:auto\w+|data):: redcoll\.(\w+)$", text, re.MULTILINE)
    modules = ["rma", "config", "environment", "info"]
    assert sorted(set(named) - set(redcoll.__all__) - set(modules)) == []


def test_the_page_of_workarounds_has_every_tag():
    root = DOCS.parent
    sources = [
        path
        for package in ("redcoll", "redcoll_shmem", "redcoll_pvm")
        for kind in ("py", "pyx", "pxd", "hpp")
        for path in (root / package).rglob(f"*.{kind}")
    ]
    tags = {
        (tag, path.relative_to(root).as_posix())
        for path in sources
        for tag in re.findall(r"compat\(\w+ [\d.]+\)", path.read_text())
    }
    page = (DOCS / "workarounds.md").read_text()
    assert len(tags) > 8
    assert set(re.findall(r"^\| `(compat.*?)` \| `(.*?)` \|", page, re.MULTILINE)) == tags


def test_the_settings_page_has_every_setting(tmp_path):
    load("tables").write(tmp_path)
    text = (tmp_path / "settings.md").read_text()
    assert re.findall(r"^`(\w+)`$", text, re.MULTILINE) == [row.name for row in config.settings()]
    assert all(row.meaning in text and row.takes in text for row in config.settings())


def test_the_table_of_operations_is_that_of_the_code(tmp_path):
    load("tables").write(tmp_path)
    _, _, *lines = (tmp_path / "operations.md").read_text().splitlines()
    assert len(lines) == len(ops.OPS)
    for op, line in zip(ops.OPS, lines, strict=True):
        assert f"`{op.name}`" in line
        assert line.count("yes") == len(op.kinds)


def test_the_table_of_mpis_names_has_them_all(tmp_path):
    load("tables").write(tmp_path)
    text = (tmp_path / "mpi_names.md").read_text()
    names = {*dir(MPI), *dir(MPI.Intracomm), *dir(MPI.Op)}
    names = {name for name in names if not name.startswith("_")}
    assert {name.strip("`") for name in text.split() if name.startswith("`")} >= names
    assert "| `Intracomm` | redcoll | `Allreduce` " in text


def test_the_table_of_shmem4pys_names_has_them_all(tmp_path):
    from redcoll_shmem import shmem

    load("tables").write(tmp_path)
    text = (tmp_path / "shmem4py_names.md").read_text()
    missing = [
        name for name in shmem.__all__ if f"`{name}`" not in text and f"`{name}(" not in text
    ]
    assert missing == []
    assert "| `put(target, source, pe, size=None, ctx=None)` | Copy " in text
    assert "| `Team.split_strided(start=0, stride=1, size=None, config=None, **kwargs)` |" in text
    assert "op=OP_SUM" in text
    assert ":func:" not in text


@pytest.mark.parametrize("name", ["answers", "layers", "header", "small", "large", "staged"])
def test_drawings_are_written_and_used(name, tmp_path):
    load("drawings").write(tmp_path)
    root = ET.parse(tmp_path / f"{name}.svg").getroot()
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert len(list(root)) > 10
    pages = "".join(path.read_text() for path in DOCS.glob("*.md"))
    assert f"_generated/{name}.svg" in pages


def test_an_unchanged_file_is_not_written_again(tmp_path):
    modules = [load("drawings"), load("tables")]
    for module in modules:
        module.write(tmp_path)
    before = {path: path.stat().st_mtime_ns for path in tmp_path.iterdir()}
    assert len(before) == sum(
        len(getattr(module, "DRAWINGS", None) or module.TABLES) for module in modules
    )
    for module in modules:
        module.write(tmp_path)
    assert {path: path.stat().st_mtime_ns for path in tmp_path.iterdir()} == before


@pytest.mark.parametrize(
    "page",
    [
        *("README.md", "CONTRIBUTING.md"),
        *(path.relative_to(ROOT).as_posix() for path in sorted(DOCS.rglob("*.md"))),
    ],
)
def test_files_that_a_page_names_are_there(page):
    named = re.findall(
        r"(?<![\w./-])((?:redcoll\w*|tests|benchmarks|examples|docs)/[\w./-]+\.\w+)",
        (ROOT / page).read_text(),
    )
    assert [name for name in named if not (ROOT / name).exists()] == []


@pytest.mark.parametrize(
    "page", ["README.md", "CONTRIBUTING.md", "SECURITY.md", "examples/README.md"]
)
def test_links_of_pages_outside_the_site_lead_somewhere(page):
    """Links in pages outside the site lead to existing files. Sphinx checks the site's links."""
    path = ROOT / page
    for link in re.findall(r"\]\(([^)]+)\)", path.read_text()):
        if re.match(r"https?:", link):
            continue
        name, _, anchor = link.partition("#")
        target = path.parent / name if name else path
        assert target.exists(), link
        headings = re.findall(r"^#+ (.+)$", target.read_text(), re.MULTILINE) if anchor else []
        slugs = [re.sub(r"[^\w -]", "", each.lower()).replace(" ", "-") for each in headings]
        assert not anchor or anchor in slugs, link


def test_the_first_call_of_an_active_set_is_that_of_the_code():
    text = (DOCS / "architecture.md").read_text()
    steps = re.findall(r"^[│├└─ ]*(\w+)\(\.\.\.\) +(\S+)", text, re.MULTILINE)
    assert len(steps) > 15
    for name, file in steps[1:]:
        text = (ROOT / file).read_text()
        assert re.search(rf"\b{name}\(|\bclass {name}\b", text), (name, file)
