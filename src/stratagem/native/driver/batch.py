"""The drivers of `batch`: many matches kept as rows, a block of wide rows at a time in the kernel language.

A block holds 64 times GAME_WIDE matches: a row for every base, then one row that says which matches are over. Each
function works on the blocks *first* to *last* (exclusive) of a batch of *count* matches, so that threads can share
one.
"""

from __future__ import annotations

from typing import Final

from stratagem.kernels.checked_memory import Flags, Numbers, Scores, Words, count_ones, give, take
from stratagem.native.driver.expand import (
    FINAL,
    GAME_BASES,
    GAME_MASK_WORDS,
    GAME_MOVES,
    GAME_NEXT,
    GAME_ROLE_DATA,
    GAME_ROLES,
    GAME_ROWS,
    GAME_TERMINAL,
    GAME_WIDE,
    GAME_WORDS,
    LEGAL,
    NEXT,
    ROLE_FIRST,
    ROLE_MOVES,
    ROLE_SIZE,
    finals,
    frame_of,
    legal_masks,
    masks_of,
    tables_for,
    workspace,
)
from stratagem.native.driver.rows import clear, copy, flags_of, rows_to_packed, states_to_rows
from stratagem.native.driver.run_phase import run

GOLDEN: Final = 0x9E3779B97F4A7C15
FIRST_FACTOR: Final = 0xBF58476D1CE4E5B9
SECOND_FACTOR: Final = 0x94D049BB133111EB


def block_words(game: Words) -> int:
    """The size of a block."""
    return (game[GAME_BASES] + 1) * game[GAME_WIDE]


def lanes_in(game: Words, number: int, count: int) -> int:
    """How many matches block *number* holds."""
    return min(64 * game[GAME_WIDE], count - 64 * game[GAME_WIDE] * number)


def note_ends(game: Words, frame: Words, block: Words) -> None:
    """Run the final phase on the states in *frame* and write down which are over."""
    wide = game[GAME_WIDE]
    tables = tables_for(game, wide)
    run(tables[FINAL], frame)
    copy(frame.at(game[GAME_TERMINAL] * wide), block.at(game[GAME_BASES] * wide), wide)


def batch_load(game: Words, blocks: Words, first: int, last: int, count: int, states: Words) -> None:
    """Fill the blocks from packed states."""
    wide, width, bases = game[GAME_WIDE], game[GAME_WORDS], game[GAME_BASES]
    room = workspace(game)
    frame = frame_of(game, room, wide)
    for number in range(first, last):
        block = blocks.at(number * block_words(game))
        lanes = lanes_in(game, number, count)
        clear(frame, bases * wide)
        own = states.at(64 * wide * number * width)
        states_to_rows(own, width, bases, lanes, frame, wide, frame.at(game[GAME_ROWS] * wide))
        copy(frame, block, bases * wide)
        note_ends(game, frame, block)
    give(room)


def batch_pack(game: Words, blocks: Words, first: int, last: int, count: int, states: Words) -> None:
    """The matches of the blocks as packed states."""
    wide, width, bases = game[GAME_WIDE], game[GAME_WORDS], game[GAME_BASES]
    square = take(64)
    for number in range(first, last):
        block = blocks.at(number * block_words(game))
        own = states.at(64 * wide * number * width)
        rows_to_packed(block, bases, wide, lanes_in(game, number, count), own, width, square)
    give(square)


def batch_legal(game: Words, blocks: Words, first: int, last: int, count: int, legal: Words) -> None:
    """The legal moves as masks."""
    wide, bases = game[GAME_WIDE], game[GAME_BASES]
    size = game[GAME_ROLES] * game[GAME_MASK_WORDS]
    room = workspace(game)
    frame = frame_of(game, room, wide)
    tables = tables_for(game, wide)
    for number in range(first, last):
        copy(blocks.at(number * block_words(game)), frame, bases * wide)
        run(tables[LEGAL], frame)
        legal_masks(game, frame, wide, lanes_in(game, number, count), legal.at(64 * wide * number * size))
    give(room)


def batch_final(
    game: Words, blocks: Words, first: int, last: int, count: int, terminal: Flags, goals: Scores
) -> None:
    """Which matches are over, and the goals."""
    wide, bases = game[GAME_WIDE], game[GAME_BASES]
    room = workspace(game)
    frame = frame_of(game, room, wide)
    tables = tables_for(game, wide)
    for number in range(first, last):
        copy(blocks.at(number * block_words(game)), frame, bases * wide)
        run(tables[FINAL], frame)
        at = 64 * wide * number
        lanes = lanes_in(game, number, count)
        finals(game, frame, wide, lanes, terminal.at(at), goals.at(at * game[GAME_ROLES]))
    give(room)


def batch_ends(game: Words, blocks: Words, first: int, last: int, count: int, terminal: Flags) -> None:
    """Which matches are over, as written down."""
    wide, bases = game[GAME_WIDE], game[GAME_BASES]
    for number in range(first, last):
        block = blocks.at(number * block_words(game))
        flags_of(block.at(bases * wide), lanes_in(game, number, count), terminal.at(64 * wide * number))


def go_on(game: Words, frame: Words, block: Words, moving: Words) -> None:
    """The next states, from the moves set in *frame*; where *moving* is not set a match stays as it is."""
    wide, bases = game[GAME_WIDE], game[GAME_BASES]
    tables = tables_for(game, wide)
    run(tables[NEXT], frame)
    after = frame.at(game[GAME_NEXT] * wide)
    for base in range(bases):
        for column in range(wide):
            at = base * wide + column
            old = block[at]
            new = old ^ ((after[at] ^ old) & moving[column])
            block[at] = new
            frame[at] = new
    note_ends(game, frame, block)


def batch_check(game: Words, blocks: Words, first: int, last: int, count: int, moves: Numbers) -> int:
    """-1 if all moves in matches that are not over are legal, else the number of a match with one that is not."""
    wide, bases, roles = game[GAME_WIDE], game[GAME_BASES], game[GAME_ROLES]
    room = workspace(game)
    frame = frame_of(game, room, wide)
    moving = masks_of(game, room)
    tables = tables_for(game, wide)
    wrong = -1
    for number in range(first, last):
        block = blocks.at(number * block_words(game))
        lanes = lanes_in(game, number, count)
        own = moves.at(64 * wide * number * roles)
        copy(block, frame, bases * wide)
        run(tables[LEGAL], frame)
        moving_lanes(game, block, lanes, own, moving)
        wrong = illegal_lane(game, frame, lanes, own, moving)
        if wrong >= 0:
            wrong += 64 * wide * number
            break
    give(room)
    return wrong


def batch_step(game: Words, blocks: Words, first: int, last: int, count: int, moves: Numbers) -> None:
    """Make the given moves, which must be legal, in all matches that are not over."""
    wide, bases, roles = game[GAME_WIDE], game[GAME_BASES], game[GAME_ROLES]
    room = workspace(game)
    frame = frame_of(game, room, wide)
    moving = masks_of(game, room)
    for number in range(first, last):
        block = blocks.at(number * block_words(game))
        lanes = lanes_in(game, number, count)
        own = moves.at(64 * wide * number * roles)
        copy(block, frame, bases * wide)
        moving_lanes(game, block, lanes, own, moving)
        make_moves(game, frame, lanes, own, moving)
        go_on(game, frame, block, moving)
    give(room)


def moving_lanes(game: Words, block: Words, lanes: int, moves: Numbers, moving: Words) -> None:
    """The lanes that hold a match which is not over and does not stand still (the move -1)."""
    wide, roles = game[GAME_WIDE], game[GAME_ROLES]
    over = block.at(game[GAME_BASES] * wide)
    clear(moving, wide)
    for lane in range(lanes):
        able = ~(over[lane >> 6] >> (lane & 63)) & 1
        for role in range(roles):
            if moves[lane * roles + role] == -1:
                able = 0
        moving[lane >> 6] |= able << (lane & 63)


def illegal_lane(game: Words, frame: Words, lanes: int, moves: Numbers, moving: Words) -> int:
    """-1, or a lane whose move is not among the legal ones in *frame*."""
    wide, roles = game[GAME_WIDE], game[GAME_ROLES]
    data = Words(game[GAME_ROLE_DATA])
    for role in range(roles):
        rows = frame.at(data[role * ROLE_SIZE + ROLE_FIRST] * wide)
        size = data[role * ROLE_SIZE + ROLE_MOVES]
        for lane in range(lanes):
            if moving[lane >> 6] >> (lane & 63) & 1:
                move = moves[lane * roles + role]
                if move < 0 or move >= size:
                    return lane
                if (rows[move * wide + (lane >> 6)] >> (lane & 63) & 1) == 0:
                    return lane
    return -1


def make_moves(game: Words, frame: Words, lanes: int, moves: Numbers, moving: Words) -> None:
    """The rows of the moves that the lanes make."""
    wide, roles, first = game[GAME_WIDE], game[GAME_ROLES], game[GAME_MOVES]
    data = Words(game[GAME_ROLE_DATA])
    clear(frame.at(first * wide), (game[GAME_TERMINAL] - first) * wide)
    for role in range(roles):
        rows = frame.at(data[role * ROLE_SIZE + ROLE_FIRST] * wide)
        for lane in range(lanes):
            bit = moving[lane >> 6] & (1 << (lane & 63))
            if bit != 0:
                rows[moves[lane * roles + role] * wide + (lane >> 6)] |= bit


def batch_reset(
    game: Words, blocks: Words, first: int, last: int, count: int, which: Flags, state: Words
) -> None:
    """Put the matches *which* into the packed state *state*."""
    wide, bases = game[GAME_WIDE], game[GAME_BASES]
    room = workspace(game)
    frame = frame_of(game, room, wide)
    chosen = masks_of(game, room)
    for number in range(first, last):
        block = blocks.at(number * block_words(game))
        own = which.at(64 * wide * number)
        clear(chosen, wide)
        some = 0
        for lane in range(lanes_in(game, number, count)):
            some |= own[lane]
            chosen[lane >> 6] |= own[lane] << (lane & 63)
        if some != 0:
            for base in range(bases):
                value = -(state[base >> 6] >> (base & 63) & 1)
                for column in range(wide):
                    old = block[base * wide + column]
                    block[base * wide + column] = old ^ ((old ^ value) & chosen[column])
            copy(block, frame, bases * wide)
            note_ends(game, frame, block)
    give(room)


def mixed(word: int) -> int:
    """SplitMix64's finalizer (Steele et al., 2014)."""
    word = (word ^ (word >> 30)) * FIRST_FACTOR & 0xFFFFFFFFFFFFFFFF
    word = (word ^ (word >> 27)) * SECOND_FACTOR & 0xFFFFFFFFFFFFFFFF
    return word ^ (word >> 31)


def nth_one(word: int, rank: int) -> int:
    """The place of bit number *rank* among those that are set, by halving, without branches."""
    place = 0
    width = 32
    while width > 0:
        low = count_ones(word >> place & ((1 << width) - 1))
        right = rank >= low
        rank -= low * right
        place += width * right
        width >>= 1
    return place


def chosen(mask: Words, words: int, random: int) -> int:
    """One of the bits of a mask, uniformly; -1 if there is none."""
    total = 0
    for at in range(words):
        total += count_ones(mask[at])
    if total == 0:
        return -1
    rank = (random >> 32) * total >> 32
    for at in range(words):
        here = count_ones(mask[at])
        if rank < here:
            return 64 * at + nth_one(mask[at], rank)
        rank -= here
    return -1


def batch_choose(
    game: Words, blocks: Words, first: int, last: int, count: int, seed: int, moves: Numbers
) -> None:
    """A uniformly random legal move for every role of every match; -1 where there is none or it is over."""
    wide, bases, roles = game[GAME_WIDE], game[GAME_BASES], game[GAME_ROLES]
    mask_words = game[GAME_MASK_WORDS]
    room = workspace(game)
    frame = frame_of(game, room, wide)
    masks = masks_of(game, room)
    tables = tables_for(game, wide)
    for number in range(first, last):
        block = blocks.at(number * block_words(game))
        over = block.at(bases * wide)
        lanes = lanes_in(game, number, count)
        at = 64 * wide * number
        copy(block, frame, bases * wide)
        run(tables[LEGAL], frame)
        legal_masks(game, frame, wide, lanes, masks)
        for lane in range(lanes):
            ended = over[lane >> 6] >> (lane & 63) & 1
            for role in range(roles):
                place = (at + lane) * roles + role
                move = -1
                if ended == 0:
                    random = mixed(seed + (place + 1) * GOLDEN & 0xFFFFFFFFFFFFFFFF)
                    move = chosen(masks.at((lane * roles + role) * mask_words), mask_words, random)
                moves[place] = move
    give(room)
