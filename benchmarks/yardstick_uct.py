"""The yardstick for strength: plain UCT (Kocsis and Szepesvári, 2006) with one random match per iteration.

It runs on the same compiled machine as the engine and as fast as that machine allows: children by `expand`; the random
match either in one native call with a single lane in use, or ply by ply with `expand`, whichever is faster for the game
(lanes cost the same for one match as for hundreds, so that large games are played out ply by ply). UCB1 with the usual constant, each child once before any twice,
the most visited move is played. No graph, no proofs, no evaluation. For any number of roles that take turns; where several
have a choice at once, the player `uct` (decoupled UCT with single playouts, in plain Python) stands in.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from random import Random
from typing import Any

import numpy as np

from stratagem.engine.mcts.rollouts import LaneMaker, RolloutMemory, play_leaves
from stratagem.gdl_game import GdlGame
from stratagem.kernels import (
    Array,
    Record,
    dims,
    inlined,
    int8,
    int16,
    int32,
    kernel,
    log,
    size,
    sqrt,
    uint64,
)
from stratagem.kernels.library.game_functions import Expand
from stratagem.kernels.library.hashing import copy_state
from stratagem.kernels.library.random_numbers import next_random
from stratagem.kernels.translate.family import KernelFamily
from stratagem.native.jit.kernel_families import compiled_family
from stratagem.play.choice import Choice, Offer, Thought
from stratagem.play.clock import Deadline
from stratagem.play.interface import Player
from stratagem.play.match_state import Match
from stratagem.play.players.uct import Uct

EXPLORATION = 70.0
LONGEST = 2000
"""Plies of a match that is played ply by ply; longer ones count as even."""
TRIED = 0.05
"""Seconds for which each way of playing a match out is tried."""


class PlainTree(Record):
    """The tree, and what a match that is played ply by ply works with."""

    nodes: int = size()
    words: int = size()
    roles: int = size()
    capacity: int = size()
    plies: int = size()
    states: Array[uint64] = dims("nodes", "words")
    visits: Array[int] = dims("nodes")
    totals: Array[float] = dims("nodes", "roles")
    first: Array[int] = dims("nodes")
    """The first child; -1 before they are made."""
    count: Array[int] = dims("nodes")
    mover: Array[int8] = dims("nodes")
    ended: Array[bool] = dims("nodes")
    goals: Array[int16] = dims("nodes", "roles")
    used: int = 0
    deepest: int = 0
    path: Array[int] = dims("plies")
    value: Array[float] = dims("roles")
    rollouts: RolloutMemory
    expand: Expand
    parents: Array[int32] = dims("capacity")
    moves: Array[int32] = dims("capacity", "roles")
    consumed: Array[int] = dims(1)
    here: Array[uint64] = dims("words")
    next_states: Array[uint64] = dims("capacity", "words")
    next_ended: Array[bool] = dims("capacity")
    next_goals: Array[int16] = dims("capacity", "roles")
    by_walking: bool = False


@inlined
def any_of(tree: PlainTree, count: int) -> int:
    return int(next_random(tree.rollouts.seeds) % uint64(count))


@kernel
def walk(tree: PlainTree, node: int) -> None:
    """One random match from the state of a node, ply by ply; its goals into `value`."""
    copy_state(tree.states.row(node), tree.here, tree.words)
    for _ply in range(LONGEST):
        made = tree.expand(
            tree.here,
            1,
            tree.next_states.at(0),
            tree.parents,
            tree.moves.at(0),
            tree.next_ended,
            tree.next_goals.at(0),
            tree.capacity,
            tree.consumed,
        )
        if made <= 0:
            break
        chosen = any_of(tree, made)
        if tree.next_ended[chosen]:
            for role in range(tree.roles):
                tree.value[role] = float(tree.next_goals[chosen, role])
            return
        copy_state(tree.next_states.row(chosen), tree.here, tree.words)
    for role in range(tree.roles):
        tree.value[role] = 50.0


@kernel
def expand_node(tree: PlainTree, node: int) -> None:
    """Gives a node its children; there must be room for them."""
    first = tree.used
    made = tree.expand(
        tree.states.row(node),
        1,
        tree.states.at(first, 0),
        tree.parents,
        tree.moves.at(0),
        tree.ended.at(first),
        tree.goals.at(first, 0),
        tree.capacity,
        tree.consumed,
    )
    tree.used += made
    tree.first[node], tree.count[node], tree.mover[node] = first, made, 0
    for role in range(tree.roles):
        if made > 1 and tree.moves[0, role] != tree.moves[made - 1, role]:
            tree.mover[node] = role
    for child in range(first, first + made):
        tree.first[child], tree.visits[child] = -1, 0
        for role in range(tree.roles):
            tree.totals[child, role] = 0.0


@kernel
def select(tree: PlainTree, node: int) -> int:
    """The child with the highest upper confidence bound; one that was never visited comes before all others."""
    mover, count = tree.mover[node], tree.count[node]
    best, score = -1, -1.0
    logarithm = log(tree.visits[node] + 1.0)
    start = any_of(tree, count)
    for step in range(count):
        child = tree.first[node] + (start + step) % count
        if tree.visits[child] == 0:
            return child
        bound = tree.totals[child, mover] / tree.visits[child]
        bound += EXPLORATION * sqrt(logarithm / tree.visits[child])
        if bound > score:
            best, score = child, bound
    return best


@inlined
def evaluate(tree: PlainTree, node: int) -> None:
    """The goals of an end, or of a random match; into `value`."""
    if tree.ended[node]:
        for role in range(tree.roles):
            tree.value[role] = float(tree.goals[node, role])
    elif tree.by_walking:
        walk(tree, node)
    else:
        play_leaves(tree.rollouts, tree.states.row(node), 1)
        for role in range(tree.roles):
            tree.value[role] = tree.rollouts.values[0, role]


@kernel
def iterate(tree: PlainTree, times: int) -> int:
    """*times* iterations of UCT; fewer when the tree is full."""
    for iteration in range(times):
        node, depth = 0, 0
        tree.path[0] = 0
        while not tree.ended[node]:
            if tree.first[node] < 0:
                if tree.visits[node] == 0 and depth > 0:
                    break
                if tree.used + tree.capacity > tree.nodes:
                    return iteration
                expand_node(tree, node)
            node = select(tree, node)
            depth += 1
            tree.path[depth] = node
        evaluate(tree, node)
        for place in range(depth + 1):
            tree.visits[tree.path[place]] += 1
            for role in range(tree.roles):
                tree.totals[tree.path[place], role] += tree.value[role]
        tree.deepest = max(tree.deepest, depth)
    return times


KERNELS = KernelFamily("plain uct", (iterate,))


class PlainUct:
    """Plain UCT for one game; a new tree for every move."""

    def __init__(self, game: GdlGame, *, nodes: int = 2_000_000, seed: int = 0) -> None:
        self.game = game
        self.compiled = game.compiled
        self.compiled.compile()
        words, roles = self.compiled.words, len(game.roles)
        rollouts = LaneMaker(game.compiled.playouts.kernels, self.compiled.initial).make(seed)
        # One match: a single lane, and no limit that the rules do not have.
        rollouts.most_lanes, rollouts.limit = 1, 16383
        self.tree = PlainTree(
            states=np.empty((nodes, words), np.uint64),
            visits=np.zeros(nodes, np.int64),
            totals=np.zeros((nodes, roles)),
            first=np.full(nodes, -1, np.int64),
            count=np.zeros(nodes, np.int64),
            mover=np.zeros(nodes, np.int8),
            ended=np.zeros(nodes, np.bool_),
            goals=np.zeros((nodes, roles), np.int16),
            path=np.zeros(10_000, np.int64),
            value=np.zeros(roles),
            rollouts=rollouts,
            expand=self.compiled.expand_address,
            parents=np.zeros(1024, np.int32),
            moves=np.zeros((1024, roles), np.int32),
            consumed=np.zeros(1, np.int64),
            here=np.zeros(words, np.uint64),
            next_states=np.zeros((1024, words), np.uint64),
            next_ended=np.zeros(1024, np.bool_),
            next_goals=np.zeros((1024, roles), np.int16),
        )
        self._iterate = partial(compiled_family(KERNELS)[iterate], self.tree)
        self._choose()

    def _choose(self) -> None:
        """Takes the faster way of playing a match out."""
        made = {}
        for by_walking in (False, True):
            self.tree.by_walking = by_walking
            self._reset(self.compiled.initial)
            self._iterate(1)
            begin, made[by_walking] = time.process_time(), 0
            while time.process_time() - begin < TRIED:
                made[by_walking] += self._iterate(1)
        self.tree.by_walking = made[True] > made[False]

    def _reset(self, state: Any) -> None:
        tree = self.tree
        tree.states.numpy[0] = state
        tree.totals.numpy[0] = 0.0
        tree.visits[0], tree.first[0], tree.ended[0] = 0, -1, False
        tree.used, tree.deepest = 1, 0

    def search(self, facts: Any, over: Callable[[], bool]) -> tuple[int, int]:
        """The number of the most visited child of the state with these *facts*, and the iterations made."""
        tree = self.tree
        self._reset(self.compiled.pack(facts))
        done, chunk = 0, 2
        while True:
            before = time.perf_counter()
            made = self._iterate(chunk)
            done += made
            if made < chunk or over():
                break
            chunk = max(1, int(chunk * min(2.0, 0.002 / max(1e-6, time.perf_counter() - before))))
        first, count = tree.first[0], tree.count[0]
        return int(np.argmax(tree.visits.numpy[first : first + count])), done


class Yardstick(Player):
    """Plain UCT behind the interface of players."""

    name = "yardstick"

    def __init__(self, *, seed: int | None = None) -> None:
        self.random = Random(seed)
        self.engine: PlainUct | None = None
        self.decoupled = Uct(seed=seed)

    def start(self, match: Match, clock: Deadline) -> None:
        self.engine = PlainUct(match.rules, seed=self.random.getrandbits(32))

    def play(self, match: Match, clock: Deadline, offer: Offer) -> Choice:
        assert self.engine is not None, "a match begins with start"
        legal = match.legals()
        if len(legal) == 1:
            return Choice(legal[0], final=True)
        if len(match.state.choosing) > 1:
            return self.decoupled.play(match, clock, offer)
        best, done = self.engine.search(match.state.facts(), clock.over)
        return Choice(legal[best], Thought(self.name, "plain UCT", nodes=done))

    def stop(self, match: Match) -> None:
        self.engine = None
        self.decoupled.stop(match)
