"""MCTS on the compiled machine as a player: any number of roles, in turn or at once.

The graph is kept from move to move and goes on growing while the others think. Until the search is ready UCT
chooses the moves, and plain UCT on the reasoner for rules that are not compilable.
"""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from stratagem.errors import LimitExceeded
from stratagem.game import Move, Role
from stratagem.limit import Limit
from stratagem.platform import free_cores
from stratagem.play.choice import Choice, Offer, Thought
from stratagem.play.clock import Deadline
from stratagem.play.match_state import Match
from stratagem.play.players.preparation import Preparation, PreparedPlayer
from stratagem.play.players.uct import Uct
from stratagem.play.process.memory_share import fair_share
from stratagem.plural import plural

if TYPE_CHECKING:
    from stratagem.engine.evaluation.model import Evaluation
    from stratagem.engine.mcts.search import Mcts
    from stratagem.gdl_game import GdlGame
    from stratagem.result import MoveStatistics, Result

MEMORY = 512 << 20
PREPARATION_SHARE = 0.5
"""The share of a move's time in which the search may get ready; after that plain UCT has the rest."""
FALLBACK_MATCHES = 64
"""Random matches for each visit of UCT where the rules are compiled and the search is not ready."""
LEAST_VISITS_SHARE = 0.1
"""A move that was wanted less often than this share of the favourite's is not played where moves are mixed."""


class MctsPlayer(PreparedPlayer):
    """Searches until the clock is over or the position is decided."""

    name = "mcts"

    def __init__(self, *, seed: int | None = None, threads: int | None = None, memory: int = MEMORY) -> None:
        """*threads*: as many as cores are free when a match begins, unless given."""
        self.random = Random(seed)
        self.threads = threads
        self.memory = memory
        self.prepared: tuple[GdlGame, Preparation[Mcts]] | None = None
        self.advice: Evaluation | None = None
        """What is mixed into the values of random matches, if anything."""
        self.fallback = Uct(seed=seed, matches=FALLBACK_MATCHES)

    def start(self, match: Match, clock: Deadline) -> None:
        self.ponder(match, clock)

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
        except LimitExceeded:
            return self.fallback.play(match, clock, offer)
        if not found.moves and not found.proved:  # stopped before the first look at the moves was over
            return self.fallback.play(match, clock, offer)
        return self._choice(match, found)

    def ponder(self, match: Match, clock: Deadline) -> None:
        if match.over:
            return
        engine = self._engine(match, clock)
        if engine is None:
            self.fallback.ponder(match, clock)
            return
        try:
            engine.search(match.state, Limit(stop=clock.over))
        except LimitExceeded:
            return  # said when a move is due

    def stop(self, match: Match) -> None:
        self.prepared = self.advice = None
        self.fallback.stop(match)

    def crew(self, match: Match, clock: Deadline) -> int:
        """How many threads the search for the rules of *match* has; none where it is not ready before the clock is over."""
        engine = self._engine(match, clock)
        return 0 if engine is None else engine.threads

    def _engine(self, match: Match, clock: Deadline) -> Mcts | None:
        """The search for the rules of *match*, if it is ready in time; None where they are not compiled."""
        rules, seed = match.rules, self.random.getrandbits(32)
        if not rules.compilable:
            return None
        if self.prepared is None or self.prepared[0] is not rules:

            def make() -> Mcts:
                from stratagem.engine.mcts.search import Mcts

                threads = free_cores() if self.threads is None else self.threads
                made = Mcts(rules, memory=fair_share(self.memory), seed=seed, threads=threads)
                made.search(rules.initial(), Limit(nodes=1))
                return made

            self.prepared = rules, Preparation(make)
        engine = self.prepared[1].wait(clock)
        if engine is not None:
            engine.taking_part = max(1, engine.threads - self.spared)
            if self.advice is not None and engine.evaluation is not self.advice:
                engine.evaluate_by(self.advice)
        return engine

    def _choice(self, match: Match, found: Result) -> Choice:
        spell = match.rules.spell
        ranked = found.moves.get(match.role, ())
        legal = match.legals()
        best = ranked[0].move if ranked else found.best.get(match.role)
        if ranked and mixes(match, match.role):
            best = self._mixed(ranked)
        thought = Thought(
            self.name,
            why(found),
            value=round(found.estimates[match.role], 2),
            depth=found.distance or 0 if found.proved else found.counters.depth,
            nodes=found.counters.states,
            line=tuple(" ".join(map(spell, joint)) for joint in found.line[:12]),
            values=tuple((spell(one.move), round(one.value, 2)) for one in ranked),
            solved=found.proved,
            seconds=found.counters.seconds,
        )
        move = next((move for move in legal if move == best), legal[0])
        return Choice(move, thought, final=found.proved)

    def _mixed(self, ranked: tuple[MoveStatistics, ...]) -> Move:
        """One of the good moves, in proportion to its visits: a pure strategy could be foreseen."""
        good = [one for one in ranked if one.visits >= LEAST_VISITS_SHARE * ranked[0].visits]
        return self.random.choices(good, [max(1, one.visits) for one in good])[0].move


def mixes(match: Match, role: Role) -> bool:
    """Whether others have a choice at the same time as *role*."""
    return len(match.legals(role)) > 1 and any(
        len(match.legals(other)) > 1 for other in match.roles if other != role and other != "random"
    )


def why(found: Result) -> str:
    """What the search did for this move, in words; what it knew from earlier ones is counted apart."""
    simulations = found.counters.nodes
    earlier = max(0, found.counters.visits - simulations)
    kept = f", plus {plural(earlier, 'simulation')} from earlier searches" if earlier else ""
    done = f"{plural(simulations, 'simulation')}{kept}"
    if found.proved:
        return f"proved in {done}: {plural(found.distance or 0, 'move')} to the end"
    matches = plural(found.counters.playouts, "random match", "random matches")
    return f"the most visited move, after {matches} in {done}"
