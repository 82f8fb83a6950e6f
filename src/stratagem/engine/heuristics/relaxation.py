"""The relaxed game: a lower bound for any rules, the steps to the goal if nothing possible ever becomes impossible.

The relaxed game of planning (h_max: Bonet and Geffner, 2001), on the gates: every signal has whether it may hold and whether
it must; at each step all moves that may be legal are made at once, and what may hold or fail after one of them may
from then on. The number of steps until a state may be an end worth enough is no more than the moves it takes.
Sixty-four states go through the gates together, one in each bit of a word. Weak, but nothing is asked of the rules.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from stratagem.circuit.circuit import AND
from stratagem.engine.heuristics.pattern_database import HOPELESS
from stratagem.errors import UnsuitableGame
from stratagem.native.jit.numba_cache import njit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from stratagem.circuit.circuit import Circuit
    from stratagem.gdl_game import GdlGame

LONGEST: Final = 4096
"""Relaxed steps; a game in which more are needed is taken to need no more."""


@njit(nogil=True, inline="always")
def _possible(may, must, literal):  # type: ignore[no-untyped-def]
    return ~must[literal >> 1] if literal & 1 else may[literal >> 1]


@njit(nogil=True, inline="always")
def _certain(may, must, literal):  # type: ignore[no-untyped-def]
    return ~may[literal >> 1] if literal & 1 else must[literal >> 1]


@njit(nogil=True)
def _run(first, is_and, left, right, may, must):  # type: ignore[no-untyped-def]
    for gate in range(len(left)):
        if is_and[gate]:
            may[first + gate] = _possible(may, must, left[gate]) & _possible(may, must, right[gate])
            must[first + gate] = _certain(may, must, left[gate]) & _certain(may, must, right[gate])
        else:
            may[first + gate] = _possible(may, must, left[gate]) | _possible(may, must, right[gate])
            must[first + gate] = _certain(may, must, left[gate]) | _certain(may, must, right[gate])


@njit(nogil=True)
def _relax(  # type: ignore[no-untyped-def]
    states, bases, first_move, first, is_and, left, right, after, legal, terminal, goals, longest, bounds
):
    """Fills *bounds* for all states."""
    none, every = np.uint64(0), ~np.uint64(0)
    may = np.zeros(first + len(left), np.uint64)
    must = np.zeros(first + len(left), np.uint64)
    for begin in range(0, len(states), 64):
        lanes = min(64, len(states) - begin)
        for base in range(bases):
            word = none
            for lane in range(lanes):
                bit = (states[begin + lane, base >> 6] >> np.uint64(base & 63)) & np.uint64(1)
                word |= bit << np.uint64(lane)
            may[1 + base] = word
            must[1 + base] = word
        todo = every if lanes == 64 else (np.uint64(1) << np.uint64(lanes)) - np.uint64(1)
        for lane in range(lanes):
            bounds[begin + lane] = 16384
        for step in range(longest + 1):
            for move in range(len(legal)):
                may[first_move + move] = every
                must[first_move + move] = none
            _run(first, is_and, left, right, may, must)
            worth = none
            for goal in goals:
                worth |= _possible(may, must, goal)
            reached = todo & worth & _possible(may, must, terminal)
            if step == longest:
                reached = todo
            for lane in range(lanes):
                if (reached >> np.uint64(lane)) & np.uint64(1):
                    bounds[begin + lane] = step
            # a state that is surely an end is never left
            todo &= ~reached & ~_certain(may, must, terminal)
            if todo == none:
                break
            for move in range(len(legal)):
                may[first_move + move] = _possible(may, must, legal[move])
            _run(first, is_and, left, right, may, must)
            changed = none
            held = np.empty(2 * bases, np.uint64)
            for base in range(bases):
                held[2 * base] = may[1 + base] | _possible(may, must, after[base])
                held[2 * base + 1] = must[1 + base] & _certain(may, must, after[base])
            for base in range(bases):
                changed |= (held[2 * base] ^ may[1 + base]) | (held[2 * base + 1] ^ must[1 + base])
                may[1 + base] = held[2 * base]
                must[1 + base] = held[2 * base + 1]
            todo &= changed
            if todo == none:
                break


@dataclass(frozen=True, slots=True, eq=False)
class Relaxation:
    """The relaxed game of one role."""

    circuit: Circuit
    threshold: int

    def bounds(self, states: NDArray[np.uint64]) -> NDArray[np.int16]:
        """For every state a number of moves that the goal is away at least; `HOPELESS` where it is out of reach."""
        circuit = self.circuit
        found = np.full(len(states), HOPELESS, np.int16)
        goals = [literal for value, literal in circuit.goals[0] if value >= self.threshold]
        _relax(
            np.ascontiguousarray(states),
            len(circuit.bases),
            circuit.first_move,
            circuit.first_gate,
            circuit.operations == AND,
            circuit.left,
            circuit.right,
            circuit.next,
            circuit.legal[0],
            circuit.terminal,
            np.array(goals, np.int64),
            LONGEST,
            found,
        )
        return found

    def __str__(self) -> str:
        return "the relaxed game"


def relaxation(game: GdlGame, *, threshold: int = 100) -> Relaxation:
    """Lower bounds from the relaxed rules of *game*, which must have one role and no loops.

    *threshold* is the goal from which on an end counts as solved.
    """
    circuit = game.circuit
    if len(circuit.roles) != 1 or circuit.loops:
        raise UnsuitableGame(
            "the relaxed game is for one role and rules without loops", hint="use breadth-first"
        )
    return Relaxation(circuit, threshold)
