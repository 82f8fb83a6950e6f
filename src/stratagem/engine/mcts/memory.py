"""The numbers that steer MCTS, and what one of its threads works with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from stratagem.engine.mcts.graph import SearchGraph
from stratagem.engine.mcts.learned import LeafEvaluation
from stratagem.engine.mcts.rollouts import RolloutMemory
from stratagem.kernels import Array, Record, dims, float32, int16, int32, size, uint64
from stratagem.kernels.library.game_functions import Advance, Evaluate, Expand

if TYPE_CHECKING:
    from stratagem.native.compiled import CompiledGame

LONGEST_WALK: Final = 2048
STEPS_PER_LEAF: Final = 48
"""Steps of walks for which a batch has room, for each of its leaves, beside one of the longest."""
WALKS_PER_LEAF: Final = 2
"""Walks of one batch, for each of its leaves: some end at what is known, or at a leaf that is in the batch already."""


class Settings(Record):
    """Numbers that steer the search; goals are on the scale 0..100."""

    exploration: float
    """The constant of UCB1."""
    leaves: int
    """The most leaves that are collected for one call of the lane kernel."""
    patience: int
    """A batch has one leaf for so many simulations made before: at first batches are small, and leaves get many lanes."""
    chance: int
    """The role that moves at random, or -1."""
    learned_share: float
    """How much of a leaf's value comes from the learned evaluation."""
    table_visits: int
    """A node gets a table of moves (AMAF) after so many visits."""
    table_bias: float
    """How soon a move's own visits outweigh the table; lower is later."""
    decisive: int
    """Whether the children of a new leaf are looked at for a win in one move."""
    together: int
    """After so many visits all children of a node are played; 0: when the node is new."""
    puct: float
    """How much the prior of a move counts, where the children were played."""
    temperature: float
    """How sharply the prior prefers moves whose first guess is better."""
    best_share: float
    """How much of a leaf's value is its best child, and how much the mean of its children."""


class LeafBatch(Record):
    """One thread's memory for the walks of one batch, and for the leaves at their ends.

    Leaves that are reached by an edge for the first time lie from place 0 up, nodes that are played again from the last
    place down.
    """

    capacity: int = size()
    walk_room: int = size()
    steps: int = size()
    words: int = size()
    roles: int = size()
    masks: int = size()
    all_moves: int = size()
    child_room: int = size()
    lanes: int = size()
    nodes: Array[int] = dims("steps")
    edges: Array[int] = dims("steps")
    """The walks, one after another."""
    first: Array[int] = dims("walk_room")
    """Where a walk begins,"""
    depth: Array[int] = dims("walk_room")
    """how many edges it has taken,"""
    place: Array[int] = dims("walk_room")
    """and the place of its leaf."""
    leaf_edge: Array[int] = dims("capacity")
    leaf_node: Array[int] = dims("capacity")
    """The node of a leaf; -1 while it has none."""
    parents: Array[uint64] = dims("capacity", "words")
    joint: Array[int32] = dims("capacity", "roles")
    states: Array[uint64] = dims("capacity", "words")
    legal: Array[uint64] = dims("capacity", "roles", "masks")
    terminal: Array[bool] = dims("capacity")
    goals: Array[int16] = dims("capacity", "roles")
    playing: Array[uint64] = dims("lanes", "words")
    """The states that are played,"""
    lane_legal: Array[uint64] = dims("lanes", "roles", "masks")
    lane_terminal: Array[bool] = dims("lanes")
    lane_goals: Array[int16] = dims("lanes", "roles")
    """what the rules say about them, for the learned evaluation,"""
    wanted: Array[bool] = dims("capacity")
    """Whether the children of a node that is played again are played, and not the node."""
    lane_of: Array[int] = dims("capacity")
    """and for each leaf its place among them, or -1."""
    values: Array[float] = dims("capacity", "roles")
    peaks: Array[float] = dims("capacity")
    value: Array[float] = dims("roles")
    """What is being backed up."""
    made_count: Array[float32] = dims("all_moves")
    made_total: Array[float32] = dims("all_moves")
    """For every move: the share of a leaf's matches in which it was made, and their values for its role."""
    made: Array[int32] = dims("all_moves")
    """The moves of which that is not zero."""
    first_move: Array[int] = dims("roles")
    """The number of each role's first move among all moves."""
    winning: Array[int] = dims("capacity")
    """The place of a leaf's winning move among its edges, or -1,"""
    won: Array[uint64] = dims("capacity", "words")
    """the state after it,"""
    won_goals: Array[int16] = dims("capacity", "roles")
    """and the goals there."""
    first_child: Array[int] = dims("capacity")
    """The place of a leaf's first child among all children,"""
    child_count: Array[int] = dims("capacity")
    """and how many there are; 0 where they are not played."""
    children: Array[uint64] = dims("child_room", "words")
    child_lane: Array[int] = dims("child_room")
    """The place of a child among the states that are played; -1: it is an end."""
    child_parents: Array[int32] = dims("child_room")
    child_moves: Array[int32] = dims("child_room", "roles")
    child_terminal: Array[bool] = dims("child_room")
    child_goals: Array[int16] = dims("child_room", "roles")
    consumed: Array[int] = dims(1)
    walks: int = 0
    leaves: int = 0
    again: int = 0
    """Nodes that are played again."""
    queued: int = 0
    """Children of nodes that are played again."""
    used: int = 0
    """Steps in use."""
    played: int = 0
    """States that were played."""
    kept: int = 0
    """Children that are kept to be played."""
    found: int = 0
    """Moves in `made`."""


class SearchThread(Record):
    """All that one thread works with."""

    roles: int = size()
    graph: SearchGraph
    rollouts: RolloutMemory
    learned: LeafEvaluation
    batch: LeafBatch
    settings: Settings
    expand: Expand
    advance: Advance
    evaluate: Evaluate
    tops: Array[int] = dims("roles")
    """The highest goal of each role."""
    number: int
    """The threads are numbered from 0."""
    root: int = -1


def new_batch(compiled: CompiledGame, roles: int, leaves: int, lanes: int, children: int) -> LeafBatch:
    """Memory for batches of so many leaves on so many lanes, and for so many children of some of them at a time."""
    words, moves = compiled.words, [len(own) for own in compiled.moves]
    walks, steps = WALKS_PER_LEAF * leaves, STEPS_PER_LEAF * leaves + LONGEST_WALK + 1
    return LeafBatch(
        nodes=np.zeros(steps, np.int64),
        edges=np.zeros(steps, np.int64),
        first=np.zeros(walks, np.int64),
        depth=np.zeros(walks, np.int64),
        place=np.zeros(walks, np.int64),
        leaf_edge=np.zeros(leaves, np.int64),
        leaf_node=np.zeros(leaves, np.int64),
        parents=np.zeros((leaves, words), np.uint64),
        joint=np.zeros((leaves, roles), np.int32),
        states=np.zeros((leaves, words), np.uint64),
        legal=np.zeros((leaves, roles, compiled.mask_words), np.uint64),
        terminal=np.zeros(leaves, np.bool_),
        goals=np.zeros((leaves, roles), np.int16),
        playing=np.zeros((lanes, words), np.uint64),
        lane_legal=np.zeros((lanes, roles, compiled.mask_words), np.uint64),
        lane_terminal=np.zeros(lanes, np.bool_),
        lane_goals=np.zeros((lanes, roles), np.int16),
        wanted=np.zeros(leaves, np.bool_),
        lane_of=np.zeros(leaves, np.int64),
        values=np.zeros((leaves, roles)),
        peaks=np.zeros(leaves),
        value=np.zeros(roles),
        made_count=np.zeros(sum(moves), np.float32),
        made_total=np.zeros(sum(moves), np.float32),
        made=np.zeros(sum(moves), np.int32),
        first_move=np.cumsum([0, *moves[:-1]]).astype(np.int64),
        winning=np.full(leaves, -1, np.int64),
        won=np.zeros((leaves, words), np.uint64),
        won_goals=np.zeros((leaves, roles), np.int16),
        first_child=np.zeros(leaves, np.int64),
        child_count=np.zeros(leaves, np.int64),
        children=np.zeros((children, words), np.uint64),
        child_lane=np.zeros(children, np.int64),
        child_parents=np.zeros(children, np.int32),
        child_moves=np.zeros((children, roles), np.int32),
        child_terminal=np.zeros(children, np.bool_),
        child_goals=np.zeros((children, roles), np.int16),
        consumed=np.zeros(1, np.int64),
    )
