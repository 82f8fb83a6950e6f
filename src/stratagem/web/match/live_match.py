"""A live match: one running match of one visitor, without any page.

Each role is played by ``you`` or by a player, by name. `LiveMatch.query` has all that is needed to restore the match,
so that nothing is lost when the page is loaded anew.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from time import monotonic, time
from typing import Any, Final, TypeAlias

from stratagem.errors import IllegalMove, StratagemError, UsageError
from stratagem.web.app.address import Sheet
from stratagem.web.app.limits import FORCED_TURNS, LONGEST_MATCH
from stratagem.web.app.setting import DEFAULT_CLOCK, PlaySetting
from stratagem.web.match.occupants import YOU, Seats, occupants_from
from stratagem.web.match.player_processes import PlayerProcesses
from stratagem.web.match.readiness import Readiness
from stratagem.web.tasks import positions
from stratagem.web.tasks.loaded import Joint
from stratagem.web.tasks.positions import MoveView, PositionView
from stratagem.web.tasks.thinking import Thinking
from stratagem.web.workers.scheduler import Scheduler

Reasons: TypeAlias = Sequence[Mapping[str, Any]]
"""Answers of `why`, as plain data."""
CHANCE: Final = "random"
"""The role that stands for chance."""
SOON: Final = 0.5
"""Seconds after which a page says what it waits for."""


@dataclass(slots=True)
class LiveMatch:
    """One match. *changed* is called whenever there is something new to show."""

    scheduler: Scheduler
    sheet: Sheet
    setting: PlaySetting
    owner: str
    changed: Callable[[], None]
    position: PositionView | None = None
    svg: str = ""
    places: Seats = field(default_factory=Seats)
    """Who plays each role, and who did."""
    clock: float = DEFAULT_CLOCK
    chosen: dict[str, str] = field(default_factory=dict)
    clicked: tuple[int, ...] = ()
    candidates: tuple[MoveView, ...] = ()
    tried: str = ""
    """What was clicked last that is not a move, in words."""
    thoughts: dict[tuple[int, str], Thinking] = field(default_factory=dict)
    latest: Thinking | None = None
    busy: str = ""
    """What is being waited for, in words; empty where a person is to move."""
    busy_since: float = 0.0
    trouble: str = ""
    paused: bool = False
    times: list[int] = field(default_factory=list)
    made: list[Joint] = field(default_factory=list)
    """Turn by turn, the moves of those who had a choice."""
    _thinking: dict[str, asyncio.Task[Thinking]] = field(default_factory=dict)
    _moving: asyncio.Lock = field(default_factory=asyncio.Lock)
    readiness: Readiness = field(init=False)
    processes: PlayerProcesses = field(init=False)

    def __post_init__(self) -> None:
        self.readiness = Readiness(self.scheduler.compilations, self.sheet, self.owner, self.changed)
        self.processes = PlayerProcesses(self.scheduler, self.sheet, self.owner, self.readiness)

    # -- what the page calls -------------------------------------------------------------------------------

    async def open(self) -> None:
        """Opens the match: the position that the address describes, or the beginning where that cannot be."""
        self.clock = self.setting.clock
        first = await self._position(())
        seats = list(self.setting.seats[: len(first.roles)])
        while len(seats) < len(first.roles):
            seats.append(YOU if YOU not in seats else "stratagem")
        self.places = Seats(dict(zip(first.roles, map(occupants_from, seats), strict=True)))
        if CHANCE in first.roles:
            self.places.occupants[CHANCE] = occupants_from("random")
        self.times = [_now()]
        self._show(first)
        try:
            await self._replay(self.setting.moves)
        except StratagemError as refused:
            self.trouble = str(refused)
            self._show(first)
            del self.times[1:], self.made[:]
        self.places.back_to(len(self.history))

    async def go_on(self) -> None:
        """Plays until a person has to choose, the match is over, or it is paused."""
        async with self._moving:
            await self._go_on()

    async def _go_on(self) -> None:
        forced = 0
        try:
            while not self.over and not self.paused:
                position = self._here()
                if position.turn >= LONGEST_MATCH:
                    raise UsageError(
                        f"the match has gone on for {LONGEST_MATCH} turns", hint="begin another one"
                    )
                forced = 0 if position.choosers else forced + 1
                if forced > FORCED_TURNS:
                    self.paused = True
                    raise UsageError(
                        f"no role had a choice for {FORCED_TURNS} turns", hint="go on if you like"
                    )
                if not await self._turn(position):
                    break
        except StratagemError as refused:
            self.trouble = str(refused)
            self.paused = True
        finally:
            self.busy = ""
            self.changed()

    async def click(self, key: str) -> Reasons:
        """A click on a square: a move, the first part of one, or else the reasons why it is neither."""
        position, role = self._here(), self.mover
        self.tried = ""
        if role is None or key not in position.squares:
            return ()
        number = position.squares.index(key)
        if self.clicked == (number,) and len(self.candidates) > 0:
            await self.unclick()
            return ()
        candidates = position.matching(role, (*self.clicked, number))
        if not candidates and self.clicked:
            fresh = position.matching(role, (number,))
            if fresh:
                self.clicked = ()
                candidates = fresh
        if not candidates:
            tried = (*self.clicked, number)
            places = [position.squares[one].partition(":")[2].replace(",", " ") for one in tried]
            self.tried = f"{role} has no move {'at' if len(tried) == 1 else 'from'} {' to '.join(places)}."
            await self.unclick()
            return await self.scheduler.ask(self.sheet, positions.why_not, position.history, role, tried)
        self.clicked = (*self.clicked, number)
        whole = [move for move in candidates if len(move.steps) == len(self.clicked)]
        if len(candidates) == 1 and whole:
            await self.pick(role, whole[0].text)
            return ()
        self.candidates = candidates
        await self._highlight(position)
        return ()

    async def unclick(self) -> None:
        """Takes back the clicks of a move that is not finished."""
        self.clicked, self.candidates = (), ()
        await self._highlight(self._here())

    async def point(self, role: str, move: MoveView) -> None:
        """Draws the squares of a move that is only talked about."""
        position = self._here()
        if not self.clicked and move.steps:
            drawn = await self.scheduler.ask(self.sheet, positions.pointed, position.history, role, move.text)
            if self.position is position and not self.clicked:
                self.svg = drawn
                self.changed()

    async def pick(self, role: str, move: str) -> None:
        """A person's choice for *role*."""
        if all(move != legal.text for legal in self._here().moves(role)):
            raise IllegalMove(f"{move} is not legal here")
        self.chosen[role] = move
        self.clicked, self.candidates, self.trouble, self.tried = (), (), "", ""
        await self.go_on()

    async def undo(self) -> None:
        """Goes back to the last choice of a person, or one turn where no person plays."""
        self.stop()
        position = self._here()
        turn = position.turn - 1
        while turn >= 0:
            earlier = await self._position(position.history[:turn])
            if YOU not in self.seats.values() or any(self.seats[role] == YOU for role in earlier.choosers):
                break
            turn -= 1
        if turn < 0:
            return
        self.thoughts = {key: thought for key, thought in self.thoughts.items() if key[0] < turn}
        del self.times[turn + 1 :], self.made[turn:]
        self.trouble, self.paused = "", YOU not in self.seats.values()
        self.places.back_to(turn)
        self._show(earlier)
        self.changed()

    async def try_again(self) -> None:
        """Goes on after trouble."""
        self.trouble, self.paused = "", False
        await self.go_on()

    def play_out(self) -> None:
        """Gives every seat of a person to a player; `go_on` then plays to the end."""
        for role, seat in self.seats.items():
            if seat == YOU:
                self.assign(role, "stratagem")
        self.paused = False

    def assign(self, role: str, seat: str) -> None:
        """Has *role* played by *seat* from here on."""
        self.places.assign(role, seat, len(self.history))

    async def prepare(self) -> None:
        """Has the rules compiled, and the players read them and begin before they have to move."""
        await self.readiness.wait()
        for role, seat in self.seats.items():
            if seat != YOU and role != CHANCE:
                await self.processes.prepare(role, seat, self.clock, len(self.seats))

    def stop(self) -> None:
        """Ends all thinking."""
        for role, task in self._thinking.items():
            task.cancel()
            self.processes.end(role)
        self._thinking.clear()
        self.chosen.clear()
        self.busy = ""

    def leave(self) -> None:
        """Leaves the match: the processes of its players are ended."""
        self.paused = True
        self.stop()
        self.readiness.leave()
        for role in self.seats:
            self.processes.end(role)

    # -- what the page shows -------------------------------------------------------------------------------

    @property
    def over(self) -> bool:
        return self.position is not None and self.position.terminal

    @property
    def mover(self) -> str | None:
        """The role whose move a person is to choose now; of several the first."""
        if self.position is None or self.over:
            return None
        waiting = (role for role in self.position.choosers if role not in self.chosen)
        return next((role for role in waiting if self.seats[role] == YOU), None)

    @property
    def history(self) -> tuple[Joint, ...]:
        return () if self.position is None else self.position.history

    @property
    def seats(self) -> dict[str, str]:
        """Who plays each role now."""
        return self.places.now

    def query(self) -> dict[str, str]:
        """All that an address needs to come back here."""
        return self._address(self.places.texts, chain(*self.made))

    def query_anew(self) -> dict[str, str]:
        """The same for another match of the same people and players."""
        return self._address(self.places.anew(), ())

    def _address(self, seats: tuple[str, ...], moves: Iterable[str]) -> dict[str, str]:
        return {**self.sheet.query(), **PlaySetting(seats, self.clock, tuple(moves)).query()}

    # -- one turn ------------------------------------------------------------------------------------------

    async def _turn(self, position: PositionView) -> bool:
        """One joint move, if all who have a choice have made it; False where a person has to."""
        stuck = [role for role in position.roles if not position.moves(role)]
        if stuck:
            raise UsageError(
                f"{stuck[0]} has no legal move here", hint="the rules are not playable: check them"
            )
        thinkers = [role for role in position.choosers if self.seats[role] != YOU]
        for role in thinkers:
            if role not in self._thinking:
                self._thinking[role] = asyncio.ensure_future(self._think(position, role))
        if self.mover is not None:
            self.changed()
            return False
        if thinkers:
            self._wait_for(f"{' and '.join(thinkers)} {'think' if len(thinkers) > 1 else 'thinks'}")
        for role in thinkers:
            task = self._thinking[role]
            try:
                found = await task
            except asyncio.CancelledError:
                if task.cancelled() and role not in self._thinking:
                    return False  # stopped from outside: an undo, a new match
                raise
            except StratagemError:
                self._thinking.pop(role, None)  # who goes on asks anew
                raise
            if self.position is not position:
                return False
            self.chosen[role] = found.move
            self.thoughts[position.turn, role] = found
        joint = tuple(self.chosen.get(role) or position.moves(role)[0].text for role in position.roles)
        moved = await self._advance(position, joint)
        self.changed()
        return moved

    async def _advance(self, position: PositionView, joint: Joint) -> bool:
        """Goes to the position after *joint*, unless the match went elsewhere in the meantime."""
        asked = asyncio.ensure_future(self._position((*position.history, joint)))
        await asyncio.wait([asked], timeout=SOON)
        if not asked.done():
            self._wait_for("Computing the next position")
        after = await asked
        if self.position is not position:
            return False
        pairs = zip(position.roles, joint, strict=True)
        self.made.append(tuple(move for role, move in pairs if role in position.choosers))
        self.times.append(_now())
        self._show(after)
        return True

    async def _think(self, position: PositionView, role: str) -> Thinking:
        def heard(found: Thinking) -> None:
            self.latest = found
            self.changed()

        found = await self.processes.think(role, self.seats[role], self.clock, position, heard)
        self.latest = found
        return found

    async def _replay(self, moves: Sequence[str]) -> None:
        """Plays the choices that an address names, from the beginning."""
        waiting = list(moves)
        while waiting and not self.over:
            position = self._here()
            joint = []
            for role in position.roles:
                legal = position.moves(role)
                forced = len(legal) == 1 or not waiting
                joint.append(legal[0].text if forced and legal else _named(waiting.pop(0), role, legal))
            await self._advance(position, tuple(joint))

    async def _position(self, history: Sequence[Joint]) -> PositionView:
        return await self.scheduler.position(self.sheet, tuple(history))

    def _wait_for(self, what: str) -> None:
        self.busy, self.busy_since = what, monotonic()
        self.changed()

    def _here(self) -> PositionView:
        if self.position is None:
            raise UsageError("the match has not begun")
        return self.position

    def _show(self, position: PositionView) -> None:
        self._thinking.clear()
        self.chosen.clear()
        self.clicked, self.candidates = (), ()
        self.position, self.svg, self.latest = position, position.svg, None

    async def _highlight(self, position: PositionView) -> None:
        """Draws the board with what is clicked, and where a click may go on."""
        if not self.clicked:
            self.svg = position.svg
        else:
            step = len(self.clicked)
            targets = {
                square for move in self.candidates if len(move.steps) > step for square in move.steps[step]
            }
            drawn = await self.scheduler.ask(
                self.sheet, positions.picture, position.history, self.clicked, tuple(targets)
            )
            if self.position is position:
                self.svg = drawn
        self.changed()


def _named(text: str, role: str, legal: Sequence[MoveView]) -> str:
    for move in legal:
        if move.text == text.lower():
            return move.text
    raise IllegalMove(f"{text[:80]} is not legal for {role} there", hint="the match starts over")


def _now() -> int:
    """Milliseconds since 1970, as records count."""
    return int(time() * 1000)
