"""The searches for one player on rule sheets as people wrote them."""

from __future__ import annotations

import json

import pytest
from tests.support.data import corpus, oracles

from stratagem.limit import Limit
from stratagem.loading import load
from stratagem.search.incremental import IncrementalMatch, bestmove, incexpand1, maxscore
from stratagem.search.single.breadth_first import breadth_first
from stratagem.search.theory.state_collapse import collapse


@pytest.fixture(scope="module")
def known():
    return json.loads((oracles() / "oracles.json").read_text())


def sheet(name):
    return load(corpus() / "games" / f"{name}.kif")


def test_buttons_and_lights_as_written_for_the_general_game_players(known):
    game, expected = sheet("buttons"), known["buttons_and_lights_gdl"]
    assert breadth_first(game).cost == expected["optimal_length"]
    counted = collapse(game)
    assert (counted.states, counted.tree_nodes) == (expected["states_with_step"], expected["tree_nodes"])
    match = IncrementalMatch(game)
    incexpand1(match, count=100)
    assert maxscore(match.root).low == 100
    assert str(bestmove(match.root)) == "a"


@pytest.mark.parametrize(
    ("name", "oracle", "depth"), [("hanoi", "hanoi5_gdl_dag", 10), ("eightPuzzle", "eightPuzzle_gdl_dag", 7)]
)
def test_the_states_of_each_level_are_as_many_as_known(name, oracle, depth, known):
    counted = collapse(sheet(name), limit=Limit(depth=depth))
    assert [level.states for level in counted.levels] == known[oracle]["layers"][: depth + 1]


def test_nim_has_as_many_states_and_nodes_as_known(known):
    counted = collapse(sheet("nim1"))
    expected = known["nim1_gdl"]
    assert (counted.states, counted.tree_nodes) == (
        expected["reachable_states_with_control"],
        expected["tree_nodes"],
    )
