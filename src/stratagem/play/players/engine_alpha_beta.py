"""Alpha-beta on the compiled machine as a player, with an evaluation that it learns in the start clock.

The table is kept from move to move and goes on filling while the opponent thinks. Rules that could not be compiled are
left to the taught alpha-beta on the reasoner.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from stratagem.errors import GroundingError, UnsuitableGame
from stratagem.play.choice import Choice, Offer, Thought
from stratagem.play.clock import Deadline
from stratagem.play.match import Match
from stratagem.play.player import Player
from stratagem.play.players.alpha_beta import AlphaBeta as Taught

if TYPE_CHECKING:
    from stratagem.engine.alpha_beta import AlphaBeta, AlphaBetaResult
    from stratagem.engine.evaluation import Evaluation

MEMORY = 256 << 20
LEARNING = 0.5
"""The share of the start clock in which the evaluation is learned."""
LONGEST_LEARNING = 6.0
SHORTEST_LEARNING = 0.1


class AlphaBetaPlayer(Player):
    """Rounds of alpha-beta, each a ply deeper; for two roles that take turns, with goals that add up."""

    name = "alphabeta"

    def __init__(self, *, seed: int | None = None, memory: int = MEMORY) -> None:
        self.seed = 0 if seed is None else seed
        self.memory = memory
        self.engine: AlphaBeta | None = None
        self.evaluation: Evaluation | None = None
        self.deputy = Taught(seed=seed)

    def start(self, match: Match, clock: Deadline) -> None:
        self.engine = None
        self.learn(match, clock.sooner(LEARNING))
        self.ponder(match, clock)

    def learn(self, match: Match, clock: Deadline) -> Evaluation | None:
        """Learns the evaluation for the rules of *match* until the clock is over; None where nothing can be learned."""
        from stratagem.engine.evaluation_learning import learn

        try:
            self.evaluation = learn(
                match.rules,
                seconds=min(LONGEST_LEARNING, clock.left()),
                start=None if match.over else match.state,
                seed=self.seed,
                stop=clock.over,
            )
        except GroundingError:
            self.evaluation = None
        return self.evaluation

    def play(self, match: Match, clock: Deadline, offer: Offer) -> Choice:
        legal = match.legals()
        if len(legal) == 1:
            return Choice(legal[0], Thought(self.name, "the only legal move"), final=True)
        engine = self._engine(match, clock)
        if engine is None:
            return self.deputy.play(match, clock, offer)
        try:
            found = engine.search(
                match.state, stop=clock.over, progress=lambda sofar: offer(self._choice(match, sofar))
            )
        except UnsuitableGame as refused:
            return Choice(legal[0], Thought(self.name, f"the first legal move: {refused.message}"))
        return self._choice(match, found)

    def ponder(self, match: Match, clock: Deadline) -> None:
        if match.over:
            return
        engine = self._engine(match, clock)
        try:
            if engine is None:
                self.deputy.ponder(match, clock)
            else:
                engine.search(match.state, stop=clock.over)
        except UnsuitableGame:
            return  # said when a move is due

    def stop(self, match: Match) -> None:
        self.engine = self.evaluation = None

    def _engine(self, match: Match, clock: Deadline) -> AlphaBeta | None:
        """The search for the rules of *match*; None where they could not be compiled or have not two roles."""
        if self.engine is not None and self.engine.game is match.rules:
            return self.engine
        from stratagem.engine.alpha_beta import AlphaBeta

        if self.evaluation is None or self.evaluation.game is not match.rules:
            self.learn(match, clock.sooner(LEARNING))
        try:
            self.engine = AlphaBeta(match.rules, self.evaluation, memory=self.memory)
        except (GroundingError, UnsuitableGame):
            self.engine = None
        return self.engine

    def _choice(self, match: Match, found: AlphaBetaResult) -> Choice:
        spell = match.rules.spell
        legal = match.legals()
        value = found.value_for(match.seat)
        if found.proved and found.distance:
            outcome = "a win" if value > 50 else "a loss"
            why = f"alpha-beta sees {outcome} in {found.distance} moves"
        elif found.proved:
            why = "alpha-beta to the end of the game"
        else:
            why = f"alpha-beta {found.depth} plies deep, up to {found.reached} where moves are forced"
        thought = Thought(
            self.name,
            why,
            value=round(value, 2),
            depth=found.depth,
            nodes=found.nodes,
            line=tuple(" ".join(map(spell, joint)) for joint in found.line[:12]),
            solved=found.proved,
            seconds=found.seconds,
        )
        return Choice(found.move if found.move in legal else legal[0], thought, final=found.proved)
