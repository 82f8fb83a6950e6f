"""A match of a person in the terminal: the board drawn, moves by number or by text, hints, undo.

Nothing here reads a keyboard: lines come from *ask* and go to *say*, so that a test or a pipe can take part.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import Final

from stratagem.errors import IllegalMove, StratagemError, UsageError
from stratagem.gdl.terms import Term
from stratagem.gdl_game import GdlGame
from stratagem.loading import MachineName
from stratagem.play.choice import Thought
from stratagem.play.clock import Margin
from stratagem.play.match_state import RANDOM_ROLE, Match, new_id
from stratagem.play.process.fork_server import spawn
from stratagem.play.process.protocol import Report
from stratagem.play.process.timed_player import MatchStarted, TimedPlayer
from stratagem.play.process.turn import TurnAnswer
from stratagem.play.process.worker_pair import Spawn
from stratagem.play.records.record import MatchRecord, MatchStep, Remark
from stratagem.play.records.store import Records
from stratagem.plural import plural

LEAST_ADVICE: Final = 2.0
"""Seconds that an adviser thinks: a person can wait for good advice."""
PATIENCE: Final = 3
"""How often an adviser is asked who is still getting ready, as on a busy machine."""
MOST_LISTED: Final = 60
HELP: Final = """\
a number or a move   play it: 3, or (drop 3), or drop 3
?                    estimated values of all moves
why MOVE             why a move is legal, or why not
undo                 take back your last move, and all after it
board, moves         show them again
save FILE            write the match so far as JSON
resign               give up
quit                 leave; the match stays in the list"""


@dataclass(frozen=True, slots=True)
class TerminalSettings:
    """How a match with a person is to be played."""

    role: str | None = None
    """The person's role; the first one unless given."""
    against: str = "stratagem"
    adviser: str = "mcts"
    clock: float = 5.0
    startclock: float = 5.0
    seed: int | None = None
    machine: MachineName | None = None
    """What computes the game for the players; the fastest unless given."""
    remember: bool = False
    """Whether the players use and keep what is learned about rules on disk."""


@dataclass(slots=True)
class TerminalIO:
    """What goes in and out: *say* prints, *ask* prompts, *show* draws a position, *now* tells the time in ms."""

    say: Callable[[str], None]
    ask: Callable[[str], str | None]
    show: Callable[[Match], None]
    now: Callable[[], int]
    records: Records | None = None
    log: Callable[[str], None] = field(default=lambda text: None)
    spawn: Spawn = field(default=spawn)
    """Starts worker processes."""


class LeaveMatch(Exception):
    """The person leaves the match; *status* is how it is recorded."""

    def __init__(self, status: str) -> None:
        self.status = status


class TerminalMatch:
    """One match of a person against our players."""

    def __init__(self, game: GdlGame, setting: TerminalSettings, room: TerminalIO) -> None:
        self.setting = setting
        self.room = room
        self.match = Match.of(
            game, setting.role, id=new_id("terminal"), startclock=setting.startclock, playclock=setting.clock
        )
        self.random = Random(setting.seed)
        self.seats: dict[str, TimedPlayer] = {}
        self.adviser: TimedPlayer | None = None
        self.times = [room.now()]
        self.remarks: dict[tuple[int, str], Remark] = {}

    def run(self) -> MatchRecord:
        """Plays to the end, or until the person leaves; returns the record."""
        status = "completed"
        try:
            self._sit_down()
            self.room.show(self.match)
            while not self.match.over:
                self._turn()
                self.room.show(self.match)
            self._say_result()
        except LeaveMatch as left:
            status = left.status
        finally:
            for seat in [*self.seats.values(), *([self.adviser] if self.adviser is not None else [])]:
                seat.close()
        record = self.record(status)
        if self.room.records is not None:
            number = self.room.records.add(record)
            for remark in record.remarks:
                self.room.records.remark(number, remark)
            record = replace(record, number=number.result())
        return record

    def record(self, status: str) -> MatchRecord:
        """The match so far."""
        match = self.match
        spell = match.rules.spell
        moves = [None, *(tuple(map(spell, joint)) for joint in match.history)]
        steps = tuple(MatchStep(joint, time) for joint, time in zip(moves, self.times, strict=True))
        others = self.setting.against
        return MatchRecord(
            id=match.id,
            game=match.rules.identity.name,
            rules=self._sheet(),
            roles=match.roles,
            players=tuple("you" if role == match.role else others for role in match.roles),
            startclock=match.startclock,
            playclock=match.playclock,
            started=self.times[0],
            keeper="terminal",
            role=match.role,
            status=status,
            goals=match.goals() if match.over else None,
            steps=steps,
            remarks=tuple(self.remarks[key] for key in sorted(self.remarks)),
        )

    # -- one turn ------------------------------------------------------------------------------------------

    def _sit_down(self) -> None:
        others = [role for role in self.match.roles if role not in (self.match.role, RANDOM_ROLE)]
        begun = []
        for role in others:
            seat = self.seats[role] = self._seat(self.setting.against)
            begun.append(self._begin(seat, role))
        for started in begun:
            refusal = started.result().refusal
            if refusal:
                raise UsageError(refusal)

    def _seat(self, player: str) -> TimedPlayer:
        how = self.setting
        room, margin = self.room, Margin(0.0)
        return TimedPlayer(
            player,
            machine=how.machine,
            seed=how.seed,
            remember=how.remember,
            margin=margin,
            spawn=room.spawn,
            log=room.log,
        )

    def _begin(
        self, seat: TimedPlayer, role: str, playclock: float | None = None, startclock: float | None = None
    ) -> Future[MatchStarted]:
        match = self.match
        play = match.playclock if playclock is None else playclock
        start = match.startclock if startclock is None else startclock
        return seat.start(match.id, role, self._sheet(), start, play)

    def _turn(self) -> None:
        match = self.match
        report = Report(tuple(map(match.rules.spell, match.node.moves))) if match.turn else Report()
        asked = {role: seat.play(report) for role, seat in self.seats.items()}
        own = self._own_move()
        if own is None:
            return
        joint = [self._move_of(role, own, asked) for role in match.roles]
        self.match = match.after(joint)
        self.times.append(self.room.now())

    def _own_move(self) -> Term | None:
        """The person's move; None where moves were taken back instead."""
        legal = self.match.legals()
        if len(legal) == 1:
            return legal[0]
        self._list(legal)
        while True:
            line = self.room.ask(f"{self.match.role}> ")
            if line is None:
                raise LeaveMatch("aborted")
            try:
                chosen = self._obey(line.strip(), legal)
            except StratagemError as refused:
                self.room.say(str(refused))
                continue
            if isinstance(chosen, bool):
                return None
            if chosen is not None:
                return chosen

    def _obey(self, line: str, legal: Sequence[Term]) -> Term | bool | None:
        """A move; True where moves were taken back; None where the person is asked again."""
        word, _, rest = line.partition(" ")
        match word.lower():
            case "":
                return None
            case "?" | "hint":
                self._advise(legal)
            case "help" | "h":
                self.room.say(HELP)
            case "board" | "b":
                self.room.show(self.match)
            case "moves" | "m":
                self._list(legal)
            case "why":
                self.room.say(self._why(rest))
            case "undo" | "u":
                return self._undo()
            case "save":
                self._save(rest)
            case "resign":
                self.room.say("you resign")
                raise LeaveMatch("resigned")
            case "quit" | "exit" | "q":
                raise LeaveMatch("aborted")
            case _:
                return self._chosen(line, legal)
        return None

    def _chosen(self, line: str, legal: Sequence[Term]) -> Term:
        if line.isdecimal() and 1 <= int(line) <= len(legal) and not any(move == line for move in legal):
            return legal[int(line) - 1]
        move = self._parsed(line)
        if move not in legal:
            raise IllegalMove(f"{line} is not legal here\n{self._why(line)}")
        return move

    def _parsed(self, text: str) -> Term:
        return self.match.rules.parse_move(text if text.startswith("(") or " " not in text else f"({text})")

    def _why(self, text: str) -> str:
        if not text.strip():
            raise UsageError("why what?", hint="write why and a move, as in: why drop 3")
        query = f"(legal {self.match.role} {self._parsed(text.strip())})"
        return str(self.match.rules.why(query, self.match.state))

    def _move_of(self, role: str, own: Term, asked: dict[str, Future[TurnAnswer]]) -> Term:
        match = self.match
        if role == match.role:
            return own
        legal = match.legals(role)
        if role not in asked:
            return self.random.choice(legal)
        answer = asked[role].result()
        move = match.rules.parse_move(answer.move)
        if move not in legal:
            move = self.random.choice(legal)
        if len(legal) > 1:
            self.room.say(f"{role} plays {match.rules.spell(move)}   {told(answer.thought)}")
        remark = Remark(
            match.turn, role, answer.move, answer.source, answer.deadline - answer.decided, answer.thought
        )
        self.remarks[match.turn, role] = remark
        return move

    # -- what one can ask for ------------------------------------------------------------------------------

    def _advise(self, legal: Sequence[Term]) -> None:
        match = self.match
        if self.adviser is None:
            self.adviser = self._seat(self.setting.adviser)
            self._begin(self.adviser, match.role, max(LEAST_ADVICE, match.playclock), LEAST_ADVICE).result()
        spell = match.rules.spell
        for _ in range(PATIENCE):
            self.adviser.recall(reports_of(match))
            answer = self.adviser.play(Report()).result()
            if answer.source == "thinker" and answer.thought.values:
                break
        thought = answer.thought
        values = dict(thought.values)
        for number, move in enumerate(legal, start=1):
            value = values.get(spell(move))
            shown = "   ?" if value is None else f"{value:6.1f}  {'#' * round(value / 4)}"
            self.room.say(f"{number:3}  {spell(move):20} {shown}")
        self.room.say(told(thought))

    def _undo(self) -> bool:
        """Goes back to the person's last decision."""
        for turns in range(1, self.match.turn + 1):
            earlier = self.match.before(turns)
            if len(earlier.legals()) > 1:
                self.match = earlier
                del self.times[earlier.turn + 1 :]
                for seat in self.seats.values():
                    seat.recall(reports_of(earlier)[:-1])  # the last one comes with the next turn
                self.remarks = {key: said for key, said in self.remarks.items() if key[0] < earlier.turn}
                return True
        raise UsageError("there is no move to take back")

    def _save(self, name: str) -> None:
        from json import dumps

        path = Path(name.strip() or f"{self.match.id}.json").expanduser()
        if path.exists():
            raise UsageError(f"{path} exists already", hint="give another name")
        try:
            path.write_text(
                dumps(self.record("running").as_json(self.match.rules), indent=2), encoding="utf-8"
            )
        except OSError as failure:
            raise UsageError(f"{path} cannot be written: {failure.strerror}") from failure
        self.room.say(f"written to {path}")

    def _list(self, legal: Sequence[Term]) -> None:
        spell = self.match.rules.spell
        texts = [f"{number} {spell(move)}" for number, move in enumerate(legal[:MOST_LISTED], start=1)]
        rest = len(legal) - len(texts)
        more = f"   ... and {rest} more: write them out" if rest else ""
        self.room.say("   ".join(texts) + more + "     (help: what else you can say)")

    def _say_result(self) -> None:
        goals = ", ".join(
            f"{role} {'?' if goal is None else goal}"
            for role, goal in zip(self.match.roles, self.match.goals(), strict=True)
        )
        self.room.say(f"the match is over: {goals}")

    def _sheet(self) -> str:
        from stratagem.gdl.text.printer import to_kif

        return to_kif(self.match.rules.sheet)


def reports_of(match: Match) -> tuple[Report, ...]:
    """All joint moves of *match*, as a manager reports them."""
    spell = match.rules.spell
    return tuple(Report(tuple(map(spell, joint))) for joint in match.history)


def told(thought: Thought) -> str:
    """A thought in one line."""
    parts = [thought.why]
    if thought.value is not None:
        parts.append(f"value {thought.value:g}{' (proved)' if thought.solved else ''}")
    if thought.nodes:
        parts.append(plural(thought.nodes, "node"))
    return "; ".join(part for part in parts if part)
