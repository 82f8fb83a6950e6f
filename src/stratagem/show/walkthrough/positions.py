"""Drawings of the positions in a walkthrough: one for each node that a step is about.

A trace has no states, so the moves are replayed. Nodes come in the order of the steps, up to a limit, because a page
carries all drawings.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from stratagem.game import Game
from stratagem.machines.trees.tree import Tree
from stratagem.search.framework.game_tree import GameTree, GameTreeNode
from stratagem.search.framework.puzzle import Puzzle
from stratagem.search.framework.zero_sum import ZeroSumGame
from stratagem.show.walkthrough.model import Walkthrough

MOST_POSITIONS = 800
MOST_LETTERS = 2_000


def positions_of(
    game: Game[Any],
    walkthrough: Walkthrough,
    *,
    start: Any = None,
    depth: int | None = None,
    maximiser: str | None = None,
) -> dict[int, str]:
    """Drawings of the positions that *walkthrough* is about, by the number of the node; none for explicit trees.

    >>> from stratagem.loading import load
    >>> from stratagem.explanation import explain
    >>> from stratagem.limit import Limit
    >>> print(explain(load("tictactoe"), limit=Limit(depth=1)).walkthrough.positions[1].splitlines()[2])
    1 │ x │   │   │
    """
    if isinstance(game, Tree):
        return {}
    state_of = (
        _in_tree(
            GameTree(ZeroSumGame(game, maximiser=maximiser, chance=True), start, horizon=depth), walkthrough
        )
        if walkthrough.shape == "tree"
        else _in_graph(Puzzle(game), walkthrough, start)
    )
    found: dict[int, str] = {}
    for step in walkthrough.steps:
        if len(found) == MOST_POSITIONS:
            break
        if step.focus is not None and step.focus not in found:
            state = state_of(step.focus)
            text = "" if state is None else _drawn(state)
            if 0 < len(text) <= MOST_LETTERS:
                found[step.focus] = text
    return found


def _drawn(state: Any) -> str:
    return str(state)


def _in_tree(tree: GameTree, walkthrough: Walkthrough) -> Callable[[int], Any]:
    branches: dict[int, GameTreeNode] = {}

    def state_of(number: int) -> Any:
        for node in walkthrough.path(number):
            if node not in branches:
                parent, name = walkthrough.nodes[node].parent, walkthrough.nodes[node].name
                if parent is None or not isinstance(name, tuple):
                    branches[node] = tree.root
                else:
                    branches[node] = tree.child(branches[parent], name[-1])
        return branches[number].state

    return state_of


def _in_graph(puzzle: Puzzle[Any], walkthrough: Walkthrough, start: Any) -> Callable[[int], Any]:
    states: dict[int, Any] = {0: puzzle.initial() if start is None else start}

    def state_of(number: int) -> Any:
        """The state of that *number*; None for one that was found from the goal."""
        path = walkthrough.path(number)
        if path[0] != 0:
            return None
        for node in path[1:]:
            if node not in states:
                before = states[walkthrough.nodes[node].parent or 0]
                moves = {str(move): move for move in puzzle.moves(before)}
                states[node] = puzzle.step(before, moves[walkthrough.nodes[node].move])
        return states[number]

    return state_of
