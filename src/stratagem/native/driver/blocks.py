"""Blocks: the memory of a batch. A block holds 64 matches for every word of a wide row.

    state     one row per base
    view      the rows of the frame from the moves on: what is legal, whether it is over, the goals
    ended     the matches that the last step ended
    refused   the matches in which the last step refused a move

The view belongs to the state at all times, so that a question about a batch runs no gate.
"""

from __future__ import annotations

from stratagem.kernels import Array, called, kernel, uint64
from stratagem.native.driver.expand import FINAL, LEGAL, tables_for
from stratagem.native.driver.game_header import DriverGame
from stratagem.native.driver.primitives import run
from stratagem.native.driver.rows import copy


@kernel
def view_rows(game: DriverGame) -> int:
    """How many rows a view has: the moves, terminal, the goals."""
    return game.terminal - game.moves + game.goal_values


@kernel
def block_words(game: DriverGame) -> int:
    """The size of a block."""
    return (game.bases + view_rows(game) + 2) * game.wide


@kernel
def view_row(game: DriverGame, block: Array[uint64], row: int) -> Array[uint64]:
    """The row of a view that is row *row* of a frame."""
    return block.at((game.bases + row - game.moves) * game.wide)


@kernel
def ended_row(game: DriverGame, block: Array[uint64]) -> Array[uint64]:
    """Which matches the last step ended."""
    return block.at((game.bases + view_rows(game)) * game.wide)


@kernel
def refused_row(game: DriverGame, block: Array[uint64]) -> Array[uint64]:
    """In which matches the last step refused a move."""
    return block.at((game.bases + view_rows(game) + 1) * game.wide)


@kernel
def lanes_in(game: DriverGame, number: int, count: int) -> int:
    """How many matches block *number* holds."""
    return min(64 * game.wide, count - 64 * game.wide * number)


@called
def note_view(game: DriverGame, frame: Array[uint64], block: Array[uint64]) -> None:
    """Write down what the rules say about the states in *frame*."""
    wide = game.wide
    tables = tables_for(game, wide)
    run(tables[LEGAL], frame)
    run(tables[FINAL], frame)
    copy(frame.at(game.moves * wide), block.at(game.bases * wide), view_rows(game) * wide)


@called
def choosing(
    game: DriverGame, block: Array[uint64], role: int, able: Array[uint64], several: Array[uint64]
) -> None:
    """The lanes in which a role has a legal move, and those in which it has more than one."""
    wide = game.wide
    rows = view_row(game, block, game.role[role].first)
    size = game.role[role].moves
    for column in range(wide):
        one, two = uint64(0), uint64(0)
        for move in range(size):
            word = rows[move * wide + column]
            two |= one & word
            one |= word
        able[column] = one
        several[column] = two
