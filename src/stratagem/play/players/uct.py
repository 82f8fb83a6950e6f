"""Plain UCT as a player: the baseline for stronger players, and their fallback on the reasoner.

The tree is kept from move to move and goes on growing while the others think.
"""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from random import Random
from typing import TYPE_CHECKING

from stratagem.play.choice import Choice, Offer, Thought
from stratagem.play.clock import Deadline
from stratagem.play.interface import Player
from stratagem.play.match_state import Match
from stratagem.play.players.uct_tree import UNFINISHED, UctTree
from stratagem.plural import plural

if TYPE_CHECKING:
    from stratagem.gdl_game import GdlGame, State

EXPLORATION = 70.0
"""On the scale of GDL's goals, 0..100: the usual square root of 1/2."""
MOST_NODES = 200_000
KEPT_BACK = 8
"""How many positions back the root may be: turns in which nothing was to be thought about."""
ENOUGH = 4
"""Playouts of a move below which their mean says nothing of what it is worth."""
FIRST_OFFER = 8
"""Playouts; each further offer comes after twice as many."""


class Uct(Player):
    """UCT with one random playout per visit, in plain Python; or with so many *matches*, where the rules are compiled.

    The latter makes the most of a short time on a wide board, where single playouts do not even try every move.
    """

    name = "uct"

    def __init__(self, *, seed: int | None = None, matches: int = 1) -> None:
        self.random = Random(seed)
        self.matches = matches
        self.tree: UctTree | None = None

    def start(self, match: Match, clock: Deadline) -> None:
        self.tree = None
        self.ponder(match, clock)

    def play(self, match: Match, clock: Deadline, offer: Offer) -> Choice:
        legal = match.legals()
        if len(legal) == 1:
            return Choice(legal[0], Thought(self.name, "the only legal move"), final=True)
        tree = self._tree_at(match)
        before, grown, next_offer = clock.now(), 0, FIRST_OFFER
        while not clock.over():
            if not tree.grow(clock.over):
                break
            grown += 1
            if grown == next_offer:
                offer(self._choice(match, tree, grown, clock.now() - before))
                next_offer *= 2
        if tree.root.arms is None or not tree.root.arms[match.seat].ranked():
            return Choice(self.random.choice(legal), Thought(self.name, "no time for a single playout"))
        return self._choice(match, tree, grown, clock.now() - before)

    def ponder(self, match: Match, clock: Deadline) -> None:
        if match.over:
            return
        tree = self._tree_at(match)
        while not clock.over() and tree.size < tree.most:
            tree.grow(clock.over)

    def stop(self, match: Match) -> None:
        self.tree = None

    def _tree_at(self, match: Match) -> UctTree:
        """The tree at the position of *match*: what is left of the old one, where there is something left."""
        tree = self.tree
        if tree is None or tree.game is not match.rules:
            tree = UctTree(
                match.rules,
                match.state,
                self.random,
                exploration=EXPLORATION,
                most=MOST_NODES,
                judge=partial(self._judged, match.rules) if self._batched(match) else None,
            )
        else:
            way = match.node.way(KEPT_BACK)
            steps = [(before.data, after.moves) for before, after in pairwise(way)]
            tree.descend(match.state, steps[::-1])
        self.tree = tree
        return tree

    def _batched(self, match: Match) -> bool:
        return self.matches > 1 and match.rules.compilable

    def _judged(self, rules: GdlGame, state: State) -> tuple[float, ...]:
        """The mean goals of random matches from *state*, all played in one call."""
        seed = self.random.getrandbits(32)
        goals = rules.playouts(state, self.matches, seed=seed, threads=1).goals
        return tuple(UNFINISHED if goal is None else goal for goal in goals)

    def _choice(self, match: Match, tree: UctTree, grown: int, seconds: float) -> Choice:
        arms = tree.root.arms
        assert arms is not None, "a tree that has grown has opened its root"
        arm = arms[match.seat]
        ranked = arm.ranked()
        best, worth, visits = ranked[0]
        spell = match.rules.spell
        line = tree.line()
        each = self.matches if self._batched(match) else 1
        what = "playout" if each == 1 else "visit"
        thought = Thought(
            self.name,
            f"the most visited move in {plural(tree.root.visits, what)}, {grown:,} of them new"
            + (f", each with {each} random matches" if each > 1 else ""),
            value=round(worth, 2) if visits * each >= ENOUGH else None,
            depth=len(line),
            nodes=grown,
            line=tuple(" ".join(map(spell, joint)) for joint in line[:8]),
            values=tuple((spell(arm.moves[index]), round(mean, 2)) for index, mean, _ in ranked),
            seconds=seconds,
        )
        return Choice(arm.moves[best], thought)
