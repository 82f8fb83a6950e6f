"""What a walk and a random match cost, and the settings that follow from it.

The prices are estimates from the rules alone, never measured while searching: with one thread, results depend on the seed and
the number of simulations alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from math import prod
from random import Random
from typing import TYPE_CHECKING, Final

from stratagem.engine.mcts.memory import Settings

if TYPE_CHECKING:
    from stratagem.engine.evaluation.model import Evaluation
    from stratagem.engine.mcts.rollouts import LaneMaker
    from stratagem.gdl.terms import Term
    from stratagem.gdl_game import GdlGame

FUSED_GATE: Final = 0.3
WALKED_GATE: Final = 1.2
"""Nanoseconds for a gate and a row of all lanes, in a fused and in a walked kernel.

In step with the tokens a walked one takes 0.2 to 0.5 on a quiet machine, and a walk a half to a third of the price below, too:
the settings that did best rest on their ratio.
"""
LOOP_ROUNDS: Final = 10
"""How often the gates of a loop count. Fused kernels spend three times as little on them, but the batches of 32 leaves that
follow in hex 9x9 won more matches than those of 8 and of 64 (decision 39)."""
CHILD: Final = 20.0
"""Nanoseconds for a child of an expansion, apart from its gates."""
FRAME_LANES: Final = 512
"""Children that are made at a time."""
WALK: Final = 1000.0
WALK_PER_MOVE: Final = 150.0
"""Nanoseconds for a walk, and more for every move of a position."""
CHILD_LANES: Final = 32
"""So many matches of a child say enough to prefer it to its siblings."""
LEAST_CHILD_LANES: Final = 16
LEAF_LANES: Final = 4
"""Matches of a leaf that is played alone, at least."""
LEAST_LEAVES: Final = 8
CHEAP_CALL: Final = 4e6
"""Nanoseconds: where a call of the lane kernel costs more, leaves are played alone, so that the graph grows."""
CHEAP_LEAF: Final = 1e5
"""Nanoseconds: the same where a call has room for the children of one leaf alone."""
WIDE: Final = 32
"""Positions with more moves have most of them untried for long."""
SAMPLED: Final = 60
"""Positions of a random match whose moves are counted."""
NEVER: Final = 1 << 30
LEARNED_SHARE: Final = 0.5
"""Of a leaf's value, where there is a learned evaluation."""


@dataclass(frozen=True, slots=True)
class Prices:
    """Of one game: nanoseconds for a call of the lane kernel and for a child, and how many joint moves a position has."""

    branching: int
    call: float
    lanes: int
    child: float = CHILD

    @staticmethod
    def of(game: GdlGame, maker: LaneMaker) -> Prices:
        circuit, kernel = maker.circuit, maker.kernel
        gate = FUSED_GATE if kernel.fused else WALKED_GATE
        again = sum(last - first for first, last in circuit.loops)
        gates = circuit.gate_count + LOOP_ROUNDS * again
        child = CHILD + gate * gates / FRAME_LANES
        return Prices(branching(game), gate * gates * maker.limit, kernel.lanes, child)

    @property
    def walk(self) -> float:
        return WALK + WALK_PER_MOVE * self.branching

    @property
    def match(self) -> float:
        return self.call / self.lanes

    @property
    def children_at_once(self) -> bool:
        """Whether all children of a new leaf are played: they fit one call with lanes enough for each, and it is cheap."""
        fit = self.call <= CHEAP_CALL and self.branching * LEAST_CHILD_LANES <= self.lanes
        return fit and not self.leaf_is_dear

    @property
    def leaf_is_dear(self) -> bool:
        """Whether a call has room for the children of one leaf alone, and costs so much that the graph would hardly grow."""
        one = (
            self.lanes // 2 < CHILD_LANES * self.branching
            and self.branching * LEAST_CHILD_LANES <= self.lanes
        )
        return one and CHEAP_LEAF < self.call <= CHEAP_CALL

    @property
    def leaves(self) -> int:
        """Leaves of a batch: as many as have lanes enough, and as walking them costs about two calls."""
        if self.leaf_is_dear:
            most = self.lanes // CHILD_LANES
        elif self.children_at_once:
            most = self.lanes // (CHILD_LANES * self.branching)
        else:
            most = min(self.lanes // LEAF_LANES, max(LEAST_LEAVES, int(2 * self.call / self.walk)))
        return 1 << max(0, most.bit_length() - 1)

    @property
    def looks_for_wins(self) -> bool:
        """Whether the children of a new leaf are looked at for a win in one move: they cost less than half its matches."""
        return 2 * self.branching * self.child <= self.call / self.leaves

    @property
    def visits_before_children(self) -> int:
        """Visits after which a node's children are played: when all of them together have cost as much."""
        if self.children_at_once:
            return 0
        if self.leaf_is_dear or self.branching * LEAST_CHILD_LANES > self.lanes // 2:
            return NEVER
        children = self.branching * LEAST_CHILD_LANES * self.match
        return int(children / (self.walk + self.match * self.lanes / self.leaves))


def random_match(game: GdlGame) -> Iterator[tuple[list[list[Term]], list[Term]]]:
    """A random match from the start, the same for the same rules: of each position the legal moves, and those made."""
    source, state = Random(0), game.initial()
    while not state.terminal:
        legal = [list(state.legals(role)) for role in game.roles]
        if not all(legal):
            return
        made = [source.choice(own) for own in legal]
        yield legal, made
        state = state.next(made)


def branching(game: GdlGame) -> int:
    """The joint moves of a position: those of the start, or the mean along a random match, whichever is more."""
    counts = [prod(map(len, legal)) for legal, _ in islice(random_match(game), SAMPLED)]
    return max(1, counts[0], round(sum(counts) / len(counts))) if counts else 1


def moves_return(game: GdlGame) -> bool:
    """Whether a role that had a choice could make a move a second time in a random match."""
    before: set[tuple[int, Term]] = set()
    for legal, made in islice(random_match(game), SAMPLED):
        for role, own in enumerate(legal):
            if len(own) > 1:
                if any((role, move) in before for move in own):
                    return True
                before.add((role, made[role]))
    return False


def records_moves(game: GdlGame) -> bool:
    """Whether tables of moves (AMAF) are kept: where positions are wide, most moves are possible from the start, and none returns.

    These are games in which a move is made once, such as hex: it is worth about as much sooner or later.
    """
    wide = branching(game)
    most = max((len(own) for own in game.circuit.moves), default=0)
    return wide > WIDE and 2 * wide >= most and not moves_return(game)


def default_settings(game: GdlGame, maker: LaneMaker, evaluation: Evaluation | None = None) -> Settings:
    """The settings that did best in the matches of decisions 26, 34 and 41."""
    prices = Prices.of(game, maker)
    return Settings(
        exploration=15.0 if maker.kernel.recorded else 30.0,
        leaves=prices.leaves,
        patience=4,
        chance=game.roles.index("random") if "random" in game.roles else -1,
        learned_share=0.0 if evaluation is None else LEARNED_SHARE,
        table_visits=50,
        table_bias=0.01,
        decisive=int(prices.looks_for_wins and not maker.kernel.recorded),  # beside a table it gains nothing
        together=prices.visits_before_children,
        puct=30.0,
        temperature=12.0,
        best_share=0.5,
    )
