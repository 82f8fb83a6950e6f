"""What random matches of MCTS know beside the rules, against definitions in plain Python that expand every move."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from tests.support.circuits import breakthrough, connect_four, line_game, random_circuit, tic_tac_toe

from stratagem.circuit.circuit import Circuit
from stratagem.engine.mcts.rollouts import LaneMaker, play_leaves
from stratagem.engine.mcts.search import Mcts
from stratagem.engine.playout_policy.match_kernels import match_kernels
from stratagem.engine.playout_policy.threats import with_threats
from stratagem.engine.playout_policy.winning_lines import Completions, WinningLine, winning_lines
from stratagem.kernels import Array, uint64
from stratagem.limit import Limit
from stratagem.loading import load
from stratagem.native.logic.turn_cycle import NONE, Tokens, find_tokens
from stratagem.native.playouts.bigint_circuit import IntegerCircuit
from stratagem.native.playouts.kernels import AT_ONCE_GATES

State = tuple[bool, ...]
LINES = """(role x) (role o) (init (turn x)) (other x o) (other o x)
(row 1 2 3) (row 4 5 6) (row 7 8 9) (row 1 4 7) (row 2 5 8) (row 3 6 9) (row 1 5 9) (row 3 5 7)
(<= (legal ?p noop) (true (turn ?q)) (other ?q ?p))
(<= (next (turn ?q)) (true (turn ?p)) (other ?p ?q))
(<= (line ?p) (role ?p) (row ?a ?b ?c) (true (cell ?a ?p)) (true (cell ?b ?p)) (true (cell ?c ?p)))
(<= terminal (line ?p))"""
SLIDING = f"""{LINES} (init (step 1)) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6) (succ 6 7) (succ 7 8)
(init (cell 1 x)) (init (cell 2 o)) (init (cell 3 x)) (init (cell 4 b)) (init (cell 5 b)) (init (cell 6 b))
(init (cell 7 o)) (init (cell 8 x)) (init (cell 9 o)) (beside 1 2) (beside 2 3) (beside 4 5) (beside 5 6) (beside 7 8)
(beside 8 9) (beside 1 4) (beside 4 7) (beside 2 5) (beside 5 8) (beside 3 6) (beside 6 9)
(<= (near ?a ?b) (beside ?a ?b)) (<= (near ?a ?b) (beside ?b ?a))
(<= (legal ?p (move ?a ?b)) (true (turn ?p)) (true (cell ?a ?p)) (near ?a ?b) (true (cell ?b b)))
(<= (legal ?p pass) (true (turn ?p)))
(<= (next (cell ?b ?p)) (does ?p (move ?a ?b)))
(<= (next (cell ?a b)) (does ?p (move ?a ?b)))
(<= (next (cell ?c ?w)) (does ?p (move ?a ?b)) (true (cell ?c ?w)) (distinct ?c ?a) (distinct ?c ?b))
(<= (next (cell ?c ?w)) (does ?p pass) (true (cell ?c ?w)))
(<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
(<= terminal (true (step 8)))
(<= (goal ?p 100) (line ?p)) (<= (goal ?p 0) (line ?q) (other ?q ?p))
(<= (goal ?p 50) (role ?p) (not (line x)) (not (line o)))"""
"""Three in a line with pieces that move; whoever likes may pass."""
COMMON = f"""{LINES} (number 1) (number 2) (number 3) (number 4) (number 5) (number 6) (number 7) (number 8) (number 9)
(<= (taken ?c) (true (cell ?c ?p)))
(<= (legal ?p (mark ?c)) (true (turn ?p)) (number ?c) (not (taken ?c)))
(<= (next (cell ?c ?p)) (does ?p (mark ?c))) (<= (next (cell ?c ?p)) (true (cell ?c ?p)))
(<= open (number ?c) (not (taken ?c))) (<= terminal (not open))
(<= (goal ?p 100) (role ?p) (line x)) (<= (goal ?p 0) (role ?p) (not (line x)))"""
"""Noughts and crosses in which both win with a line of crosses, and lose otherwise."""


class Undefined(Exception):
    """A line holds before the move that is looked at, or a move makes several facts of one: the definition says nothing of that."""


class PlainThreats:
    """The definition: every move is made, and every line is looked at."""

    def __init__(self, circuit: Circuit) -> None:
        self.circuit, self.machine = circuit, IntegerCircuit(circuit)
        self.lines = {role: winning_lines(circuit, role) for role in range(len(circuit.roles))}
        self.legal, self.after = cache(self._legal), cache(self._after)

    def _legal(self, state: State) -> list[list[bool]]:
        return [[bool(one) for one in own] for own in self.machine.legal(list(map(int, state)), 1)]

    def _after(self, state: State, role: int, move: int | None) -> State:
        """The state after a move of *role*, or none, while each of the others makes its only move."""
        does = [[int(one) for one in own] for own in self.legal(state)]
        does[role] = [int(place == move) for place in range(len(does[role]))]
        return tuple(map(bool, self.machine.next(list(map(int, state)), does, 1)))

    def alone(self, state: State, role: int) -> bool:
        return all(sum(own) == 1 for other, own in enumerate(self.legal(state)) if other != role)

    def completes(self, state: State, role: int, move: int) -> bool:
        before, later = self.after(state, role, None), self.after(state, role, move)

        def lacking(line: WinningLine) -> list[int]:
            return [literal for literal in line if not holds(before, literal)]

        lacks = [
            len(lacking(line)) for line in self.lines[role] if all(holds(later, literal) for literal in line)
        ]
        if any(not lacking(line) for line in self.lines[role]) or any(count > 1 for count in lacks):
            raise Undefined
        return bool(lacks)

    def completing(self, state: State, role: int) -> list[bool]:
        """Which legal moves complete a line of a role that is alone."""
        return [own and self.completes(state, role, move) for move, own in enumerate(self.legal(state)[role])]

    def safe(self, state: State, role: int, move: int) -> bool:
        later = self.after(state, role, move)
        others = [other for other in self.lines if other != role and self.lines[other]]
        return not any(self.alone(later, other) and any(self.completing(later, other)) for other in others)

    def kept(self, state: State, role: int) -> list[bool]:
        legal = self.legal(state)[role]
        if not self.lines[role] or not self.alone(state, role) or sum(legal) < 2:
            return legal
        wins = self.completing(state, role)
        safe = [own and self.safe(state, role, move) for move, own in enumerate(legal)]
        return next((chosen for chosen in (wins, safe) if any(chosen)), legal)


def holds(state: Sequence[bool], literal: int) -> bool:
    return state[(literal >> 1) - 1] != bool(literal & 1)


def knowing(circuit: Circuit, tokens: Tokens | None = None) -> Circuit:
    lines = {role: winning_lines(circuit, role) for role in range(len(circuit.roles))}
    completions = Completions.of(circuit, {role: own for role, own in lines.items() if own})
    return with_threats(circuit, find_tokens(circuit) if tokens is None else tokens, completions)


def random_states(circuit: Circuit, count: int, seed: int) -> list[State]:
    """States of random matches that are not over, where every role has a move."""
    plain, source = PlainThreats(circuit), random.Random(seed)
    states: list[State] = []
    state = tuple(map(bool, circuit.initial))
    for _ in range(20 * count):
        legal = plain.legal(state)
        over = plain.machine.final(list(map(int, state)), 1)[0]
        if over or not all(map(any, legal)):
            state = tuple(map(bool, circuit.initial))
            continue
        states.append(state)
        does = [[0] * len(own) for own in legal]
        for own, chosen in zip(legal, does, strict=True):
            chosen[source.choice([move for move, one in enumerate(own) if one])] = 1
        state = tuple(map(bool, plain.machine.next(list(map(int, state)), does, 1)))
    return source.sample(states, min(count, len(states)))


def compare(circuit: Circuit, changed: Circuit, states: Sequence[State]) -> int:
    """Checks all roles in all states; in how many the legal moves are fewer."""
    plain, new, fewer = PlainThreats(circuit), PlainThreats(changed), 0
    for state in states:
        here = new.legal(state)
        for role, own in enumerate(plain.legal(state)):
            try:
                expected = plain.kept(state, role)
            except Undefined:
                continue
            assert here[role] == expected
            fewer += expected != own
    return fewer


def turn_taking(seed: int) -> Circuit:
    """A circuit without meaning in which roles take turns, by a token or by chance, and whoever ends the match has won."""
    circuit = random_circuit(seed, bases=6 + seed % 7, moves=2 + seed % 3, gates=20 + seed % 50)
    first, second = 2, 3  # the first base, and its complement: whose turn it is
    successors = circuit.next.copy()
    successors[0] = second if seed % 2 else successors[0]
    return replace(
        circuit,
        next=successors,
        legal=tuple(
            np.array([own[0], *[turn] * (len(own) - 1)], np.int32)
            for own, turn in zip(circuit.legal, (first, second), strict=True)
        ),
        goals=tuple(((100, circuit.terminal),) for _ in circuit.roles),
    )


def test_random_circuits_keep_the_moves_of_the_definition():
    fewer = 0
    for seed in range(300):
        circuit = turn_taking(seed)
        states = random_states(circuit, 12, seed)
        for tokens in (find_tokens(circuit), NONE):
            fewer += compare(circuit, knowing(circuit, tokens), states)
    assert fewer > 50


@pytest.mark.parametrize(
    "circuit",
    [connect_four(), line_game(4, 4, 3, drop=False), breakthrough(4, 5)],
    ids=["drop", "set", "walk"],
)
def test_real_games_keep_the_moves_of_the_definition(circuit):
    assert compare(circuit, knowing(circuit), random_states(circuit, 60, 2)) > 10


def by_the_rules(plain: PlainThreats, state: State, role: int, children: dict[int, State]) -> set[int]:
    """The moves of *role* that win; else those after which the other cannot win; else all. No lines: each answer is made."""

    def wins(state: State, role: int) -> bool:
        over, goals = plain.machine.final(list(map(int, state)), 1)
        return bool(over) and bool(goals[role][-1])

    winning = {move for move, child in children.items() if wins(child, role)}
    safe = {
        move
        for move, child in children.items()
        if not any(
            wins(plain.after(child, 1 - role, answer), 1 - role)
            for answer, own in enumerate(plain.legal(child)[1 - role])
            if own
        )
    }
    return winning or safe or set(children)


def test_in_tic_tac_toe_wins_are_made_and_losses_avoided_in_every_state():
    circuit = tic_tac_toe()
    plain, new = PlainThreats(circuit), PlainThreats(knowing(circuit))
    waiting = [tuple(map(bool, circuit.initial))]
    seen = set(waiting)
    while waiting:
        state = waiting.pop()
        legal = plain.legal(state)
        role = next((role for role, own in enumerate(legal) if sum(own) > 1), None)
        for mover in [role] if role is not None else [0, 1]:
            children = {move: plain.after(state, mover, move) for move, own in enumerate(legal[mover]) if own}
            for child in children.values():
                if not plain.machine.final(list(map(int, child)), 1)[0] and child not in seen:
                    seen.add(child)
                    waiting.append(child)
        if role is None:
            assert new.legal(state) == legal
            continue
        kept = {move for move, own in enumerate(new.legal(state)[role]) if own}
        assert kept == by_the_rules(plain, state, role, children)
    assert len(seen) == 4520  # positions of noughts and crosses that are not over


def test_a_piece_that_leaves_a_line_does_not_complete_it():
    circuit = load(SLIDING).circuit
    plain, new, fewer = PlainThreats(circuit), PlainThreats(knowing(circuit)), 0
    for state in random_states(circuit, 150, 1):
        legal = plain.legal(state)
        role = next(role for role, own in enumerate(legal) if sum(own) > 1)
        children = {move: plain.after(state, role, move) for move, own in enumerate(legal[role]) if own}
        kept = {move for move, own in enumerate(new.legal(state)[role]) if own}
        assert kept == by_the_rules(plain, state, role, children)
        fewer += kept != set(children)
    assert fewer > 20


def test_what_is_best_for_both_sides_is_prevented_by_neither():
    game = load(COMMON)
    assert [len(winning_lines(game.circuit, role)) for role in (0, 1)] == [0, 0]
    assert match_kernels(game.compiled) is game.compiled.playouts.kernels


def test_nothing_but_legal_moves_is_changed():
    circuit = connect_four()
    one, other = IntegerCircuit(circuit), IntegerCircuit(knowing(circuit))
    for state in random_states(circuit, 60, 5):
        rows = list(map(int, state))
        assert one.final(rows, 1) == other.final(rows, 1)
        for move, own in enumerate(PlainThreats(circuit).legal(state)[0]):
            if own:
                does = [[0] * len(names) for names in circuit.moves]
                does[0][move] = does[1][0] = 1
                assert one.next(rows, does, 1) == other.next(rows, does, 1)


def test_lines_of_connect_four():
    game = load("connectfour")
    assert [len(winning_lines(game.circuit, role)) for role in (0, 1)] == [69, 69]
    assert winning_lines(load("hex", size=4).circuit, 0) == []


def test_only_small_games_with_lines_have_threats_and_public_matches_never():
    for name, sizes, changed in [
        ("connectfour", {}, True),
        ("breakthrough", {}, True),
        ("tictactoe", {}, True),
        ("dotsandboxes", {}, False),
        ("hex", {"size": 5}, False),
        ("reversi", {"size": 6}, False),
    ]:
        compiled = load(name, **sizes).compiled
        kernels = match_kernels(compiled)
        assert (kernels is not compiled.playouts.kernels) == changed, name
        assert kernels is match_kernels(compiled)
        assert not changed or kernels.circuit.gate_count <= AT_ONCE_GATES
        assert compiled.playouts.kernels.circuit is compiled.circuit


def test_two_open_ends_are_a_win_in_every_match():
    """Three in a row with both ends open: the other side can close one of them only."""
    game = load("connectfour")
    state = game.initial()
    for move in (3, 3, 4, 4, 5):
        state = state.play(f"(drop {move})")
    lanes = LaneMaker(match_kernels(game.compiled), game.compiled.initial).make(seed=1)
    packed = game.compiled.pack(state.facts())[None].copy()
    play_leaves(lanes, Array(uint64, packed).at(0), 1)
    assert lanes.values.numpy[0].tolist() == [100.0, 0.0]
    plain = LaneMaker(game.compiled.playouts.kernels, game.compiled.initial).make(seed=1)
    play_leaves(plain, Array(uint64, packed).at(0), 1)
    assert plain.values.numpy[0, 0] < 90


def test_a_seed_gives_the_same_search_again():
    game = load("tictactoe")
    found = [Mcts(game, memory=16 << 20, seed=4).search(game.initial(), Limit(nodes=60)) for _ in range(2)]
    assert found[0].moves == found[1].moves
    assert np.ptp([one.visits for one in found[0].moves[game.roles[0]]]) > 0
