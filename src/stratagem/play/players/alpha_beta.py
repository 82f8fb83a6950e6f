"""Alpha-beta on the compiled machine as a player, with an evaluation that it learns in the start clock.

The table is kept from move to move and goes on filling while the opponent thinks. Rules that could not be compiled are
left to the taught alpha-beta on the reasoner.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from stratagem.errors import UnsuitableGame
from stratagem.limit import Limit
from stratagem.platform import free_cores
from stratagem.play.choice import Choice, Offer, Thought
from stratagem.play.clock import Deadline
from stratagem.play.match_state import Match
from stratagem.play.players.choosing.knowledge import GameKnowledge, keep, recall
from stratagem.play.players.choosing.trial import TrialScore
from stratagem.play.players.preparation import Preparation, PreparedPlayer
from stratagem.play.players.taught_alpha_beta import TaughtAlphaBetaPlayer
from stratagem.play.process.memory_share import fair_share
from stratagem.plural import plural

if TYPE_CHECKING:
    from stratagem.engine.alpha_beta.search import AlphaBeta
    from stratagem.engine.evaluation.model import Evaluation
    from stratagem.engine.evaluation.self_play import SelfPlay
    from stratagem.gdl.terms import Term
    from stratagem.gdl_game import GdlGame
    from stratagem.result import Result

MEMORY = 128 << 20
PREPARATION_SHARE = 0.5
"""The share of a move's time in which the search may get ready; after that the taught one has the rest."""
LEARNING_SHARE = 0.75
"""The share of the start clock in which the evaluation is learned."""
LAST_MATCH_SHARE = 0.9
"""The share of that time after which no further matches are begun."""
LONGEST_LEARNING = 30.0
START_MATCHES = 12_000
"""Matches against itself after which the start clock is better spent searching."""
PONDER_MATCHES = 2_000
"""Matches up to which the opponent's time is better spent learning."""


class AlphaBetaPlayer(PreparedPlayer):
    """Rounds of alpha-beta, each a ply deeper; for two roles that take turns, with goals that add up."""

    name = "alphabeta"

    def __init__(self, *, seed: int | None = None, threads: int | None = None, memory: int = MEMORY) -> None:
        """*threads*: as many as cores are free when a match begins, unless given."""
        self.seed = 0 if seed is None else seed
        self.threads = threads
        self.memory = memory
        self.prepared: tuple[GdlGame, Preparation[AlphaBeta]] | None = None
        self.evaluation: Evaluation | None = None
        self.known: Evaluation | None = None
        """What was learned about the rules in earlier matches; learning goes on from there."""
        self.self_play: SelfPlay | None = None
        self.fallback = TaughtAlphaBetaPlayer(seed=seed)

    def start(self, match: Match, clock: Deadline) -> None:
        knowledge = recall(match.rules) if self.remember else None
        self.known = None if knowledge is None else knowledge.evaluation
        learned = self.learn(match, clock.sooner(LEARNING_SHARE))
        if self.remember and learned is not None and learned.matches:
            keep(match.rules, GameKnowledge(learned, TrialScore()))
        self.ponder(match, clock)

    def learn(self, match: Match, clock: Deadline) -> Evaluation | None:
        """The evaluation for the rules of *match*, learned until the clock is over; None while there is none."""
        self._engine(match, clock)
        if self.known is not None:
            self.study(match, clock, START_MATCHES)
        return self.evaluation

    def play(self, match: Match, clock: Deadline, offer: Offer) -> Choice:
        legal = match.legals()
        if len(legal) == 1:
            return Choice(legal[0], Thought(self.name, "the only legal move"), final=True)
        engine = self._engine(match, clock.sooner(PREPARATION_SHARE))
        if engine is None:
            return self.fallback.play(match, clock, offer)
        try:
            found = engine.search(
                match.state,
                Limit(stop=clock.over),
                progress=lambda sofar: offer(self._choice(match, sofar)),
            )
        except UnsuitableGame as refused:
            return Choice(legal[0], Thought(self.name, f"the first legal move: {refused.message}"))
        return self._choice(match, found)

    def keeps(self, match: Match, move: Term, value: float, clock: Deadline) -> bool:
        """Whether *move* is proved, until the clock is over, to be worth *value* or more to our role."""
        engine, after = self._engine(match, clock.sooner(0.0)), match.expecting(move)
        if engine is None or after is match:
            return False
        try:
            found = engine.search(after.state, Limit(stop=clock.over))
        except UnsuitableGame:
            return False
        return found.proved and found.estimates[match.role] >= value

    def ponder(self, match: Match, clock: Deadline) -> None:
        if match.over:
            return
        self.study(match, clock)
        engine = self._engine(match, clock)
        try:
            if engine is None:
                self.fallback.ponder(match, clock)
            else:
                engine.search(match.state, Limit(stop=clock.over))
        except UnsuitableGame:
            return  # said when a move is due

    def study(self, match: Match, clock: Deadline, matches: int = PONDER_MATCHES) -> None:
        """Goes on learning up to so many *matches*, where a short start clock left too little time to."""
        engine, self_play = self._engine(match, clock), self.self_play
        if engine is None or self_play is None:
            return
        # Whole rounds only, and nothing once a move is due.
        self_play.study(clock.over, matches=matches, whole=True)
        known = 0 if self.evaluation is None else self.evaluation.matches
        learned = self_play.learned()
        if learned is not None and learned.matches > known and not clock.over():
            self.evaluation = learned
            engine.evaluate_by(learned)

    def stop(self, match: Match) -> None:
        self.prepared = self.evaluation = self.known = self.self_play = None

    def _engine(self, match: Match, clock: Deadline) -> AlphaBeta | None:
        """The search for the rules of *match*, if it is ready in time; None where they do not suit it."""
        rules, learning = match.rules, clock.sooner(LAST_MATCH_SHARE)
        if not rules.compilable:
            return None
        if self.prepared is None or self.prepared[0] is not rules:

            def make() -> AlphaBeta:
                from stratagem.engine.alpha_beta.search import EVEN, AlphaBeta

                AlphaBeta(rules, memory=0).search(rules.initial(), Limit(depth=2))
                threads = free_cores() if self.threads is None else self.threads
                evaluation = self._learned(rules, threads, learning)
                self.evaluation = evaluation
                judge = EVEN if evaluation is None else evaluation
                made = AlphaBeta(rules, judge, memory=fair_share(self.memory), threads=threads)
                made.allocate()
                return made

            self.evaluation = self.self_play = None
            self.prepared = rules, Preparation(make)
        engine = self.prepared[1].wait(clock)
        if engine is not None:
            engine.taking_part = max(1, len(engine.threads) - self.spared)
        return engine

    def _learned(self, rules: GdlGame, threads: int, clock: Deadline) -> Evaluation | None:
        """The evaluation that can be learned until the clock is over."""
        from stratagem.engine.evaluation.learning import learned_from, sample
        from stratagem.engine.evaluation.self_play import SelfPlay

        self_play = SelfPlay(rules, seed=self.seed, threads=threads)
        if self.known is not None:
            self_play.resume(self.known)
            self.self_play = self_play
            return self.known
        try:
            self_play.study(clock.over, matches=START_MATCHES)
        except UnsuitableGame:
            found = sample(rules, Limit(seconds=LONGEST_LEARNING, stop=clock.over), seed=self.seed)
            return learned_from(rules, *found)
        self.self_play = self_play
        return self_play.learned()

    def _choice(self, match: Match, found: Result) -> Choice:
        spell = match.rules.spell
        legal = match.legals()
        value = found.estimates[match.role]
        thought = Thought(
            self.name,
            why(found, value),
            value=round(value, 2),
            depth=found.counters.depth,
            nodes=found.counters.nodes,
            line=tuple(" ".join(map(spell, joint)) for joint in found.line[:12]),
            solved=found.proved,
            seconds=found.counters.seconds,
        )
        move = next((move for move in legal if move == found.best_move), legal[0])
        return Choice(move, thought, final=found.proved)


def why(found: Result, value: float) -> str:
    """What the search did, in words; *value* is that of our role."""
    if found.proved and found.distance:
        outcome = "a win" if value > 50 else "a loss"
        return f"alpha-beta sees {outcome} in {plural(found.distance, 'move')}"
    if found.proved:
        return "alpha-beta to the end of the game"
    depth, reached = found.counters.depth, found.counters.peak_open
    further = f", up to {reached} where moves are forced" if reached > depth else ""
    return f"alpha-beta {plural(depth, 'ply', 'plies')} deep{further}"
