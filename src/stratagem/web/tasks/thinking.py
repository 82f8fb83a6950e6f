"""Players at work for one seat: the game and the player's tree are kept from move to move.

A page that is looked at before the first move is the player's start clock, and the time in which others choose is its own
too: it learns and thinks on in a thread, which gives way when a move is due.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from threading import Event, Thread
from time import monotonic
from typing import Any, Final

from stratagem.errors import StratagemError
from stratagem.loading import MachineName
from stratagem.play.choice import Choice, Offer
from stratagem.play.clock import Deadline
from stratagem.play.interface import Player
from stratagem.play.match_state import Match, MatchNode
from stratagem.play.players import player_named
from stratagem.play.players.mcts import MATCHES
from stratagem.play.players.uct import Uct
from stratagem.web.app.address import Sheet
from stratagem.web.tasks.loaded import FASTEST, Joint, game_of, state_after
from stratagem.web.workers.worker_process import Heard

TOLD_EVERY: Final = 0.15
"""Seconds between two offers that a page hears of."""
MEANWHILE: Final = 12.0
"""Seconds that a player goes on while nobody asks it: pages may be left open."""
SOLVERS: Final = ("stratagem", "solver", "puzzle")
SOLVING: Final = 30.0
"""Seconds in which these may solve a puzzle before their first move: it is solved once, and the solution played."""
PLAIN: Final = ("legal", "random", "uct")
"""Players who need nothing to be ready."""
_seated: dict[PlayerSeat, SeatedPlayer] = {}
"""Who sits at this desk: one, or nobody yet."""


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


class SeatedPlayer:
    """A player who uses the time between its moves; the *deputy* searches where its own search is not ready."""

    def __init__(self, player: Player, match: Match, deputy: Player) -> None:
        """Begins *match* at once: its start clock runs until the first move is due, but no shorter than the match says."""
        self.player = player
        self.deputy = deputy
        self._started_by = monotonic() + match.startclock
        self._called, self._work = self._meanwhile(player.start, match)

    def call(self) -> None:
        """Ends what is being thought, because a move is due; the start clock is waited for."""
        self._work.join(max(0.0, self._started_by - monotonic()))
        self.leave()

    def play(self, match: Match, offer: Offer) -> Choice:
        """The move that is due; nobody is thinking any more, see `call`."""
        choice = self.player.play(match, Deadline.after(match.playclock), offer)
        if not searched(choice, len(match.legals())) and self.player.name not in PLAIN:
            found = self.deputy.play(match, Deadline.after(match.playclock), offer)
            if found.thought.nodes > 0:
                why = f"{found.thought.why} ({self.player.name}: {choice.thought.why})"
                choice = replace(found, thought=replace(found.thought, why=why))
        self._called, self._work = self._meanwhile(self.player.ponder, match.expecting(choice.move))
        return choice

    def leave(self) -> None:
        """Ends what is being thought."""
        self._called.set()
        self._work.join()

    def _meanwhile(self, use: Callable[[Match, Deadline], None], match: Match) -> tuple[Event, Thread]:
        called = Event()
        clock = Deadline.after(max(MEANWHILE, match.startclock), interrupted=called.is_set)

        def work() -> None:
            with suppress(StratagemError, MemoryError):  # said, or done without, when a move is due
                use(match, clock)

        thread = Thread(target=work, name="meanwhile", daemon=True)
        thread.start()
        return called, thread


def think(seat: PlayerSeat, history: Sequence[Joint], *, tell: Heard) -> Thinking:
    """The move of the player at *seat* after *history*, within its clock; offers are told."""
    seated = _taken(seat, history)
    seated.call()  # first, so that the player's own thread takes no time from the move that is due
    return _told(match_at(seat, history), seated.play, tell)


def searched(choice: Choice, moves: int) -> bool:
    """Whether there is a search behind *choice* that could have looked at every one of so many *moves*."""
    return choice.final or choice.thought.solved or choice.thought.nodes >= moves


def consult(seat: PlayerSeat, history: Sequence[Joint], *, tell: Heard) -> Thinking:
    """The same of a player who is asked this once: it neither begins before nor thinks on afterwards."""
    player = player_named(seat.player, seed=seat.seed)

    def play(match: Match, offer: Offer) -> Choice:
        return player.play(match, Deadline.after(seat.seconds), offer)

    return _told(match_at(seat, history), play, tell)


def _told(match: Match, play: Callable[[Match, Offer], Choice], tell: Heard) -> Thinking:
    """What *play* finds, with offers told now and then."""
    last = 0.0

    def found(choice: Choice) -> Thinking:
        return Thinking(match.role, str(choice.move), choice.thought.as_json())

    def offer(choice: Choice) -> None:
        nonlocal last
        if monotonic() - last > TOLD_EVERY:
            last = monotonic()
            tell(found(choice))

    return found(play(match, offer))


def prepare(seat: PlayerSeat, history: Sequence[Joint], *, tell: Heard) -> None:
    """Lets the player at *seat* read the rules and begin, before its first move is due."""
    _taken(seat, history)


def _taken(seat: PlayerSeat, history: Sequence[Joint]) -> SeatedPlayer:
    """Whoever sits at *seat*; who sat elsewhere before has left."""
    if seat not in _seated:
        clear_the_table()
        match = match_at(seat, history)
        deputy = Uct(seed=seat.seed, matches=MATCHES)
        _seated[seat] = SeatedPlayer(player_named(seat.player, seed=seat.seed), match, deputy)
    return _seated[seat]


def clear_the_table() -> None:
    """Sends away whoever sits here."""
    while _seated:
        _seated.popitem()[1].leave()


def match_at(seat: PlayerSeat, history: Sequence[Joint]) -> Match:
    """The match after *history* from *seat*, with the way that led there."""
    game = game_of(seat.sheet, seat.machine)
    node: MatchNode | None = None
    for turn in range(len(history) + 1):
        moves = tuple(map(game.move, history[turn - 1])) if turn else ()
        node = MatchNode(state_after(seat.sheet, history[:turn], seat.machine), node, moves, turn)
    assert node is not None
    puzzle = len(game.roles) == 1 and seat.player in SOLVERS
    return Match(
        "workbench",
        seat.role,
        game,
        node,
        max(SOLVING, seat.seconds) if puzzle else seat.seconds,
        seat.seconds,
    )
