"""The rows of the moves that the lanes of a frame make, in the kernel language."""

from __future__ import annotations

from typing import Final

from stratagem.kernels import Array, called, int32, kernel, local, uint8, uint64
from stratagem.native.driver.game_header import DriverGame
from stratagem.native.driver.primitives import equal
from stratagem.native.driver.rows import clear

MANY_MOVES: Final = 2048
"""Where all roles together have more moves, only the rows of the moves that were made are cleared."""
COMPARED_MOVES: Final = 40
"""Rows of up to so many moves of a role are made by comparisons."""


@kernel
def has_many_moves(game: DriverGame) -> bool:
    """Whether moves are taken back one by one."""
    return game.terminal - game.moves > MANY_MOVES


@kernel
def clear_moves(game: DriverGame, frame: Array[uint64], stride: int) -> None:
    """No lane makes a move."""
    first = game.moves
    clear(frame.at(first * stride), (game.terminal - first) * stride)


@called
def take_moves_back(
    game: DriverGame, frame: Array[uint64], stride: int, count: int, moves: Array[int32]
) -> None:
    """Clear the rows of the moves that were set."""
    roles = game.roles
    for role in range(roles):
        rows = frame.at(game.role[role].first * stride)
        before = -1
        for lane in range(count):
            move = moves[lane * roles + role]
            if move != before:
                clear(rows.at(move * stride), stride)
                before = move


@called
def compare_moves(rows: Array[uint64], moves: Array[int32], step: int, size: int, count: int) -> None:
    """The rows of eight words of the *size* moves of a role, all of them, from the moves of *count* lanes."""
    chosen = local(uint8, 64)
    for column in range((count + 63) >> 6):
        own = moves.at(64 * column * step)
        lanes = min(64, count - 64 * column)
        if lanes == 64:
            for lane in range(64):
                chosen[lane] = uint8(own[lane * step])
        else:
            for lane in range(lanes):
                chosen[lane] = uint8(own[lane * step])
            for lane in range(lanes, 64):
                chosen[lane] = uint8(255)
        for move in range(size):
            rows[8 * move + column] = equal(chosen, move)


@called
def set_moves(game: DriverGame, frame: Array[uint64], stride: int, count: int, moves: Array[int32]) -> None:
    """The rows of the moves that *count* lanes make; no row of a move is set before."""
    roles = game.roles
    for role in range(roles):
        rows = frame.at(game.role[role].first * stride)
        size = game.role[role].moves
        if stride == 8 and size <= COMPARED_MOVES:
            compare_moves(rows, moves.at(role), roles, size, count)
            continue
        for column in range((count + 63) >> 6):
            own = moves.at(64 * column * roles + role)
            before = own[0]
            bits = uint64(0)
            # A role that waits makes one move in many lanes: its bits are collected before they are written.
            for lane in range(min(64, count - 64 * column)):
                move = own[lane * roles]
                if move != before:
                    rows[before * stride + column] |= bits
                    before = move
                    bits = uint64(0)
                bits |= uint64(1) << lane
            rows[before * stride + column] |= bits
