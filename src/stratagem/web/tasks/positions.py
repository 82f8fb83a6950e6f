"""Positions for pages: the picture, the legal moves, and the clicks that make them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Final

from stratagem.errors import IllegalMove
from stratagem.gdl.terms import Compound, Symbol, Term, Variable, functor, order
from stratagem.gdl_game import GdlGame, State
from stratagem.machines.reasoner.reasoner import Reasoner
from stratagem.show.board.infer import model_of
from stratagem.show.board.model import MOVER, BoardModel, Square
from stratagem.show.board.svg.board import draw_svg
from stratagem.show.board.svg.marks import style
from stratagem.show.labels import bare
from stratagem.web.app.address import Sheet
from stratagem.web.tasks.loaded import Joint, game_of, history_from, state_after
from stratagem.web.workers.worker_process import Heard

Key = str
"""A square as the picture names it: ``board:cell``."""


@dataclass(frozen=True, slots=True)
class MoveView:
    """A legal move: *text* is canonical, *label* is for people, *steps* are the clicks that make it."""

    text: str
    label: str
    steps: tuple[frozenset[int], ...] = ()


@dataclass(frozen=True, slots=True)
class PositionView:
    """What a page shows of one position. Squares are numbers; *squares* has their keys."""

    roles: tuple[str, ...]
    history: tuple[Joint, ...]
    svg: str
    terminal: bool
    goals: tuple[int | None, ...]
    legals: tuple[tuple[MoveView, ...], ...]
    squares: tuple[Key, ...]
    facts: tuple[str, ...]
    rest: tuple[str, ...]
    """The facts that are not on a board, as the rules write them."""
    machine: str
    kind: str
    choices: tuple[str, ...] = ()
    """The moves of *history* by roles that had a choice, for the address."""

    @property
    def turn(self) -> int:
        return len(self.history)

    def moves(self, role: str) -> tuple[MoveView, ...]:
        return self.legals[self.roles.index(role)]

    def matching(self, role: str, clicked: Sequence[int]) -> tuple[MoveView, ...]:
        """The moves of *role* that begin with these clicks."""
        return tuple(
            move
            for move in self.moves(role)
            if len(move.steps) >= len(clicked)
            and all(square in step for square, step in zip(clicked, move.steps, strict=False))
        )

    @property
    def choosers(self) -> tuple[str, ...]:
        """The roles that have a choice here."""
        if self.terminal:
            return ()
        return tuple(role for role, legal in zip(self.roles, self.legals, strict=True) if len(legal) > 1)


def position(sheet: Sheet, history: Sequence[Joint], *, tell: Heard) -> PositionView:
    """The position after *history*."""
    state = state_after(sheet, history)
    game = state.game
    numbers, model = numbers_of(game), model_of(game)
    legals = tuple(
        tuple(_view(game, role, move, numbers) for move in (() if state.terminal else state.legals(role)))
        for role in game.roles
    )
    return PositionView(
        roles=game.roles,
        history=tuple(map(tuple, history)),
        svg=_drawn(state, _touched(sheet, history), ()),
        terminal=state.terminal,
        goals=tuple(state.goal(role) for role in game.roles),
        legals=legals,
        squares=tuple(map(key_of, numbers)),
        facts=tuple(map(str, sorted(state.facts(), key=order))),
        rest=tuple(bare(game.spell(fact)) for fact in model.picture(state.facts()).rest),
        machine=game.machine.name,
        kind=model.kind,
        choices=tuple(choices_of(sheet, history)),
    )


def choices_of(sheet: Sheet, history: Sequence[Joint]) -> Iterable[str]:
    """The moves that were chosen, turn by turn; those of roles without a choice are left out."""
    for turn, joint in enumerate(history):
        state = state_after(sheet, history[:turn])
        for role, move in zip(state.game.roles, joint, strict=True):
            if len(state.legals(role)) > 1:
                yield str(state.game.move(move))


def position_of(sheet: Sheet, choices: Sequence[str], *, tell: Heard) -> PositionView:
    """The position after the *choices* in an address; the initial one if they are illegal."""
    try:
        return position(sheet, history_from(sheet, choices), tell=tell)
    except IllegalMove:
        return position(sheet, (), tell=tell)


def not_legal(
    sheet: Sheet, history: Sequence[Joint], most: int, *, tell: Heard
) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """For each role some known moves that are not legal after *history*."""
    state = state_after(sheet, history)
    game = state.game
    if not any(functor(rule.head) == ("input", 2) for rule in game.sheet.rules):
        return ()
    reasoner = Reasoner(game.sheet)
    move, found = Variable("?move"), []
    for role in game.roles:
        known = reasoner.findall(move, Compound((Symbol("input"), Symbol(role), move)), ())
        legal = set(state.legals(role))
        found.append((role, tuple(str(one) for one in sorted(known, key=order) if one not in legal)[:most]))
    return tuple(found)


def picture(
    sheet: Sheet, history: Sequence[Joint], lit: Iterable[int], targets: Iterable[int], *, tell: Heard
) -> str:
    """The position after *history* drawn anew: *lit* squares stand out, *targets* can be clicked next."""
    state = state_after(sheet, history)
    squares = tuple(numbers_of(state.game))
    return _drawn(state, [squares[number] for number in lit], [squares[number] for number in targets])


def pointed(sheet: Sheet, history: Sequence[Joint], role: str, move: str, *, tell: Heard) -> str:
    """The position after *history* with dots on the squares of a move; the last move stays highlighted."""
    state = state_after(sheet, history)
    game = state.game
    term = game.move(move)
    joint = tuple(term if one == role else next(iter(state.legals(one)), None) for one in game.roles)
    if None in joint:
        return _drawn(state, _touched(sheet, history), ())
    return _drawn(state, _touched(sheet, history), _squares(state, state.next(joint), role, term))


def why(sheet: Sheet, history: Sequence[Joint], query: str, *, tell: Heard) -> dict[str, object]:
    """Why *query* holds after *history*, or why it does not, as plain data."""
    state = state_after(sheet, history)
    return state.game.why(query, state).as_json()


def why_not(
    sheet: Sheet, history: Sequence[Joint], role: str, clicked: Sequence[int], *, tell: Heard
) -> list[dict[str, object]]:
    """Why the squares *clicked* make no legal move of *role*: one reason for each kind of move."""
    state = state_after(sheet, history)
    squares = tuple(numbers_of(state.game))
    clicks = [squares[number] for number in clicked]
    meant = islice(_meant(model_of(state.game), role, clicks), 3)
    queries = [Compound((Symbol("legal"), Symbol(role), move)) for move in meant]
    return [state.game.why(query, state).as_json() for query in queries]


def thumbnail(name: str, theme: str, *, tell: Heard) -> str:
    """A picture of a bundled game after a few moves, for a card."""
    sheet = Sheet(name)
    game = game_of(sheet)
    state = game.initial()
    if len(game.roles) > 1 and model_of(game).kind in ("grid", "hex", "sides"):
        for ply in range(PLIES_IN):
            moves = tuple(
                legal[SCATTER * (ply + 1) // 1_000 % len(legal)]
                for legal in (state.legals(role) for role in game.roles)
            )
            following = state.next(moves)
            if following.terminal:
                break
            state = following
    return draw_svg(state, facts=model_of(game).kind == "facts", theme=theme)


def as_kif(sheet: Sheet, history: Sequence[Joint], *, tell: Heard) -> tuple[str, tuple[Joint, ...]]:
    """The rules as KIF with their sizes filled in, and the moves of *history* as those rules write them."""
    from stratagem.gdl.text.printer import to_kif

    game = game_of(sheet)
    return to_kif(game.sheet), tuple(
        tuple(game.spell(game.move(move)) for move in joint) for joint in history
    )


PLIES_IN: Final = 8
SCATTER: Final = 618_034
"""A step between moves that never repeats a place, so that pieces stand apart."""
LARGEST: Final = 1.9
"""How many times its natural size a board may be drawn."""
SIZE: Final = re.compile(r'width="(\d+)" height="\d+">')


@lru_cache(maxsize=4)
def numbers_of(game: GdlGame) -> dict[Square, int]:
    """A number for every square of every board."""
    boards = model_of(game).boards
    squares = [Square(number, cell) for number, board in enumerate(boards) for cell in board.spots]
    return {square: number for number, square in enumerate(squares)}


def key_of(square: Square) -> Key:
    return f"{square.board}:{','.join(map(str, square.cell))}"


def _view(game: GdlGame, role: str, move: Term, numbers: dict[Square, int]) -> MoveView:
    steps = model_of(game).squares(move, role)
    clicks = tuple(frozenset(numbers[square] for square in step if square in numbers) for step in steps)
    return MoveView(str(move), bare(game.spell(move)), clicks if all(clicks) else ())


def _touched(sheet: Sheet, history: Sequence[Joint]) -> list[Square]:
    """The squares of the last moves that touched any."""
    for turn in range(len(history) - 1, max(-1, len(history) - 3), -1):
        before, after = state_after(sheet, history[:turn]), state_after(sheet, history[: turn + 1])
        game = before.game
        found = [
            square
            for role, move in zip(game.roles, history[turn], strict=True)
            for square in _squares(before, after, role, game.move(move))
        ]
        if found:
            return found
    return []


def _squares(before: State, after: State, role: str, move: Term) -> list[Square]:
    """The squares of *move*: of a whole column that it leaves open, those on which something changed."""
    model = model_of(before.game)
    old, new = (model.picture(state.facts()).contents for state in (before, after))
    found: list[Square] = []
    for step in model.squares(move, role):
        if len(step) == 1:
            found += step
        else:
            found += [
                square
                for square in step
                if old[square.board].get(square.cell) != new[square.board].get(square.cell)
            ]
    return found


def _drawn(state: State, lit: Iterable[Square], targets: Iterable[Square]) -> str:
    if not model_of(state.game).boards:
        return ""
    drawn = draw_svg(state, lit=lit, targets=targets, clickable=True, facts=False, theme="light")
    return SIZE.sub(_roomy, drawn.replace(style(), "", 1), count=1)


def _roomy(size: re.Match[str]) -> str:
    """A picture fills its place, but small boards are enlarged only so far."""
    return f'style="max-width:{LARGEST * int(size[1]):.0f}px">'


def _meant(model: BoardModel, role: str, clicked: Sequence[Square]) -> Iterable[Term]:
    """The moves that begin with these clicks, legal or not; what the clicks leave open is a variable."""
    for (name, arity), clicks in model.clicks.items():
        if arity == 0 or len(clicks.steps) < len(clicked):
            continue
        arguments: list[Term] = [Variable(f"?any{number + 1}") for number in range(arity)]
        fits = True
        for (board, places), square in zip(clicks.steps, clicked, strict=False):
            fits = fits and board == square.board
            for place, part in zip(places, square.cell, strict=False):
                if place == MOVER:
                    fits = fits and str(part) == role
                elif place is not None:
                    arguments[place] = part
        if fits:
            yield Compound((Symbol(name), *arguments))


__all__ = ["MoveView", "PositionView", "picture", "position", "thumbnail", "why", "why_not"]
