"""The puzzle solver: the lecture's incremental expansion, as long as the clock allows, and then its best move.

The graph of states grows from the root (`search/incremental.py`), with state collapse; what has been expanded stays
for the next move. Once a solution is found the rest of the clock is not needed.
"""

from __future__ import annotations

from stratagem.errors import UnsuitableGame
from stratagem.game import Move
from stratagem.gdl_game import State
from stratagem.play.choice import Choice, Offer, Thought
from stratagem.play.clock import Deadline
from stratagem.play.interface import Player
from stratagem.play.match_state import Match
from stratagem.plural import plural
from stratagem.search import incremental as state_space
from stratagem.search.incremental import (
    HIGHEST,
    IncrementalNode,
    ScoreBounds,
    bestmove,
    expand,
    maxscore,
)

MOST_NODES = 1_000_000
CHOOSING = 20e-6
"""Seconds for each node known, to back up its score: kept back from the clock."""


class PuzzleSolver(Player):
    """For one role with a choice: breadth-first, the way to the best end known, nearest end first."""

    name = "puzzle"

    def __init__(self, *, seed: int | None = None) -> None:
        """Nothing is left to chance: *seed* is taken as every player does."""
        self.space: state_space.IncrementalMatch[State] | None = None
        self.solved = False

    def start(self, match: Match, clock: Deadline) -> None:
        self.space = state_space.IncrementalMatch(
            match.rules, match.role, startclock=match.startclock, playclock=match.playclock
        )
        self.solved = False
        self.ponder(match, clock)

    def play(self, match: Match, clock: Deadline, offer: Offer) -> Choice:
        before = clock.now()
        legal = match.legals()
        try:
            expanded = self._search(match, clock)
            node = self._node(match)
            if node.alist is None:
                self._expand(node)
            move, bounds = bestmove(node), maxscore(node)
        except UnsuitableGame as refused:
            return Choice(legal[0], Thought(self.name, f"the first legal move: {refused.message}"))
        exact = bounds.low == bounds.high
        thought = Thought(
            self.name,
            self._why(bounds),
            value=bounds.low if exact or bounds.low > 0 else None,
            depth=0 if bounds.distance == float("inf") else int(bounds.distance),
            nodes=expanded,
            line=self._line(match, node),
            solved=exact,
            seconds=clock.now() - before,
        )
        return Choice(next((each for each in legal if each == move), legal[0]), thought, final=exact)

    def ponder(self, match: Match, clock: Deadline) -> None:
        try:
            self._search(match, clock)
        except UnsuitableGame:
            return  # said when a move is due

    def stop(self, match: Match) -> None:
        self.space = None

    def _space(self, match: Match) -> state_space.IncrementalMatch[State]:
        if self.space is None or self.space.theory is not match.rules:
            self.space = state_space.IncrementalMatch(match.rules, match.role)
            self.solved = False
        return self.space

    def _node(self, match: Match) -> IncrementalNode[State]:
        """The node of the position of *match*, known already unless the search never came there: the new root."""
        space = self._space(match)
        assert space.hasher is not None
        node = space.hasher.get(match.state)
        if node is None:
            node = state_space.create_node(space, match.state, None)
            space.fringe.appendleft(node)
            self.solved = False
        if node is not space.root:
            space.root, space.scores = node, None
        return node

    def _search(self, match: Match, clock: Deadline) -> int:
        """Expands nodes until a solution is known, all is known, or time is up; returns how many."""
        space = self._space(match)
        self._node(match)
        expanded = 0
        while not self.solved and space.fringe and space.size < MOST_NODES:
            if clock.left() <= space.size * CHOOSING:
                break
            node = space.fringe.popleft()
            if node.score is None and node.alist is None:
                self._expand(node)
                expanded += 1
        return expanded

    def _expand(self, node: IncrementalNode[State]) -> None:
        new = expand(node)
        node.match.fringe.extend(new)
        self.solved = self.solved or any((child.score or 0) >= HIGHEST for child in new)

    def _why(self, bounds: ScoreBounds) -> str:
        if bounds.low == bounds.high == HIGHEST:
            return f"a solution is known, {plural(int(bounds.distance), 'move')} long"
        if bounds.low == bounds.high:
            return f"no reachable terminal state is worth more than {bounds.low:g}"
        return "the most promising move so far; no solution is known yet"

    def _line(self, match: Match, node: IncrementalNode[State]) -> tuple[str, ...]:
        moves: list[str] = []
        while node.alist and maxscore(node).low > 0 and len(moves) < 200:
            move: Move = bestmove(node)
            moves.append(match.rules.spell(match.rules.move(move)))
            node = dict(node.alist)[move]
        return tuple(moves)
