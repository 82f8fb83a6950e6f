"""Many random matches from many states in one native call: how MCTS looks at its leaves.

The kernels of `native.playouts` play words of 64 matches side by side. Here every word gets a root of its own: eight (or
sixteen) states are played 64 times each at the price of one call, some tens of microseconds for a small game. A state
alone gets all the words. Everything is filled in and read back inside numba, because Python in between would cost ten
times as much as the matches.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from stratagem.engine.states.hashing import mixed
from stratagem.kernels.splitmix import GOLDEN
from stratagem.native.calls.playout import call_phase, call_playout
from stratagem.native.jit.numba_cache import njit
from stratagem.native.logic.turn_cycle import NONE, Tokens
from stratagem.native.packing import packed_truth, truth_of, words_of
from stratagem.native.playouts import block as blocks
from stratagem.native.playouts.block import aligned_rows, new_block
from stratagem.native.playouts.log import LogLayout

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from stratagem.native.playouts.playouts import Playouts

LANES = 64
SAMPLE = 512
"""Matches that are played at first to learn how long they are."""


class RolloutMemory(NamedTuple):
    """One thread's memory for leaf evaluation, and the addresses it calls. All arrays."""

    addresses: Any
    """The kernel for each step of the tokens' cycle."""
    token_mask: Any
    token_values: Any
    viewer: int
    tables: Any
    room: Any
    root: Any
    block: Any
    template: Any
    log: Any
    outcome_goals: Any
    """[outcomes, roles]: the goals of each expected outcome."""
    log_bases: Any
    """[roles]: the base of the role's digit in its word of the log."""
    log_places: Any
    """[roles]: which word of a record holds the role's digit."""
    log_goals: Any
    """[roles, values + 1]: what a digit means."""
    note: int
    bases: int
    neutral: Any
    """[roles]: what a match counts that has no goal, or no end."""
    seeds: Any
    """[1]: the state of the generator of seeds."""
    seed_low: int
    """Rows of the block. They come as numbers at run time: a constant would stay in kernels that numba keeps on disk,
    whatever becomes of the layout."""
    seed_high: int
    counts: int


@njit(nogil=True)
def next_random(seeds):  # type: ignore[no-untyped-def]
    """The next number of a SplitMix64 generator."""
    seeds[0] += np.uint64(GOLDEN)
    return mixed(seeds[0])


@njit(nogil=True)
def _step_of(lanes, states, row):  # type: ignore[no-untyped-def]
    """The step of the tokens' cycle at which a state is."""
    for step in range(len(lanes.token_values)):
        same = True
        for word in range(states.shape[1]):
            if states[row, word] & lanes.token_mask[word] != lanes.token_values[step, word]:
                same = False
                break
        if same:
            return step
    return 0


@njit(nogil=True)
def play_leaves(lanes, states, first, count, values, peaks):  # type: ignore[no-untyped-def]
    """Random matches from *states[first:first + count]*, at most as many as a block has words.

    *values[i]* gets the mean goals of the i-th of them, *peaks[i]* the best goal of the first role that was seen. All
    of them must be at the same step of the tokens' cycle, as the children of one state are.
    """
    words = lanes.block.shape[1]
    roles = values.shape[1]
    width = states.shape[1]
    for base in range(lanes.bases):
        for word in range(words):
            lanes.root[base, word] = 0
    for word in range(words):
        row = first + word % count
        for part in range(width):
            bits = states[row, part]
            base = 64 * part
            while bits != 0:
                if bits & np.uint64(1):
                    lanes.root[base, word] = np.uint64(0xFFFFFFFFFFFFFFFF)
                bits >>= np.uint64(1)
                base += 1
    if lanes.viewer != 0:
        call_phase(lanes.viewer, lanes.root, lanes.tables[0])
    for row in range(len(lanes.block)):
        for word in range(words):
            lanes.block[row, word] = lanes.template[row, word]
    for word in range(words):
        lanes.block[lanes.seed_low, word] = next_random(lanes.seeds)
        lanes.block[lanes.seed_high, word] = next_random(lanes.seeds) | np.uint64(1)
    lanes.log[0] = 0
    step = _step_of(lanes, states, first)
    call_playout(lanes.addresses[step], lanes.room, lanes.root, lanes.block, lanes.log, lanes.tables)
    _read(lanes, count, values, peaks, roles, words)


@njit(nogil=True)
def _read(lanes, count, values, peaks, roles, words):  # type: ignore[no-untyped-def]
    """Adds up what the words of a block report."""
    finished = np.zeros(count)
    for place in range(count):
        peaks[place] = 0.0
        for role in range(roles):
            values[place, role] = 0.0
    for word in range(words):
        place = word % count
        for outcome in range(len(lanes.outcome_goals)):
            number = lanes.block[lanes.counts + outcome, word]
            if number != 0:
                finished[place] += number
                peaks[place] = max(peaks[place], lanes.outcome_goals[outcome, 0])
                for role in range(roles):
                    values[place, role] += number * lanes.outcome_goals[outcome, role]
    at = 1
    end = 1 + np.int64(lanes.log[0])
    while at < end:
        place = np.int64(lanes.log[at]) % count
        finished[place] += 1
        for back in range(roles):
            role = roles - 1 - back
            key = lanes.log[at + lanes.log_places[role]]
            base = lanes.log_bases[role]
            lanes.log[at + lanes.log_places[role]] = key // base
            goal = lanes.log_goals[role, np.int64(key % base)]
            values[place, role] += goal
            if role == 0:
                peaks[place] = max(peaks[place], goal)
        at += lanes.note
    for place in range(count):
        for role in range(roles):
            if finished[place] > 0:
                values[place, role] /= finished[place]
            else:
                values[place, role] = lanes.neutral[role]


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
            np.array([each.address for each in self.kernels], np.int64),
            mask,
            steps,
            kernel.view_address,
            kernel.tables,
            kernel.room(),
            aligned_rows(kernel.root_rows, words),
            new_block(words, len(outcomes)),
            template,
            np.zeros(1 + words * LANES * layout.record, np.uint64),
            expected,
            np.array([len(own) + 1 for own in values], np.uint64),
            np.array(layout.places, np.int64),
            goals,
            layout.record,
            len(circuit.bases),
            neutral,
            np.array([seed & 0xFFFFFFFFFFFFFFFF], np.uint64),
            blocks.SEED_LOW,
            blocks.SEED_HIGH,
            blocks.COUNTS,
        )

    def _token_words(self) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
        bases, words = len(self.circuit.bases), words_of(self.circuit)
        mask, values = np.zeros(bases, np.bool_), np.zeros((self.tokens.period, bases), np.bool_)
        for base, course in self.tokens.courses.items():
            mask[base] = True
            values[:, base] = course
        return packed_truth(mask, words), packed_truth(values, words)


def _usual_length(lengths: Any) -> int:
    """A length that nine of ten matches do not pass: longer ones would keep all the others waiting."""
    counted = sorted(lengths.items())
    total = sum(count for _, count in counted)
    passed = 0
    for length, count in counted:
        passed += count
        if 10 * passed >= 9 * total:
            return max(8, length + length // 4)
    return 1000


__all__ = ["LANES", "LaneMaker", "RolloutMemory", "next_random", "play_leaves"]
