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
from stratagem.engine.heuristics.pattern_tables import HOPELESS
from stratagem.errors import UnsuitableGame, require_whole
from stratagem.gdl_game import require_rules
from stratagem.kernels import Array, Record, dims, inlined, int16, int32, kernel, size, uint64
from stratagem.kernels.translate.family import KernelFamily
from stratagem.native.jit.kernel_families import compiled_family

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from stratagem.gdl_game import GdlGame

LONGEST: Final = 4096
"""Relaxed steps; a game in which more are needed is taken to need no more."""


class RelaxedGame(Record):
    """The gates of a game, and for every node whether it may hold and whether it must, in 64 states at once."""

    gates: int = size()
    is_and: Array[bool] = dims("gates")
    left: Array[int32] = dims("gates")
    right: Array[int32] = dims("gates")
    bases: int = size()
    after: Array[int32] = dims("bases")
    """The literals of the propositions after a move."""
    moves: int = size()
    legal: Array[int32] = dims("moves")
    ends: int = size()
    goals: Array[int] = dims("ends")
    terminal: int = 0
    first_move: int = 0
    first_gate: int = 0
    nodes: int = size()
    may: Array[uint64] = dims("nodes")
    must: Array[uint64] = dims("nodes")
    may_next: Array[uint64] = dims("bases")
    must_next: Array[uint64] = dims("bases")


@inlined
def possible(game: RelaxedGame, literal: int) -> uint64:
    """In which states a literal may hold: a complement does where its node need not."""
    return ~game.must[literal >> 1] if literal & 1 else game.may[literal >> 1]


@inlined
def certain(game: RelaxedGame, literal: int) -> uint64:
    """In which states a literal must hold."""
    return ~game.may[literal >> 1] if literal & 1 else game.must[literal >> 1]


@kernel
def run_gates(game: RelaxedGame) -> None:
    for gate in range(game.gates):
        node, left, right = game.first_gate + gate, game.left[gate], game.right[gate]
        if game.is_and[gate]:
            game.may[node] = possible(game, left) & possible(game, right)
            game.must[node] = certain(game, left) & certain(game, right)
        else:
            game.may[node] = possible(game, left) | possible(game, right)
            game.must[node] = certain(game, left) | certain(game, right)


@inlined
def load_states(game: RelaxedGame, states: Array[uint64], words: int, count: int) -> None:
    """Sets the propositions: bit i of a node is its truth in state i."""
    for base in range(game.bases):
        truth = uint64(0)
        for lane in range(count):
            truth |= ((states[lane * words + (base >> 6)] >> (base & 63)) & 1) << lane
        game.may[1 + base] = truth
        game.must[1 + base] = truth


@inlined
def view(game: RelaxedGame) -> uint64:
    """Runs the gates with any moves; the states that may be ends worth enough."""
    for move in range(game.moves):
        game.may[game.first_move + move] = ~uint64(0)
        game.must[game.first_move + move] = uint64(0)
    run_gates(game)
    worth = uint64(0)
    for goal in range(game.ends):
        worth |= possible(game, game.goals[goal])
    return worth & possible(game, game.terminal)


@inlined
def make_all_moves(game: RelaxedGame) -> uint64:
    """Makes all moves that may be legal at once, so that what was possible stays so; the states that are changed."""
    for move in range(game.moves):
        game.may[game.first_move + move] = possible(game, game.legal[move])
    run_gates(game)
    for base in range(game.bases):
        game.may_next[base] = game.may[1 + base] | possible(game, game.after[base])
        game.must_next[base] = game.must[1 + base] & certain(game, game.after[base])
    changed = uint64(0)
    for base in range(game.bases):
        changed |= game.may_next[base] ^ game.may[1 + base]
        changed |= game.must_next[base] ^ game.must[1 + base]
        game.may[1 + base], game.must[1 + base] = game.may_next[base], game.must_next[base]
    return changed


@inlined
def relax_block(
    game: RelaxedGame, states: Array[uint64], words: int, count: int, bounds: Array[int16]
) -> None:
    """The relaxed steps of at most 64 states to the goal; *bounds* of those that never reach it are left."""
    load_states(game, states, words, count)
    open = ~uint64(0) if count == 64 else (uint64(1) << count) - 1
    for step in range(LONGEST + 1):
        reached = open & view(game)
        if step == LONGEST:
            reached = open
        for lane in range(count):
            if (reached >> lane) & 1 != 0:
                bounds[lane] = step
        # a state that is surely an end is never left
        open &= ~reached & ~certain(game, game.terminal)
        if open == 0:
            return
        open &= make_all_moves(game)
        if open == 0:
            return


@kernel
def relax(game: RelaxedGame, states: Array[uint64], words: int, count: int, bounds: Array[int16]) -> None:
    """The same for any number of states."""
    for first in range(0, count, 64):
        relax_block(game, states.at(first * words), words, min(64, count - first), bounds.at(first))


KERNELS: Final = KernelFamily("relaxed game", (relax,))


@dataclass(frozen=True, slots=True, eq=False)
class Relaxation:
    """The relaxed game of one role; its memory is for one thread at a time."""

    game: RelaxedGame

    def bounds(self, states: NDArray[np.uint64]) -> NDArray[np.int16]:
        """For every state a number of moves that the goal is away at least; `HOPELESS` where it is out of reach."""
        found = np.full(len(states), HOPELESS, np.int16)
        compiled_family(KERNELS)[relax](
            self.game, Array(uint64, states.reshape(-1)), states.shape[1], len(states), Array(int16, found)
        )
        return found

    def __str__(self) -> str:
        return "the relaxed game"


def relaxation(game: GdlGame, *, threshold: int = 100) -> Relaxation:
    """Lower bounds from the relaxed rules of *game*, which must have one role and no loops.

    *threshold* is the goal from which on an end counts as solved.
    """
    require_rules(game, by="the relaxed game")
    require_whole("threshold", threshold)
    circuit = game.circuit
    if len(circuit.roles) != 1 or circuit.loops:
        raise UnsuitableGame(
            "the relaxed game is for one role and rules without loops", hint="use breadth-first"
        )
    nodes, bases = circuit.first_gate + circuit.gate_count, len(circuit.bases)
    goals = [literal for value, literal in circuit.goals[0] if value >= threshold]
    return Relaxation(
        RelaxedGame(
            is_and=circuit.operations == AND,
            left=circuit.left,
            right=circuit.right,
            after=circuit.next,
            legal=circuit.legal[0],
            goals=np.array(goals, np.int64),
            terminal=circuit.terminal,
            first_move=circuit.first_move,
            first_gate=circuit.first_gate,
            may=np.zeros(nodes, np.uint64),
            must=np.zeros(nodes, np.uint64),
            may_next=np.zeros(bases, np.uint64),
            must_next=np.zeros(bases, np.uint64),
        )
    )
