"""The drivers of `batch` that change it: many matches kept as rows, a block of wide rows at a time.

Each function works on the blocks *first* to *last* (exclusive) of a batch of *count* matches, so that threads can share
one. A step reads *blocks* and writes *after*: a caller that refuses it keeps the old ones.
"""

from __future__ import annotations

from typing import Final

from stratagem.kernels import Array, called, count_ones, inlined, int32, kernel, lowest_one, uint64
from stratagem.kernels.library.random_numbers import below, mixed
from stratagem.kernels.splitmix import GOLDEN
from stratagem.native.driver.blocks import (
    block_words,
    choosing,
    ended_row,
    lanes_in,
    note_view,
    refused_row,
    view_row,
)
from stratagem.native.driver.expand import NEXT, frame_of, masks_of, tables_for, workspace
from stratagem.native.driver.game_header import DriverGame
from stratagem.native.driver.primitives import give, run, take
from stratagem.native.driver.rows import clear, copy, rows_to_packed, states_to_rows

FORCED: Final = -1
"""The action of a role that has one legal move: that move."""
EVERYBODY: Final = -1
"""In the place of a role: random moves are made for every role with a choice."""


@kernel
def batch_load(
    game: DriverGame, blocks: Array[uint64], first: int, last: int, count: int, states: Array[uint64]
) -> None:
    """Fill the blocks from packed states."""
    wide, width, bases = game.wide, game.words, game.bases
    room = workspace(game)
    frame = frame_of(game, room, wide)
    clear(frame.at(game.moves * wide), (game.terminal - game.moves) * wide)
    for number in range(first, last):
        block = blocks.at(number * block_words(game))
        lanes = lanes_in(game, number, count)
        own = states.at(64 * wide * number * width)
        states_to_rows(own, width, bases, lanes, frame, wide, frame.at(game.rows * wide))
        copy(frame, block, bases * wide)
        note_view(game, frame, block)
        clear(ended_row(game, block), 2 * wide)
    give(room)


@kernel
def batch_reset(
    game: DriverGame,
    blocks: Array[uint64],
    first: int,
    last: int,
    count: int,
    which: Array[bool],
    start: Array[uint64],
) -> None:
    """Put the matches *which* where the first match of the block *start* is."""
    wide = game.wide
    room = take(8)
    for number in range(first, last):
        block = blocks.at(number * block_words(game))
        if lanes_of(which.at(64 * wide * number), lanes_in(game, number, count), wide, room):
            rows = block_words(game) // wide - 2
            for row in range(rows):
                value = -(start[row * wide] & 1)
                for column in range(wide):
                    old = block[row * wide + column]
                    block[row * wide + column] = old ^ ((old ^ value) & room[column])
            for column in range(2 * wide):
                block[rows * wide + column] &= ~room[column % wide]
    give(room)


@called
def lanes_of(flags: Array[bool], lanes: int, wide: int, row: Array[uint64]) -> bool:
    """The *row* of one bit for each flag; whether there is any."""
    clear(row, wide)
    some = uint64(0)
    for lane in range(lanes):
        bit = uint64(flags[lane]) << (lane & 63)
        row[lane >> 6] |= bit
        some |= bit
    return some != 0


@called
def set_actions(
    game: DriverGame,
    block: Array[uint64],
    frame: Array[uint64],
    lanes: int,
    actions: Array[int32],
    wrong: Array[uint64],
) -> None:
    """The rows of the moves that the lanes make; the lanes in which one is not legal are *wrong*."""
    wide, roles = game.wide, game.roles
    clear(frame.at(game.moves * wide), (game.terminal - game.moves) * wide)
    clear(wrong, wide)
    for role in range(roles):
        rows = frame.at(game.role[role].first * wide)
        legal = view_row(game, block, game.role[role].first)
        size = game.role[role].moves
        for column in range((lanes + 63) >> 6):
            own = actions.at(64 * column * roles + role)
            forced, outside = uint64(0), uint64(0)
            for lane in range(min(64, lanes - 64 * column)):
                action = own[lane * roles]
                given = uint64(action >= 0) & uint64(action < size)
                filled = uint64(action == FORCED)
                forced |= filled << lane
                outside |= (1 - (given | filled)) << lane
                rows[max(0, min(action, size - 1)) * wide + column] |= given << lane
            one, two = uint64(0), uint64(0)
            for move in range(size):
                word = legal[move * wide + column]
                two |= one & word
                one |= word
                done = rows[move * wide + column] | (word & forced)
                rows[move * wide + column] = done
                outside |= done & ~word
            wrong[column] |= outside | (forced & (two | ~one))


@called
def go_on(
    game: DriverGame,
    frame: Array[uint64],
    block: Array[uint64],
    after: Array[uint64],
    moving: Array[uint64],
) -> None:
    """The next states, from the moves set in *frame*; where *moving* is not set a match stays as it is."""
    wide, bases = game.wide, game.bases
    tables = tables_for(game, wide)
    over = view_row(game, block, game.terminal)
    ended = ended_row(game, after)
    for column in range(wide):
        moving[column] &= ~over[column]
        ended[column] = moving[column]
    run(tables[NEXT], frame)
    reached = frame.at(game.next * wide)
    for base in range(bases):
        for column in range(wide):
            at = base * wide + column
            old = block[at]
            new = old ^ ((reached[at] ^ old) & moving[column])
            after[at] = new
            frame[at] = new
    note_view(game, frame, after)
    over = view_row(game, after, game.terminal)
    for column in range(wide):
        ended[column] &= over[column]


@kernel
def batch_step(
    game: DriverGame,
    blocks: Array[uint64],
    first: int,
    last: int,
    count: int,
    after: Array[uint64],
    actions: Array[int32],
    which: Array[bool],
    strict: bool,
) -> int:
    """Make the given moves in the matches *which* that are not over.

    A match with an illegal move stays as it is; the number of the first one, or -1. With *strict* it is the end.
    """
    wide, bases, roles = game.wide, game.bases, game.roles
    room = workspace(game)
    frame = frame_of(game, room, wide)
    moving = masks_of(game, room)
    wrong = moving.at(wide)
    illegal = -1
    for number in range(first, last):
        block = blocks.at(number * block_words(game))
        target = after.at(number * block_words(game))
        lanes = lanes_in(game, number, count)
        at = 64 * wide * number
        lanes_of(which.at(at), lanes, wide, moving)
        copy(block, frame, bases * wide)
        set_actions(game, block, frame, lanes, actions.at(at * roles), wrong)
        over = view_row(game, block, game.terminal)
        refused = refused_row(game, target)
        for column in range(wide):
            refused[column] = wrong[column] & moving[column] & ~over[column]
            moving[column] &= ~wrong[column]
            if refused[column] != 0 and illegal < 0:
                illegal = at + 64 * column + lowest_one(refused[column])
        if strict and illegal >= 0:
            break
        go_on(game, frame, block, target, moving)
    give(room)
    return illegal


@inlined
def nth_one(word: uint64, rank: int, half: int) -> int:
    """The place of bit number *rank* among those that are set, by halving, without branches; the word has 2 *half* bits."""
    place = 0
    width = half
    while width > 0:
        low = count_ones(word >> place & ((uint64(1) << width) - 1))
        right = int(rank >= low)
        rank -= low * right
        place += width * right
        width >>= 1
    return place


@inlined
def chosen(mask: Array[uint64], words: int, half: int, random: uint64) -> int:
    """One of the bits of a mask, uniformly; -1 if there is none. *half* is 32, or less where one word has fewer bits."""
    total = 0
    for at in range(words):
        total += count_ones(mask[at])
    if total == 0:
        return -1
    rank = below(random, total)
    for at in range(words):
        here = count_ones(mask[at])
        if rank < here:
            return 64 * at + nth_one(mask[at], rank, half)
        rank -= here
    return -1


@called
def random_actions(
    game: DriverGame,
    block: Array[uint64],
    lanes: int,
    moving: Array[uint64],
    room: Array[uint64],
    seed: uint64,
    at: int,
    actions: Array[int32],
) -> None:
    """A uniformly random legal move for every role of the *moving* lanes, -1 where there is none or in other lanes.

    Match number *at* is the block's first; *room* has place for the masks of 64 matches and 64 words more.
    """
    wide, roles, words = game.wide, game.roles, game.mask_words
    square = room.at(64 * words)
    for role in range(roles):
        rows = view_row(game, block, game.role[role].first)
        size = game.role[role].moves
        half = 32 if size > 32 else 16 if size > 16 else 8 if size > 8 else 4
        for column in range((lanes + 63) >> 6):
            some = min(64, lanes - 64 * column)
            rows_to_packed(rows.at(column), size, wide, some, room, words, square)
            for lane in range(some):
                place = (64 * column + lane) * roles + role
                random = mixed(seed + uint64(at * roles + place + 1) * GOLDEN)
                move = -1
                if moving[column] >> lane & 1:
                    move = chosen(room.at(lane * words), (size + 63) >> 6, half, random)
                actions[place] = move


@kernel
def batch_choose(
    game: DriverGame,
    blocks: Array[uint64],
    first: int,
    last: int,
    count: int,
    seed: uint64,
    actions: Array[int32],
) -> None:
    """A uniformly random legal move for every role of every match; -1 where there is none or it is over."""
    wide = game.wide
    room = take(64 * game.mask_words + 64 + 8)
    moving = room.at(64 * game.mask_words + 64)
    for number in range(first, last):
        block = blocks.at(number * block_words(game))
        over = view_row(game, block, game.terminal)
        for column in range(wide):
            moving[column] = ~over[column]
        at = 64 * wide * number
        own = actions.at(at * game.roles)
        random_actions(game, block, lanes_in(game, number, count), moving, room, seed, at, own)
    give(room)


@called
def waiting_lanes(
    game: DriverGame, block: Array[uint64], lanes: int, role: int, moving: Array[uint64], room: Array[uint64]
) -> bool:
    """The lanes that are not over, in which every role can move and *role* has no choice; whether there are any."""
    wide = game.wide
    over = view_row(game, block, game.terminal)
    for column in range(wide):
        moving[column] = ~over[column]
        some = max(0, min(64, lanes - 64 * column))
        if some < 64:
            moving[column] &= (uint64(1) << some) - 1
    for each in range(game.roles):
        choosing(game, block, each, room, room.at(wide))
        for column in range(wide):
            moving[column] &= room[column]
            if each == role:
                moving[column] &= ~room[wide + column]
    waiting = uint64(0)
    for column in range(wide):
        waiting |= moving[column]
    return waiting != 0


@kernel
def batch_random(
    game: DriverGame,
    blocks: Array[uint64],
    first: int,
    last: int,
    count: int,
    role: int,
    most: int,
    seed: uint64,
    actions: Array[int32],
) -> int:
    """Random moves in the matches that are not over and in which *role* has no choice, until there are none.

    At most *most* of them in a match; the number of a match of a block that wants more, or -1. *actions* is where the
    last ones are left. What was noted as ended stays noted through all of them; with `EVERYBODY` it is that of one step.
    """
    wide, bases, roles = game.wide, game.bases, game.roles
    room = workspace(game)
    frame = frame_of(game, room, wide)
    moving = masks_of(game, room)
    spare = take(64 * game.mask_words + 64 + 2 * wide)
    before = spare.at(64 * game.mask_words + 64)
    long = -1
    for number in range(first, last):
        block = blocks.at(number * block_words(game))
        lanes = lanes_in(game, number, count)
        at = 64 * wide * number
        own = actions.at(at * roles)
        ended = ended_row(game, block)
        clear(refused_row(game, block), wide)
        if role == EVERYBODY:
            clear(ended, wide)
        steps = 0
        while waiting_lanes(game, block, lanes, role, moving, spare):
            if steps == most:
                if role != EVERYBODY:
                    long = at
                break
            random_actions(game, block, lanes, moving, spare, seed + mixed(uint64(steps)), at, own)
            copy(block, frame, bases * wide)
            set_actions(game, block, frame, lanes, own, before.at(wide))
            copy(ended, before, wide)
            go_on(game, frame, block, block, moving)
            for column in range(wide):
                ended[column] |= before[column]
            steps += 1
        if long >= 0:
            break
    give(spare)
    give(room)
    return long
