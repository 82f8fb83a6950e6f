"""A board as data: its cells, the marks of their contents, the cells that a move names.

`stratagem.show.board.infer.model_of(game)` infers a `BoardModel` from the rules, once per game; `picture` then places
the facts of a state on its boards. The renderers (terminal/, svg/, json.py) read nothing else.
Kinds of board:

    grid     cells in rows and columns; several planes where the facts have three or four coordinates
    hex      rows of six-sided cells, each row shifted by half cells
    lamps    things with one of a few states each, in a row
    piles    things with a number each: heaps, pits, bars
    stacks   things that lie on others: discs on pegs, blocks
    sides    lines between dots that make boxes

>>> from stratagem.loading import load
>>> from stratagem.show.board.infer import model_of
>>> game = load("tictactoe")
>>> model = model_of(game)
>>> model.boards[0].kind, model.boards[0].spots["1", "3"]
('grid', Spot(plane=0, column=2, row=0))
>>> picture = model.picture(game.initial().play("(mark 2 2)").facts())
>>> picture.contents[0]["2", "2"], picture.rest
(('x',), ((control oplayer),))
>>> model.squares(game.parse_move("(mark 1 3)"))
(frozenset({Square(board=0, cell=('1', '3'))}),)
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, NamedTuple, TypeAlias

from stratagem.gdl.terms import Symbol, Term, arguments, functor, order

Key: TypeAlias = tuple[str, int]
Cell: TypeAlias = tuple[Term, ...]
Kind: TypeAlias = Literal["grid", "hex", "lamps", "piles", "stacks", "sides"]
MarkShape: TypeAlias = Literal[
    "text", "disc", "crowned", "cross", "ring", "piece", "tile", "wall", "lit", "unlit", "dot"
]


BLANK: Final = 1_000
"""The rank of a blank: below everything else in a cell."""
MOVER: Final = -1


class Spot(NamedTuple):
    """The place of a cell in the drawing: columns from the left, rows from the top, both from 0."""

    plane: int
    column: int
    row: int


class Square(NamedTuple):
    """A cell of one of the boards."""

    board: int
    cell: Cell


@dataclass(frozen=True, slots=True)
class Mark:
    """How a content is drawn: *text* (up to four characters), *plain* the same in ASCII, shape and colour.

    *colour* is the name of a colour of the palette or None; *owner* the role it belongs to or None.
    """

    text: str
    plain: str
    shape: MarkShape = "text"
    colour: str | None = None
    owner: str | None = None


@dataclass(frozen=True, slots=True)
class FactLayer:
    """Facts of one shape that are drawn on a board: *cell* and *content* are places of arguments.

    The place -1 is the name of the relation itself, for facts without arguments.
    """

    key: Key
    cell: tuple[int, ...]
    content: tuple[int, ...]
    named: bool = False
    """Whether the content includes the name of the relation, to differ from other layers."""

    def read(self, fact: Term) -> tuple[Cell, str]:
        """The cell and the content that *fact* gives."""
        parts = arguments(fact)
        words = [str(parts[place]) for place in self.content]
        if self.named or not words:
            words.insert(0, self.key[0])
        cell = tuple(parts[place] if place >= 0 else Symbol(self.key[0]) for place in self.cell)
        return cell, " ".join(words)


@dataclass(frozen=True, slots=True)
class Board:
    """One board. *spots* has every cell there is; *blank* the contents that mean an empty cell."""

    kind: Kind
    name: str
    layers: tuple[FactLayer, ...]
    spots: Mapping[Cell, Spot]
    columns: tuple[str, ...]
    rows: tuple[str, ...]
    planes: tuple[str, ...] = ("",)
    across: int = 1
    """How many planes stand side by side."""
    offsets: tuple[int, ...] = ()
    """For hex: by how many half cells each row is shifted to the right."""
    blank: frozenset[str] = frozenset()
    marks: Mapping[str, Mark] = field(default_factory=dict)
    backdrop: Mapping[Cell, str] = field(default_factory=dict)
    """Static contents of cells: walls, targets."""
    chequered: bool = False
    lines: tuple[tuple[Cell, Cell], ...] = ()
    """Pairs of cells with a line between them, where the board is made of points and lines."""
    columns_above: tuple[str, ...] = ()
    """The labels above the first row where they are not those of *columns*."""

    def mark(self, content: str) -> Mark:
        """The mark of *content*; unknown contents are written out."""
        found = self.marks.get(content)
        return Mark(content, ascii_text(content)) if found is None else found


@dataclass(frozen=True, slots=True)
class Clicks:
    """How to read the cells out of a move: each entry is a board and the arguments with its coordinates.

    A coordinate that the move leaves open (the row of a piece that is dropped into a column) is None, one that
    is the role that moves is `MOVER`.
    """

    steps: tuple[tuple[int, tuple[int | None, ...]], ...]


@dataclass(frozen=True, slots=True)
class Placement:
    """The facts of a state placed on the boards; *rest* are those without a place."""

    contents: tuple[Mapping[Cell, tuple[str, ...]], ...]
    rest: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class BoardModel:
    """All boards of a game, and the cells that its moves name. Without any board, a state is a list of facts."""

    boards: tuple[Board, ...] = ()
    clicks: Mapping[Key, Clicks] = field(default_factory=dict)

    @property
    def kind(self) -> str:
        """The kind of the first board, or ``facts``."""
        return self.boards[0].kind if self.boards else "facts"

    def picture(self, facts: Iterable[Term]) -> Placement:
        """Places *facts* on the boards. Facts that another one would hide are in *rest* too."""
        places = {
            layer.key: (number, layer) for number, board in enumerate(self.boards) for layer in board.layers
        }
        found: list[defaultdict[Cell, list[tuple[int, str, Term]]]] = [defaultdict(list) for _ in self.boards]
        rest: list[Term] = []
        for fact in sorted(facts, key=order):
            number, layer = places.get(functor(fact), (-1, None))
            if layer is None:
                rest.append(fact)
                continue
            board = self.boards[number]
            cell, content = layer.read(fact)
            if cell in board.spots or board.kind == "stacks":
                found[number][cell].append((rank(board, layer, content), content, fact))
            else:
                rest.append(fact)
        contents: list[Mapping[Cell, tuple[str, ...]]] = []
        for board, cells in zip(self.boards, found, strict=True):
            if board.kind == "stacks":
                contents.append(towers(board, [entry[2] for several in cells.values() for entry in several]))
                continue
            for several in cells.values():
                several.sort(key=lambda entry: entry[:2])
                # That a cell is empty below something else needs no words, unless the same facts say both.
                top = functor(several[0][2])
                rest += [fact for height, _, fact in several[1:] if height < BLANK or functor(fact) == top]
            contents.append(
                {cell: tuple(content for _, content, _ in several) for cell, several in cells.items()}
            )
        return Placement(tuple(contents), tuple(sorted(rest, key=order)))

    def squares(self, move: Term, role: str | None = None) -> tuple[frozenset[Square], ...]:
        """The clicks that make *move*, one after the other, each on any cell of a set; none: use a button."""
        clicks = self.clicks.get(functor(move))
        if clicks is None:
            return ()
        parts = arguments(move)
        steps = []
        for number, places in clicks.steps:
            wanted = [parts[place] if place is not None and place != MOVER else None for place in places]
            if role is not None:
                wanted = [
                    Symbol(role) if place == MOVER else want
                    for place, want in zip(places, wanted, strict=True)
                ]
            cells = cells_with(self.boards[number].spots, wanted)
            if cells:
                steps.append(frozenset(Square(number, cell) for cell in cells))
        return tuple(steps)

    def after_clicks(
        self, moves: Iterable[Term], clicked: Iterable[Square], role: str | None = None
    ) -> tuple[Term, ...]:
        """Those of *moves* whose first clicks are *clicked*: what a page may still offer."""
        so_far = tuple(clicked)
        kept = []
        for move in moves:
            steps = self.squares(move, role)
            if len(steps) >= len(so_far) and all(
                square in step for square, step in zip(so_far, steps, strict=False)
            ):
                kept.append(move)
        return tuple(kept)


def cells_with(spots: Mapping[Cell, Spot], wanted: Sequence[Term | None]) -> list[Cell]:
    """The cells with the *wanted* coordinates; None matches any."""
    told = tuple(want for want in wanted if want is not None)
    if len(told) == len(wanted):
        return [told] if told in spots else []
    return [
        cell
        for cell in spots
        if all(want is None or want == part for want, part in zip(wanted, cell, strict=True))
    ]


def rank(board: Board, layer: FactLayer, content: str) -> int:
    """What is on top of a cell: the lower, the more visible; blanks last."""
    return BLANK if content in board.blank else board.layers.index(layer)


def towers(board: Board, facts: Iterable[Term]) -> dict[Cell, tuple[str, ...]]:
    """The stacks, from the bottom up: ``(on a b)`` puts a on b, wherever b lies itself.

    Things that lie side by side on one other, such as discs that are only said to be on a peg, are stacked
    with the first in order on top.
    """
    above: defaultdict[Term, list[Term]] = defaultdict(list)
    for fact in facts:
        layer = next(layer for layer in board.layers if layer.key == functor(fact))
        parts = arguments(fact)
        above[parts[layer.cell[0]]].append(parts[layer.content[0]])
    found: dict[Cell, tuple[str, ...]] = {}
    for cell in board.spots:
        pile: list[Term] = []
        waiting = [cell[0]]
        while waiting:
            things = above.pop(waiting.pop(), [])
            pile += sorted(things, key=order, reverse=True)
            waiting += [thing for thing in things if (thing,) not in board.spots]
        found[cell] = tuple(map(str, pile))
    return found


def ascii_text(text: str) -> str:
    """*text* with a question mark for every character that is not ASCII."""
    return text.encode("ascii", "replace").decode("ascii")
