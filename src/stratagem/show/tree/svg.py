"""One step of a search as a self-contained SVG, for papers, slides and notebooks.

MAX is a square, MIN a circle, chance a diamond, a leaf a plate with its value. Two strokes through an edge mark a cut;
a fan below a node stands for the nodes folded there, with their number; the strategy found has thick green edges, best play runs along the thickest. Colours are written as attributes, so that
every program that reads SVG shows the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from html import escape
from itertools import pairwise
from math import hypot

from stratagem.errors import MissingExtra
from stratagem.show.labels import bare, figure, title
from stratagem.show.tree import palette
from stratagem.show.tree.layout import TreeLayout, layout_of
from stratagem.show.tree.palette import MEANINGS, NODE_STYLES, NodeStyle
from stratagem.show.walkthrough.model import Cursor, Frame, Walkthrough
from stratagem.show.walkthrough.sentences import SIGNS

NAMESPACE = "http://www.w3.org/2000/svg"  # a name, not an address: nothing is loaded from it
FONT = "Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif"
HALF = 15.0  # half the size of a node
MOST_LETTERS = 14
WIDEST_PNG = 12_000
FAN = 26.0  # the height of a fan with its number


def svg_of(
    walkthrough: Walkthrough,
    frame: Frame | None = None,
    *,
    legend: bool = True,
    caption: bool = True,
    drawn: Collection[int] | None = None,
) -> str:
    """The tree or graph of *walkthrough* at the moment *frame*, the last one unless given.

    With *drawn*, only these nodes are drawn; the others are folded.

    >>> from stratagem.machines.trees.tree import Tree
    >>> from stratagem.explanation import explain
    >>> svg_of(explain(Tree.of([3, 5])).walkthrough).count("<text")
    10
    """
    moment = frame or Cursor(walkthrough).seek(-1).frame()
    return _TreePicture(walkthrough, moment, drawn).svg(legend=legend, caption=caption)


def png_of(svg: str, *, zoom: float = 2.0) -> bytes:
    """The picture in *svg* as PNG, *zoom* times as large, but no wider than 12,000 dots.

    Text is set in the fonts of this machine.
    """
    try:
        from resvg_py import svg_to_bytes
    except ImportError as missing:
        raise MissingExtra("png", needs="resvg-py") from missing
    width = float(svg.partition(' width="')[2].partition('"')[0])
    return bytes(svg_to_bytes(svg_string=svg, zoom=min(zoom, WIDEST_PNG / width)))


class _TreePicture:
    def __init__(self, walkthrough: Walkthrough, frame: Frame, drawn: Collection[int] | None) -> None:
        self.walkthrough = walkthrough
        self.frame = frame
        self.status = shown_statuses(walkthrough, frame)
        self.folded: Counter[int] = Counter()
        if drawn is not None:
            self.status, self.folded = folded_to(walkthrough, self.status, drawn)
        self.layout: TreeLayout = layout_of(
            walkthrough.nodes, walkthrough.roots(), drawn=lambda node: node in self.status, wide=self._room
        )
        self.strategy = walkthrough.strategy if frame.finished else frozenset()
        line = walkthrough.line if frame.finished else ()
        self.line = {frozenset(pair) for pair in pairwise(line)}

    def svg(self, *, legend: bool, caption: bool) -> str:
        width = max(self.layout.width, 400.0 if legend or caption else 0.0)
        top = 30.0 if caption else 0.0
        rows = self._legend(width) if legend else []
        bottom = self.layout.height + (FAN if self.folded else 0.0)
        height = bottom + top + (8 + 20 * len(rows) if rows else 0)
        shift = (width - self.layout.width) / 2
        body = [
            f'<g transform="translate({_n(shift)} {_n(top)})">',
            *self._links(),
            *(self._edge(node) for node in self.layout.places),
            *(self._node(node) for node in self.layout.places),
            "</g>",
        ]
        for number, row in enumerate(rows):
            y = top + bottom + 8 + 20 * number
            body.append(f'<g transform="translate(12 {_n(y)})">{row}</g>')
        name = " · ".join(
            part for part in (title(self.walkthrough.algorithm), self.walkthrough.label) if part
        )
        if caption:
            body.insert(0, _text(12, 20, name, size=14, weight="bold", anchor="start"))
        size = f'viewBox="0 0 {_n(width)} {_n(height)}" width="{_n(width)}" height="{_n(height)}"'
        head = f'<svg xmlns="{NAMESPACE}" {size} font-family="{FONT}" role="img">'
        paper = f'<rect width="{_n(width)}" height="{_n(height)}" fill="{palette.PAPER}"/>'
        return "\n".join([head, f"<title>{escape(name)}</title>", paper, *body, "</svg>"]) + "\n"

    # -- edges ---------------------------------------------------------------------------------------------

    def _edge(self, number: int) -> str:
        node = self.walkthrough.nodes[number]
        if node.parent is None:
            return ""
        (x1, y1), (x2, y2) = self.layout.places[node.parent], self.layout.places[number]
        y1, y2 = y1 + HALF, y2 - (HALF if node.moves else HALF - 4)
        stroke, width, dash = palette.GREY, 1.2, ""
        if frozenset((node.parent, number)) in self.line:
            stroke, width = palette.GREEN, 5.0
        elif number in self.strategy and node.parent in self.strategy:
            stroke, width = palette.GREEN, 2.6
        elif self.status[number] in ("", "cut", "purged"):
            stroke, dash = palette.PALE, ' stroke-dasharray="3 3"'
        parts = [
            f'<line x1="{_n(x1)}" y1="{_n(y1)}" x2="{_n(x2)}" y2="{_n(y2)}" stroke="{stroke}" '
            f'stroke-width="{_n(width)}"{dash}/>'
        ]
        if self.status[number] == "cut" and self.status[node.parent] != "cut":
            parts.append(_strokes(x1, y1, x2, y2))
        if label := move_label(node.move) if node.odds is None else figure(node.odds):
            # long labels stand over the child, where there is room for them
            x, y = (x2, y2 - 4) if len(label) > 2 else (x1 + (x2 - x1) * 0.62, y1 + (y2 - y1) * 0.62 + 3)
            parts.append(_text(x, y, label, size=9, fill=palette.GREY, halo=True))
        return "".join(parts)

    def _links(self) -> list[str]:
        found = []
        for number, link in enumerate(self.walkthrough.links):
            if number not in self.frame.link or not self.layout.places.keys() >= {link.parent, link.node}:
                continue
            if self.walkthrough.nodes[link.parent].parent == link.node:
                continue  # the reverse edge is not drawn
            (x1, y1), (x2, y2) = self.layout.places[link.parent], self.layout.places[link.node]
            bend = 26 if x2 >= x1 else -26
            solved = frozenset((link.parent, link.node)) in self.line
            stroke = f'stroke="{palette.GREEN}" stroke-width="5"' if solved else f'stroke="{palette.PURPLE}"'
            found.append(
                f'<path d="M{_n(x1)} {_n(y1)} Q{_n((x1 + x2) / 2)} {_n((y1 + y2) / 2 + bend)} {_n(x2)} {_n(y2)}" '
                f'fill="none" {stroke} stroke-dasharray="5 3"/>'
            )
        return found

    # -- nodes ---------------------------------------------------------------------------------------------

    def _node(self, number: int) -> str:
        node = self.walkthrough.nodes[number]
        x, y = self.layout.places[number]
        look = NODE_STYLES[self.status[number]]
        label = self.label(number)
        shape = _shape(x, y, "leaf" if not node.moves else node.player, look, _size(label))
        crossed = ""
        if self.status[number] == "purged":
            crossed = (
                f'<path d="M{_n(x - 11)} {_n(y - 11)} L{_n(x + 11)} {_n(y + 11)} M{_n(x + 11)} {_n(y - 11)} '
                f'L{_n(x - 11)} {_n(y + 11)}" stroke="{palette.PURPLE}" stroke-opacity="0.6"/>'
            )
        weight = "bold" if self.status[number] in ("leaf", "solved", "goal") else "normal"
        text = _text(x, y + 4.5, label, size=13, fill=look.text, weight=weight)
        return shape + crossed + text + self._fold(number, max(HALF, _size(label) / 2))

    def _fold(self, number: int, half: float) -> str:
        """The sign of what is folded below a node: a fan, or words beside it where some of its children are drawn."""
        count = self.folded[number]
        if not count:
            return ""
        x, y = self.layout.places[number]
        if any(child in self.layout.places for child in self.walkthrough.nodes[number].children):
            words = f"and {count:,} more"
            return _text(x + half + 4, y + 3, words, size=9, fill=palette.GREY, anchor="start", halo=True)
        return _fan(x, y + 17) + _text(x, y + 39, f"{count:,}", size=9, fill=palette.GREY)

    def label(self, number: int) -> str:
        return node_label(self.walkthrough, self.frame.value, self.frame.proof, number)

    def _room(self, number: int) -> float:
        move = move_label(self.walkthrough.nodes[number].move)
        return max(38.0, _size(self.label(number)) + 12, 5.2 * len(move) + 6)

    def _legend(self, width: float) -> list[str]:
        """Rows of small samples with their meaning, as many as the picture is wide enough for."""
        samples: list[tuple[str, float]] = []
        if self.walkthrough.shape == "tree":
            players = {node.player for node in self.walkthrough.nodes if node.moves}
            for player, word in (("max", "MAX"), ("min", "MIN"), ("chance", "chance")):
                if player in players:
                    samples.append(_sample(_shape(8, 0, player, NodeStyle(), 16, half=7), word))
        for status in NODE_STYLES:
            if status in self.status.values():
                shape = _shape(8, 0, "leaf", NODE_STYLES[status], 16, half=7)
                samples.append(_sample(shape, MEANINGS[status]))
        if self.folded:
            samples.append(_sample(_fan(8, -6), "folded: so many nodes"))
        if self.strategy:
            line = f'<line x1="0" y1="0" x2="16" y2="0" stroke="{palette.GREEN}" stroke-width="3"/>'
            samples.append(_sample(line, "strategy found"))
        rows, x = [""], 0.0
        for sample, room in samples:
            if x and x + room > width - 24:
                rows, x = [*rows, ""], 0.0
            rows[-1] += f'<g transform="translate({_n(x)} 0)">{sample}</g>'
            x += room
        return rows


def shown_statuses(walkthrough: Walkthrough, frame: Frame) -> dict[int, str]:
    """The status of every node that is drawn; "" for one that was not looked at. Below a cut all is cut."""
    shown: dict[int, str] = {}
    waiting = list(reversed(walkthrough.roots()))
    while waiting:
        number = waiting.pop()
        node = walkthrough.nodes[number]
        status = frame.status.get(number, "")
        if not status and node.parent is not None and shown.get(node.parent) == "cut":
            status = "cut"
        if status or walkthrough.outlined:
            shown[number] = status
        waiting.extend(reversed(node.children))
    return shown


def folded_to(
    walkthrough: Walkthrough, statuses: Mapping[int, str], drawn: Collection[int]
) -> tuple[dict[int, str], Counter[int]]:
    """The statuses of the nodes that are *drawn*, and how many others are folded below each of them."""
    kept = {number for number in statuses if number in drawn or walkthrough.nodes[number].parent is None}
    folded: Counter[int] = Counter()
    for number in statuses:
        if number not in kept:
            above = walkthrough.nodes[number].parent
            while above is not None and above not in kept:
                above = walkthrough.nodes[above].parent
            if above is not None:
                folded[above] += 1
    return {number: status for number, status in statuses.items() if number in kept}, folded


def node_label(
    walkthrough: Walkthrough,
    values: Mapping[int, tuple[float, str]],
    proofs: Mapping[int, tuple[float, float]],
    number: int,
) -> str:
    """What is written in a node: its value or bound, proof numbers, a printed leaf, the number of a state."""
    node = walkthrough.nodes[number]
    if walkthrough.shape == "graph":
        return str(node.name)
    if number in proofs and number not in values:
        return "/".join(map(figure, proofs[number]))
    if number in values:
        value, kind = values[number]
        return SIGNS[kind].strip() + figure(value)
    return "" if node.printed is None else figure(node.printed)


def move_label(move: str) -> str:
    """A move in few letters: without its outer brackets, and cut off where it is long."""
    text = bare(move)
    return text if len(text) <= MOST_LETTERS else text[: MOST_LETTERS - 1] + "…"


def _shape(x: float, y: float, player: str, look: NodeStyle, room: float, half: float = HALF) -> str:
    dash = f' stroke-dasharray="{look.dash}"' if look.dash else ""
    paint = f'fill="{look.fill}" stroke="{look.stroke}" stroke-width="{_n(look.width)}"{dash}/>'
    wide = max(half, room / 2)
    if player == "max":
        return f'<rect x="{_n(x - wide)}" y="{_n(y - half)}" width="{_n(2 * wide)}" height="{_n(2 * half)}" {paint}'
    if player == "min":
        return f'<ellipse cx="{_n(x)}" cy="{_n(y)}" rx="{_n(wide + 1)}" ry="{_n(half + 1)}" {paint}'
    if player == "chance":
        points = f"{_n(x)},{_n(y - half - 4)} {_n(x + wide + 4)},{_n(y)} {_n(x)},{_n(y + half + 4)} {_n(x - wide - 4)},{_n(y)}"
        return f'<polygon points="{points}" {paint}'
    low = half - 4 if half > 10 else half
    size = f'x="{_n(x - wide)}" y="{_n(y - low)}" width="{_n(2 * wide)}" height="{_n(2 * low)}" rx="{_n(low * 0.6)}"'
    return f"<rect {size} {paint}"


def _fan(x: float, y: float) -> str:
    """The sign of folded nodes."""
    return f'<path d="M{_n(x)} {_n(y)}l-11 12h22z" fill="none" stroke="{palette.GREY}"/>'


def _strokes(x1: float, y1: float, x2: float, y2: float) -> str:
    """Two short strokes across an edge, a third of the way down."""
    length = hypot(x2 - x1, y2 - y1) or 1
    dx, dy = (x2 - x1) / length, (y2 - y1) / length
    strokes = []
    for at in (0.34 * length, 0.34 * length + 5):
        x, y = x1 + dx * at, y1 + dy * at
        strokes.append(f"M{_n(x - dy * 7)} {_n(y + dx * 7)} L{_n(x + dy * 7)} {_n(y - dx * 7)}")
    return f'<path d="{" ".join(strokes)}" stroke="{palette.VERMILLION}" stroke-width="2"/>'


def _sample(shape: str, words: str) -> tuple[str, float]:
    return shape + _text(22, 4, words, size=11, anchor="start"), 36 + 6.2 * len(words)


def _text(
    x: float,
    y: float,
    words: str,
    *,
    size: float,
    fill: str = palette.INK,
    weight: str = "normal",
    anchor: str = "middle",
    halo: bool = False,
) -> str:
    if not words:
        return ""
    style = f'font-size="{_n(size)}" fill="{fill}" text-anchor="{anchor}"'
    if weight != "normal":
        style += f' font-weight="{weight}"'
    if halo:
        style += f' stroke="{palette.PAPER}" stroke-width="3" paint-order="stroke" stroke-linejoin="round"'
    return f'<text x="{_n(x)}" y="{_n(y)}" {style}>{escape(words)}</text>'


def _size(label: str) -> float:
    return 8.0 * len(label) + 8


def _n(value: float) -> str:
    """A coordinate with at most one digit behind the point, the same on every machine."""
    return f"{value:.1f}".removesuffix(".0")
