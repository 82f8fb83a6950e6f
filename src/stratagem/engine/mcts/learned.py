"""What the learned evaluation says of a leaf, beside its random matches."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from stratagem.kernels import Array, Record, count_ones, dims, exp, inlined, int32, size, uint64

if TYPE_CHECKING:
    from stratagem.engine.evaluation.model import Evaluation
    from stratagem.native.compiled import CompiledGame


class LeafEvaluation(Record):
    """The weights that hold at the root, for one thread; without `roles` there is no learned evaluation."""

    roles: int = size()
    inputs: int = size()
    words: int = size()
    lines: int = size()
    kinds: int = size()
    lengths: int = size()
    movers: int = size()
    masks: int
    """The words of a mask of moves."""
    weights: Array[float] = dims("roles", "inputs")
    """For every fact, and a constant at the end: log odds."""
    needed: Array[uint64] = dims("lines", "words")
    """The open ways to a goal (`features.Curves`)."""
    barred: Array[uint64] = dims("lines", "words")
    kind: Array[int32] = dims("lines")
    worth: Array[float] = dims("roles", "kinds", "lengths")
    """What an open line with so many held is worth."""
    move_worth: Array[float] = dims("roles", "movers")
    """What a move of each role is worth to each; without `movers` moves do not count."""


def no_evaluation(compiled: CompiledGame) -> LeafEvaluation:
    """For games of which nothing has been learned."""
    words = compiled.words
    return LeafEvaluation(
        weights=np.zeros((0, 64 * words + 1)),
        needed=np.zeros((0, words), np.uint64),
        barred=np.zeros((0, words), np.uint64),
        kind=np.zeros(0, np.int32),
        worth=np.zeros((0, 0, 1)),
        move_worth=np.zeros((0, 0)),
        masks=compiled.mask_words,
    )


def weigh(learned: LeafEvaluation, evaluation: Evaluation) -> None:
    """Takes the weights of an evaluation at one position."""
    curves = evaluation.curves
    weights = evaluation.weights[0].copy()
    learned.put(
        weights=weights,
        needed=curves.needed.copy(),
        barred=curves.barred.copy(),
        kind=curves.kinds.astype(np.int32),
        worth=curves.worth[0].copy(),
        move_worth=curves.moves[0].copy() if curves.moves.any() else np.zeros((len(weights), 0)),
    )


@inlined
def log_odds(learned: LeafEvaluation, state: Array[uint64], legal: Array[uint64], role: int) -> float:
    """The evaluation of a state for a role; *legal* has the masks of its legal moves, role by role."""
    guess = learned.weights[role, learned.inputs - 1]
    for word in range(learned.words):
        bits, base = state[word], 64 * word
        while bits:
            if bits & 1:
                guess += learned.weights[role, base]
            bits >>= 1
            base += 1
    for line in range(learned.lines):
        barred, held = False, 0
        for word in range(learned.words):
            barred = barred | (state[word] & learned.barred[line, word] != 0)
            held += count_ones(state[word] & learned.needed[line, word])
        if not barred:
            guess += learned.worth[role, learned.kind[line], held]
    for mover in range(learned.movers):
        moves = 0
        for word in range(learned.masks):
            moves += count_ones(legal[mover * learned.masks + word])
        if moves > 1:
            guess += learned.move_worth[role, mover] * float(moves)
    return guess


@inlined
def expected_goal(log_odds: float) -> float:
    """From 0 to 100."""
    return 100.0 / (1.0 + exp(-min(30.0, max(-30.0, log_odds))))
