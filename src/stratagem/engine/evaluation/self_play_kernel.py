"""The kernel of self-play: one match in which each move is the best by the evaluation so far, with some noise.

Every child is evaluated once, with a little noise, and some moves are made at random: a player that always plays the same
match learns nothing. A part of a state's target is what the evaluation makes of the next one, the rest comes from further
on, and at the end of the chain stands the true outcome (TD(lambda), Sutton 1988).
"""

from __future__ import annotations

from typing import Final

import numpy as np

from stratagem.engine.alpha_beta.evaluator import log_odds, settle
from stratagem.engine.states.hashing import next_random
from stratagem.native.calls.rows import expand_row
from stratagem.native.jit.numba_cache import njit

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


@njit(nogil=True, inline="always")
def _share(seeds):  # type: ignore[no-untyped-def]
    """A number from 0 up to 1."""
    return np.float64(next_random(seeds) >> np.uint64(11)) / 9007199254740992.0


@njit(nogil=True)
def play_match(task, room, start, seeds, opening, states, targets, plies, used):  # type: ignore[no-untyped-def]
    """A match from *start*, its first *opening* moves at random: states and targets into rows *used* and on.

    Returns the row after the last, the first role's goal (or why there is none) and the length of the match.
    """
    words = states.shape[1]
    for word in range(words):
        room.arena[0, word] = start[word]
    first = used
    goal = np.int64(50)
    ply = 0
    while ply < LONGEST:
        made = expand_row(
            task.expand,
            room.arena,
            0,
            1,
            room.parents,
            room.moves,
            room.terminal,
            room.goals,
            len(room.parents) - 1,
            room.consumed,
        )
        if made <= 0:
            return first, np.int64(TOO_WIDE), ply
        settle(task, room.arena, 0)
        mover = 0 if room.moves[1, 0] != room.moves[made, 0] else 1
        if mover == 0 and room.moves[1, 1] != room.moves[made, 1]:
            return first, np.int64(AT_ONCE), ply
        sign = np.float32(1.0) if mover == 0 else np.float32(-1.0)
        at_random = ply < opening or made == 1 or _share(seeds) < AT_RANDOM
        best = np.int64(1) + np.int64(next_random(seeds) % np.uint64(made))
        best_value = np.float32(0.0)
        if not at_random:
            highest = -1e30
            for row in range(1, made + 1):
                if room.terminal[row]:
                    value = sign * np.float32(room.goals[row, 0] - room.goals[row, 1])
                else:
                    value = sign * log_odds(task, room, row)
                noisy = value + NOISE * _share(seeds)
                if noisy > highest:
                    best, highest, best_value = np.int64(row), noisy, value
        ply += 1
        if room.terminal[best]:
            goal = np.int64(max(0, room.goals[best, 0]))
            if goal + max(0, room.goals[best, 1]) != 100:
                return first, np.int64(UNEVEN), ply
            break
        for word in range(words):
            room.arena[0, word] = room.arena[best, word]
        if not at_random and used < len(states):
            for word in range(words):
                states[used, word] = room.arena[best, word]
            targets[used] = sign * best_value
            plies[used] = ply
            used += 1
    target = goal / 100.0
    for back in range(used - first):
        row = used - 1 - back
        chance = 1.0 / (1.0 + np.exp(-min(30.0, max(-30.0, targets[row]))))
        targets[row] = target
        target += TRUST * (chance - target)
    return used, goal, ply
