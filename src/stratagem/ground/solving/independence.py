"""Parts of a state that never change together: what makes lower bounds add up.

In a sliding puzzle one tile moves at a time. If no legal move in any state changes two of several parts, then each may
count the moves that change it, and the counts may be added. The solver looks for a state and a move that change two;
where it finds none, there is none among the reachable states either.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import closing

from stratagem.errors import LimitExceeded
from stratagem.gdl.terms import Term
from stratagem.ground.program import GroundProgram
from stratagem.ground.solving.exclusive import Groups
from stratagem.ground.solving.transition import Turn


def change_apart(program: GroundProgram, groups: Groups, parts: Sequence[Iterable[Term]]) -> bool:
    """Whether it is proved that no move changes two of *parts*; *groups* are known of all states."""
    turn = Turn(program)
    groups.impose(turn)
    with turn.building():
        changes = []
        for part in parts:
            changed = turn.new()
            for fact in part:
                before, after = turn.atom(program.true[fact]), turn.output(program.next.get(fact))
                turn.rule(changed, [before, -after])
                turn.rule(changed, [-before, after])
            changes.append(changed)
        two = turn.at_least(2, changes)
    try:
        with closing(turn.answers([two])) as answers:
            return next(answers, None) is None
    except LimitExceeded:
        return False
