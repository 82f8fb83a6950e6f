"""All machines say the same: reasoner, joins, circuit and native code, on bundled games and on random rule sheets."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.traces import agree, sheet_names, sheet_path, trace

from stratagem import sheets as games
from stratagem.errors import GroundingError, RulesError
from stratagem.gdl_game import GdlGame, State
from stratagem.loading import load

MACHINES = ("joins", "circuit", "native")
SMALL = {
    "amazons": {"size": 4},
    "breakthrough": {"columns": 4, "rows": 5},
    "checkers": {"size": 6},
    "fifteenpuzzle": {},
    "gomoku": {"columns": 6, "rows": 6},
    "hex": {"size": 4},
    "kalah": {"pits": 3, "seeds": 2},
    "pocketcube": {},
    "reversi": {"size": 4},
}


def same(one: State, other: State) -> None:
    """Everything that can be asked of a state."""
    assert one == other
    assert hash(one) == hash(other)
    assert one.facts() == other.facts()
    assert one.terminal == other.terminal
    for role in one.game.roles:
        assert one.legals(role) == other.legals(role)
        assert one.goal(role) == other.goal(role)


def walk_together(several: list[GdlGame], random: Random, plies: int) -> None:
    states = [game.initial() for game in several]
    for _ in range(plies):
        for state in states[1:]:
            same(states[0], state)
        first = states[0]
        choices = [first.legals(role) for role in first.game.roles]
        if first.terminal or not all(choices):
            return
        joint = tuple(random.choice(moves) for moves in choices)
        states = [state.next(joint) for state in states]


@pytest.mark.parametrize("name", games.names())
def test_bundled_games_are_the_same_on_every_machine(name: str) -> None:
    sizes = SMALL.get(name, {})
    several = [load(name, machine="reasoner", settings=sizes)]
    several += [load(name, machine=machine, settings=sizes) for machine in MACHINES]  # type: ignore[arg-type]
    walk_together(several, Random(name), 12)


@pytest.mark.slow
@pytest.mark.parametrize("name", sheet_names("games"))
def test_native_code_agrees_with_the_reference_on_every_state(name: str) -> None:
    _, states = trace(name)
    try:
        game = load(sheet_path(name), machine="native")
    except GroundingError as refused:
        pytest.skip(f"cannot be ground: {refused}")
    assert agree(game, states) > 0


@pytest.mark.parametrize("name", sheet_names("games")[3::16] or sheet_names("games"))
def test_native_code_agrees_with_the_reference_at_the_start_of_every_walk(name: str) -> None:
    _, states = trace(name)
    assert agree(load(sheet_path(name), machine="native"), states, most=8) > 0


WORDS = ["1", "2", "3"]


@st.composite
def sheets(draw: st.DrawFn) -> str:
    """Random safe, stratified rule sheets over a few facts, with one or two roles and recursion through the state."""
    roles = ["a", "b"][: draw(st.integers(1, 2))]
    lines = [f"(role {role})" for role in roles] + ["(n 1) (n 2) (n 3) (succ 1 2) (succ 2 3) (succ 3 1)"]
    fluents = ["p", "q"]
    for fluent, word in product(fluents, WORDS):
        if draw(st.booleans()):
            lines.append(f"(init ({fluent} {word}))")

    def condition(binds: str) -> str:
        kind = draw(st.sampled_from(["true", "not", "distinct", "or", "reach", "notreach"]))
        fluent = draw(st.sampled_from(fluents))
        word = draw(st.sampled_from([*WORDS, binds]))
        other = draw(st.sampled_from(WORDS))
        return {
            "true": f"(true ({fluent} {word}))",
            "not": f"(not (true ({fluent} {word})))",
            "distinct": f"(distinct {binds} {other})",
            "or": f"(or (true ({fluent} {word})) (not (true (q {other}))))",
            "reach": f"(reach {other} {word})",
            "notreach": f"(not (reach {binds} {other}))",
        }[kind]

    lines.append("(<= (reach ?x ?y) (true (p ?x)) (succ ?x ?y))")
    lines.append("(<= (reach ?x ?z) (reach ?x ?y) (succ ?y ?z) (true (q ?y)))")
    for role in roles:
        lines.append(f"(legal {role} wait)")
        for _ in range(draw(st.integers(1, 2))):
            body = " ".join(condition("?x") for _ in range(draw(st.integers(0, 2))))
            lines.append(f"(<= (legal {role} (go ?x)) (n ?x) {body})")
    for fluent in fluents:
        for _ in range(draw(st.integers(1, 3))):
            mover = draw(st.sampled_from(roles))
            made = draw(
                st.sampled_from([f"(does {mover} (go ?x))", f"(not (does {mover} wait))", "(true (q ?x))"])
            )
            body = " ".join(condition("?x") for _ in range(draw(st.integers(0, 2))))
            lines.append(f"(<= (next ({fluent} ?x)) (n ?x) {made} {body})")
    lines.append(f"(<= terminal {condition('1')} {condition('2')})")
    for role, value in product(roles, (0, 50, 100)):
        lines.append(f"(<= (goal {role} {value}) {condition(draw(st.sampled_from(WORDS)))})")
    return "\n".join(lines)


@settings(max_examples=60)
@given(sheets(), st.integers(0, 1000))
def test_random_rule_sheets_are_the_same_on_every_machine(text: str, seed: int) -> None:
    try:
        several = [load(text, machine="reasoner")]
    except RulesError as refused:
        raise AssertionError(f"the sheet should be sound: {refused}\n{text}") from refused
    several += [load(text, machine=machine) for machine in MACHINES]  # type: ignore[arg-type]
    for walk in range(3):
        walk_together(several, Random(seed + walk), 6)
