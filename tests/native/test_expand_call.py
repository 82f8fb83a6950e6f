"""Kernels of numba call a game's native functions by address."""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit
from numba.core.errors import TypingError

from stratagem.loading import load
from stratagem.native.calls.expand import call_evaluate, call_expand
from stratagem.native.compiled import CompiledGame


@njit(nogil=True)
def leaves(expand, evaluate, start, depth, roles, mask_words):
    """Lines of *depth* moves, by a kernel that knows nothing of the game; and the legal moves of the start."""
    words = start.shape[1]
    states = start
    consumed = np.zeros(1, np.int64)
    for _ in range(depth):
        capacity = 200 * len(states)
        children = np.empty((capacity, words), np.uint64)
        parents, terminal = np.empty(capacity, np.int32), np.empty(capacity, np.bool_)
        moves, goals = np.empty((capacity, roles), np.int32), np.empty((capacity, roles), np.int16)
        made = call_expand(
            expand, states, len(states), children, parents, moves, terminal, goals, capacity, consumed
        )
        if consumed[0] < len(states):
            return -1, np.uint64(0)
        states = children[:made][~terminal[:made]]
    legal = np.empty((1, roles, mask_words), np.uint64)
    over, goals = np.empty(1, np.uint8), np.empty((1, roles), np.int16)
    call_evaluate(evaluate, start, 1, legal, over, goals)
    return len(states), legal[0, 0, 0]


@pytest.mark.parametrize(
    ("name", "depth", "nodes", "mask"), [("tictactoe", 4, 3024, 0x3FE), ("connectfour", 3, 343, 0xFE)]
)
def test_one_kernel_serves_all_games(name: str, depth: int, nodes: int, mask: int) -> None:
    compiled = CompiledGame(load(name).circuit)
    start = compiled.initial[None]
    found, legal = leaves(
        compiled.expand_address,
        compiled.evaluate_address,
        start,
        depth,
        len(compiled.roles),
        compiled.mask_words,
    )
    assert found == nodes
    noop = [str(move) for move in compiled.moves[0]].index("noop")
    assert int(legal).bit_count() == mask.bit_count()
    assert not int(legal) >> noop & 1


def test_arrays_of_another_type_are_refused_when_the_kernel_is_compiled() -> None:
    @njit
    def kernel(address, states, wrong):
        call_evaluate(address, states, 1, states, wrong, wrong)

    with pytest.raises(TypingError, match="terminal must be a C-contiguous array of uint8"):
        kernel(0, np.zeros((1, 1), np.uint64), np.zeros(1, np.float64))
