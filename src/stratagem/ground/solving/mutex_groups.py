"""Mutual exclusion: groups of facts of which every reachable state holds at most one, or at least one, proved.

In every state of a sliding puzzle each cell holds exactly one tile. Nothing in the rules says so, and a search backward
from the goal would meet many states in which it is not so. Guess and prove by induction (Houdini; Flanagan and Leino,
2001): groups are guessed from the shape of the facts, (cell 1 1 ?), (cell ? ? 5), (step ?), as far as they hold in the
initial state; then the solver looks for a state in which all guesses hold and a move after which one does not. What
it finds is dropped, until it finds nothing: the rest holds in every reachable state.

Cost: one call of the solver for each round, and a round drops at least one guess.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import combinations

from stratagem.errors import LimitExceeded
from stratagem.gdl.terms import Compound, Term, order
from stratagem.ground.program import GroundProgram
from stratagem.ground.solving.transition import CONFLICTS, Turn

MOST_KEYS = 64
"""Ways of grouping the facts of one name; more arguments than six are not tried in all combinations."""


@dataclass(frozen=True, slots=True)
class MutexGroups:
    """What holds in every reachable state: of each group *at_least* one fact, or *at_most* one."""

    at_least: tuple[frozenset[Term], ...] = ()
    at_most: tuple[frozenset[Term], ...] = ()

    def exactly(self) -> tuple[frozenset[Term], ...]:
        """The groups of which a state holds exactly one fact."""
        at_most = set(self.at_most)
        return tuple(group for group in self.at_least if group in at_most)

    def impose(self, turn: Turn) -> None:
        """Leaves *turn* no state in which they do not hold."""
        state = turn.program.true
        with turn.building():
            for group in self.at_least:
                turn.forbid([-turn.atom(state[fact]) for fact in group])
            for group in self.at_most:
                turn.forbid([turn.at_least(2, [turn.atom(state[fact]) for fact in group])])


@dataclass(frozen=True, slots=True)
class _Guess:
    """A group, whether it is *at_least* one or at most one, and the atoms that stand for it in the solver."""

    group: frozenset[Term]
    at_least: bool
    held: int
    """Assumed: it holds before the move."""
    broken: int
    """Derived: it does not hold after the move."""


def mutex_groups(
    program: GroundProgram, *, conflicts: int = CONFLICTS, stop: Callable[[], bool] = lambda: False
) -> MutexGroups:
    """The proved groups of *program*'s facts; none where a round of the proof takes more *conflicts* of the solver.

    None either where *stop*, which is asked before every round, ends the proof.
    """
    turn = Turn(program, conflicts=conflicts)
    with turn.building():
        guesses = list(_guesses(turn, program))
        trouble = turn.new()
        for guess in guesses:
            turn.rule(trouble, [guess.held, guess.broken])
    dropped: list[_Guess] = []
    try:
        while not stop():
            assumptions = [trouble, *(each.held for each in guesses), *(-each.held for each in dropped)]
            broken = _broken(turn, guesses, assumptions)
            if not broken:
                break
            dropped += broken
            guesses = [guess for guess in guesses if guess not in broken]
        else:
            return MutexGroups()  # what is left is not proved
    except LimitExceeded:
        return MutexGroups()
    return MutexGroups(
        tuple(guess.group for guess in guesses if guess.at_least),
        tuple(guess.group for guess in guesses if not guess.at_least),
    )


def _broken(turn: Turn, guesses: Sequence[_Guess], assumptions: Sequence[int]) -> set[_Guess]:
    """Guesses that one move breaks though all of them hold before it; none where no move can."""
    with closing(turn.answers(assumptions)) as answers:
        for answer in answers:
            return {guess for guess in guesses if answer.is_true(guess.broken)}
    return set()


def _guesses(turn: Turn, program: GroundProgram) -> Iterator[_Guess]:
    for group in groups_of_one_shape(program.true):
        before = [turn.atom(program.true[fact]) for fact in group]
        after = [turn.output(program.next.get(fact)) for fact in group]
        held_now = len(group & program.initial)
        for at_least, holds in ((True, held_now >= 1), (False, held_now <= 1)):
            if holds:
                held, broken = turn.new(), turn.new()
                turn.rule(held, [], choice=True)
                if at_least:
                    turn.forbid([held, *(-atom for atom in before)])
                    turn.rule(broken, [-atom for atom in after])
                else:
                    turn.forbid([held, turn.at_least(2, before)])
                    turn.rule(broken, [turn.at_least(2, after)])
                yield _Guess(group, at_least, held, broken)


def groups_of_one_shape(facts: Iterable[Term]) -> Iterator[frozenset[Term]]:
    """Groups of facts that differ in some arguments only, or in nothing but the name; each group once."""
    seen: set[frozenset[Term]] = set()
    buckets: dict[object, list[Term]] = {}
    for fact in sorted(facts, key=order):
        name, *arguments = fact if isinstance(fact, Compound) else (str(fact),)
        places = range(len(arguments))
        keys = [kept for size in range(len(arguments)) for kept in combinations(places, size)]
        for kept in keys[:MOST_KEYS]:
            buckets.setdefault((name, kept, *(arguments[place] for place in kept)), []).append(fact)
        buckets.setdefault((None, *arguments), []).append(fact)
    for bucket in buckets.values():
        group = frozenset(bucket)
        if len(group) > 1 and group not in seen:
            seen.add(group)
            yield group


def change_apart(program: GroundProgram, groups: MutexGroups, parts: Sequence[Iterable[Term]]) -> bool:
    """Whether it is proved that no move changes two of *parts*; *groups* are known of all states.

    Lower bounds of parts that never change together add up: each counts the moves that change it.
    """
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
