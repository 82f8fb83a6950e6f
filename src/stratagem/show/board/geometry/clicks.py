"""Clicks: which arguments of a move name cells of a board.

Arguments that the rules link to the coordinates of facts come first (see links.py); what they leave open is filled by
arguments side by side whose domains are labels of the axes. A move that names only the column into which
something falls is a click anywhere in that column; one that names a pit is a click in the row of the role that moves.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from stratagem.gdl.terms import Term
from stratagem.show.board.geometry.domains import Key, Values
from stratagem.show.board.geometry.links import Links, Pair
from stratagem.show.board.geometry.survey import GameSurvey
from stratagem.show.board.model import MOVER, Board, Clicks


def clicks_of(survey: GameSurvey, links: Links, boards: Sequence[Board]) -> dict[Key, Clicks]:
    """How the moves of each shape are clicked."""
    found: dict[Key, Clicks] = {}
    for key, columns in survey.moves.items():
        taken: set[int] = set()
        steps: list[tuple[int, tuple[int | None, ...]]] = []
        for number, board in enumerate(boards):
            several = len(next(iter(board.spots), ())) > 2
            by_rules, by_domains = linked(links, board, key, columns), fitting(board, key, columns)
            for places in (*by_domains, *by_rules) if several else (*by_rules, *by_domains):
                named = {place for place in places if place is not None}
                if not taken & named:
                    taken |= named
                    steps.append((number, places))
        if not steps:
            steps += one_coordinate(survey, boards, key, columns)
        if steps:
            steps.sort(key=lambda step: min(place for place in step[1] if place is not None))
            found[key] = Clicks(tuple(steps))
    return found


def linked(
    links: Links, board: Board, key: Key, columns: Sequence[Values]
) -> Iterator[tuple[int | None, ...]]:
    """Arguments of a move that the rules use as the coordinates of the board's facts.

    The planes of a board are the arguments in front, or are left open.
    """
    labels = labels_of(board)
    if len(labels) < 2:
        return
    outer = len(labels) - 2
    for layer in board.layers:
        pair: Pair = ("fact", layer.key, layer.cell[-2], layer.cell[-1])
        for left in range(key[1]):
            for right in range(key[1]):
                if left != right and links.linked(pair, ("move", key, left, right)):
                    front = range(left - outer, left)
                    told = left >= outer and all(
                        columns[place] <= labels[number] for number, place in enumerate(front)
                    )
                    yield (*(front if told else [None] * outer), left, right)


def labels_of(board: Board) -> list[frozenset[Term]]:
    """The labels of each coordinate of the board's cells."""
    size = len(next(iter(board.spots), ()))
    return [frozenset(cell[place] for cell in board.spots) for place in range(size)]


def fitting(board: Board, key: Key, columns: Sequence[Values]) -> Iterator[tuple[int | None, ...]]:
    """Arguments side by side whose domains are labels of the board's axes."""
    labels = labels_of(board)
    size = len(labels)
    # Moves name coordinates in the order of the facts, which have those of the planes anywhere.
    order = sorted(range(size), key=board.layers[0].cell.__getitem__)
    place = 0
    while size and place + size <= key[1]:
        if all(
            columns[place + step] and columns[place + step] <= labels[order[step]] for step in range(size)
        ):
            yield tuple(place + order.index(step) for step in range(size))
            place += size
        else:
            place += 1


def one_coordinate(
    survey: GameSurvey, boards: Sequence[Board], key: Key, columns: Sequence[Values]
) -> Iterator[tuple[int, tuple[int | None, ...]]]:
    """A move of one argument that is a column of a grid, or a pit in the row of the role that moves."""
    if key[1] != 1:
        return
    for number, board in enumerate(boards):
        labels = labels_of(board)
        if board.kind != "grid" or len(labels) != 2 or len(board.rows) < 2:
            continue
        for place in (0, 1):
            if labels[1 - place] <= survey.roles and columns[0] <= labels[place]:
                yield number, (MOVER, 0) if place == 1 else (0, MOVER)
                return
            across = all(board.columns[spot.column] == str(cell[place]) for cell, spot in board.spots.items())
            if across and columns[0] == labels[place]:
                yield number, (None, 0) if place == 1 else (0, None)
                return
