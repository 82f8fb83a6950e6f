"""Kernels call a game's native functions by address; the same kernel serves all games."""

from __future__ import annotations

import numpy as np
import pytest
from tests.kernels.sources import machine_code

from stratagem.engine.states.child_buffer import ChildRows, child_rows, expand_block, new_children
from stratagem.errors import UsageError
from stratagem.kernels import Array, Record, dims, int16, kernel, size, uint64
from stratagem.kernels.library.game_functions import Evaluate
from stratagem.kernels.library.hashing import copy_state
from stratagem.loading import load


class Lines(Record):
    """The states at one depth, their children, and what the rules say about the start."""

    children: ChildRows
    evaluate: Evaluate
    rows: int = size()
    words: int = size()
    states: Array[uint64] = dims("rows", "words")
    masks: int = size()
    legal: Array[uint64] = dims("masks")
    terminal: Array[bool] = dims(1)
    roles: int = size()
    goals: Array[int16] = dims("roles")


@kernel
def count_lines(lines: Lines, depth: int) -> int:
    """Lines of *depth* moves that go on, by a kernel that knows nothing of the game; -1 where there is no room."""
    lines.evaluate(lines.states.at(0), 1, lines.legal, lines.terminal, lines.goals)
    children, count = lines.children, 1
    for _ in range(depth):
        made = expand_block(children, 0, lines.states.at(0), count)
        if children.consumed[0] < count:
            return -1
        count = 0
        for child in range(made):
            if not children.terminal[child]:
                copy_state(children.states.row(child), lines.states.row(count), lines.words)
                count += 1
    return count


NATIVE = machine_code(count_lines)


@pytest.mark.parametrize("run", [count_lines, NATIVE[count_lines]], ids=["python", "native"])
@pytest.mark.parametrize(
    ("name", "depth", "nodes", "moves"), [("tictactoe", 3, 504, 9), ("connectfour", 3, 343, 7)]
)
def test_one_kernel_serves_all_games(run, name: str, depth: int, nodes: int, moves: int) -> None:
    compiled, room, roles = load(name).compiled, 600, 2
    lines = Lines(
        children=child_rows(compiled, new_children(compiled, room)),
        evaluate=compiled.evaluate_address,
        states=np.zeros((room, compiled.words), np.uint64),
        legal=np.zeros(roles * compiled.mask_words, np.uint64),
        terminal=np.zeros(1, np.bool_),
        goals=np.zeros(roles, np.int16),
    )
    lines.states.numpy[0] = compiled.initial
    assert run(lines, depth) == nodes
    legal = int(lines.legal[0])
    noop = [str(move) for move in compiled.moves[0]].index("noop")
    assert legal.bit_count() == moves
    assert not legal >> noop & 1
    lines.states.numpy[0] = compiled.initial
    lines.children.put(**{name: array[:2] for name, array in arrays(lines.children).items()})
    assert run(lines, depth) == -1


def arrays(rows: ChildRows) -> dict[str, np.ndarray]:
    names = ("states", "parents", "moves", "terminal", "goals")
    return {name: getattr(rows, name).numpy for name in names}


def test_arrays_of_another_type_are_refused() -> None:
    compiled = load("tictactoe").compiled
    rows = child_rows(compiled, new_children(compiled, 4))
    with pytest.raises(UsageError, match=r"ChildRows.terminal needs an array of bool, not of float64"):
        rows.put(terminal=np.zeros(4, np.float64))
