"""Rules played backward, held against the same rules played forward."""

from __future__ import annotations

from itertools import chain, combinations

import pytest

from stratagem.errors import LimitExceeded
from stratagem.gdl.parse import parse_term
from stratagem.ground.solving.mutex_groups import MutexGroups, mutex_groups
from stratagem.ground.solving.predecessors import Predecessors, goal_states, ground_sheet
from stratagem.loading import load, sheet_of

RACE = """
(role red) (role blue)
(init (at red 0)) (init (at blue 0)) (init (lamp on))
(succ 0 1) (succ 1 2)
(<= (legal ?r stay) (role ?r))
(<= (legal ?r go) (role ?r) (true (at ?r ?n)) (succ ?n ?m))
(<= (next (at ?r ?m)) (does ?r go) (true (at ?r ?n)) (succ ?n ?m))
(<= (next (at ?r ?n)) (does ?r stay) (true (at ?r ?n)))
(<= (next (lamp on)) (does red stay) (does blue stay))
(<= terminal (true (at ?r 2)))
(<= (goal ?r 100) (true (at ?r 2)))
(<= (goal ?r 0) (role ?r) (not (true (at ?r 2))))
"""


def reachable(game, limit=2000):
    """All states from the initial one, and all (before, joint, after) steps between them, as facts."""
    states, steps, waiting = {game.initial()}, set(), [game.initial()]
    while waiting:
        state = waiting.pop()
        if state.terminal:
            continue
        joints = [()]
        for role in game.roles:
            joints = [(*joint, move) for joint in joints for move in state.legals(role)]
        for joint in joints:
            after = state.next(joint)
            steps.add((state.facts(), joint, after.facts()))
            if after not in states:
                assert len(states) < limit
                states.add(after)
                waiting.append(after)
    return {state.facts() for state in states}, steps


def subsets(facts):
    facts = sorted(facts, key=str)
    return map(frozenset, chain.from_iterable(combinations(facts, size) for size in range(len(facts) + 1)))


GAMES = [
    ("buttonsandlights", {}),
    ("waterjugs", {}),
    ("wolfgoatcabbage", {}),
    ("missionaries", {}),
    (RACE, {}),
]


@pytest.mark.parametrize(("source", "sizes"), GAMES)
def test_every_step_forward_is_found_backward_and_every_step_backward_goes_forward(source, sizes):
    game = load(source, machine="reasoner", **sizes)
    states, steps = reachable(game)
    before = Predecessors(ground_sheet(game.sheet))
    found = set()
    for after in states:
        for joint, previous in before.of(after):
            state = game.state_of(previous)
            assert not state.terminal
            assert all(move in state.legals(role) for role, move in zip(game.roles, joint, strict=True))
            assert state.next(joint).facts() == after
            if previous in states:
                found.add((previous, joint, after))
    assert found == steps


@pytest.mark.parametrize(("source", "sizes"), [("buttonsandlights", {"limit": 2}), (RACE, {})])
def test_without_groups_every_set_of_facts_is_a_state_and_all_predecessors_are_found(source, sizes):
    game = load(source, machine="reasoner", **sizes)
    program = ground_sheet(game.sheet)
    expected: dict[frozenset, set] = {}
    for facts in subsets(program.true):
        state = game.state_of(facts)
        if not state.terminal:
            joints = [()]
            for role in game.roles:
                joints = [(*joint, move) for joint in joints for move in state.legals(role)]
            for joint in joints:
                expected.setdefault(state.next(joint).facts(), set()).add((joint, facts))
    before = Predecessors(program, MutexGroups())
    for facts in subsets(program.true):
        found = before.of(facts)
        assert len(found) == len(set(found))
        assert set(found) == expected.get(facts, set())


def test_nothing_comes_before_a_state_that_cannot_be():
    before = Predecessors(ground_sheet(sheet_of("buttonsandlights")))
    assert before.of(frozenset({parse_term("(step 0)")})) == []
    assert before.of(frozenset({parse_term("(purple cow)")})) == []


def test_goal_states_are_the_ends_that_are_won():
    game = load("buttonsandlights", machine="reasoner")
    won = goal_states(ground_sheet(game.sheet), "robot")
    assert len(won) == 7  # all lights on, at any of the steps 0 to 6
    assert all(game.state_of(facts).terminal and game.state_of(facts).goal("robot") == 100 for facts in won)
    lost_too = goal_states(ground_sheet(game.sheet), "robot", threshold=0)
    assert len(lost_too) == 7 + 7  # any other lights, but only at the last step


def test_too_many_states_are_refused_with_what_to_do():
    program = ground_sheet(sheet_of("buttonsandlights"))
    with pytest.raises(
        LimitExceeded, match="more than 3 states are worth 100 or more to robot; search forward"
    ):
        goal_states(program, "robot", limit=3)
    idle = "(role me) (init (p 1)) (init (p 2)) (init (p 3)) (legal me wait) (<= (next (p 1)) (true (p ?n)))"
    idle += "(<= terminal (not (true (p 1)))) (goal me 0)"
    before = Predecessors(ground_sheet(load(idle, machine="reasoner").sheet), MutexGroups())
    assert len(before.of(frozenset({parse_term("(p 1)")}))) == 4
    with pytest.raises(LimitExceeded, match="may have come before"):
        before.of(frozenset({parse_term("(p 1)")}), limit=3)


# -- groups ------------------------------------------------------------------------------------------------


def group(pattern, values):
    return frozenset(parse_term(pattern.replace("*", str(value))) for value in values)


def test_every_cell_of_the_eight_puzzle_holds_one_tile_and_every_tile_has_one_cell():
    groups = mutex_groups(ground_sheet(sheet_of("eightpuzzle")))
    tiles = [*range(1, 9), "b"]
    cells = [f"{row} {column}" for row in (1, 2, 3) for column in (1, 2, 3)]
    expected = {group(f"(cell {cell} *)", tiles) for cell in cells}
    expected |= {group(f"(cell * {tile})", cells) for tile in tiles}
    assert set(groups.exactly()) == expected


def test_what_holds_at_the_start_only_is_not_a_group():
    # at the start tile 2 is in the first column, and nothing but a move takes it away
    groups = mutex_groups(ground_sheet(sheet_of("eightpuzzle")))
    column = frozenset(parse_term(f"(cell {row} 1 2)") for row in (1, 2, 3))
    assert column not in groups.at_least


@pytest.mark.parametrize(("source", "sizes"), [*GAMES, ("slidingpuzzle", {}), ("hanoi", {})])
def test_groups_hold_in_every_reachable_state(source, sizes):
    game = load(source, machine="reasoner", **sizes)
    groups = mutex_groups(ground_sheet(game.sheet))
    states, _ = reachable(game)
    for facts in states:
        assert all(facts & several for several in groups.at_least)
        assert all(len(facts & several) <= 1 for several in groups.at_most)


def test_a_group_that_may_lose_its_fact_is_at_most_one():
    groups = mutex_groups(ground_sheet(load(RACE, machine="reasoner").sheet))
    assert group("(at red *)", (0, 1, 2)) in groups.exactly()
    assert group("(at blue *)", (0, 1, 2)) in groups.exactly()
    assert not any(parse_term("(lamp on)") in several for several in groups.at_least)
