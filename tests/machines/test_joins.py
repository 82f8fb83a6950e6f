"""Compiled joins say what the reasoner says: on random rules, on published sheets, written out and on demand."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from tests.support.random_rules import NOWHERE, VARIABLES, RandomRules, random_rules
from tests.support.traces import agree, own_trace, sheet_names, sheet_path, trace

from stratagem.engine.space.count import count_states
from stratagem.errors import LimitExceeded, UnsuitableGame
from stratagem.gdl.parse import read_sheet
from stratagem.gdl.rules import Atom, Rule, RuleSheet
from stratagem.gdl.terms import Compound, Symbol, Term, applied
from stratagem.gdl.text.syntax import Source
from stratagem.gdl_game import GdlGame
from stratagem.kernels import KernelFunction
from stratagem.loading import load, sheet_of, source_of
from stratagem.machines.joins import tables
from stratagem.machines.joins.evaluator import KERNELS, WRITTEN, Evaluator
from stratagem.machines.joins.machine import NEXT, JoinsMachine
from stratagem.machines.joins.packed import JoinsGame
from stratagem.machines.machine import Identity
from stratagem.machines.reasoner.reasoner import Reasoner, does_fact, true_fact
from stratagem.native.jit.kernel_families import compiled_family

ON_DEMAND = (0, 0, 0)
LIMITS = some.sampled_from([WRITTEN, ON_DEMAND, (30, 30, 30), (1000, 10, 5)])


class AsPython:
    """The kernels as they stand, on memory that is checked."""

    def __getitem__(self, kernel: KernelFunction[..., Any]) -> KernelFunction[..., Any]:
        return kernel


def unchecked(rules: str) -> RuleSheet:
    sheet, faults = read_sheet(Source(rules))
    assert not faults
    return sheet


def game_on_demand(name: str, **sizes: int) -> GdlGame:
    """A game that writes no relation out which can be worked out on demand."""
    source, sheet = source_of(name, **sizes), sheet_of(name, **sizes)
    evaluator = Evaluator(sheet, compiled_family(KERNELS), written=ON_DEMAND)
    return GdlGame(sheet, JoinsMachine(sheet, evaluator=evaluator), Identity(name, source))


def told(made: RandomRules) -> RuleSheet:
    """The rules with all their relations said of the next state."""
    patterns = [applied(name, VARIABLES[:size]) for name, size in made.keys]
    said = [Rule(Compound(("next", each)), (Atom(each, NOWHERE),), NOWHERE) for each in patterns]
    return replace(made.sheet, rules=(*made.sheet.rules, *said))


def answered(evaluator: Evaluator, state: frozenset[Term], moves: tuple[Term, ...]) -> set[Term]:
    """All that follows, by joins; several moves are several roles of one name."""
    number = evaluator.terms.number
    evaluator.work.put(roles=np.array([number(Symbol("r"))] * len(moves), np.int32))
    evaluator.load(np.array([number(fact) for fact in state], np.int32))
    evaluator.load_joint(np.array([number(move) for move in moves], np.int32))
    evaluator.ask(NEXT)
    return {evaluator.terms.term(fact) for fact in evaluator.rows(("next", "", 1))[:, 0].tolist()}


def reasoned(
    sheet: RuleSheet, made: RandomRules, state: frozenset[Term], moves: tuple[Term, ...]
) -> set[Term]:
    facts = [*map(true_fact, state), *(does_fact("r", move) for move in moves)]
    known = Reasoner(sheet).about(facts)
    queries = [applied(name, VARIABLES[:size]) for name, size in made.keys]
    return {fact for query in queries for fact in Reasoner(sheet).findall(query, query, known)}


def check(made: RandomRules, limits: tuple[int, ...], code: Any) -> None:
    sheet = told(made)
    evaluator = Evaluator(sheet, code, written=limits)
    for situation in (*made.situations, made.situations[0]):
        expected = reasoned(sheet, made, situation.state, situation.moves)
        assert answered(evaluator, situation.state, situation.moves) == expected


@settings(max_examples=80)
@given(random_rules(), LIMITS)
def test_random_rules_mean_what_the_reasoner_says(made: RandomRules, limits: tuple[int, ...]) -> None:
    check(made, limits, compiled_family(KERNELS))


@settings(max_examples=4)
@given(random_rules(), LIMITS)
def test_the_kernels_keep_to_their_memory(made: RandomRules, limits: tuple[int, ...]) -> None:
    check(made, limits, AsPython())


@pytest.mark.parametrize(
    ("rule", "grows"),
    [
        ("(<= (p ?x ?y) (p ?x (f ?y)))", True),
        ("(<= (p ?z ?x) (p ?x (f ?x)) (e ?z ?z))", True),
        ("(<= (p ?x (f ?y)) (p ?x ?y) (e ?y ?y))", False),
        ("(<= (p ?x (f ?y)) (p ?x (f ?z)) (e ?z ?y))", False),
    ],
)
def test_demands_that_would_have_no_end_are_not_made(rule: str, grows: bool) -> None:
    rules = f"(e a a) (e b a) (<= (p ?x (f ?y)) (e ?x ?y)) {rule} (<= (next (p ?x ?y)) (p ?x ?y))"
    sheet = unchecked(rules)
    evaluator = Evaluator(sheet, compiled_family(KERNELS), written=ON_DEMAND)
    found = [part.demands_grow for part in evaluator.program.components if ("p", "", 2) in part.keys]
    assert found == [grows]
    written = Evaluator(sheet, compiled_family(KERNELS), written=WRITTEN)
    assert answered(evaluator, frozenset(), ()) == answered(written, frozenset(), ()) != set()


@pytest.mark.parametrize("name", ["tictactoe", "nim", "connectfour", "pegtriangle", "hexapawn"])
def test_bundled_games_agree_with_the_reference_where_everything_is_on_demand(name: str) -> None:
    try:
        _, states = own_trace(name)
    except FileNotFoundError:
        pytest.skip("no such game")
    assert agree(game_on_demand(name), states, most=6) > 0


@pytest.mark.parametrize("name", sheet_names("games")[1::8] or sheet_names("games"))
def test_published_sheets_agree_with_the_reference_at_the_start_of_every_walk(name: str) -> None:
    _, states = trace(name)
    assert agree(load(sheet_path(name), machine="joins"), states, most=3) > 0


@pytest.mark.slow
@pytest.mark.parametrize("name", sheet_names("games"))
def test_published_sheets_agree_with_the_reference_on_every_state(name: str) -> None:
    _, states = trace(name)
    assert agree(load(sheet_path(name), machine="joins"), states) > 0


MATCH = "(role r) (legal r a) (goal r 0) (init (p 1)) (<= (next (p 1)) (true (p 1)))"


@pytest.mark.parametrize(
    ("rules", "holds"),
    [
        ("(<= terminal (true ?f)) (<= (next ?f) (true ?f))", True),
        ("(<= terminal (true (p ?x)) (not (true (p 2))))", True),
        ("(<= terminal (q)) (q)", True),
        ("(<= terminal (not q)) (<= q (true (p 1)))", False),
        ("(<= terminal (true (p (f 1))))", False),
        ("(e (f (g 1)) 1) (<= terminal (e (f ?x) ?y) (e (f (g ?y)) ?y))", True),
        ("(e 1 2) (e 2 2) (<= terminal (e ?x ?x) (distinct ?x 2))", False),
        ("(e 1 2) (e 2 2) (<= terminal (e ?x ?x) (true (p 1)))", True),
        ("(<= terminal (or (true (p 2)) (not (true (p 3)))))", True),
        ("(e 1 (s 2)) (<= (d ?x ?y) (e ?x ?y)) (<= (d ?x (s ?y)) (d ?x ?y) (true (p 2))) (<= terminal (d 1 (s ?x)))", True),
    ],
)  # fmt: skip
@pytest.mark.parametrize("written", [WRITTEN, ON_DEMAND])
def test_odd_rules(rules: str, holds: bool, written: tuple[int, ...]) -> None:
    sheet = unchecked(f"{MATCH} {rules}")
    machine = JoinsMachine(sheet, evaluator=Evaluator(sheet, compiled_family(KERNELS), written=written))
    assert machine.terminal(machine.initial()) == holds


def test_rules_whose_terms_grow_without_end_are_refused() -> None:
    sheet = unchecked(f"{MATCH} (n z) (<= (n (s ?x)) (n ?x)) (<= terminal (n (s q)))")
    machine = JoinsMachine(sheet)
    with (
        patch.object(tables, "ROWS_AT_MOST", 5_000),
        pytest.raises(LimitExceeded, match="has more than 5,000 facts"),
    ):
        machine.terminal(machine.initial())


def test_a_state_may_hold_words_that_the_rules_do_not_know() -> None:
    game = load(MATCH + " (<= terminal (true (p 2)))", machine="joins")
    state = game.state_of([Compound(("p", Symbol("1"))), Compound(("new", Symbol("word")))])
    assert sorted(map(str, state.facts())) == ["(new word)", "(p 1)"]
    assert not state.terminal and state.legals("r") == ("a",)
    assert sorted(map(str, state.next(["a"]).facts())) == ["(p 1)"]


def test_random_matches_depend_on_the_seed_alone() -> None:
    fresh, used = load("tictactoe", machine="joins"), load("tictactoe", machine="joins")
    state = used.initial().play("(mark 3 3)")
    used.playouts(state, n=50, seed=9)
    one, other = fresh.playouts(n=300, seed=3), used.playouts(n=300, seed=3)
    assert one.timed(0, 1) == other.timed(0, 1)
    assert one.timed(0, 1) != fresh.playouts(n=300, seed=4).timed(0, 1)
    first = fresh.playouts(n=100, seed=3)
    assert all(first.outcomes[goals] <= one.outcomes[goals] for goals in first.outcomes)


def test_random_matches_are_distributed_as_the_native_ones() -> None:
    joins = load("tictactoe", machine="joins").playouts(n=20_000, seed=1)
    native = load("tictactoe").playouts(n=100_000, seed=1)
    for goals, count in native.outcomes.items():
        assert joins.outcomes[goals] / 20_000 == pytest.approx(count / 100_000, abs=0.015)
    assert joins.mean_length == pytest.approx(native.mean_length, abs=0.05)
    assert joins.longest == native.longest == 9


@pytest.mark.parametrize(
    ("name", "sizes"), [("tictactoe", {}), ("rockpaperscissors", {}), ("reversi", {"size": 4})]
)
def test_packed_states_are_expanded_as_by_native_code(name: str, sizes: dict[str, int]) -> None:
    joins, native = (
        load(name, machine="joins", **sizes).expandable,
        load(name, machine="native", **sizes).compiled,
    )
    assert isinstance(joins, JoinsGame)
    ours, theirs = joins.initial[None], native.initial[None]
    for _ in range(3):
        mine, other = joins.expand(ours, room=3), native.expand(theirs)
        assert [joins.unpack(state) for state in mine.states] == [
            native.unpack(state) for state in other.states
        ]
        assert mine.parents.tolist() == other.parents.tolist()
        assert mine.terminal.tolist() == other.terminal.tolist()
        assert mine.goals.tolist() == other.goals.tolist()
        assert _terms(joins.moves, mine.moves) == _terms(native.moves, other.moves)
        assert (joins.advance(ours[mine.parents], mine.moves) == mine.states).all()
        seen, expected = joins.evaluate(mine.states), native.evaluate(other.states)
        assert seen.terminal.tolist() == mine.terminal.tolist()
        for one, two in zip(seen.legal, expected.legal, strict=True):
            legal = [[_legal(game.moves[role], masks[role]) for role in range(len(joins.roles))]
                     for game, masks in ((joins, one), (native, two))]  # fmt: skip
            assert legal[0] == legal[1]
        ours, theirs = mine.states[~mine.terminal][:20], other.states[~other.terminal][:20]


def _terms(moves: Any, numbers: Any) -> list[list[Term]]:
    return [[own[number] for own, number in zip(moves, row, strict=True)] for row in numbers.tolist()]


def _legal(moves: tuple[Term, ...], mask: Any) -> list[Term]:
    bits = sum(int(word) << 64 * place for place, word in enumerate(mask))
    return [move for number, move in enumerate(moves) if bits >> number & 1]


def test_states_are_counted_on_joins() -> None:
    game, native = (load("tictactoe", machine=machine) for machine in ("joins", "native"))
    state = game.initial().play("(mark 2 2)")
    assert tuple(count_states(game)) == tuple(count_states(native))
    assert tuple(count_states(game, state)) == tuple(
        count_states(native, native.initial().play("(mark 2 2)"))
    )


def test_facts_without_bound_have_no_packed_states() -> None:
    rules = "(role r) (legal r a) (goal r 0) (init (n z)) (<= (next (n (s ?x))) (true (n ?x))) (<= terminal (true (n q)))"
    with pytest.raises(UnsuitableGame, match="too many possible facts"):
        _ = load(rules, machine="joins").expandable
