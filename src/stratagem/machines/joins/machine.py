"""The machine of compiled joins: any rules without grounding, at the speed of look-ups in hash tables."""

from __future__ import annotations

from collections.abc import Iterable
from threading import RLock
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from stratagem.gdl.rules import RuleSheet
from stratagem.gdl.terms import Term, order
from stratagem.machines.joins.evaluator import KERNELS, Evaluator
from stratagem.machines.joins.program import QUESTIONS
from stratagem.machines.reasoner.machine import goal_value
from stratagem.native.jit.kernel_families import compiled_family

INIT, TERMINAL, LEGAL, GOAL, NEXT = range(len(QUESTIONS))
REMEMBERED: Final = 1 << 12
"""States whose answers are kept."""


class JoinsMachine:
    """States are the sorted numbers of their facts, as bytes. May be used from several threads."""

    name = "joins"

    def __init__(self, sheet: RuleSheet, *, evaluator: Evaluator | None = None) -> None:
        self.evaluator = evaluator or Evaluator(sheet, compiled_family(KERNELS))
        self.roles = sheet.roles
        self.turn = RLock()
        """Held while the evaluator works: it has one state at a time."""
        self._loaded: bytes | None = None
        self._answers: dict[tuple[bytes, int], Any] = {}
        self._facts: dict[bytes, frozenset[Term]] = {}
        self._initial: bytes | None = None

    def initial(self) -> bytes:
        with self.turn:
            if self._initial is None:
                self.evaluator.ask(INIT)
                self._initial = self._data(self.evaluator.rows(("init", "", 1))[:, 0])
            return self._initial

    def legals(self, data: bytes, role: int) -> tuple[Term, ...]:
        """The moves of the role numbered *role*, in canonical order."""
        moves: tuple[tuple[Term, ...], ...] = self._answer(data, LEGAL)
        return moves[role]

    def next(self, data: bytes, joint: tuple[Term, ...]) -> bytes:
        with self.turn:
            self.load(data)
            moves = [self.evaluator.terms.number(move) for move in joint]
            self.evaluator.load_joint(np.array(moves, np.int32))
            self.evaluator.ask(NEXT)
            return self._data(self.evaluator.rows(("next", "", 1))[:, 0])

    def terminal(self, data: bytes) -> bool:
        over: bool = self._answer(data, TERMINAL)
        return over

    def goal(self, data: bytes, role: int) -> int | None:
        """The only value that holds for the role numbered *role*, or None."""
        goals: tuple[int | None, ...] = self._answer(data, GOAL)
        return goals[role]

    def facts(self, data: bytes) -> frozenset[Term]:
        with self.turn:
            known = self._facts.get(data)
            if known is None:
                known = frozenset(map(self.evaluator.terms.term, np.frombuffer(data, np.int32).tolist()))
                _remember(self._facts, data, known)
            return known

    def from_facts(self, facts: Iterable[Term]) -> bytes:
        """The state in which exactly *facts* hold."""
        with self.turn:
            numbers = [self.evaluator.terms.number(fact) for fact in facts]
            return self._data(np.array(numbers, np.int32))

    def forget(self) -> None:
        """The evaluator is about to look at states of its own."""
        self._loaded = None

    def load(self, data: bytes) -> None:
        """Has the evaluator look at a state."""
        if self._loaded != data:
            self._loaded = None
            self.evaluator.load(np.frombuffer(data, np.int32).copy())
            self._loaded = data

    @staticmethod
    def _data(numbers: NDArray[np.int32]) -> bytes:
        return np.unique(numbers).astype(np.int32).tobytes()

    def _answer(self, data: bytes, question: int) -> Any:
        found = self._answers.get((data, question))
        if found is None:
            with self.turn:
                self.load(data)
                self.evaluator.ask(question)
                found = (None, self._over, self._moves, self._goals)[question]()  # type: ignore[misc]
                _remember(self._answers, (data, question), found)
        return found

    def _over(self) -> bool:
        return len(self.evaluator.rows(("terminal", "", 0))) > 0

    def _moves(self) -> tuple[tuple[Term, ...], ...]:
        return tuple(
            tuple(sorted(set(map(self.evaluator.terms.term, own)), key=order))
            for own in self._by_role("legal")
        )

    def _goals(self) -> tuple[int | None, ...]:
        return tuple(goal_value(map(self.evaluator.terms.term, own)) for own in self._by_role("goal"))

    def _by_role(self, name: str) -> list[list[int]]:
        """For each role what a relation says of it."""
        rows = self.evaluator.rows((name, "", 2)).tolist()
        found: dict[int, list[int]] = {number: [] for number in self.evaluator.work.roles.numpy.tolist()}
        for role, value in rows:
            if role in found:
                found[role].append(value)
        return [found[number] for number in self.evaluator.work.roles.numpy.tolist()]


def _remember(memory: dict[Any, Any], key: Any, value: Any) -> None:
    """Keeps an answer; a memory that is full begins anew."""
    if len(memory) >= REMEMBERED:
        memory.clear()
    memory[key] = value
