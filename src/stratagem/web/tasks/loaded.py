"""The game of this worker process, and the states it was asked about, kept for the next question.

Pages ask for one state at a time, which the reasoner computes at once for any sheet; players and heavy tasks need
thousands and use the fastest machine.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from stratagem.errors import IllegalMove
from stratagem.gdl.terms import Term
from stratagem.gdl_game import GdlGame, State
from stratagem.loading import MachineName
from stratagem.show.labels import bare
from stratagem.web.app.address import Sheet

KEPT: Final = 2_000
NAMED: Final = 8
"""Legal moves that a refusal names."""
FASTEST: Final[MachineName | None] = None
"""For players and heavy tasks: the fastest machine that takes the rules."""
Joint = tuple[str, ...]
_states: OrderedDict[tuple[Sheet, MachineName | None, tuple[Joint, ...]], State] = OrderedDict()


@lru_cache(maxsize=4)
def game_of(sheet: Sheet, machine: MachineName | None = "reasoner") -> GdlGame:
    """The game of *sheet*, read once."""
    from stratagem.loading import load

    # A line break keeps the text of a visitor from being taken for the name of a file.
    return load(sheet.name or f"{sheet.text}\n", machine=machine, settings=dict(sheet.sizes))


def state_after(sheet: Sheet, history: Sequence[Joint], machine: MachineName | None = "reasoner") -> State:
    """The state after the joint moves of *history*; refuses illegal ones."""
    played = tuple(history)
    known = len(played)
    while known and (sheet, machine, played[:known]) not in _states:
        known -= 1
    state = _states[sheet, machine, played[:known]] if known else game_of(sheet, machine).initial()
    for count in range(known, len(played)):
        joint = played[count]
        moves = tuple(state.game.move(move) for move in joint)
        _check(state, moves)
        state = state.next(moves)
        _states[sheet, machine, played[: count + 1]] = state
        if len(_states) > KEPT:
            _states.popitem(last=False)
    return state


def history_from(sheet: Sheet, choices: Sequence[str]) -> tuple[Joint, ...]:
    """The joint moves of a match whose *choices* are given: a move for each role that had one, turn by turn."""
    history: tuple[Joint, ...] = ()
    waiting = list(choices)
    while waiting:
        state = state_after(sheet, history)
        if state.terminal:
            break
        joint = []
        for role in state.game.roles:
            legal = state.legals(role)
            if not legal:
                raise IllegalMove(f"{role} has no legal move here", hint="begin a new match")
            forced = len(legal) == 1 or not waiting
            joint.append(str(legal[0]) if forced else str(state.game.move(waiting.pop(0))))
        history = (*history, tuple(joint))
    return history


def _check(state: State, moves: tuple[Term, ...]) -> None:
    roles = state.game.roles
    if len(moves) != len(roles) or state.terminal:
        raise IllegalMove("the match in this address cannot be played", hint="begin a new one")
    for role, move in zip(roles, moves, strict=True):
        if move not in state.legals(role):
            legal = [bare(str(each)) for each in state.legals(role)]
            more = ", …" if len(legal) > NAMED else ""
            raise IllegalMove(
                f"{move} is not legal for {role} here", hint=f"legal here: {', '.join(legal[:NAMED])}{more}"
            )
