"""A state drawn as SVG: boards side by side in one picture, ready for a page, a notebook or a file.

Cells carry ``data-board`` and ``data-cell`` (the coordinates as the facts write them, with commas between), so that a
page can tell what was clicked; `BoardModel.after_clicks` says which moves that leaves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from html import escape
from math import ceil
from typing import TYPE_CHECKING, Final, TypeAlias

from stratagem.show.board.infer import model_of
from stratagem.show.board.model import BoardModel, Kind, Placement, Square
from stratagem.show.board.svg.cells import GAP, Drawing, Highlight
from stratagem.show.board.svg.grid import grid, hexagons
from stratagem.show.board.svg.lines import lamps, piles, sides, stacks
from stratagem.show.board.svg.marks import style, tag
from stratagem.show.board.terminal.grid import BoardView
from stratagem.show.board.terminal.lines import fact_lines

if TYPE_CHECKING:
    from stratagem.state import State

FACTS_WIDTH: Final = 64
LIST_WIDTH: Final = 10_000
"""Facts in HTML are wrapped by the browser."""
PADDING: Final = 8.0
Painter: TypeAlias = Callable[[BoardView, int, Highlight], Drawing]
PAINTERS: Final[Mapping[Kind, Painter]] = {
    "grid": grid,
    "hex": hexagons,
    "lamps": lamps,
    "piles": piles,
    "stacks": stacks,
    "sides": sides,
}


def draw_svg(
    state: State,
    *,
    lit: Iterable[Square] = (),
    targets: Iterable[Square] = (),
    clickable: bool = False,
    facts: bool = True,
    theme: str = "auto",
) -> str:
    """*state* as one SVG element. *lit* squares stand out (the last move), *targets* have a dot (legal ones).

    *facts* writes the facts without a place below the boards. *theme* is ``auto``, ``light`` or ``dark``.
    """
    model = model_of(state.game)
    picture = model.picture(state.facts())
    highlight = Highlight(frozenset(lit), frozenset(targets), clickable)
    return boards_svg(model, picture, highlight, state.game.identity.name, facts=facts, theme=theme)


def draw_html(state: State) -> str:
    """*state* as one HTML element for a notebook: the boards, and the facts that have no place on them as a list.

    It loads nothing, and every text that comes from rules is escaped.
    """
    model = model_of(state.game)
    rest = model.picture(state.facts()).rest
    parts = [draw_svg(state, facts=False)] if model.boards else []
    facts = "".join(f"<li>{escape(line.text)}</li>" for line in fact_lines(rest, LIST_WIDTH))
    if facts:
        parts.append(
            f'<ul style="list-style:none;padding:0;margin:.4em 0;font-family:monospace">{facts}</ul>'
        )
    return f'<div class="stratagem-state">{"".join(parts) or "nothing is true"}</div>'


def boards_svg(
    model: BoardModel,
    picture: Placement,
    highlight: Highlight,
    name: str,
    *,
    facts: bool = True,
    theme: str = "auto",
) -> str:
    """A picture of all boards below each other."""
    drawings = [
        PAINTERS[board.kind](BoardView(board, contents), number, highlight)
        for number, (board, contents) in enumerate(zip(model.boards, picture.contents, strict=True))
    ]
    if facts and (picture.rest or not drawings):
        drawings.append(list_of_facts(picture))
    width = ceil(max((drawing.width for drawing in drawings), default=0.0) + 2 * PADDING)
    inner, y = [], PADDING
    for drawing in drawings:
        inner.append(tag("g", drawing.inner or " ", transform=f"translate({PADDING:g} {y:g})"))
        y += drawing.height + GAP
    height = ceil(y - GAP + PADDING)
    ground = tag("rect", width=width, height=height, rx=8, class_="ground")
    classes = "sb" if theme == "auto" else f"sb {theme}"
    title = f"<title>{escape(name)}</title>"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="{escape(classes, quote=True)}" role="img" '
        f'viewBox="0 0 {width} {height}" width="{width}" height="{height}">'
        f"{title}{style()}{ground}{''.join(inner)}</svg>"
    )


def list_of_facts(picture: Placement) -> Drawing:
    """The facts without a place, as lines of text."""
    lines = [line.text for line in fact_lines(picture.rest, FACTS_WIDTH)] or ["nothing is true"]
    inner = "".join(
        tag(
            "text", escape(text), x=2, y=14 + 20 * row, font_size=14, class_="ink start", xml_space="preserve"
        )
        for row, text in enumerate(lines)
    )
    return Drawing(8.5 * max(map(len, lines)), 20.0 * len(lines) + 4, inner)
