"""Colours that people with any kind of colour vision can tell apart (Okabe and Ito, 2008), and what they stand for.

Nothing is said by colour alone: MAX is a square and MIN a circle, a cut has two strokes through its edge, and what is
not visited is dashed.
"""

from __future__ import annotations

from dataclasses import dataclass

ORANGE, SKY, GREEN, YELLOW = "#e69f00", "#56b4e9", "#009e73", "#f0e442"
BLUE, VERMILLION, PURPLE = "#0072b2", "#d55e00", "#cc79a7"
INK, GREY, PALE, PAPER = "#1b1f24", "#6b7280", "#c3c8d0", "#ffffff"


@dataclass(frozen=True, slots=True)
class NodeStyle:
    """How a node is drawn: *fill* and *stroke*, its *width*, *dash* ("" for none) and the colour of its text."""

    fill: str = PAPER
    stroke: str = INK
    width: float = 1.5
    dash: str = ""
    text: str = INK


NODE_STYLES = {
    "": NodeStyle(stroke=PALE, dash="3 3", text=GREY),
    "known": NodeStyle(stroke=PALE, text=GREY),
    "live": NodeStyle(fill="#e3f2fc", stroke=BLUE, dash="4 2"),
    "entered": NodeStyle(fill="#d6ecfa", stroke=BLUE, width=3),
    "leaf": NodeStyle(fill="#fdf0cf", stroke=ORANGE, width=2),
    "visited": NodeStyle(),
    "cut": NodeStyle(fill="#f3f4f6", stroke=VERMILLION, dash="2 3", text=GREY),
    "solved": NodeStyle(fill="#d9f2e9", stroke=GREEN, width=2.5),
    "purged": NodeStyle(fill="#f3f4f6", stroke=PURPLE, dash="2 3", text=GREY),
    "goal": NodeStyle(fill="#fff7c2", stroke=GREEN, width=3),
}
MEANINGS = {
    "": "not visited",
    "known": "visited in an earlier round",
    "live": "LIVE, or in the fringe",
    "entered": "being searched",
    "leaf": "leaf, evaluated",
    "visited": "done",
    "cut": "cut",
    "solved": "SOLVED",
    "purged": "purged from OPEN",
    "goal": "goal",
}
