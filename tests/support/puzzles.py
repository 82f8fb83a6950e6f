"""Well-known puzzles (and tic-tac-toe) as plain Python games, small enough to check by hand."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any

PLAYER = "player"


@dataclass(frozen=True)
class Solitaire:
    """A `Game` for one role from functions: the moves of a state, the state after a move, and what an end is worth.

    *worth* returns None for a state that is not an end.
    """

    start: Hashable
    moves: Callable[[Any], Sequence[Any]]
    step: Callable[[Any, Any], Any]
    worth: Callable[[Any], int | None]
    roles: tuple[str, ...] = (PLAYER,)

    def initial(self):
        return self.start

    def legals(self, state, role):
        return tuple(self.moves(state))

    def next(self, state, joint):
        return self.step(state, joint[PLAYER] if isinstance(joint, Mapping) else joint[0])

    def terminal(self, state):
        return self.worth(state) is not None

    def goal(self, state, role):
        return self.worth(state)


@dataclass(frozen=True)
class Reversible(Solitaire):
    """A solitaire that knows its goals, and the steps that lead to a state."""

    undo: Callable[[Any], Iterable[tuple[Any, Any]]] = field(kw_only=True)
    goals: tuple[Hashable, ...] = field(kw_only=True)

    def predecessors(self, state):
        return self.undo(state)

    def goal_states(self):
        return self.goals


def buttons_and_lights(last_step: int | None = 7) -> Solitaire:
    """Button a switches p, b exchanges p and q, c exchanges q and r; all on wins. The state carries its step."""

    def step(state, move):
        (p, q, r), number = state
        lights = {"a": (not p, q, r), "b": (q, p, r), "c": (p, r, q)}[move]
        return lights, number if last_step is None else number + 1

    def worth(state):
        lights, number = state
        return 100 if all(lights) else 0 if number == last_step else None

    return Solitaire(((False, False, False), 1), lambda state: "abc", step, worth)


def sliding(
    width: int, height: int, start: tuple[int, ...], goal: tuple[int, ...] | None = None
) -> Reversible:
    """Tiles on a board, row by row, 0 the gap; a move names the side to which the gap goes."""
    solved = (*range(1, width * height), 0) if goal is None else goal
    opposite = {"down": "up", "left": "right", "right": "left", "up": "down"}

    def moves(state):
        row, column = divmod(state.index(0), width)
        free = {"down": row < height - 1, "left": column > 0, "right": column < width - 1, "up": row > 0}
        return [side for side, open_ in free.items() if open_]

    def step(state, move):
        gap = state.index(0)
        other = gap + {"down": width, "left": -1, "right": 1, "up": -width}[move]
        tiles = list(state)
        tiles[gap], tiles[other] = tiles[other], 0
        return tuple(tiles)

    def undo(state):
        return [(opposite[move], step(state, move)) for move in moves(state)]

    return Reversible(
        start, moves, step, lambda state: 100 if state == solved else None, undo=undo, goals=(solved,)
    )


def manhattan(width: int, goal: tuple[int, ...]) -> Callable[[tuple[int, ...]], int]:
    """How far the tiles are from home in all, each on its own: never more than the moves still to make."""
    home = {tile: divmod(place, width) for place, tile in enumerate(goal)}

    def distance(state):
        total = 0
        for place, tile in enumerate(state):
            if tile:
                row, column = divmod(place, width)
                total += abs(row - home[tile][0]) + abs(column - home[tile][1])
        return total

    return distance


def hanoi(discs: int, pegs: int = 3) -> Reversible:
    """The peg of every disc, the smallest first; a move is (from, to)."""

    def tops(state):
        smallest: dict[int, int] = {}
        for disc, peg in enumerate(state):
            smallest.setdefault(peg, disc)
        return smallest

    def moves(state):
        smallest = tops(state)
        return [
            (source, target)
            for source, target in product(range(pegs), repeat=2)
            if source in smallest and smallest[source] < smallest.get(target, discs)
        ]

    def step(state, move):
        source, target = move
        disc = tops(state)[source]
        return (*state[:disc], target, *state[disc + 1 :])

    def undo(state):
        return [((target, source), step(state, (source, target))) for source, target in moves(state)]

    solved = (pegs - 1,) * discs
    return Reversible(
        (0,) * discs, moves, step, lambda state: 100 if state == solved else None, undo=undo, goals=(solved,)
    )


def missionaries(missionaries: int, cannibals: int, boat: int) -> Reversible:
    """(missionaries, cannibals, boat) on the first bank; a move is who crosses."""

    def safe(left, right):
        return left == 0 or left >= right

    def crossings(state, here):
        m, c, _ = state
        for men, others in product(range(boat + 1), repeat=2):
            after = (m - men, c - others, 0) if here else (m + men, c + others, 1)
            if (
                1 <= men + others <= boat
                and 0 <= after[0] <= missionaries
                and 0 <= after[1] <= cannibals
                and safe(after[0], after[1])
                and safe(missionaries - after[0], cannibals - after[1])
            ):
                yield (men, others), after

    def moves(state):
        return [move for move, _ in crossings(state, state[2])]

    def step(state, move):
        return dict(crossings(state, state[2]))[move]

    solved = (0, 0, 0)
    return Reversible(
        (missionaries, cannibals, 1),
        moves,
        step,
        lambda state: 100 if state == solved else None,
        undo=lambda state: list(crossings(state, state[2])),
        goals=(solved,),
    )


def jugs(small: int, large: int, wanted: int) -> Solitaire:
    """Two jugs and a tap: fill one, empty one, or pour one into the other, until one holds what is wanted."""

    def outcomes(state):
        a, b = state
        pour_right, pour_left = min(a, large - b), min(b, small - a)
        return {
            "empty large": (a, 0),
            "empty small": (0, b),
            "fill large": (a, large),
            "fill small": (small, b),
            "pour into large": (a - pour_right, b + pour_right),
            "pour into small": (a + pour_left, b - pour_left),
        }

    return Solitaire(
        (0, 0),
        lambda state: [move for move, after in outcomes(state).items() if after != state],
        lambda state, move: outcomes(state)[move],
        lambda state: 100 if wanted in state else None,
    )


LINES = (*((0, 1, 2), (3, 4, 5), (6, 7, 8)), *((0, 3, 6), (1, 4, 7), (2, 5, 8)), (0, 4, 8), (2, 4, 6))
TURNS = [  # the eight symmetries of the square, as the place that each place takes its mark from
    tuple(
        3 * row + column
        for row, column in (
            (r, c) if not flip else (c, r)
            for r, c in (
                (y if not down else 2 - y, x if not right else 2 - x) for y in range(3) for x in range(3)
            )
        )
    )
    for flip, down, right in product((False, True), repeat=3)
]


@dataclass(frozen=True)
class TicTacToe:
    """Boards as strings of nine; with *wins* off, play goes on until the board is full, as in the printed count."""

    wins: bool = True
    roles: tuple[str, ...] = ("x", "o")

    def initial(self):
        return "........."

    def turn(self, state):
        return "x" if state.count("x") == state.count("o") else "o"

    def legals(self, state, role):
        return (
            tuple(place for place in range(9) if state[place] == ".")
            if role == self.turn(state)
            else ("noop",)
        )

    def next(self, state, joint):
        role = self.turn(state)
        place = joint[role] if isinstance(joint, Mapping) else joint[self.roles.index(role)]
        return state[:place] + role + state[place + 1 :]

    def won(self, state):
        return next(
            (role for role in self.roles if any(all(state[p] == role for p in line) for line in LINES)), None
        )

    def terminal(self, state):
        return "." not in state or (self.wins and self.won(state) is not None)

    def goal(self, state, role):
        won = self.won(state)
        return 50 if won is None else 100 if won == role else 0


def least_of_the_eight(board: str) -> str:
    """The same name for boards that are turned or mirrored into each other."""
    return min("".join(board[place] for place in turn) for turn in TURNS)
