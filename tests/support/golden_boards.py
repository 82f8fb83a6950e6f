"""Golden boards: positions of bundled games as a person sees them, kept in tests/golden/boards.

``python -m tests.support.golden_boards`` draws them anew; look at the difference before you keep it.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tests.support.data import ROOT

from stratagem.cli.common.arguments import after
from stratagem.gdl_game import State
from stratagem.loading import load
from stratagem.show.board.svg.board import draw_svg
from stratagem.show.board.terminal.board import draw

BOARDS = ROOT / "tests" / "golden" / "boards"


class Position(NamedTuple):
    """A position of a game, and the name of the file that keeps its picture."""

    name: str
    game: str
    moves: str = ""
    sizes: tuple[tuple[str, int], ...] = ()

    def state(self) -> State:
        return after(load(self.game, machine="reasoner", **dict(self.sizes)), self.moves)  # type: ignore[arg-type]


POSITIONS = (
    Position("tictactoe", "tictactoe", "(mark 1 1) (mark 2 2) (mark 3 1)"),
    Position("tictactoe-three", "tictactoethree", "(mark 1 1) (mark 2 2) (mark 3 1)"),
    Position("connectfour", "connectfour", "(drop 4) (drop 4) (drop 5) (drop 3)"),
    Position("connectfour-small", "connectfour", "(drop 2)", (("columns", 5), ("rows", 4))),
    Position("breakthrough", "breakthrough", "(move 7 3 6 3) (move 2 6 3 5)"),
    Position("checkers", "checkers"),
    Position("reversi", "reversi", "(place 3 4)"),
    Position("hex", "hex", "(place 2 3) (place 3 3)", (("size", 5),)),
    Position("ninemensmorris", "ninemensmorris", "(place 1 1) (place 4 2)"),
    Position("dotsandboxes", "dotsandboxes", "(draw across 1 1) (draw down 2 3)"),
    Position("kalah", "kalah", "(sow 3) (sow 1)"),
    Position("nim", "nim"),
    Position("hanoi", "hanoi", "(move 1 3) (move 2 2)"),
    Position("buttonsandlights", "buttonsandlights", "(press a) (press b)"),
    Position("lightsout", "lightsout", "(press 2 2)"),
    Position("pegsolitaire", "pegsolitaire"),
    Position("pegtriangle", "pegtriangle"),
    Position("maze", "maze", "(go east)"),
    Position("sokoban", "sokoban"),
    Position("eightpuzzle", "eightpuzzle"),
    Position("pancakes", "pancakes"),
    Position("queens", "queens", "(place 1 4) (place 2 2)"),
    Position("prisonersdilemma", "prisonersdilemma", "[cooperate defect]"),
    Position("wolfgoatcabbage", "wolfgoatcabbage", "(take goat)"),
)
AS_SVG = ("tictactoe", "hex", "hanoi", "kalah", "dotsandboxes")


def pictures() -> Iterator[tuple[Path, Position, str]]:
    """The files, whose position each shows, and how: ``unicode``, ``ascii`` or ``svg``."""
    for position in POSITIONS:
        yield BOARDS / f"{position.name}.txt", position, "unicode"
        yield BOARDS / f"{position.name}.ascii.txt", position, "ascii"
        if position.name in AS_SVG:
            yield BOARDS / f"{position.name}.svg", position, "svg"


def drawn(position: Position, how: str) -> str:
    state = position.state()
    if how == "svg":
        return draw_svg(state, clickable=True).replace("><", ">\n<") + "\n"
    return draw(state, ascii=how == "ascii") + "\n"


if __name__ == "__main__":
    for path, position, how in pictures():
        path.write_text(drawn(position, how), encoding="utf-8")
