"""The kernel of depth-first proof-number search (Nagai, 2002), over packed states and without recursion.

Every state has a proof number (how many ends must still turn out well, at least, for the attacker) and a disproof
number. At the attacker's states they are the least proof number and the sum of the disproof numbers of the children,
elsewhere the other way round. The search stays below a state as long as its numbers are under the thresholds that
it was given, that is as long as the next thing to look at is still there.

A state that is already on the line counts as a failure of the attacker. So a proof never rests on a repetition; a
refutation may, and the caller is told.
"""

from __future__ import annotations

import numpy as np

from stratagem.engine.proof.table import BUCKET, bucket, canonical
from stratagem.engine.states.transposition import TAG, match, write
from stratagem.native.calls.rows import expand_row
from stratagem.native.jit.numba_cache import njit

INFINITE = 1 << 30
"""Rows of the table: the words of a state | question 8, effort 56 bits | proof number 32, disproof number 32 bits."""
PROVED, REFUTED, UNKNOWN, STOPPED, ARENA_FULL, LIMIT = range(6)
NODES, CHILDREN, REPEATED, WORTHLESS = range(4)
DEEPEST = 4000


@njit(nogil=True, inline="always")
def _look(table, tag, keys, row, value):  # type: ignore[no-untyped-def]
    """The row of a state in the table and what is known there; -1 and 0 where it is not in the table."""
    return match(table, bucket(table, tag, value), BUCKET, keys, row, TAG, tag)


@njit(nogil=True)
def _keep(table, tag, keys, row, value, proof, disproof, work):  # type: ignore[no-untyped-def]
    """Enters the numbers of a state; of four rows the one that cost least gives way."""
    width = keys.shape[1]
    place, known = _look(table, tag, keys, row, value)
    if place < 0:
        base = bucket(table, tag, value)
        place = base
        for other in range(base + 1, base + BUCKET):
            if table[other, width] >> np.uint64(8) < table[place, width] >> np.uint64(8):
                place = other
        known = np.uint64(tag)
    write(table, place, keys, row, known + (np.uint64(work) << np.uint64(8)))
    table[place, width + 1] = (np.uint64(proof) << np.uint64(32)) | np.uint64(disproof)


@njit(nogil=True)
def search(  # type: ignore[no-untyped-def]
    expand_address,
    arena,
    keys,
    hashes,
    parents,
    moves,
    terminal,
    goals,
    proofs,
    disproofs,
    attacker,
    at_least,
    goal_role,
    bound,
    tag,
    table,
    images,
    counters,
    stop,
    limit,
    line,
):
    """Whether *attacker* forces an end with goal *bound* or more (less, without *at_least*) for *goal_role*.

    After *limit* nodes, counted from the first search on, the answer is LIMIT; the table keeps what was found.
    Row 0 of the arena is the root, which must not be an end; *proofs* and *disproofs* of that row tell how far it came.
    """
    first = np.zeros(DEEPEST + 1, np.int64)
    count = np.zeros(DEEPEST + 1, np.int64)
    row = np.zeros(DEEPEST + 1, np.int64)
    attacks = np.zeros(DEEPEST + 1, np.bool_)
    most_proof = np.full(DEEPEST + 1, INFINITE, np.int64)
    most_disproof = np.full(DEEPEST + 1, INFINITE, np.int64)
    chosen = np.zeros(DEEPEST + 1, np.int64)
    started = np.zeros(DEEPEST + 1, np.int64)
    consumed = np.zeros(1, np.int64)
    scratch = np.zeros(arena.shape[1], np.uint64)
    width = arena.shape[1]
    hashes[0] = canonical(arena, 0, images, keys, scratch)
    top = 1
    ply = 0
    opening = True
    while True:
        if opening:
            opening = False
            counters[NODES] += 1
            if stop[0] != 0:
                return STOPPED
            if counters[NODES] > limit:
                return LIMIT
            started[ply] = counters[NODES]
            made = expand_row(
                expand_address,
                arena,
                row[ply],
                top,
                parents,
                moves,
                terminal,
                goals,
                len(parents) - top,
                consumed,
            )
            if made < 0 or consumed[0] == 0:
                return ARENA_FULL
            counters[CHILDREN] += made
            first[ply] = top
            count[ply] = made
            mine = False
            for child in range(top + 1, top + made):
                if moves[child, attacker] != moves[top, attacker]:
                    mine = True
                    break
            attacks[ply] = mine
            for child in range(top, top + made):
                proofs[child] = 1
                disproofs[child] = 1
                if terminal[child]:
                    goal = goals[child, goal_role]
                    if goal < 0:
                        counters[WORTHLESS] += 1
                    holds = goal >= 0 and (goal >= bound if at_least else goal <= bound)
                    proofs[child] = 0 if holds else INFINITE
                    disproofs[child] = INFINITE if holds else 0
                    continue
                hashes[child] = canonical(arena, child, images, keys, scratch)
                repeats = ply + 2 >= DEEPEST
                for before in range(ply + 1):
                    if hashes[row[before]] == hashes[child]:
                        repeats = True
                if repeats:
                    counters[REPEATED] += 1
                    proofs[child] = INFINITE
                    disproofs[child] = 0
                    continue
                place, _ = _look(table, tag, keys, child, hashes[child])
                if place >= 0:
                    numbers = table[place, width + 1]
                    proofs[child] = np.int64(numbers >> np.uint64(32))
                    disproofs[child] = np.int64(numbers & np.uint64(0xFFFFFFFF))
            top += made
        # the numbers of this state, and the child that is most worth looking at
        least = np.int64(INFINITE)
        second = np.int64(INFINITE)
        total = np.int64(0)
        best = -1
        for child in range(first[ply], first[ply] + count[ply]):
            small = proofs[child] if attacks[ply] else disproofs[child]
            total += disproofs[child] if attacks[ply] else proofs[child]
            if small < least:
                second = least
                least = small
                best = child
            elif small < second:
                second = small
        total = min(total, np.int64(INFINITE))
        if count[ply] == 0:  # somebody cannot move: no end, so nothing for the attacker
            least, total = np.int64(0), np.int64(INFINITE)
            attacks[ply] = False
        proof = least if attacks[ply] else total
        disproof = total if attacks[ply] else least
        here = row[ply]
        proofs[here] = proof
        disproofs[here] = disproof
        if proof >= most_proof[ply] or disproof >= most_disproof[ply] or proof == 0 or disproof == 0:
            _keep(table, tag, keys, here, hashes[here], proof, disproof, counters[NODES] - started[ply] + 1)
            if ply == 0:
                line[0] = best - first[0] if best >= 0 else -1
                return PROVED if proof == 0 else REFUTED if disproof == 0 else UNKNOWN
            top = first[ply]
            ply -= 1
            continue
        if ply == 0:
            line[0] = best - first[0]
        # a quarter more than the second best, so that the search does not run to and fro
        further = min(np.int64(INFINITE), second + second // 4 + 1)
        if attacks[ply]:
            most_proof[ply + 1] = min(most_proof[ply], further)
            most_disproof[ply + 1] = min(np.int64(INFINITE), most_disproof[ply] - disproof + disproofs[best])
        else:
            most_disproof[ply + 1] = min(most_disproof[ply], further)
            most_proof[ply + 1] = min(np.int64(INFINITE), most_proof[ply] - proof + proofs[best])
        chosen[ply] = best
        row[ply + 1] = best
        ply += 1
        opening = True
