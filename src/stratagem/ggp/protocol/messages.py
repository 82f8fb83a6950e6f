"""The messages of general game playing, in its four dialects. No sockets here.

    base       ( PLAY m1 (( mark 1 2 ) noop ) )     GGP-Base, blanks and all; has INFO, ABORT and PREVIEW
    bare       (PLAY m1 ((mark 1 2) noop))          the first protocol: START, PLAY and STOP
    stanford   (play m1 ((mark 1 2) noop))          lower case; (ping) asks whether anybody is there
    dresden    (PLAY M1 ((MARK 1 2) NOOP))          upper case throughout; with secrets (GDL-II) it counts turns and
               (PLAY M1 3 NOOP ((SEES ...)))        tells the player its own last move and what it sees

All are read alike, whatever the letters and blanks; `write` is faithful to each. Moves, roles and rules stay text in the
spelling in which they came: managers compare letter by letter.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from stratagem.errors import UsageError
from stratagem.ggp.protocol.expressions import compact, first, inside, is_list, items
from stratagem.play.records.record import spaced

Dialect: TypeAlias = Literal["base", "bare", "stanford", "dresden"]
DIALECTS: Final[tuple[Dialect, ...]] = ("base", "bare", "stanford", "dresden")
NIL: Final = "nil"
LONGEST_CLOCK: Final = 1e6


@dataclass(frozen=True, slots=True)
class Info:
    """Who are you, and are you free?"""


@dataclass(frozen=True, slots=True)
class Ping:
    """Stanford's way to ask whether anybody is there."""


@dataclass(frozen=True, slots=True)
class Preview:
    """Rules that will be played soon, and the seconds there are to look at them."""

    rules: str
    clock: float


@dataclass(frozen=True, slots=True)
class Start:
    """A match begins. *rules* is the text of the sheet."""

    match: str
    role: str
    rules: str
    startclock: float
    playclock: float


@dataclass(frozen=True, slots=True)
class Play:
    """A move is due. *moves* are those of all roles in the turn before; None at the beginning.

    In GDL-II *turn* counts from 0, *own* is our last move as the manager has it, *percepts* what we see.
    """

    match: str
    moves: tuple[str, ...] | None = None
    turn: int | None = None
    own: str | None = None
    percepts: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Stop:
    """The match is over, after these last moves."""

    match: str
    moves: tuple[str, ...] | None = None
    turn: int | None = None
    own: str | None = None
    percepts: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Abort:
    """The match is over without a result."""

    match: str


Message: TypeAlias = Info | Ping | Preview | Start | Play | Stop | Abort


def read(text: str) -> Message:
    """The message in *text*, in any dialect; refuses with a sentence what is none.

    >>> read("( play m1 (( mark 1 2 ) noop ) )")
    Play(match='m1', moves=('( mark 1 2 )', 'noop'), turn=None, own=None, percepts=None)
    >>> read("(PLAY M1 NIL)").moves
    """
    expression = first(text)
    keyword, *arguments = (items(expression) if is_list(expression) else None) or [expression]
    match keyword.lower():
        case "info":
            return Info()
        case "ping":
            return Ping()
        case "preview":
            _needs(arguments, 2, "PREVIEW", "(rules) and a clock")
            return Preview(_rules(arguments[0]), _clock(arguments[1]))
        case "start":
            _needs(arguments, 5, "START", "an id, a role, (rules), a start clock and a play clock")
            identity, role, rules, startclock, playclock = arguments[:5]
            return Start(_word(identity), _word(role), _rules(rules), _clock(startclock), _clock(playclock))
        case "play":
            _needs(arguments, 1, "PLAY", "an id and the last moves")
            return Play(_word(arguments[0]), *_told(arguments[1:]))
        case "stop":
            _needs(arguments, 1, "STOP", "an id and the last moves")
            return Stop(_word(arguments[0]), *_told(arguments[1:]))
        case "abort":
            _needs(arguments, 1, "ABORT", "an id")
            return Abort(_word(arguments[0]))
    shown = keyword if len(keyword) <= 40 else keyword[:40] + "..."
    raise UsageError(
        f"{shown} is not a message",
        hint="known messages are INFO, PING, PREVIEW, START, PLAY, STOP and ABORT",
    )


Told: TypeAlias = tuple[tuple[str, ...] | None, int | None, str | None, tuple[str, ...] | None]


def _told(arguments: list[str]) -> Told:
    """Moves; or turn, own move and percepts."""
    if len(arguments) >= 3 and arguments[0].isdecimal():
        own = None if arguments[1].lower() == NIL else arguments[1]
        return None, int(arguments[0][:9]), own, _several(arguments[2])
    return (None, None, None, None) if not arguments else (_several(arguments[0]), None, None, None)


def _several(text: str) -> tuple[str, ...] | None:
    """The moves in a list; NIL, any other word and an empty list are none."""
    return (tuple(items(text)) or None) if is_list(text) else None


def _needs(arguments: list[str], count: int, name: str, what: str) -> None:
    if len(arguments) < count:
        raise UsageError(f"{name} with {len(arguments)} arguments", hint=f"it needs {what}")


def _word(text: str) -> str:
    if is_list(text):
        raise UsageError("a list stands where a name must be")
    return text


def _rules(text: str) -> str:
    if not is_list(text):
        raise UsageError("a word stands where the rules must be")
    return inside(text)


def _clock(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds <= LONGEST_CLOCK:
        raise UsageError(f"{text[:40]} is not a clock", hint="a clock is a number of seconds")
    return seconds


def write(message: Message, dialect: Dialect = "base") -> str:
    """*message* as the game managers of *dialect* write it.

    >>> write(Play("m1", ("(mark 1 2)", "noop")))
    '( PLAY m1 (( mark 1 2 ) noop ) )'
    >>> write(Stop("m1", ("(mark 1 2)", "noop")), "dresden")
    '(STOP M1 ((MARK 1 2) NOOP))'
    """
    if dialect == "base":
        return _base(message)
    name = type(message).__name__
    text = f"({' '.join([name.upper() if dialect != 'stanford' else name.lower(), *_arguments(message)])})"
    return text.upper() if dialect == "dresden" else text


def _arguments(message: Message) -> list[str]:
    match message:
        case Preview(rules, clock):
            return [f"({compact(rules)})", number(clock)]
        case Start(identity, role, rules, startclock, playclock):
            return [identity, role, f"({compact(rules)})", number(startclock), number(playclock)]
        case Play(identity, moves, turn, own, percepts) | Stop(identity, moves, turn, own, percepts):
            if turn is None:
                return [identity, _moves(moves)]
            return [identity, str(turn), NIL if own is None else compact(own), _moves(percepts)]
        case Abort(identity):
            return [identity]
    return []


def _moves(moves: tuple[str, ...] | None) -> str:
    return NIL if moves is None else f"({' '.join(map(compact, moves))})"


def _base(message: Message) -> str:
    """The reference's own blanks: one before the last bracket, but for START's."""
    match message:
        case Preview(rules, clock):
            return f"( PREVIEW ({spaced(rules)} ) {number(clock)} )"
        case Start(identity, role, rules, startclock, playclock):
            clocks = f"{number(startclock)} {number(playclock)}"
            return f"( START {identity} {role} ({spaced(rules)} ) {clocks})"
        case Play() | Stop():
            name = type(message).__name__.upper()
            if message.turn is not None:
                return f"( {' '.join([name, *_arguments(message)])} )"
            told = "NIL" if message.moves is None else f"({' '.join(map(spaced, message.moves))} )"
            return f"( {name} {message.match} {told} )"
        case Abort(identity):
            return f"( ABORT {identity} )"
    return f"( {type(message).__name__.upper()} )"


def number(seconds: float) -> str:
    """Seconds as a manager writes them: whole where they are whole."""
    return str(int(seconds)) if seconds == int(seconds) else str(seconds)
