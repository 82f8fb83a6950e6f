"""Alpha-beta on connect four, positions per second: the package, from the text of the rules, against other programs.

The hand-written program knows its board: two words of stones, four shifts to see a line, the empty columns as moves. It
has a table of the same number of bytes and the same ordering (the move that the table remembers, a killer, history), no
evaluation, as the package has none here, and answers the same questions: the value of positions a few moves in, so many
plies deep. A position counts when it is looked at: searched, found in the table, or taken as an end or as the horizon.
The signature is the value of every position. The aim is half of the hand-written rate.

OpenSpiel's and easyAI's alpha-beta in Python (``pip install open_spiel easyAI``) answer the same questions fewer plies
deep. OpenSpiel's positions are made in C++, a microsecond each, but it has neither table nor ordering: what is compared
is the time to the same answer, with the positions per second beside it. The aim is 100 times as fast.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from random import Random
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from benchmarks.measure import rates, table, verdict
from benchmarks.yardsticks import BOARD, BOTTOM, COLUMN, four_in_line, popcount
from stratagem.engine.alpha_beta.search import AlphaBeta
from stratagem.gdl_game import GdlGame, State
from stratagem.limit import Limit
from stratagem.loading import load

WANTED = 1 / 2
WANTED_OF_PYTHON = 100
MEMORY = 64 << 20
DEPTH = 14
OPENSPIEL_DEPTH = 12
EASYAI_DEPTH = 8
WIN = 30000
LOOKED = 0

ONE = np.uint64(1)


@njit(nogil=True)
def negamax(own, other, depth, ply, alpha, beta, rows, killers, history, counters):  # type: ignore[no-untyped-def]
    """The value for whoever moves; a win is WIN less its distance, everything else is even."""
    counters[LOOKED] += 1
    if four_in_line(other):
        return ply - WIN
    occupied = own | other
    if occupied == BOARD or depth == 0:
        return 0
    key = (
        own + occupied + BOTTOM
    )  # a bit above every column marks its height, so that no two positions share a key
    mixed = (key ^ (key >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed ^= mixed >> np.uint64(29)
    first = np.int64(mixed & np.uint64(len(rows) - 1)) & ~1
    remembered = -1
    for slot in range(first, first + 2):
        if rows[slot, 0] == key:
            known = rows[slot, 1]
            remembered = np.int64(known & np.uint64(7))
            bound = np.int64((known >> np.uint64(3)) & np.uint64(3))
            stored = np.int64((known >> np.uint64(5)) & np.uint64(63))
            value = np.int64((known >> np.uint64(11)) & np.uint64(0xFFFF)) - 32768
            sure = value > 20000 or value < -20000
            if value > 20000:
                value -= ply
            elif value < -20000:
                value += ply
            if (stored >= depth or sure) and (
                bound == 0 or (bound == 1 and value >= beta) or (bound == 2 and value <= alpha)
            ):
                return value
            break
    free = (occupied + BOTTOM) & BOARD
    low, best, best_column = alpha, -40000, 0
    tried = np.uint64(0)
    for number in range(popcount(free)):
        chosen, promise = -1, np.int64(-1)
        for column in range(7):
            if free & (COLUMN << np.uint64(7 * column)) and not (tried >> np.uint64(column)) & ONE:
                score = min(history[ply & 1, column], 4000)
                if column == killers[ply]:
                    score += 4000
                if column == remembered:
                    score = np.int64(1) << 40
                if score > promise:
                    chosen, promise = column, score
        tried |= ONE << np.uint64(chosen)
        placed = own | (free & (COLUMN << np.uint64(7 * chosen)))
        value = -40000
        if number > 0 and beta - low > 1:
            value = -negamax(
                other, placed, depth - 1, ply + 1, -low - 1, -low, rows, killers, history, counters
            )
        if number == 0 or beta - low <= 1 or low < value < beta:
            value = -negamax(other, placed, depth - 1, ply + 1, -beta, -low, rows, killers, history, counters)
        if value > best:
            best, best_column = value, chosen
        low = max(low, value)
        if low >= beta:
            killers[ply] = chosen
            history[ply & 1, chosen] += depth * depth
            break
    bound = 1 if best >= beta else 2 if best <= alpha else 0
    value = best + ply if best > 20000 else best - ply if best < -20000 else best
    slot = first
    if rows[first, 0] != key and (
        rows[first + 1, 0] == key
        or ((rows[first + 1, 1] >> np.uint64(5)) & np.uint64(63))
        < ((rows[first, 1] >> np.uint64(5)) & np.uint64(63))
    ):
        slot = first + 1
    rows[slot, 0] = key
    rows[slot, 1] = (
        np.uint64(best_column)
        | (np.uint64(bound) << np.uint64(3))
        | (np.uint64(depth) << np.uint64(5))
        | (np.uint64(value + 32768) << np.uint64(11))
    )
    return best


def deepened(own: int, other: int, depth: int, counters: NDArray[np.int64]) -> int:
    """The value for whoever moves, by deeper and deeper rounds over one new table."""
    rows = np.zeros((MEMORY // 16, 2), np.uint64)
    killers, history = np.full(64, -1, np.int64), np.zeros((2, 7), np.int64)
    value = 0
    for plies in range(1, depth + 1):
        found = negamax(
            np.uint64(own), np.uint64(other), plies, 0, -WIN, WIN, rows, killers, history, counters
        )
        value = int(found)
        if abs(value) > 20000:
            break
    return value


class Position(NamedTuple):
    """A position as a state of the rules, as the stones of whoever moves and of the other, and as the moves to it."""

    state: State
    own: int
    other: int
    columns: tuple[int, ...]


def positions(game: GdlGame, count: int, plies: int) -> list[Position]:
    """Positions after random moves."""
    random = Random(4)
    found: list[Position] = []
    while len(found) < count:
        state, own, other = game.initial(), 0, 0
        columns: tuple[int, ...] = ()
        while len(columns) < plies and not state.terminal:
            free = ((own | other) + int(BOTTOM)) & int(BOARD)
            column = random.choice([one for one in range(7) if free & (int(COLUMN) << (7 * one))])
            own |= free & (int(COLUMN) << (7 * column))
            own, other = other, own
            state = state.play(f"(drop {column + 1})")
            columns += (column,)
        if not state.terminal:
            found.append(Position(state, own, other, columns))
    return found


def main() -> None:
    game = load("connectfour")
    asked = positions(game, 4, 6)
    counters = np.zeros(1, np.int64)
    values: dict[str, list[float]] = {"by hand": [], "from the rules": []}

    def by_hand(_: int) -> float:
        counters[0] = 0
        worth = [deepened(own, other, DEPTH, counters) for _, own, other, _ in asked]
        values["by hand"] = [50.0 if abs(value) < 20000 else 100.0 * (value > 0) for value in worth]
        return float(counters[0])

    def from_rules(_: int) -> float:
        looked, worth = 0, []
        for state, *_ in asked:
            found = AlphaBeta(game, memory=MEMORY).search(state, Limit(depth=DEPTH))
            looked += found.counters.nodes
            worth.append(found.estimates[state.to_move[0]])
        values["from the rules"] = worth
        return float(looked)

    by_hand(0), from_rules(0)
    found = rates({"by hand": by_hand, "from the rules": from_rules}, rounds=5, clock=time.process_time)
    assert values["by hand"] == values["from the rules"], "the two find different values"
    table(f"alpha-beta on connect four, {DEPTH} plies deep", found, "positions", "by hand")
    verdict("ratio", found["from the rules"] / found["by hand"], WANTED)
    against_python(game, asked)


def against_python(game: GdlGame, asked: list[Position]) -> None:
    """The time to the same answers, as often as the others' time."""
    search = AlphaBeta(game, memory=8 << 20)
    others = (
        ("OpenSpiel's Python", OPENSPIEL_DEPTH, openspiel(asked)),
        ("easyAI", EASYAI_DEPTH, easy_ai(asked)),
    )
    for name, depth, other in others:
        if other is None:
            print(f"  {name} is not installed: nothing to compare with")
            continue

        def ours(_: int, depth: int = depth) -> float:
            search.forget()
            for state, *_ in asked:
                search.search(state, Limit(depth=depth))
            return 1.0

        answers = rates({"ours": ours}, rounds=5, clock=time.process_time)["ours"]
        print(f"{len(asked)} positions, {depth} plies deep: {1000 / answers:.2f} ms")
        begin = time.process_time()
        looked = other()
        seconds = time.process_time() - begin
        print(
            f"  {name}: {seconds:.2f} s for {looked} positions, {looked / seconds / 1e6:.4f} million per second"
        )
        verdict(f"times as fast as {name}", seconds * answers, WANTED_OF_PYTHON)


def openspiel(asked: list[Position]) -> Callable[[], int] | None:
    """OpenSpiel's alpha-beta in Python over its game in C++; gives the number of positions it looked at."""
    try:
        import pyspiel
        from open_spiel.python.algorithms import minimax
    except ImportError:
        return None
    game = pyspiel.load_game("connect_four")

    def work() -> int:
        looked = 0
        original = minimax._alpha_beta

        def counting(*arguments, **named):  # type: ignore[no-untyped-def]
            nonlocal looked
            looked += 1
            return original(*arguments, **named)

        minimax._alpha_beta = counting
        try:
            for position in asked:
                state = game.new_initial_state()
                for column in position.columns:
                    state.apply_action(column)
                minimax.alpha_beta_search(
                    game,
                    state,
                    lambda state: 0.0,
                    OPENSPIEL_DEPTH,
                    maximizing_player_id=len(position.columns) % 2,
                )
        finally:
            minimax._alpha_beta = original
        return looked

    return work


def easy_ai(asked: list[Position]) -> Callable[[], int] | None:
    """easyAI's Negamax over a connect four in plain lists; gives the number of positions it looked at."""
    try:
        from easyAI import Human_Player, Negamax, TwoPlayerGame
    except ImportError:
        return None
    lines = [
        [(column + step * right, row + step * up) for step in range(4)]
        for column in range(7)
        for row in range(6)
        for right, up in ((1, 0), (0, 1), (1, 1), (1, -1))
        if column + 3 * right < 7 and 0 <= row + 3 * up < 6
    ]

    class Four(TwoPlayerGame):  # type: ignore[misc]
        looked = 0

        def __init__(self) -> None:
            self.players = [Human_Player(), Human_Player()]
            self.current_player = 1
            self.stones: list[list[int]] = [[] for _ in range(7)]

        def possible_moves(self) -> list[int]:
            return [column for column in range(7) if len(self.stones[column]) < 6]

        def make_move(self, column: int) -> None:
            self.stones[column].append(self.current_player)

        def unmake_move(self, column: int) -> None:
            self.stones[column].pop()

        def lost(self) -> bool:
            padded = [stones + [0] * 6 for stones in self.stones]
            theirs = self.opponent_index
            return any(all(padded[column][row] == theirs for column, row in line) for line in lines)

        def is_over(self) -> bool:
            Four.looked += 1
            return self.lost() or not self.possible_moves()

        def scoring(self) -> int:
            return -100 if self.lost() else 0

    def work() -> int:
        Four.looked = 0
        for position in asked:
            game = Four()
            for column in position.columns:
                game.make_move(column)
                game.switch_player()
            Negamax(EASYAI_DEPTH)(game)
        return Four.looked

    return work


if __name__ == "__main__":
    main()
