"""The engine bar beside a board: where its value, its line and its speed come from.

This is the one place that says who thinks for the bar: the engine's tree search, a fraction of a second at a time, or a
player where the rules cannot be compiled. The tree of every visitor is kept from one glance to the next, also when
the match goes on; a glance returns a `BarReading` whichever search was behind it.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from stratagem.errors import LimitExceeded, UnsuitableGame
from stratagem.gdl_game import State
from stratagem.limit import Limit
from stratagem.loading import MachineName
from stratagem.web.app.address import Sheet
from stratagem.web.tasks.loaded import FASTEST, Joint, state_after
from stratagem.web.tasks.thinking import PlayerSeat, Thinking, consult
from stratagem.web.workers.worker_process import Heard

if TYPE_CHECKING:
    from stratagem.engine.mcts.search import Mcts
    from stratagem.result import MoveStatistics, Result

PLAYER: Final = "stratagem"
QUICK_PLAYER: Final = "uct"
QUICK_SECONDS: Final = 0.3
VISITS_EACH: Final = 4
"""Positions looked at for each move of the role to move, below which a value is chance and not an estimate."""
VISITS_SHARE: Final = 0.05
"""Of the visits of the move that has most: a move with fewer has no value that could be held against that one's."""
MEMORY: Final = 32 << 20
KEPT: Final = 8
"""Visitors of one process whose trees are kept."""
SECONDS: Final = 3.0
"""How long a position is thought about."""
HINT_SECONDS: Final = 20.0
"""The same where a hint was asked for and there is no estimate yet."""
GLANCE: Final = 0.25
"""How much of that at a time."""
LINE: Final = 8


@dataclass(frozen=True, slots=True)
class BarReading:
    """What the bar shows: *value* 0..100 for *role*, the *line* expected, and the work behind it."""

    role: str
    value: float | None
    line: tuple[str, ...]
    nodes: int
    seconds: float
    solved: bool
    why: str
    values: tuple[tuple[str, float], ...] = ()
    """The moves that have an estimate of their own, the best first: by how well it is known, not by its height alone."""
    moves: int = 1
    """How many moves *role* has."""
    matches: int = 0
    """Random matches played, where the one who thought plays them by the thousand."""
    rest: bool = False
    """Whether nothing more is to be expected of this thinker."""

    @property
    def counts(self) -> bool:
        """Whether *value*, *line* and *values* are an estimate: proved, or every move was looked at a few times.

        >>> BarReading("red", 50.0, (), nodes=73, seconds=14.0, solved=False, why="", moves=121).counts
        False
        """
        return self.solved or (self.value is not None and self.nodes >= VISITS_EACH * self.moves)

    @property
    def speed(self) -> float:
        """Random matches a second, or nodes where there were more of them."""
        return max(self.matches, self.nodes) / self.seconds if self.seconds > 0 else 0.0


@dataclass(slots=True)
class _Thinker:
    """The engine of one visitor, and what it has done for the position it looked at last."""

    engine: Mcts
    history: tuple[Joint, ...] = ()
    seconds: float = 0.0
    matches: int = 0


_thinkers: OrderedDict[tuple[Sheet, str], _Thinker] = OrderedDict()
_refused: set[Sheet] = set()


def first_word(sheet: Sheet, history: Sequence[Joint], *, tell: Heard) -> BarReading | None:
    """What a plain player says at once, while the engine is still being made; None where it has too little to say."""
    state = state_after(sheet, history, FASTEST)
    if not state.choosing:
        return None
    role = state.choosing[0]
    seat = PlayerSeat(sheet, role, QUICK_PLAYER, QUICK_SECONDS)
    found = reading_of(consult(seat, history, tell=tell), len(state.legals(role)))
    return found if found.counts else None


def glance(
    sheet: Sheet,
    owner: str,
    history: Sequence[Joint],
    seconds: float = GLANCE,
    whole: float = SECONDS,
    *,
    simulations: int | None = None,
    tell: Heard,
) -> BarReading | None:
    """One more look of so many *seconds* at the position after *history*; None where no role has a choice.

    With *simulations* it is a look of so many of them, however long they take. Where the engine cannot take the rules
    a player thinks once, for the *whole* time.
    """
    state = state_after(sheet, history, FASTEST)
    if not state.choosing:
        return None
    role = state.choosing[0]
    if sheet not in _refused:
        try:
            thinker = _thinker(sheet, owner, state)
            if thinker.history != tuple(history):
                thinker.history, thinker.seconds, thinker.matches = tuple(history), 0.0, 0
            limit = Limit(seconds=seconds) if simulations is None else Limit(nodes=simulations)
            found = thinker.engine.search(state, limit)
            return _by_engine(thinker, state, role, found)
        except (LimitExceeded, UnsuitableGame):
            _refused.add(sheet)
    return by_player(sheet, history, FASTEST, whole, tell=tell)


def by_player(
    sheet: Sheet,
    history: Sequence[Joint],
    machine: MachineName | None,
    seconds: float = SECONDS,
    *,
    tell: Heard,
) -> BarReading | None:
    """The reading of a player that is consulted once; None where no role has a choice."""
    state = state_after(sheet, history, machine)
    if not state.choosing:
        return None
    role = state.choosing[0]
    moves = len(state.legals(role))

    def hear(thinking: Thinking) -> None:
        tell(reading_of(thinking, moves))

    seat = PlayerSeat(sheet, role, PLAYER, seconds, machine=machine)
    return reading_of(consult(seat, history, tell=hear), moves)


def _thinker(sheet: Sheet, owner: str, state: State) -> _Thinker:
    from stratagem.engine.mcts.search import Mcts

    key = sheet, owner
    if key not in _thinkers:
        engine = Mcts(state.game, memory=MEMORY)
        engine.search(state, Limit(nodes=1))  # the first search loads its code, before anything is measured
        _thinkers[key] = _Thinker(engine)
        while len(_thinkers) > KEPT:
            _thinkers.popitem(last=False)
    _thinkers.move_to_end(key)
    return _thinkers[key]


def _by_engine(thinker: _Thinker, state: State, role: str, found: Result) -> BarReading:
    thinker.seconds += found.counters.seconds
    thinker.matches += found.counters.playouts
    spell = state.game.spell
    return BarReading(
        role=role,
        value=found.estimates[role] if found.counters.visits else None,
        line=tuple(" ".join(map(spell, joint)) for joint in found.line[:LINE]),
        nodes=found.counters.visits,
        seconds=thinker.seconds,
        solved=found.proved,
        why="Monte Carlo tree search of the engine",
        values=tuple((spell(one.move), one.value) for one in known_well(found.moves.get(role, ()))),
        moves=len(state.legals(role)),
        matches=thinker.matches,
        rest=found.proved,
    )


def known_well(ranked: Sequence[MoveStatistics]) -> list[MoveStatistics]:
    """Those of the *ranked* moves whose value is proved or rests on enough visits; of a wide game that is a few."""
    most = max((one.visits for one in ranked), default=0)
    return [one for one in ranked if one.proved or one.visits >= max(VISITS_EACH, VISITS_SHARE * most)]


def reading_of(thinking: Thinking, moves: int) -> BarReading:
    """A thought of a role with that many *moves*, as the bar reads it."""
    thought: dict[str, Any] = thinking.thought
    return BarReading(
        role=thinking.role,
        value=thought["value"],
        line=tuple(thought["line"]),
        nodes=thought["nodes"],
        seconds=thought["seconds"],
        solved=thought["solved"],
        why=thought["why"],
        values=tuple((move, value) for move, value in thought["values"]),
        moves=moves,
        rest=True,
    )
