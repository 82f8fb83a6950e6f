"""The kernel of the prover: AND/OR search for an end that the attacker can force within so many moves.

Depth-first over AND/OR nodes with a table of packed states, without recursion: children lie in an arena, frames in
arrays. The answer for a state is a number:

    n >= 0       proved: the attacker forces it within n moves, whatever the others do
    HORIZON      not within the depth searched
    NEVER        refuted for good: no line reached the horizon

A table entry keeps the least depth proved and the greatest refuted. Both hold for ever and on every path, because
they speak of finite lines only: that is why repetitions and endless games do no harm.

Children are tried in the order: the one that settled the state before, then by history. The history is kept by what a
move changes in the state, not by its name: the same `drop 3` is another thing one row higher.
"""

from __future__ import annotations

import numpy as np

from stratagem.engine.proof.table import (
    FOR_EVER,
    bucket,
    canonical,
    probe,
    proved_within,
    refuted_within,
    store,
)
from stratagem.kernels.splitmix import FIRST_FACTOR, GOLDEN
from stratagem.native.calls.rows import expand_rows, prefetch
from stratagem.native.jit.numba_cache import njit

HORIZON = -1
NEVER = -2
STOPPED = -3
ARENA_FULL = -4
LIMIT = -5
"""The search was told to look at so many nodes and no more."""

NODES, CHILDREN, HITS, CUTS, DEEPEST, WORTHLESS = range(6)
"""WORTHLESS counts ends that give the role no goal, or more than one: there no refutation is the other side's proof."""
HISTORY_BITS = 14
LANES = 64
"""About how many children one call makes at the price of one."""


@njit(nogil=True, inline="always")
def _change(arena, parent, child):  # type: ignore[no-untyped-def]
    """A number for what is different between two states."""
    value = np.uint64(0)
    for word in range(arena.shape[1]):
        value = (value ^ arena[parent, word] ^ arena[child, word]) * np.uint64(GOLDEN)
        value ^= value >> np.uint64(29)
    value *= np.uint64(FIRST_FACTOR)
    return np.int64(value >> np.uint64(64 - HISTORY_BITS))


@njit(nogil=True)
def prove(  # type: ignore[no-untyped-def]
    expand_address,
    arena,
    keys,
    hashes,
    parents,
    moves,
    terminal,
    goals,
    order,
    scores,
    knowns,
    child_first,
    child_count,
    root_depth,
    attacker,
    at_least,
    goal_role,
    bound,
    tag,
    table,
    images,
    history,
    noise,
    counters,
    stop,
    node_limit,
    line,
):
    """Whether *attacker* forces an end with goal *bound* or more (less, without *at_least*) for *goal_role*.

    Row 0 of the *arena* is the root, which must not be an end. *line* gets the attacker's way at the root. Threads that
    share *table* and *history* differ by *noise*, which blurs the order of their moves.
    """
    deepest = root_depth + 2
    first = np.zeros(deepest, np.int64)
    count = np.zeros(deepest, np.int64)
    following = np.zeros(deepest, np.int64)
    attacks = np.zeros(deepest, np.bool_)
    answer = np.zeros(deepest, np.int64)
    chosen = np.full(deepest, -1, np.int64)
    started = np.zeros(deepest, np.int64)
    row = np.zeros(deepest, np.int64)
    base = np.zeros(deepest, np.int64)
    consumed = np.zeros(1, np.int64)
    scratch = np.zeros(arena.shape[1], np.uint64)
    made = expand_rows(
        expand_address, arena, 0, 1, 1, parents, moves, terminal, goals, len(parents) - 1, consumed
    )
    if made < 0 or consumed[0] == 0:
        return np.int64(ARENA_FULL)
    child_first[0] = 1
    child_count[0] = made
    top = 1 + made
    ply = 0
    entering = True
    hashes[0] = canonical(arena, 0, images, keys, scratch)
    result = np.int64(HORIZON)
    while True:
        if entering:
            counters[NODES] += 1
            if counters[NODES] >= node_limit:
                return np.int64(LIMIT)
            if stop[0] != 0:
                return np.int64(STOPPED)
            depth = root_depth - ply
            here = row[ply]
            known = probe(table, tag, keys, here, hashes[here]) if ply == 0 else knowns[here]
            entering = False
            opened = False
            if known != 0 and ply > 0 and proved_within(known) <= depth:
                counters[HITS] += 1
                result = proved_within(known)
            elif known != 0 and refuted_within(known) >= depth:
                counters[HITS] += 1
                result = np.int64(NEVER) if refuted_within(known) == FOR_EVER else np.int64(HORIZON)
            elif depth <= 0:
                result = np.int64(HORIZON)
            else:
                opened = True
                result = np.int64(STOPPED)  # nothing has come back from below yet
            if not opened:
                ply -= 1
                if ply < 0:
                    return result
            else:
                base[ply] = top
                begin = child_first[here]
                made = child_count[here]
                counters[CHILDREN] += made
                first[ply] = begin
                count[ply] = made
                following[ply] = 0
                started[ply] = counters[NODES]
                chosen[ply] = -1
                mine = False
                for child in range(begin + 1, begin + made):
                    if moves[child, attacker] != moves[begin, attacker]:
                        mine = True
                        break
                attacks[ply] = mine
                answer[ply] = np.int64(NEVER) if mine or made == 0 else np.int64(0)
                settled = made == 0
                going_on = False
                for child in range(begin, begin + made):
                    if terminal[child]:
                        goal = goals[child, goal_role]
                        if goal < 0:
                            counters[WORTHLESS] += 1
                        holds = goal >= 0 and (goal >= bound if at_least else goal <= bound)
                        if holds == mine:
                            answer[ply] = np.int64(1) if mine else np.int64(NEVER)
                            chosen[ply] = child - begin
                            settled = True
                            break
                        if not mine:
                            answer[ply] = np.int64(1)
                    else:
                        going_on = True
                if not settled and depth == 1:
                    settled = True
                    if going_on:
                        answer[ply] = np.int64(HORIZON)
                if not settled:
                    for child in range(begin, begin + made):
                        if not terminal[child]:
                            hashes[child] = canonical(arena, child, images, keys, scratch)
                            prefetch(table, bucket(table, tag, hashes[child]))
                    mark = known >> np.uint64(48)
                    places = 0
                    for child in range(begin, begin + made):
                        if terminal[child]:
                            continue
                        below = probe(table, tag, keys, child, hashes[child])
                        knowns[child] = below
                        child_count[child] = -1
                        if below != 0:
                            if mine and proved_within(below) <= depth - 1:
                                answer[ply] = proved_within(below) + 1
                                chosen[ply] = child - begin
                                settled = True
                                break
                            if refuted_within(below) >= depth - 1:
                                brought = NEVER if refuted_within(below) == FOR_EVER else HORIZON
                                if not mine:
                                    answer[ply] = np.int64(brought)
                                    chosen[ply] = child - begin
                                    settled = True
                                    break
                                answer[ply] = max(answer[ply], np.int64(brought))
                                continue
                            if not mine and proved_within(below) <= depth - 1:
                                answer[ply] = max(answer[ply], proved_within(below) + 1)
                                continue
                        score = np.int64(history[1 if mine else 0, _change(arena, here, child)])
                        if noise != 0:
                            score += np.int64((hashes[child] * np.uint64(noise)) >> np.uint64(60))
                        if mark != 0 and (hashes[child] >> np.uint64(48)) | np.uint64(1) == mark:
                            score = np.int64(1) << 60
                        hole = places  # insertion sort: best score first, stable
                        while hole > 0 and scores[begin + hole - 1] < score:
                            order[begin + hole] = order[begin + hole - 1]
                            scores[begin + hole] = scores[begin + hole - 1]
                            hole -= 1
                        order[begin + hole] = child - begin
                        scores[begin + hole] = score
                        places += 1
                    count[ply] = places
                if settled:
                    counters[CUTS] += 1
                    following[ply] = count[ply]
        # here: at frame `ply`; `result` is what its last child brought, or STOPPED
        if result != STOPPED:
            tried = following[ply] - 1
            place = order[first[ply] + tried]
            done = False
            if attacks[ply]:
                if result >= 0:
                    answer[ply] = result + 1
                    done = True
                elif result == HORIZON:
                    answer[ply] = np.int64(HORIZON)
            elif result < 0:
                answer[ply] = result
                done = True
            else:
                answer[ply] = max(answer[ply], result + 1)
            if done:
                chosen[ply] = place
                following[ply] = count[ply]
                side = 1 if attacks[ply] else 0
                if tried > 0:
                    history[side, _change(arena, row[ply], first[ply] + place)] += tried
                    for earlier in range(tried):
                        child = first[ply] + order[first[ply] + earlier]
                        history[side, _change(arena, row[ply], child)] -= 1
            result = np.int64(STOPPED)
        if following[ply] < count[ply]:
            child = first[ply] + order[first[ply] + following[ply]]
            if child_count[child] < 0:
                # The first child alone, since it may settle the state; then as many as fill the lanes of one call.
                ahead = count[ply] - following[ply]
                ahead = 1 if following[ply] == 0 else min(ahead, max(1, LANES // (1 + count[ply])))
                if top + ahead >= len(parents):
                    return np.int64(ARENA_FULL)
                for place in range(ahead):
                    sibling = first[ply] + order[first[ply] + following[ply] + place]
                    for word in range(arena.shape[1]):
                        arena[top + place, word] = arena[sibling, word]
                made = expand_rows(
                    expand_address,
                    arena,
                    top,
                    ahead,
                    top + ahead,
                    parents,
                    moves,
                    terminal,
                    goals,
                    len(parents) - top - ahead,
                    consumed,
                )
                if made < 0 or consumed[0] == 0:
                    return np.int64(ARENA_FULL)
                begin = top + ahead
                top = begin + made
                for place in range(consumed[0]):
                    sibling = first[ply] + order[first[ply] + following[ply] + place]
                    child_first[sibling] = begin
                    while begin < top and parents[begin] == place:
                        begin += 1
                    child_count[sibling] = begin - child_first[sibling]
            row[ply + 1] = child
            following[ply] += 1
            ply += 1
            counters[DEEPEST] = max(counters[DEEPEST], ply)
            entering = True
            continue
        result = answer[ply]
        mark = np.uint64(0)
        if chosen[ply] >= 0 and not terminal[first[ply] + chosen[ply]]:
            mark = (hashes[first[ply] + chosen[ply]] >> np.uint64(48)) | np.uint64(1)
        store(
            table,
            tag,
            keys,
            row[ply],
            hashes[row[ply]],
            result if result >= 0 else np.int64(FOR_EVER),
            np.int64(-1) if result >= 0 else np.int64(FOR_EVER) if result == NEVER else root_depth - ply,
            counters[NODES] - started[ply] + 1,
            mark,
        )
        top = base[ply]
        if ply == 0:
            line[0] = chosen[0]
            return result
        ply -= 1
