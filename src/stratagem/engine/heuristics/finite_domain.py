"""A game of one role as variables over places and operators (a finite-domain representation, as in planning).

Found where the rules allow it, as in sliding puzzles: every proposition belongs to a proved group, of which exactly one
holds. One group, the *context* (the gap), alone decides which moves are legal; what becomes of any other (a tile) is
decided by the move, the context and itself. No two are ever in the same place, and no move changes two but the context. Then a
move in a context is an operator: it takes whatever is in one place to another. Searches and pattern databases need no gates.

What an operator does is read off the compiled rules, by one native call with every variable in every place.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Final

import numpy as np

from stratagem.engine.heuristics.abstraction import reads_of
from stratagem.errors import LimitExceeded

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from stratagem.engine.heuristics.patterns import PatternFinder, StateVariable
    from stratagem.native.compiled import CompiledGame

MOST_PLACES: Final = 64
"""Places have a bit each in a word."""
MOST_GOALS: Final = 64


@dataclass(frozen=True, slots=True, eq=False)
class FiniteDomain:
    """Variables, places and operators; the context is not among the variables."""

    facts: NDArray[np.int64]
    """[variables, places]: the proposition (a number in `Circuit.bases`) that a variable is in a place."""
    context: NDArray[np.int64]
    """[places]: the proposition that the context is in a place."""
    before: NDArray[np.int64]
    """For each operator the place of the context in which it can be used, ascending."""
    after: NDArray[np.int64]
    """Where the context is afterwards."""
    moves: NDArray[np.int64]
    """The move (a number in `Circuit.moves`) of each operator."""
    effects: NDArray[np.int64]
    """[operators, variables, places]: where a variable is afterwards; -1 where it cannot have been there."""
    goals: NDArray[np.uint64]
    """The ends worth enough, as packed states; there are no other ends."""
    goal_places: NDArray[np.int64]
    """[goals, variables]: where each variable is in them."""
    goal_contexts: NDArray[np.int64]

    @property
    def variables(self) -> int:
        return len(self.facts)

    @property
    def places(self) -> int:
        return len(self.context)

    @property
    def operators(self) -> int:
        return len(self.moves)

    def origins(self) -> NDArray[np.int64]:
        """[operators, variables, places]: where a variable was before that is there afterwards; -1 for nowhere."""
        found = np.full_like(self.effects, -1)
        for place in range(self.places):
            operators, variables = np.nonzero(self.effects[:, :, place] >= 0)
            found[operators, variables, self.effects[operators, variables, place]] = place
        return found


def finite_domain(finder: PatternFinder, compiled: CompiledGame, threshold: int) -> FiniteDomain | None:
    """The game of *finder* as operators, or None where it is not of this kind. *threshold*: the goal that counts."""
    context = _context(finder)
    if context is None or not _ends_are_goals(finder, threshold):
        return None
    variables = [variable for variable in finder.variables if variable is not context]
    facts = _places(finder, [context, *variables])
    if facts is None or not finder.apart([tuple(row) for row in facts[1:].tolist()]):
        return None
    operators = _operators(compiled, facts)
    if operators is None:
        return None
    before, after, moves, effects = operators
    goals = _goals(finder, compiled, threshold)
    if not len(goals):
        return None
    bits = np.unpackbits(goals.view(np.uint8), axis=1, bitorder="little")
    where = bits[:, facts].argmax(axis=2)
    return FiniteDomain(facts[1:], facts[0], before, after, moves, effects, goals, where[:, 1:], where[:, 0])


def _context(finder: PatternFinder) -> StateVariable | None:
    """The one variable that needs no other, where every other needs it alone and it decides what is legal."""
    alone = [variable for variable in finder.variables if len(finder.closed(variable)) == 1]
    if len(alone) != 1 or len(finder.variables) < 3:
        return None
    context = alone[0]
    if not 2 <= len(context.members) <= MOST_PLACES:
        return None
    for variable in finder.variables:
        if len(variable.members) != len(context.members) or finder.closed(variable) != {variable, context}:
            return None
    allowed = sum(1 << place for place in context.members)
    if any(read & ~allowed for read in reads_of(finder.circuit, finder.circuit.legal[0].tolist())):
        return None
    return context


def _ends_are_goals(finder: PatternFinder, threshold: int) -> bool:
    """Whether a match ends where it is worth *threshold*, and nowhere else."""
    worth = {literal for value, literal in finder.circuit.goals[0] if value >= threshold}
    return worth == {finder.circuit.terminal}


def _places(finder: PatternFinder, variables: list[StateVariable]) -> NDArray[np.int64] | None:
    """The propositions by variable and place: the groups across the variables of which at most one holds."""
    owner = {place: number for number, variable in enumerate(variables) for place in variable.members}
    numbers = {term: number for number, term in enumerate(finder.circuit.bases)}
    columns: list[list[int]] = []
    taken: set[int] = set()
    for group in finder.groups.at_most:
        members = [numbers[fact] for fact in group if fact in numbers]
        owners = sorted(owner[member] for member in members)
        if owners == list(range(len(variables))) and taken.isdisjoint(members):
            taken.update(members)
            columns.append(sorted(members, key=owner.__getitem__))
    if len(columns) != len(variables[0].members):
        return None
    return np.array(sorted(columns), np.int64).T.copy()


def _operators(
    compiled: CompiledGame, facts: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]] | None:
    """Context before and after, move and effects of every operator; None where an effect is no single place."""
    places = facts.shape[1]
    contexts = np.arange(places)
    legal = compiled.evaluate(_packed(compiled, facts[:1], contexts[:, None])).legal[:, 0]
    bits = np.unpackbits(legal.view(np.uint8), axis=1, bitorder="little")
    before, moves = np.nonzero(bits)
    rows = np.repeat(np.arange(len(before)), places)
    where = np.tile(contexts, len(before))
    # What becomes of a variable reads nothing of the others: all of them may be in one place at once.
    state = np.column_stack([before[rows], *[where] * (len(facts) - 1)])
    following = compiled.advance(_packed(compiled, facts, state), moves[rows, None].astype(np.int32))
    bits = np.unpackbits(following.view(np.uint8), axis=1, bitorder="little")
    held = bits[:, facts].reshape(len(before), places, len(facts), places)
    possible = before[:, None] != contexts[None]
    counts = held.sum(axis=3)
    if not (counts[possible] == 1).all():
        return None
    effects = np.where(possible[:, :, None], held.argmax(axis=3), -1)
    after = effects[:, :, 0].max(axis=1)
    tokens = np.ascontiguousarray(effects[:, :, 1:].transpose(0, 2, 1))
    return (before, after, moves, tokens) if _injective(tokens) else None


def _injective(effects: NDArray[np.int64]) -> bool:
    """Whether no operator takes a variable from two places to one."""
    ordered = np.sort(effects, axis=2)
    return not any(((one == other) & (one >= 0)).any() for one, other in pairwise(np.moveaxis(ordered, 2, 0)))


def _packed(
    compiled: CompiledGame, facts: NDArray[np.int64], places: NDArray[np.int64]
) -> NDArray[np.uint64]:
    """Packed states in which variable i is in place ``places[:, i]``."""
    bits = np.zeros((len(places), 64 * compiled.words), np.bool_)
    rows = np.arange(len(places))
    for number in range(places.shape[1]):
        bits[rows, facts[number, places[:, number]]] = True
    return np.packbits(bits, axis=1, bitorder="little").view(np.uint64)


def _goals(finder: PatternFinder, compiled: CompiledGame, threshold: int) -> NDArray[np.uint64]:
    from stratagem.ground.solving.predecessors import goal_states

    role = finder.circuit.roles[0]
    try:
        found = goal_states(finder.program, role, threshold=threshold, groups=finder.groups, limit=MOST_GOALS)
    except LimitExceeded:
        found = []
    packed = [compiled.pack(facts) for facts in found]
    return np.array(packed, np.uint64).reshape(-1, compiled.words)
