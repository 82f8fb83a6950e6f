"""The drivers of `expand`, `evaluate` and `advance` in the kernel language: the same for all games.

The contract stands in `native.compiled`.

What differs from game to game is data: the record *game*, and the phases behind it, which run through tables
(`emit.interpreter`). Few states are run in rows of one word, many in wide rows.
"""

from __future__ import annotations

from typing import Final

from stratagem.kernels import Array, called, int16, int32, kernel, uint64
from stratagem.native.driver.game_header import DriverGame
from stratagem.native.driver.joint_moves import write_moves
from stratagem.native.driver.move_rows import clear_moves, has_many_moves, set_moves, take_moves_back
from stratagem.native.driver.parent_rows import parents_to_rows
from stratagem.native.driver.primitives import give, run, take
from stratagem.native.driver.rows import (
    BLOCK_WORDS,
    NARROW_WORDS,
    children_to_packed,
    clear,
    copy,
    first_lane,
    one_to_rows,
    rows_to_packed,
    states_to_rows,
)
from stratagem.native.driver.scores import flags_of, scores_of

LEGAL: Final = 0
NEXT: Final = 1
FINAL: Final = 2

NO_STEP: Final = -1
"""States that are not all at one step of the tokens' cycle, or circuits without tables for its steps."""
FEW: Final = 128
"""Up to so many lanes are run 64 at a time: two narrow runs cost as much as a wide one."""


@kernel
def frame_words(game: DriverGame, stride: int) -> int:
    """The size of a frame with room for the conversions after it, in whole cache lines."""
    return (game.rows * stride + (NARROW_WORDS if stride == 1 else BLOCK_WORDS) + 7) & ~7


@kernel
def mask_area(game: DriverGame) -> int:
    """The size of the legal masks of a wide group, in whole cache lines."""
    return (64 * game.wide * game.roles * game.mask_words + 7) & ~7


@kernel
def list_area(game: DriverGame) -> int:
    """The size of the numbers and lists of a state's legal moves."""
    return game.roles * (1 + game.most_moves)


@kernel
def workspace(game: DriverGame) -> Array[uint64]:
    """Memory for one call: a narrow frame, a wide frame, legal masks, then sizes and lists of legal moves, then ends."""
    wide = game.wide
    narrow_size, wide_size = frame_words(game, 1), frame_words(game, wide)
    room = take(narrow_size + wide_size + mask_area(game) + list_area(game) + 64 * wide)
    zero = game.zero
    room[zero] = 0
    clear(room.at(narrow_size + zero * wide), wide)
    return room


@kernel
def frame_of(game: DriverGame, room: Array[uint64], stride: int) -> Array[uint64]:
    """The frame for rows of *stride* words."""
    if stride == 1:
        return room
    return room.at(frame_words(game, 1))


@kernel
def masks_of(game: DriverGame, room: Array[uint64]) -> Array[uint64]:
    """Where the legal masks of a group go."""
    return room.at(frame_words(game, 1) + frame_words(game, game.wide))


@kernel
def stride_for(game: DriverGame, count: int) -> int:
    """Words per row for *count* lanes."""
    return game.wide if count > FEW else 1


@kernel
def tables_for(game: DriverGame, stride: int) -> Array[int]:
    """The addresses of the phases' tables."""
    if stride == 1:
        return game.narrow_tables
    return game.wide_tables


@kernel
def tables_at(game: DriverGame, stride: int, step: int) -> Array[int]:
    """The same for a step of the tokens' cycle, or for none."""
    if step == NO_STEP:
        return tables_for(game, stride)
    if stride == 1:
        return game.narrow_steps.at(3 * step)
    return game.wide_steps.at(3 * step)


@called
def step_of_all(game: DriverGame, states: Array[uint64], count: int) -> int:
    """The step of the tokens' cycle at which all of *count* states are."""
    width = game.words
    for step in range(game.steps):
        same = 0
        while same < count and is_at(game, states.at(same * width), step):
            same += 1
        if same == count:
            return step
    return NO_STEP


@kernel
def is_at(game: DriverGame, state: Array[uint64], step: int) -> bool:
    """Whether a state is at a step."""
    for word in range(game.words):
        if state[word] & game.token_mask[word] != game.token_values[step, word]:
            return False
    return True


@kernel
def following(game: DriverGame, step: int) -> int:
    """The step after a step."""
    if step + 1 == game.steps:
        return 0
    return step + 1


@called
def legal_masks(
    game: DriverGame, frame: Array[uint64], stride: int, count: int, legal: Array[uint64]
) -> None:
    """The legal moves of *count* lanes as masks."""
    roles, mask_words = game.roles, game.mask_words
    block = frame.at(game.rows * stride)
    clear(legal, count * roles * mask_words)
    for role in range(roles):
        own = game.role[role]
        rows = frame.at(own.first * stride)
        target = legal.at(role * mask_words)
        if count == 1:
            first_lane(rows, own.moves, stride, target)
        else:
            rows_to_packed(rows, own.moves, stride, count, target, roles * mask_words, block)


@called
def finals(
    game: DriverGame,
    frame: Array[uint64],
    stride: int,
    count: int,
    terminal: Array[bool],
    goals: Array[int16],
) -> None:
    """The end and the goals of *count* lanes, from their rows."""
    flags_of(frame.at(game.terminal * stride), count, terminal)
    scores_of(game, frame.at((game.terminal + 1) * stride), stride, count, goals)


@kernel
def make_children(
    game: DriverGame,
    frame: Array[uint64],
    stride: int,
    count: int,
    step: int,
    moves: Array[int32],
    children: Array[uint64],
    terminal: Array[bool],
    goals: Array[int16],
) -> None:
    """At most one frame of children, whose moves are written already and whose parents are in the frame; no row of a move is set."""
    width, bases = game.words, game.bases
    block = frame.at(game.rows * stride)
    set_moves(game, frame, stride, count, moves)
    run(tables_at(game, stride, step)[NEXT], frame)
    if has_many_moves(game):
        take_moves_back(game, frame, stride, count, moves)
    if step == NO_STEP:
        after = frame.at(game.next * stride)
        children_to_packed(after, bases, stride, count, children, width, block)
        copy(after, frame, bases * stride)
        run(tables_for(game, stride)[FINAL], frame)
    else:
        children_to_packed(frame, bases, stride, count, children, width, block)
        run(tables_at(game, stride, following(game, step))[FINAL], frame)
    finals(game, frame, stride, count, terminal, goals)


@kernel
def legal_group(
    game: DriverGame,
    states: Array[uint64],
    count: int,
    step: int,
    frame: Array[uint64],
    stride: int,
    masks: Array[uint64],
) -> None:
    """The legal masks of at most one frame of states; their rows stay in the frame."""
    width, bases = game.words, game.bases
    if count == 1:
        one_to_rows(states, bases, frame, stride)
    else:
        states_to_rows(states, width, bases, count, frame, stride, frame.at(game.rows * stride))
    run(tables_at(game, stride, step)[LEGAL], frame)
    legal_masks(game, frame, stride, count, masks)


@called
def make_all(
    game: DriverGame,
    room: Array[uint64],
    states: Array[uint64],
    ends: Array[uint64],
    count: int,
    step: int,
    moves: Array[int32],
    children: Array[uint64],
    terminal: Array[bool],
    goals: Array[int16],
) -> None:
    """Any number of children, frame by frame: those up to the p-th of *states*, all at a step, are *ends[p]*."""
    width, roles = game.words, game.roles
    done = 0
    cleared = 0
    parent = 0
    while done < count:
        stride = stride_for(game, count - done)
        part = min(64 * stride, count - done)
        frame = frame_of(game, room, stride)
        if stride != cleared or not has_many_moves(game):
            clear_moves(game, frame, stride)
            cleared = stride
        while int(ends[parent]) <= done:
            parent += 1
        last = parent
        while int(ends[last]) < done + part:
            last += 1
        parents_to_rows(
            states.at(parent * width),
            ends.at(parent),
            last + 1 - parent,
            width,
            game.bases,
            done,
            part,
            frame,
            stride,
            frame.at(game.rows * stride),
        )
        make_children(
            game,
            frame,
            stride,
            part,
            step,
            moves.at(done * roles),
            children.at(done * width),
            terminal.at(done),
            goals.at(done * roles),
        )
        parent = last
        done += part


@kernel
def expand(
    game: DriverGame,
    states: Array[uint64],
    count: int,
    children: Array[uint64],
    parents: Array[int32],
    moves: Array[int32],
    terminal: Array[bool],
    goals: Array[int16],
    capacity: int,
    consumed: Array[int],
) -> int:
    """All children of *count* states."""
    width, roles, mask_words = game.words, game.roles, game.mask_words
    room = workspace(game)
    masks = masks_of(game, room)
    sizes = masks.at(mask_area(game))
    ends = sizes.at(list_area(game))
    made = 0
    done = 0
    full = 0
    while done < count and full == 0:
        stride = stride_for(game, count - done)
        group = min(64 * stride, count - done)
        own = states.at(done * width)
        step = step_of_all(game, own, group)
        legal_group(game, own, group, step, frame_of(game, room, stride), stride, masks)
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
            ends[lane] = uint64(made - before)
        make_all(
            game,
            room,
            states.at(done * width),
            ends,
            made - before,
            step,
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


@kernel
def evaluate(
    game: DriverGame,
    states: Array[uint64],
    count: int,
    legal: Array[uint64],
    terminal: Array[bool],
    goals: Array[int16],
) -> None:
    """Legal moves, the end and the goals of *count* states."""
    width, roles, mask_words = game.words, game.roles, game.mask_words
    room = workspace(game)
    done = 0
    while done < count:
        stride = stride_for(game, count - done)
        group = min(64 * stride, count - done)
        frame = frame_of(game, room, stride)
        masks = legal.at(done * roles * mask_words)
        own = states.at(done * width)
        step = step_of_all(game, own, group)
        legal_group(game, own, group, step, frame, stride, masks)
        run(tables_at(game, stride, step)[FINAL], frame)
        finals(game, frame, stride, group, terminal.at(done), goals.at(done * roles))
        done += group
    give(room)


@kernel
def advance(
    game: DriverGame, states: Array[uint64], count: int, moves: Array[int32], children: Array[uint64]
) -> None:
    """The states after given joint moves."""
    width, roles, bases = game.words, game.roles, game.bases
    room = workspace(game)
    done = 0
    while done < count:
        stride = stride_for(game, count - done)
        group = min(64 * stride, count - done)
        frame = frame_of(game, room, stride)
        block = frame.at(game.rows * stride)
        states_to_rows(states.at(done * width), width, bases, group, frame, stride, block)
        clear_moves(game, frame, stride)
        set_moves(game, frame, stride, group, moves.at(done * roles))
        tables = tables_for(game, stride)
        run(tables[NEXT], frame)
        after = frame.at(game.next * stride)
        children_to_packed(after, bases, stride, group, children.at(done * width), width, block)
        done += group
    give(room)
