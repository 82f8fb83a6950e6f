"""Decisive and anti-decisive moves (Teytaud and Teytaud, 2010) inside random matches, as a change of the circuit.

A role *completes a line* by a move if one of its winning lines lacks a single fact, and the move makes that fact true and none of
the others false. In the new circuit a role whose others have one legal move each completes a line if it can. If it cannot, it
makes a move after which no other role can complete one, if there is any. Everything else is as it was, so that any kernel
plays it. A line that holds already is taken to have ended the match before.

Cost: a gate or two for every fact of every line, and for each move those that depend on it. Whose turn it is is put in step by
step, so that gates fold; a state that is at no step of the cycle keeps its legal moves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from stratagem.engine.playout_policy.rewritten import outputs_of, rewritten, without_unread
from stratagem.engine.playout_policy.variants import Variants, literals_at
from stratagem.engine.playout_policy.winning_lines import Completions
from stratagem.native.logic.goals import only_one
from stratagem.native.logic.network import AND, OR, LogicNetwork

if TYPE_CHECKING:
    from stratagem.circuit.circuit import Circuit
    from stratagem.native.logic.turn_cycle import Tokens


def with_threats(circuit: Circuit, tokens: Tokens, completions: Completions) -> Circuit:
    """*circuit*, which has no loops, in which roles complete their lines, and keep others from completing theirs."""
    claims = _claims(circuit, completions)
    network = LogicNetwork()
    inputs = [network.input() for _ in range(circuit.first_gate - 1)]
    threats = _Threats(network, claims)
    plain = Variants(network, circuit, outputs_of(circuit)).values(inputs)
    legal = [literals_at(own.tolist(), plain) for own in circuit.legal]
    for step in range(tokens.period):
        known = tokens.at(step)
        fixed = [int(known[base]) if base in known else literal for base, literal in enumerate(inputs)]
        elsewhere = network.any([inputs[base] ^ int(holds) for base, holds in known.items()])
        for role in claims.some:
            kept = threats.kept(role, fixed)
            legal[role] = [
                network.conjunction(own, network.disjunction(keep, elsewhere))
                for own, keep in zip(legal[role], kept, strict=True)
            ]
    return without_unread(rewritten(circuit, network, plain, legal))


@dataclass(frozen=True, slots=True)
class _Claims:
    """A circuit with gates that say who completes a line by his next move; literals by role."""

    circuit: Circuit
    alone: dict[int, int]
    """Whether all others have one legal move,"""
    wins: dict[int, list[int]]
    """which legal moves complete a line,"""
    some: dict[int, int]
    """and whether there is one while all others have one legal move."""


def _claims(circuit: Circuit, completions: Completions) -> _Claims:
    network = LogicNetwork()
    inputs = [network.input() for _ in range(circuit.first_gate - 1)]
    plain = Variants(network, circuit, outputs_of(circuit)).values(inputs)
    followed = Variants(network, circuit, circuit.next.tolist())
    legal = [literals_at(own.tolist(), plain) for own in circuit.legal]
    alone, wins, some = {}, {}, {}
    for role in completions.roles:
        others = [own for other, own in enumerate(legal) if other != role]
        alone[role] = network.all([network.any(only_one(network, own)) for own in others])
        made = _completing(_Moves(followed, inputs, legal, role), completions)
        wins[role] = [network.conjunction(own, win) for own, win in zip(legal[role], made, strict=True)]
        some[role] = network.conjunction(alone[role], network.any(list(wins[role])))
    return _Claims(rewritten(circuit, network, plain, legal), alone, wins, some)


class _Moves:
    """The states after the moves of one role, while all others make their only move."""

    def __init__(
        self, followed: Variants, inputs: Sequence[int], legal: Sequence[Sequence[int]], role: int
    ) -> None:
        circuit = followed.circuit
        self.role, self.network, self.count = role, followed.network, len(legal[role])
        self._followed, self._next = followed, circuit.next.tolist()
        does = [0 if owner == role else literal for owner, own in enumerate(legal) for literal in own]
        self._still = followed.values([*inputs[: len(circuit.bases)], *does])
        self.after = literals_at(self._next, self._still)
        """The bases after no move of the role."""
        self._node = circuit.first_move + sum(len(own) for own in legal[:role])
        self._read: dict[int, list[int]] = {}
        for base, literal in enumerate(self._next):
            self._read.setdefault(literal >> 1, []).append(base)

    def changed(self, move: int) -> dict[int, int]:
        """The bases that are not as in `after` once a move is made, and what they are."""
        moved = self._followed.changes(self._still, {self._node + move: 1})
        bases = sorted({base for node in moved for base in self._read.get(node, ())})
        found = literals_at([self._next[base] for base in bases], self._still, moved)
        return {base: new for base, new in zip(bases, found, strict=True) if new != self.after[base]}


def _completing(moves: _Moves, completions: Completions) -> list[int]:
    """For every move whether it completes a line, if it is legal."""
    network, own = moves.network, completions.literals[moves.role]
    rests = Variants(network, completions.circuit, own.values())
    still = rests.values(moves.after)
    found = []
    for move in range(moves.count):
        made: dict[int, int] = {}
        lost: dict[int, int] = {}
        for base, new in moves.changed(move).items():
            for sign in (0, 1):
                if (literal := 2 + 2 * base + sign) in own:
                    holds = new ^ sign
                    made[literal] = _newly(network, holds, moves.after[base] ^ sign)
                    if made[literal] == holds and holds != 1:  # it may hold no longer
                        lost[1 + base] = new
        rest = literals_at([own[literal] for literal in made], still, rests.changes(still, lost))
        ways = [network.conjunction(one, other) for one, other in zip(made.values(), rest, strict=True)]
        found.append(network.any(ways))
    return found


def _newly(network: LogicNetwork, new: int, old: int) -> int:
    """Where *new* holds, as far as *old* does not."""
    node, turned = new >> 1, new & 1
    if network.kinds[node] == (AND if turned else OR):
        left, right = network.left[node] ^ turned, network.right[node] ^ turned
        if old in (left, right):
            return right if old == left else left
    return new


class _Threats:
    """Which moves stay legal, for given literals of the bases and moves."""

    def __init__(self, network: LogicNetwork, claims: _Claims) -> None:
        circuit = claims.circuit
        self.network, self.claims = network, claims
        seen = [
            *claims.alone.values(),
            *claims.some.values(),
            *(one for own in claims.wins.values() for one in own),
        ]
        seen += [literal for own in circuit.legal for literal in own.tolist()]
        self._seen = Variants(network, circuit, seen)
        self._followed = Variants(network, circuit, circuit.next.tolist())
        self._answers = {
            role: Variants(network, circuit, [some for other, some in claims.some.items() if other != role])
            for role in claims.some
        }

    def kept(self, role: int, inputs: list[int]) -> list[int]:
        """For every move of *role* whether it stays legal, if it is."""
        network, claims = self.network, self.claims
        values = self._seen.values(inputs)
        legal = [literals_at(own.tolist(), values) for own in claims.circuit.legal]
        alone, some = literals_at([claims.alone[role], claims.some[role]], values)
        if alone == 0 or sum(literal != 0 for literal in legal[role]) < 2:
            return [1] * len(legal[role])
        wins, safe = literals_at(claims.wins[role], values), self._safe(role, inputs, legal)
        any_safe = network.any(
            [network.conjunction(one, own) for one, own in zip(safe, legal[role], strict=True)]
        )
        free = network.disjunction(alone ^ 1, network.conjunction(some ^ 1, any_safe ^ 1))
        return [
            network.any([win, free, network.conjunction(some ^ 1, one)])
            for win, one in zip(wins, safe, strict=True)
        ]

    def _safe(self, role: int, inputs: list[int], legal: list[list[int]]) -> list[int]:
        """For every move of *role* whether no other role can complete a line after it."""
        network, answers = self.network, self._answers[role]
        others = [some for other, some in self.claims.some.items() if other != role]
        moves = _Moves(self._followed, inputs, legal, role)
        later = answers.values([*moves.after, *[0] * sum(map(len, legal))])
        safe = []
        for move, literal in enumerate(legal[role]):
            changed = {1 + base: new for base, new in moves.changed(move).items()} if literal else {}
            safe.append(network.any(literals_at(others, later, answers.changes(later, changed))) ^ 1)
        return safe
