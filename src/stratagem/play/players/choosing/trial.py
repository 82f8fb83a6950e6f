"""A trial: two searches play short, fast matches against each other, and the winner plays for us.

How many states a search sees in a second says little of how well it plays. So both play: from random openings, each opening once
from either side, for a few milliseconds of processor time a move. A sequential test ends the trial as soon as one is clearly
ahead. A match ends early where a search has proved how it ends.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from time import process_time
from typing import TYPE_CHECKING, Final, Protocol

from stratagem.errors import UnsuitableGame
from stratagem.limit import Limit
from stratagem.play.clock import Deadline
from stratagem.play.players.choosing.advice import advice_for_mcts
from stratagem.play.process.memory_share import fair_share
from stratagem.play.tournaments.statistics import SequentialTest
from stratagem.plural import plural

if TYPE_CHECKING:
    from stratagem.engine.evaluation.model import Evaluation
    from stratagem.gdl_game import GdlGame, State
    from stratagem.result import Result

TEST: Final = SequentialTest(0.35, 0.65, wrong=0.1)
"""Decided when one search is four matches ahead of the other."""
MOST_MATCHES: Final = 40
LEAST_LEAD: Final = 2
"""Points ahead from which the first search is preferred: one may be the side of an opening that has no other yet."""
OPENING: Final = 4
"""Random moves before the searches take over, at most; never more than a quarter of a random match."""
WANTED_MATCHES: Final = 12
"""What the time of a move is chosen for."""
LEAST_MOVE: Final = 0.008
MOST_MOVE: Final = 0.1
"""Seconds of the processor for one move: in less a search has hardly begun, more makes too few matches."""
SAMPLE: Final = 512
MEMORY: Final = 64 << 20
LONGEST: Final = 3.0
"""Times the length of a random match, after which a match of the trial counts as a draw."""


class Candidate(Protocol):
    """A search that may be chosen."""

    def search(self, state: State, limit: Limit) -> Result:
        """What it finds in *state* until *limit* is reached."""


@dataclass(frozen=True, slots=True)
class TrialScore:
    """The points of the first search in so many matches, a draw counting half."""

    points: float = 0.0
    matches: int = 0

    @property
    def possible(self) -> bool:
        """Whether so many points can be won in so many matches."""
        return 0 <= self.points <= self.matches

    @property
    def lead(self) -> float:
        """By how many points the first search is ahead."""
        return 2 * self.points - self.matches

    @property
    def leads(self) -> bool:
        """Whether the first search is so far ahead that it is preferred to the second."""
        return self.lead >= LEAST_LEAD

    @property
    def decided(self) -> bool:
        """Whether further matches would hardly change who is ahead."""
        return (
            abs(TEST.evidence(self.points, self.matches)) >= TEST.bound - 1e-9 or self.matches >= MOST_MATCHES
        )

    def after(self, score: float) -> TrialScore:
        return TrialScore(self.points + score, self.matches + 1)

    def words(self, first: str, second: str) -> str:
        """The score as a sentence.

        >>> TrialScore(4.5, 6).words("alpha-beta", "MCTS")
        'alpha-beta beat MCTS 4.5 to 1.5 in 6 fast matches'
        """
        matches = plural(self.matches, "fast match", "fast matches")
        own, others = f"{self.points:g}", f"{self.matches - self.points:g}"
        if self.lead == 0:
            return f"{first} and {second} are even in {matches}"
        if self.lead > 0:
            return f"{first} beat {second} {own} to {others} in {matches}"
        return f"{second} beat {first} {others} to {own} in {matches}"


@dataclass(slots=True)
class Trial:
    """Matches of two candidates from *start*; `go_on` is called as often as there is time.

    *seconds* of processor time, by *meter*, are what each move gets, unless *limit* makes another limit of the clock.
    """

    start: State
    candidates: tuple[Candidate, Candidate]
    seconds: float = MOST_MOVE
    plies: float = 100.0
    """How long a match is, about."""
    seed: int = 0
    meter: Callable[[], float] = process_time
    limit: Callable[[Deadline], Limit] | None = None
    score: TrialScore = field(default_factory=TrialScore)
    played: int = 0
    """Matches of this object; the score may have been taken over from another."""
    _running: tuple[State, int] | None = None
    """The position of a match that is not finished, and its turns."""

    def go_on(self, clock: Deadline) -> None:
        """Plays until the trial is decided or *clock* is over; a match that is not finished by then goes on next time."""
        while not self.score.decided and not clock.over():
            score = self._match(clock)
            if score is None:
                return
            self.score, self.played, self._running = self.score.after(score), self.played + 1, None

    def _match(self, clock: Deadline) -> float | None:
        """What the first candidate scores in the match that is running; None where there was no time to finish it."""
        roles, first = self.start.game.roles, self.played % 2
        state, turns = self._running or (self._opening(self.played // 2), 0)
        while not state.terminal:
            self._running = state, turns
            turns += 1
            if turns > LONGEST * self.plies:
                return 0.5
            choosing = state.choosing
            if len(choosing) > 1:
                raise UnsuitableGame("both roles have a choice at once", hint="mcts takes simultaneous moves")
            if not choosing:
                state = state.next([state.legals(role)[0] for role in roles])
                continue
            mover = roles.index(choosing[0])
            found = self.candidates[mover ^ first].search(state, self._limit(clock))
            if clock.over():
                return None
            if found.proved:
                return _score([found.estimates[role] for role in roles], first)
            legal, best = state.legals(choosing[0]), found.best.get(choosing[0])
            state = state.play(best if best in legal else legal[0])
        return _score([state.goal(role) or 0 for role in roles], first)

    def _opening(self, number: int) -> State:
        """A position a few random moves from the start, the same for the same *number*."""
        random = Random(1000 * self.seed + number)
        state = self.start
        for _ in range(min(OPENING, int(self.plies / 4))):
            after = state.next([random.choice(state.legals(role)) for role in state.game.roles])
            if after.terminal:
                break
            state = after
        return state

    def _limit(self, clock: Deadline) -> Limit:
        if self.limit is not None:
            return self.limit(clock)
        begin = self.meter()
        return Limit(stop=lambda: clock.over() or self.meter() - begin >= self.seconds)


def _score(goals: list[float], first: int) -> float:
    own, other = goals[first], goals[1 - first]
    return 0.5 if own == other else float(own > other)


def trial_of(rules: GdlGame, evaluation: Evaluation, *, seconds: float, seed: int) -> Trial:
    """A trial of alpha-beta by *evaluation* against MCTS that may take so many *seconds*.

    The searches are its own, on one thread, so that what the player knows of its match is not touched.
    """
    from stratagem.engine.alpha_beta.search import AlphaBeta
    from stratagem.engine.mcts.search import Mcts

    memory, start = fair_share(MEMORY), rules.initial()
    plies = max(1.0, rules.playouts(start, SAMPLE, threads=1).mean_length)
    advice = advice_for_mcts(evaluation)
    searches = (
        AlphaBeta(rules, evaluation, memory=memory),
        Mcts(rules, memory=memory, seed=seed, evaluation=advice),
    )
    return Trial(start, searches, seconds_per_move(seconds, plies), plies, seed)


def seconds_per_move(seconds: float, plies: float) -> float:
    """The processor time of a move, for a dozen matches of so many *plies* in so many *seconds*.

    >>> seconds_per_move(10, 40), seconds_per_move(1, 80)
    (0.020833333333333332, 0.008)
    """
    return min(MOST_MOVE, max(LEAST_MOVE, seconds / (WANTED_MATCHES * plies)))
