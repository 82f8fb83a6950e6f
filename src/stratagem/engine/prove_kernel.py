"""The kernel of `prove`: can the attacker force an end of the wanted kind within so many moves?

Depth-first over AND/OR nodes with a table of packed states, without recursion: children lie in an arena, frames in
arrays. The answer for a state is a number:

    n >= 0       proved: the attacker forces it within n moves, whatever the others do
    HORIZON      not within the depth searched
    NEVER        refuted for good: no line reached the horizon

A table entry keeps the least depth proved and the greatest refuted. Both hold for ever and on every path, because
they speak of finite lines only: that is why repetitions and endless games do no harm.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from stratagem.engine.hash_table import hash_words
from stratagem.native.expand_call import call_expand
from stratagem.native.kernel_cache import keep_kernels

keep_kernels()

HORIZON = -1
NEVER = -2
STOPPED = -3
ARENA_FULL = -4
FOR_EVER = 32000
"""The depth that stands for "refuted at any depth"."""

NODES, CHILDREN, HITS, CUTS, DEEPEST = range(5)


@njit(nogil=True, cache=True)
def _probe(keys, tags, tag, states, row):  # type: ignore[no-untyped-def]
    """The slot of a state, or -1; slots come in pairs."""
    width = keys.shape[1]
    base = (
        np.int64(
            (hash_words(states, row) ^ (np.uint64(tag) * np.uint64(0x9E3779B97F4A7C15)))
            & np.uint64(len(keys) - 1)
        )
        & ~1
    )
    for slot in (base, base + 1):
        if tags[slot] == tag:
            same = True
            for word in range(width):
                if keys[slot, word] != states[row, word]:
                    same = False
                    break
            if same:
                return slot
    return -1


@njit(nogil=True, cache=True)
def _store(keys, tags, proved, refuted, effort, best, tag, states, row, answer, depth, work, move):  # type: ignore[no-untyped-def]
    """Enters an answer; of a pair of slots the one that cost less gives way."""
    slot = _probe(keys, tags, tag, states, row)
    if slot < 0:
        width = keys.shape[1]
        base = (
            np.int64(
                (hash_words(states, row) ^ (np.uint64(tag) * np.uint64(0x9E3779B97F4A7C15)))
                & np.uint64(len(keys) - 1)
            )
            & ~1
        )
        slot = base
        if tags[base] != 0 and (tags[base + 1] == 0 or effort[base + 1] < effort[base]):
            slot = base + 1
        for word in range(width):
            keys[slot, word] = states[row, word]
        tags[slot] = tag
        proved[slot] = FOR_EVER
        refuted[slot] = -1
        effort[slot] = 0
        best[slot] = -1
    if answer >= 0:
        proved[slot] = min(proved[slot], answer)
    elif answer == NEVER:
        refuted[slot] = FOR_EVER
    else:
        refuted[slot] = max(refuted[slot], depth)
    effort[slot] = work
    if move >= 0:
        best[slot] = move


@njit(nogil=True, cache=True)
def prove(  # type: ignore[no-untyped-def]
    expand_address,
    arena,
    parents,
    moves,
    terminal,
    goals,
    root_depth,
    attacker,
    at_least,
    goal_role,
    bound,
    tag,
    keys,
    tags,
    proved,
    refuted,
    effort,
    best,
    history,
    counters,
    stop,
    node_limit,
    line,
):
    """Whether *attacker* forces an end with goal *bound* or more (less, without *at_least*) for *goal_role*.

    Row 0 of the *arena* is the root, which must not be an end. *line* gets the attacker's way at the root.
    """
    deepest = root_depth + 2
    first = np.zeros(deepest, np.int64)
    count = np.zeros(deepest, np.int64)
    following = np.zeros(deepest, np.int64)
    attacks = np.zeros(deepest, np.bool_)
    answer = np.zeros(deepest, np.int64)
    horizon = np.zeros(deepest, np.bool_)
    chosen = np.full(deepest, -1, np.int64)
    started = np.zeros(deepest, np.int64)
    row = np.zeros(deepest, np.int64)
    order = np.empty(len(parents), np.int32)
    scores = np.empty(len(parents), np.int64)
    consumed = np.zeros(1, np.int64)
    top = 1
    ply = 0
    entering = True
    result = np.int64(HORIZON)
    while True:
        if entering:
            counters[NODES] += 1
            counters[DEEPEST] = max(counters[DEEPEST], ply)
            if counters[NODES] >= node_limit or stop[0] != 0:
                return np.int64(STOPPED)
            depth = root_depth - ply
            slot = _probe(keys, tags, tag, arena, row[ply])
            entering = False
            if slot >= 0:
                if proved[slot] <= depth:
                    counters[HITS] += 1
                    result = np.int64(proved[slot])
                    ply -= 1
                    if ply < 0:
                        line[0] = best[slot]
                        return result
                elif refuted[slot] >= depth:
                    counters[HITS] += 1
                    result = np.int64(NEVER) if refuted[slot] == FOR_EVER else np.int64(HORIZON)
                    ply -= 1
                    if ply < 0:
                        return result
                else:
                    slot = -slot - 2  # known, but not deep enough: its best move comes first
            if slot < 0:
                if depth <= 0:
                    result = np.int64(HORIZON)
                    ply -= 1
                    if ply < 0:
                        return result
                else:
                    made = call_expand(
                        expand_address,
                        arena[row[ply] : row[ply] + 1],
                        1,
                        arena[top:],
                        parents[top:],
                        moves[top:],
                        terminal[top:],
                        goals[top:],
                        len(parents) - top,
                        consumed,
                    )
                    if made < 0 or consumed[0] == 0:
                        return np.int64(ARENA_FULL)
                    counters[CHILDREN] += made
                    first[ply] = top
                    count[ply] = made
                    following[ply] = 0
                    started[ply] = counters[NODES]
                    horizon[ply] = False
                    chosen[ply] = -1
                    mine = False
                    for child in range(top + 1, top + made):
                        if moves[child, attacker] != moves[top, attacker]:
                            mine = True
                            break
                    attacks[ply] = mine
                    answer[ply] = np.int64(NEVER) if mine else np.int64(0)
                    hash_move = np.int64(-1)
                    if slot < -1:
                        hash_move = np.int64(best[-slot - 2])
                    settled = made == 0
                    if made == 0:
                        answer[ply] = np.int64(NEVER)
                    for place in range(made):
                        child = top + place
                        key = np.int64(0)
                        for role in range(moves.shape[1]):
                            key = key * 31 + moves[child, role]
                        key &= len(history) // 2 - 1
                        score = history[2 * key + (1 if mine else 0)]
                        if place == hash_move:
                            score = np.int64(1) << 60
                        if terminal[child]:
                            goal = goals[child, goal_role]
                            holds = goal >= 0 and (goal >= bound if at_least else goal <= bound)
                            if holds and mine:
                                answer[ply] = np.int64(1)
                                chosen[ply] = place
                                settled = True
                                break
                            if not holds and not mine:
                                answer[ply] = np.int64(NEVER)
                                chosen[ply] = place
                                settled = True
                                break
                            score = -(np.int64(1) << 60) if mine else np.int64(1) << 61
                        elif depth > 1:
                            known = _probe(keys, tags, tag, arena, child)
                            if known >= 0:
                                if mine and proved[known] <= depth - 1:
                                    answer[ply] = np.int64(proved[known]) + 1
                                    chosen[ply] = place
                                    settled = True
                                    break
                                if not mine and refuted[known] >= depth - 1:
                                    answer[ply] = (
                                        np.int64(NEVER) if refuted[known] == FOR_EVER else np.int64(HORIZON)
                                    )
                                    chosen[ply] = place
                                    settled = True
                                    break
                        order[child] = place
                        scores[child] = score
                    if settled:
                        counters[CUTS] += 1
                        following[ply] = made
                    else:
                        for place in range(1, made):  # insertion sort: best score first, stable
                            item, worth = order[top + place], scores[top + place]
                            hole = place
                            while hole > 0 and scores[top + hole - 1] < worth:
                                order[top + hole] = order[top + hole - 1]
                                scores[top + hole] = scores[top + hole - 1]
                                hole -= 1
                            order[top + hole] = item
                            scores[top + hole] = worth
                    top += made
                    result = np.int64(STOPPED)  # nothing has come back from below yet
            if ply < 0:
                return result
        # here: at frame `ply`; `result` is what its last child brought, or STOPPED
        if result != STOPPED:
            place = order[first[ply] + following[ply] - 1]
            if attacks[ply]:
                if result >= 0:
                    answer[ply] = result + 1
                    chosen[ply] = place
                    following[ply] = count[ply]
                elif result == HORIZON:
                    answer[ply] = np.int64(HORIZON)
            else:
                if result < 0:
                    answer[ply] = result
                    chosen[ply] = place
                    following[ply] = count[ply]
                else:
                    answer[ply] = max(answer[ply], result + 1)
            if following[ply] == count[ply] and chosen[ply] == place:
                child = first[ply] + place
                key = np.int64(0)
                for role in range(moves.shape[1]):
                    key = key * 31 + moves[child, role]
                key &= len(history) // 2 - 1
                history[2 * key + (1 if attacks[ply] else 0)] += (root_depth - ply) * (root_depth - ply)
            result = np.int64(STOPPED)
        down = False
        while following[ply] < count[ply]:
            place = order[first[ply] + following[ply]]
            following[ply] += 1
            child = first[ply] + place
            if terminal[child]:
                # ends that would settle the node were seen when it was opened
                if not attacks[ply]:
                    answer[ply] = max(answer[ply], np.int64(1))
                continue
            row[ply + 1] = child
            down = True
            break
        if down:
            ply += 1
            entering = True
            continue
        work = counters[NODES] - started[ply] + 1
        _store(
            keys,
            tags,
            proved,
            refuted,
            effort,
            best,
            tag,
            arena,
            row[ply],
            answer[ply],
            root_depth - ply,
            work,
            chosen[ply],
        )
        top = first[ply]
        result = answer[ply]
        if ply == 0:
            line[0] = chosen[0]
            return result
        ply -= 1
