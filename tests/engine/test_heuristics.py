"""Lower bounds from the rules, against exact distances over whole spaces; A* and IDA* with them."""

from __future__ import annotations

from functools import cache
from math import inf
from typing import Any

import numpy as np
import pytest

from stratagem.circuit.interpret import evaluate, read
from stratagem.engine.heuristics.abstraction import project
from stratagem.engine.heuristics.additive_databases import AdditiveDatabases
from stratagem.engine.heuristics.by_name import estimate
from stratagem.engine.heuristics.pattern_database import Heuristic, pattern_database
from stratagem.engine.heuristics.pattern_tables import HOPELESS
from stratagem.engine.heuristics.patterns import PatternFinder
from stratagem.engine.heuristics.relaxation import relaxation
from stratagem.engine.puzzle.a_star import a_star
from stratagem.engine.puzzle.breadth_first import breadth_first
from stratagem.engine.puzzle.ida_star import ida_star
from stratagem.engine.space.explore import Space, explore
from stratagem.errors import UnsuitableGame
from stratagem.limit import Limit
from stratagem.loading import load

GAMES: list[tuple[str, dict[str, int], int]] = [
    ("hanoi", {}, 81),
    ("hanoi", {"discs": 4, "pegs": 4}, 64),
    ("eightpuzzle", {}, 9**4),
    ("pancakes", {}, 6**4),
    ("lightsout", {"rows": 3, "columns": 4}, 256),
    ("missionaries", {}, 1000),
    ("buttonsandlights", {}, 8),
    ("pegtriangle", {}, 256),
]
NAMES = [f"{name}-{entries}" for name, _, entries in GAMES]


@cache
def puzzle(number: int) -> tuple[Any, Heuristic | AdditiveDatabases, Space, np.ndarray]:
    """A game, its databases, its space, and the exact distance of every state to an end worth 100 (-1: none)."""
    name, sizes, entries = GAMES[number]
    game = load(name, settings=sizes)
    space = explore(game.compiled)
    heuristic = pattern_database(game, entries=entries)
    distance = np.full(len(space), -1, np.int64)
    distance[space.terminal & (space.goals[:, 0] == 100)] = 0
    owners = np.repeat(np.arange(len(space)), np.diff(space.offsets))
    level = 0
    while True:
        parents = owners[distance[space.children] == level]
        parents = parents[distance[parents] < 0]
        if not len(parents):
            return game, heuristic, space, distance
        level += 1
        distance[parents] = level


@pytest.mark.parametrize("number", range(len(GAMES)), ids=NAMES)
def test_pattern_databases_never_say_too_much_nor_fall_by_two(number: int) -> None:
    """But those that leave out the context may fall by more."""
    _, heuristic, space, distance = puzzle(number)
    bounds = heuristic.bounds(space.states)
    reached = distance >= 0
    assert (bounds[reached] <= distance[reached]).all()
    assert bounds.max() > 0
    owners = np.repeat(np.arange(len(space)), np.diff(space.offsets))
    falls = (bounds[owners].astype(int) > 1 + bounds[space.children].astype(int)).any()
    assert falls == isinstance(heuristic, AdditiveDatabases)


@pytest.mark.parametrize("number", range(len(GAMES)), ids=NAMES)
def test_the_relaxed_game_never_says_too_much(number: int) -> None:
    game, _, space, distance = puzzle(number)
    chosen = np.random.default_rng(1).choice(len(space), min(len(space), 3000), replace=False)
    bounds = relaxation(game).bounds(space.states[chosen])
    exact = distance[chosen]
    assert (bounds[exact >= 0] <= exact[exact >= 0]).all()
    assert (bounds[exact > 0] > 0).all()


def test_the_relaxed_game_knows_what_can_never_be_won() -> None:
    game, _, space, distance = puzzle(NAMES.index("pegtriangle-256"))
    lost = space.states[(distance < 0) & space.terminal]
    assert (relaxation(game).bounds(lost) == HOPELESS).all()


def test_a_database_of_everything_is_exact() -> None:
    game, _, space, distance = puzzle(NAMES.index("hanoi-81"))
    whole = pattern_database(game)
    assert len(whole.patterns) == 1
    assert (whole.bounds(space.states) == distance).all()


def test_distances_of_hundreds_of_moves_are_kept() -> None:
    game = load("hanoi", settings={"discs": 9})
    assert pattern_database(game).bounds(game.compiled.initial[None])[0] == 511
    assert len(a_star(game.compiled, pattern_database(game)).moves) == 511


def test_tiles_and_discs_add_up_but_lights_and_pancakes_do_not() -> None:
    found = {name: puzzle(number)[1] for number, name in enumerate(NAMES)}
    assert found["eightpuzzle-6561"].additive
    assert found["hanoi-81"].additive
    assert not found["lightsout-256"].additive
    assert not found["pancakes-1296"].additive


def test_the_variables_of_the_eight_puzzle_are_its_tiles_and_each_needs_the_gap() -> None:
    game = load("eightpuzzle")
    finder = PatternFinder(game.sheet, game.circuit)
    assert [len(variable.members) for variable in finder.variables] == [9] * 9
    sizes = sorted(len(finder.closed(variable)) for variable in finder.variables)
    assert sizes == [1] + [2] * 8


@pytest.mark.parametrize("number", range(len(GAMES)), ids=NAMES)
def test_a_star_finds_ways_as_short_as_breadth_first_from_anywhere(number: int) -> None:
    game, heuristic, space, distance = puzzle(number)
    compiled = game.compiled
    going = np.flatnonzero(~space.terminal)
    for place in np.random.default_rng(number).choice(going, 12):
        start = space.states[place]
        found = a_star(compiled, heuristic, start)
        assert found.proved
        if distance[place] < 0:
            assert found.value is None
        else:
            assert len(found.moves) == distance[place] == found.bound
            assert_wins(compiled, start, found.moves)


@pytest.mark.parametrize(
    "name", ["eightpuzzle-6561", "pancakes-1296", "missionaries-1000", "pegtriangle-256"]
)
def test_ida_star_finds_ways_as_short_as_breadth_first(name: str) -> None:
    game, heuristic, space, distance = puzzle(NAMES.index(name))
    going = np.flatnonzero(~space.terminal & (distance >= 0))
    for place in [0, *np.random.default_rng(7).choice(going, 5)]:
        found = ida_star(game.compiled, heuristic, space.states[place])
        assert found.proved
        if distance[place] >= 0:
            assert len(found.moves) == distance[place]
            assert_wins(game.compiled, space.states[place], found.moves)


def assert_wins(compiled: Any, start: np.ndarray, moves: tuple[tuple[int, ...], ...]) -> None:
    state = start[None]
    for move in moves:
        legal = compiled.evaluate(state).legal[0, 0]
        assert int(legal[move[0] // 64]) >> (move[0] % 64) & 1
        state = compiled.advance(state, np.array([move], np.int32))
    last = compiled.evaluate(state)
    assert last.terminal[0]
    assert last.goals[0, 0] == 100


def test_better_bounds_open_fewer_states() -> None:
    game, heuristic, _, _ = puzzle(NAMES.index("eightpuzzle-6561"))
    blind = breadth_first(game.compiled)
    assert a_star(game.compiled, heuristic).expanded * 20 < blind.expanded


@pytest.mark.slow
def test_korfs_easiest_position_takes_forty_two_moves() -> None:
    game = load("fifteenpuzzle")
    heuristic = pattern_database(game, entries=16**4)
    assert heuristic.additive
    found = a_star(game.compiled, heuristic, limit=Limit(seconds=60))
    assert len(found.moves) == 42
    assert found.proved
    assert_wins(game.compiled, game.compiled.initial, found.moves)


def test_a_search_that_is_stopped_keeps_an_honest_bound() -> None:
    game, heuristic, _, _ = puzzle(NAMES.index("eightpuzzle-6561"))
    for found in (
        a_star(game.compiled, heuristic, limit=Limit(stop=lambda: True)),
        ida_star(game.compiled, heuristic, longest=25),
    ):
        assert found.value is None
        assert not found.proved
        assert 0 < found.bound <= 30


def test_abstract_children_are_the_children_seen_through_the_pattern() -> None:
    game = load("hanoi", settings={"discs": 3})
    circuit = game.circuit
    kept = PatternFinder(game.sheet, circuit).variables[1].members
    small = project(circuit, kept)
    space = explore(game.compiled)
    for row in np.flatnonzero(~space.terminal):
        bits = [bool(int(space.states[row, 0]) >> place & 1) for place in range(len(circuit.bases))]
        seen = [bits[place] for place in kept]
        for edge in range(space.offsets[row], space.offsets[row + 1]):
            moves = [move == int(space.moves[edge, 0]) for move in range(len(circuit.moves[0]))]
            values = evaluate(small, seen + moves)
            assert read(values, int(small.legal[0][moves.index(True)]))
            after = int(space.states[space.children[edge], 0])
            assert [read(values, int(literal)) for literal in small.next] == [
                bool(after >> place & 1) for place in kept
            ]


def test_games_that_do_not_fall_apart_are_refused() -> None:
    with pytest.raises(UnsuitableGame, match="one player"):
        pattern_database(load("tictactoe"))
    with pytest.raises(UnsuitableGame, match="small enough"):
        pattern_database(load("eightpuzzle"), entries=5)


@pytest.mark.parametrize("number", range(len(GAMES)), ids=NAMES)
@pytest.mark.parametrize("name", ["patterns", "relaxed"])
def test_estimates_for_the_taught_searches_never_say_too_much(number: int, name: str) -> None:
    game, _, space, distance = puzzle(number)
    sized = f"patterns:{GAMES[number][2]}" if name == "patterns" else name
    made = estimate(sized, game)
    assert made is not None
    for row in np.random.default_rng(number).choice(len(space), min(60, len(space)), replace=False):
        exact = distance[row] if distance[row] >= 0 else inf
        facts = game.compiled.unpack(space.states[row])
        assert 0 <= made(game.state_of(facts)) <= exact


def test_an_estimate_takes_states_of_another_machine() -> None:
    native, reasoner = load("slidingpuzzle"), load("slidingpuzzle", machine="reasoner")
    made = estimate("patterns", native)
    assert made is not None
    assert made(reasoner.initial()) == made(native.initial()) == 14
    with pytest.raises(UnsuitableGame, match="run on the reasoner"):
        estimate("patterns", reasoner)
    assert estimate("none", reasoner) is None
