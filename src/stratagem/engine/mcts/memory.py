"""The numbers that steer MCTS, and what one of its threads works with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from stratagem.engine.mcts.graph import SearchGraph
from stratagem.engine.mcts.learned import LeafEvaluation
from stratagem.engine.mcts.rollouts import RolloutMemory
from stratagem.kernels import Array, Record, dims, int16, int32, size, uint64
from stratagem.kernels.library.game_functions import Expand

if TYPE_CHECKING:
    from stratagem.native.compiled import CompiledGame

LONGEST_WALK: Final = 4096


class Settings(Record):
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


class Scratch(Record):
    """One thread's memory for a walk, and for the children of the leaf at its end."""

    capacity: int = size()
    words: int = size()
    roles: int = size()
    nodes: Array[int] = dims(LONGEST_WALK)
    edges: Array[int] = dims(LONGEST_WALK)
    value: Array[float] = dims("roles")
    """What the walk has found, to be backed up."""
    leaf: Array[uint64] = dims("words")
    children: Array[uint64] = dims("capacity", "words")
    parents: Array[int32] = dims("capacity")
    moves: Array[int32] = dims("capacity", "roles")
    terminal: Array[bool] = dims("capacity")
    goals: Array[int16] = dims("capacity", "roles")
    consumed: Array[int] = dims(1)
    known: Array[bool] = dims("capacity")
    """Whether a child was in the graph before the leaf was opened."""
    waiting: Array[uint64] = dims("capacity", "words")
    """The states of children that are to be played,"""
    places: Array[int] = dims("capacity")
    """and their places among the children."""
    values: Array[float] = dims("capacity", "roles")
    """What the children seem worth."""
    peaks: Array[float] = dims("capacity")
    needed: int = 0
    """The most children for which there was no room."""
    matches: int = 0
    """Matches played since they were counted."""


class SearchThread(Record):
    """All that one thread works with."""

    roles: int = size()
    graph: SearchGraph
    rollouts: RolloutMemory
    learned: LeafEvaluation
    scratch: Scratch
    settings: Settings
    expand: Expand
    tops: Array[int] = dims("roles")
    """The highest goal of each role."""
    root: int = -1


def new_scratch(compiled: CompiledGame, roles: int, capacity: int) -> Scratch:
    """Memory for leaves with so many children."""
    words = compiled.words
    return Scratch(
        nodes=np.zeros(LONGEST_WALK, np.int64),
        edges=np.zeros(LONGEST_WALK, np.int64),
        value=np.zeros(roles),
        leaf=np.zeros(words, np.uint64),
        children=np.zeros((capacity, words), np.uint64),
        parents=np.zeros(capacity, np.int32),
        moves=np.zeros((capacity, roles), np.int32),
        terminal=np.zeros(capacity, np.bool_),
        goals=np.zeros((capacity, roles), np.int16),
        consumed=np.zeros(1, np.int64),
        known=np.zeros(capacity, np.bool_),
        waiting=np.zeros((capacity, words), np.uint64),
        places=np.zeros(capacity, np.int64),
        values=np.zeros((capacity, roles)),
        peaks=np.zeros(capacity),
    )
