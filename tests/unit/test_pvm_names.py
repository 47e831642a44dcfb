"""Test names and numbers of the PVM API against a recording and a list from the manual."""

import ast
import gzip
import inspect
import json
from pathlib import Path

import pytest

import redcoll_pvm as pvm

ROOT = Path(__file__).resolve().parents[2]
CONSTANTS = json.loads(gzip.decompress((ROOT / "tests/data/pvm_golden.json.gz").read_bytes()))[
    "constants"
]

# The calls of redcoll_pvm that section 3 of the manual describes, with their arguments.
CALLS = {
    "pvm_mytid": "",
    "pvm_parent": "",
    "pvm_siblings": "tids",
    "pvm_spawn": "task argv flag where ntask tids",
    "pvm_exit": "",
    "pvm_perror": "msg",
    "pvm_setopt": "what val",
    "pvm_getopt": "what",
    "pvm_joingroup": "group",
    "pvm_lvgroup": "group",
    "pvm_gsize": "group",
    "pvm_getinst": "group tid",
    "pvm_gettid": "group inum",
    "pvm_barrier": "group count",
    "pvm_bcast": "group msgtag",
    "pvm_freezegroup": "group size",
    "pvm_reduce": "func data count datatype msgtag group rootginst",
    "pvm_gather": "result data count datatype msgtag group rootginst",
    "pvm_scatter": "result data count datatype msgtag group rootginst",
    "pvm_initsend": "encoding",
    "pvm_send": "tid msgtag",
    "pvm_mcast": "tids ntask msgtag",
    "pvm_recv": "tid msgtag",
    "pvm_nrecv": "tid msgtag",
    "pvm_probe": "tid msgtag",
    "pvm_bufinfo": "bufid bytes msgtag tid",
    "pvm_psend": "tid msgtag buf len datatype",
    "pvm_precv": "tid msgtag buf len datatype rtid rtag rlen",
    "pvm_pkstr": "sp",
    "pvm_upkstr": "cp",
    **{
        f"pvm_{verb}{name}": "xp nitem stride"
        for verb in ("pk", "upk")
        for name in (
            *("byte", "short", "int", "long", "ushort", "uint", "ulong"),
            *("float", "double", "cplx", "dcplx"),
        )
    },
    "PvmMax": "datatype x y num info",
    "PvmMin": "datatype x y num info",
    "PvmSum": "datatype x y num info",
    "PvmProduct": "datatype x y num info",
}
FORTRAN = {
    "pvmfmytid": "tid",
    "pvmfparent": "tid",
    "pvmfsiblings": "ntids index sibling",
    "pvmfspawn": "task flag where ntask tids numt",
    "pvmfexit": "info",
    "pvmfperror": "msg info",
    "pvmfsetopt": "what val oldval",
    "pvmfgetopt": "what val",
    "pvmfjoingroup": "group inum",
    "pvmflvgroup": "group info",
    "pvmfgsize": "group size",
    "pvmfgetinst": "group tid inum",
    "pvmfgettid": "group inum tid",
    "pvmfbarrier": "group count info",
    "pvmfbcast": "group msgtag info",
    "pvmffreezegroup": "group size info",
    "pvmfreduce": "func data count datatype msgtag group rootginst info",
    "pvmfgather": "result data count datatype msgtag group rootginst info",
    "pvmfscatter": "result data count datatype msgtag group rootginst info",
    "pvmfinitsend": "encoding bufid",
    "pvmfpack": "what xp nitem stride info",
    "pvmfunpack": "what xp nitem stride info",
    "pvmfsend": "tid msgtag info",
    "pvmfmcast": "ntask tids msgtag info",
    "pvmfrecv": "tid msgtag bufid",
    "pvmfnrecv": "tid msgtag bufid",
    "pvmfprobe": "tid msgtag bufid",
    "pvmfbufinfo": "bufid bytes msgtag tid info",
    "pvmfpsend": "tid msgtag xp nitem type info",
    "pvmfprecv": "tid msgtag xp nitem type rtid rtag rlen info",
    "pvmmax": "datatype x y num info",
    "pvmmin": "datatype x y num info",
    "pvmsum": "datatype x y num info",
    "pvmproduct": "datatype x y num info",
}


@pytest.mark.parametrize("name", {**CALLS, **FORTRAN})
def test_every_call_has_its_arguments_in_order_and_a_docstring(name):
    call = getattr(pvm, name)
    assert list(inspect.signature(call).parameters) == {**CALLS, **FORTRAN}[name].split()
    assert len(inspect.getdoc(call)) > 10


def test_all_is_what_there_is():
    calls = {name for name in pvm.__all__ if callable(getattr(pvm, name)) and name[0].islower()} | {
        "PvmMax",
        "PvmMin",
        "PvmSum",
        "PvmProduct",
    }
    assert calls == {*CALLS, *FORTRAN}
    assert len(set(pvm.__all__)) == len(pvm.__all__)
    public = {
        name
        for name, value in vars(pvm).items()
        if not name.startswith("_") and not inspect.ismodule(value) and name != "annotations"
    }
    assert public == set(pvm.__all__)


@pytest.mark.parametrize("kind", ["datatypes", "encodings", "errors"])
def test_numbers_are_the_recorded_ones(kind):
    assert CONSTANTS[kind]
    for name, value in CONSTANTS[kind].items():
        assert getattr(pvm, name) == value, name


def test_texts_are_the_recorded_ones():
    from redcoll_pvm.constants import error_text

    for code, text in CONSTANTS["error_texts"].items():
        assert error_text(int(code)) == text
    assert error_text(0) == "Error 0"
    assert error_text(-1) == "Error -1"


def test_fortran_types_are_the_same_numbers():
    fortran = "STRING BYTE1 INTEGER2 INTEGER4 REAL4 COMPLEX8 REAL8 COMPLEX16 INTEGER8"
    assert [getattr(pvm, name) for name in fortran.split()] == list(range(9))


def test_errno_is_asked_for_through_the_module():
    assert isinstance(pvm.pvm_errno, int)
    with pytest.raises(AttributeError, match="no attribute 'pvm_nothing'"):
        _ = pvm.pvm_nothing


def test_every_call_is_in_the_documentation():
    page = (ROOT / "docs" / "pvm_differences.md").read_text()
    missing = [name for name in CALLS if f"`{name}`" not in page and not is_packing(name)]
    assert missing == []
    assert "`pvmfreduce`" in page


def is_packing(name):
    return name.startswith(("pvm_pk", "pvm_upk")) and not name.endswith("str")


def test_the_api_imports_no_arithmetic_of_the_core():
    """The PVM API imports only errors, checks, settings and tables of the core."""
    names = ("arguments", "datatypes", "environment", "errors", "op_lookup", "ops")
    allowed = {"redcoll", *(f"redcoll.{name}" for name in names)}
    for file in (ROOT / "redcoll_pvm").glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "redcoll":
                assert ".".join(node.module.split(".")[:2]) in allowed, (file.name, node.module)
