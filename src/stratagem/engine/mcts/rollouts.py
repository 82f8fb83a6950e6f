"""Random matches from many states in one native call: how MCTS looks at its leaves.

A lane kernel (`native.playouts.lane_kernels`) plays one match in every lane, each from a state of its own. A call takes up to
as many states as there are lanes; where there are fewer, each gets two, four or more lanes. Everything is filled in and
read back in machine code, because Python in between would cost ten times as much as the matches.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np

from stratagem.kernels import Array, Function, Record, count_ones, dims, inlined, kernel, size, uint64
from stratagem.kernels.library.random_numbers import next_random
from stratagem.native.driver.primitives import transpose
from stratagem.native.logic.turn_cycle import LONGEST_PERIOD
from stratagem.native.packing import packed_tokens, truth_of
from stratagem.native.playouts.block import generators
from stratagem.native.playouts.lane_block import BEGIN, LIVE, RESULTS, SEED_HIGH, SEED_LOW, played_row
from stratagem.native.playouts.lane_kernels import lane_kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from stratagem.native.playouts.kernels import KernelSet

LANES: Final = 64
ALL_LANES: Final = 0xFFFFFFFFFFFFFFFF
SHORTEST: Final = 8
LONGEST: Final = 1000
"""Plies after which matches are given up, at least and at most."""

PlayLanes: TypeAlias = Function[[Array[uint64], Array[uint64], Array[uint64], int, Array[int]], None]
"""room, root, block, limit, tables: the function of a `LaneKernel`"""


class RolloutMemory(Record):
    """One thread's memory for random matches, and the kernel it calls."""

    steps: int = size()
    width: int = size()
    table_count: int = size()
    room_rows: int = size()
    root_rows: int = size()
    rows: int = size()
    words: int = size()
    goal_rows: int = size()
    lanes: int = size()
    roles: int = size()
    play: PlayLanes
    token_mask: Array[uint64] = dims("width")
    token_values: Array[uint64] = dims("steps", "width")
    """The facts of whose turn it is, for each step of the cycle."""
    tables: Array[int] = dims("table_count")
    room: Array[uint64] = dims("room_rows", "words")
    bases: int
    root: Array[uint64] = dims("root_rows", "words")
    block: Array[uint64] = dims("rows", "words")
    square: Array[uint64] = dims(64)
    """Where bits are transposed."""
    row_role: Array[int] = dims("goal_rows")
    """For each row of results the role,"""
    row_goal: Array[float] = dims("goal_rows")
    """and the goal."""
    played: int
    """The first row of the moves that were made."""
    moves: int
    """How many such rows there are; 0 where moves are not recorded."""
    neutral: Array[float] = dims("roles")
    """What a match counts that has no goal, or no end."""
    limit: int
    """Matches that are longer are given up."""
    most_lanes: int
    """The most lanes that one state gets."""
    seeds: Array[uint64] = dims(1)
    """The generator of the matches' seeds."""
    values: Array[float] = dims("lanes", "roles")
    """What a call has found: the mean goals for each state,"""
    peaks: Array[float] = dims("lanes")
    """and the best goal of the first role that was seen."""
    per_state: int = 1
    """How many lanes each state had in the last call: a power of two. State i has the lanes from i times this on."""
    shift: int = 0
    """The binary logarithm of that."""


@kernel
def play_leaves(rollouts: RolloutMemory, states: Array[uint64], count: int) -> None:
    """Random matches from *count* states, at most as many as there are lanes; `values` and `peaks` get the results."""
    rollouts.per_state, rollouts.shift = 1, 0
    while 2 * rollouts.per_state * count <= rollouts.lanes and 2 * rollouts.per_state <= rollouts.most_lanes:
        rollouts.per_state *= 2
        rollouts.shift += 1
    for row in range(rollouts.rows):
        for word in range(rollouts.words):
            rollouts.block[row, word] = 0
    for word in range(rollouts.words):
        rollouts.block[SEED_LOW, word] = next_random(rollouts.seeds)
        rollouts.block[SEED_HIGH, word] = next_random(rollouts.seeds) | 1
    fill_root(rollouts, states, count)
    rollouts.play(
        rollouts.room.at(0), rollouts.root.at(0), rollouts.block.at(0), rollouts.limit, rollouts.tables
    )
    read_results(rollouts, count)


@kernel
def fill_root(rollouts: RolloutMemory, states: Array[uint64], count: int) -> None:
    """Puts the states into their lanes, and says at which step of the tokens' cycle each is."""
    width, each, shift, square = rollouts.width, rollouts.per_state, rollouts.shift, rollouts.square
    used = each * count
    for word in range((used + LANES - 1) // LANES):
        lanes = min(LANES, used - LANES * word)
        for part in range(width):
            for lane in range(lanes):
                square[lane] = states[((LANES * word + lane) >> shift) * width + part]
            for lane in range(lanes, LANES):
                square[lane] = 0
            transpose(square)
            for bit in range(min(64, rollouts.bases - 64 * part)):
                rollouts.root[64 * part + bit, word] = square[bit]
    for place in range(count):
        row = BEGIN + step_of(rollouts, states.at(place * width))
        first = each * place
        if each < LANES:
            rollouts.block[row, first >> 6] |= ((uint64(1) << each) - 1) << (first & 63)
        else:
            for word in range(first >> 6, (first + each) >> 6):
                rollouts.block[row, word] = ALL_LANES


@inlined
def step_of(rollouts: RolloutMemory, state: Array[uint64]) -> int:
    """The step of the tokens' cycle at which a state is."""
    for step in range(rollouts.steps):
        same = True
        for word in range(rollouts.width):
            same = same and state[word] & rollouts.token_mask[word] == rollouts.token_values[step, word]
        if same:
            return step
    return 0


@inlined
def lanes_of(rollouts: RolloutMemory, place: int, row: int) -> int:
    """How many lanes of a state are in a row of the block."""
    first, each = rollouts.per_state * place, rollouts.per_state
    if each < LANES:
        return count_ones(rollouts.block[row, first >> 6] >> (first & 63) & ((uint64(1) << each) - 1))
    found = 0
    for word in range(first >> 6, (first + each) >> 6):
        found += count_ones(rollouts.block[row, word])
    return found


@kernel
def read_results(rollouts: RolloutMemory, count: int) -> None:
    """The mean goals of each state's matches; one without a goal counts as neutral, one that was given up not at all."""
    for place in range(count):
        rollouts.peaks[place] = 0.0
        finished = max(1, rollouts.per_state - lanes_of(rollouts, place, LIVE))
        for role in range(rollouts.roles):
            rollouts.values[place, role] = rollouts.neutral[role]
        for row in range(rollouts.goal_rows):
            ended = lanes_of(rollouts, place, RESULTS + row)
            if ended > 0:
                role, goal = rollouts.row_role[row], rollouts.row_goal[row]
                rollouts.values[place, role] += ended * (goal - rollouts.neutral[role]) / finished
                if role == 0:
                    rollouts.peaks[place] = max(rollouts.peaks[place], goal)


class LaneMaker:
    """Makes `RolloutMemory` for threads; keeps the code behind it alive. *recorded*: with the moves that are made."""

    def __init__(self, kernels: KernelSet, start: NDArray[np.uint64], *, recorded: bool = False) -> None:
        self.circuit = kernels.circuit
        self.kernel = lane_kernel(kernels, recorded=recorded)
        self.limit = self._limit(truth_of(start, len(self.circuit.bases)))

    def _limit(self, start: NDArray[np.bool_]) -> int:
        """A number of plies that nine of ten random matches do not pass; longer ones would keep all the others waiting."""
        most = self._length(start, 0.9, LONGEST)
        return min(LONGEST, max(SHORTEST, most + most // 4))

    def _length(self, start: NDArray[np.bool_], share: float, highest: int) -> int:
        """The least number of plies after which this share of the matches from *start* is over."""
        low, high = 1, 2
        while high < highest and self._over(start, high) < share:
            low, high = high, 2 * high
        while low + 1 < high:
            middle = (low + high) // 2
            if self._over(start, middle) < share:
                low = middle
            else:
                high = middle
        return high

    def _over(self, start: NDArray[np.bool_], limit: int) -> float:
        """The share of random matches from *start* that are over after *limit* plies."""
        kernel = self.kernel
        block, root = kernel.block(), kernel.root()
        block[SEED_LOW], block[SEED_HIGH] = generators(0, np.arange(kernel.words, dtype=np.uint64))
        block[BEGIN + (kernel.tokens.phase(start.tolist()) or 0)] = ALL_LANES
        root[: len(start)] = np.where(start[:, None], np.uint64(ALL_LANES), np.uint64(0))
        kernel.play(kernel.room(), root, block, limit)
        going = sum(int(word).bit_count() for word in block[LIVE])
        return 1 - going / kernel.lanes

    def make(self, seed: int) -> RolloutMemory:
        """Memory and code for one thread."""
        circuit, kernel = self.circuit, self.kernel
        values = [[value for value, _ in goals] for goals in circuit.goals]
        neutral = np.array([(min(own) + max(own)) / 2 if own else 50.0 for own in values], np.float64)
        assert kernel.tokens.period <= LONGEST_PERIOD
        mask, steps = packed_tokens(kernel.tokens, circuit)
        return RolloutMemory(
            play=kernel.address,
            token_mask=mask,
            token_values=steps,
            tables=kernel.tables,  # shared: faster code may be put in at any time
            room=kernel.room(),
            bases=len(circuit.bases),
            root=kernel.root(),
            block=kernel.block(),
            square=np.zeros(64, np.uint64),
            row_role=np.array([role for role, own in enumerate(values) for _ in own], np.int64),
            row_goal=np.array([value for own in values for value in own], np.float64),
            played=played_row(circuit),
            moves=sum(map(len, circuit.moves)) if kernel.recorded else 0,
            neutral=neutral,
            limit=self.limit,
            most_lanes=kernel.lanes,
            seeds=np.array([seed & ALL_LANES], np.uint64),
            values=np.zeros((kernel.lanes, len(circuit.roles))),
            peaks=np.zeros(kernel.lanes),
        )
