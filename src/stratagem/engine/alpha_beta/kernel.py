"""The kernel of alpha-beta over packed states: fail-soft, with a table and principal variation search, in one loop.

Values are those of the first role, in hundredths: an evaluation lies within +-5000, an end that is worth most is
WIN less its distance, so that quicker wins are larger and slower losses smaller. The role that has a choice moves; moves
need not alternate, and a forced move costs no depth. A state that comes again on the line counts as even; since wins
and losses come from ends alone, no repetition can ever fake one.

All children of a node are made in one native call. The one that the table remembers comes first, then ends, then the
rest by evaluation, history and killers; before any of them is searched the table is asked whether one is known to be
good enough (enhanced transposition cutoffs, Plaat et al. 1996). Where the children are the horizon, their evaluation is
their value and needs no order.

The recursion is written out as a stack of frames, so that it can be stopped at any node.
"""

from __future__ import annotations

from typing import Final

from stratagem.engine.alpha_beta.evaluator import count_moves, evaluated, settle
from stratagem.engine.alpha_beta.memory import (
    DEEPEST,
    FORCED,
    STOPPED,
    AlphaBetaFrame,
    SharedMemory,
    ThreadMemory,
)
from stratagem.engine.alpha_beta.table import (
    HIGHEST,
    LOWEST,
    SURE,
    WHOLE,
    WIN,
    best_of,
    depth_of,
    from_root,
    from_state,
    high_of,
    keep_bounds,
    low_of,
    remembered_child,
)
from stratagem.kernels import inlined, kernel, load_relaxed, uint64
from stratagem.kernels.library.hashing import copy_state, hash_state
from stratagem.kernels.library.lossy_table import look_up, prefetch_bucket
from stratagem.kernels.translate.family import KernelFamily

OPEN: Final = 1 << 30
"""Instead of a value: the children of a node must be searched."""
FIRST_OF_ALL: Final = 1 << 40
"""The key of the move that the table remembers."""
KILLER: Final = 4000
MOST_HISTORY: Final = 4000


@inlined
def ended(thread: ThreadMemory, row: int, ply: int) -> int:
    """The value of an end, *ply* moves from the root."""
    difference = max(0, thread.goals[row, 0]) - max(0, thread.goals[row, 1])
    if difference >= 100:
        return WIN - ply
    if difference <= -100:
        return ply - WIN
    if thread.goals[row, 0] + thread.goals[row, 1] != 100:
        thread.uneven = True
    return 50 * difference


@inlined
def log_leaf(thread: ThreadMemory, row: int) -> None:
    if thread.logged > 0:
        copy_state(thread.arena.row(row), thread.leaves.row(thread.leaf % thread.logged), thread.words)
        thread.leaf += 1


@inlined
def repeats(thread: ThreadMemory, hashed: uint64, ply: int) -> bool:
    """Whether a state stands on the line already."""
    found = False
    for place in range(ply):
        found = found | (thread.line[place] == hashed)
    return found


@inlined
def probe(shared: SharedMemory, thread: ThreadMemory, frame: AlphaBetaFrame, ply: int) -> tuple[int, int]:
    """The value of a node where the table decides it, or OPEN; and the child that it remembers as the best."""
    known = look_up(shared.table, thread.arena.row(frame.row), thread.hashes[frame.row])
    if known == 0:
        return OPEN, -1
    low, high = from_root(low_of(known), ply), from_root(high_of(known), ply)
    if depth_of(known) < frame.depth:  # then only what is proved counts
        low = low if low > SURE else LOWEST
        high = high if high < -SURE else HIGHEST
    if ply == 0 or (low < frame.beta and high > frame.alpha and low != high):
        return OPEN, best_of(known)
    value = high if high <= frame.alpha else low
    if depth_of(known) < WHOLE and -SURE <= value <= SURE:
        thread.horizon += 1
    return value, best_of(known)


@inlined
def expand(shared: SharedMemory, thread: ThreadMemory, frame: AlphaBetaFrame) -> int:
    """The children of a node, into the arena; how many there are."""
    first = frame.first
    return shared.expand(
        thread.arena.row(frame.row),
        1,
        thread.arena.at(first),
        thread.parents,
        thread.moves.at(first),
        thread.terminal.at(first),
        thread.goals.at(first),
        thread.rows - first,
        thread.consumed,
    )


@inlined
def order(
    shared: SharedMemory, thread: ThreadMemory, frame: AlphaBetaFrame, remembered: int, ply: int
) -> None:
    """Scores the children for the mover, and gives them their keys."""
    first, sign = frame.first, frame.sign
    mover = 0 if sign > 0 else 1
    if not shared.natural:
        count_moves(shared, thread, first, frame.count)
    for row in range(first, first + frame.count):
        thread.order[row] = row
        if thread.terminal[row]:
            score = sign * ended(thread, row, ply + 1)
            thread.scores[row] = score
            thread.keys[row] = score * 4
            continue
        hashed = hash_state(thread.arena.row(row), thread.words)
        thread.hashes[row] = hashed
        # The table is larger than every cache: what is asked for now is there when it is needed.
        prefetch_bucket(shared.table, hashed)
        if shared.natural:
            continue
        score = sign * evaluated(shared.evaluation, thread, row)
        move = thread.moves[row, mover]
        key = score * 4 + min(thread.history[mover, move], MOST_HISTORY)
        if thread.noise != 0:
            key += int((hashed ^ thread.noise) & 255)
        if thread.killers[ply] == move:
            key += KILLER
        thread.scores[row] = score
        thread.keys[row] = key
    if remembered >= 0:
        thread.keys[first + remembered] = FIRST_OF_ALL


@inlined
def known_good(shared: SharedMemory, thread: ThreadMemory, frame: AlphaBetaFrame, ply: int) -> bool:
    """Whether the table knows a child to be good enough for a cut, which is the node's value then."""
    for row in range(frame.first, frame.first + frame.count):
        if thread.terminal[row]:
            continue
        known = look_up(shared.table, thread.arena.row(row), thread.hashes[row])
        if known == 0:
            continue
        bound = low_of(known) if frame.sign > 0 else high_of(known)
        if bound in (LOWEST, HIGHEST):
            continue
        value = frame.sign * from_root(bound, ply + 1)
        if value >= frame.high and (depth_of(known) >= frame.child_depth or value > SURE):
            if depth_of(known) < WHOLE and value <= SURE:
                thread.horizon += 1
            frame.value, frame.best = value, row - frame.first
            return True
    return False


@inlined
def look_at_horizon(shared: SharedMemory, thread: ThreadMemory, frame: AlphaBetaFrame, ply: int) -> None:
    """The best child where all are leaves: of all, since it is the move to try first next time."""
    count_moves(shared, thread, frame.first, frame.count)
    frame.best = 0
    for row in range(frame.first, frame.first + frame.count):
        thread.looked += 1
        log_leaf(thread, row)
        if thread.terminal[row]:
            value = frame.sign * ended(thread, row, ply + 1)
        else:
            value = frame.sign * evaluated(shared.evaluation, thread, row)
            thread.horizon += 1
        if value > frame.value:
            frame.best, frame.value = row - frame.first, value
            if value >= frame.high and shared.natural:
                return


@inlined
def store(shared: SharedMemory, thread: ThreadMemory, frame: AlphaBetaFrame, ply: int) -> int:
    """Remembers what a node turned out to be worth; its value for the first role."""
    value = frame.sign * frame.value
    bound = from_state(value, ply)
    at_least, at_most = frame.value > frame.floor, frame.value < frame.high
    if frame.sign < 0:
        at_least, at_most = at_most, at_least
    low, high = bound if at_least else LOWEST, bound if at_most else HIGHEST
    depth = WHOLE if thread.horizon == frame.horizons else min(max(frame.depth, 0), WHOLE)
    state, hashed = thread.arena.row(frame.row), thread.hashes[frame.row]
    keep_bounds(shared.table, state, hashed, low, high, depth, frame.best, shared.generation)
    return value


@kernel
def enter(shared: SharedMemory, thread: ThreadMemory, ply: int) -> int:
    """The value of a node for the first role where it needs no search of its children, else OPEN."""
    frame = thread.frames[ply]
    thread.looked += 1
    thread.line[ply] = thread.hashes[frame.row]
    value, remembered = probe(shared, thread, frame, ply)
    if value != OPEN:
        return value
    count = expand(shared, thread, frame)
    if count <= 0 or ply + 2 >= DEEPEST:
        thread.horizon += 1
        count_moves(shared, thread, frame.row, 1)
        return evaluated(shared.evaluation, thread, frame.row)
    thread.reached = max(thread.reached, ply + 1)
    last = frame.first + count - 1
    first_moves = thread.moves[frame.first, 0] != thread.moves[last, 0]
    if first_moves and thread.moves[frame.first, 1] != thread.moves[last, 1]:
        thread.simultaneous = True
    frame.count, frame.tried, frame.sign = count, 0, 1 if first_moves else -1
    frame.low = frame.alpha if first_moves else -frame.beta
    frame.high = frame.beta if first_moves else -frame.alpha
    frame.floor = frame.low
    frame.child_depth = frame.depth if count == 1 and ply < FORCED else frame.depth - 1
    frame.horizons = thread.horizon
    frame.value, frame.best = -STOPPED, -1
    if frame.child_depth <= 0:
        look_at_horizon(shared, thread, frame, ply)
        return store(shared, thread, frame, ply)
    order(shared, thread, frame, remembered, ply)
    if ply > 0 and frame.child_depth > 1 and not shared.natural and known_good(shared, thread, frame, ply):
        return store(shared, thread, frame, ply)
    return OPEN


@inlined
def pick(shared: SharedMemory, thread: ThreadMemory, frame: AlphaBetaFrame) -> int:
    """The child to be searched next: of those that are left the one with the largest key."""
    place = frame.first + frame.tried
    if not shared.natural:
        chosen = place
        for other in range(place + 1, frame.first + frame.count):
            if thread.keys[thread.order[other]] > thread.keys[thread.order[chosen]]:
                chosen = other
        thread.order[place], thread.order[chosen] = thread.order[chosen], thread.order[place]
    return thread.order[place]


@inlined
def settled(thread: ThreadMemory, child: int, ply: int) -> int:
    """The value of a child for the mover where it is an end or a repetition, else OPEN."""
    if thread.terminal[child]:
        thread.looked += 1
        log_leaf(thread, child)
        return thread.scores[child]
    if ply > 0 and repeats(thread, thread.hashes[child], ply + 1):
        thread.looked += 1
        thread.horizon += 1  # true on this line only
        return 0
    return OPEN


@inlined
def set_window(frame: AlphaBetaFrame, child: AlphaBetaFrame, high: int) -> None:
    """The window of a child, up to *high* for the mover."""
    child.alpha = frame.low if frame.sign > 0 else -high
    child.beta = high if frame.sign > 0 else -frame.low


@inlined
def descend(thread: ThreadMemory, frame: AlphaBetaFrame, child: int, ply: int) -> None:
    """Prepares the search of a child: of the first with the whole window, of the others with an empty one."""
    frame.full = frame.tried == 0 or frame.high - frame.low <= 1
    below = thread.frames[ply + 1]
    below.row, below.first, below.depth = child, frame.first + frame.count, frame.child_depth
    set_window(frame, below, frame.high if frame.full else frame.low + 1)


@inlined
def back_up(
    shared: SharedMemory, thread: ThreadMemory, frame: AlphaBetaFrame, child: int, value: int, ply: int
) -> int:
    """Takes a child's value for the mover: the value of the node where it is done with that, else OPEN."""
    if value > frame.value:
        frame.value, frame.best = value, child - frame.first
    frame.low = max(frame.low, value)
    frame.tried += 1
    if frame.low >= frame.high:
        mover = 0 if frame.sign > 0 else 1
        move = thread.moves[child, mover]
        thread.killers[ply] = move
        thread.history[mover, move] += frame.depth * frame.depth
    elif frame.tried < frame.count:
        return OPEN
    return store(shared, thread, frame, ply)


@inlined
def advance(shared: SharedMemory, thread: ThreadMemory, frame: AlphaBetaFrame, ply: int) -> int:
    """Tries children until one must be searched, whose frame is ready then (OPEN), or the node has its value."""
    value = OPEN
    while value == OPEN:
        child = pick(shared, thread, frame)
        found = settled(thread, child, ply)
        if found == OPEN:
            descend(thread, frame, child, ply)
            return OPEN
        value = back_up(shared, thread, frame, child, found, ply)
    return value


@inlined
def search_again(frame: AlphaBetaFrame, child: AlphaBetaFrame, value: int) -> bool:
    """Whether a child was better than its empty window had room for: then it gets the whole one."""
    if frame.full or not frame.low < value < frame.high:
        return False
    frame.full = True
    set_window(frame, child, frame.high)
    return True


@kernel
def search(shared: SharedMemory, thread: ThreadMemory, depth: int, alpha: int, beta: int) -> int:
    """The value of the state in row 0 for the first role, *depth* plies deep; STOPPED where it was stopped."""
    thread.hashes[0] = hash_state(thread.arena.row(0), thread.words)
    root = thread.frames[0]
    root.row, root.first, root.depth, root.alpha, root.beta = 0, 1, depth, alpha, beta
    ply = 0
    while True:
        if load_relaxed(thread.stop, 0) != 0:
            return STOPPED
        value = enter(shared, thread, ply)
        if value == OPEN:
            value = advance(shared, thread, thread.frames[ply], ply)
        while value != OPEN:  # back to a node with a child that must be searched
            if ply == 0:
                return value
            ply -= 1
            frame = thread.frames[ply]
            found = frame.sign * value
            value = OPEN
            if not search_again(frame, thread.frames[ply + 1], found):
                child = thread.order[frame.first + frame.tried]
                value = back_up(shared, thread, frame, child, found, ply)
                if value == OPEN:
                    value = advance(shared, thread, frame, ply)
        ply += 1


KERNELS: Final = KernelFamily("alpha-beta", (search, settle, remembered_child))
