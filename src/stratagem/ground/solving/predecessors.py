"""Predecessors of a state: every pair of a joint move and a state that leads to it.

`next` is a function from states to states; clingo's solver turns it round. For a state it finds all pairs of a
joint move and a previous state such that the moves are legal there and `next` gives exactly this state. A previous state
may be any set of facts that the grounder thought possible, and so an unreachable one; `MutexGroups` that
are proved of all reachable states keep most of those away.

Cost: one call of the solver for each state, about a millisecond for a puzzle.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing

from stratagem.errors import LimitExceeded
from stratagem.gdl.rules import RuleSheet
from stratagem.gdl.terms import Term, integer
from stratagem.ground.clingo_grounder import ground_here
from stratagem.ground.program import GroundProgram
from stratagem.ground.rewrite.normal import normal_form
from stratagem.ground.rewrite.split import split_all
from stratagem.ground.solving.mutex_groups import MutexGroups, mutex_groups
from stratagem.ground.solving.transition import Turn

MOST = 100_000
"""States that one question may bring to light; more are of no use to a search."""


def ground_sheet(sheet: RuleSheet) -> GroundProgram:
    """The ground program of *sheet*."""
    return ground_here(split_all(normal_form(sheet)), sheet.roles)


class Predecessors:
    """What may have come before a state of *program*; *groups* are proved here unless they are given, or *stop* ends the proof."""

    def __init__(
        self,
        program: GroundProgram,
        groups: MutexGroups | None = None,
        *,
        stop: Callable[[], bool] = lambda: False,
    ) -> None:
        self.program = program
        self.groups = mutex_groups(program, stop=stop) if groups is None else groups
        self._turn = Turn(program)
        self.groups.impose(self._turn)
        with self._turn.building():
            self._next = {fact: self._turn.output(number) for fact, number in program.next.items()}

    def of(
        self, facts: frozenset[Term], *, limit: int = MOST
    ) -> list[tuple[tuple[Term, ...], frozenset[Term]]]:
        """All (joint move, previous state) pairs after which exactly *facts* are true; at most *limit*."""
        if not facts <= self._next.keys():
            return []  # it holds something that never comes to be
        wanted = [atom if fact in facts else -atom for fact, atom in self._next.items()]
        found: list[tuple[tuple[Term, ...], frozenset[Term]]] = []
        with closing(self._turn.answers(wanted)) as answers:
            for answer in answers:
                found.append((self._turn.joint(answer), self._turn.state(answer)))
                if len(found) > limit:
                    raise _too_many(limit, "may have come before this one")
        return found


def goal_states(
    program: GroundProgram,
    role: str,
    *,
    threshold: float = 100,
    groups: MutexGroups | None = None,
    limit: int = MOST,
) -> list[frozenset[Term]]:
    """All terminal states worth at least *threshold* to *role* in which *groups* hold; at most *limit*."""
    turn = Turn(program, moving=False)
    (mutex_groups(program) if groups is None else groups).impose(turn)
    with turn.building():
        worth = turn.new()
        for (owner, value), number in program.goal.items():
            points = integer(value)
            if owner == role and points is not None and points >= threshold:
                turn.rule(worth, [turn.output(number)])
        over = turn.output(program.terminal)
    found: list[frozenset[Term]] = []
    with closing(turn.answers([worth, over])) as answers:
        for answer in answers:
            found.append(turn.state(answer))
            if len(found) > limit:
                raise _too_many(limit, f"are worth {threshold:g} or more to {role}")
    return found


def _too_many(limit: int, what: str) -> LimitExceeded:
    return LimitExceeded(f"more than {limit:,} states {what}", hint="search forward instead")
