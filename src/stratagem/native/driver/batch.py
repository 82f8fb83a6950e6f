"""The drivers of `batch`: many matches kept as rows, a block of wide rows at a time in the kernel language.

A block holds 64 matches for every word of a wide row: a row for every base, then one row that says which matches are over. Each
function works on the blocks *first* to *last* (exclusive) of a batch of *count* matches, so that threads can share
one.
"""

from __future__ import annotations

from stratagem.kernels import Array, called, count_ones, int16, int32, kernel, uint64
from stratagem.kernels.library.random_numbers import below, mixed
from stratagem.kernels.splitmix import GOLDEN
from stratagem.native.driver.expand import (
    FINAL,
    LEGAL,
    NEXT,
    finals,
    frame_of,
    legal_masks,
    masks_of,
    tables_for,
    workspace,
)
from stratagem.native.driver.game_header import DriverGame
from stratagem.native.driver.primitives import give, run, take
from stratagem.native.driver.rows import clear, copy, flags_of, rows_to_packed, states_to_rows


@kernel
def block_words(game: DriverGame) -> int:
    """The size of a block."""
    return (game.bases + 1) * game.wide


@kernel
def lanes_in(game: DriverGame, number: int, count: int) -> int:
    """How many matches block *number* holds."""
    return min(64 * game.wide, count - 64 * game.wide * number)


@kernel
def note_ends(game: DriverGame, frame: Array[uint64], block: Array[uint64]) -> None:
    """Run the final phase on the states in *frame* and write down which are over."""
    wide = game.wide
    tables = tables_for(game, wide)
    run(tables[FINAL], frame)
    copy(frame.at(game.terminal * wide), block.at(game.bases * wide), wide)


@kernel
def batch_load(
    game: DriverGame, blocks: Array[uint64], first: int, last: int, count: int, states: Array[uint64]
) -> None:
    """Fill the blocks from packed states."""
    wide, width, bases = game.wide, game.words, game.bases
    room = workspace(game)
    frame = frame_of(game, room, wide)
    for number in range(first, last):
        block = blocks.at(number * block_words(game))
        lanes = lanes_in(game, number, count)
        clear(frame, bases * wide)
        own = states.at(64 * wide * number * width)
        states_to_rows(own, width, bases, lanes, frame, wide, frame.at(game.rows * wide))
        copy(frame, block, bases * wide)
        note_ends(game, frame, block)
    give(room)


@kernel
def batch_pack(
    game: DriverGame, blocks: Array[uint64], first: int, last: int, count: int, states: Array[uint64]
) -> None:
    """The matches of the blocks as packed states."""
    wide, width, bases = game.wide, game.words, game.bases
    square = take(64)
    for number in range(first, last):
        block = blocks.at(number * block_words(game))
        own = states.at(64 * wide * number * width)
        rows_to_packed(block, bases, wide, lanes_in(game, number, count), own, width, square)
    give(square)


@kernel
def batch_legal(
    game: DriverGame, blocks: Array[uint64], first: int, last: int, count: int, legal: Array[uint64]
) -> None:
    """The legal moves as masks."""
    wide, bases = game.wide, game.bases
    size = game.roles * game.mask_words
    room = workspace(game)
    frame = frame_of(game, room, wide)
    tables = tables_for(game, wide)
    for number in range(first, last):
        copy(blocks.at(number * block_words(game)), frame, bases * wide)
        run(tables[LEGAL], frame)
        legal_masks(game, frame, wide, lanes_in(game, number, count), legal.at(64 * wide * number * size))
    give(room)


@kernel
def batch_final(
    game: DriverGame,
    blocks: Array[uint64],
    first: int,
    last: int,
    count: int,
    terminal: Array[bool],
    goals: Array[int16],
) -> None:
    """Which matches are over, and the goals."""
    wide, bases = game.wide, game.bases
    room = workspace(game)
    frame = frame_of(game, room, wide)
    tables = tables_for(game, wide)
    for number in range(first, last):
        copy(blocks.at(number * block_words(game)), frame, bases * wide)
        run(tables[FINAL], frame)
        at = 64 * wide * number
        lanes = lanes_in(game, number, count)
        finals(game, frame, wide, lanes, terminal.at(at), goals.at(at * game.roles))
    give(room)


@kernel
def batch_ends(
    game: DriverGame, blocks: Array[uint64], first: int, last: int, count: int, terminal: Array[bool]
) -> None:
    """Which matches are over, as written down."""
    wide, bases = game.wide, game.bases
    for number in range(first, last):
        block = blocks.at(number * block_words(game))
        flags_of(block.at(bases * wide), lanes_in(game, number, count), terminal.at(64 * wide * number))


@called
def go_on(game: DriverGame, frame: Array[uint64], block: Array[uint64], moving: Array[uint64]) -> None:
    """The next states, from the moves set in *frame*; where *moving* is not set a match stays as it is."""
    wide, bases = game.wide, game.bases
    tables = tables_for(game, wide)
    run(tables[NEXT], frame)
    after = frame.at(game.next * wide)
    for base in range(bases):
        for column in range(wide):
            at = base * wide + column
            old = block[at]
            new = old ^ ((after[at] ^ old) & moving[column])
            block[at] = new
            frame[at] = new
    note_ends(game, frame, block)


@kernel
def batch_check(
    game: DriverGame, blocks: Array[uint64], first: int, last: int, count: int, moves: Array[int32]
) -> int:
    """-1 if all moves in matches that are not over are legal, else the number of a match with one that is not."""
    wide, bases, roles = game.wide, game.bases, game.roles
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


@kernel
def batch_step(
    game: DriverGame, blocks: Array[uint64], first: int, last: int, count: int, moves: Array[int32]
) -> None:
    """Make the given moves, which must be legal, in all matches that are not over."""
    wide, bases, roles = game.wide, game.bases, game.roles
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


@called
def moving_lanes(
    game: DriverGame, block: Array[uint64], lanes: int, moves: Array[int32], moving: Array[uint64]
) -> None:
    """The lanes that hold a match which is not over and does not stand still (the move -1)."""
    wide, roles = game.wide, game.roles
    over = block.at(game.bases * wide)
    clear(moving, wide)
    for lane in range(lanes):
        able = ~(over[lane >> 6] >> (lane & 63)) & 1
        for role in range(roles):
            if moves[lane * roles + role] == -1:
                able = uint64(0)
        moving[lane >> 6] |= able << (lane & 63)


@called
def illegal_lane(
    game: DriverGame, frame: Array[uint64], lanes: int, moves: Array[int32], moving: Array[uint64]
) -> int:
    """-1, or a lane whose move is not among the legal ones in *frame*."""
    wide, roles = game.wide, game.roles
    for role in range(roles):
        rows = frame.at(game.role[role].first * wide)
        size = game.role[role].moves
        for lane in range(lanes):
            if moving[lane >> 6] >> (lane & 63) & 1:
                move = moves[lane * roles + role]
                if move < 0 or move >= size:
                    return lane
                if (rows[move * wide + (lane >> 6)] >> (lane & 63) & 1) == 0:
                    return lane
    return -1


@called
def make_moves(
    game: DriverGame, frame: Array[uint64], lanes: int, moves: Array[int32], moving: Array[uint64]
) -> None:
    """The rows of the moves that the lanes make."""
    wide, roles, first = game.wide, game.roles, game.moves
    clear(frame.at(first * wide), (game.terminal - first) * wide)
    for role in range(roles):
        rows = frame.at(game.role[role].first * wide)
        for lane in range(lanes):
            bit = moving[lane >> 6] & (uint64(1) << (lane & 63))
            if bit != 0:
                rows[moves[lane * roles + role] * wide + (lane >> 6)] |= bit


@kernel
def batch_reset(
    game: DriverGame,
    blocks: Array[uint64],
    first: int,
    last: int,
    count: int,
    which: Array[bool],
    state: Array[uint64],
) -> None:
    """Put the matches *which* into the packed state *state*."""
    wide, bases = game.wide, game.bases
    room = workspace(game)
    frame = frame_of(game, room, wide)
    chosen = masks_of(game, room)
    for number in range(first, last):
        block = blocks.at(number * block_words(game))
        own = which.at(64 * wide * number)
        clear(chosen, wide)
        some = False
        for lane in range(lanes_in(game, number, count)):
            some = some or own[lane]
            chosen[lane >> 6] |= uint64(own[lane]) << (lane & 63)
        if some:
            for base in range(bases):
                value = -(state[base >> 6] >> (base & 63) & 1)
                for column in range(wide):
                    old = block[base * wide + column]
                    block[base * wide + column] = old ^ ((old ^ value) & chosen[column])
            copy(block, frame, bases * wide)
            note_ends(game, frame, block)
    give(room)


@called
def nth_one(word: uint64, rank: int) -> int:
    """The place of bit number *rank* among those that are set, by halving, without branches."""
    place = 0
    width = 32
    while width > 0:
        low = count_ones(word >> place & ((uint64(1) << width) - 1))
        right = int(rank >= low)
        rank -= low * right
        place += width * right
        width >>= 1
    return place


@called
def chosen(mask: Array[uint64], words: int, random: uint64) -> int:
    """One of the bits of a mask, uniformly; -1 if there is none."""
    total = 0
    for at in range(words):
        total += count_ones(mask[at])
    if total == 0:
        return -1
    rank = below(random, total)
    for at in range(words):
        here = count_ones(mask[at])
        if rank < here:
            return 64 * at + nth_one(mask[at], rank)
        rank -= here
    return -1


@kernel
def batch_choose(
    game: DriverGame,
    blocks: Array[uint64],
    first: int,
    last: int,
    count: int,
    seed: uint64,
    moves: Array[int32],
) -> None:
    """A uniformly random legal move for every role of every match; -1 where there is none or it is over."""
    wide, bases, roles = game.wide, game.bases, game.roles
    mask_words = game.mask_words
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
                    random = mixed(seed + uint64(place + 1) * GOLDEN)
                    move = chosen(masks.at((lane * roles + role) * mask_words), mask_words, random)
                moves[place] = move
    give(room)
