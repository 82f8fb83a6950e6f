"""The memory of alpha-beta: what one thread has, what all threads share, and the names of the places in both."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

STOPPED: Final = 1 << 20
DEEPEST: Final = 250
FORCED: Final = 60
"""From this ply on forced moves cost depth too: some games can be forced for ever."""
NODES, LOOKED, CHILDREN, HITS, OVERFLOW, REACHED, HORIZON, LEAVES = range(8)
"""Places in `counters`. NODES are states that were expanded or found in the table, LOOKED those that were looked at."""
ROW, TOP, MADE, NEXT, SIGN, LOW, HIGH, FLOOR, VALUE, BEST, DEPTH, DEEPER, HORIZONS, FULL, ALPHA, BETA = range(
    16
)
"""Places in a frame: LOW and HIGH are the window as the mover sees it, FLOOR what LOW was at first."""
ENTER, ADVANCE, RETURN = range(3)


class ThreadMemory(NamedTuple):
    """One thread's memory; children lie in an arena, one stretch for every ply."""

    arena: Any
    parents: Any
    moves: Any
    terminal: Any
    goals: Any
    hashes: Any
    scores: Any
    """[rows]: the value of a child for the role that moves: an end's, or the evaluation."""
    keys: Any
    order: Any
    consumed: Any
    frames: Any
    line: Any
    """[plies]: the hashes of the states on the line."""
    history: Any
    """[2, moves]: how often a role's move was good."""
    killers: Any
    """[plies]: a move that cut."""
    noise: Any
    """[1]: what shuffles moves of nearly the same promise, so that threads go different ways; 0 for the first."""
    counters: Any
    legal: Any
    """[rows, 2, mask words]: the legal moves of children, where they count."""
    leaves: Any
    """[most, words]: the states at the horizon and the ends, in the order in which they were looked at."""


class SharedMemory(NamedTuple):
    """What all threads share."""

    rows: Any
    """The table."""
    weights: Any
    """[1 + 8 * words, 256]: the evaluation of the first role's chances at the root, in log odds, for every byte of a state;
    the constant stands in the first row. Without rows there is no evaluation: what is not decided is even."""
    worth: Any
    """[kinds, most]: what an open line with so many held is worth."""
    moves: Any
    """[2]: what a move of each role is worth; empty where moves do not count."""
    weights_by_phase: Any
    """The last three at the beginning and at the end of a match (`evaluator.settle`)."""
    worth_by_phase: Any
    moves_by_phase: Any
    progress: Any
    """[1 + 8 * words, 256]: how far the match has come, from 0 to 1."""
    needed: Any
    """[lines, words]: the open ways to a goal (`evaluation.features.Curves`)."""
    barred: Any
    kinds: Any
    stop: Any
    expand: int
    evaluate: int
    natural: bool
    """Whether children are searched in the order of the rules, and the table is asked about themselves only."""
    generation: int
