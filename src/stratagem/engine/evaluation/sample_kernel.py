"""The kernel of sampling: one match of random moves, whose positions are evaluated by random matches."""

from __future__ import annotations

from typing import Final

from stratagem.engine.mcts.rollouts import RolloutMemory, play_leaves
from stratagem.kernels import Array, Record, dims, inlined, int16, int32, kernel, size, uint64
from stratagem.kernels.library.game_functions import Expand
from stratagem.kernels.library.hashing import copy_state
from stratagem.kernels.library.random_numbers import next_random
from stratagem.kernels.translate.family import KernelFamily

BY_MATCHES: Final = 3
"""One move in so many is the best of a few by their matches."""


class Sampling(Record):
    """The states and values found so far, and what a match works with."""

    room: int = size()
    capacity: int = size()
    words: int = size()
    roles: int = size()
    states: Array[uint64] = dims("room", "words")
    values: Array[float] = dims("room", "roles")
    used: int = 0
    rollouts: RolloutMemory
    expand: Expand
    here: Array[uint64] = dims("words")
    children: Array[uint64] = dims("capacity", "words")
    parents: Array[int32] = dims("capacity")
    moves: Array[int32] = dims("capacity", "roles")
    terminal: Array[bool] = dims("capacity")
    goals: Array[int16] = dims("capacity", "roles")
    consumed: Array[int] = dims(1)


@kernel
def sample_match(sampling: Sampling, start: Array[uint64]) -> None:
    """Plays one match from *start*; its positions and others next to them are added with their values."""
    seeds = sampling.rollouts.seeds
    copy_state(start, sampling.here, sampling.words)
    while sampling.used < sampling.room:
        made = sampling.expand(
            sampling.here,
            1,
            sampling.children.at(0),
            sampling.parents,
            sampling.moves.at(0),
            sampling.terminal,
            sampling.goals.at(0),
            sampling.capacity,
            sampling.consumed,
        )
        if made <= 0:
            return
        chosen = int(next_random(seeds) % uint64(made))
        if not sampling.terminal[chosen]:
            some = leaves_from(sampling, chosen, made)
            play_leaves(sampling.rollouts, sampling.children.at(chosen, 0), some)
            add_leaves(sampling, chosen, some)
            if next_random(seeds) % BY_MATCHES == 0:
                chosen += best_leaf(sampling, some, made)
        if sampling.terminal[chosen]:
            return
        copy_state(sampling.children.row(chosen), sampling.here, sampling.words)


@inlined
def leaves_from(sampling: Sampling, first: int, made: int) -> int:
    """How many children from *first* on can be played in one call: none of them is an end."""
    most, some = min(sampling.rollouts.words, made - first), 0
    while some < most and not sampling.terminal[first + some]:
        some += 1
    return some


@inlined
def add_leaves(sampling: Sampling, first: int, some: int) -> None:
    """Adds the children that have been played, as far as there is room."""
    for row in range(min(some, sampling.room - sampling.used)):
        copy_state(sampling.children.row(first + row), sampling.states.row(sampling.used), sampling.words)
        for role in range(sampling.roles):
            sampling.values[sampling.used, role] = sampling.rollouts.values[row, role]
        sampling.used += 1


@inlined
def best_leaf(sampling: Sampling, some: int, made: int) -> int:
    """Which of the children that have been played is best for the role to move."""
    mover, best = 0, 0
    for role in range(sampling.roles):
        if sampling.moves[0, role] != sampling.moves[made - 1, role]:
            mover = role
    for row in range(some):
        if sampling.rollouts.values[row, mover] > sampling.rollouts.values[best, mover]:
            best = row
    return best


KERNELS: Final = KernelFamily("sampling", (sample_match,))
