"""Alpha-beta as a player: GAME-PLAY's k-ply search, with k as large as the clock allows.

One ply, then two, then three, each round ordering the moves of the next (`MoveOrder`), as long as there is
time; the order is kept for the next move, and learned on while the opponent thinks.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import count

from stratagem.errors import LimitExceeded, UnsuitableGame
from stratagem.game import Role
from stratagem.gdl_game import GdlGame, State
from stratagem.play.choice import Choice, Offer, Thought
from stratagem.play.clock import Deadline
from stratagem.play.interface import Player
from stratagem.play.match_state import Match
from stratagem.plural import plural
from stratagem.result import Result
from stratagem.search.adversarial.fail_soft import fail_soft
from stratagem.search.framework.game_tree import MoveOrder
from stratagem.search.framework.options import Evaluation

NEUTRAL = 50.0
DEEPEST = 200


class TaughtAlphaBetaPlayer(Player):
    """Rounds of alpha-beta, each a ply deeper; for two roles that take turns, with goals that add up."""

    name = "alphabeta"

    def __init__(self, *, seed: int | None = None, depth: int = DEEPEST) -> None:
        """*depth* is the k of k-ply search. Nothing is left to chance: *seed* is taken as every player does."""
        self.depth = depth
        self.order = MoveOrder()

    def start(self, match: Match, clock: Deadline) -> None:
        self.order = MoveOrder()
        self.ponder(match, clock)

    def play(self, match: Match, clock: Deadline, offer: Offer) -> Choice:
        legal = match.legals()
        if len(legal) == 1:
            return Choice(legal[0], Thought(self.name, "the only legal move"), final=True)
        before, nodes = clock.now(), 0
        choice = Choice(legal[0], Thought(self.name, "no time for a single ply"))
        try:
            for depth, found in self._rounds(match, clock):
                nodes += found.counters.nodes
                if found.value is None or (not found.complete and depth > 1):
                    break
                choice = self._choice(match, depth, found, nodes, clock.now() - before)
                offer(choice)
        except UnsuitableGame as refused:
            return Choice(legal[0], Thought(self.name, f"the first legal move: {refused.message}"))
        except LimitExceeded:
            return choice
        return choice

    def ponder(self, match: Match, clock: Deadline) -> None:
        try:
            for _ in self._rounds(match, clock):
                pass
        except (UnsuitableGame, LimitExceeded):
            return  # the order of moves is not learned, and nothing else is lost

    def _rounds(self, match: Match, clock: Deadline) -> Iterator[tuple[int, Result]]:
        """The results of one ply, two plies, ... until time is up or the whole game has been seen."""
        if match.over:
            return
        for depth in count(1):
            found = fail_soft(
                match.rules,
                match.state,
                limit=replace(clock.limit(), depth=depth),
                maximiser=match.role,
                evaluate=evaluation(match.rules, match.role),
                order=self.order,
            )
            yield depth, found
            if not found.complete or clock.over() or depth == self.depth or found.counters.depth < depth:
                return

    def _choice(self, match: Match, depth: int, found: Result, nodes: int, seconds: float) -> Choice:
        spell = match.rules.spell
        solved = found.complete and (found.counters.depth < depth or found.value in (0, 100))
        move = found.best_move if found.best_move in match.legals() else match.legals()[0]
        thought = Thought(
            self.name,
            f"alpha-beta to the end of the game, {plural(found.counters.depth, 'ply', 'plies')} deep"
            if solved
            else f"alpha-beta {plural(depth, 'ply', 'plies')} deep",
            value=found.value,
            depth=depth,
            nodes=nodes,
            line=tuple(spell(match.rules.move(step)) for step in found.principal_variation),
            solved=solved,
            seconds=seconds,
        )
        return Choice(move, thought, final=solved)


def evaluation(rules: GdlGame, role: Role) -> Evaluation:
    """What a state at the horizon is worth to *role*: what the rules say, if they say it before the end, or nothing."""

    def evaluate(state: State) -> float:
        value = rules.goal(state, role)
        return NEUTRAL if value is None else value

    return evaluate
