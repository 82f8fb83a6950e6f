"""The kernel of the prover: AND/OR search for an end that the attacker can force within so many moves.

Depth-first over AND/OR nodes with a table of packed states, without recursion: children lie in an arena, the nodes of
the line are a stack of frames. The answer for a state is a number:

    n >= 0       proved: the attacker forces it within n moves, whatever the others do
    HORIZON      not within the depth searched
    NEVER        refuted for good: no line reached the horizon

A table entry keeps the least depth proved and the greatest refuted. Both hold for ever and on every path, because
they speak of finite lines only: that is why repetitions and endless games do no harm.

Children are tried in the order: the one that settled the state before, then by history. The history is kept by what a
move changes in the state, not by its name: the same `drop 3` is another thing one row higher.
"""

from __future__ import annotations

from typing import Final

from stratagem.engine.proof.arena import (
    Arena,
    Question,
    attacker_chooses,
    expand,
    is_wanted,
    make_key,
)
from stratagem.engine.proof.table import (
    FOR_EVER,
    best_mark,
    probe,
    proved_within,
    refuted_within,
    store,
    tagged,
)
from stratagem.kernels import Array, Record, dims, inlined, int32, kernel, load_relaxed, size, uint64
from stratagem.kernels.library.hashing import copy_state
from stratagem.kernels.library.lossy_table import LossyTable, prefetch_bucket
from stratagem.kernels.library.sorting import insert_by_key
from stratagem.kernels.splitmix import FIRST_FACTOR, GOLDEN
from stratagem.kernels.translate.family import KernelFamily

HORIZON: Final = -1
NEVER: Final = -2
STOPPED: Final = -3
ARENA_FULL: Final = -4
LIMIT: Final = -5
"""The search was told to look at so many nodes and no more."""
UNFIT: Final = -7
"""Both roles had a choice in a state, or the goals of two ends do not add up to the same: no question for this search."""
OPEN: Final = -6
"""Instead of an answer: nothing has settled the state yet."""

HISTORY_BITS: Final = 14
LANES: Final = 64
"""About how many children one call makes at the price of one."""
REMEMBERED: Final = 1 << 60
"""The score of the child that settled the state before."""


class ProofFrame(Record):
    """A node on the line that is searched."""

    row: int
    first: int
    """The row of its first child."""
    count: int
    """Children, then those of them that must be searched."""
    following: int
    """How many of them are searched, or under way."""
    attacks: bool
    """Whether the attacker has the choice: an OR node."""
    answer: int
    chosen: int
    """The child behind the answer, -1 where there is none."""
    started: int
    base: int
    """Where the arena is free again when this node is done."""


class ProofSearch(Record):
    """One thread's search; *table*, *history*, *question* and *stop* are shared with the other threads."""

    rows: int = size()
    plies: int = size()
    arena: Arena
    order: Array[int32] = dims("rows")
    """The children of a node from *first* on, in the order in which they are tried."""
    scores: Array[int] = dims("rows")
    knowns: Array[uint64] = dims("rows")
    child_first: Array[int] = dims("rows")
    child_count: Array[int] = dims("rows")
    """-1 where a state is not yet expanded."""
    frames: Array[ProofFrame] = dims("plies")
    table: LossyTable
    history: Array[int32] = dims(2, 1 << HISTORY_BITS)
    question: Question
    stop: Array[int] = dims(1)
    noise: uint64
    """Blurs the order of moves, so that threads search different parts; 0 does not."""
    depth: int = 0
    node_limit: int = 0


@inlined
def change(arena: Arena, parent: int, child: int) -> int:
    """A number for what is different between two states."""
    value = uint64(0)
    for word in range(arena.words):
        value = (value ^ arena.states[parent, word] ^ arena.states[child, word]) * GOLDEN
        value ^= value >> 29
    return int(value * FIRST_FACTOR >> (64 - HISTORY_BITS))


@inlined
def mark_of(arena: Arena, row: int) -> uint64:
    """A few bits that tell a state from its siblings, never 0."""
    return arena.hashes[row] >> 48 | 1


@inlined
def refutation(known: uint64) -> int:
    return NEVER if refuted_within(known) == FOR_EVER else HORIZON


@inlined
def known_answer(known: uint64, ply: int, depth: int) -> int:
    """What the table, or the horizon, says of a state; at the root a proof is not enough, since its move is asked for."""
    if known != 0 and ply > 0 and proved_within(known) <= depth:
        return proved_within(known)
    if known != 0 and refuted_within(known) >= depth:
        return refutation(known)
    return HORIZON if depth <= 0 else OPEN


@inlined
def settled_by_ends(search: ProofSearch, frame: ProofFrame, depth: int) -> bool:
    """Whether the ends among the children, or the horizon, settle a state."""
    arena = search.arena
    going_on = False
    for child in range(frame.first, frame.first + frame.count):
        if not arena.terminal[child]:
            going_on = True
        elif is_wanted(arena, search.question, child) == frame.attacks:
            frame.answer = 1 if frame.attacks else NEVER
            frame.chosen = child - frame.first
            return True
        elif not frame.attacks:
            frame.answer = 1
    if depth == 1 and going_on:
        frame.answer = HORIZON
    return frame.count == 0 or depth == 1


@inlined
def take_known(frame: ProofFrame, child: int, known: uint64, depth: int) -> int:
    """Takes what is known of a child: 1 where that settles the state, 0 the child alone, -1 neither of them."""
    if known == 0:
        return -1
    if proved_within(known) <= depth - 1 and frame.attacks:
        frame.answer = proved_within(known) + 1
        frame.chosen = child - frame.first
        return 1
    if refuted_within(known) >= depth - 1:
        if frame.attacks:
            frame.answer = max(frame.answer, refutation(known))
            return 0
        frame.answer = refutation(known)
        frame.chosen = child - frame.first
        return 1
    if proved_within(known) <= depth - 1:
        frame.answer = max(frame.answer, proved_within(known) + 1)
        return 0
    return -1


@inlined
def score_of(search: ProofSearch, frame: ProofFrame, child: int, mark: uint64) -> int:
    """How soon a child is tried: the one that settled the state before, then by history."""
    arena = search.arena
    if mark != 0 and mark_of(arena, child) == mark:
        return REMEMBERED
    score = int(search.history[1 if frame.attacks else 0, change(arena, frame.row, child)])
    if search.noise != 0:
        score += int(arena.hashes[child] * search.noise >> 60)
    return score


@inlined
def settled_by_table(search: ProofSearch, frame: ProofFrame, depth: int, mark: uint64) -> bool:
    """Whether what is known of the children settles a state; if not, the open ones are ordered."""
    arena, tag = search.arena, search.question.tag
    end = frame.first + frame.count
    for child in range(frame.first, end):
        if not arena.terminal[child]:
            make_key(arena, child)
            prefetch_bucket(search.table, tagged(arena.hashes[child], tag))
    places = 0
    settled = False
    for child in range(frame.first, end):
        if arena.terminal[child]:
            continue
        known = probe(search.table, arena.keys.row(child), arena.hashes[child], tag)
        search.knowns[child] = known
        search.child_count[child] = -1
        taken = take_known(frame, child, known, depth)
        if taken > 0:
            settled = True
            break
        if taken < 0:
            order, scores = search.order.at(frame.first), search.scores.at(frame.first)
            insert_by_key(order, scores, places, child - frame.first, score_of(search, frame, child, mark))
            places += 1
    frame.count = places
    return settled


@kernel
def enter(search: ProofSearch, frame: ProofFrame, ply: int) -> int:
    """The answer for a state where the table has it; else OPEN, and its children are ordered."""
    arena, row = search.arena, frame.row
    depth = search.depth - ply
    known = search.knowns[row]
    answer = known_answer(known, ply, depth)
    if answer != OPEN:
        return answer
    frame.base = arena.top
    frame.first, frame.count = search.child_first[row], search.child_count[row]
    arena.children += frame.count
    frame.following, frame.started, frame.chosen = 0, arena.nodes, -1
    frame.attacks = attacker_chooses(arena, search.question, frame.first, frame.count)
    frame.answer = NEVER if frame.attacks or frame.count == 0 else 0
    if frame.count == 0:  # somebody cannot move although the match is not over: an end for nobody
        arena.worthless += 1
    if settled_by_ends(search, frame, depth) or settled_by_table(search, frame, depth, best_mark(known)):
        frame.following = frame.count
    return OPEN


@inlined
def back_up(search: ProofSearch, frame: ProofFrame, result: int) -> None:
    """Takes what the last child brought."""
    if frame.attacks and result < 0:
        frame.answer = HORIZON if result == HORIZON else frame.answer
    elif not frame.attacks and result >= 0:
        frame.answer = max(frame.answer, result + 1)
    else:
        frame.answer = result + 1 if frame.attacks else result
        tried = frame.following - 1
        frame.chosen = search.order[frame.first + tried]
        frame.following = frame.count
        learn(search, frame, tried)


@inlined
def learn(search: ProofSearch, frame: ProofFrame, tried: int) -> None:
    """The chosen child gains in history what those before it lose."""
    if tried > 0:
        side = 1 if frame.attacks else 0
        search.history[side, change(search.arena, frame.row, frame.first + frame.chosen)] += tried
        for earlier in range(tried):
            child = frame.first + search.order[frame.first + earlier]
            search.history[side, change(search.arena, frame.row, child)] -= 1


@kernel
def expand_ahead(search: ProofSearch, frame: ProofFrame) -> bool:
    """The first child alone, since it may settle the state; then as many as fill the lanes of one call."""
    arena = search.arena
    left = frame.count - frame.following
    ahead = 1 if frame.following == 0 else min(left, max(1, LANES // (1 + frame.count)))
    copies = arena.top
    if copies + ahead >= arena.rows:
        return False
    siblings = search.order.at(frame.first + frame.following)
    for place in range(ahead):
        source = arena.states.row(frame.first + siblings[place])
        copy_state(source, arena.states.row(copies + place), arena.words)
    begin = copies + ahead
    arena.top = begin
    if expand(arena, copies, ahead) < 0:
        return False
    for place in range(arena.consumed[0]):
        sibling = frame.first + siblings[place]
        search.child_first[sibling] = begin
        while begin < arena.top and arena.parents[begin] == place:
            begin += 1
        search.child_count[sibling] = begin - search.child_first[sibling]
    return True


@inlined
def leave(search: ProofSearch, frame: ProofFrame, ply: int) -> int:
    """Stores the answer for a state, whose children give way."""
    arena, row, answer = search.arena, frame.row, frame.answer
    mark = uint64(0)
    if frame.chosen >= 0 and not arena.terminal[frame.first + frame.chosen]:
        mark = mark_of(arena, frame.first + frame.chosen)
    proved = answer if answer >= 0 else FOR_EVER
    refuted = -1 if answer >= 0 else FOR_EVER if answer == NEVER else search.depth - ply
    work = arena.nodes - frame.started + 1
    tag = search.question.tag
    store(search.table, arena.keys.row(row), arena.hashes[row], tag, proved, refuted, work, mark)
    arena.top = frame.base
    return answer


@inlined
def begin_at_root(search: ProofSearch) -> bool:
    """Expands the state in row 0, which must not be an end; whether there is room."""
    arena, root = search.arena, search.frames[0]
    arena.top = 1
    root.row, root.chosen = 0, -1
    made = expand(arena, 0, 1)
    search.child_first[0], search.child_count[0] = 1, made
    make_key(arena, 0)
    search.knowns[0] = probe(search.table, arena.keys.row(0), arena.hashes[0], search.question.tag)
    return made >= 0


@kernel
def prove(search: ProofSearch) -> int:
    """Within how many moves the question is proved for the state in row 0; or HORIZON, NEVER, or why it stays open.

    The first frame's *chosen* is the attacker's way at the root.
    """
    arena = search.arena
    if not begin_at_root(search):
        return ARENA_FULL
    ply = 0
    entering = True
    while True:
        frame = search.frames[ply]
        result = OPEN
        if entering:
            arena.nodes += 1
            if arena.nodes >= search.node_limit:
                return LIMIT
            if load_relaxed(search.stop, 0) != 0:
                return STOPPED
            result = enter(search, frame, ply)
            entering = False
            if arena.unfit != 0:
                return UNFIT
        if result == OPEN:
            if frame.following < frame.count:
                child = frame.first + search.order[frame.first + frame.following]
                if search.child_count[child] < 0 and not expand_ahead(search, frame):
                    return ARENA_FULL
                frame.following += 1
                ply += 1
                search.frames[ply].row = child
                entering = True
                continue
            result = leave(search, frame, ply)
        if ply == 0:
            return result
        ply -= 1
        back_up(search, search.frames[ply], result)


KERNELS: Final = KernelFamily("prover", (prove,))
