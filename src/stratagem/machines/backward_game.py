"""A GDL game that can also be played backward: what searches from the goal need.

Predecessors and goal states are computed from the rules, by clingo's solver (`stratagem.ground.solving.predecessors`); all
else is the game's own.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from stratagem.errors import UsageError
from stratagem.game import JointMove, Role, require_game
from stratagem.gdl.terms import Term, order

if TYPE_CHECKING:
    from stratagem.gdl_game import GdlGame
    from stratagem.state import State


class BackwardGame:
    """*game* with `predecessors` and `goal_states` for one *role*, the first unless said otherwise.

    >>> from stratagem.loading import load
    >>> from stratagem.search.single.backward import backward
    >>> found = backward(BackwardGame(load("buttonsandlights")))
    >>> len(found.solution), found.value
    (6, 100)
    """

    def __init__(self, game: GdlGame, *, role: Role | None = None, threshold: float = 100) -> None:
        from stratagem.ground.solving.predecessors import Predecessors, ground_sheet

        require_game(game)
        self.game = game
        self.roles = game.roles
        self._role = 0 if role is None else game.number(role)
        self._threshold = threshold
        self._before = Predecessors(ground_sheet(game.sheet))

    def initial(self) -> State:
        return self.game.initial()

    def check_state(self, state: State) -> None:
        self.game.check_state(state)

    def legals(self, state: State, role: Role) -> tuple[Term, ...]:
        return self.game.legals(state, role)

    def next(self, state: State, joint: JointMove) -> State:
        return self.game.next(state, joint)

    def terminal(self, state: State) -> bool:
        return self.game.terminal(state)

    def goal(self, state: State, role: Role) -> int | None:
        return self.game.goal(state, role)

    def predecessors(self, state: State) -> Iterator[tuple[Term, State]]:
        """The role's move and the previous state for every turn that leads to *state*."""
        found = self._before.of(state.facts())
        for joint, facts in sorted(found, key=lambda pair: (tuple(map(order, pair[0])), in_order(pair[1]))):
            before = self._state(facts)
            if before is not None:
                yield joint[self._role], before

    def goal_states(self) -> Iterator[State]:
        """The ends worth at least the threshold to the role."""
        from stratagem.ground.solving.predecessors import goal_states

        role, threshold = self.roles[self._role], self._threshold
        groups = self._before.groups
        found = goal_states(self._before.program, role, threshold=threshold, groups=groups)
        for facts in sorted(found, key=in_order):
            end = self._state(facts)
            if end is not None:
                yield end

    def _state(self, facts: frozenset[Term]) -> State | None:
        """The state of *facts*, or None where the machine knows that no match can come to it."""
        try:
            return self.game.state_of(facts)
        except UsageError:
            return None


def in_order(facts: frozenset[Term]) -> list[tuple[object, ...]]:
    """The key of the one order of states: the solver's answers come in any."""
    return sorted(map(order, facts))
