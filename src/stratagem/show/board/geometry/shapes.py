"""Shapes: which arguments of which facts are coordinates.

Every shape of fact ``(cell ?x ?y ?mark)`` is weighed: two arguments with ordered domains that stand side by side, that
the rules call row and column, that moves have too, and that tell all else about a cell at the beginning, are
coordinates; a third and a fourth make planes. What remains is the content. A shape of two arguments that are
both ordered is a set of cells, unless the first state makes one a function of the other, as in ``(heap a 5)``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Final

from stratagem.gdl.terms import Symbol, Term
from stratagem.show.board.geometry.domains import Key, Values
from stratagem.show.board.geometry.links import Links, Pair
from stratagem.show.board.geometry.sequences import Axis, axis_of, coded
from stratagem.show.board.geometry.survey import GameSurvey, Row

LONGEST_AXIS: Final = 40
ENOUGH: Final = 4
"""The weight from which two arguments are taken for coordinates."""
JOINING: Final = 2
"""The weight from which they are if other facts with the same places have shown that these are coordinates."""
SURE_NAMES: Final = frozenset(["x", "y", "row", "col", "column", "file", "rank", "coordinate"])
LIKELY_NAMES: Final = frozenset(
    ["i", "j", "m", "n", "c", "r", "u", "v", "rows", "cols", "columns", "files", "ranks", "index"]
)
PLANES: Final = frozenset(["z", "level", "layer", "height", "depth", "plane", "floor", "board"])
PLACES: Final = [
    "cell",
    "square",
    "board",
    "location",
    "place",
    "pos",
    "position",
    "piece",
    "mark",
    "hole",
    "field",
    "stone",
    "peg",
    "tile",
    "token",
    "point",
]
STACKED: Final = frozenset(["on", "above", "under", "upon"])


@dataclass(frozen=True, slots=True)
class FactShape:
    """A shape of fact with its coordinates: places of arguments, and the axis of each.

    A *code* is one argument that names a cell by letter and number, ``a1``: two axes, one argument.
    """

    key: Key
    cell: tuple[int, ...]
    axes: tuple[Axis, ...]
    content: tuple[int, ...]
    weight: int
    code: bool = False

    @property
    def pair(self) -> Pair:
        """The last two coordinates, for links."""
        return ("fact", self.key, self.cell[-2], self.cell[-1])


def grid_shapes(survey: GameSurvey, links: Links) -> list[FactShape]:
    """All shapes of facts that may have coordinates, the weightiest first."""
    found = [shape for key in survey.facts for shape in shapes_of(survey, links, key)]
    order = list(survey.facts)
    return sorted(found, key=lambda shape: (-shape.weight, len(shape.cell), order.index(shape.key)))


def shapes_of(survey: GameSurvey, links: Links, key: Key) -> Iterator[FactShape]:
    """The best reading of one shape of fact, if it has coordinates."""
    code = next((place for place in range(key[1]) if is_code(survey, key, place)), None)
    if code is not None and key[1] <= 3:
        rest = tuple(place for place in range(key[1]) if place != code)
        rows = survey.init.get(key, frozenset())
        weight = 6 if rows and len({row[code] for row in rows}) == len(rows) else 2 if rows else 4
        yield FactShape(key, (code,), code_axes(survey.facts[key][code]), rest, weight, code=True)
        return
    axes = [argument_axis(survey, key, place) for place in range(key[1])]
    best: tuple[int, tuple[int, int]] | None = None
    for left, right in combinations([place for place, axis in enumerate(axes) if axis is not None], 2):
        weight = weighed(survey, links, key, (left, right), axes)
        if best is None or weight > best[0]:
            best = (weight, (left, right))
    if best is None or best[0] < JOINING:
        return
    cell = with_planes(survey, key, best[1], axes)
    kept = clipped([axes[place] or loose(survey, survey.facts[key][place]) for place in cell])
    content = tuple(place for place in range(key[1]) if place not in cell)
    yield FactShape(key, cell, kept, content, best[0])


def argument_axis(survey: GameSurvey, key: Key, place: int) -> Axis | None:
    """The axis of an argument: its domain if that has an order, else what stands there at first."""
    values = survey.facts[key][place]
    if values <= survey.roles:
        return None
    chains = tuple(survey.chains.values())
    axis = axis_of(values, chains)
    if axis is None or len(axis) > LONGEST_AXIS:
        rows = survey.init.get(key, frozenset())
        axis = axis_of({row[place] for row in rows}, chains) if len(rows) > 1 else None
    return axis if axis is not None and len(axis) <= LONGEST_AXIS else None


def is_code(survey: GameSurvey, key: Key, place: int) -> bool:
    values = survey.facts[key][place]
    return len(values) >= 4 and coded(values) is not None


def code_axes(values: Values) -> tuple[Axis, ...]:
    parts = (coded(values) or {}).values()
    found = (axis_of({part[place] for part in parts}) for place in (0, 1))
    return tuple(axis or Axis((), "word") for axis in found)


def loose(survey: GameSurvey, values: Values) -> Axis:
    """An axis of words without order, as the planes of a board may have: in the order of the sheet."""
    words = [value for value in values if isinstance(value, Symbol)]
    return Axis(tuple(sorted(words, key=lambda word: survey.appearance.get(word, 0))), "word")


def weighed(
    survey: GameSurvey, links: Links, key: Key, pair: tuple[int, int], axes: list[Axis | None]
) -> int:
    """How much speaks for *pair* being the coordinates of facts of shape *key*."""
    left, right = pair
    first, second = axes[left], axes[right]
    if first is None or second is None:
        return 0
    rows = survey.init.get(key, frozenset())
    alone = key[1] == 2
    if alone and (key[0].rstrip("0123456789") in STACKED or function(rows, left, right, first, second)):
        return 0
    if len(rows) == 1 and key[1] > 4:
        return 0
    weight = 2 if right == left + 1 else 0
    weight += first.style == second.style or {first.style, second.style} == {"letter", "number"}
    weight += min(name_weight(survey, key, place) for place in pair)
    weight += 2 * in_moves(survey, links, key, pair, (first, second))
    weight += any(word in key[0] for word in PLACES)
    if not alone and rows:
        cell = with_planes(survey, key, pair, axes)
        cells = {tuple(row[place] for place in cell) for row in rows}
        weight += 2 if len(cells) == len(rows) else -4
    weight += not alone and all((key, place) in survey.stepped for place in pair)
    if alone and not rows:
        weight -= 1
    return weight


def name_weight(survey: GameSurvey, key: Key, place: int) -> int:
    """How much the words for an argument sound like a coordinate; ``to_row2`` sounds like ``row``."""
    words = {word.rstrip("0123456789'") for word in survey.words.get((key, place), frozenset())}
    if any(part in SURE_NAMES for word in words for part in re.split(r"[_-]", word)):
        return 2
    return 1 if words & LIKELY_NAMES else 0


def function(rows: frozenset[Row], left: int, right: int, first: Axis, second: Axis) -> bool:
    """Whether at first every label of one axis has exactly one of the other: a count, not a cell."""
    return any(
        len({row[place] for row in rows}) == len(rows) == len(axis)
        for place, axis in ((left, first), (right, second))
    )


def in_moves(
    survey: GameSurvey, links: Links, key: Key, pair: tuple[int, int], axes: tuple[Axis, Axis]
) -> bool:
    """Whether some move names both coordinates: by the rules, or by its domains where no rule links it at all."""
    for move, columns in survey.moves.items():
        for left in range(move[1] - 1):
            there: Pair = ("move", move, left, left + 1)
            if links.linked(("fact", key, *pair), there):
                return True
            if not links.known(there) and all(fits(columns[left + step], axes[step]) for step in (0, 1)):
                return True
    return False


def fits(values: Values, axis: Axis) -> bool:
    """Whether *values* are labels of *axis*, and most of them."""
    labels = frozenset[Term](axis.values)
    return bool(values) and values <= labels and 2 * len(values) >= len(labels)


def with_planes(
    survey: GameSurvey, key: Key, pair: tuple[int, int], axes: list[Axis | None]
) -> tuple[int, ...]:
    """The coordinates with those of the planes in front, where one or two more arguments are coordinates.

    The last argument that could be a content stays one: ``(cell 1 2 5)`` is a five.
    """
    others = [place for place in range(key[1]) if place not in pair]
    ordered = [place for place in others if axes[place] is not None]
    words = [place for place in others if axes[place] is None]
    if len(ordered) == 2 and words:
        front, back = sorted([(ordered[0], ordered[1]), pair])
        return (*front, *back)
    if len(ordered) == 1 and words:
        three = sorted([*pair, ordered[0]])
        named = [place for place in three if survey.words.get((key, place), frozenset()) & PLANES]
        plane = named[0] if len(named) == 1 else three[0]
        return (plane, *(place for place in three if place != plane))
    if not ordered and len(words) >= 2:
        plane = next((place for place in words if is_plane(survey, key, place, pair, words)), -1)
        return pair if plane < 0 else (plane, *pair)
    return pair


def is_plane(survey: GameSurvey, key: Key, place: int, pair: tuple[int, int], words: list[int]) -> bool:
    """Whether a word tells boards apart: cells come once for each of its values."""
    if survey.facts[key][place] <= survey.roles or not 2 <= len(survey.facts[key][place]) <= 9:
        return False
    rows = survey.init.get(key, frozenset())
    if not rows:
        return place < min(pair) and max(words) > max(pair)
    told = {(row[place], row[pair[0]], row[pair[1]]) for row in rows}
    plain = {(row[pair[0]], row[pair[1]]) for row in rows}
    return len(told) == len(rows) > len(plain)


def clipped(axes: list[Axis]) -> tuple[Axis, ...]:
    """Three axes of which two are the same and the third goes on beyond them, cut to the same labels.

    Domains that count with the same numbers as something else come out too long.
    """
    if len(axes) == 3:
        for odd in range(3):
            one, two = (axes[place] for place in range(3) if place != odd)
            if one == two and set(one.values) < set(axes[odd].values):
                return (one, one, one)
    return tuple(axes)
