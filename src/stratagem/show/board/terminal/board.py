"""A state drawn for the terminal, on the board inferred from the rules.

>>> from stratagem.loading import load
>>> print(draw(load("tictactoe").initial().play("(mark 1 1)").play("(mark 2 2)")))
    1   2   3
  ┌───┬───┬───┐
1 │ x │   │   │
  ├───┼───┼───┤
2 │   │ o │   │
  ├───┼───┼───┤
3 │   │   │   │
  └───┴───┴───┘
control: xplayer
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from stratagem.show.board.infer import model_of
from stratagem.show.board.model import Board, BoardModel, Mark, Placement, Square
from stratagem.show.board.terminal.grid import BoardView, grid_lines, hex_lines, sides_lines
from stratagem.show.board.terminal.lines import fact_lines, lamp_lines, pile_lines, stack_lines
from stratagem.show.text import TextLine, plain, rich_text

if TYPE_CHECKING:
    from rich.text import Text

    from stratagem.state import State

WIDTH: Final = 100
SHORT_LEGEND: Final = 6


def draw(state: State, *, ascii: bool = False, width: int = WIDTH) -> str:
    """*state* as text without colours; with *ascii* in ASCII alone."""
    return plain(lines_of(state, ascii=ascii, width=width))


def draw_rich(state: State, *, ascii: bool = False, width: int = WIDTH, lit: Iterable[Square] = ()) -> Text:
    """*state* as a text of the package rich, in colours; the squares in *lit* stand out."""
    return rich_text(lines_of(state, ascii=ascii, width=width, lit=lit))


def lines_of(
    state: State, *, ascii: bool = False, width: int = WIDTH, lit: Iterable[Square] = ()
) -> list[TextLine]:
    """*state* as lines of coloured pieces."""
    model = model_of(state.game)
    return model_lines(model, model.picture(state.facts()), ascii=ascii, width=width, lit=lit)


def model_lines(
    model: BoardModel,
    picture: Placement,
    *,
    ascii: bool = False,
    width: int = WIDTH,
    lit: Iterable[Square] = (),
) -> list[TextLine]:
    """All boards of a picture, one below the other, and the facts that have no place on them."""
    chosen = set(lit)
    lines: list[TextLine] = []
    for number, (board, contents) in enumerate(zip(model.boards, picture.contents, strict=True)):
        view = BoardView(board, contents, ascii, {square.cell for square in chosen if square.board == number})
        if number:
            lines.append(TextLine())
        if len(model.boards) > 1 and len(board.planes) == 1:
            lines.append(TextLine().add(board.name, "dim"))
        lines += board_lines(view, width)
        lines += legend(view)
    lines += fact_lines(picture.rest, width)
    return lines or [TextLine().add("nothing is true")]


def board_lines(view: BoardView, width: int) -> list[TextLine]:
    match view.board.kind:
        case "hex":
            return hex_lines(view)
        case "sides":
            return sides_lines(view)
        case "piles":
            return pile_lines(view)
        case "stacks":
            return stack_lines(view)
        case "lamps":
            return lamp_lines(view)
        case _:
            return grid_lines(view, width)


def legend(view: BoardView) -> list[TextLine]:
    """What marks mean where they are not the content itself: all of them if they are few, else those in use."""
    board: Board = view.board
    if board.kind in ("piles", "stacks", "sides", "lamps"):
        return []
    there = {mark for cell in board.spots if (mark := view.mark(cell)) is not None}
    named = [
        (content, mark)
        for content, mark in board.marks.items()
        if content not in board.blank
        and view.written(mark) != content
        and mark.shape not in ("piece", "crowned")
    ]
    shown = named if len(named) <= SHORT_LEGEND else [(name, mark) for name, mark in named if mark in there]
    if not shown:
        return []
    line = TextLine()
    for number, (content, mark) in enumerate(shown):
        line.add("   " if number else "").add(view.written(mark), mark.colour or "bold")
        line.add(f" {content}{where(board, content, mark)}", "dim")
    return [line]


def where(board: Board, content: str, mark: Mark) -> str:
    """Where the things are that something else may stand on, such as targets: a piece would hide them."""
    cells = [" ".join(map(str, cell)) for cell in board.spots if board.backdrop.get(cell) == content]
    return f" ({', '.join(cells)})" if 0 < len(cells) <= SHORT_LEGEND and mark.shape != "wall" else ""
