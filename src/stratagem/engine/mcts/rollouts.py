"""Many random matches from many states in one native call: how MCTS looks at its leaves.

The kernels of `native.playouts` play words of 64 matches side by side. Here every word gets a root of its own: eight (or
sixteen) states are played 64 times each at the price of one call, some tens of microseconds for a small game. A state
alone gets all the words. Everything is filled in and read back in machine code, because Python in between would cost ten
times as much as the matches.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np

from stratagem.kernels import Array, Function, Record, dims, inlined, kernel, size, uint64
from stratagem.kernels.library.random_numbers import next_random
from stratagem.native.logic.turn_cycle import NONE, Tokens
from stratagem.native.packing import packed_truth, truth_of, words_of
from stratagem.native.playouts import block as blocks
from stratagem.native.playouts.block import COUNTS, SEED_HIGH, SEED_LOW, aligned_rows, new_block
from stratagem.native.playouts.log import LogLayout

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from stratagem.native.playouts.playouts import Playouts

LANES: Final = 64
ALL_LANES: Final = 0xFFFFFFFFFFFFFFFF
SAMPLE: Final = 512
"""Matches that are played at first to learn how long they are."""

Playout: TypeAlias = Function[[Array[uint64], Array[uint64], Array[uint64], Array[uint64], Array[int]], None]
"""room, root, block, log, tables: the function of a `PlayoutKernel`"""
RunPhase: TypeAlias = Function[[Array[uint64], int], None]
"""frame, table: one phase of a walked circuit on a frame"""


class RolloutMemory(Record):
    """One thread's memory for leaf evaluation, and the addresses it calls."""

    steps: int = size()
    width: int = size()
    table_count: int = size()
    room_rows: int = size()
    root_rows: int = size()
    rows: int = size()
    words: int = size()
    log_words: int = size()
    outcomes: int = size()
    roles: int = size()
    digits: int = size()
    addresses: Array[int] = dims("steps")
    """The function that plays, for each step of the tokens' cycle."""
    token_mask: Array[uint64] = dims("width")
    token_values: Array[uint64] = dims("steps", "width")
    viewer: int
    """The function that prepares roots, or 0."""
    tables: Array[int] = dims("table_count")
    room: Array[uint64] = dims("room_rows", "words")
    bases: int
    root: Array[uint64] = dims("root_rows", "words")
    block: Array[uint64] = dims("rows", "words")
    template: Array[uint64] = dims("rows", "words")
    """The block before a call, but for its seeds."""
    outcome_goals: Array[float] = dims("outcomes", "roles")
    """The goals of each expected outcome."""
    log: Array[uint64] = dims("log_words")
    log_record: int
    """The words of a record of the log."""
    log_places: Array[int] = dims("roles")
    """Which word of a record holds the role's digit."""
    log_bases: Array[uint64] = dims("roles")
    """The base of the role's digit in its word."""
    log_goals: Array[float] = dims("roles", "digits")
    """What a digit means."""
    neutral: Array[float] = dims("roles")
    """What a match counts that has no goal, or no end."""
    seeds: Array[uint64] = dims(1)
    """The generator of the matches' seeds."""
    finished: Array[float] = dims("words")
    values: Array[float] = dims("words", "roles")
    """What a call has found: the mean goals for each state,"""
    peaks: Array[float] = dims("words")
    """and the best goal of the first role that was seen."""


@kernel
def play_leaves(rollouts: RolloutMemory, states: Array[uint64], count: int) -> None:
    """Random matches from *count* states, at most as many as a block has words; `values` and `peaks` get the results.

    All of them must be at the same step of the tokens' cycle, as the children of one state are.
    """
    fill_root(rollouts, states, count)
    if rollouts.viewer != 0:
        RunPhase(rollouts.viewer)(rollouts.root.at(0), rollouts.tables[0])
    for row in range(rollouts.rows):
        for word in range(rollouts.words):
            rollouts.block[row, word] = rollouts.template[row, word]
    for word in range(rollouts.words):
        rollouts.block[SEED_LOW, word] = next_random(rollouts.seeds)
        rollouts.block[SEED_HIGH, word] = next_random(rollouts.seeds) | 1
    rollouts.log[0] = 0
    play = Playout(rollouts.addresses[step_of(rollouts, states)])
    play(rollouts.room.at(0), rollouts.root.at(0), rollouts.block.at(0), rollouts.log, rollouts.tables)
    read_block(rollouts, count)
    read_log(rollouts, count)
    for place in range(count):
        for role in range(rollouts.roles):
            if rollouts.finished[place] > 0:
                rollouts.values[place, role] /= rollouts.finished[place]
            else:
                rollouts.values[place, role] = rollouts.neutral[role]


@inlined
def fill_root(rollouts: RolloutMemory, states: Array[uint64], count: int) -> None:
    """Every word of the block begins at a state of its own; where there are fewer states, they take turns."""
    for base in range(rollouts.bases):
        for word in range(rollouts.words):
            rollouts.root[base, word] = 0
    for word in range(rollouts.words):
        state = states.at((word % count) * rollouts.width)
        for part in range(rollouts.width):
            bits, base = state[part], 64 * part
            while bits:
                if bits & 1:
                    rollouts.root[base, word] = ALL_LANES
                bits >>= 1
                base += 1


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
def read_block(rollouts: RolloutMemory, count: int) -> None:
    """Adds up the matches with expected outcomes, which the words of a block have counted."""
    for place in range(count):
        rollouts.finished[place], rollouts.peaks[place] = 0.0, 0.0
        for role in range(rollouts.roles):
            rollouts.values[place, role] = 0.0
    for word in range(rollouts.words):
        place = word % count
        for outcome in range(rollouts.outcomes):
            matches = float(rollouts.block[COUNTS + outcome, word])
            if matches != 0.0:
                rollouts.finished[place] += matches
                rollouts.peaks[place] = max(rollouts.peaks[place], rollouts.outcome_goals[outcome, 0])
                for role in range(rollouts.roles):
                    rollouts.values[place, role] += matches * rollouts.outcome_goals[outcome, role]


@inlined
def read_log(rollouts: RolloutMemory, count: int) -> None:
    """Adds the matches with other outcomes, which are written down one by one: a digit for each role's goal."""
    record, end = 1, 1 + int(rollouts.log[0])
    while record < end:
        place = int(rollouts.log[record]) % count
        rollouts.finished[place] += 1
        for role in range(rollouts.roles - 1, -1, -1):
            word, base = record + rollouts.log_places[role], rollouts.log_bases[role]
            digits = rollouts.log[word]
            rollouts.log[word] = digits // base
            goal = rollouts.log_goals[role, int(digits % base)]
            rollouts.values[place, role] += goal
            if role == 0:
                rollouts.peaks[place] = max(rollouts.peaks[place], goal)
        record += rollouts.log_record


class LaneMaker:
    """Makes `RolloutMemory` for threads; keeps the code behind their addresses alive."""

    def __init__(self, playouts: Playouts, start: NDArray[np.uint64]) -> None:
        self.circuit = playouts.circuit
        bits = truth_of(start, len(self.circuit.bases))
        self.tokens: Tokens = playouts.kernels.tokens
        if self.tokens.phase(bits.tolist()) is None:
            self.tokens = NONE
        self.kernels = [playouts.kernels.kernel(state) for state in self._examples(bits)]
        report = playouts.play(start, matches=SAMPLE, lengths=True, threads=1)
        self.mean_length = report.mean_length
        self.limit = _usual_length(report.lengths)

    def _examples(self, start: NDArray[np.bool_]) -> list[NDArray[np.bool_]]:
        """A state for each step of the cycle; not the initial one, which has a kernel that knows it."""
        examples = []
        for step in range(self.tokens.period):
            state = start.copy()
            for base, value in self.tokens.at(step).items():
                state[base] = value
            if len(state) and np.array_equal(state, self.circuit.initial):
                free = [base for base in range(len(state)) if base not in self.tokens.courses]
                if free:
                    state[free[0]] = not state[free[0]]
            examples.append(state)
        return examples

    def make(self, seed: int) -> RolloutMemory:
        """Memory and addresses for one thread."""
        circuit, kernel = self.circuit, self.kernels[0]
        words, outcomes = kernel.words, kernel.outcomes
        values = [[value for value, _ in goals] for goals in circuit.goals]
        neutral = np.array([(min(own) + max(own)) / 2 if own else 50.0 for own in values], np.float64)
        goals = np.tile(neutral[:, None], (1, 1 + max((len(own) for own in values), default=0)))
        for role, own in enumerate(values):
            goals[role, : len(own)] = own
        expected = np.array(
            [[goals[role, number] for role, number in enumerate(outcome)] for outcome in outcomes], np.float64
        ).reshape(len(outcomes), len(circuit.roles))
        template = new_block(words, len(outcomes))
        quotas = np.full(words, LANES, np.uint64)
        blocks.fill_block(template, 0, np.zeros(words, np.uint64), quotas, self.limit)
        layout = LogLayout.of(circuit)
        mask, steps = self._token_words()
        return RolloutMemory(
            addresses=np.array([each.address for each in self.kernels], np.int64),
            token_mask=mask,
            token_values=steps,
            viewer=kernel.view_address,
            tables=kernel.tables,  # shared: faster code may be put in at any time
            room=kernel.room(),
            bases=len(circuit.bases),
            root=aligned_rows(kernel.root_rows, words),
            block=new_block(words, len(outcomes)),
            template=template,
            outcome_goals=expected,
            log=np.zeros(1 + words * LANES * layout.record, np.uint64),
            log_record=layout.record,
            log_places=np.array(layout.places, np.int64),
            log_bases=np.array([len(own) + 1 for own in values], np.uint64),
            log_goals=goals,
            neutral=neutral,
            seeds=np.array([seed & ALL_LANES], np.uint64),
            finished=np.zeros(words),
            values=np.zeros((words, len(circuit.roles))),
            peaks=np.zeros(words),
        )

    def _token_words(self) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
        bases, words = len(self.circuit.bases), words_of(self.circuit)
        mask, values = np.zeros(bases, np.bool_), np.zeros((self.tokens.period, bases), np.bool_)
        for base, course in self.tokens.courses.items():
            mask[base] = True
            values[:, base] = course
        return packed_truth(mask, words), packed_truth(values, words)


def _usual_length(lengths: Mapping[int, int]) -> int:
    """A length that nine of ten matches do not pass: longer ones would keep all the others waiting."""
    counted = sorted(lengths.items())
    total = sum(count for _, count in counted)
    passed = 0
    for length, count in counted:
        passed += count
        if 10 * passed >= 9 * total:
            return max(8, length + length // 4)
    return 1000
