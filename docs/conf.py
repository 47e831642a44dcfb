"""How Sphinx builds the documentation: `make docs`."""

import os
import sys
from importlib import metadata
from pathlib import Path

import mpi4py

FOLDER = Path(__file__).resolve().parent
# Some tables come from the program that writes a stub.
sys.path[:0] = [str(FOLDER), str(FOLDER.parent / "release")]

# The page on notebooks starts ranks with the launcher of this environment.
os.environ["PATH"] = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))

# Importing redcoll's modules to read their docstrings must not start MPI.
mpi4py.rc.initialize = False
mpi4py.rc.finalize = False
os.environ["SHMEM4PY_RC_INITIALIZE"] = "0"

project = "redcoll"
author = "the redcoll authors"
copyright = "2026, the redcoll authors"
version = release = metadata.version("redcoll")

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
]
exclude_patterns = ["_build", "_generated"]
html_theme = "furo"
html_title = f"redcoll {release}"

autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
autodoc_typehints = "description"
autodoc_typehints_description_target = "documented"
napoleon_google_docstring = False
napoleon_preprocess_types = True
myst_enable_extensions = ["attrs_inline", "colon_fence", "deflist"]
myst_heading_anchors = 3
# A build in the same folder runs a notebook again only if its cells have changed.
nb_execution_mode = "cache"
nb_execution_raise_on_error = True
nb_execution_timeout = 120
nb_output_stderr = "remove"

# Every reference must lead somewhere, but for names of other projects: the build needs no network,
# so it cannot look them up.
nitpicky = True
nitpick_ignore_regex = [
    ("py:.*", r"(numpy|np|npt|mpi4py|MPI)(\..*)?"),
    ("py:.*", r"(_?typing(_extensions)?|_?collections|types|enum|pathlib|dataclasses|ctypes)\..*"),
    ("py:.*", r"contextlib\..*"),
    # Types that mpi4py.typing or the faces give a name, for annotations alone.
    ("py:class", r"BufSpecB?|InPlace|AnyOp|UserFunction|Members|redcoll\.team\.handle\.TeamHandle"),
    ("py:class", r"redcoll\..*\.Values"),
    # The words that numpydoc's style uses for types, also of elements.
    ("py:class", r"(u?int|float|complex)\d+|long|longdouble|bytes"),
    ("py:class", r"(array_like|callable|dtype|ndarray|optional|scalar|sequence|ufunc)"),
]


def setup(_app: object) -> None:
    """Write the drawings, and the tables that come from tables of the code."""
    import drawings
    import tables

    drawings.write(FOLDER / "_generated")
    tables.write(FOLDER / "_generated")
