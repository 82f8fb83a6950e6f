"""Finite-domain games, their operators and symmetries, additive databases and IDA* over operators."""

from __future__ import annotations

import json
from functools import cache
from itertools import combinations, permutations
from math import perm

import numpy as np
import pytest
from tests.support.data import oracles

from stratagem.engine.heuristics.additive_databases import AdditiveDatabases
from stratagem.engine.heuristics.additive_kernels import UNREACHED, arrange, number_of
from stratagem.engine.heuristics.domain_symmetries import DomainSymmetry, domain_symmetries
from stratagem.engine.heuristics.finite_domain import FiniteDomain, finite_domain
from stratagem.engine.heuristics.pattern_choice import choose_patterns, interactions, largest_pattern
from stratagem.engine.heuristics.pattern_database import pattern_database
from stratagem.engine.heuristics.pattern_space import fill_table
from stratagem.engine.heuristics.patterns import PatternFinder
from stratagem.engine.puzzle.a_star import a_star
from stratagem.engine.puzzle.ida_star import ida_star
from stratagem.engine.space.explore import Space, SpaceTooLarge, explore
from stratagem.gdl_game import GdlGame
from stratagem.kernels import Array
from stratagem.limit import UNLIMITED, Limit
from stratagem.loading import load


@cache
def game_of(name: str) -> tuple[GdlGame, FiniteDomain, Space]:
    game = load(name)
    domain = finite_domain(PatternFinder(game.sheet, game.circuit), game.compiled, 100)
    assert domain is not None
    return game, domain, explore(game.compiled)


def places_of(domain: FiniteDomain, states: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Where the context and the variables are in packed states."""
    bits = np.unpackbits(states.view(np.uint8), axis=1, bitorder="little")
    return bits[:, domain.context].argmax(axis=1), bits[:, domain.facts].argmax(axis=2)


@pytest.mark.parametrize(("name", "operators"), [("slidingpuzzle", 14), ("eightpuzzle", 24)])
def test_operators_do_what_the_moves_do_in_every_state(name: str, operators: int) -> None:
    _, domain, space = game_of(name)
    assert domain.operators == operators
    number = {
        (int(place), int(move)): operator
        for operator, (place, move) in enumerate(zip(domain.before, domain.moves, strict=True))
    }
    context, places = places_of(domain, space.states)
    owners = np.repeat(np.arange(len(space)), np.diff(space.offsets))
    used = np.array(
        [number[int(context[one]), int(move)] for one, move in zip(owners, space.moves[:, 0], strict=True)]
    )
    assert (domain.after[used] == context[space.children]).all()
    variables = np.arange(domain.variables)
    after = domain.effects[used[:, None], variables[None], places[owners]]
    assert (after == places[space.children]).all()


@pytest.mark.parametrize("name", ["hanoi", "pancakes", "lightsout", "missionaries", "pegtriangle"])
def test_other_games_are_not_of_this_kind(name: str) -> None:
    game = load(name)
    assert finite_domain(PatternFinder(game.sheet, game.circuit), game.compiled, 100) is None


def test_a_game_that_may_end_unsolved_is_not_of_this_kind() -> None:
    game = load("slidingpuzzle", limit=30)
    assert finite_domain(PatternFinder(game.sheet, game.circuit), game.compiled, 100) is None


def test_the_eight_puzzle_is_symmetric_about_the_diagonal_through_its_gap_alone() -> None:
    _, domain, _ = game_of("eightpuzzle")
    (found,) = domain_symmetries(domain)
    home = domain.goal_places[0]
    assert found.places.tolist() == [0, 3, 6, 1, 4, 7, 2, 5, 8]
    assert (home[found.variables] == found.places[home]).all()
    assert domain_symmetries(game_of("slidingpuzzle")[1]) == []


def image(domain: FiniteDomain, symmetry: DomainSymmetry, states: np.ndarray) -> np.ndarray:
    context, places = places_of(domain, states)
    bits = np.zeros((len(states), 64 * states.shape[1]), np.bool_)
    rows = np.arange(len(states))
    bits[rows, domain.context[symmetry.places[context]]] = True
    for variable in range(domain.variables):
        bits[rows, domain.facts[symmetry.variables[variable], symmetry.places[places[:, variable]]]] = True
    return np.packbits(bits, axis=1, bitorder="little").view(np.uint64)


def test_a_state_and_its_image_have_the_same_bound() -> None:
    game, domain, space = game_of("eightpuzzle")
    databases = pattern_database(game, entries=perm(9, 3))
    assert isinstance(databases, AdditiveDatabases)
    (symmetry,) = databases.symmetries
    other = image(domain, symmetry, space.states)
    assert (databases.bounds(other) == databases.bounds(space.states)).all()
    assert (other != space.states).any()


def test_arrangements_are_numbered_without_gaps_and_in_order() -> None:
    found, scratch = [], np.zeros(3, np.int64)
    for number in range(perm(5, 3)):
        taken = arrange(Array(int, scratch), 3, 5, number)
        assert int(taken) == sum(1 << int(place) for place in scratch)
        assert number_of(Array(int, scratch), 3, 5) == number
        found.append(tuple(scratch.tolist()))
    assert found == list(permutations(range(5), 3))


def by_hand(domain: FiniteDomain, pattern: tuple[int, ...]) -> dict[tuple[int, ...], int]:
    """The least distance of every arrangement: one pass after another over all abstract moves, until none is shorter."""
    start = {(int(domain.goal_contexts[0]), *domain.goal_places[0, list(pattern)].tolist()): 0}
    states = list(permutations(range(domain.places), 1 + len(pattern)))
    edges = []
    for context, *places in states:
        for operator in np.flatnonzero(domain.before == context):
            after = [
                int(domain.effects[operator, one, place]) for one, place in zip(pattern, places, strict=True)
            ]
            edges.append(((context, *places), (int(domain.after[operator]), *after), int(after != places)))
    changed = True
    while changed:
        changed = False
        for here, there, cost in edges:
            if there in start and start[there] + cost < start.get(here, UNREACHED):
                start[here], changed = start[there] + cost, True
    found: dict[tuple[int, ...], int] = {}
    for (_, *places), moves in start.items():
        found[tuple(places)] = min(moves, found.get(tuple(places), UNREACHED))
    return found


@pytest.mark.parametrize("pattern", [(0,), (1, 4), (0, 2, 3)])
def test_tables_have_the_distances_of_the_abstract_game(pattern: tuple[int, ...]) -> None:
    _, domain, _ = game_of("slidingpuzzle")
    moves = np.empty(perm(6, len(pattern)), np.uint8)
    states = fill_table(domain, pattern, moves, UNLIMITED.start())
    expected = by_hand(domain, pattern)
    assert states == perm(6, 1 + len(pattern))
    assert moves.tolist() == [expected[places] for places in permutations(range(6), len(pattern))]


def test_variables_that_hinder_each_other_are_put_together() -> None:
    _, domain, _ = game_of("eightpuzzle")
    started = UNLIMITED.start()
    added = interactions(domain, started)
    assert all(added[pair] >= -1e-9 for pair in added if len(pair) == 2)

    @cache
    def mean(pattern: tuple[int, ...]) -> float:
        moves = np.empty(perm(9, len(pattern)), np.uint8)
        fill_table(domain, pattern, moves, started)
        return float(moves.mean())

    halves = [(0, *rest) for rest in combinations(range(1, 8), 3)]
    means = [mean(half) + mean(tuple(sorted({*range(8)} - {*half}))) for half in halves]
    chosen = choose_patterns(domain, 4, started)
    assert sorted(variable for pattern in chosen for variable in pattern) == list(range(8))
    assert sum(map(mean, chosen)) > np.quantile(means, 0.9) > np.mean(means)


def test_the_largest_pattern_fits_the_entries_and_the_memory() -> None:
    _, domain, _ = game_of("eightpuzzle")
    assert largest_pattern(domain, perm(9, 4), 1 << 30) == 4
    assert largest_pattern(domain, perm(9, 4) - 1, 1 << 30) == 3
    assert largest_pattern(domain, perm(9, 4), 20_000) == 3
    assert largest_pattern(domain, 8, 1 << 30) == 0


@pytest.mark.parametrize("entries", [perm(9, 2), perm(9, 5), 1 << 20])
def test_ida_star_over_operators_finds_shortest_solutions(entries: int) -> None:
    game, _, space = game_of("eightpuzzle")
    exact = pattern_database(game)
    databases = pattern_database(game, entries=entries)
    for place in np.random.default_rng(entries).choice(np.flatnonzero(~space.terminal), 8):
        start = space.states[place]
        found = ida_star(game.compiled, databases, start)
        assert found.proved and found.value == 100
        assert len(found.moves) == exact.bounds(start[None])[0] == found.bound
        state = start[None]
        for move in found.moves:
            state = game.compiled.advance(state, np.array([move], np.int32))
        assert game.compiled.evaluate(state).terminal[0]
        assert found.expanded <= found.states


def test_better_databases_make_fewer_children() -> None:
    game, _, _ = game_of("eightpuzzle")
    made = [
        ida_star(game.compiled, pattern_database(game, entries=perm(9, size))).states for size in (2, 4, 8)
    ]
    assert made[0] > 4 * made[1] > 16 * made[2]


class Patchy:
    """Exact distances, but 0 for half of the states: never too much, and far from consistent."""

    def __init__(self, exact: AdditiveDatabases) -> None:
        self.exact = exact

    def bounds(self, states: np.ndarray) -> np.ndarray:
        known = (states.sum(axis=1) * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(63)
        return np.where(known == 1, self.exact.bounds(states), 0).astype(np.int16)


def test_a_star_opens_a_state_again_to_which_a_shorter_path_is_found() -> None:
    game, _, space = game_of("eightpuzzle")
    exact = pattern_database(game)
    assert isinstance(exact, AdditiveDatabases)
    for place in np.random.default_rng(3).choice(np.flatnonzero(~space.terminal), 12):
        start = space.states[place]
        found = a_star(game.compiled, Patchy(exact), start)
        assert len(found.moves) == exact.bounds(start[None])[0]


def test_databases_that_are_stopped_are_an_error_of_ours() -> None:
    with pytest.raises(SpaceTooLarge):
        pattern_database(load("slidingpuzzle"), limit=Limit(stop=lambda: True))


@pytest.mark.slow
@pytest.mark.parametrize("number", [1, 2, 12, 17, 33, 49, 66, 79, 88, 100])
def test_positions_of_korfs_paper_have_the_published_lengths(number: int) -> None:
    game, databases = fifteen()
    known = json.loads((oracles() / "oracles.json").read_text())
    found = ida_star(game.compiled, databases, load("fifteenpuzzle", position=number).compiled.initial)
    (instance,) = [each for each in known["korf_15puzzle_100"]["instances"] if each["id"] == number]
    assert found.proved
    assert len(found.moves) == instance["optimal"]


@cache
def fifteen() -> tuple[GdlGame, AdditiveDatabases]:
    game = load("fifteenpuzzle")
    databases = pattern_database(game)
    assert isinstance(databases, AdditiveDatabases)
    assert sorted(map(len, databases.patterns)) == [5, 5, 5]
    assert len(databases.symmetries) == 1
    return game, databases
