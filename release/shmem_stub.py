"""Write the stub ``__init__.pyi`` of redcoll_shmem, and the list of names ``_names.py``.

``python release/shmem_stub.py`` writes both files, and a test checks that they are up to date.
``_names.py`` lists the names of each module. The package needs the list to import a module only
when a program first uses one of its names.

Type checkers and editors read the stub. Routines with the same parameters share a ``Protocol`` in
the stub. For each routine that is made from a table, the stub has a line such as
``shmem_double_put: _Copy[_F64]``. The stub imports functions that are written by hand from their
modules, which have the signatures and the documentation.
"""

from __future__ import annotations

import importlib
import re
import textwrap
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from redcoll_shmem._routines import type_name

_FOLDER = Path(__file__).parents[1] / "redcoll_shmem"
STUB = _FOLDER / "__init__.pyi"
NAMES = _FOLDER / "_names.py"
CHAPTERS = (
    *("constants", "library", "memory", "teams", "rma", "strided", "atomics", "barriers"),
    *("collectives", "team_collectives", "reductions", "team_reductions", "signals"),
    *("synchronization", "waits", "locks", "contexts", "caches", "own"),
    "statistics",
)
"""The modules that have public names."""
LINE_LENGTH = 100

_ORIGIN = """\
# Made by `python release/shmem_stub.py` from the tables in this folder: do not edit.
"""
_HEAD = f"""\
{_ORIGIN}
from types import ModuleType
from typing import Any, Protocol, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

"""

_VARIABLES = """
_T_contra = TypeVar("_T_contra", bound=np.generic, contravariant=True)
_N_contra = TypeVar("_N_contra", contravariant=True)
_R_co = TypeVar("_R_co", covariant=True)

CHAPTERS: tuple[ModuleType, ...]

"""

_ON_SET = "PE_start logPE_stride PE_size pSync"
SHAPES = {
    "target source nreduce PE_start logPE_stride PE_size pWrk pSync": (
        "ToAll",
        "Reduce the sources of an active set, element by element, to the targets of all members.",
    ),
    "team target source nreduce": (
        "TeamReduction",
        "Reduce the sources of a team, element by element, to the targets of all members.",
    ),
    "target source nelems pe": (
        "Copy",
        "Copy ``nelems`` elements to PE ``pe`` (put), or from PE ``pe`` (get).",
    ),
    "target source dst sst nelems pe": (
        "StridedCopy",
        "Copy every ``sst``-th element of ``source`` to every ``dst``-th element of ``target``.",
    ),
    "target source dst sst bsize nblocks pe": (
        "BlockCopy",
        "Copy blocks of ``bsize`` elements, with strides ``sst`` in source and ``dst`` in target.",
    ),
    "target source nelems sig_addr signal sig_op pe": (
        "PutSignal",
        "Copy ``nelems`` elements to PE ``pe``, and then change a signal there.",
    ),
    "sig_addr signal pe": ("Signal", "Change a signal on PE ``pe``, without data."),
    "source pe": ("Fetch", "Return the first element of ``source`` on PE ``pe``."),
    "target pe": ("Increment", "Add 1 to the first element of ``target`` on PE ``pe``."),
    "target value pe": (
        "Update",
        "Update the first element of ``target`` on PE ``pe`` with ``value``.",
    ),
    "target cond value pe": (
        "CompareSwap",
        "If the first element of ``target`` on PE ``pe`` equals ``cond``, set it to ``value``.",
    ),
    "fetch source pe": ("FetchTo", "Store the first element of ``source`` in ``fetch``."),
    "fetch target pe": (
        "IncrementTo",
        "Add 1 to the first element of ``target``. ``fetch`` gets the old value.",
    ),
    "fetch target value pe": (
        "UpdateTo",
        "Update the first element of ``target``. ``fetch`` gets the old value.",
    ),
    "fetch target cond value pe": (
        "CompareSwapTo",
        "If the first element of ``target`` equals ``cond``, set it. ``fetch`` gets the old value.",
    ),
    "ivar cmp cmp_value": (
        "Compare",
        "Wait until ``ivar`` satisfies a comparison, or return whether it does.",
    ),
    "ivar cmp_value": ("Wait", "Wait until the first element of ``ivar`` differs from a value."),
    "ivars nelems status cmp cmp_value": (
        "CompareMany",
        "Wait until elements satisfy a comparison with one value, or test the elements.",
    ),
    "ivars nelems status cmp cmp_values": (
        "CompareEach",
        "Wait until elements satisfy comparisons with their own values, or test the elements.",
    ),
    "ivars nelems indices status cmp cmp_value": (
        "CompareSome",
        "Store the indices of elements that satisfy a comparison with one value in ``indices``.",
    ),
    "ivars nelems indices status cmp cmp_values": (
        "CompareSomeEach",
        "Find elements that satisfy comparisons with their own values. Store their indices.",
    ),
    "team target source nelems": (
        "TeamCopy",
        "Copy ``nelems`` elements of every member to the targets of all members.",
    ),
    "team target source nelems PE_root": (
        "TeamBroadcast",
        "Copy ``nelems`` elements of the root to the targets of all members.",
    ),
    "team target source dst sst nelems": (
        "TeamStridedExchange",
        "Copy block j of member i's source to block i of member j's target, with strides.",
    ),
    f"target source nelems {_ON_SET}": (
        "SetCopy",
        "Copy ``nelems`` elements of every member to the targets of all members.",
    ),
    f"target source nelems PE_root {_ON_SET}": (
        "SetBroadcast",
        "Copy ``nelems`` elements of the root to the targets of the other members.",
    ),
    f"target source dst sst nelems {_ON_SET}": (
        "SetStridedExchange",
        "Copy block j of member i's source to block i of member j's target, with strides.",
    ),
}
"""The name and the documentation of each protocol, by the names of the parameters."""

_IN_CONTEXT = "PE numbers refer to the context's team."

_OWN_ALIASES = ("pSync", "sig_addr", "status", "indices")
"""Parameters whose element type can differ from that of the routine."""
_NUMBERS = ("cond", "value")

_ORDER = _ELEMENT, _NUMBER, _RESULT = ("_T_contra", "_N_contra", "_R_co")
"""The type variables of the protocols."""


class _Alias(NamedTuple):
    """A name in the stub for the NumPy types of one kind and size."""

    name: str
    types: str


# A type checker distinguishes C types of the same size, but the routines do not.
_ALIASES = {
    ("i", 1): _Alias("_I8", "np.int8 | np.byte"),
    ("i", 2): _Alias("_I16", "np.int16 | np.short"),
    ("i", 4): _Alias("_I32", "np.int32 | np.intc"),
    ("i", 8): _Alias("_I64", "np.int64 | np.intp | np.long | np.longlong"),
    ("u", 1): _Alias("_U8", "np.uint8 | np.ubyte"),
    ("u", 2): _Alias("_U16", "np.uint16 | np.ushort"),
    ("u", 4): _Alias("_U32", "np.uint32 | np.uintc"),
    ("u", 8): _Alias("_U64", "np.uint64 | np.uintp | np.ulong | np.ulonglong"),
    ("f", 4): _Alias("_F32", "np.float32"),
    ("f", 8): _Alias("_F64", "np.float64"),
    ("f", 16): _Alias("_LongDouble", "np.longdouble"),
    ("c", 8): _Alias("_C64", "np.complex64"),
    ("c", 16): _Alias("_C128", "np.complex128"),
}


def _element_name(of: Any) -> str:
    """Return the stub's name for an element type."""
    if of is Any or of is np.integer:
        return "Any" if of is Any else "np.integer[Any]"
    parts = getattr(of, "__args__", (of,))
    names = [_ALIASES[np.dtype(each).kind, np.dtype(each).itemsize].name for each in parts]
    return " | ".join(names)


def _word(of: Any) -> str:
    return type_name(of, _element_name)


class _Shape:
    """The routines with the same list of parameters, and the protocol that is their type."""

    def __init__(self, routines: Mapping[str, Mapping[str, Any]]) -> None:
        self.routines = routines
        self._slots = {name: list(map(_word, each)) for name, each in self._columns()}
        names = list(self._slots)[:-1]
        self._is_in_context = names[0] == "ctx"
        key = " ".join(names[self._is_in_context :])
        if key not in SHAPES:
            raise LookupError(f"SHAPES has no row for the parameters {key}")
        name, self._doc = SHAPES[key]
        is_optional = self._slots.get("target", [""])[0].endswith("None")
        if key == "team target source nelems" and not is_optional:
            name = "TeamCollect"
        self.name = f"_{'Ctx' if self._is_in_context else ''}{name}"
        self._variables = self._find_variables()

    def _columns(self) -> Iterable[tuple[str, list[Any]]]:
        first = next(iter(self.routines.values()))
        return ((name, [each[name] for each in self.routines.values()]) for name in first)

    def _find_variables(self) -> dict[str, str]:
        """Return the type variable of each parameter whose type differs between the routines."""
        found = {}
        for name, words in self._slots.items():
            if len(set(words)) == 1 or name in _OWN_ALIASES:
                continue
            if name == "return":
                found[name] = _RESULT
            else:
                found[name] = _NUMBER if name in _NUMBERS else _ELEMENT
        return found

    def protocol(self) -> str:
        """Return the text of the protocol's class."""
        of = sorted(set(self._variables.values()), key=_ORDER.index)
        bases = f"Protocol[{', '.join(of)}]" if of else "Protocol"
        parameters = ["self", *(f"{each}: {self._type(each)}" for each in list(self._slots)[:-1])]
        doc = f"{self._doc} {_IN_CONTEXT}" if self._is_in_context else self._doc
        if self._is_in_context and len(doc) + 14 > LINE_LENGTH:
            doc = f"{self._doc}\n\n        {_IN_CONTEXT}\n        "
        head = _block("def __call__(", parameters, f") -> {self._type('return')}:", 4)
        return f'class {self.name}({bases}):\n{head}        """{doc}"""\n\n'

    def _type(self, name: str) -> str:
        words, variable = self._slots[name], self._variables.get(name)
        if variable != _ELEMENT:
            return variable or max(words, key=len)
        optional = " | None" if words[0].endswith("| None") else ""
        return f"NDArray[{variable}]{optional}"

    def line(self, routine: str) -> str:
        """Return the stub's line for a routine."""
        hints, given = self.routines[routine], {}
        for name, variable in self._variables.items():
            word = _word(hints[name])
            match = re.search(r"NDArray\[(.*?)\]", word)
            given[variable] = match[1] if match and variable == _ELEMENT else word
        of = [given[each] for each in sorted(given, key=_ORDER.index)]
        return f"{routine}: {self.name}[{', '.join(of)}]\n" if of else f"{routine}: {self.name}\n"


def _chapter(name: str) -> Any:
    return importlib.import_module(f"redcoll_shmem.{name}")


def names() -> str:
    """Return the text of ``_names.py``."""
    parts = []
    for name in CHAPTERS:
        chapter = _chapter(name)
        tables = ("__all__", "CONSTANTS", "ROUTINES")
        found = " ".join(each for table in tables for each in getattr(chapter, table, ()))
        lines = textwrap.wrap(found, LINE_LENGTH - 8)
        parts.append(textwrap.indent("\n".join([f'"{name}": """', *lines, '""",\n']), " " * 4))
    doc = '"""List the public names of each chapter, with spaces between them."""\n'
    return f"{_ORIGIN}\n{doc}\nNAMES = {{\n{''.join(parts)}}}\n"


def stub() -> str:
    """Return the text of the stub."""
    imports = {
        f"redcoll_shmem.{module}": [
            f"from redcoll_shmem.{module} import {name} as {name}\n" for name in names
        ]
        for module, names in (("_handles", ("shmem_ctx_t", "shmem_team_t")), ("_rc", ("rc",)))
    }
    chapters: dict[str, Iterable[str]] = {}
    by_key: dict[tuple[Any, ...], dict[str, Any]] = {}
    for chapter in map(_chapter, CHAPTERS):
        module = chapter.__name__
        by_hand = [f"from {module} import *\n"] if hasattr(chapter, "__all__") else []
        constants = _sorted(getattr(chapter, "CONSTANTS", ()))
        imports[module] = [*by_hand, *(f"from {module} import {of} as {of}\n" for of in constants)]
        routines = getattr(chapter, "ROUTINES", {})
        if routines:
            chapters[(chapter.__doc__ or "").partition("\n")[0]] = routines
        for name, routine in routines.items():
            hints = routine.__annotations__
            key = tuple((each, _word(of).endswith("| None")) for each, of in hints.items())
            by_key.setdefault(key, {})[name] = hints
    shapes = [_Shape(routines) for routines in by_key.values()]
    shape_of = {name: shape for shape in shapes for name in shape.routines}
    parts = [
        _HEAD,
        *(line for module in sorted(imports) for line in imports[module]),
        "\n",
        *(f"{each.name}: TypeAlias = {each.types}\n" for each in _ALIASES.values()),
        _VARIABLES,
        *(shape.protocol() for shape in shapes),
    ]
    for title, names in chapters.items():
        parts += [f"# {title}\n\n", *(shape_of[name].line(name) for name in names), "\n"]
    return "".join(parts).rstrip("\n") + "\n"


def _block(first: str, lines: Iterable[str], last: str, indent: int) -> str:
    space = " " * indent
    return "".join(
        [f"{space}{first}\n", *(f"{space}    {each},\n" for each in lines), f"{space}{last}\n"]
    )


def _sorted(names: Iterable[str]) -> list[str]:
    """Sort names as linters require: constants first, and numbers in names by their value."""

    def order(name: str) -> tuple[bool, list[str]]:
        digits = re.split("([0-9]+)", name.lower())
        return not name.isupper(), [part.zfill(9) if part.isdigit() else part for part in digits]

    return sorted(names, key=order)


if __name__ == "__main__":
    STUB.write_text(stub())
    NAMES.write_text(names())
