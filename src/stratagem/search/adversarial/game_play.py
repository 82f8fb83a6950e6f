"""GAME-PLAY: while the game is not over, call k-ply search, make the move, get MIN's move.

The number of cutoffs depends on the order of moves, the values do not. So the time in which MIN thinks is used to order
moves: after MAX's move each reply of MIN is searched one ply less deep than the next call will go, and that call then
visits the moves in the order of the values found. It finds the same value with less work.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any

from stratagem.errors import IllegalMove, UsageError
from stratagem.game import Game, Move, Role
from stratagem.limit import Limit
from stratagem.result import Result
from stratagem.search.adversarial.fail_soft import fail_soft
from stratagem.search.framework.game_tree import MoveOrder
from stratagem.search.framework.options import Evaluation
from stratagem.search.framework.zero_sum import MAX, ZeroSumGame, ZeroSumPosition

Opponent = Callable[[Any], Move]
"""MIN: a move for each state in which MIN decides."""


@dataclass(frozen=True, slots=True)
class PlayedTurn:
    """One move of the game: made by *player* ("max" or "min") in *state*, after *search* if MAX made it."""

    player: str
    state: Any
    move: Move
    search: Result | None = None
    waiting: int = 0
    """Nodes visited to order moves while MIN was thinking about this move."""


@dataclass(frozen=True, slots=True)
class PlayedGame:
    """A game that was played: its *turns*, the state it ended in and what that is worth to MAX (None: unfinished)."""

    turns: tuple[PlayedTurn, ...]
    final: Any
    value: float | None

    @property
    def nodes(self) -> int:
        """The nodes that MAX visited on its own time."""
        return sum(turn.search.counters.nodes for turn in self.turns if turn.search is not None)


def game_play(
    game: Game[Any],
    opponent: Opponent,
    *,
    depth: int,
    evaluate: Evaluation | None = None,
    maximiser: Role | None = None,
    start: Hashable = None,
    reorder: bool = True,
    plies: int = 1000,
) -> PlayedGame:
    """Plays *game* for MAX by search of *depth* plies, against *opponent*, for *plies* at most.

    >>> from stratagem.machines.trees.tree import Tree
    >>> played = game_play(Tree.of([[3, 12, 8], [2, 4, 6], [14, 5, 2]]), lambda state: 1, depth=2)
    >>> [turn.move for turn in played.turns], played.value
    ([0, 1], 12)
    """
    if depth < 1:
        raise UsageError(f"k-ply search needs at least one ply, not {depth}")
    rules = ZeroSumGame(game, maximiser=maximiser)
    order = MoveOrder() if reorder else None
    position = rules.position(game.initial() if start is None else start)
    turns: list[PlayedTurn] = []

    def k_ply_search(position: ZeroSumPosition, plies: int) -> Result:
        return fail_soft(
            game,
            position.state,
            limit=Limit(depth=plies),
            maximiser=maximiser,
            evaluate=evaluate,
            order=order,
        )

    def reorder_while_waiting(position: ZeroSumPosition) -> int:
        """Searches every reply of MIN in *position*; the number of nodes visited, on MIN's time."""
        replies = [rules.successor(position, index) for index in range(len(position.moves))]
        return sum(k_ply_search(reply, depth - 1).counters.nodes for reply in replies)

    while len(turns) < plies and not position.terminal:
        if position.player == MAX:
            found = k_ply_search(position, depth)
            turn = PlayedTurn(MAX, position.state, found.best_move, found)
        else:
            waiting = 0 if order is None else reorder_while_waiting(position)
            turn = PlayedTurn(position.player, position.state, opponent(position.state), waiting=waiting)
            if turn.move not in position.moves:
                raise IllegalMove(
                    f"the opponent's move {turn.move} is not legal in this state",
                    hint=f"legal are: {', '.join(map(str, position.moves))}",
                )
        turns.append(turn)
        position = rules.successor(position, position.moves.index(turn.move))
    return PlayedGame(tuple(turns), position.state, rules.goal(position) if position.terminal else None)
