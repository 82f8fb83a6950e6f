"""Players at work for one seat: the game and the player's tree are kept from move to move."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from time import monotonic
from typing import Any, Final

from stratagem.play.choice import Choice
from stratagem.play.clock import Deadline
from stratagem.play.match import Match, Node
from stratagem.play.player import Player
from stratagem.play.players import player_named
from stratagem.web.address import Sheet
from stratagem.web.desks import Heard
from stratagem.web.tasks.loaded import FASTEST, Joint, game_of, state_after

TOLD_EVERY: Final = 0.15
"""Seconds between two offers that a page hears of."""
_players: dict[tuple[Sheet, str, int | None], Player] = {}


@dataclass(frozen=True, slots=True)
class Thinking:
    """What a player has found: its *move* in canonical text, and the thought behind it as plain data."""

    role: str
    move: str
    thought: dict[str, Any]


def think(
    sheet: Sheet,
    history: Sequence[Joint],
    role: str,
    player: str,
    seconds: float,
    seed: int | None,
    *,
    tell: Heard,
) -> Thinking:
    """The move of *player* for *role* after *history*, within that many *seconds*; offers are told."""
    thinker = _players.get((sheet, player, seed))
    if thinker is None:
        thinker = _players[sheet, player, seed] = player_named(player, seed=seed)
    match = match_at(sheet, history, role, seconds)
    last = 0.0

    def offer(choice: Choice) -> None:
        nonlocal last
        if monotonic() - last > TOLD_EVERY:
            last = monotonic()
            tell(Thinking(role, str(choice.move), choice.thought.as_json()))

    choice = thinker.play(match, Deadline.after(seconds), offer)
    return Thinking(role, str(choice.move), choice.thought.as_json())


def prepare(sheet: Sheet, *, tell: Heard) -> None:
    """Reads the rules before the first move is due."""
    game_of(sheet, FASTEST)


def match_at(sheet: Sheet, history: Sequence[Joint], role: str, seconds: float) -> Match:
    """The match after *history* from the seat of *role*, with the way that led there."""
    game = game_of(sheet, FASTEST)
    node: Node | None = None
    for turn in range(len(history) + 1):
        moves = tuple(map(game.move, history[turn - 1])) if turn else ()
        node = Node(state_after(sheet, history[:turn], FASTEST), node, moves, turn)
    assert node is not None
    return Match("workbench", role, game, node, seconds, seconds)
