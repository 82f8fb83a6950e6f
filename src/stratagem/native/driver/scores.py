"""The end and the goals of the lanes of a frame, from rows of bits to arrays, in the kernel language."""

from __future__ import annotations

from stratagem.kernels import Array, called, int16, local, uint64
from stratagem.native.driver.game_header import DriverGame
from stratagem.native.driver.primitives import add_where, pair_scores, spread


@called
def flags_of(row: Array[uint64], count: int, flags: Array[bool]) -> None:
    """A row as one byte per lane."""
    for column in range(count >> 6):
        spread(row[column], 64, flags.at(64 * column))
    for lane in range(count & ~63, count):
        flags[lane] = bool(row[lane >> 6] >> (lane & 63) & 1)


@called
def column_scores(
    rows: Array[uint64], values: Array[uint64], size: int, stride: int, scores: Array[int16]
) -> None:
    """64 lanes of rows of which at most one holds in a lane: the value of that row, or -1."""
    for lane in range(64):
        scores[lane] = int16(-1)
    for number in range(size):
        word = rows[number * stride]
        if word != 0:
            add_where(word, int(values[number]) + 1, scores)


@called
def scores_of(game: DriverGame, rows: Array[uint64], stride: int, count: int, goals: Array[int16]) -> None:
    """The goals of *count* lanes, role by role for each lane; *rows* begin with those of the first role."""
    roles = game.roles
    scores = local(int16, 64)
    others = local(int16, 64)
    for column in range((count + 63) >> 6):
        own = goals.at(64 * column * roles)
        lanes = min(64, count - 64 * column)
        if roles == 2 and lanes == 64:
            first = game.role[0].values
            column_scores(rows.at(column), game.values, first, stride, scores)
            second = rows.at(first * stride + column)
            column_scores(second, game.values.at(first), game.role[1].values, stride, others)
            pair_scores(scores, others, own)
        else:
            before = 0
            for role in range(roles):
                size = game.role[role].values
                column_scores(rows.at(before * stride + column), game.values.at(before), size, stride, scores)
                for lane in range(lanes):
                    own[lane * roles + role] = int16(scores[lane])
                before += size
