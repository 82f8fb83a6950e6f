"""Games whose relations are all asked on demand: the reasoner says what the circuit says, in any order of questions."""

from __future__ import annotations

import random

import pytest
from tests.support.data import DATA

from stratagem import sheets as games
from stratagem.gdl.terms import functor
from stratagem.gdl_game import GdlGame
from stratagem.loading import load
from stratagem.machines.reasoner.machine import ReasonerMachine
from stratagem.machines.reasoner.reasoner import RowLimits


def compare_on_a_walk(game: GdlGame, machine: ReasonerMachine, seed: int, plies: int) -> None:
    """One random match of *game*; in every state *machine* is asked everything, in a random order."""
    generator = random.Random(seed)
    written_out = ReasonerMachine(game.sheet)
    relations = sorted({functor(rule.head) for rule in game.sheet.rules})
    state, data = game.initial(), machine.initial()
    for _ in range(plies + 1):
        assert machine.facts(data) == state.facts()
        for key in generator.sample(relations, len(relations)):
            known, expected = (each.knowledge(data).whole(key) for each in (machine, written_out))
            assert known.rounds.keys() == expected.rounds.keys(), key
        assert machine.terminal(data) == state.terminal
        for number, role in enumerate(game.roles):
            assert machine.goal(data, number) == state.goal(role)
            assert machine.legals(data, number) == state.legals(role)
        if state.terminal:
            return
        joint = tuple(generator.choice(state.legals(role)) for role in game.roles)
        state, data = state.next(joint), machine.next(data, joint)


@pytest.mark.parametrize("name", games.names())
def test_bundled_games_are_the_same_with_every_relation_on_demand(name: str) -> None:
    least = {size.name: size.least for size in games.header(name).sizes.values()}
    game = load(name, machine="circuit", settings=least)
    machine = ReasonerMachine(game.sheet, limits=RowLimits(0, 0, 0))
    compare_on_a_walk(game, machine, seed=1, plies=8)
    assert machine.reasoner.on_demand


@pytest.mark.parametrize("seed", range(3))
def test_the_end_of_a_match_is_seen_after_a_relation_has_gone_past_the_limit(seed: int) -> None:
    """Rectangles of one colour among 36 cells: `rectangle` needs more rows than are written out."""
    game = load(DATA / "rectangles.kif", machine="circuit")
    generator, slow = random.Random(seed), load(DATA / "rectangles.kif", machine="reasoner")
    state, other = game.initial(), slow.initial()
    while not state.terminal:
        assert (other.terminal, other.goal("robot")) == (False, state.goal("robot"))
        joint = (generator.choice(state.legals("robot")),)
        state, other = state.next(joint), other.next(joint)
    assert (other.terminal, other.goal("robot")) == (True, state.goal("robot"))
