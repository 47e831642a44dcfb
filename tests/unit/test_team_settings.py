"""Test the settings that must be equal on all PEs."""

import pytest

from redcoll.errors import ConfigError
from redcoll.team import settings
from redcoll.team.settings import Told
from redcoll_pvm import _settings

ROWS = (_settings.MAX_GROUPS, _settings.HANDOVER_BYTES)
NAMES = ["PE 4", "PE 5", "PE 6"]
ALIKE = Told({"A": 1, "B": None}, None)


def test_one_pe_prints_the_settings_in_force(monkeypatch):
    monkeypatch.setenv("REDCOLL_MAX_GROUPS", "7")
    monkeypatch.delenv("REDCOLL_HANDOVER_BYTES", raising=False)
    told = settings.tell(*ROWS)
    assert told == ({"REDCOLL_MAX_GROUPS": 7, "REDCOLL_HANDOVER_BYTES": 8 << 20}, None)


def test_a_wrong_value_is_reported_even_of_another_setting(monkeypatch):
    monkeypatch.setenv("REDCOLL_SPIN", "much")
    told = settings.tell(*ROWS)
    assert told.values == {}
    assert "REDCOLL_SPIN" in told.wrong


def test_equal_settings_pass():
    settings.require([ALIKE] * 3, ["PE 0", "PE 1", "PE 2"], 1)


@pytest.mark.parametrize("index", range(3))
def test_a_difference_raises_everywhere_and_names_every_value(index):
    told = [ALIKE, ALIKE, Told({"A": 1, "B": 2}, None)]
    text = "B must be the same everywhere; found PE 4: None, PE 5: None, PE 6: 2"
    with pytest.raises(ConfigError, match=text):
        settings.require(told, NAMES, index)


@pytest.mark.parametrize(("index", "text"), [(0, "^PE 5: wrong$"), (1, "^wrong$")])
def test_a_wrong_setting_elsewhere_is_reported_with_its_pe(index, text):
    with pytest.raises(ConfigError, match=text):
        settings.require([ALIKE, Told({}, "wrong"), ALIKE], NAMES, index)
