"""Marks as SVG: discs, crosses, pieces, lamps, walls. Every colour also has a letter or a shape of its own.

Colours are those of Okabe and Ito (2008), which people with colour-blindness can tell apart. They are set by
classes, so that a page may change them; dark pages get their own where the reader's system asks for them, or
where a parent has the class ``dark`` or ``body--dark`` or is a dark notebook. The ground is drawn too, so that
nothing depends on the page behind.
"""

from __future__ import annotations

from html import escape
from typing import Final

from stratagem.show.board.model import Mark

PALETTE: Final = {
    "red": ("#d55e00", "#ffffff"),
    "blue": ("#0072b2", "#ffffff"),
    "green": ("#009e73", "#ffffff"),
    "yellow": ("#f0e442", "#222222"),
    "orange": ("#e69f00", "#222222"),
    "pink": ("#cc79a7", "#222222"),
    "sky": ("#56b4e9", "#222222"),
    "white": ("#ffffff", "#222222"),
    "black": ("#1c1c1c", "#ffffff"),
    "grey": ("#8a8a8a", "#ffffff"),
}
"""Each colour, and the colour of letters on it."""
LIGHT: Final = {
    "ground": "#ffffff",
    "paper": "#f6f3ec",
    "shade": "#d9cfbb",
    "line": "#b9b0a0",
    "ink": "#222222",
    "faint": "#8d8677",
    "wall": "#6b655a",
    "lit": "#ffe9a8",
    "target": "#009e73",
}
DARK: Final = {
    "ground": "#1b1e24",
    "paper": "#2b2f36",
    "shade": "#3b4350",
    "line": "#5a616d",
    "ink": "#eceff4",
    "faint": "#9aa3b2",
    "wall": "#7d8594",
    "lit": "#6b5a1e",
    "target": "#4cd6a8",
}
DARK_PARENTS: Final = (".dark", ".body--dark", '[data-jp-theme-light="false"]')
MIDDLE: Final = ".35em"
"""How far below a point text begins whose middle is at that point; not all readers know other ways."""
AS_TEXT: Final = "\ufe0e"
"""Behind a chess piece it keeps browsers from drawing a coloured picture."""
FONT: Final = "'DejaVu Sans','Noto Sans','Segoe UI Symbol',sans-serif"


def style() -> str:
    """The style sheet of a board."""
    rules = [
        ".sb{font-family:" + FONT + ";-webkit-user-select:none;user-select:none}",
        ".sb text{text-anchor:middle}",
        ".sb .start{text-anchor:start}.sb .end{text-anchor:end}.sb .bold{font-weight:bold}",
        ".sb .none{fill:none}.sb [data-cell]{cursor:pointer}",
        ".sb [data-cell]:focus{outline:none}.sb [data-cell]:hover .place,.sb [data-cell]:focus .place"
        "{stroke:#0072b2;stroke-width:3}",
    ]
    for name, (fill, text) in PALETTE.items():
        rules.append(f".sb .{name}{{fill:{fill}}}.sb .on-{name}{{fill:{text}}}.sb .s-{name}{{stroke:{fill}}}")
    rules += themed(LIGHT, ".sb")
    dark = themed(DARK, ".sb:not(.light)")
    parents = (rule for parent in DARK_PARENTS for rule in themed(DARK, f"{parent} .sb"))
    rules += ["@media (prefers-color-scheme: dark){", *dark, "}", *parents, *themed(DARK, ".sb.dark")]
    return "<style>" + "".join(rules) + "</style>"


def themed(colours: dict[str, str], scope: str) -> list[str]:
    rules = [f"{scope} .{name}{{fill:{colour}}}" for name, colour in colours.items()]
    rules += [f"{scope} .s-{name}{{stroke:{colour}}}" for name, colour in colours.items()]
    return rules


def number(value: float) -> str:
    """A coordinate without needless digits."""
    return f"{value:.1f}".removesuffix(".0")


def tag(name: str, inner: str = "", /, **attributes: str | float) -> str:
    """An element; ``class_`` becomes ``class``, underscores hyphens, and every value is escaped."""
    written = []
    for key, value in attributes.items():
        text = number(value) if isinstance(value, int | float) else escape(value, quote=True)
        written.append(f' {key.rstrip("_").replace("_", "-")}="{text}"')
    return f"<{name}{''.join(written)}/>" if inner == "" else f"<{name}{''.join(written)}>{inner}</{name}>"


def word(text: str, x: float, y: float, size: float, class_: str) -> str:
    """Text with its middle at a point, made smaller where it is long."""
    fitted = max(9.0, min(size, 2.6 * size / max(1, len(text))))
    shown = escape(text) + (AS_TEXT if len(text) == 1 and "♔" <= text <= "♟" else "")
    return tag("text", shown, x=x, y=y, dy=MIDDLE, font_size=fitted, class_=class_)


def draw_mark(mark: Mark, x: float, y: float, size: float) -> str:
    """*mark* in a square of *size* around a point."""
    colour = mark.colour or "ink"
    match mark.shape:
        case "disc":
            return disc(mark, x, y, size)
        case "crowned":
            ring = tag(
                "circle", cx=x, cy=y, r=0.28 * size, class_=f"none s-{contrast(colour)}", stroke_width=2
            )
            return disc(mark, x, y, size) + ring
        case "cross":
            reach = 0.26 * size
            path = f"M{number(x - reach)} {number(y - reach)}l{number(2 * reach)} {number(2 * reach)}"
            path += f"m0 {number(-2 * reach)}l{number(-2 * reach)} {number(2 * reach)}"
            return tag(
                "path", d=path, class_=f"none s-{colour}", stroke_width=0.11 * size, stroke_linecap="round"
            )
        case "ring":
            return tag(
                "circle", cx=x, cy=y, r=0.27 * size, class_=f"none s-{colour}", stroke_width=0.11 * size
            )
        case "piece":
            return piece(mark, x, y, size)
        case "tile":
            return tile(mark, x, y, size)
        case "wall":
            return box(x, y, size, "wall", 0) + (
                word(mark.text, x, y, 0.4 * size, "paper") if mark.colour else ""
            )
        case "lit":
            rim = tag("circle", cx=x, cy=y, r=0.38 * size, class_="yellow s-orange", stroke_width=0.05 * size)
            return rim + tag("circle", cx=x - 0.1 * size, cy=y - 0.1 * size, r=0.08 * size, class_="white")
        case "unlit":
            return unlit(x, y, size)
        case "dot":
            return tag("circle", cx=x, cy=y, r=0.12 * size, class_="none s-faint", stroke_width=0.05 * size)
    if mark.colour is None:
        return word(mark.text, x, y, 0.5 * size, "bold ink")
    badge = box(x, y, 0.74 * size, f"{colour} s-faint", 0.14 * size)
    return badge + word(mark.text, x, y, 0.34 * size, f"bold on-{colour}")


def unlit(x: float, y: float, size: float) -> str:
    return tag("circle", cx=x, cy=y, r=0.38 * size, class_="none s-faint", stroke_width=0.04 * size)


def contrast(colour: str) -> str:
    return "ink" if colour == "ink" else "black" if PALETTE[colour][1] == "#222222" else "white"


def disc(mark: Mark, x: float, y: float, size: float) -> str:
    colour = mark.colour or "faint"
    rim = "s-line" if mark.colour is None else "s-faint"
    drawn = tag("circle", cx=x, cy=y, r=0.38 * size, class_=f"{colour} {rim}", stroke_width=1.5)
    if mark.colour is None:
        return drawn
    letter = mark.plain if len(mark.plain) <= 2 else mark.plain[:1]
    return drawn + word(letter, x, y, 0.3 * size, f"bold on-{mark.colour}")


def piece(mark: Mark, x: float, y: float, size: float) -> str:
    """A piece of chess: the full sign in its colour, with a rim, so that both sides show on both themes."""
    solid = chr(ord(mark.text) + 6) if "♔" <= mark.text <= "♙" else mark.text
    colour = mark.colour or ("white" if solid != mark.text else "ink")
    rim = "s-black" if colour in ("white", "yellow", "sky") else "s-line" if colour == "ink" else "s-faint"
    looks = {"class_": f"{colour} {rim}", "stroke_width": number(0.02 * size)}
    return tag("text", f"{solid}{AS_TEXT}", x=x, y=y, dy=MIDDLE, font_size=0.78 * size, **looks)


def tile(mark: Mark, x: float, y: float, size: float) -> str:
    if not mark.text.isdecimal():
        return box(x, y, 0.7 * size, mark.colour or "orange", 0.08 * size)
    return box(x, y, 0.84 * size, "shade", 0.1 * size) + word(mark.text, x, y, 0.42 * size, "bold ink")


def box(x: float, y: float, size: float, class_: str, corner: float) -> str:
    """A square around a point."""
    return tag("rect", x=x - size / 2, y=y - size / 2, width=size, height=size, rx=corner, class_=class_)
