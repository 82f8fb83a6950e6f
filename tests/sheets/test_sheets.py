"""What every bundled sheet promises: it is clean GDL with a header, and random matches keep to its declarations."""

from __future__ import annotations

import random

import pytest

import stratagem
from stratagem import sheets as games
from stratagem.gdl.parse import examine
from stratagem.loading import sheet_of, source_of
from stratagem.machines.reasoner.reasoner import Reasoner

KINDS = {"puzzle", "two players in turn", "three players in turn", "two players at once"}
SINGLE = {"puzzle": 1, "two players in turn": 2, "three players in turn": 3, "two players at once": 2}


def least(name):
    return {size.name: size.least for size in games.header(name).sizes.values()}


def most(name):
    return {size.name: size.most for size in games.header(name).sizes.values()}


def declared(sheet):
    """The facts and moves that the sheet says there are."""
    known = Reasoner(sheet).static
    facts = {base[1] for base in known.whole(("base", 1)).rounds}
    moves = {(str(move[1]), move[2]) for move in known.whole(("input", 2)).rounds}
    return facts, moves


def walk(game, generator, plies):
    """The states of one random match, up to *plies* moves."""
    state = game.initial()
    yield state
    for _ in range(plies):
        if state.terminal:
            return
        state = state.next([generator.choice(state.legals(role)) for role in game.roles])
        yield state


def check_walks(name, sizes, *, walks, plies):
    game = stratagem.load(name, **sizes)
    facts, moves = declared(game.sheet)
    generator = random.Random(f"{name} {sizes}")
    for _ in range(walks):
        for state in walk(game, generator, plies):
            assert state.facts() <= facts
            if state.terminal:
                goals = [state.goal(role) for role in game.roles]
                assert all(goal is not None and 0 <= goal <= 100 for goal in goals)
                if games.header(name).kind == "two players in turn":
                    assert sum(goals) == 100
            else:
                legal = {(role, move) for role in game.roles for move in state.legals(role)}
                assert {role for role, _ in legal} == set(game.roles)
                assert legal <= moves


def test_there_are_at_least_thirty_four_bundled_games():
    assert len(games.names()) >= 34


@pytest.mark.parametrize("name", games.names())
def test_a_sheet_has_a_title_a_paragraph_and_the_roles_of_its_kind(name):
    header = games.header(name)
    assert header.title
    assert len(header.about) >= 100
    assert header.kind in KINDS
    assert len(sheet_of(name).roles) == SINGLE[header.kind]
    for known in header.known:
        assert known.facts.get("source"), f"{name}: a known fact needs a source"
        assert known.at.keys() <= header.sizes.keys()
        for size, value in known.at.items():
            assert header.sizes[size].least <= value <= header.sizes[size].most


@pytest.mark.parametrize("name", games.names())
@pytest.mark.parametrize("sizes", [dict, least], ids=["default", "least"])
def test_the_checker_has_nothing_to_say_about_a_sheet(name, sizes):
    _, findings = examine(source_of(name, **(sizes(name) if sizes is least else {})))
    assert [str(found) for found in findings] == []


@pytest.mark.parametrize("name", games.names())
def test_random_matches_keep_to_what_the_sheet_declares(name):
    check_walks(name, {}, walks=1, plies=30)


@pytest.mark.parametrize("name", games.names())
def test_random_matches_on_the_smallest_boards_end_with_one_goal_for_everyone(name):
    check_walks(name, least(name), walks=5, plies=100)


@pytest.mark.slow
@pytest.mark.parametrize("name", games.names())
def test_the_largest_boards_are_clean_and_can_be_played(name):
    _, findings = examine(source_of(name, **most(name)))
    assert [str(found) for found in findings] == []
    check_walks(name, most(name), walks=1, plies=3)


@pytest.mark.slow
@pytest.mark.parametrize("name", games.names())
def test_many_long_random_matches_keep_to_what_the_sheet_declares(name):
    check_walks(name, {}, walks=20, plies=400)


LIMITED = [name for name in games.names() if "limit" in games.header(name).sizes]


@pytest.mark.parametrize("name", LIMITED)
def test_a_limit_ends_the_match(name):
    game = stratagem.load(name, limit=2)
    state = game.initial()
    for _ in range(2):
        assert not state.terminal
        state = state.next([state.legals(game.roles[0])[0]])
    assert state.terminal
    assert state.goal(game.roles[0]) == 0
