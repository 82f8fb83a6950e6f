"""The player `stratagem`: it chooses the search that suits the kind of game, and says why.

A puzzle is solved in the start clock and the solution played. Two roles that take turns are a duel: an evaluation is
learned from matches against itself, then alpha-beta by that evaluation and MCTS play fast matches against each other, and the
winner plays (`trial`). Where that is MCTS, alpha-beta still looks for anything that can be proved at once, and where two cores are
free it does so beside MCTS for the whole move (`proof_beside`). Without the time for a trial MCTS plays, and the trial is held on the opponent's time. Everything else (three roles, moves made at once,
goals that do not add up) gets MCTS.
"""

from __future__ import annotations

from dataclasses import replace
from math import inf
from typing import TYPE_CHECKING, Literal

from stratagem.errors import LimitExceeded, UnsuitableGame
from stratagem.play.choice import Choice, Offer
from stratagem.play.clock import Deadline
from stratagem.play.interface import Player
from stratagem.play.match_state import Match
from stratagem.play.players import alpha_beta
from stratagem.play.players.alpha_beta import AlphaBetaPlayer
from stratagem.play.players.choosing.advice import advice_for_mcts
from stratagem.play.players.choosing.knowledge import GameKnowledge, keep, recall
from stratagem.play.players.choosing.proof_beside import play_beside
from stratagem.play.players.choosing.trial import Trial, TrialScore, trial_of
from stratagem.play.players.mcts import MctsPlayer
from stratagem.play.players.solver import Solver

if TYPE_CHECKING:
    from stratagem.engine.evaluation.model import Evaluation

Kind = Literal["puzzle", "duel", "other"]
PROOF_SHARE = 0.04
"""Of the time of a move that MCTS makes in a duel: alpha-beta looks for a proof first."""
DEEP_SHARE = 0.15
"""The same where it sees far at once, as in games of few gates and few moves: there it is worth a longer look."""
ENDGAME_SHARE = 0.5
"""The same where the end is so near that alpha-beta may well see it."""
ENDGAME = 4
"""Plies beyond the depth that alpha-beta reaches at once, up to which the end is near."""
PREPARATION_SHARE = 0.3
"""The share of what is left of a clock in which a search may get ready; after that the other one has the rest."""
SHORT_START = 2.0
"""Seconds of a start clock below which nothing is learned and nothing tried: MCTS has them."""
LEARNING_SHARE = 0.45
TRIAL_SHARE = 0.6
"""Of what is left of a start clock after learning."""
PONDERED_TRIAL_SHARE = 0.5
"""Of the opponent's time, a play clock, while the trial is open."""
LEARNING_ON_SHARE = 0.5
"""Of what is left of a start clock after a trial that alpha-beta has won."""
WAITING_SHARE = 0.5
"""Of what is left of a clock after learning: how long each search may still take to get ready to be tried."""
ENOUGH_MATCHES = 100
"""Matches against itself that an evaluation must come from to be tried."""
WIN = 100
TEMPTING_SHARE = 0.5
"""Where a draw is proved: the share of the remaining time in which MCTS looks for the move hardest to answer."""
WORTHWHILE = 7
"""Plies that alpha-beta must see at once to be given a longer look."""
SAMPLE = 512
REASONS: dict[Kind, str] = {
    "puzzle": "one role has choices, so this is a puzzle",
    "duel": "two roles that take turns",
    "other": "not a zero-sum game of two roles in turn, so MCTS, which takes any game",
}


class Stratagem(Player):
    """Chooses by the kind of game, and in a duel by strength."""

    name = "stratagem"

    def __init__(self, *, seed: int | None = None, threads: int | None = None) -> None:
        """*threads*: as many as cores are free when a match begins, unless given."""
        self.seed = 0 if seed is None else seed
        self.mcts = MctsPlayer(seed=seed, threads=threads)
        self.alpha_beta = AlphaBetaPlayer(seed=seed, threads=threads)
        self.solver = Solver(seed=seed)
        self.kind: Kind | None = None
        self.trial: Trial | None = None
        self.score = TrialScore()
        """Of alpha-beta against MCTS."""
        self.without_mcts = False
        """Whether MCTS was not ready in time, or cannot search this game."""
        self.advised_by: Evaluation | None = None
        """What was learned last, whether MCTS uses it or not."""
        self.kept: GameKnowledge | None = None
        """What is on disk about the rules."""

    def start(self, match: Match, clock: Deadline) -> None:
        self.kind, self.trial, self.score, self.without_mcts = kind_of(match), None, TrialScore(), False
        if self.kind == "puzzle":
            self.solver.start(match, clock)
            return
        if self.kind == "duel":
            self._recall(match)
            if clock.left() >= SHORT_START:
                self._prepare(match, clock)
        self._thinker().ponder(match, clock)

    def _prepare(self, match: Match, clock: Deadline) -> None:
        """Learns and chooses, as far as that is not known from earlier matches."""
        if self.score.decided and not self.score.leads:
            self._advise(self.alpha_beta.known)
            return
        self.mcts.ready(match, clock.sooner(0.0))  # gets ready meanwhile
        self.alpha_beta.learn(match, clock.sooner(LEARNING_SHARE))
        self._try_out(match, clock.sooner(TRIAL_SHARE))
        self._advise(self.alpha_beta.evaluation)
        if self.prefers_alpha_beta or self.mcts.advice is not None:
            self.alpha_beta.study(match, clock.sooner(LEARNING_ON_SHARE), alpha_beta.START_MATCHES)
            self._advise(self.alpha_beta.evaluation)
        self._keep(match)

    def _advise(self, evaluation: Evaluation | None) -> None:
        """Has MCTS use *evaluation* where that makes it stronger."""
        if evaluation is not self.advised_by:
            self.advised_by, self.mcts.advice = evaluation, advice_for_mcts(evaluation)

    def play(self, match: Match, clock: Deadline, offer: Offer) -> Choice:
        if self.kind is None:
            self.kind = kind_of(match)
        choice = self._chosen(match, clock, lambda better: offer(self._said(better)))
        return self._said(choice)

    def ponder(self, match: Match, clock: Deadline) -> None:
        if self.kind == "puzzle" or match.over:
            return
        if self.kind == "duel" and not self.score.decided and not self.without_mcts:
            self._keep(match)
            self.alpha_beta.study(match, clock)
            turn = replace(clock, at=min(clock.at, clock.now() + match.playclock))
            self._try_out(match, turn.sooner(PONDERED_TRIAL_SHARE))
            self._advise(self.alpha_beta.evaluation)
        self._thinker().ponder(match, clock)

    def stop(self, match: Match) -> None:
        self.mcts.stop(match)
        self.alpha_beta.stop(match)
        self.solver.stop(match)
        self.trial, self.score, self.without_mcts, self.advised_by = None, TrialScore(), False, None

    @property
    def prefers_alpha_beta(self) -> bool:
        """Whether alpha-beta with the learned evaluation is the better search for this game."""
        return self.kind == "duel" and (self.without_mcts or self.score.leads)

    def _recall(self, match: Match) -> None:
        """Takes over what was learned about the rules in earlier matches."""
        knowledge = recall(match.rules) if self.remember else None
        self.kept = knowledge
        if knowledge is not None:
            self.alpha_beta.known, self.score = knowledge.evaluation, knowledge.score

    def _keep(self, match: Match) -> None:
        """Keeps what is new for the next match by these rules."""
        evaluation, kept = self.alpha_beta.evaluation, self.kept
        if not self.remember or evaluation is None or evaluation.matches < ENOUGH_MATCHES:
            return
        if kept is not None and kept.evaluation is evaluation and kept.score == self.score:
            return
        self.kept = GameKnowledge(evaluation, self.score)
        keep(match.rules, self.kept)

    def _try_out(self, match: Match, clock: Deadline) -> None:
        """Has both searches play each other until the clock is over, and lets go of MCTS where it loses."""
        try:
            if self.trial is None:
                self.trial = self._new_trial(match, clock)
            if self.trial is not None:
                self.trial.go_on(clock)
                self.score = self.trial.score
        except UnsuitableGame:
            self.kind = "other"
        except LimitExceeded:
            self.without_mcts = True  # its tree cannot hold a position
        if self.prefers_alpha_beta:
            self.mcts.stop(match)

    def _new_trial(self, match: Match, clock: Deadline) -> Trial | None:
        """A trial of the two searches; None while one of them is not ready for it."""
        waiting = clock.sooner(WAITING_SHARE)
        if not self.alpha_beta.ready(match, waiting):
            return None
        evaluation = self.alpha_beta.evaluation
        if evaluation is None or evaluation.matches < ENOUGH_MATCHES:
            return None
        if not self.mcts.ready(match, waiting):
            self.without_mcts = (
                not clock.interrupted()
            )  # what takes so long to get ready would be slow as well
            return None
        made = trial_of(match.rules, evaluation, seconds=clock.left(), seed=self.seed)
        made.score = self.score
        return made

    def _thinker(self) -> Player:
        return self.alpha_beta if self.prefers_alpha_beta else self.mcts

    def _chosen(self, match: Match, clock: Deadline, offer: Offer) -> Choice:
        if self.kind == "puzzle":
            found = self.solver.play(match, clock, offer)
            if found.final or found.thought.value or clock.over():
                return found
            other = self.mcts.play(match, clock, offer)
            return other if other.thought.nodes else found
        if self.kind == "other":
            return self.mcts.play(match, clock, offer)
        if len(match.state.choosing) > 1:
            return self.mcts.play(match, clock, offer)
        if self.prefers_alpha_beta:
            return self.alpha_beta.play(match, clock, offer)
        proof = self.alpha_beta.play(match, clock.sooner(PROOF_SHARE), offer)
        seen, beside = proof.thought.depth, self.mcts.crew(match, clock.sooner(0.0)) > 1
        if not proof.final and not beside and seen >= WORTHWHILE:
            near = most_plies_left(match) <= seen + ENDGAME
            proof = self.alpha_beta.play(match, clock.sooner(ENDGAME_SHARE if near else DEEP_SHARE), offer)
        if proof.final and proof.thought.value != 0:
            return proof if proof.thought.value == WIN else self._tempting(match, clock, proof, offer)
        ready = self.alpha_beta.ready(match, clock.sooner(0.0))
        if ready and not self.mcts.ready(match, clock.sooner(PREPARATION_SHARE)):
            return self.alpha_beta.play(match, clock, offer)
        if not (ready and beside and not proof.final):
            return self.mcts.play(match, clock, offer)
        found, proved = play_beside(self.mcts, self.alpha_beta, match, clock, offer)
        if proved is None:
            return found
        return proved if proved.thought.value == WIN else self._tempting(match, clock, proved, offer)

    def _tempting(self, match: Match, clock: Deadline, proof: Choice, offer: Offer) -> Choice:
        """The move that MCTS likes best, if it keeps what is proved and is no win: there others may go wrong."""
        offer(proof)
        if not self.mcts.ready(match, clock.sooner(0.0)):
            return proof
        found = self.mcts.play(match, clock.sooner(TEMPTING_SHARE), lambda better: None)
        worth = proof.thought.value or 0.0
        if found.move == proof.move or not self.alpha_beta.keeps(match, found.move, worth, clock):
            return proof
        why = f"{proof.thought.why}; this move keeps that value and leaves more room for mistakes"
        return replace(
            proof, move=found.move, thought=replace(proof.thought, why=why, line=found.thought.line)
        )

    def _said(self, choice: Choice) -> Choice:
        thought = choice.thought
        if len(thought.line) == 0 and thought.nodes == 0:
            return replace(choice, thought=replace(thought, player=self.name))
        why = f"{thought.why} ({self._reason()})"
        return replace(choice, thought=replace(thought, player=self.name, why=why))

    def _reason(self) -> str:
        kind = self.kind or "other"
        if kind != "duel":
            return REASONS[kind]
        if self.without_mcts:
            return f"{REASONS[kind]}; MCTS was not ready in time"
        if self.mcts.advice is not None and not self.prefers_alpha_beta:
            kept = f"{self.score.words('alpha-beta', 'MCTS')}; " if self.score.matches else ""
            return f"{REASONS[kind]}; {kept}MCTS uses the learned evaluation beside random matches"
        if not self.score.matches:
            return f"{REASONS[kind]}; there was no time for the trial yet"
        return f"{REASONS[kind]}; {self.score.words('alpha-beta', 'MCTS')}"


def kind_of(match: Match) -> Kind:
    """What kind of game *match* is, as far as its position shows; a search that finds otherwise says so."""
    if len(match.roles) == 1:
        return "puzzle"
    if len(match.roles) == 2 and "random" not in match.roles and len(match.state.choosing) <= 1:
        return "duel" if goals_add_up(match) else "other"
    return "other"


def most_plies_left(match: Match) -> float:
    """How long the match goes on at most by random play; without end where that cannot be told at once."""
    if not match.rules.compilable:
        return inf
    return match.rules.playouts(match.state, SAMPLE, threads=1).longest


def goals_add_up(match: Match) -> bool:
    """Whether what one role gains the other loses, in all of a few random matches; yes where none can be played fast."""
    if not match.rules.compilable or match.over:
        return True
    outcomes = match.rules.playouts(match.state, SAMPLE, threads=1).outcomes
    return all(None not in goals and sum(goal or 0 for goal in goals) == 100 for goals in outcomes)
