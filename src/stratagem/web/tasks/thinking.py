"""Players at work for one seat: the game and the player's tree are kept from move to move.

A page that is looked at before the first move is the player's start clock, and the time in which others choose is its own
too: it learns and thinks on in a thread, which gives way when a move is due.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from threading import Event, Thread
from time import monotonic
from typing import Any, Final

from stratagem.errors import StratagemError
from stratagem.play.choice import Choice, Offer
from stratagem.play.clock import Deadline
from stratagem.play.match import Match, Node
from stratagem.play.player import Player
from stratagem.play.players import player_named
from stratagem.web.address import Sheet
from stratagem.web.desks import Heard
from stratagem.web.tasks.loaded import FASTEST, Joint, game_of, state_after

TOLD_EVERY: Final = 0.15
"""Seconds between two offers that a page hears of."""
MEANWHILE: Final = 12.0
"""Seconds that a player goes on while nobody asks it: pages may be left open."""
_seated: dict[tuple[Sheet, str, str, int | None], Seated] = {}
"""Who sits at this desk: one, or nobody yet."""


@dataclass(frozen=True, slots=True)
class Thinking:
    """What a player has found: its *move* in canonical text, and the thought behind it as plain data."""

    role: str
    move: str
    thought: dict[str, Any]


class Seated:
    """A player who uses the time between its moves."""

    def __init__(self, player: Player, match: Match) -> None:
        """Begins *match* at once: its start clock runs until the first move is due, but no shorter than the match says."""
        self.player = player
        self._started_by = monotonic() + match.startclock
        self._called, self._work = self._meanwhile(player.start, match)

    def play(self, match: Match, offer: Offer) -> Choice:
        self._work.join(max(0.0, self._started_by - monotonic()))
        clock = Deadline.after(match.playclock)
        self.leave()
        choice = self.player.play(match, clock, offer)
        self._called, self._work = self._meanwhile(self.player.ponder, match.expecting(choice.move))
        return choice

    def leave(self) -> None:
        """Ends what is being thought."""
        self._called.set()
        self._work.join()

    def _meanwhile(self, use: Callable[[Match, Deadline], None], match: Match) -> tuple[Event, Thread]:
        called = Event()
        clock = Deadline.after(MEANWHILE, interrupted=called.is_set)

        def work() -> None:
            with suppress(StratagemError, MemoryError):  # said, or done without, when a move is due
                use(match, clock)

        thread = Thread(target=work, name="meanwhile", daemon=True)
        thread.start()
        return called, thread


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
    match = match_at(sheet, history, role, seconds)
    seated = _at_the_table(sheet, player, seed, match)
    last = 0.0

    def offer(choice: Choice) -> None:
        nonlocal last
        if monotonic() - last > TOLD_EVERY:
            last = monotonic()
            tell(Thinking(role, str(choice.move), choice.thought.as_json()))

    choice = seated.play(match, offer)
    return Thinking(role, str(choice.move), choice.thought.as_json())


def prepare(
    sheet: Sheet,
    history: Sequence[Joint],
    role: str,
    player: str,
    seconds: float,
    seed: int | None,
    *,
    tell: Heard,
) -> None:
    """Lets *player* read the rules and begin, before its first move is due."""
    _at_the_table(sheet, player, seed, match_at(sheet, history, role, seconds))


def _at_the_table(sheet: Sheet, player: str, seed: int | None, match: Match) -> Seated:
    key = sheet, match.role, player, seed
    if key not in _seated:
        clear_the_table()
        _seated[key] = Seated(player_named(player, seed=seed), match)
    return _seated[key]


def clear_the_table() -> None:
    """Sends away whoever sits here."""
    while _seated:
        _seated.popitem()[1].leave()


def match_at(sheet: Sheet, history: Sequence[Joint], role: str, seconds: float) -> Match:
    """The match after *history* from the seat of *role*, with the way that led there."""
    game = game_of(sheet, FASTEST)
    node: Node | None = None
    for turn in range(len(history) + 1):
        moves = tuple(map(game.move, history[turn - 1])) if turn else ()
        node = Node(state_after(sheet, history[:turn], FASTEST), node, moves, turn)
    assert node is not None
    return Match("workbench", role, game, node, seconds, seconds)
