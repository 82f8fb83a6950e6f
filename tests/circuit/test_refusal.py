"""Refusals: what could not be ground within a budget is not tried again with the same one."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.circuit.test_budget import SMALL, TICK, WIDE
from tests.support.small_sheets import sheet_of

from stratagem.circuit.compile import canonical_text, circuit_of
from stratagem.circuit.refusal import KIND, Refusal, remember, remembered
from stratagem.circuit.store import Store, key_of
from stratagem.errors import GroundingError

REFUSAL = Refusal("too large", "play anyway")
KEY = "ab" * 32


def test_the_second_refusal_comes_from_the_store_with_the_same_words(tmp_path, monkeypatch):
    store = Store(tmp_path)
    with pytest.raises(GroundingError) as first:
        circuit_of(sheet_of(WIDE), budget=SMALL, store=store)
    monkeypatch.setattr("stratagem.circuit.compile._compile", None)
    with pytest.raises(GroundingError) as second:
        circuit_of(sheet_of(WIDE), budget=SMALL, store=store)
    assert str(second.value) == str(first.value)
    assert "the game still plays" in str(second.value)


@pytest.mark.parametrize("name", ["seconds", "seconds_growing", "memory"])
def test_a_larger_budget_tries_again_and_a_smaller_one_does_not(tmp_path, name):
    store = Store(tmp_path)
    remember(store, KEY, REFUSAL, SMALL)
    assert remembered(store, KEY, SMALL) == REFUSAL
    assert remembered(store, KEY, replace(SMALL, **{name: getattr(SMALL, name) * 2})) is None
    assert remembered(store, KEY, replace(SMALL, **{name: getattr(SMALL, name) / 2})) == REFUSAL


def test_a_sheet_that_is_ground_with_more_is_not_refused_after(tmp_path):
    store = Store(tmp_path)
    sheet = sheet_of(TICK)
    remember(store, key_of(canonical_text(sheet)), REFUSAL, SMALL)
    with pytest.raises(GroundingError, match="too large"):
        circuit_of(sheet, budget=SMALL, store=store)
    assert circuit_of(sheet, store=store).gate_count >= 0
    assert circuit_of(sheet, budget=SMALL, store=store).gate_count >= 0


def test_the_troubles_of_one_day_are_not_remembered(tmp_path, monkeypatch):
    store = Store(tmp_path)
    remember(store, KEY, replace(REFUSAL, lasting=False), SMALL)
    assert remembered(store, KEY, SMALL) is None

    def no_process(*_arguments, **_options):
        raise OSError("no more processes")

    monkeypatch.setattr("subprocess.run", no_process)
    sheet = sheet_of(WIDE)
    with pytest.raises(GroundingError, match="no more processes"):
        circuit_of(sheet, budget=SMALL, store=store)
    assert remembered(store, key_of(canonical_text(sheet)), SMALL) is None


@pytest.mark.parametrize("content", [b"", b"[]", b'{"message": "no budget"}', b'{"budget": {"years": 1}}'])
def test_a_damaged_refusal_is_none(tmp_path, content):
    store = Store(tmp_path)
    store.write(KEY, content, kind=KIND)
    assert remembered(store, KEY, SMALL) is None
