"""Laws of the state, proved by induction with clingo's solver (Houdini: Flanagan and Leino, 2001).

A law says that of a group of propositions at most one, or at least one, holds. All laws are assumed of a state; the
solver looks for legal moves after which one fails. What fails is dropped and the rest tried again, until no
counterexample is left: the laws that remain hold in every state that can be reached. Gates become rules one to one, and
loops need nothing more, as a stable model is a least fixed point.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import clingo


@dataclass(frozen=True, slots=True)
class Law:
    """Of the propositions *members* (their numbers) at most one holds, or at least one."""

    members: tuple[int, ...]
    at_most: bool


@dataclass(frozen=True, slots=True)
class Machine:
    """The gates of a game as plain numbers, in the convention of `Circuit`."""

    bases: int
    moves: tuple[int, ...]
    """How many each role has."""
    is_and: Sequence[bool]
    left: Sequence[int]
    right: Sequence[int]
    next: Sequence[int]
    legal: Sequence[Sequence[int]]


AT_ONCE = 2_000
"""Conflicts that one law may cost before it is dropped."""

Doubt: TypeAlias = Callable[[tuple[bool, ...], tuple[int, ...]], set[int]]
"""Given a state in which the laws with these numbers hold: some of them that do not pass on."""


def inductive(
    machine: Machine, laws: Sequence[Law], *, conflicts: int, doubt: Doubt | None = None
) -> tuple[Law, ...]:
    """Those *laws* that together pass from every state to the next, as far as that can be shown.

    They must hold initially: that is not checked here. *conflicts* bounds the work of the solver. *doubt* may
    find more laws to drop near a counterexample; what it drops is lost even if it was true.
    """
    kept = list(range(len(laws)))
    proof = _Proof(machine, laws, conflicts)
    # Passed since the last loss, and passed at any time: perhaps with the help of laws lost since.
    sure: set[int] = set()
    likely: set[int] = set()
    place = 0
    while len(sure) < len(kept):
        place %= len(kept)
        wanted = kept[place]
        example = proof.counterexample(kept, wanted)
        if example is None and proof.conflicts <= 0:
            if proof.refilled:
                return ()
            kept = [number for number in kept if number in likely]
            sure.clear()
            proof.refill(conflicts)
        elif example is not None and not example.broken:
            sure.add(wanted)
            likely.add(wanted)
            place += 1
        else:
            # One that is too hard to tell goes too: nothing is lost but the laws that need it.
            broken = {wanted} if example is None else set(example.broken)
            if doubt is not None and example is not None:
                broken |= doubt(example.state, tuple(kept))
            kept = [number for number in kept if number not in broken]
            sure.clear()
    return tuple(laws[number] for number in kept)


@dataclass(frozen=True, slots=True)
class Example:
    """A state and the laws that fail one step later; no laws where there is no such state."""

    state: tuple[bool, ...]
    broken: frozenset[int]


class _Proof:
    def __init__(self, machine: Machine, laws: Sequence[Law], conflicts: int) -> None:
        self.control = clingo.Control(["--warn=none", "--heuristic=Vsids"])
        self.conflicts = conflicts
        self.refilled = False
        inputs = 1 + machine.bases + sum(machine.moves)
        with self.control.backend() as backend:
            atoms = [backend.add_atom() for _ in range(inputs + len(machine.left))]

            def literal(number: int) -> int:
                atom: int = atoms[number >> 1]
                return -atom if number & 1 else atom

            self.state = atoms[1 : 1 + machine.bases]
            backend.add_rule(atoms[1:inputs], [], choice=True)
            for gate, is_and in enumerate(machine.is_and):
                head, one, other = (
                    atoms[inputs + gate],
                    literal(machine.left[gate]),
                    literal(machine.right[gate]),
                )
                if is_and:
                    backend.add_rule([head], [one, other])
                else:
                    backend.add_rule([head], [one])
                    backend.add_rule([head], [other])
            first = 1 + machine.bases
            for count, legal in zip(machine.moves, machine.legal, strict=True):
                made = atoms[first : first + count]
                backend.add_rule([], [-move for move in made])
                backend.add_weight_rule([], 2, [(move, 1) for move in made])
                for move, allowed in zip(made, legal, strict=True):
                    backend.add_rule([], [move, -literal(allowed)])
                first += count
            self.assumed = [backend.add_atom() for _ in laws]
            self.broken = [backend.add_atom() for _ in laws]
            backend.add_rule(self.assumed, [], choice=True)
            for law, assumed, broken in zip(laws, self.assumed, self.broken, strict=True):
                before = [2 * (1 + member) for member in law.members]
                after = [machine.next[member] for member in law.members]
                failed = backend.add_atom()
                self._failure(backend, failed, law, list(map(literal, before)))
                backend.add_rule([], [assumed, failed])
                self._failure(backend, broken, law, list(map(literal, after)))

    def refill(self, conflicts: int) -> None:
        """A second and last budget."""
        self.conflicts, self.refilled = conflicts, True

    @staticmethod
    def _failure(backend: clingo.Backend, head: int, law: Law, literals: list[int]) -> None:
        """*head* holds where *law* fails of *literals*."""
        if law.at_most:
            backend.add_weight_rule([head], 2, [(literal, 1) for literal in literals])
        else:
            backend.add_rule([head], [-literal for literal in literals])

    def counterexample(self, kept: Sequence[int], wanted: int) -> Example | None:
        """A state where the *kept* laws hold and the *wanted* one fails after; None if the search was given up."""
        if self.conflicts <= 0:
            return None
        self.control.configuration.solve.solve_limit = f"{min(self.conflicts, AT_ONCE)},umax"
        chosen = set(kept)
        assumptions = [atom if number in chosen else -atom for number, atom in enumerate(self.assumed)]
        assumptions.append(self.broken[wanted])
        example: Example | None = None
        with self.control.solve(assumptions=assumptions, yield_=True) as handle:
            model = handle.model()
            if model is not None:
                broken = frozenset(number for number in kept if model.is_true(self.broken[number]))
                example = Example(tuple(model.is_true(atom) for atom in self.state), broken)
            elif handle.get().unsatisfiable:
                example = Example((), frozenset())
        self.conflicts -= int(self.control.statistics["solving"]["solvers"]["conflicts"])
        return example
