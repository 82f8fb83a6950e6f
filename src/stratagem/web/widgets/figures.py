"""Small charts as SVG: values by turn, ratings with intervals. Colours come from the page's style sheet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Final

from stratagem.play.tournaments.ratings import Rating

WIDTH, HEIGHT = 340, 120
MARGIN: Final = 26
DASHES: Final = ("", "6 3", "2 3", "8 3 2 3")
"""Lines differ in their dashes, not in colour alone."""


def value_curve(values: Mapping[str, Sequence[tuple[int, float]]], turns: int, here: int) -> str:
    """The value that each role estimated, turn by turn; *here* is marked."""
    if not any(values.values()):
        return ""
    wide, high = WIDTH - MARGIN - 8, HEIGHT - 30

    def x(turn: float) -> float:
        return MARGIN + wide * turn / max(1, turns)

    def y(value: float) -> float:
        return 8 + high * (100 - max(0.0, min(100.0, value))) / 100

    parts = [
        f'<line class="axis" x1="{MARGIN}" x2="{WIDTH - 8}" y1="{y(v):.1f}" y2="{y(v):.1f}"/>'
        f'<text x="{MARGIN - 5}" y="{y(v) + 4:.1f}" class="end">{v}</text>'
        for v in (0, 50, 100)
    ]
    parts.append(f'<line class="now" x1="{x(here):.1f}" x2="{x(here):.1f}" y1="4" y2="{8 + high}"/>')
    for number, (role, points) in enumerate(values.items()):
        dash = DASHES[number % len(DASHES)]
        line = " ".join(f"{x(turn):.1f},{y(value):.1f}" for turn, value in points)
        parts.append(f'<polyline class="curve c{number % 6}" stroke-dasharray="{dash}" points="{line}"/>')
        parts += [
            f'<circle class="dot c{number % 6}" cx="{x(turn):.1f}" cy="{y(value):.1f}" r="2.6"/>'
            for turn, value in points
        ]
        left = MARGIN + number * 105
        parts.append(
            f'<line class="curve c{number % 6}" stroke-dasharray="{dash}" x1="{left}" x2="{left + 20}" '
            f'y1="{HEIGHT - 7}" y2="{HEIGHT - 7}"/>'
            f'<text x="{left + 24}" y="{HEIGHT - 3}">{escape(role[:12])}</text>'
        )
    return _svg(WIDTH, HEIGHT, "".join(parts), "values from turn to turn")


def rating_plot(ratings: Sequence[Rating]) -> str:
    """Elo with 95 % intervals, the strongest first."""
    if not ratings:
        return ""
    low = min(rating.low for rating in ratings)
    high = max(rating.high for rating in ratings)
    span = max(1.0, high - low)
    left, right, row = 120, 560, 26
    height = row * len(ratings) + 34

    def x(elo: float) -> float:
        return left + (right - left) * (elo - low) / span

    parts = []
    step = next(size for size in (10, 20, 50, 100, 200, 500, 1000, 5000) if span / size <= 8 or size == 5000)
    mark = (int(low) // step + 1) * step
    while mark < high:
        parts.append(
            f'<line class="axis" x1="{x(mark):.1f}" x2="{x(mark):.1f}" y1="6" y2="{height - 24}"/>'
            f'<text class="middle" x="{x(mark):.1f}" y="{height - 8}">{mark}</text>'
        )
        mark += step
    for number, rating in enumerate(ratings):
        y = 20 + row * number
        parts.append(
            f'<text class="end" x="{left - 12}" y="{y + 4}">{escape(rating.player[:16])}</text>'
            f'<line class="interval" x1="{x(rating.low):.1f}" x2="{x(rating.high):.1f}" y1="{y}" y2="{y}"/>'
            f'<circle class="rating" cx="{x(rating.elo):.1f}" cy="{y}" r="5.5"/>'
            f"<title>{rating.elo:.0f} ({rating.low:.0f} to {rating.high:.0f})</title>"
        )
    return _svg(right + 20, height, "".join(parts), "ratings with 95 % intervals")


def _svg(width: int, height: int, inner: str, label: str) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="figure-svg" viewBox="0 0 {width} {height}" role="img" '
        f'aria-label="{label}">{inner}</svg>'
    )
