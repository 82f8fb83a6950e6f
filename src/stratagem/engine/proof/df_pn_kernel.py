"""The kernel of depth-first proof-number search (Nagai, 2002), over packed states and without recursion.

Every state has a proof number (how many ends must still turn out well, at least, for the attacker) and a disproof
number. At the attacker's states they are the least proof number and the sum of the disproof numbers of the children,
elsewhere the other way round. The search stays below a state as long as its numbers are under the thresholds that
it was given, that is as long as the next thing to look at is still there.

A state that is already on the line counts as a failure of the attacker. So a proof never rests on a repetition; a
refutation may, and the caller is told.

    row of the table     the words of a state | question 8, effort 56 bits | proof number 32, disproof number 32 bits
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
from stratagem.engine.proof.table import find, tagged
from stratagem.kernels import Array, Record, dims, inlined, kernel, load_relaxed, size, uint64
from stratagem.kernels.library.lossy_table import LossyTable, bucket_of, write_row
from stratagem.kernels.translate.family import KernelFamily

INFINITE: Final = 1 << 30
PROVED, REFUTED, UNKNOWN, STOPPED, ARENA_FULL, LIMIT, UNFIT = range(7)
DEEPEST: Final = 4000


class DfPnFrame(Record):
    """A node on the line that is searched, with the thresholds below which the search stays there."""

    row: int
    first: int
    count: int
    attacks: bool
    """Whether the attacker has the choice: an OR node."""
    most_proof: int
    most_disproof: int
    started: int


class DfPnSearch(Record):
    """A search with its memory. Row 0 of the arena is the root: its numbers tell how far the search came."""

    rows: int = size()
    plies: int = size()
    arena: Arena
    proofs: Array[int] = dims("rows")
    disproofs: Array[int] = dims("rows")
    frames: Array[DfPnFrame] = dims("plies")
    line: Array[uint64] = dims("plies")
    """The hashes of the states of the frames."""
    table: LossyTable
    question: Question
    stop: Array[int] = dims(1)
    node_limit: int = 0
    place: int = -1
    """The number of the root's child that is most worth looking at."""
    repeated: int = 0
    """Repetitions met."""


@inlined
def settle(search: DfPnSearch, row: int, proved: bool) -> None:
    search.proofs[row] = 0 if proved else INFINITE
    search.disproofs[row] = INFINITE if proved else 0


@inlined
def repeats(search: DfPnSearch, ply: int, hashed: uint64) -> bool:
    """Whether a state is on the line already; where a line grows too long its next state counts as a repetition."""
    found = ply + 2 >= DEEPEST
    for before in range(ply + 1):
        if search.line[before] == hashed:
            found = True
    return found


@kernel
def first_numbers(search: DfPnSearch, ply: int, child: int) -> None:
    """The numbers of a child at first: an end or a repetition is settled, others are known from the table, or 1 and 1."""
    arena, table = search.arena, search.table
    if arena.terminal[child]:
        settle(search, child, is_wanted(arena, search.question, child))
        return
    make_key(arena, child)
    hashed = arena.hashes[child]
    if repeats(search, ply, hashed):
        search.repeated += 1
        settle(search, child, False)
        return
    row, _ = find(table, arena.keys.row(child), hashed, search.question.tag)
    if row >= 0:
        numbers = table.rows[row, table.words + 1]
        search.proofs[child], search.disproofs[child] = int(numbers >> 32), int(numbers & 0xFFFFFFFF)
    else:
        search.proofs[child], search.disproofs[child] = 1, 1


@kernel
def enter(search: DfPnSearch, frame: DfPnFrame, ply: int) -> bool:
    """Expands a state and gives its children their first numbers; whether there is room."""
    arena = search.arena
    frame.first, frame.started = arena.top, arena.nodes
    frame.count = expand(arena, frame.row, 1)
    if frame.count < 0:
        return False
    arena.children += frame.count
    frame.attacks = attacker_chooses(arena, search.question, frame.first, frame.count)
    search.line[ply] = arena.hashes[frame.row]
    for child in range(frame.first, frame.first + frame.count):
        first_numbers(search, ply, child)
    return True


@inlined
def back_up(search: DfPnSearch, frame: DfPnFrame) -> tuple[int, int]:
    """The numbers of a state from its children's; the child most worth looking at, and the number of the second best."""
    least, second, total, best = INFINITE, INFINITE, 0, -1
    own = search.proofs if frame.attacks else search.disproofs
    other = search.disproofs if frame.attacks else search.proofs
    for child in range(frame.first, frame.first + frame.count):
        number = own[child]
        total += other[child]
        if number < least:
            least, second, best = number, least, child
        elif number < second:
            second = number
    if frame.count == 0:  # somebody cannot move: no end, so nothing for the attacker
        search.arena.worthless += 1
        settle(search, frame.row, False)
    else:
        own[frame.row], other[frame.row] = least, min(total, INFINITE)
    return best, second


@inlined
def goes_on(search: DfPnSearch, frame: DfPnFrame) -> bool:
    """Whether the numbers of a state are open, and under its thresholds."""
    return (
        0 < search.proofs[frame.row] < frame.most_proof
        and 0 < search.disproofs[frame.row] < frame.most_disproof
    )


@inlined
def descend(search: DfPnSearch, frame: DfPnFrame, below: DfPnFrame, best: int, second: int) -> None:
    """The thresholds of the best child: as long as it is best, and its parent under its own thresholds."""
    # A quarter more than the second best, so that the search does not run to and fro.
    further = min(INFINITE, second + second // 4 + 1)
    proof, disproof = search.proofs[frame.row], search.disproofs[frame.row]
    if frame.attacks:
        below.most_proof = min(frame.most_proof, further)
        below.most_disproof = min(INFINITE, frame.most_disproof - disproof + search.disproofs[best])
    else:
        below.most_disproof = min(frame.most_disproof, further)
        below.most_proof = min(INFINITE, frame.most_proof - proof + search.proofs[best])
    below.row = best


@kernel
def leave(search: DfPnSearch, frame: DfPnFrame) -> None:
    """Stores the numbers of a state, whose children give way; of four rows of the table the one that cost least goes."""
    arena, table, tag = search.arena, search.table, search.question.tag
    key, hashed = arena.keys.row(frame.row), arena.hashes[frame.row]
    row, known = find(table, key, hashed, tag)
    if row < 0:
        first = bucket_of(table, tagged(hashed, tag))
        row = first
        for other in range(first + 1, first + table.bucket):
            if table.rows[other, table.words] >> 8 < table.rows[row, table.words] >> 8:
                row = other
        known = uint64(tag)
    work = arena.nodes - frame.started + 1
    write_row(table, row, key, known + (uint64(work) << 8))
    numbers = uint64(search.proofs[frame.row]) << 32 | uint64(search.disproofs[frame.row])
    table.rows[row, table.words + 1] = numbers
    arena.top = frame.first


@inlined
def begin_at_root(search: DfPnSearch) -> None:
    """The state in row 0, which must not be an end, is searched until it is settled."""
    root = search.frames[0]
    root.row, root.most_proof, root.most_disproof = 0, INFINITE, INFINITE
    search.arena.top = 1
    make_key(search.arena, 0)


@kernel
def df_pn(search: DfPnSearch) -> int:
    """PROVED or REFUTED, or why it stays open; after LIMIT the table keeps what was found."""
    arena = search.arena
    begin_at_root(search)
    ply = 0
    entering = True
    while True:
        frame = search.frames[ply]
        if entering:
            arena.nodes += 1
            if load_relaxed(search.stop, 0) != 0:
                return STOPPED
            if arena.nodes > search.node_limit:
                return LIMIT
            if not enter(search, frame, ply):
                return ARENA_FULL
            if arena.unfit != 0:
                return UNFIT
        best, second = back_up(search, frame)
        if ply == 0:
            search.place = best - frame.first if best >= 0 else -1
        entering = goes_on(search, frame)
        if entering:
            ply += 1
            descend(search, frame, search.frames[ply], best, second)
            continue
        leave(search, frame)
        if ply == 0:
            break
        ply -= 1
    return PROVED if search.proofs[0] == 0 else REFUTED if search.disproofs[0] == 0 else UNKNOWN


KERNELS: Final = KernelFamily("df-pn", (df_pn,))
