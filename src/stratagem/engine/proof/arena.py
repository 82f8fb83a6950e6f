"""The arena of both provers: the states on a line of play, their children, and the question asked.

States that symmetries of the rules turn into each other are one: the least of them, word by word, is the key of all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from stratagem.errors import UnsuitableGame
from stratagem.kernels import Array, Record, dims, inlined, int16, int32, kernel, size, uint64
from stratagem.kernels.library.game_functions import Expand
from stratagem.kernels.library.hashing import copy_state, hash_state, less_state

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from stratagem.gdl.terms import Term
    from stratagem.native.compiled import CompiledGame

FIRST_ARENA_ROWS = 1 << 14
SIMULTANEOUS: Final = 1
NOT_ZERO_SUM: Final = 2


class Question(Record):
    """Does *attacker* force an end with a goal of at least (or at most) *bound* for *goal_role*?"""

    attacker: int = 0
    at_least: bool = False
    goal_role: int = 0
    bound: int = 0
    tag: int = 0
    """Names the question in the table, from 1 to 255."""


class Arena(Record):
    """The memory of one thread, used like a stack from row 0, the root, to row *top*; and what it has counted."""

    rows: int = size()
    words: int = size()
    roles: int = size()
    symmetries: int = size()
    bytes: int = size()
    states: Array[uint64] = dims("rows", "words")
    keys: Array[uint64] = dims("rows", "words")
    hashes: Array[uint64] = dims("rows")
    """Of the keys."""
    parents: Array[int32] = dims("rows")
    moves: Array[int32] = dims("rows", "roles")
    terminal: Array[bool] = dims("rows")
    goals: Array[int16] = dims("rows", "roles")
    images: Array[uint64] = dims("symmetries", "bytes", 256, "words")
    image: Array[uint64] = dims("words")
    consumed: Array[int] = dims(1)
    expand: Expand
    top: int = 0
    nodes: int = 0
    children: int = 0
    worthless: int = 0
    """Ends that give the role no goal, or more than one, and states in which somebody cannot move although the match is
    not over: there no refutation is the other side's proof."""
    total: int = -1
    """What the goals of both roles add up to at the ends met; -1 before the first."""
    unfit: int = 0
    """Why AND/OR search does not apply: SIMULTANEOUS where both roles had a choice, NOT_ZERO_SUM where two ends had
    different totals."""


@inlined
def expand(arena: Arena, first: int, count: int) -> int:
    """The children of *count* states from row *first* on go on top: how many there are, -1 where there is no room."""
    top = arena.top
    made = arena.expand(
        arena.states.at(first), count, arena.states.at(top), arena.parents.at(top), arena.moves.at(top),
        arena.terminal.at(top), arena.goals.at(top), arena.rows - top, arena.consumed,
    )  # fmt: skip
    if made < 0 or arena.consumed[0] == 0:
        return -1
    arena.top = top + made
    return made


@kernel
def make_key(arena: Arena, row: int) -> None:
    """The least image of a state under the symmetries, and its hash."""
    state, key, words = arena.states.row(row), arena.keys.row(row), arena.words
    copy_state(state, key, words)
    for symmetry in range(arena.symmetries):
        make_image(arena, symmetry, state)
        if less_state(arena.image, key, words):
            copy_state(arena.image, key, words)
    arena.hashes[row] = hash_state(key, words)


@inlined
def make_image(arena: Arena, symmetry: int, state: Array[uint64]) -> None:
    """The image of a state under a symmetry, byte by byte."""
    for word in range(arena.words):
        arena.image[word] = 0
    for word in range(arena.words):
        rest = state[word]
        for byte in range(8):
            if rest == 0:
                break
            part = int(rest & 255)
            rest >>= 8
            if part != 0:
                for to in range(arena.words):
                    arena.image[to] |= arena.images[symmetry, 8 * word + byte, part, to]


@inlined
def attacker_chooses(arena: Arena, question: Question, first: int, count: int) -> bool:
    """Whether these children differ in the attacker's move; notes it where they differ in the other role's too.

    Joint moves are in lexicographic order, so the first and the last differ in the move of every role that has a choice.
    """
    if count < 2:
        return False
    last = first + count - 1
    attacks = arena.moves[last, question.attacker] != arena.moves[first, question.attacker]
    if attacks and arena.roles == 2:
        other = 1 - question.attacker
        if arena.moves[last, other] != arena.moves[first, other]:
            arena.unfit = SIMULTANEOUS
    return attacks


@inlined
def add_up(arena: Arena, end: int) -> None:
    """Compares what the goals of an end add up to with the ends before."""
    total = int(arena.goals[end, 0]) + int(arena.goals[end, 1])
    if arena.total < 0:
        arena.total = total
    elif arena.total != total:
        arena.unfit = NOT_ZERO_SUM


@inlined
def is_wanted(arena: Arena, question: Question, end: int) -> bool:
    """Whether a terminal state is what the attacker wants."""
    goal = arena.goals[end, question.goal_role]
    if goal < 0:
        arena.worthless += 1
        return False
    if arena.roles == 2 and arena.goals[end, 1 - question.goal_role] >= 0:
        add_up(arena, end)
    return goal >= question.bound if question.at_least else goal <= question.bound


def require_fit(arenas: Iterable[Arena]) -> None:
    """Refuses a game in which the searches on *arenas* met what AND/OR search does not cover."""
    arenas = list(arenas)
    if any(arena.unfit == SIMULTANEOUS for arena in arenas):
        raise UnsuitableGame(
            "both roles have a choice in the same state",
            hint="proofs need players who take turns; --method space does not",
        )
    totals = {arena.total for arena in arenas if arena.total >= 0}
    if len(totals) > 1 or any(arena.unfit == NOT_ZERO_SUM for arena in arenas):
        raise UnsuitableGame(
            "the goals do not add up to the same in every terminal state",
            hint="proofs need a zero-sum game; --method space does not",
        )


def new_arena(compiled: CompiledGame, images: NDArray[np.uint64]) -> Arena:
    """An empty arena for one game."""
    return Arena(
        **_rows_of(FIRST_ARENA_ROWS, compiled.words, len(compiled.roles)),
        images=images,
        image=np.zeros(compiled.words, np.uint64),
        consumed=np.zeros(1, np.int64),
        expand=compiled.expand_address,
    )


def enlarge(arena: Arena) -> None:
    """Twice the rows, all of them empty."""
    arena.put(**_rows_of(2 * arena.rows, arena.words, arena.roles))


def _rows_of(rows: int, words: int, roles: int) -> dict[str, object]:
    return {
        "states": np.empty((rows, words), np.uint64),
        "keys": np.empty((rows, words), np.uint64),
        "hashes": np.empty(rows, np.uint64),
        "parents": np.empty(rows, np.int32),
        "moves": np.empty((rows, roles), np.int32),
        "terminal": np.empty(rows, np.bool_),
        "goals": np.empty((rows, roles), np.int16),
    }


def images_of(
    bases: Sequence[Term], exchanges: Sequence[Mapping[Term, Term]], words: int
) -> NDArray[np.uint64]:
    """What each symmetry makes of each byte of a state: [symmetries, bytes, 256, words]."""
    places = {term: place for place, term in enumerate(bases)}
    images = np.zeros((len(exchanges), 8 * words, 256, words), np.uint64)
    for number, exchange in enumerate(exchanges):
        for term, place in places.items():
            to = places[exchange[term]]
            with_bit = (np.arange(256) >> (place % 8)) & 1 == 1
            images[number, place // 8, with_bit, to // 64] |= np.uint64(1 << (to % 64))
    return images
