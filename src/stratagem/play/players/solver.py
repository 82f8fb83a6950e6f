"""The solver as a player for puzzles: it looks for a solution in the start clock and then plays it.

`engine.solve` picks the method. While nothing is found, and where the rules could not be compiled, the lecture's
incremental expansion chooses the moves; a way that was found is kept, and looked for again if the match leaves it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from stratagem.errors import StratagemError
from stratagem.play.choice import Choice, Offer, Thought
from stratagem.play.clock import Deadline
from stratagem.play.match import Match
from stratagem.play.memory import fair_share
from stratagem.play.player import Player
from stratagem.play.players.puzzle import PuzzleSolver

if TYPE_CHECKING:
    from stratagem.engine.solution import Solution
    from stratagem.gdl.terms import Term
    from stratagem.machines.gdl_game import State

MEMORY = 1 << 30
SHARE = 0.8
"""Of the time of a move; the rest is for a move where nothing was found."""


class Solver(Player):
    """For one role with a choice."""

    name = "solver"

    def __init__(self, *, seed: int | None = None) -> None:
        """Nothing is left to chance: *seed* is taken as every player does."""
        self.deputy = PuzzleSolver(seed=seed)
        self.way: dict[State, Term] = {}
        self.found: Solution | None = None

    def start(self, match: Match, clock: Deadline) -> None:
        self.way, self.found = {}, None
        self._search(match, clock)

    def play(self, match: Match, clock: Deadline, offer: Offer) -> Choice:
        legal = match.legals()
        if len(legal) == 1:
            return Choice(legal[0], Thought(self.name, "the only legal move"), final=True)
        if match.state not in self.way:
            self._search(match, clock.sooner(SHARE))
        move = self.way.get(match.state)
        if move is None or move not in legal or self.found is None:
            return self.deputy.play(match, clock, offer)
        low, high = self.found.bounds[match.role]
        thought = Thought(
            self.name,
            f"a way to an end worth {low} by {self.found.method}"
            + (", the shortest" if self.found.proved else ""),
            value=low,
            depth=self.found.distance or 0,
            nodes=self.found.nodes,
            line=self.found.line[:12],
            solved=self.found.proved,
            seconds=self.found.seconds,
        )
        return Choice(move, thought, final=low == high)

    def stop(self, match: Match) -> None:
        self.way, self.found = {}, None
        self.deputy.stop(match)

    def _search(self, match: Match, clock: Deadline) -> None:
        """Looks for a solution from the position of *match*; its moves by the states in which they are made."""
        from stratagem.engine.solve import solve

        if match.over or len(match.roles) != 1 or match.rules.machine.name == "reasoner":
            return
        try:
            found = solve(
                match.rules, match.state, seconds=clock.left(), memory=fair_share(MEMORY), stop=clock.over
            )
        except StratagemError:
            return  # rules that cannot be compiled: the deputy needs no circuit
        low, _ = found.bounds[match.role]
        if not found.line or (low <= 0 and not found.proved):
            return
        self.found, state = found, match.state
        for text in found.line:
            move = match.rules.parse_move(text)
            self.way[state] = move
            state = match.rules.next(state, (move,))
