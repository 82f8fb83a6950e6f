"""The player `stratagem`: it chooses the search that suits the kind of game, and says why.

A puzzle is solved in the start clock and the solution played. Two roles that take turns are a duel: an evaluation is
learned from matches against itself, and both searches are tried for a moment. Where alpha-beta looks at hundreds of
states in the time of one simulation of MCTS, as in games with long matches, it plays by the evaluation; elsewhere MCTS does, after
a look by alpha-beta for anything that can be proved at once. Everything else (three roles, moves made at once,
goals that do not add up) gets MCTS.
"""

from __future__ import annotations

from dataclasses import replace
from math import inf
from time import process_time
from typing import Literal

from stratagem.play.choice import Choice, Offer
from stratagem.play.clock import Deadline
from stratagem.play.interface import Player
from stratagem.play.match_state import Match
from stratagem.play.players.alpha_beta import AlphaBetaPlayer
from stratagem.play.players.mcts import MctsPlayer
from stratagem.play.players.solver import Solver

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
LEARNING_SHARE = 0.75
WAITING_SHARE = 0.5
"""Of what is left of a clock after learning: how long each search may still take to get ready to be tried."""
MEASURING = 0.15
"""Seconds of the processor for which each search is tried to see how fast it is."""
MEASURING_SHARE = 0.3
"""Of what is left of a clock: how long this takes at most, where others want the processor too."""
PREFERRED_RATIO = 200
"""States that alpha-beta must look at in the time of one simulation of MCTS to be preferred (benchmarks/choosing.py)."""
MANY = 1_000_000
"""States in the time of one simulation beyond which the number means no more than that MCTS hardly moves."""
ENOUGH_MATCHES = 100
"""Matches against itself that an evaluation must come from to be played by."""
WIN = 100
TEMPTING_SHARE = 0.5
"""Where a draw is proved: the share of the remaining time in which MCTS looks for the move hardest to answer."""
WORTHWHILE = 7
"""Plies that alpha-beta must see at once to be given a longer look."""
SAMPLE = 512
REASONS: dict[Kind, str] = {
    "puzzle": "one role has choices, so this is a puzzle",
    "duel": "two roles that take turns",
    "other": "not two roles that take turns with goals that add up, so MCTS, which takes any game",
}


class Stratagem(Player):
    """Chooses by the kind of game."""

    name = "stratagem"

    def __init__(self, *, seed: int | None = None, threads: int | None = None) -> None:
        """*threads*: as many as cores are free when a match begins, unless given."""
        self.mcts = MctsPlayer(seed=seed, threads=threads)
        self.alpha_beta = AlphaBetaPlayer(seed=seed, threads=threads)
        self.solver = Solver(seed=seed)
        self.kind: Kind | None = None
        self.states_per_simulation = 0.0

    def start(self, match: Match, clock: Deadline) -> None:
        self.kind = kind_of(match)
        if self.kind == "puzzle":
            self.solver.start(match, clock)
            return
        if self.kind == "duel":
            self.mcts.ready(match, clock.sooner(0.0))  # gets ready meanwhile
            self.alpha_beta.learn(match, clock.sooner(LEARNING_SHARE))
            self._measure(match, clock)
        self._thinker().ponder(match, clock)

    def play(self, match: Match, clock: Deadline, offer: Offer) -> Choice:
        if self.kind is None:
            self.kind = kind_of(match)
        choice = self._chosen(match, clock, lambda better: offer(self._said(better)))
        return self._said(choice)

    def ponder(self, match: Match, clock: Deadline) -> None:
        if self.kind == "puzzle" or match.over:
            return
        if (
            self.kind == "duel"
            and not self.prefers_alpha_beta
            and not 0 < self.states_per_simulation < PREFERRED_RATIO
        ):
            self.alpha_beta.study(match, clock)
            if not self.states_per_simulation:
                self._measure(match, clock)
        self._thinker().ponder(match, clock)

    def stop(self, match: Match) -> None:
        self.mcts.stop(match)
        self.alpha_beta.stop(match)
        self.solver.stop(match)

    @property
    def prefers_alpha_beta(self) -> bool:
        """Whether alpha-beta with the learned evaluation is the better search for this game."""
        evaluation = self.alpha_beta.evaluation
        return (
            evaluation is not None
            and evaluation.matches >= ENOUGH_MATCHES
            and self.states_per_simulation >= PREFERRED_RATIO
        )

    def _measure(self, match: Match, clock: Deadline) -> None:
        """Tries both searches for a moment, and lets go of the one that is not needed."""
        ready = self.alpha_beta.ready(match, clock.sooner(WAITING_SHARE))
        if ready and self.mcts.ready(match, clock.sooner(WAITING_SHARE)):
            states = self.alpha_beta.pace(match, moment(clock))
            simulations = self.mcts.pace(match, moment(clock))
            if states is not None and simulations is not None:
                self.states_per_simulation = states / max(simulations, 1e-3)
        elif ready:
            self.states_per_simulation = inf  # what takes so long to get ready would be slow as well
        if self.prefers_alpha_beta:
            self.mcts.stop(match)

    def _thinker(self) -> Player:
        return self.alpha_beta if self.kind == "duel" and self.prefers_alpha_beta else self.mcts

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
        seen = proof.thought.depth
        if not proof.final and seen >= WORTHWHILE:
            near = most_plies_left(match) <= seen + ENDGAME
            proof = self.alpha_beta.play(match, clock.sooner(ENDGAME_SHARE if near else DEEP_SHARE), offer)
        if proof.final and proof.thought.value != 0:
            return proof if proof.thought.value == WIN else self._tempting(match, clock, proof, offer)
        ready = self.alpha_beta.ready(match, clock.sooner(0.0))
        if ready and not self.mcts.ready(match, clock.sooner(PREPARATION_SHARE)):
            return self.alpha_beta.play(match, clock, offer)
        return self.mcts.play(match, clock, offer)

    def _tempting(self, match: Match, clock: Deadline, proof: Choice, offer: Offer) -> Choice:
        """The move that MCTS likes best, if it keeps what is proved and is no win: there others may go wrong."""
        offer(proof)
        if not self.mcts.ready(match, clock.sooner(0.0)):
            return proof
        found = self.mcts.play(match, clock.sooner(TEMPTING_SHARE), lambda better: None)
        worth = proof.thought.value or 0.0
        if found.move == proof.move or not self.alpha_beta.keeps(match, found.move, worth, clock):
            return proof
        why = f"{proof.thought.why}; it can be kept by a move that leaves more room for mistakes"
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
        evaluation = self.alpha_beta.evaluation
        if kind != "duel" or evaluation is None:
            return REASONS[kind]
        if self.prefers_alpha_beta:
            return f"{REASONS[kind]}; {pace_words(self.states_per_simulation)}"
        if not self.states_per_simulation:
            return f"{REASONS[kind]}; there was no time to learn yet"
        return f"{REASONS[kind]}; MCTS is quick here"


def pace_words(states_per_simulation: float) -> str:
    """How fast alpha-beta is beside MCTS.

    >>> pace_words(1234.5)
    'alpha-beta sees 1,234 states in the time of one simulation of MCTS'
    """
    if states_per_simulation == inf:
        return "MCTS was not ready in the start clock"
    if states_per_simulation > MANY:
        return f"one simulation of MCTS takes longer than {MANY:,} states of alpha-beta"
    return f"alpha-beta sees {states_per_simulation:,.0f} states in the time of one simulation of MCTS"


def moment(clock: Deadline) -> Deadline:
    """A short part of *clock* in which a search is tried."""
    begin = process_time()
    return replace(
        clock.sooner(MEASURING_SHARE),
        interrupted=lambda: clock.interrupted() or process_time() - begin >= MEASURING,
    )


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
