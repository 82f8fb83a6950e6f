"""The solver as a player for puzzles: it looks for a solution in the start clock and then plays it.

Points are given for the end, not for its distance, so the engine is asked for any solution (`solve` by the method "any").
While nothing is found, and where the rules could not be compiled, the taught incremental expansion chooses the moves; a
solution that was found is kept, and looked for again if the match leaves it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from stratagem.errors import StratagemError
from stratagem.limit import Limit
from stratagem.play.choice import Choice, Offer, Thought
from stratagem.play.clock import Deadline
from stratagem.play.interface import Player
from stratagem.play.match_state import Match
from stratagem.play.players.puzzle import PuzzleSolver
from stratagem.play.process.memory_share import fair_share

if TYPE_CHECKING:
    from stratagem.gdl.terms import Term
    from stratagem.gdl_game import State
    from stratagem.result import Result

MEMORY = 1 << 30
SHARE = 0.8
"""Of the time of a move; the rest is for a move where nothing was found."""


class Solver(Player):
    """For one role with a choice."""

    name = "solver"

    def __init__(self, *, seed: int | None = None) -> None:
        """Nothing is left to chance: *seed* is taken as every player does."""
        self.fallback = PuzzleSolver(seed=seed)
        self.solution: dict[State, Term] = {}
        self.result: Result | None = None

    def start(self, match: Match, clock: Deadline) -> None:
        self.solution, self.result = {}, None
        self._search(match, clock)

    def play(self, match: Match, clock: Deadline, offer: Offer) -> Choice:
        legal = match.legals()
        if len(legal) == 1:
            return Choice(legal[0], Thought(self.name, "the only legal move"), final=True)
        if match.state not in self.solution:
            self._search(match, clock.sooner(SHARE))
        move, result = self.solution.get(match.state), self.result
        if move is None or move not in legal or result is None:
            return self.fallback.play(match, clock, offer)
        value, shortest = result.interval.low, result.proved and result.distance is not None
        thought = Thought(
            self.name,
            f"a solution worth {value:g} by {result.method}" + (", the shortest" if shortest else ""),
            value=value,
            depth=len(result.line),
            nodes=result.counters.nodes,
            line=tuple(match.rules.spell(match.rules.move(move)) for (move,) in result.line[:12]),
            solved=result.proved,
        )
        return Choice(move, thought, final=result.proved)

    def stop(self, match: Match) -> None:
        self.solution, self.result = {}, None
        self.fallback.stop(match)

    def _search(self, match: Match, clock: Deadline) -> None:
        """Looks for a solution from the position of *match*; its moves by the states in which they are made."""
        if match.over or len(match.roles) != 1 or not match.rules.compilable:
            return
        from stratagem.engine.solve import solve

        limit = Limit(clock.left(), memory=fair_share(MEMORY), stop=clock.over, clock=clock.now)
        try:
            result = solve(match.rules, match.state, method="any", limit=limit)
        except StratagemError:
            return  # rules that cannot be compiled: the fallback player needs no circuit
        if not result.line or (result.interval.low <= 0 and not result.proved):
            return
        self.result, state = result, match.state
        for (plain,) in result.line:
            move = match.rules.move(plain)
            self.solution[state] = move
            state = match.rules.next(state, (move,))
