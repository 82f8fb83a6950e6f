"""Refusals: what could not be ground within a budget is not tried again with the same one."""

from __future__ import annotations

import signal
import subprocess
from dataclasses import replace

import pytest
from tests.circuit.test_budget import SMALL, TICK, WIDE
from tests.support.small_sheets import sheet_of

from stratagem.cache import Cache
from stratagem.circuit.compiler.compile import canonical_text, circuit_of
from stratagem.circuit.compiler.store import REFUSAL as REFUSAL_KIND
from stratagem.circuit.compiler.store import Refusal, name_of, read_refusal, write_refusal
from stratagem.errors import GroundingError
from stratagem.platform import ProcessLimits

REFUSAL = Refusal("too large", "play anyway")
KEY = "ab" * 32


@pytest.mark.skipif(not hasattr(signal, "SIGXCPU"), reason="no limit on computing time here")
def test_the_second_refusal_comes_from_the_store_with_the_same_words(tmp_path, monkeypatch):
    store = Cache(tmp_path)
    # On a busy machine the clock may run out before the child has used its seconds, and that is not remembered.
    spent = subprocess.CompletedProcess([], -signal.SIGXCPU, b"", b"")
    monkeypatch.setattr("stratagem.circuit.compiler.child_process._run", lambda *_arguments: spent)
    with pytest.raises(GroundingError) as first:
        circuit_of(sheet_of(WIDE), budget=SMALL, store=store)
    monkeypatch.setattr("stratagem.circuit.compiler.compile._compile", None)
    with pytest.raises(GroundingError) as second:
        circuit_of(sheet_of(WIDE), budget=SMALL, store=store)
    assert str(second.value) == str(first.value)
    assert "the game still plays" in str(second.value)


@pytest.mark.parametrize("name", ["seconds", "seconds_growing", "memory"])
def test_a_larger_budget_tries_again_and_a_smaller_one_does_not(tmp_path, name):
    store = Cache(tmp_path)
    write_refusal(store, KEY, REFUSAL, SMALL)
    assert read_refusal(store, KEY, SMALL) == REFUSAL
    assert read_refusal(store, KEY, replace(SMALL, **{name: getattr(SMALL, name) * 2})) is None
    assert read_refusal(store, KEY, replace(SMALL, **{name: getattr(SMALL, name) / 2})) == REFUSAL


def test_a_sheet_that_is_ground_with_more_is_not_refused_after(tmp_path):
    store = Cache(tmp_path)
    sheet = sheet_of(TICK)
    write_refusal(store, canonical_text(sheet), REFUSAL, SMALL)
    with pytest.raises(GroundingError, match="too large"):
        circuit_of(sheet, budget=SMALL, store=store)
    assert circuit_of(sheet, store=store).gate_count >= 0
    assert circuit_of(sheet, budget=SMALL, store=store).gate_count >= 0


def test_the_troubles_of_one_day_are_not_remembered(tmp_path, monkeypatch):
    store = Cache(tmp_path)
    write_refusal(store, KEY, replace(REFUSAL, lasting=False), SMALL)
    assert read_refusal(store, KEY, SMALL) is None

    def no_process(*_arguments, **_options):
        raise OSError("no more processes")

    monkeypatch.setattr("subprocess.Popen", no_process)
    sheet = sheet_of(WIDE)
    with pytest.raises(GroundingError, match="no more processes"):
        circuit_of(sheet, budget=SMALL, store=store)
    assert read_refusal(store, canonical_text(sheet), SMALL) is None


@pytest.mark.parametrize("content", [b"", b"[]", b'{"message": "no budget"}', b'{"budget": {"years": 1}}'])
def test_a_damaged_refusal_is_none(tmp_path, content):
    store = Cache(tmp_path)
    store.write(name_of(KEY, REFUSAL_KIND), content)
    assert read_refusal(store, KEY, SMALL) is None


@pytest.mark.parametrize(
    ("then", "now", "tried_again"),
    [
        (ProcessLimits(None, 1), ProcessLimits(None, 1), False),
        (ProcessLimits(None, 1), ProcessLimits(1000, 1), True),
        (ProcessLimits(1000, 1), ProcessLimits(None, 1), True),
        (ProcessLimits(1000, 1), ProcessLimits(2000, 1), True),
        (ProcessLimits(2000, 1), ProcessLimits(1000, 1), False),
        (ProcessLimits(1000, None), ProcessLimits(1000, 1), True),
    ],
)
def test_a_refusal_names_its_limits_and_other_limits_try_again(tmp_path, monkeypatch, then, now, tried_again):
    store = Cache(tmp_path)
    held = [then]
    monkeypatch.setattr("stratagem.circuit.compiler.store.possible_limits", lambda *_budget: held[0])
    write_refusal(store, KEY, REFUSAL, SMALL)
    held[0] = now
    assert (read_refusal(store, KEY, SMALL) is None) is tried_again


@pytest.mark.parametrize(
    ("limits", "status", "words"),
    [
        (ProcessLimits(400 * 1024**2, 1), 3, "within 0.390625 GiB of memory"),
        (ProcessLimits(None, 1), 3, "most likely because the machine's memory ran out"),
        (ProcessLimits(400 * 1024**2, 1), -9, "most likely because the machine's memory ran out"),
    ],
)
def test_a_limit_that_could_not_be_set_is_no_reason_and_not_remembered(
    tmp_path, monkeypatch, limits, status, words
):
    monkeypatch.setattr("stratagem.circuit.compiler.child_process.possible_limits", lambda *_budget: limits)
    silent = subprocess.CompletedProcess([], status, b"", b"")
    monkeypatch.setattr("stratagem.circuit.compiler.child_process._run", lambda *_arguments: silent)
    store, sheet = Cache(tmp_path), sheet_of(WIDE)
    with pytest.raises(GroundingError, match=words):
        circuit_of(sheet, budget=SMALL, store=store)
    kept = read_refusal(store, canonical_text(sheet), SMALL)
    assert (kept is None) is ("machine's" in words)
