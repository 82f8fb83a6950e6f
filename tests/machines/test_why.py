"""Why and why not, as data and in print."""

from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from stratagem.gdl_game import GdlGame, State
from stratagem.loading import load
from stratagem.machines.reasoner.why import Derivation, Reason


def tictactoe(*moves: str) -> State:
    state = load("tictactoe", machine="reasoner").initial()
    for move in moves:
        state = state.play(move)
    return state


def leaves(part: Derivation) -> list[Derivation]:
    return [part] if not part.because else [leaf for inner in part.because for leaf in leaves(inner)]


def test_a_legal_move_is_derived_from_the_facts_of_the_state() -> None:
    state = tictactoe()
    reason = state.game.why("(legal xplayer (mark 1 1))", state)
    assert reason.holds
    assert reason.derivation is not None
    assert dict(reason.derivation.bindings) == {"?player": "xplayer", "?row": "1", "?column": "1"}
    assert [leaf.what for leaf in leaves(reason.derivation)] == [
        "(true (control xplayer))",
        "(true (cell 1 1 b))",
    ]
    assert reason.derivation.file == "tictactoe.kif"
    source = load("tictactoe").sheet.source
    assert source.line(reason.derivation.line).startswith("(<= (legal ?player (mark ?row ?column))")


def test_what_is_not_legal_names_the_first_condition_that_fails() -> None:
    state = tictactoe("(mark 1 1)")
    reason = state.game.why("(legal oplayer (mark 1 1))", state)
    assert not reason.holds
    (attempt,) = reason.attempts
    assert attempt.met == ("(true (control oplayer))",)
    assert attempt.failed == "(true (cell 1 1 b))"


def test_nearest_rules_come_first() -> None:
    state = tictactoe()
    attempts = state.game.why("(goal xplayer ?value)", tictactoe("(mark 1 1)")).attempts
    assert attempts == ()
    attempts = state.game.why("terminal", state).attempts
    assert [len(attempt.met) for attempt in attempts] == sorted((len(a.met) for a in attempts), reverse=True)


def test_a_failed_negation_says_what_holds_instead() -> None:
    state = tictactoe()
    text = str(state.game.why("terminal", state))
    assert "✗ (not open)" in text
    assert "but open holds" in text


def test_next_is_explained_with_the_moves_made() -> None:
    state = tictactoe()
    reason = state.game.why("(next (cell 2 2 x))", state, ("(mark 2 2)", "noop"))
    assert reason.holds
    assert "the move made" in str(reason)
    assert not state.game.why("(next (cell 2 2 x))", state, ("(mark 1 1)", "noop")).holds


def test_recursion_is_explained_without_going_in_circles() -> None:
    game = load("connectfour", machine="reasoner")
    state = game.initial()
    for column in (1, 2, 1, 2, 1, 2, 1):
        state = state.play(f"(drop {column})")
    derivation = game.why("terminal", state).derivation
    assert derivation is not None
    assert {leaf.kind for leaf in leaves(derivation)} == {"state", "fact"}
    assert sum(leaf.kind == "state" for leaf in leaves(derivation)) == 4


def test_circular_rules_are_explained_from_their_beginning() -> None:
    rules = """(role r) (legal r a) (goal r 1) (<= terminal (reach d))
    (edge a b) (edge b c) (edge c a) (edge c d) (start a)
    (<= (reach ?x) (start ?x)) (<= (reach ?y) (reach ?x) (edge ?x ?y))"""
    derivation = load(rules, machine="reasoner").why("(reach a)").derivation
    assert derivation is not None
    assert [leaf.what for leaf in leaves(derivation)] == ["(start a)"]
    assert "(reach c)" in str(load(rules, machine="reasoner").why("terminal"))


def test_what_no_rule_yields_is_said_in_words() -> None:
    game = load("tictactoe")
    assert "no rule yields nonsense with 1 argument" in str(game.why("(nonsense 1)"))
    assert "it is not a fact of this state" in str(game.why("(true (cell 1 1 x))"))
    assert "no rule for mark_of can yield it" in str(game.why("(mark_of xplayer o)"))


def test_an_answer_is_data() -> None:
    state = tictactoe("(mark 1 1)")
    for query in ("terminal", "(legal oplayer (mark 2 2))"):
        data = json.loads(json.dumps(state.game.why(query, state).as_json()))
        assert data["query"] == query
        assert set(data) == {"query", "holds", "derivation", "attempts", "note"}


def check(game: GdlGame, state: State, reason: Reason) -> None:
    """Every leaf of a derivation is what it says it is."""
    assert reason.derivation is not None
    facts = {f"(true {fact})" for fact in state.facts()}
    heads = {str(rule.head) for rule in game.sheet.rules if not rule.body}
    for leaf in leaves(reason.derivation):
        assert leaf.kind != "state" or leaf.what in facts
        assert leaf.kind != "fact" or leaf.what in heads


@settings(max_examples=25)
@given(st.randoms(use_true_random=False))
def test_every_legal_move_has_a_derivation_and_no_illegal_one_has(random: object) -> None:
    game = load("connectfour", machine="reasoner", columns=4, rows=3, line=3)
    state = game.initial()
    while not state.terminal:
        for column in range(1, 5):
            for role in game.roles:
                query = f"(legal {role} (drop {column})))"[:-1]
                reason = game.why(query, state)
                assert reason.holds == (game.parse_move(f"(drop {column})") in state.legals(role))
                if reason.holds:
                    check(game, state, reason)
        (mover,) = [role for role in game.roles if state.legals(role) != ("noop",)]
        state = state.play(random.choice(state.legals(mover)))  # type: ignore[attr-defined]
