"""A proof beside the search: where two cores are free, alpha-beta looks for one in a thread of its own while MCTS searches.

Both have the whole move. What alpha-beta proves ends MCTS early, but for a loss: there MCTS looks for the move that asks most
of the other side.
"""

from __future__ import annotations

import threading
from dataclasses import replace
from types import TracebackType

from stratagem.play.choice import Choice, Offer
from stratagem.play.clock import Deadline
from stratagem.play.match_state import Match
from stratagem.play.players.alpha_beta import AlphaBetaPlayer
from stratagem.play.players.mcts import MctsPlayer


class ProofBeside:
    """Alpha-beta on one thread, from entering this context to leaving it."""

    def __init__(self, prover: AlphaBetaPlayer, match: Match, clock: Deadline) -> None:
        self._prover, self._match, self._clock = prover, match, clock
        self._left = threading.Event()
        self._found: Choice | None = None
        self._thread = threading.Thread(target=self._prove, name="proof beside", daemon=True)

    @property
    def proof(self) -> Choice | None:
        """The move of a proof that was found, unless it is lost anyway."""
        found = self._found
        return found if found is not None and found.final and found.thought.value else None

    @property
    def clock(self) -> Deadline:
        """The clock for the search beside: a proof ends it."""
        interrupted = self._clock.interrupted
        return replace(self._clock, interrupted=lambda: interrupted() or self.proof is not None)

    def __enter__(self) -> ProofBeside:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, reason: BaseException | None, place: TracebackType | None
    ) -> None:
        self._left.set()
        self._thread.join()

    def _prove(self) -> None:
        interrupted = self._clock.interrupted
        clock = replace(self._clock, interrupted=lambda: interrupted() or self._left.is_set())
        self._found = self._prover.play(self._match, clock, lambda better: None)


def play_beside(
    mcts: MctsPlayer, prover: AlphaBetaPlayer, match: Match, clock: Deadline, offer: Offer
) -> tuple[Choice, Choice | None]:
    """What MCTS chooses on all threads but one, and the proof that alpha-beta found on that one meanwhile, if any."""
    threads = mcts.crew(match, clock.sooner(0.0))
    mcts.spared, prover.spared = 1, threads - 1
    try:
        with ProofBeside(prover, match, clock) as beside:
            found = mcts.play(match, beside.clock, offer)
        return found, beside.proof
    finally:
        mcts.spared = prover.spared = 0
