"""The yardstick for strength: plain UCT (Kocsis and Szepesvári, 2006) with one random match per iteration.

It runs on the same compiled machine as the engine and as fast as that machine allows: children by `expand`; the random
match either in one native call with a single lane in use, or ply by ply with `expand`, whichever is faster for the game
(lanes cost the same for one match as for hundreds, so that large games are played out ply by ply). UCB1 with the usual constant, each child once before any twice,
the most visited move is played. No graph, no proofs, no evaluation. For two roles that take turns.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from random import Random
from typing import Any, NamedTuple

import numpy as np
from numba import njit

from stratagem.engine.mcts.rollouts import LaneMaker, next_random, play_leaves
from stratagem.gdl_game import GdlGame
from stratagem.native.calls.expand import call_expand
from stratagem.native.playouts import block as blocks
from stratagem.play.choice import Choice, Offer, Thought
from stratagem.play.clock import Deadline
from stratagem.play.interface import Player
from stratagem.play.match_state import Match

EXPLORATION = 70.0
NODES, DEPTH = 0, 1
LONGEST = 2000
"""Plies of a match that is played ply by ply; longer ones count as even."""
TRIED = 0.05
"""Seconds for which each way of playing a match out is tried."""


class Walker(NamedTuple):
    """Where a match that is played ply by ply stands."""

    here: Any
    children: Any
    ended: Any
    goals: Any


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
def walk(lanes, expand_address, walker, moves, parents, consumed, states, node, value):  # type: ignore[no-untyped-def]
    """One random match from a state of *states*, ply by ply; its goals into *value*."""
    roles = value.shape[1]
    for word in range(states.shape[1]):
        walker.here[0, word] = states[node, word]
    for _ in range(LONGEST):
        made = call_expand(
            expand_address,
            walker.here,
            1,
            walker.children,
            parents,
            moves,
            walker.ended,
            walker.goals,
            len(parents),
            consumed,
        )
        if made <= 0:
            break
        chosen = np.int64(next_random(lanes.seeds) % np.uint64(made))
        if walker.ended[chosen]:
            for role in range(roles):
                value[0, role] = walker.goals[chosen, role]
            return
        for word in range(states.shape[1]):
            walker.here[0, word] = walker.children[chosen, word]
    for role in range(roles):
        value[0, role] = 50.0


@njit(nogil=True, cache=True)
def iterate(tree, lanes, expand_address, walker, moves, parents, consumed, value, peak, by_walking, times):  # type: ignore[no-untyped-def]
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
        elif by_walking:
            walk(lanes, expand_address, walker, moves, parents, consumed, tree.states, node, value)
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
        self.compiled = game.compiled
        self.compiled.compile()
        words, roles = self.compiled.words, len(game.roles)
        self.lanes = LaneMaker(game.compiled.playouts, self.compiled.initial).make(seed)
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
        self.walker = Walker(
            np.zeros((1, words), np.uint64),
            np.zeros((1024, words), np.uint64),
            np.zeros(1024, np.bool_),
            np.zeros((1024, roles), np.int16),
        )
        self.by_walking = False
        self._choose()

    def _choose(self) -> None:
        """Takes the faster way of playing a match out."""
        made = {}
        for self.by_walking in (False, True):
            self._reset(self.compiled.initial)
            self._iterate(1)
            begin, made[self.by_walking] = time.process_time(), 0
            while time.process_time() - begin < TRIED:
                made[self.by_walking] += self._iterate(1)
        self.by_walking = made[True] > made[False]

    def _reset(self, state: Any) -> None:
        tree = self.tree
        tree.states[0] = state
        tree.visits[0], tree.totals[0], tree.first[0], tree.ended[0] = 0, 0.0, -1, False
        tree.counters[:] = (1, 0)

    def _iterate(self, times: int) -> int:
        return int(
            iterate(
                self.tree,
                self.lanes,
                self.compiled.expand_address,
                self.walker,
                self.moves,
                self.parents,
                self.consumed,
                self.value,
                self.peak,
                self.by_walking,
                times,
            )
        )

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

    def stop(self, match: Match) -> None:
        self.engine = None
