"""One turn of a timed player: which moves were offered, and when the best of them must be answered.

Nothing here knows of processes or of real time: `TimedPlayer` passes offers and the time in.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf
from typing import Literal

from stratagem.play.choice import Thought
from stratagem.play.process.protocol import Offered, Past, Ready

Source = Literal["thinker", "deputy", "guess"]


@dataclass(frozen=True, slots=True)
class TurnAnswer:
    """A move to play, in the spelling of the rules, and where it comes from."""

    move: str
    thought: Thought
    source: Source
    decided: float
    """The moment of the decision, by the monotonic clock."""
    deadline: float
    overruled: bool = False
    """Whether the thinker was still thinking."""
    certain: bool = True
    past: Past | None = None
    """How the position was reached, where that is known."""


@dataclass(slots=True)
class PendingTurn:
    """A turn for which a move is due at *deadline*; at *overrule* the best one there is goes out."""

    number: int
    begun: float
    deadline: float
    overrule: float
    stop: float
    """When the thinker was told to stop."""
    thinker_first: float = 0.0
    """Until this moment an only legal move is left to the thinker to report, whose offer says more about the match."""
    thinker: Offered | None = None
    deputy: Offered | None = None
    answer: TurnAnswer | None = None
    thinker_done: bool = False
    unheard: bool = False
    """Whether the answer is known not to have been delivered."""
    patience: float = 0.0
    """Seconds past *overrule* in which a search of the thinker is waited for; then any offer, and no guess, is answered."""

    @property
    def due(self) -> float:
        """When the best move there is goes out."""
        if self.thinker is not None and (self.thinker.done or self.thinker.thought.nodes > 0):
            return self.overrule
        known = self.patience == 0 or self.thinker is not None or self.deputy is not None
        return self.overrule + self.patience if known else inf

    def hear(self, source: Source, offered: Offered) -> None:
        """Takes an offer for this turn; offers for other turns came too late and are dropped."""
        if offered.number != self.number:
            return
        if source == "thinker":
            self.thinker = offered
            self.thinker_done = self.thinker_done or offered.done
        else:
            self.deputy = offered

    def hear_ready(self, ready: Ready | None) -> None:
        """Takes what the deputy said of the first position for an offer, if this is the first turn."""
        if ready is not None and ready.move:
            why = "the only legal move" if ready.only else "the first legal move, before any thinking"
            self.deputy = Offered(self.number, ready.move, Thought("", why), done=False, only=ready.only)

    def decide(self, now: float, *, thinker_lives: bool, guess: str) -> TurnAnswer | None:
        """The answer, if it is time for one: nothing better will come, or nothing better can be waited for."""
        if self.answer is not None:
            return self.answer
        if self.thinker is not None and (self.thinker.only or self.thinker.done):
            return self._answer("thinker", self.thinker, now)
        if self.deputy is not None:
            only = self.deputy.only and (now >= self.thinker_first or not thinker_lives)
            if only or (self.deputy.done and not thinker_lives):
                return self._answer("deputy", self.deputy, now)
        if now < self.due:
            return None
        return self._best(now, guess)

    def _best(self, now: float, guess: str) -> TurnAnswer:
        """The best offer: one with a search behind it where there is one; a guess where nothing was offered."""
        offers: list[tuple[Source, Offered]] = []
        if self.thinker is not None:
            offers.append(("thinker", self.thinker))
        if self.deputy is not None:
            offers.append(("deputy", self.deputy))
        if not offers:
            why = "a guess: no legal move was known in time"
            self.answer = TurnAnswer(guess, Thought("guess", why), "guess", now, self.deadline, True, False)
            return self.answer
        source, offered = next((pair for pair in offers if pair[1].thought.nodes > 0), offers[0])
        return self._answer(source, offered, now)

    def _answer(self, source: Source, offered: Offered, now: float) -> TurnAnswer:
        thought = offered.thought
        if source == "deputy" and not offered.only:
            thought = replace(thought, why=f"{thought.why} (by the deputy)")
        overruled = not self.thinker_done and not offered.only
        if overruled and source == "thinker":
            thought = replace(thought, why=f"{thought.why} (time was up)")
        self.answer = TurnAnswer(
            offered.move,
            thought,
            source,
            now,
            self.deadline,
            overruled,
            offered.certain,
            offered.past if offered.certain else None,
        )
        return self.answer
