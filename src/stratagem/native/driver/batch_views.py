"""The drivers of `batch` that look at it: conversions from the rows of blocks to arrays, without running a gate."""

from __future__ import annotations

from stratagem.kernels import Array, called, float32, int16, kernel, lowest_one, uint64
from stratagem.native.driver.blocks import block_words, choosing, ended_row, lanes_in, refused_row, view_row
from stratagem.native.driver.game_header import DriverGame
from stratagem.native.driver.primitives import give, spread, take
from stratagem.native.driver.rows import BLOCK_WORDS, clear, rows_to_packed
from stratagem.native.driver.scores import flags_of, scores_of


@kernel
def batch_pack(
    game: DriverGame, blocks: Array[uint64], first: int, last: int, count: int, states: Array[uint64]
) -> None:
    """The matches of the blocks as packed states."""
    wide, width, bases = game.wide, game.words, game.bases
    square = take(BLOCK_WORDS)
    for number in range(first, last):
        block = blocks.at(number * block_words(game))
        own = states.at(64 * wide * number * width)
        rows_to_packed(block, bases, wide, lanes_in(game, number, count), own, width, square)
    give(square)


@called
def rows_to_flags(
    rows: Array[uint64], size: int, wide: int, lanes: int, room: Array[uint64], flags: Array[bool]
) -> None:
    """*size* rows as a byte for every lane and row: flags[lane * size + row].

    Whole words are written at once; what they write too much belongs to the next lane, which comes later.
    """
    if size == 0:
        return
    words = (size + 63) >> 6
    square = room.at(64 * words)
    rest = size - 64 * (words - 1)
    width = 8 if rest <= 8 else 16 if rest <= 16 else 32 if rest <= 32 else 64
    whole = lanes - (width - rest + size - 1) // size
    for column in range((lanes + 63) >> 6):
        some = min(64, lanes - 64 * column)
        rows_to_packed(rows.at(column), size, wide, some, room, words, square)
        for lane in range(some):
            own = flags.at((64 * column + lane) * size)
            for part in range(words - 1):
                spread(room[lane * words + part], 64, own.at(64 * part))
            word = room[lane * words + words - 1]
            last = own.at(64 * (words - 1))
            if 64 * column + lane < whole:
                spread(word, width, last)
            else:
                for place in range(rest):
                    last[place] = bool(word >> place & 1)


@kernel
def batch_observe(
    game: DriverGame, blocks: Array[uint64], first: int, last: int, count: int, truth: Array[bool]
) -> None:
    """A byte for every match and proposition."""
    wide, bases = game.wide, game.bases
    room = take(64 * game.words + 64)
    for number in range(first, last):
        block = blocks.at(number * block_words(game))
        own = truth.at(64 * wide * number * bases)
        rows_to_flags(block, bases, wide, lanes_in(game, number, count), room, own)
    give(room)


@kernel
def batch_legal(
    game: DriverGame, blocks: Array[uint64], first: int, last: int, count: int, role: int, legal: Array[bool]
) -> None:
    """A byte for every match and move of a role."""
    wide = game.wide
    size = game.role[role].moves
    room = take(64 * game.mask_words + 64)
    for number in range(first, last):
        rows = view_row(game, blocks.at(number * block_words(game)), game.role[role].first)
        own = legal.at(64 * wide * number * size)
        rows_to_flags(rows, size, wide, lanes_in(game, number, count), room, own)
    give(room)


@kernel
def batch_choices(
    game: DriverGame,
    blocks: Array[uint64],
    first: int,
    last: int,
    count: int,
    role: int,
    several: Array[bool],
) -> None:
    """In which matches a role has more than one legal move and it is not over."""
    wide = game.wide
    room = take(16)
    for number in range(first, last):
        block = blocks.at(number * block_words(game))
        choosing(game, block, role, room, room.at(wide))
        over = view_row(game, block, game.terminal)
        for column in range(wide):
            room[wide + column] &= ~over[column]
        flags_of(room.at(wide), lanes_in(game, number, count), several.at(64 * wide * number))
    give(room)


@kernel
def batch_terminated(
    game: DriverGame, blocks: Array[uint64], first: int, last: int, count: int, flags: Array[bool]
) -> None:
    """Which matches are over."""
    for number in range(first, last):
        row = view_row(game, blocks.at(number * block_words(game)), game.terminal)
        flags_of(row, lanes_in(game, number, count), flags.at(64 * game.wide * number))


@kernel
def batch_refused(
    game: DriverGame, blocks: Array[uint64], first: int, last: int, count: int, flags: Array[bool]
) -> None:
    """In which matches the last step refused a move."""
    for number in range(first, last):
        row = refused_row(game, blocks.at(number * block_words(game)))
        flags_of(row, lanes_in(game, number, count), flags.at(64 * game.wide * number))


@kernel
def batch_goals(
    game: DriverGame, blocks: Array[uint64], first: int, last: int, count: int, goals: Array[int16]
) -> None:
    """The goals, -1 where the rules give none, or several."""
    wide, roles = game.wide, game.roles
    for number in range(first, last):
        rows = view_row(game, blocks.at(number * block_words(game)), game.terminal + 1)
        own = goals.at(64 * wide * number * roles)
        scores_of(game, rows, wide, lanes_in(game, number, count), own)


@kernel
def batch_rewards(
    game: DriverGame,
    blocks: Array[uint64],
    first: int,
    last: int,
    count: int,
    worth: Array[float32],
    rewards: Array[float32],
) -> None:
    """What the last step earned every role: *worth* of its goal where it ended the match, else 0.

    *worth* has a number for every goal value in the order of their rows, and after them one for no goal.
    """
    wide, roles = game.wide, game.roles
    nothing = worth[game.goal_values - 1]
    left = take(8)
    for number in range(first, last):
        block = blocks.at(number * block_words(game))
        ended = ended_row(game, block)
        own = rewards.at(64 * wide * number * roles)
        for place in range(lanes_in(game, number, count) * roles):
            own[place] = float32(0)
        for role in range(roles):
            at = game.role[role].goals
            rows = view_row(game, block, at)
            values = worth.at(at - game.terminal - 1)
            clear(left, wide)
            for value in range(game.role[role].values):
                for column in range(wide):
                    word = rows[value * wide + column] & ended[column]
                    left[column] |= word
                    put(own, word, 64 * column * roles + role, roles, values[value])
            for column in range(wide):
                put(own, ended[column] & ~left[column], 64 * column * roles + role, roles, nothing)
    give(left)


@kernel
def put(rewards: Array[float32], word: uint64, first: int, roles: int, value: float32) -> None:
    """Write *value* for the lanes of a word."""
    while word != 0:
        rewards[first + lowest_one(word) * roles] = value
        word &= word - 1
