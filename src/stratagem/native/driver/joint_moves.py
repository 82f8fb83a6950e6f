"""The joint moves of a state, from masks of legal moves to arrays, in the kernel language."""

from __future__ import annotations

from typing import Final

from stratagem.kernels import Array, called, count_ones, int32, lowest_one, uint64
from stratagem.native.driver.game_header import DriverGame
from stratagem.native.driver.primitives import list_ones, list_pairs

MANY: Final = 1099511627776
"""More joint moves than any caller has room for."""


@called
def listed(mask: Array[uint64], words: int, numbers: Array[uint64]) -> int:
    """The places of the bits of a mask, ascending; how many there are."""
    found = 0
    for at in range(words):
        word = mask[at]
        while word != 0:
            numbers[found] = uint64(64 * at + lowest_one(word))
            found += 1
            word &= word - 1
    return found


@called
def product(
    lists: Array[uint64], sizes: Array[uint64], most: int, roles: int, total: int, moves: Array[int32]
) -> None:
    """Write all *total* joint moves in lexicographic order."""
    inner = total
    for role in range(roles):
        own = lists.at(role * most)
        size = int(sizes[role])
        inner = int(uint64(inner) // sizes[role])
        at = role
        end = total * roles
        while at < end:
            for choice in range(size):
                move = int(own[choice])
                for _ in range(inner):
                    moves[at] = move
                    at += roles


@called
def write_one_choice(
    game: DriverGame,
    mask: Array[uint64],
    sizes: Array[uint64],
    total: int,
    parent: int,
    parents: Array[int32],
    moves: Array[int32],
) -> None:
    """The joint moves where at most one of one or two roles has a choice; with them up to eight more are written."""
    mask_words = game.mask_words
    shift = 0
    pair = uint64(0)
    own = mask
    if game.roles == 2:
        waiting = mask.at(mask_words)
        if sizes[1] > 1:
            shift = 32
            own = waiting
            waiting = mask
        part = 0
        while waiting[part] == 0:
            part += 1
        pair = uint64(64 * part + lowest_one(waiting[part])) << (32 - shift)
    found = 0
    for part in range(mask_words):
        word = own[part]
        first = pair + (uint64(64 * part) << shift)
        while word != 0:
            if game.roles == 2:
                list_pairs(word & 255, first, shift, moves.at(2 * found))
            else:
                list_ones(word & 255, first, 0, moves.at(found))
            found += count_ones(word & 255)
            word >>= 8
            first += uint64(8) << shift
    at = 0
    while at < total:
        for place in range(8):
            parents[at + place] = parent
        at += 8


@called
def write_moves(
    game: DriverGame,
    mask: Array[uint64],
    sizes: Array[uint64],
    parent: int,
    capacity: int,
    parents: Array[int32],
    moves: Array[int32],
) -> int:
    """The joint moves of one parent; their number, even if they find no room."""
    roles, mask_words, most = game.roles, game.mask_words, game.most_moves
    total = 1
    choosers = 0
    for role in range(roles):
        size = 0
        for part in range(mask_words):
            size += count_ones(mask[role * mask_words + part])
        sizes[role] = uint64(size)
        total = min(total * size, MANY)
        if size > 1:
            choosers += 1
    if total == 0 or total > capacity:
        return total
    if choosers < 2 and roles <= 2 and total + 8 <= capacity:
        write_one_choice(game, mask, sizes, total, parent, parents, moves)
        return total
    lists = sizes.at(roles)
    for role in range(roles):
        listed(mask.at(role * mask_words), mask_words, lists.at(role * most))
    product(lists, sizes, most, roles, total, moves)
    for at in range(total):
        parents[at] = parent
    return total
