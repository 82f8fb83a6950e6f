"""A game may be asked by several threads: each gets the answer it would get alone."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Event, Thread
from typing import Any
from unittest.mock import patch

import pytest

from stratagem.gdl.parse import parse_term, read_sheet
from stratagem.gdl.text.syntax import Source
from stratagem.gdl_game import GdlGame
from stratagem.loading import load
from stratagem.machines.compiled import native as native_machine
from stratagem.machines.compiled.interpreted import CircuitMachine
from stratagem.machines.reasoner.joins import Chain
from stratagem.machines.reasoner.reasoner import Reasoner

THREADS = 4


@pytest.fixture
def restless() -> Iterator[None]:
    """Threads take turns as often as the interpreter can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def walk(game: GdlGame, seed: int) -> list[Any]:
    """All that is said about the states of one random match."""
    generator, said = random.Random(seed), []
    state = game.initial()
    while True:
        legal = [state.legals(role) for role in game.roles]
        said.append((state.facts(), legal, state.terminal, [state.goal(role) for role in game.roles]))
        if state.terminal:
            return said
        state = state.next([generator.choice(moves) for moves in legal])


@pytest.mark.parametrize("machine", ["reasoner", "circuit", "native"])
def test_matches_walked_by_several_threads_are_the_matches_walked_by_one(
    machine: Any, restless: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(native_machine, "REMEMBERED", 3)
    alone, shared = load("tictactoe", machine=machine), load("tictactoe", machine=machine)
    expected = [walk(alone, seed) for seed in range(12)]
    together = Barrier(THREADS)

    def walks(_: int) -> list[Any]:
        together.wait()
        return [walk(shared, seed) for seed in range(12)]

    with ThreadPoolExecutor(THREADS) as pool:
        assert list(pool.map(walks, range(THREADS))) == [expected] * THREADS


def test_a_question_is_not_answered_from_a_table_that_another_thread_is_still_filling() -> None:
    rules = "(e a b) (e b c) (e c d) (<= (reach ?x ?y) (e ?x ?y)) (<= (reach ?x ?z) (reach ?x ?y) (e ?y ?z))"
    reasoner = Reasoner(read_sheet(Source(rules))[0])
    query, run = parse_term("(reach a d)"), Chain.run
    answers: list[bool] = []
    answered, begun = Event(), Event()

    def ask() -> None:
        begun.set()
        answers.append(reasoner.prove(query, reasoner.static))
        answered.set()

    other = Thread(target=ask)

    def overtaken(self: Chain, *arguments: Any, **named: Any) -> Any:
        if not begun.is_set():
            other.start()
            begun.wait()
            answered.wait(0.2)  # time enough to answer wrongly; an answer that waits for its turn comes later
        return run(self, *arguments, **named)

    with patch.object(Chain, "run", overtaken):
        assert reasoner.prove(query, reasoner.static)
        other.join()
    assert answers == [True]


def test_the_circuit_answers_about_the_state_asked_for_though_another_thread_asks_about_another() -> None:
    game = load("tictactoe", machine="circuit")
    start, after = game.initial(), game.initial().play("(mark 1 1)")

    class Overtaken(CircuitMachine):
        """Whenever it keeps a state's values, another thread keeps another's at once."""

        @property
        def _last(self) -> Any:
            return self.kept

        @_last.setter
        def _last(self, value: Any) -> None:
            self.kept = None if value is None else (after.data, plain._values(after.data))

    plain = CircuitMachine(game.circuit)
    assert Overtaken(game.circuit).legals(start.data, 0) == start.legals("xplayer")


def test_what_a_game_makes_when_first_asked_for_is_made_once(monkeypatch: pytest.MonkeyPatch) -> None:
    game = load("tictactoe", machine="reasoner")
    together, made = Barrier(THREADS), []
    circuit = load("tictactoe", machine="circuit").circuit

    def counted(sheet: Any) -> Any:
        made.append(sheet)
        return circuit

    monkeypatch.setattr("stratagem.gdl_game.compiled_circuit", counted)

    def ask(_: int) -> Any:
        together.wait()
        return game.compiled

    with ThreadPoolExecutor(THREADS) as pool:
        assert len(set(map(id, pool.map(ask, range(THREADS))))) == 1
    assert len(made) == 1
