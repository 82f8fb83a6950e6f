"""The kernel of self-play: one match in which each move is the best by the evaluation so far, with some noise.

Every child is evaluated once, with a little noise, and some moves are made at random: a player that always plays the same
match learns nothing. A part of a state's target is what the evaluation makes of the next one, the rest comes from further
on, and at the end of the chain stands the true outcome (TD(lambda), Sutton 1988).
"""

from __future__ import annotations

from typing import Final

from stratagem.engine.alpha_beta.evaluator import log_odds, settle
from stratagem.engine.alpha_beta.memory import EvaluationTables
from stratagem.kernels import Array, Record, dims, exp, float32, inlined, int16, int32, kernel, size, uint64
from stratagem.kernels.library.game_functions import Expand
from stratagem.kernels.library.hashing import copy_state
from stratagem.kernels.library.random_numbers import next_random, share
from stratagem.kernels.translate.family import KernelFamily

LONGEST: Final = 500
"""Plies after which a match counts as even."""
AT_RANDOM: Final = 0.1
"""The share of moves that are made at random."""
NOISE: Final = 0.5
"""Log odds within which a worse move may be taken for a better one."""
TRUST: Final = 0.2
"""How much of a target is the evaluation of the next state; the rest comes from further on."""
TOO_WIDE, AT_ONCE, UNEVEN = -1, -2, -3
"""Instead of a goal: a state with more moves than there is room for; both roles have a choice; goals that do not add up."""


class MatchMemory(Record):
    """One thread's matches: the state in row 0 of an arena, its children in the rows after that, and what was seen."""

    rows: int = size()
    words: int = size()
    expand: Expand
    evaluation: EvaluationTables
    start: Array[uint64] = dims("words")
    seeds: Array[uint64] = dims(4)
    arena: Array[uint64] = dims("rows", "words")
    parents: Array[int32] = dims("rows")
    moves: Array[int32] = dims("rows", 2)
    terminal: Array[bool] = dims("rows")
    goals: Array[int16] = dims("rows", 2)
    consumed: Array[int] = dims(1)
    states: Array[uint64] = dims(LONGEST, "words")
    """The states that the evaluation chose; at most one for every ply."""
    targets: Array[float] = dims(LONGEST)
    plies: Array[int] = dims(LONGEST)
    used: int = 0
    """How many they are."""
    length: int = 0
    """Plies of the match."""


@inlined
def expand(match: MatchMemory) -> int:
    """The children of the state, into rows 1 and on; how many there are."""
    return match.expand(
        match.arena.row(0),
        1,
        match.arena.at(1),
        match.parents,
        match.moves.at(1),
        match.terminal.at(1),
        match.goals.at(1),
        match.rows - 1,
        match.consumed,
    )


@inlined
def mover_sign(match: MatchMemory, count: int) -> float32:
    """1 where the first role moves, -1 where the second does, 0 where both have a choice."""
    if match.moves[1, 0] == match.moves[count, 0]:
        return float32(-1.0)
    return float32(1.0) if match.moves[1, 1] == match.moves[count, 1] else float32(0.0)


@inlined
def best_child(match: MatchMemory, count: int, sign: float32) -> tuple[int, float32]:
    """The child that seems best to the mover, with some noise; and its log odds for the mover."""
    best, best_value, highest = 1, float32(0.0), -1e30
    for row in range(1, count + 1):
        if match.terminal[row]:
            value = sign * float32(match.goals[row, 0] - match.goals[row, 1])
        else:
            value = sign * log_odds(match.evaluation, match.arena.row(row))
        noisy = float(value) + NOISE * share(next_random(match.seeds))
        if noisy > highest:
            best, best_value, highest = row, value, noisy
    return best, best_value


@inlined
def note(match: MatchMemory, log_odds: float32) -> None:
    """Keeps the state, with the first role's log odds in place of its target, which only the end of the match tells."""
    copy_state(match.arena.row(0), match.states.row(match.used), match.words)
    match.targets[match.used] = float(log_odds)
    match.plies[match.used] = match.length
    match.used += 1


@inlined
def set_targets(match: MatchMemory, outcome: float) -> None:
    """From the *outcome* back to the first state: a target is the next one, moved towards the next evaluation."""
    target = outcome
    for back in range(match.used):
        row = match.used - 1 - back
        chance = 1.0 / (1.0 + exp(-min(30.0, max(-30.0, match.targets[row]))))
        match.targets[row] = target
        target += TRUST * (chance - target)


@kernel
def play_match(match: MatchMemory, opening: int) -> int:
    """A match, its first *opening* moves at random; the first role's goal, or why there is none."""
    copy_state(match.start, match.arena.row(0), match.words)
    match.used = 0
    match.length = 0
    goal = 50
    while match.length < LONGEST:
        count = expand(match)
        if count <= 0:
            return TOO_WIDE
        sign = mover_sign(match, count)
        if sign == 0.0:
            return AT_ONCE
        settle(match.evaluation, match.arena.row(0))
        at_random = match.length < opening or count == 1 or share(next_random(match.seeds)) < AT_RANDOM
        chosen, value = 1 + int(next_random(match.seeds) % uint64(count)), float32(0.0)
        if not at_random:
            chosen, value = best_child(match, count, sign)
        match.length += 1
        if match.terminal[chosen]:
            goal = max(0, match.goals[chosen, 0])
            if goal + max(0, match.goals[chosen, 1]) != 100:
                return UNEVEN
            break
        copy_state(match.arena.row(chosen), match.arena.row(0), match.words)
        if not at_random:
            note(match, sign * value)
    set_targets(match, float(goal) / 100.0)
    return goal


KERNELS: Final = KernelFamily("self-play", (play_match,))
