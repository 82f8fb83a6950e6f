"""The thinking of a player as the workbench shows it, and players that are consulted once, in this process."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from time import monotonic
from typing import Any, Final

from stratagem.loading import MachineName
from stratagem.play.choice import Choice
from stratagem.play.clock import Deadline
from stratagem.play.match_state import Match, MatchNode
from stratagem.play.players import player_named
from stratagem.web.app.address import Sheet
from stratagem.web.tasks.loaded import FASTEST, Joint, game_of, state_after
from stratagem.web.workers.worker_process import Heard

TOLD_EVERY: Final = 0.15
"""Seconds between two offers that a page hears of."""


@dataclass(frozen=True, slots=True)
class PlayerSeat:
    """Who plays which role of which game, and how many seconds each move may take."""

    sheet: Sheet
    role: str
    player: str
    seconds: float
    seed: int | None = None
    machine: MachineName | None = FASTEST


@dataclass(frozen=True, slots=True)
class Thinking:
    """What a player has found: its *move* in canonical text, and the thought behind it as plain data."""

    role: str
    move: str
    thought: dict[str, Any]


def consult(seat: PlayerSeat, history: Sequence[Joint], *, tell: Heard) -> Thinking:
    """The move of a player that is asked once, after *history*; offers are told now and then."""
    match, last = match_at(seat, history), 0.0

    def found(choice: Choice) -> Thinking:
        return Thinking(match.role, str(choice.move), choice.thought.as_json())

    def offer(choice: Choice) -> None:
        nonlocal last
        if monotonic() - last > TOLD_EVERY:
            last = monotonic()
            tell(found(choice))

    player = player_named(seat.player, seed=seat.seed)
    return found(player.play(match, Deadline.after(seat.seconds), offer))


def match_at(seat: PlayerSeat, history: Sequence[Joint]) -> Match:
    """The match after *history* for the player of *seat*."""
    game = game_of(seat.sheet, seat.machine)
    node: MatchNode | None = None
    for turn in range(len(history) + 1):
        moves = tuple(map(game.move, history[turn - 1])) if turn else ()
        node = MatchNode(state_after(seat.sheet, history[:turn], seat.machine), node, moves, turn)
    assert node is not None
    return Match("workbench", seat.role, game, node, seat.seconds, seat.seconds)
