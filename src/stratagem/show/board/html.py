"""A state for a notebook: the SVG of its boards, and the facts that have no place on them as a list.

It needs nothing from outside, and everything that comes from rules is escaped.
"""

from __future__ import annotations

from html import escape

from stratagem.gdl_game import State
from stratagem.show.board.infer import model_of
from stratagem.show.board.svg.board import draw_svg
from stratagem.show.board.terminal.lines import fact_lines

WIDTH = 10_000


def draw_html(state: State) -> str:
    """*state* as one HTML element."""
    model = model_of(state.game)
    rest = model.picture(state.facts()).rest
    parts = [draw_svg(state, facts=False)] if model.boards else []
    facts = "".join(f"<li>{escape(line.text)}</li>" for line in fact_lines(rest, WIDTH))
    if facts:
        parts.append(
            f'<ul style="list-style:none;padding:0;margin:.4em 0;font-family:monospace">{facts}</ul>'
        )
    return f'<div class="stratagem-state">{"".join(parts) or "nothing is true"}</div>'
