"""Self-play: an evaluation learned from matches of a game against itself, for two roles in turn whose goals add up.

It begins knowing nothing, so that the first matches are random; after every round of matches the evaluation is moved
towards how they went, and the next round is played by it. A thousand matches a second, seen from one ply ahead, teach
what many moves deep searching then needs: that corners are good in reversi and kings are dangerous in checkers.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from math import ceil
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from stratagem.engine.alpha_beta.evaluator import tables_for
from stratagem.engine.alpha_beta.search import require_two_roles
from stratagem.engine.evaluation import self_play_kernel as kernel
from stratagem.engine.evaluation.features import AnyFeature, bits_of, columns, is_amount, lines_of
from stratagem.engine.evaluation.fit import FEWEST, Regression, bit_sums, chosen, line_through, one_thread
from stratagem.engine.evaluation.model import Accuracy, Evaluation, accuracy_of
from stratagem.errors import UnsuitableGame
from stratagem.native.jit.kernel_families import compiled_family

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from stratagem.executor.interface import Executor
    from stratagem.gdl_game import GdlGame

ARENA = 1 << 14
"""Children of one state, at most."""
FIRST_ROUND = 100
"""Matches of the first rounds; later there are more, so that playing takes longer than learning from it."""
CHEAPER = 0.7
"""What learning from a match must cost in a round, compared to smaller rounds, for rounds to grow on.

Where it costs the same, larger rounds would only keep the clock waiting.
"""
ROWS = 12
"""States of a match that are learned from; its others say nearly the same."""
FADING = 0.97
"""What examples still count after a hundred further matches."""
OPENING = 8
"""Random moves that a match may begin with, and at most a quarter of its moves."""
HAS_PHASES = 0.5
"""How much of a match's progress its states must tell for the evaluation to have phases."""
PROGRESS_PRICE = 30.0
"""On large weights in the sum that tells a match's progress."""
REMEMBERED = 4000
"""States on which accuracy is measured: the last ones that were guessed before they were learned from."""


class Round(NamedTuple):
    """What matches have shown."""

    states: NDArray[np.uint64]
    targets: NDArray[np.float64]
    outcomes: NDArray[np.float64]
    """From 0 to 1, for the first role."""
    progress: NDArray[np.float64]
    matches: int
    plies: int


class SelfPlayer:
    """One of those who play the matches of a round: a thread, or an actor of an executor."""

    def __init__(self, game: GdlGame, start: NDArray[np.uint64], seeds: NDArray[np.uint64]) -> None:
        self.words = game.compiled.words
        self.code = compiled_family(kernel.KERNELS)
        game.compiled.compile()
        self.game = game
        compiled = game.compiled
        self.memory = kernel.MatchMemory(
            expand=compiled.expand_address,
            evaluation=tables_for(None, compiled.words),
            start=np.array(start),
            seeds=np.array(seeds),
            arena=np.zeros((ARENA, compiled.words), np.uint64),
            parents=np.zeros(ARENA, np.int32),
            moves=np.zeros((ARENA, 2), np.int32),
            terminal=np.zeros(ARENA, np.bool_),
            goals=np.zeros((ARENA, 2), np.int16),
            consumed=np.zeros(1, np.int64),
            states=np.zeros((kernel.LONGEST, compiled.words), np.uint64),
            targets=np.zeros(kernel.LONGEST),
            plies=np.zeros(kernel.LONGEST, np.int64),
        )

    def play(
        self,
        evaluation: Evaluation,
        openings: NDArray[np.int64],
        stop: Callable[[], bool] = lambda: False,
    ) -> list[Round]:
        """A match for each of *openings*, numbers of random moves to begin with; fewer where there is no time."""
        memory = self.memory
        memory.put(evaluation=tables_for(evaluation, self.words))  # each has its own phase
        play_match = self.code[kernel.play_match]
        found: list[Round] = []
        for opening in openings:
            if stop():
                break
            goal = play_match(memory, int(opening))
            if goal < 0:
                raise UnsuitableGame(
                    "self-play needs a zero-sum game of two roles in turn, and fewer moves per state",
                    hint="learn_evaluation then learns from random play",
                )
            used = memory.used
            found.append(
                Round(
                    memory.states.numpy[:used].copy(),
                    memory.targets.numpy[:used].copy(),
                    np.full(used, goal / 100.0),
                    memory.plies.numpy[:used] / memory.length,
                    1,
                    memory.length,
                )
            )
        return found


class SelfPlay:
    """Learns for one game; `round` is called as often as there is time."""

    def __init__(
        self,
        game: GdlGame,
        *,
        start: NDArray[np.uint64] | None = None,
        seed: int = 0,
        threads: int = 1,
        on: Executor | None = None,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        """*now* tells the time, by which rounds find their size.

        With an executor, *on*, matches are played by that many actors there, and are those that threads would play.
        """
        self.now = now
        self.game = game
        require_two_roles(game)
        game.compiled.compile()
        self.random = np.random.default_rng(seed)
        first = np.array(game.compiled.initial if start is None else start, np.uint64).reshape(-1)
        seeds = [self.random.integers(1, 1 << 63, 4).astype(np.uint64) for _ in range(threads)]
        self.crew = [SelfPlayer(game, first, own) for own in seeds] if on is None else []
        self.actors = [] if on is None else [on.actor(SelfPlayer, game, first, own) for own in seeds]
        self.matches = self.learned_from = self.opening = 0
        self.features: list[AnyFeature] = []
        self.regression = Regression(0)
        self.progress = np.zeros(64 * game.compiled.words + 1)
        self._tested: list[tuple[NDArray[np.float64], NDArray[np.float64]]] = []
        self._known: tuple[Accuracy, ...] = (Accuracy(0, 0.0, 0.0, 0.0),) * 2
        self._size, self._cost = FIRST_ROUND, np.inf

    def resume(self, evaluation: Evaluation) -> None:
        """Goes on from an *evaluation* that was learned by self-play of the same game, before anything is learned here."""
        self.features, self.progress = list(evaluation.features), evaluation.progress.copy()
        early, late = evaluation.early[0], evaluation.late[0]
        phases = bool(self.progress.any())
        weights = np.concatenate([early[:-1], [early[-1] - late[-1]], late]) if phases else early
        self.regression = Regression(len(weights) - 1)
        remembered = min(evaluation.matches, FIRST_ROUND / (1 - FADING))
        self.regression.resume(weights, remembered * ROWS)
        self.matches, self.learned_from = evaluation.matches, evaluation.states
        self._known = evaluation.accuracy

    def round(
        self, stop: Callable[[], bool] = lambda: False, *, matches: int | None = None, whole: bool = False
    ) -> bool:
        """Plays some matches and learns from them; whether there was time to. A *whole* round is all or nothing."""
        begin = self.now()
        found = self._played(self._size if matches is None else matches, stop)
        if len(found.states) == 0 or (whole and stop()):
            return False
        played = self.now() - begin
        with one_thread():
            self._learn(found)
        learning = self.now() - begin - played
        cost = learning / found.matches
        if matches is None and learning > played / 2 and cost < CHEAPER * self._cost:
            self._size = min(2 * self._size, 32 * FIRST_ROUND)
        self._cost = min(cost, self._cost)
        return True

    def study(
        self,
        over: Callable[[], bool],
        *,
        matches: float = np.inf,
        states: float = np.inf,
        whole: bool = False,
    ) -> None:
        """Round after round until it is *over*, or so many *matches* or *states* have been learned from in all."""
        while self.matches < matches and self.learned_from < states and not over():
            wanted = (states - self.learned_from) / ROWS
            size = None if wanted == np.inf else min(ceil(wanted), FIRST_ROUND)
            if not self.round(over, matches=size, whole=whole):
                return

    def close(self) -> None:
        """Ends the actors that play."""
        for actor in self.actors:
            actor.kill()

    def learned(self) -> Evaluation | None:
        """What has been learned so far, if there was enough to learn from."""
        return self.evaluation() if self.learned_from >= FEWEST else None

    def evaluation(self) -> Evaluation:
        """The same, however little that is."""
        width = len(self.features) + 1
        early, late = self.regression.weights[:width].copy(), self.regression.weights[-width:]
        if self.progress.any():
            early[-1] += late[-1]
        return Evaluation(
            self.game,
            tuple(self.features),
            np.stack([early, -early]),
            np.stack([late, -late]),
            self.progress,
            self._accuracy(),
            self.learned_from,
            self.matches,
        )

    def _accuracy(self) -> tuple[Accuracy, ...]:
        if not self._tested:
            return self._known
        guesses = np.concatenate([guesses for guesses, _ in self._tested])
        outcomes = np.concatenate([outcomes for _, outcomes in self._tested])
        first = accuracy_of(100 * guesses, 100 * outcomes, float(100 * outcomes.mean()))
        return first, first

    def _played(self, matches: int, stop: Callable[[], bool]) -> Round:
        """*matches* matches, by the whole crew; fewer where there is no time or no room."""
        words = self.game.compiled.words
        evaluation = self.evaluation()
        opening = self.random.integers(0, self.opening + 1, matches)
        crew = len(self.crew) + len(self.actors)
        shares = [opening[number::crew] for number in range(crew)]
        if self.actors:
            asked = [
                actor.call("play", evaluation, own) for actor, own in zip(self.actors, shares, strict=True)
            ]
            found = [each for pending in asked for each in pending.result()]
        elif crew == 1:
            found = self.crew[0].play(evaluation, shares[0], stop)
        else:
            with ThreadPoolExecutor(crew) as pool:
                parts = pool.map(lambda one, own: one.play(evaluation, own, stop), self.crew, shares)
                found = [each for part in parts for each in part]
        if not found:
            nothing = np.zeros(0)
            return Round(np.zeros((0, words), np.uint64), nothing, nothing, nothing, 0, 0)
        kept = np.concatenate([each.progress for each in found])
        rows = np.arange(len(kept))
        if len(rows) > ROWS * len(found):
            rows = np.sort(self.random.choice(len(rows), ROWS * len(found), replace=False))
        return Round(
            np.concatenate([each.states for each in found])[rows],
            np.concatenate([each.targets for each in found])[rows],
            np.concatenate([each.outcomes for each in found])[rows],
            kept[rows],
            len(found),
            sum(each.plies for each in found),
        )

    def _learn(self, found: Round) -> None:
        if self.matches == 0:
            self._begin(found)
        if not self._tested:
            self.opening = min(OPENING, found.plies // (4 * found.matches))
        counted = self._columns(found.states)
        self._tested.append((self.regression.chances(counted), found.outcomes))
        while sum(len(outcomes) for _, outcomes in self._tested[1:]) >= REMEMBERED:
            del self._tested[0]
        self.regression.learn(counted, found.targets, keep=FADING ** (found.matches / FIRST_ROUND))
        self.matches += found.matches
        self.learned_from += len(found.states)

    def _begin(self, found: Round) -> None:
        """Settles, after the first matches, what the evaluation speaks of and how a match's progress shows."""
        self.features, _ = chosen(self.game, bit_sums(self.game, found.states), found.states)
        self.features += lines_of(self.game, found.states)
        self._find_phases(found)
        self.regression = Regression(self._columns(found.states[:1]).shape[1])

    def _find_phases(self, found: Round) -> None:
        """How a match's progress shows; nothing where that is not clear.

        Amounts grow from the beginning to the end, and so are themselves most of what shows the progress. What they are worth
        at the beginning, where they are small, would be guesswork, and a search that looks far ahead would play by it.
        """
        if any(is_amount(feature) for feature in self.features):
            return
        bits = bits_of(self.game, found.states)
        weights = line_through(bits, found.progress, price=PROGRESS_PRICE)
        wrong = float(((bits @ weights[:-1] + weights[-1] - found.progress) ** 2).sum())
        if wrong < (1 - HAS_PHASES) * float(((found.progress - found.progress.mean()) ** 2).sum()):
            self.progress[: bits.shape[1]], self.progress[-1] = weights[:-1], weights[-1]

    def _columns(self, states: NDArray[np.uint64]) -> NDArray[np.float32]:
        """What the features count, once for the beginning and once for the end where there are phases."""
        counted = columns(self.game, self.features, states)
        if not self.progress.any():
            return counted
        bits = bits_of(self.game, states)
        share = np.clip(bits @ self.progress[: bits.shape[1]] + self.progress[-1], 0.0, 1.0)
        late = share.astype(np.float32)[:, None]
        return np.hstack([(1 - late) * counted, 1 - late, late * counted])
