"""The numbers that steer MCTS, and the memory that one of its threads has beside its lanes."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

LONGEST_WALK: Final = 4096


class Settings(NamedTuple):
    """Numbers that steer the search; goals are on the scale 0..100."""

    exploration: float
    temperature: float
    """How sharply the prior prefers moves whose first guess is better."""
    best_share: float
    """How much of a new leaf's value is its best child, and how much the mean of its children."""
    together: int
    """So many children are played when a node is opened; of more, only the node itself. The root takes more of them."""
    chance: int
    """The role that moves at random, or -1."""
    learned_share: float
    """How much of a first guess comes from the learned evaluation."""


class Scratch(NamedTuple):
    """One thread's memory beside its lanes."""

    state: Any
    children: Any
    parents: Any
    moves: Any
    terminal: Any
    goals: Any
    consumed: Any
    numbers: Any
    waiting: Any
    """The states of children that are to be played."""
    places: Any
    values: Any
    """[capacity, roles]: what the children seem worth."""
    peaks: Any
    found: Any
    """[words, roles]: results of one call."""
    found_peaks: Any
    nodes: Any
    edges: Any
    value: Any
    needed: Any
    """[2]: the children for which there was no room; the matches played since they were counted."""
    weights: Any
    """[roles, 64 * words + 1]: the learned evaluation, the constant last; without rows there is none."""
    needed_lines: Any
    """[lines, words]: the open ways to a goal (`features.Curves`)."""
    barred_lines: Any
    kinds: Any
    worth: Any
    """[roles, kinds, most]: what an open line with so many held is worth."""
    move_worth: Any
    """[roles, roles]: what a move of each role is worth to each; without rows moves do not count."""
    legal: Any
    """[words, roles, mask words]: the legal moves of the states of one call."""
    seen_terminal: Any
    seen_goals: Any
    evaluate: int
