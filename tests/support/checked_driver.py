"""Drivers run as plain Python, on memory in which every access is checked."""

from __future__ import annotations

import numpy as np

from stratagem.kernels import Array, int16, int32, uint64
from stratagem.native.compiled import Children, CompiledGame
from stratagem.native.driver import expand as drive_expand


def checked_expand(game: CompiledGame, states: np.ndarray, capacity: int) -> tuple[int, Children]:
    """`expand` in Python, in arrays that have exactly the room that it is told of."""
    roles = len(game.roles)
    children = np.zeros((capacity, game.words), np.uint64)
    parents, terminal = np.zeros(capacity, np.int32), np.zeros(capacity, np.bool_)
    moves, goals = np.zeros((capacity, roles), np.int32), np.zeros((capacity, roles), np.int16)
    consumed = np.zeros(1, np.int64)
    made = drive_expand.expand(
        game.header.game,
        Array(uint64, states.reshape(-1)),
        len(states),
        Array(uint64, children.reshape(-1)),
        Array(int32, parents),
        Array(int32, moves.reshape(-1)),
        Array(bool, terminal),
        Array(int16, goals.reshape(-1)),
        capacity,
        Array(int, consumed),
    )
    own = slice(0, max(0, made))
    return int(consumed[0]), Children(children[own], parents[own], moves[own], terminal[own], goals[own])
