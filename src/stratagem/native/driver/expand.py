"""The drivers of `expand`, `evaluate` and `advance` in the kernel language: the same for all games.

The contract stands in `native.compiled`.

What differs from game to game is data: *game* is a header of words (`GAME_...`), the phases behind it run through
tables (`emit.interpreter`). Few states are run in rows of one word, many in rows of GAME_WIDE words.
"""

from __future__ import annotations

from typing import Final

from stratagem.kernels.checked_memory import Flags, Numbers, Scores, Words, as_numbers, give, take
from stratagem.native.driver.rows import (
    clear,
    copy,
    first_lane,
    flags_of,
    listed,
    one_to_rows,
    parents_to_rows,
    rows_to_packed,
    scores_of,
    states_to_rows,
)
from stratagem.native.driver.run_phase import run

GAME_WORDS: Final = 0
GAME_ROLES: Final = 1
GAME_BASES: Final = 2
GAME_MASK_WORDS: Final = 3
GAME_ROWS: Final = 4
"""Rows of a frame."""
GAME_NEXT: Final = 5
"""The row of the first base of the next state."""
GAME_MOVES: Final = 6
"""The first row of the moves."""
GAME_TERMINAL: Final = 7
"""The row after the moves: whether it is over; then the goals."""
GAME_ZERO: Final = 8
"""A row that must be zero."""
GAME_WIDE: Final = 9
"""Words of a wide row."""
GAME_ROLE_DATA: Final = 10
"""The address of ROLE_SIZE words for each role."""
GAME_VALUES: Final = 11
"""The address of the goal values, in the order of their rows."""
GAME_NARROW_TABLES: Final = 12
"""The address of three words: the tables of legal, next and final for rows of one word."""
GAME_WIDE_TABLES: Final = 13
GAME_MOST_MOVES: Final = 14
"""The largest number of moves of a role, rounded up to whole words."""
GAME_SIZE: Final = 15

ROLE_MOVES: Final = 0
ROLE_FIRST: Final = 1
"""The row of the role's first move."""
ROLE_VALUES: Final = 2
ROLE_GOALS: Final = 3
"""The row of the role's first goal value."""
ROLE_SIZE: Final = 4

LEGAL: Final = 0
NEXT: Final = 1
FINAL: Final = 2

FEW: Final = 128
"""Up to so many lanes are run 64 at a time: two narrow runs cost as much as a wide one."""
MANY: Final = 1099511627776
"""More joint moves than any caller has room for."""


def frame_words(game: Words, stride: int) -> int:
    """The size of a frame with a block of 64 words after it, in whole cache lines."""
    return (game[GAME_ROWS] * stride + 64 + 7) & ~7


def mask_area(game: Words) -> int:
    """The size of the legal masks of a wide group, in whole cache lines."""
    return (64 * game[GAME_WIDE] * game[GAME_ROLES] * game[GAME_MASK_WORDS] + 7) & ~7


def workspace(game: Words) -> Words:
    """Memory for one call: a narrow frame, a wide frame, legal masks, then sizes and lists of legal moves."""
    wide = game[GAME_WIDE]
    narrow_size, wide_size = frame_words(game, 1), frame_words(game, wide)
    lists = game[GAME_ROLES] * (1 + game[GAME_MOST_MOVES])
    room = take(narrow_size + wide_size + mask_area(game) + lists)
    zero = game[GAME_ZERO]
    room[zero] = 0
    clear(room.at(narrow_size + zero * wide), wide)
    return room


def frame_of(game: Words, room: Words, stride: int) -> Words:
    """The frame for rows of *stride* words."""
    if stride == 1:
        return room
    return room.at(frame_words(game, 1))


def masks_of(game: Words, room: Words) -> Words:
    """Where the legal masks of a group go."""
    return room.at(frame_words(game, 1) + frame_words(game, game[GAME_WIDE]))


def stride_for(game: Words, count: int) -> int:
    """Words per row for *count* lanes."""
    return game[GAME_WIDE] if count > FEW else 1


def tables_for(game: Words, stride: int) -> Words:
    """The addresses of the phases' tables."""
    if stride == 1:
        return Words(game[GAME_NARROW_TABLES])
    return Words(game[GAME_WIDE_TABLES])


def legal_masks(game: Words, frame: Words, stride: int, count: int, legal: Words) -> None:
    """The legal moves of *count* lanes as masks."""
    roles, mask_words = game[GAME_ROLES], game[GAME_MASK_WORDS]
    data = Words(game[GAME_ROLE_DATA])
    block = frame.at(game[GAME_ROWS] * stride)
    clear(legal, count * roles * mask_words)
    for role in range(roles):
        own = data.at(role * ROLE_SIZE)
        rows = frame.at(own[ROLE_FIRST] * stride)
        target = legal.at(role * mask_words)
        if count == 1:
            first_lane(rows, own[ROLE_MOVES], stride, target)
        else:
            rows_to_packed(rows, own[ROLE_MOVES], stride, count, target, roles * mask_words, block)


def finals(game: Words, frame: Words, stride: int, count: int, terminal: Flags, goals: Scores) -> None:
    """The end and the goals of *count* lanes, from their rows."""
    flags_of(frame.at(game[GAME_TERMINAL] * stride), count, terminal)
    roles = game[GAME_ROLES]
    data, values = Words(game[GAME_ROLE_DATA]), Words(game[GAME_VALUES])
    first = game[GAME_TERMINAL] + 1
    block = frame.at(game[GAME_ROWS] * stride)
    for role in range(roles):
        own = data.at(role * ROLE_SIZE)
        at = own[ROLE_GOALS]
        rows = frame.at(at * stride)
        scores_of(rows, values.at(at - first), own[ROLE_VALUES], stride, count, goals.at(role), roles, block)


def set_moves(game: Words, frame: Words, stride: int, count: int, moves: Numbers) -> None:
    """The rows of the moves that *count* lanes make."""
    roles, first = game[GAME_ROLES], game[GAME_MOVES]
    data = Words(game[GAME_ROLE_DATA])
    clear(frame.at(first * stride), (game[GAME_TERMINAL] - first) * stride)
    for role in range(roles):
        rows = frame.at(data[role * ROLE_SIZE + ROLE_FIRST] * stride)
        for column in range((count + 63) >> 6):
            own = moves.at(64 * column * roles + role)
            before = own[0]
            bits = 0
            # A role that waits makes one move in many lanes: its bits are collected before they are written.
            for lane in range(min(64, count - 64 * column)):
                move = own[lane * roles]
                if move != before:
                    rows[before * stride + column] |= bits
                    before = move
                    bits = 0
                bits |= 1 << lane
            rows[before * stride + column] |= bits


def product(lists: Numbers, sizes: Words, most: int, roles: int, total: int, moves: Numbers) -> None:
    """Write all *total* joint moves in lexicographic order."""
    inner = total
    for role in range(roles):
        own = lists.at(role * most)
        size = sizes[role]
        inner = inner // size
        at = role
        end = total * roles
        while at < end:
            for choice in range(size):
                move = own[choice]
                for _ in range(inner):
                    moves[at] = move
                    at += roles


def make_children(
    game: Words,
    frame: Words,
    stride: int,
    states: Words,
    count: int,
    parents: Numbers,
    moves: Numbers,
    children: Words,
    terminal: Flags,
    goals: Scores,
) -> None:
    """At most one frame of children, whose parents and moves are written already."""
    width, bases = game[GAME_WORDS], game[GAME_BASES]
    tables = tables_for(game, stride)
    block = frame.at(game[GAME_ROWS] * stride)
    parents_to_rows(states, parents, width, bases, count, frame, stride, block)
    set_moves(game, frame, stride, count, moves)
    run(tables[NEXT], frame)
    after = frame.at(game[GAME_NEXT] * stride)
    rows_to_packed(after, bases, stride, count, children, width, block)
    copy(after, frame, bases * stride)
    run(tables[FINAL], frame)
    finals(game, frame, stride, count, terminal, goals)


def legal_group(game: Words, states: Words, count: int, frame: Words, stride: int, masks: Words) -> None:
    """The legal masks of at most one frame of states; their rows stay in the frame."""
    width, bases = game[GAME_WORDS], game[GAME_BASES]
    if count == 1:
        one_to_rows(states, bases, frame, stride)
    else:
        states_to_rows(states, width, bases, count, frame, stride, frame.at(game[GAME_ROWS] * stride))
    tables = tables_for(game, stride)
    run(tables[LEGAL], frame)
    legal_masks(game, frame, stride, count, masks)


def write_moves(
    game: Words, mask: Words, sizes: Words, parent: int, capacity: int, parents: Numbers, moves: Numbers
) -> int:
    """The joint moves of one parent; their number, even if they find no room."""
    roles, mask_words, most = game[GAME_ROLES], game[GAME_MASK_WORDS], game[GAME_MOST_MOVES]
    lists = as_numbers(sizes.at(roles))
    total = 1
    for role in range(roles):
        size = listed(mask.at(role * mask_words), mask_words, lists.at(role * most))
        sizes[role] = size
        total = min(total * size, MANY)
    if total > 0 and total <= capacity:
        product(lists, sizes, most, roles, total, moves)
        for at in range(total):
            parents[at] = parent
    return total


def make_all(
    game: Words,
    room: Words,
    states: Words,
    count: int,
    parents: Numbers,
    moves: Numbers,
    children: Words,
    terminal: Flags,
    goals: Scores,
) -> None:
    """Any number of children, frame by frame."""
    width, roles = game[GAME_WORDS], game[GAME_ROLES]
    done = 0
    while done < count:
        stride = stride_for(game, count - done)
        part = min(64 * stride, count - done)
        make_children(
            game,
            frame_of(game, room, stride),
            stride,
            states,
            part,
            parents.at(done),
            moves.at(done * roles),
            children.at(done * width),
            terminal.at(done),
            goals.at(done * roles),
        )
        done += part


def expand(
    game: Words,
    states: Words,
    count: int,
    children: Words,
    parents: Numbers,
    moves: Numbers,
    terminal: Flags,
    goals: Scores,
    capacity: int,
    consumed: Words,
) -> int:
    """All children of *count* states."""
    width, roles, mask_words = game[GAME_WORDS], game[GAME_ROLES], game[GAME_MASK_WORDS]
    room = workspace(game)
    masks = masks_of(game, room)
    sizes = masks.at(mask_area(game))
    made = 0
    done = 0
    full = 0
    while done < count and full == 0:
        stride = stride_for(game, count - done)
        group = min(64 * stride, count - done)
        legal_group(game, states.at(done * width), group, frame_of(game, room, stride), stride, masks)
        before = made
        for lane in range(group):
            mask = masks.at(lane * roles * mask_words)
            free = capacity - made
            total = write_moves(
                game, mask, sizes, done + lane, free, parents.at(made), moves.at(made * roles)
            )
            if total > free:
                full = total
                group = lane
                break
            made += total
        make_all(
            game,
            room,
            states,
            made - before,
            parents.at(before),
            moves.at(before * roles),
            children.at(before * width),
            terminal.at(before),
            goals.at(before * roles),
        )
        done += group
    consumed[0] = done
    give(room)
    if done == 0:
        return -full
    return made


def evaluate(game: Words, states: Words, count: int, legal: Words, terminal: Flags, goals: Scores) -> None:
    """Legal moves, the end and the goals of *count* states."""
    width, roles, mask_words = game[GAME_WORDS], game[GAME_ROLES], game[GAME_MASK_WORDS]
    room = workspace(game)
    done = 0
    while done < count:
        stride = stride_for(game, count - done)
        group = min(64 * stride, count - done)
        frame = frame_of(game, room, stride)
        masks = legal.at(done * roles * mask_words)
        legal_group(game, states.at(done * width), group, frame, stride, masks)
        tables = tables_for(game, stride)
        run(tables[FINAL], frame)
        finals(game, frame, stride, group, terminal.at(done), goals.at(done * roles))
        done += group
    give(room)


def advance(game: Words, states: Words, count: int, moves: Numbers, children: Words) -> None:
    """The states after given joint moves."""
    width, roles, bases = game[GAME_WORDS], game[GAME_ROLES], game[GAME_BASES]
    room = workspace(game)
    done = 0
    while done < count:
        stride = stride_for(game, count - done)
        group = min(64 * stride, count - done)
        frame = frame_of(game, room, stride)
        block = frame.at(game[GAME_ROWS] * stride)
        states_to_rows(states.at(done * width), width, bases, group, frame, stride, block)
        set_moves(game, frame, stride, group, moves.at(done * roles))
        tables = tables_for(game, stride)
        run(tables[NEXT], frame)
        after = frame.at(game[GAME_NEXT] * stride)
        rows_to_packed(after, bases, stride, group, children.at(done * width), width, block)
        done += group
    give(room)
