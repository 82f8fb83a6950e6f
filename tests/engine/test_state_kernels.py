"""The kernels of state sets, spaces and puzzles as Python on checked memory, against brute force and machine code."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

from stratagem.engine.heuristics import additive_databases, pattern_space
from stratagem.engine.heuristics import pattern_database as databases
from stratagem.engine.heuristics import relaxation as relaxations
from stratagem.engine.puzzle import a_star as best_first
from stratagem.engine.puzzle import ida_star as deepening
from stratagem.engine.puzzle import operator_search
from stratagem.engine.puzzle import restarting_dfs as depth_first
from stratagem.engine.space import count, pure_strategies, retrograde, sorted_runs
from stratagem.engine.space.explore import Space, explore
from stratagem.engine.states import child_buffer, state_set
from stratagem.engine.states.state_set import StateSet
from stratagem.gdl_game import GdlGame
from stratagem.limit import Limit
from stratagem.loading import load

MODULES = (
    databases, relaxations, best_first, deepening, depth_first, count, pure_strategies, retrograde, sorted_runs,
    child_buffer, state_set, additive_databases, pattern_space, operator_search,
)  # fmt: skip


class AsPython:
    """The kernels themselves."""

    def __getitem__(self, kernel: Any) -> Any:
        return kernel


@pytest.fixture(params=["python", "native"])
def run(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "python":
        for module in MODULES:
            monkeypatch.setattr(module, "compiled_family", lambda family: AsPython())


@pytest.fixture(scope="module")
def hanoi() -> GdlGame:
    return load("hanoi", discs=3)


@pytest.fixture(scope="module")
def game() -> GdlGame:
    return load("connectfour", columns=3, rows=3)


def edges(space: Space, state: int) -> list[int]:
    return [int(child) for child in space.children[space.offsets[state] : space.offsets[state + 1]]]


def minimax(space: Space, state: int, movers: Any) -> int:
    """The value for the first role, by recursion."""
    if space.terminal[state]:
        return int(space.goals[state, 0])
    values = [minimax(space, child, movers) for child in edges(space, state)]
    return max(values) if movers[state] == 0 else min(values)


def plies(game: GdlGame, depth: int) -> list[Counter[bytes]]:
    """The lines of play to every state of each ply, one expansion at a time."""
    found = [Counter({game.compiled.initial.tobytes(): 1})]
    while len(found) <= depth:
        after: Counter[bytes] = Counter()
        for state, lines in found[-1].items():
            packed = np.frombuffer(state, np.uint64)[None]
            if not game.compiled.evaluate(packed).terminal[0]:
                for child in game.compiled.expand(packed).states:
                    after[child.tobytes()] += lines
        found.append(after)
    return found


def test_a_growing_set_numbers_and_finds_states_as_a_dictionary_does(run: None) -> None:
    states = np.random.default_rng(1).integers(0, 60, (1500, 2)).astype(np.uint64)
    known, model = StateSet(2, room=8), dict[tuple[int, ...], int]()
    for block in np.array_split(states, 3):
        numbers, fresh = known.insert(block)
        before = len(model)
        assert numbers.tolist() == [model.setdefault(tuple(state), len(model)) for state in block.tolist()]
        assert [tuple(state) for state in block[fresh].tolist()] == list(model)[before:]
    assert known.find(states[:9] + np.uint64(70)).tolist() == [-1] * 9
    assert known.find(known.states).tolist() == list(range(len(model)))


def test_counts_in_memory_in_files_and_of_lines(run: None, hanoi: GdlGame, game: GdlGame) -> None:
    assert tuple(count.count_states(hanoi)) == (1, 2, 2, 4, 2, 4, 4, 8)
    model = plies(game, 4)
    filed = count.count_states(game, limit=Limit(depth=4, memory=1))
    assert filed.file_bytes > 0
    assert tuple(filed) == tuple(map(len, model))
    lines = count.count_states(game, by="lines", limit=Limit(depth=4))
    assert tuple(lines) == tuple(ply.total() for ply in model)


@pytest.mark.parametrize("words", [1, 2])
def test_states_are_sorted_each_once(run: None, words: int) -> None:
    states = np.random.default_rng(words).integers(0, 5, (50, words)).astype(np.uint64)
    ordered = sorted_runs.in_order(states.copy())
    assert {tuple(state) for state in ordered.tolist()} == {tuple(state) for state in states.tolist()}
    assert len(ordered) == len(np.unique(states, axis=0))
    fresh = np.ones(len(ordered), np.bool_)
    sorted_runs.remove_known(ordered, ordered[1:4], 0, fresh)
    assert fresh.tolist() == [place not in (1, 2, 3) for place in range(len(ordered))]


def test_backward_induction_is_minimax(run: None, game: GdlGame) -> None:
    space = explore(game.compiled, game.initial().packed.copy(), most=2000)
    movers = retrograde.movers(space)
    values = retrograde.solve_zero_sum(space)
    maxn, distance = retrograde.solve_max_n(space)
    order = retrograde.topological(space).tolist()
    place = {state: number for number, state in enumerate(order)}
    assert len(order) == len(space)
    for state in range(0, len(space), 29):
        worth = minimax(space, state, movers)
        assert values.low[state] == values.high[state] == maxn[state, 0] == worth
        assert all(place[child] < place[state] for child in edges(space, state))
    assert retrograde.longest(space, np.array(order)) == 9
    assert 0 < distance[0] <= 9


def test_no_pure_strategy_forces_anything_in_rock_paper_scissors(run: None) -> None:
    space = explore(load("rockpaperscissors").compiled)
    assert pure_strategies.pure_bounds(space, 0) == (0, 100)


def test_puzzles_are_solved_in_the_least_moves(run: None, hanoi: GdlGame) -> None:
    heuristic = databases.pattern_database(hanoi, entries=9)
    space = explore(hanoi.compiled)
    found = best_first.a_star(hanoi.compiled, heuristic), deepening.ida_star(hanoi.compiled, heuristic)
    assert [len(path.moves) for path in found] == [7, 7]
    relaxed = relaxations.relaxation(hanoi).bounds(space.states)
    exact = retrograde.solve_zero_sum(space).distance
    for bounds in (relaxed, heuristic.bounds(space.states)):
        assert (bounds <= exact).all() and bounds.any()


def test_a_sliding_puzzle_is_solved_over_its_operators(run: None) -> None:
    game = load("slidingpuzzle", columns=2, rows=2)
    heuristic = databases.pattern_database(game, entries=12)
    found = deepening.ida_star(game.compiled, heuristic)
    space = explore(game.compiled)
    exact = retrograde.solve_zero_sum(space).distance
    assert isinstance(heuristic, additive_databases.AdditiveDatabases)
    assert len(found.moves) == exact[0]
    assert (heuristic.bounds(space.states) <= exact).all()


def test_any_path_is_found_depth_first(run: None) -> None:
    game = load("pegtriangle")
    found = depth_first.restarting_depth_first(game.compiled)
    assert (len(found.moves), found.states) == (13, 410)
