"""Boards without a second coordinate: lamps, piles and stacks.

lamps     (on p) (off q), or facts without arguments: things that are in one of a few conditions
piles     (heap a 5): every thing has a number
stacks    (on disc peg), (at goat left): every thing is somewhere, on a few places or on other things
rows      (cell 4 frog), (at 4 frog): cells side by side, with something in each
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from typing import Final

from stratagem.gdl.terms import Symbol, Term, order
from stratagem.show.board.geometry.domains import Key
from stratagem.show.board.geometry.sequences import axis_of
from stratagem.show.board.geometry.survey import GameSurvey
from stratagem.show.board.marks import NOTHING
from stratagem.show.board.model import Board, Cell, FactLayer, Kind, Spot

MOST: Final = 40
SOMEWHERE: Final = frozenset(
    ["on", "at", "in", "inside", "under", "above", "upon", "lies", "location", "place", "side"]
)


def line_boards(survey: GameSurvey) -> tuple[Board, ...]:
    """The boards of a game whose facts have no two coordinates."""
    tables = [board for key in survey.facts for board in table(survey, key)]
    found = [board for key in survey.facts for board in pile_or_stack(survey, key)]
    return (*tables, *found) or lamps(survey)


def ordered(survey: GameSurvey, values: Iterable[Term]) -> list[Term]:
    """*values* in their order: of numbers or letters, by successors, or of the sheet."""
    several = set(values)
    axis = axis_of(several, survey.chains.values())
    if axis is not None:
        return [value for value in axis.values if value in several]
    return sorted(several, key=lambda value: (survey.appearance.get(value, 0), order(value)))


def in_a_row(survey: GameSurvey, values: Iterable[Term]) -> dict[Cell, Spot]:
    """One cell for each of *values*."""
    return {(value,): Spot(0, column, 0) for column, value in enumerate(ordered(survey, values))}


def labels(spots: dict[Cell, Spot]) -> tuple[str, ...]:
    return tuple(" ".join(map(str, cell)) for cell in spots)


def table(survey: GameSurvey, key: Key) -> Iterator[Board]:
    """Facts of three arguments where at first each of the first kind and the second have one value, or most.

    Rows are what has no order of its own, the first of them at the bottom if they are the roles. Two rows of
    pits in which each pit of one lies opposite the other end of the other run in opposite directions.
    """
    if key[1] != 3:
        return
    rows = survey.init.get(key, frozenset())
    columns = survey.facts[key]
    for down, along, value in ((0, 1, 2), (1, 0, 2), (0, 2, 1)):
        pairs = {(row[down], row[along]) for row in rows}
        whole = len(columns[down]) * len(columns[along])
        if not 4 <= len(rows) == len(pairs) <= MOST * MOST or 4 * len(pairs) < 3 * whole:
            continue
        if len(columns[down]) > len(columns[along]) or columns[along] <= survey.roles:
            continue
        roles = columns[down] <= survey.roles
        names, labels = ordered(survey, columns[down]), ordered(survey, columns[along])
        names = names[::-1] if roles else names
        turned = roles and len(names) == 2 and reverses(survey, labels)
        spots: dict[Cell, Spot] = {}
        for row, name in enumerate(names):
            for column, label in enumerate(reversed(labels) if turned and row == 0 else labels):
                if (name, label) in pairs:
                    spots[(name, label) if down < along else (label, name)] = Spot(0, column, row)
        layer = FactLayer(key, tuple(sorted((down, along))), (value,))
        top = tuple(map(str, reversed(labels))) if turned else ()
        yield Board(
            "grid",
            key[0],
            (layer,),
            spots,
            tuple(map(str, labels)),
            tuple(map(str, names)),
            columns_above=top,
        )
        return


def reverses(survey: GameSurvey, labels: list[Term]) -> bool:
    """Whether a static relation pairs the first label with the last, the second with the last but one, ..."""
    wanted = set(zip(labels, reversed(labels), strict=True))
    return any(rows == wanted for key, rows in survey.static.items() if key[1] == 2)


def pile_or_stack(survey: GameSurvey, key: Key) -> Iterator[Board]:
    """A board for facts of two arguments where at first everything has one number, one place, one condition."""
    if key[1] != 2:
        return
    rows = survey.init.get(key, frozenset())
    columns = survey.facts[key]
    for thing, value in ((0, 1), (1, 0)):
        things, values = columns[thing], columns[value]
        if things <= survey.roles or not 2 <= len(things) <= MOST or not values:
            continue
        if rows and (len(rows) != len(things) or {row[thing] for row in rows} != things):
            continue
        axis = axis_of(values)
        numbers = axis is not None and axis.style in ("number", "numbered")
        somewhere = key[0] in SOMEWHERE
        if rows and somewhere and are_cells(survey, things, values, {row[value] for row in rows}):
            yield row_board(survey, "grid", key, thing, value, things)
            return
        if rows and numbers and not somewhere:
            yield row_board(survey, "piles", key, thing, value, things)
            return
        if rows and (somewhere or values & things) and len(values) <= MOST and not values <= survey.roles:
            yield stacks(
                survey, key, thing, value, values if somewhere and numbers else values - things or values
            )
            return
        if not somewhere and not numbers and axis_of(things) is not None and len(values) <= MOST:
            yield row_board(survey, "grid", key, thing, value, things)
            return


def are_cells(survey: GameSurvey, things: Set[Term], values: Set[Term], first: Set[Term]) -> bool:
    """Whether *things* are the cells of a row, as in (at 4 frog), and not what lies there, as in (on 4 left).

    Cells are numbered and what is in them has no order of its own. It may be nothing; or the rules step from cell to cell
    and different things are there at *first*, where discs would all lie on one peg.
    """
    axis = axis_of(things)
    if axis is None or axis.style == "letter" or values & things:
        return False
    if axis_of(values, survey.chains.values()) is not None:
        return False
    stepped = any(things <= chain.keys() for chain in survey.chains.values())
    return not NOTHING.isdisjoint(values) or (stepped and len(first) > 1)


def row_board(
    survey: GameSurvey, kind: Kind, key: Key, thing: int, value: int, things: Iterable[Term]
) -> Board:
    spots = in_a_row(survey, things)
    return Board(kind, key[0], (FactLayer(key, (thing,), (value,)),), spots, labels(spots), ("",))


def stacks(survey: GameSurvey, key: Key, thing: int, value: int, places: Iterable[Term]) -> Board:
    spots = in_a_row(survey, places)
    return Board("stacks", key[0], (FactLayer(key, (value,), (thing,)),), spots, labels(spots), ("",))


def lamps(survey: GameSurvey) -> tuple[Board, ...]:
    """One row of things with a condition each."""
    unary: dict[frozenset[Term], list[Key]] = {}
    for key, columns in survey.facts.items():
        if key[1] != 1 or columns[0] <= survey.roles or not 2 <= len(columns[0]) <= MOST:
            continue
        group = next(
            (known for known in unary if 4 * len(known & columns[0]) >= 3 * len(known | columns[0])), None
        )
        if group is None:
            unary[columns[0]] = [key]
        else:
            unary[group | columns[0]] = [*unary.pop(group), key]
    boards = []
    for values, keys in unary.items():
        counts = [len(survey.init.get(key, ())) for key in keys]
        numbers = axis_of(values)
        counters = (numbers is not None and numbers.style != "letter") or len(keys) == 1
        if not counters or any(count != 1 for count in counts):
            spots = in_a_row(survey, values)
            layers = tuple(FactLayer(key, (0,), (), named=True) for key in keys)
            boards.append(
                Board("lamps", " ".join(key[0] for key in keys), layers, spots, labels(spots), ("",))
            )
    flags = [key for key in survey.facts if key[1] == 0]
    if not boards and len(flags) > 1:
        spots = in_a_row(survey, (Symbol(key[0]) for key in flags))
        layers = tuple(FactLayer(key, (-1,), ()) for key in flags)
        boards.append(Board("lamps", "", layers, spots, labels(spots), ("",)))
    return tuple(boards)
