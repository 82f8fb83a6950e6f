"""The transition relation of a game in clingo's solver: which states and joint moves make this true?

The ground program goes into the solver with the state and the moves left open: any set of facts and, for every
role, exactly one move, a legal one, in a state that is not terminal. Everything else follows from these, so that
an answer is one state and one joint move. Questions are assumptions on top; the program is loaded only once.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import clingo

from stratagem.errors import LimitExceeded
from stratagem.gdl.terms import Term
from stratagem.ground.program import ALWAYS, GroundProgram

CONFLICTS = 1_000_000
"""How hard the solver tries before it gives up: seconds, a minute at worst."""


class Turn:
    """The solver for *program*. With *moving* off no moves are made, and terminal states are states too."""

    def __init__(self, program: GroundProgram, *, moving: bool = True, conflicts: int = CONFLICTS) -> None:
        self.program = program
        self.conflicts = conflicts
        self._control = clingo.Control(["--warn=none", "--models=0", f"--solve-limit={conflicts}"])
        self._atoms: dict[int, int] = {}
        self._backend: Any = None
        with self.building():
            self._load()
            if moving:
                self._move()

    def _load(self) -> None:
        self.rule(self.atom(ALWAYS), [])
        for number in self.program.true.values():
            self.rule(self.atom(number), [], choice=True)
        for head, body in self.program.rules:
            self.rule(self.atom(head), [self.literal(part) for part in body])

    def _move(self) -> None:
        moves: dict[str, list[int]] = {role: [] for role in self.program.roles}
        for (role, move), number in self.program.does.items():
            moves[role].append(self.atom(number))
            self.rule(self.atom(number), [self.output(self.program.legal[(role, move)])], choice=True)
        for several in moves.values():
            self.forbid([-self.at_least(1, several)])
            self.forbid([self.at_least(2, several)])
        self.forbid([self.output(self.program.terminal)])

    # -- building ------------------------------------------------------------------------------------------

    @contextmanager
    def building(self) -> Iterator[None]:
        """The time in which rules may be added."""
        with self._control.backend() as self._backend:
            yield

    def atom(self, number: int) -> int:
        """The solver's atom for one of the program's."""
        if number not in self._atoms:
            self._atoms[number] = self.new()
        return self._atoms[number]

    def new(self) -> int:
        """An atom of the solver that the program knows nothing of."""
        return int(self._backend.add_atom())

    def literal(self, part: int) -> int:
        """The solver's literal for a part of a body."""
        return self.atom(part) if part > 0 else -self.atom(-part)

    def output(self, number: int | None) -> int:
        """The solver's literal for an output of the program; None stands for never."""
        return -self.atom(ALWAYS) if number is None else self.atom(number)

    def rule(self, head: int, body: Sequence[int], *, choice: bool = False) -> None:
        """*head* holds (may hold, where it is a *choice*) wherever all of *body* does."""
        self._backend.add_rule([head], body, choice)

    def forbid(self, body: Sequence[int]) -> None:
        """There is no answer in which all of *body* holds."""
        self._backend.add_rule([], body)

    def at_least(self, count: int, literals: Iterable[int]) -> int:
        """An atom that holds where at least *count* of *literals* do."""
        atom = self.new()
        self._backend.add_weight_rule([atom], count, [(literal, 1) for literal in literals])
        return atom

    # -- asking --------------------------------------------------------------------------------------------

    def answers(self, assumptions: Sequence[int]) -> Generator[Any, None, None]:
        """All answers in which every one of *assumptions* holds; each is valid until the next is asked for.

        Only one question may be open at a time: close it where not all answers are taken.
        """
        with self._control.solve(assumptions=assumptions, yield_=True) as handle:
            yield from handle
            if not handle.get().exhausted:
                raise LimitExceeded(
                    f"the solver gave up after {self.conflicts:,} conflicts", hint="search forward instead"
                )

    def state(self, answer: Any) -> frozenset[Term]:
        """The facts of the state in *answer*."""
        true = self.program.true
        return frozenset(fact for fact, number in true.items() if answer.is_true(self._atoms[number]))

    def joint(self, answer: Any) -> tuple[Term, ...]:
        """The moves in *answer*, in the order of the roles."""
        does = self.program.does
        made = dict(move for move, number in does.items() if answer.is_true(self._atoms[number]))
        return tuple(made[role] for role in self.program.roles)
