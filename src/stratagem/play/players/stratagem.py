"""`stratagem`: the player that looks at the game first and takes the search that suits it, and says why.

A puzzle is expanded from its start, as the lecture does; two roles that take turns get alpha-beta for a share of the
time, whose proofs count, and UCT for the rest, whose guesses do; everything else (three roles, moves made at once)
gets UCT alone.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from stratagem.play.choice import Choice, Offer
from stratagem.play.clock import Deadline
from stratagem.play.match import Match
from stratagem.play.player import Player
from stratagem.play.players.alpha_beta import AlphaBeta
from stratagem.play.players.puzzle import PuzzleSolver
from stratagem.play.players.uct import Uct

Kind = Literal["puzzle", "duel", "other"]
PROOF_SHARE = 0.35
REASONS: dict[Kind, str] = {
    "puzzle": "one role has choices, so this is a puzzle",
    "duel": "two roles that take turns, so proofs by alpha-beta and guesses by UCT",
    "other": "not two roles that take turns, so UCT, which takes any game",
}


class Stratagem(Player):
    """Chooses by the kind of game."""

    name = "stratagem"

    def __init__(self, *, seed: int | None = None) -> None:
        self.uct = Uct(seed=seed)
        self.alpha_beta = AlphaBeta(seed=seed)
        self.puzzle = PuzzleSolver(seed=seed)
        self.kind: Kind | None = None

    def start(self, match: Match, clock: Deadline) -> None:
        self.kind = kind_of(match)
        if self.kind == "puzzle":
            self.puzzle.start(match, clock)
        elif self.kind == "duel":
            self.alpha_beta.start(match, clock.sooner(PROOF_SHARE))
        if self.kind != "puzzle":
            self.uct.start(match, clock)

    def play(self, match: Match, clock: Deadline, offer: Offer) -> Choice:
        if self.kind is None:
            self.kind = kind_of(match)
        choice = self._chosen(match, clock, lambda better: offer(self._said(better)))
        return self._said(choice)

    def ponder(self, match: Match, clock: Deadline) -> None:
        if self.kind == "puzzle":
            self.puzzle.ponder(match, clock)
        else:
            self.uct.ponder(match, clock)

    def stop(self, match: Match) -> None:
        self.uct.stop(match)
        self.puzzle.stop(match)

    def _chosen(self, match: Match, clock: Deadline, offer: Offer) -> Choice:
        if self.kind == "puzzle":
            found = self.puzzle.play(match, clock, offer)
            return found if found.final or found.thought.value else self.uct.play(match, clock, offer)
        if self.kind == "other":
            return self.uct.play(match, clock, offer)
        proof = self.alpha_beta.play(match, clock.sooner(PROOF_SHARE), offer)
        if proof.final and proof.thought.value != 0:
            return proof
        return self.uct.play(match, clock, offer)

    def _said(self, choice: Choice) -> Choice:
        thought = choice.thought
        if len(thought.line) == 0 and thought.nodes == 0:
            return replace(choice, thought=replace(thought, player=self.name))
        why = f"{thought.why} ({REASONS[self.kind or 'other']})"
        return replace(choice, thought=replace(thought, player=self.name, why=why))


def kind_of(match: Match) -> Kind:
    """What kind of game *match* is, as far as its position shows; a search that finds otherwise says so."""
    if len(match.roles) == 1:
        return "puzzle"
    if len(match.roles) == 2 and "random" not in match.roles and len(match.state.to_move) <= 1:
        return "duel"
    return "other"
