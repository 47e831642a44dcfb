"""Test the names of ``redcoll_shmem.shmem`` against lists of shmem4py's interface."""

import enum
import importlib
import inspect
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from redcoll import config, errors
from redcoll_shmem import constants as c_constants
from redcoll_shmem import rc, shmem

ROOT = Path(__file__).resolve().parents[2]

# Each line names a function and its parameters, as in a definition.
_TEXT = """
init()
finalize()
init_thread(requested=THREAD_MULTIPLE)
query_thread()
global_exit(status=0)
info_get_version()
info_get_name()
my_pe()
n_pes()
pe_accessible(pe)
addr_accessible(addr, pe)
ptr(target, pe)
pcontrol(level=1)

alloc(count, size=1, align=None, hints=None, clear=True)
free(mem)
fromalloc(mem, shape=None, dtype=None, order='C')
new_array(shape, dtype=float, order='C', *, align=None, hints=None, clear=True)
del_array(a)
array(obj, dtype=None, *, order='K', align=None, hints=None)
empty(shape, dtype=float, order='C', *, align=None, hints=None)
zeros(shape, dtype=float, order='C', *, align=None, hints=None)
ones(shape, dtype=float, order='C', *, align=None, hints=None)
full(shape, fill_value, dtype=None, order='C', *, align=None, hints=None)

put(target, source, pe, size=None, ctx=None)
get(target, source, pe, size=None, ctx=None)
put_nbi(target, source, pe, size=None, ctx=None)
get_nbi(target, source, pe, size=None, ctx=None)
iput(target, source, pe, tst=1, sst=1, size=None, ctx=None)
iget(target, source, pe, tst=1, sst=1, size=None, ctx=None)

atomic_set(target, value, pe, ctx=None)
atomic_inc(target, pe, ctx=None)
atomic_add(target, value, pe, ctx=None)
atomic_and(target, value, pe, ctx=None)
atomic_or(target, value, pe, ctx=None)
atomic_xor(target, value, pe, ctx=None)
atomic_fetch(source, pe, ctx=None)
atomic_swap(target, value, pe, ctx=None)
atomic_compare_swap(target, cond, value, pe, ctx=None)
atomic_fetch_inc(target, pe, ctx=None)
atomic_fetch_add(target, value, pe, ctx=None)
atomic_fetch_and(target, value, pe, ctx=None)
atomic_fetch_or(target, value, pe, ctx=None)
atomic_fetch_xor(target, value, pe, ctx=None)
atomic_fetch_nbi(fetch, source, pe, ctx=None)
atomic_swap_nbi(fetch, target, value, pe, ctx=None)
atomic_compare_swap_nbi(fetch, target, cond, value, pe, ctx=None)
atomic_fetch_inc_nbi(fetch, target, pe, ctx=None)
atomic_fetch_add_nbi(fetch, target, value, pe, ctx=None)
atomic_fetch_and_nbi(fetch, target, value, pe, ctx=None)
atomic_fetch_or_nbi(fetch, target, value, pe, ctx=None)
atomic_fetch_xor_nbi(fetch, target, value, pe, ctx=None)
atomic_op(target, value, op, pe, ctx=None)
atomic_fetch_op(target, value, op, pe, ctx=None)
atomic_fetch_op_nbi(fetch, target, value, op, pe, ctx=None)

new_signal()
del_signal(signal)
signal_fetch(signal)
signal_wait_until(signal, cmp, value)
put_signal(target, source, pe, signal, value, sigop, size=None, ctx=None)
put_signal_nbi(target, source, pe, signal, value, sigop, size=None, ctx=None)

barrier_all()
sync_all()
sync(team=None)
broadcast(target, source, root, size=None, team=None)
collect(target, source, size=None, team=None)
fcollect(target, source, size=None, team=None)
alltoall(target, source, size=None, team=None)
alltoalls(target, source, tst=1, sst=1, size=None, team=None)
reduce(target, source, op=OP_SUM, size=None, team=None)
and_reduce(target, source, size=None, team=None)
or_reduce(target, source, size=None, team=None)
xor_reduce(target, source, size=None, team=None)
max_reduce(target, source, size=None, team=None)
min_reduce(target, source, size=None, team=None)
sum_reduce(target, source, size=None, team=None)
prod_reduce(target, source, size=None, team=None)

wait_until(ivar, cmp, value)
wait_until_all(ivars, cmp, value, status=None)
wait_until_any(ivars, cmp, value, status=None)
wait_until_some(ivars, cmp, value, status=None)
wait_until_all_vector(ivars, cmp, values, status=None)
wait_until_any_vector(ivars, cmp, values, status=None)
wait_until_some_vector(ivars, cmp, values, status=None)
test(ivar, cmp, value)
test_all(ivars, cmp, value, status=None)
test_any(ivars, cmp, value, status=None)
test_some(ivars, cmp, value, status=None)
test_all_vector(ivars, cmp, values, status=None)
test_any_vector(ivars, cmp, values, status=None)
test_some_vector(ivars, cmp, values, status=None)
fence(ctx=None)
quiet(ctx=None)

new_lock()
del_lock(lock)
set_lock(lock)
test_lock(lock)
clear_lock(lock)
"""
FUNCTIONS = [line for line in _TEXT.splitlines() if line]

METHODS = {
    "Ctx": [
        "create(options=0, team=None)",
        "destroy(self)",
        "get_team(self)",
        "fence(self)",
        "quiet(self)",
    ],
    "Team": [
        "destroy(self)",
        "split_strided(self, start=0, stride=1, size=None, config=None, **kwargs)",
        "get_config(self)",
        "my_pe(self)",
        "n_pes(self)",
        "translate_pe(self, pe=None, team=None)",
        "create_ctx(self, options=0)",
        "sync(self)",
    ],
    "Lock": ["acquire(self, blocking=True)", "release(self)", "destroy(self)"],
}

# The base class and the members of each enum, in their order.
ENUMS = {
    "THREAD": (enum.IntEnum, "SINGLE FUNNELED SERIALIZED MULTIPLE"),
    "CTX": (enum.IntFlag, "PRIVATE SERIALIZED NOSTORE"),
    "MALLOC": (enum.IntFlag, "ATOMICS_REMOTE SIGNAL_REMOTE"),
    "AMO": (str, "SET INC ADD AND OR XOR"),
    "SIGNAL": (enum.IntEnum, "SET ADD"),
    "OP": (str, "AND OR XOR MAX MIN SUM PROD"),
    "CMP": (enum.IntEnum, "EQ NE GT LE LT GE"),
}
OBJECTS = {
    "CTX_DEFAULT": "Ctx",
    "CTX_INVALID": "Ctx",
    "TEAM_WORLD": "Team",
    "TEAM_SHARED": "Team",
    "TEAM_INVALID": "Team",
}
VALUES = ["MAJOR_VERSION", "MINOR_VERSION", "VENDOR_STRING"]


def shown(function):
    """Return a function's signature without annotations."""
    signature = inspect.signature(function)
    parameters = [
        each.replace(annotation=inspect.Parameter.empty) for each in signature.parameters.values()
    ]
    return signature.replace(parameters=parameters, return_annotation=inspect.Signature.empty)


def wanted(line):
    """Return the name and the signature that a line of the list gives."""
    scope = {"THREAD_MULTIPLE": shmem.THREAD_MULTIPLE, "OP_SUM": shmem.OP_SUM}
    exec(f"def {line}: pass", scope)
    name = line.partition("(")[0]
    return name, inspect.signature(scope[name])


def test_the_lists_have_as_many_names_as_there_are():
    assert len(FUNCTIONS) == len({line.partition("(")[0] for line in FUNCTIONS}) == 97
    assert len(ENUMS) == 7
    assert len(METHODS) == 3


def test_all_names():
    members = [f"{name}_{each}" for name, (_, words) in ENUMS.items() for each in words.split()]
    functions = [line.partition("(")[0] for line in FUNCTIONS]
    names = [*functions, *METHODS, *ENUMS, *members, *OBJECTS, *VALUES]
    assert sorted(shmem.__all__) == sorted(names)
    assert len(set(names)) == len(names)
    assert all(hasattr(shmem, name) for name in names)


@pytest.mark.parametrize("line", FUNCTIONS)
def test_signatures(line):
    name, signature = wanted(line)
    function = getattr(shmem, name)
    assert shown(function) == signature
    assert inspect.isfunction(function)
    assert inspect.getdoc(function)


@pytest.mark.parametrize("name", METHODS)
def test_methods(name):
    kind = getattr(shmem, name)
    assert inspect.isclass(kind)
    for line in METHODS[name]:
        method, signature = wanted(line)
        function = inspect.getattr_static(kind, method)
        if method == "create":
            assert isinstance(function, staticmethod)
            function = function.__func__
        assert shown(function) == signature, method
        assert inspect.getdoc(function), method
    public = {each for each in vars(kind) if not each.startswith("_")}
    assert public >= {line.partition("(")[0] for line in METHODS[name]}
    for special in ("__enter__", "__exit__"):
        assert hasattr(kind, special)


@pytest.mark.parametrize("name", ENUMS)
def test_enums(name):
    kind, words = ENUMS[name]
    each = getattr(shmem, name)
    assert issubclass(each, kind)
    assert issubclass(each, enum.Enum)
    assert list(each.__members__) == words.split()
    for word in words.split():
        assert getattr(shmem, f"{name}_{word}") is each[word]
        if kind is str:
            assert each[word] == str(each[word]) == f"{each[word]}" == word.lower()
            assert each(word.lower()) is each[word]


def test_the_numbers_are_those_of_the_c_names():
    for name in ("THREAD", "CTX", "MALLOC", "SIGNAL", "CMP"):
        for member in getattr(shmem, name):
            assert member == getattr(c_constants, f"SHMEM_{name}_{member.name}")
    assert [int(each) for each in shmem.CMP] == [0, 1, 2, 3, 4, 5]
    assert [int(each) for each in shmem.THREAD] == [0, 1, 2, 3]
    assert [int(each) for each in shmem.SIGNAL] == [0, 1]
    assert shmem.CTX_PRIVATE | shmem.CTX_SERIALIZED | shmem.CTX_NOSTORE == 7


def test_objects():
    for name, kind in OBJECTS.items():
        value = getattr(shmem, name)
        assert type(value) is getattr(shmem, kind)
        assert bool(value) == (not name.endswith("INVALID"))
    assert shmem.info_get_version() == (shmem.MAJOR_VERSION, shmem.MINOR_VERSION)
    assert shmem.info_get_name() == shmem.VENDOR_STRING


def test_exceptions_also_derive_from_shmem4pys_classes():
    module = importlib.import_module("redcoll_shmem.shmem._errors")
    kinds = {
        "CountError": (errors.ArgumentError, AssertionError),
        "UnlikeTypesError": (errors.DatatypeError, AssertionError),
        "UnnamedTypeError": (errors.DatatypeError, KeyError),
        "FreedError": (errors.StateError, KeyError),
    }
    for name, bases in kinds.items():
        for base in bases:
            assert issubclass(getattr(module, name), base)
        assert str(getattr(module, name)("it's so")) == "it's so"


# -- rc -------------------------------------------------------------------------------------------


def test_rc_has_shmem4pys_attributes_and_defaults():
    assert (rc.initialize, rc.threads, rc.thread_level, rc.finalize) == (
        True,
        False,
        "multiple",
        None,
    )
    assert "initialize=True" in repr(rc)


def test_rc_refuses_what_it_does_not_have():
    with pytest.raises(AttributeError, match="rc has no attribute 'bogus'"):
        rc.bogus  # noqa: B018
    with pytest.raises(TypeError, match="rc has no attribute 'bogus'"):
        rc.bogus = 1
    with pytest.raises(TypeError, match="rc has no attribute 'bogus'"):
        rc(threads=True, bogus=1)
    assert rc.threads is False  # the failed call set nothing


def test_rc_takes_values_from_the_environment(monkeypatch):
    kind = type(rc)
    monkeypatch.setenv("SHMEM4PY_RC_INITIALIZE", "no")
    monkeypatch.setenv("SHMEM4PY_RC_THREADS", "1")
    monkeypatch.setenv("SHMEM4PY_RC_THREAD_LEVEL", "serialized")
    monkeypatch.setenv("SHMEM4PY_RC_FINALIZE", "false")
    mine = kind()
    assert [mine.initialize, mine.threads, mine.thread_level, mine.finalize] == [
        False,
        True,
        "serialized",
        False,
    ]
    mine(initialize=True, thread_level="single")
    mine.threads = False
    assert [mine.initialize, mine.threads, mine.thread_level] == [True, False, "single"]
    monkeypatch.setenv("SHMEM4PY_RC_FINALIZE", "perhaps")
    with pytest.raises(errors.ConfigError, match="SHMEM4PY_RC_FINALIZE='perhaps'"):
        kind().finalize  # noqa: B018
    names = [row.name for row in config.settings()]
    assert [name for name in names if name.startswith("SHMEM4PY_RC_")] == [
        f"SHMEM4PY_RC_{name}" for name in ("INITIALIZE", "THREADS", "THREAD_LEVEL", "FINALIZE")
    ]


# -- the package -----------------------------------------------------------------------------------


def python(*arguments, **environment):
    return subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        cwd=ROOT,
        env={**os.environ, **environment},
    )


def test_importing_the_package_does_not_start_the_library():
    result = python(
        "-c",
        "import redcoll_shmem, sys; from redcoll import world;"
        "print(world.is_running(), 'redcoll_shmem.shmem' in sys.modules)",
    )
    assert result.stdout.split() == ["False", "False"], result.stderr


@pytest.mark.parametrize(("value", "runs"), [("1", "True"), ("0", "False")])
def test_importing_shmem_starts_it_unless_rc_forbids(value, runs):
    result = python(
        "-c",
        "from redcoll_shmem import shmem; from redcoll import world; print(world.is_running())",
        SHMEM4PY_RC_INITIALIZE=value,
    )
    assert result.stdout.split() == [runs], result.stderr


def test_no_cffi_is_needed():
    result = python(
        "-c",
        "import sys; sys.modules['cffi'] = sys.modules['_cffi_backend'] = None;"
        "from redcoll_shmem import shmem; a = shmem.ones(3); shmem.sum_reduce(a, a);"
        "print(a.sum(), any('cffi' in name for name in sys.modules if sys.modules[name]))",
    )
    assert result.stdout.split() == ["3.0", "False"], result.stderr


def test_version_on_the_command_line():
    result = python("-m", "redcoll_shmem", "--version")
    assert result.returncode == 0, result.stderr
    assert result.stdout.startswith(f"{shmem.VENDOR_STRING}, OpenSHMEM ")
    result = python("-m", "redcoll_shmem")
    assert result.returncode == 0
    assert "--version" in result.stdout


def test_types_with_a_name():
    codes = importlib.import_module("redcoll_shmem.shmem._checks").TYPE_CODES
    assert sorted(codes) == sorted("bhilqBHILQfdgFD")
    assert all(np.dtype(code).char == code for code in codes)
