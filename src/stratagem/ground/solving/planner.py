"""Planning with clingo's solver: is there a match of 0, 1, 2, ... moves that ends well?

The ground program is laid out once for every step, the state of a step being what the one before makes true, and the
moves are left open: an answer is a match (Kautz and Selman, 1992). Steps are added one at a time to the same solver,
which keeps what it has learned; the first length with an answer is the shortest. Where there is no match of some length
that never comes to a state twice, whatever its end, all states have been seen by shorter ones: then there is no solution
at all. That is asked only up to some length, as the question grows with the square of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import clingo

from stratagem.errors import UnsuitableGame
from stratagem.gdl.terms import Term, integer
from stratagem.ground.program import ALWAYS, GroundProgram

WITHOUT_RETURN = 48
"""Lengths up to which it is asked whether a match without repetition can be so long."""
POLL_SECONDS = 0.02


@dataclass(frozen=True, slots=True)
class Plan:
    """The *moves* of a shortest solution, or None; then there is none of fewer than *bound* moves.

    *exhausted*: there is none of any length.
    """

    moves: tuple[Term, ...] | None
    bound: int
    exhausted: bool


class Planner:
    """Matches of one role from *facts* to an end worth at least *threshold*, step by step."""

    def __init__(self, program: GroundProgram, facts: Iterable[Term], *, threshold: int = 100) -> None:
        if len(program.roles) != 1:
            raise UnsuitableGame(f"plans are for one player; this game has {len(program.roles)}")
        self.program, self.threshold = program, threshold
        self._control = clingo.Control(["--warn=none", "--heuristic=Vsids"])
        self._goals: list[int] = []
        self._states: list[dict[Term, int]] = []
        self._moves: list[dict[Term, int]] = []
        self._going: list[int] = []
        """For every step an atom that allows a move after it."""
        with self._control.backend() as backend:
            self._fresh = int(backend.add_atom())
            """Assumed: no state comes twice."""
            backend.add_rule([self._fresh], [], True)
            state = {fact: int(backend.add_atom()) for fact in program.true}
            held = set(facts)
            for fact, atom in state.items():
                if fact in held:
                    backend.add_rule([atom], [])
            self._step(backend, state)

    def _step(self, backend: Any, state: dict[Term, int]) -> None:
        """The rules of one step, in which the facts of *state* are what is true."""
        program = self.program
        atoms = {program.true[fact]: atom for fact, atom in state.items()}

        def atom(number: int) -> int:
            if number not in atoms:
                atoms[number] = int(backend.add_atom())
            return atoms[number]

        def output(number: int | None) -> int:
            return -atom(ALWAYS) if number is None else atom(number)

        backend.add_rule([atom(ALWAYS)], [])
        for head, body in program.rules:
            backend.add_rule([atom(head)], [atom(part) if part > 0 else -atom(-part) for part in body])
        going = int(backend.add_atom())
        backend.add_rule([going], [], True)
        moves: dict[Term, int] = {}
        for (role, move), number in program.does.items():
            moves[move] = atom(number)
            backend.add_rule([atom(number)], [going, output(program.legal[(role, move)])], True)
        terminal = output(program.terminal)
        backend.add_rule([], [going, terminal])
        backend.add_rule([], [going, *(-made for made in moves.values())])
        backend.add_weight_rule([], 2, [(made, 1) for made in moves.values()])
        goal = int(backend.add_atom())
        for (_, value), number in program.goal.items():
            points = integer(value)
            if points is not None and points >= self.threshold:
                backend.add_rule([goal], [output(number), terminal])
        self._goals.append(goal)
        self._states.append(state)
        self._moves.append(moves)
        self._going.append(going)
        self._after = {fact: output(program.next.get(fact)) for fact in program.true}

    def _extend(self) -> None:
        with self._control.backend() as backend:
            state = {fact: int(backend.add_atom()) for fact in self.program.true}
            for fact, atom in state.items():
                backend.add_rule([atom], [self._after[fact]])
            if len(self._states) <= WITHOUT_RETURN:
                for earlier in self._states:
                    other = int(backend.add_atom())
                    for fact, atom in state.items():
                        backend.add_rule([other], [atom, -earlier[fact]])
                        backend.add_rule([other], [-atom, earlier[fact]])
                    backend.add_rule([], [self._fresh, -other, *self._going[: len(self._states)]])
            self._step(backend, state)

    def plan(self, *, longest: int = 1000, stop: Callable[[], bool] | None = None) -> Plan:
        """The shortest plan of at most *longest* moves; *stop* is asked many times a second."""
        length = 0
        while True:
            made = self._solve([self._goals[length]], length, stop)
            if made is None:
                return Plan(None, length, False)
            if made[0]:
                return Plan(made[1], length, False)
            if length == longest:
                return Plan(None, length + 1, False)
            self._extend()
            length += 1
            if length <= WITHOUT_RETURN:
                answer = self._solve([self._fresh], length, stop)
                if answer is None:
                    return Plan(None, length, False)
                if not answer[0]:
                    return Plan(None, length, True)

    def _solve(
        self, assumptions: list[int], length: int, stop: Callable[[], bool] | None
    ) -> tuple[bool, tuple[Term, ...]] | None:
        """Whether there is such a match of *length* moves, and one; None where it was asked to stop."""
        given = [*assumptions, *self._going[:length], *(-going for going in self._going[length:])]
        if self._fresh not in assumptions:
            given.append(-self._fresh)
        with self._control.solve(assumptions=given, yield_=True, async_=True) as handle:
            while not handle.wait(POLL_SECONDS):
                if stop is not None and stop():
                    handle.cancel()
                    return None
            model = handle.model()
            if model is None:
                return False, ()
            chosen = []
            for moves in self._moves[:length]:
                chosen.append(next(move for move, atom in moves.items() if model.is_true(atom)))
            return True, tuple(chosen)
