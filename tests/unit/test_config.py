"""Test the parsers and errors of all settings, their aliases, and typos in names."""

import subprocess
import sys
import warnings

import pytest

from redcoll import config
from redcoll.environment import parse_bytes
from redcoll.errors import ArgumentError, ConfigError, RedcollError

config.load_all()
ROWS = {row.name: row for row in config.settings()}

# For each setting: texts with their parsed values, and texts that are rejected.
CASES = {
    "REDCOLL_KERNEL": (
        {"auto": "auto", "numpy": "numpy", " NumPy ": "numpy", "COMPILED": "compiled"},
        ["c", "fast", "1"],
    ),
    "REDCOLL_TIMEOUT": ({"2": 2.0, "0.25": 0.25, "1e3": 1000.0}, ["0", "-1", "nan", "2s", "for"]),
    "REDCOLL_STALL_WARN": ({"5": 5.0, ".5": 0.5}, ["0", "-3", "nan", "soon"]),
    "REDCOLL_MAX_TEAMS": ({"1": 1, "200": 200}, ["0", "-1", "2.5", "many"]),
    "REDCOLL_MAX_GROUPS": ({"1": 1, "1000": 1000}, ["0", "-1", "1.5", "all"]),
    "REDCOLL_HANDOVER_BYTES": ({"16k": 16384, "32M": 32 << 20}, ["0", "16383", "-1m", "x"]),
    "REDCOLL_PVM_HOLD": ({"1": True, "no": False}, ["2", "hold"]),
    "REDCOLL_NODE_SIZE": ({"1": 1, "16": 16}, ["0", "-2", "1.0", "all"]),
    "REDCOLL_ORDER": ({"node": "node", "Strict": "strict"}, ["flat", "1"]),
    "REDCOLL_SUM": ({"exact": "exact", "Plain": "plain"}, ["1", "kahan"]),
    "REDCOLL_REPORT": (
        {"1": "1", "Yes": "1", "0": None, "off": None, "a.json": "a.json", "./a": "./a"},
        ["2", "yess", "report"],
    ),
    "REDCOLL_PROFILE": (
        {"1": "1", "no": None, "trace.json": "trace.json", "./table": "./table"},
        ["2", "yess", "trace"],
    ),
    "REDCOLL_DUMP_SIGNAL": ({"USR1": "usr1", "usr2": "usr2"}, ["1", "SIGUSR1", "int"]),
    "REDCOLL_SHARED_ARRAYS": ({"1": True, "yes": True, "0": False}, ["2", "all", "1m"]),
    "REDCOLL_SMALL_BYTES": ({"4096": 4096, "4k": 4096, "0": 0}, ["-1", "4kb", "x", "1e30"]),
    "REDCOLL_CHUNK_BYTES": ({"256k": 262144, "1M": 1 << 20}, ["-4k", "4 k k", "k", "inf"]),
    "REDCOLL_AHEAD": ({"1": 1, "64": 64, "1024": 1024}, ["0", "-2", "3", "2048", "all"]),
    "REDCOLL_SPIN": ({"0": 0, "100": 100}, ["-1", "1.5", "none", "2147483648"]),
    "REDCOLL_HEAP_BYTES": (
        {"1g": 1 << 30, "1.5m": 3 << 19, "2T": 2 << 40, "0.5k": 512, " 64M ": 64 << 20},
        ["-1m", "1x", "m", "1,5m", "nan", "1e40"],
    ),
    "SHMEM_VERSION": (
        {"1": True, "yes": True, "On": True, "TRUE": True, "0": False, "no": False, "off": False},
        ["2", "y", "perhaps"],
    ),
    "SHMEM_INFO": ({"1": True, "false": False}, ["3"]),
    "SHMEM4PY_RC_INITIALIZE": ({"1": True, "no": False}, ["2"]),
    "SHMEM4PY_RC_THREADS": ({"on": True, "0": False}, ["both"]),
    "SHMEM4PY_RC_THREAD_LEVEL": (
        {"single": "single", "Multiple": "multiple"},
        ["3", "THREAD_MULTIPLE"],
    ),
    "SHMEM4PY_RC_FINALIZE": ({"yes": True, "false": False}, ["none"]),
}


def test_every_setting_has_cases():
    assert sorted(CASES) == sorted(ROWS)
    assert all(good and bad for good, bad in CASES.values())


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [(name, text, value) for name, (good, _) in CASES.items() for text, value in good.items()],
)
def test_value(monkeypatch, name, text, value):
    monkeypatch.setenv(name, text)
    assert ROWS[name].get() == value
    assert type(ROWS[name].get()) is type(value)
    assert ROWS[name].is_set()
    assert ROWS[name].problem() is None


@pytest.mark.parametrize(
    ("name", "text"), [(name, text) for name, (_, bad) in CASES.items() for text in bad]
)
def test_wrong_value_names_variable_value_and_rule(monkeypatch, name, text):
    monkeypatch.setenv(name, text)
    with pytest.raises(ConfigError) as caught:
        ROWS[name].get()
    message = str(caught.value)
    assert name in message
    assert repr(text) in message
    assert ROWS[name].takes in message
    assert message in config.wrong_values()
    assert isinstance(caught.value, ArgumentError | RedcollError)


@pytest.mark.parametrize("name", ROWS)
@pytest.mark.parametrize("text", [None, "", "  "])
def test_unset_and_empty_mean_the_default(monkeypatch, name, text):
    if text is None:
        monkeypatch.delenv(name, raising=False)
    else:
        monkeypatch.setenv(name, text)
    assert ROWS[name].get() == ROWS[name].default
    assert not ROWS[name].is_set()


@pytest.mark.parametrize("row", config.settings(), ids=lambda row: row.name)
def test_every_setting_describes_its_values_and_meaning(row):
    assert row.takes
    assert row.meaning.endswith(".")
    assert row.name.startswith(("REDCOLL_", "SHMEM_", "SHMEM4PY_RC_"))


def test_a_setting_is_read_when_asked_for(monkeypatch):
    monkeypatch.setenv("REDCOLL_TIMEOUT", "3")
    assert config.TIMEOUT.get() == 3
    monkeypatch.setenv("REDCOLL_TIMEOUT", "4")
    assert config.TIMEOUT.get() == 4


@pytest.mark.parametrize(
    ("typo", "meant"),
    [("REDCOLL_TIMOUT", "REDCOLL_TIMEOUT"), ("REDCOLL_MAXTEAMS", "REDCOLL_MAX_TEAMS")],
)
def test_a_typo_is_noticed_and_corrected(monkeypatch, typo, meant):
    monkeypatch.setenv(typo, "1")
    [text] = [text for text in config.unknown_names() if typo in text]
    assert f"did you mean {meant}?" in text
    with pytest.warns(UserWarning, match=typo):
        config.warn_unknown()


def test_no_suggestion_without_a_similar_name(monkeypatch):
    monkeypatch.setenv("REDCOLL_XYZZY_PLUGH_QWERT", "1")
    [text] = [text for text in config.unknown_names() if "XYZZY" in text]
    assert "did you mean" not in text


def test_known_names_and_those_of_the_tests_are_no_typo(monkeypatch):
    for name in ROWS:
        monkeypatch.setenv(name, "1")
    monkeypatch.setenv("REDCOLL_TEST_MPIEXEC", "mpiexec")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        config.warn_unknown()
    assert config.unknown_names() == []


@pytest.mark.parametrize(
    ("text", "n_bytes"),
    [("0", 0), ("1", 1), ("1k", 1024), ("1K", 1024), ("1m", 1048576), ("0.001k", 1), ("3.7", 3)],
)
def test_parse_bytes(text, n_bytes):
    assert parse_bytes(text) == n_bytes


@pytest.mark.parametrize(
    ("text", "n_bytes"),
    [("20m", 20971520), ("64MB", 67108864), ("20kk", 20480), (".5m", 524288), ("1GiB ", 1 << 30)],
)
def test_characters_after_the_suffix_of_the_symmetric_size_are_ignored(monkeypatch, text, n_bytes):
    """OpenSHMEM 1.5 ignores them. Other settings refuse such values."""
    monkeypatch.setenv("SHMEM_SYMMETRIC_SIZE", text)
    assert config.HEAP_BYTES.get() == n_bytes
    monkeypatch.setenv("REDCOLL_SMALL_BYTES", "64kB")
    assert "REDCOLL_SMALL_BYTES='64kB'" in config.SMALL_BYTES.problem()
    for wrong in ("64B", "MB", "-1m", "k20"):
        monkeypatch.setenv("SHMEM_SYMMETRIC_SIZE", wrong)
        assert config.HEAP_BYTES.problem().startswith(f"SHMEM_SYMMETRIC_SIZE={wrong!r}")


def test_an_alias_counts_where_the_name_is_unset(monkeypatch):
    row = config.HEAP_BYTES
    monkeypatch.setenv("SHMEM_SYMMETRIC_SIZE", "3m")
    assert (row.get(), row.is_set(), row.variable) == (3 << 20, True, "SHMEM_SYMMETRIC_SIZE")
    assert "\nSHMEM_SYMMETRIC_SIZE = 3m  (environment" in config.table()
    monkeypatch.setenv("REDCOLL_HEAP_BYTES", "2m")
    assert (row.get(), row.variable) == (2 << 20, "REDCOLL_HEAP_BYTES")
    monkeypatch.setenv("REDCOLL_HEAP_BYTES", "")
    monkeypatch.setenv("SHMEM_SYMMETRIC_SIZE", "much")
    assert row.problem().startswith("SHMEM_SYMMETRIC_SIZE='much'")


def test_settings_of_apis_are_known_before_the_api_is_imported():
    program = """
import os, sys
os.environ["REDCOLL_PVM_HOLD"] = os.environ["REDCOLL_MAX_GROUPS"] = "1"
from redcoll import config
assert "redcoll_pvm._settings" not in sys.modules
assert config.unknown_names() == []
assert "redcoll_pvm" not in sys.modules and "mpi4py" not in sys.modules
kept = [row for row in config.settings() if row.name == "REDCOLL_MAX_GROUPS"]
import redcoll_pvm
from redcoll_pvm import _settings
assert kept == [_settings.MAX_GROUPS] and kept[0] is _settings.MAX_GROUPS
"""
    subprocess.run([sys.executable, "-c", program], check=True)


# These defaults are copied from docs/settings.md and docs/troubleshooting.md, not from the code.
DEFAULTS = {
    "REDCOLL_KERNEL": "auto",
    "REDCOLL_TIMEOUT": None,
    "REDCOLL_STALL_WARN": 60.0,
    "REDCOLL_MAX_TEAMS": 200,
    "REDCOLL_MAX_GROUPS": 256,
    "REDCOLL_HANDOVER_BYTES": 8 * 1024 * 1024,
    "REDCOLL_PVM_HOLD": False,
    "REDCOLL_NODE_SIZE": None,
    "REDCOLL_ORDER": "node",
    "REDCOLL_SMALL_BYTES": None,
    "REDCOLL_CHUNK_BYTES": None,
    "REDCOLL_SPIN": None,
    "REDCOLL_AHEAD": None,
    "REDCOLL_HEAP_BYTES": 128 * 1024 * 1024,
}


@pytest.mark.parametrize("name", DEFAULTS)
def test_default_is_the_documented_one(monkeypatch, name):
    monkeypatch.delenv(name, raising=False)
    assert ROWS[name].default == DEFAULTS[name]
