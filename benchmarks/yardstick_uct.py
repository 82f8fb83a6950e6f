"""The yardstick for strength: plain UCT (Kocsis and Szepesvári, 2006) with one random match per iteration.

It runs on the same compiled machine as the engine and as fast as that machine allows: children by `expand`, the random
match in one native call with a single lane in use. UCB1 with the usual constant, each child once before any twice,
the most visited move is played. No graph, no proofs, no evaluation. For two roles that take turns.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from random import Random
from typing import Any, NamedTuple

import numpy as np
from numba import njit

from stratagem.engine.mcts_lanes import LaneMaker, next_random, play_leaves
from stratagem.machines.gdl_game import GdlGame
from stratagem.native import blocks
from stratagem.native.expand_call import call_expand
from stratagem.play.choice import Choice, Offer, Thought
from stratagem.play.clock import Deadline
from stratagem.play.match import Match
from stratagem.play.player import Player

EXPLORATION = 70.0
NODES, DEPTH = 0, 1


class Plain(NamedTuple):
    """The tree as arrays."""

    states: Any
    visits: Any
    totals: Any
    first: Any
    """The first child; -1 before they are made."""
    count: Any
    mover: Any
    ended: Any
    goals: Any
    counters: Any
    path: Any


@njit(nogil=True, cache=True)
def iterate(tree, lanes, expand_address, moves, parents, consumed, value, peak, times):  # type: ignore[no-untyped-def]
    """*times* iterations of UCT; fewer when the tree is full."""
    roles = tree.totals.shape[1]
    for iteration in range(times):
        node = 0
        depth = 0
        tree.path[0] = 0
        while not tree.ended[node]:
            if tree.first[node] < 0:
                if tree.visits[node] == 0 and depth > 0:
                    break
                first = tree.counters[NODES]
                if first + len(parents) > len(tree.visits):
                    return iteration
                made = call_expand(
                    expand_address,
                    tree.states[node : node + 1],
                    1,
                    tree.states[first:],
                    parents,
                    moves,
                    tree.ended[first:],
                    tree.goals[first:],
                    len(parents),
                    consumed,
                )
                tree.counters[NODES] += made
                tree.first[node] = first
                tree.count[node] = made
                tree.mover[node] = 0
                for role in range(roles):
                    if made > 1 and moves[0, role] != moves[made - 1, role]:
                        tree.mover[node] = role
                for child in range(first, first + made):
                    tree.first[child] = -1
                    tree.visits[child] = 0
                    tree.totals[child, :] = 0.0
            mover = tree.mover[node]
            best = -1
            score = -1.0
            logarithm = np.log(tree.visits[node] + 1.0)
            start = np.int64(next_random(lanes.seeds) % np.uint64(tree.count[node]))
            for step in range(tree.count[node]):
                child = tree.first[node] + (start + step) % tree.count[node]
                if tree.visits[child] == 0:
                    best = child
                    break
                bound = tree.totals[child, mover] / tree.visits[child]
                bound += EXPLORATION * np.sqrt(logarithm / tree.visits[child])
                if bound > score:
                    best, score = child, bound
            node = best
            depth += 1
            tree.path[depth] = node
        if tree.ended[node]:
            for role in range(roles):
                value[0, role] = tree.goals[node, role]
        else:
            play_leaves(lanes, tree.states, node, 1, value, peak)
        for place in range(depth + 1):
            tree.visits[tree.path[place]] += 1
            for role in range(roles):
                tree.totals[tree.path[place], role] += value[0, role]
        tree.counters[DEPTH] = max(tree.counters[DEPTH], depth)
    return times


class PlainUct:
    """Plain UCT for one game; a new tree for every move."""

    def __init__(self, game: GdlGame, *, nodes: int = 2_000_000, seed: int = 0) -> None:
        self.game = game
        self.expander = game.expander
        self.expander.compile()
        words, roles = self.expander.words, len(game.roles)
        self.lanes = LaneMaker(game._playouts, self.expander, self.expander.initial).make(seed)
        # One match: one lane of one word, and no limit that the rules do not have.
        template, width = self.lanes.template, self.lanes.block.shape[1]
        quotas = np.zeros(width, np.uint64)
        quotas[0] = 1
        blocks.fill_block(template, 0, np.zeros(width, np.uint64), quotas, 16383)
        self.tree = Plain(
            np.empty((nodes, words), np.uint64),
            np.zeros(nodes, np.int64),
            np.zeros((nodes, roles)),
            np.full(nodes, -1, np.int64),
            np.zeros(nodes, np.int64),
            np.zeros(nodes, np.int8),
            np.zeros(nodes, np.bool_),
            np.zeros((nodes, roles), np.int16),
            np.zeros(2, np.int64),
            np.zeros(10_000, np.int64),
        )
        self.parents = np.zeros(1024, np.int32)
        self.moves = np.zeros((1024, roles), np.int32)
        self.consumed = np.zeros(1, np.int64)
        self.value = np.zeros((1, roles))
        self.peak = np.zeros(1)

    def search(self, facts: Any, over: Callable[[], bool]) -> tuple[int, int]:
        """The number of the most visited child of the state with these *facts*, and the iterations made."""
        tree = self.tree
        tree.states[0] = self.expander.pack(facts)
        tree.visits[0], tree.totals[0], tree.first[0], tree.ended[0] = 0, 0.0, -1, False
        tree.counters[:] = (1, 0)
        done, chunk = 0, 8
        while True:
            before = time.perf_counter()
            made = int(
                iterate(
                    tree,
                    self.lanes,
                    self.expander.expand_address,
                    self.moves,
                    self.parents,
                    self.consumed,
                    self.value,
                    self.peak,
                    chunk,
                )
            )
            done += made
            if made < chunk or over():
                break
            chunk = max(1, int(chunk * min(2.0, 0.002 / max(1e-6, time.perf_counter() - before))))
        first, count = int(tree.first[0]), int(tree.count[0])
        return int(np.argmax(tree.visits[first : first + count])), done


class Yardstick(Player):
    """Plain UCT behind the interface of players."""

    name = "yardstick"

    def __init__(self, *, seed: int | None = None) -> None:
        self.random = Random(seed)
        self.engine: PlainUct | None = None

    def start(self, match: Match, clock: Deadline) -> None:
        self.engine = PlainUct(match.rules, seed=self.random.getrandbits(32))

    def play(self, match: Match, clock: Deadline, offer: Offer) -> Choice:
        assert self.engine is not None, "a match begins with start"
        legal = match.legals()
        if len(legal) == 1:
            return Choice(legal[0], final=True)
        best, done = self.engine.search(match.state.facts(), clock.over)
        return Choice(legal[best], Thought(self.name, "plain UCT", nodes=done))
