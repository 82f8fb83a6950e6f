"""Kernels on packed states: children, views and successors of one state, with facts and moves by number.

Bit i of a packed state is fact i, as for native code. A kernel that does not end well has done nothing that counts: it is
called again for the same state, once Python has helped.
"""

from __future__ import annotations

from typing import Final

from stratagem.kernels import Array, inlined, int16, int32, kernel, lowest_one, uint64
from stratagem.machines.joins.kernels.evaluation import answer, load_moves, load_state
from stratagem.machines.joins.kernels.memory import MISSING, Numbering, Status, Work
from stratagem.machines.joins.kernels.playouts import GOAL, LEGAL, NEXT, TERMINAL, goal_of
from stratagem.machines.joins.kernels.tables import cell_of

GOALS_BELOW: Final = 1 << 15
"""Goals that have room."""


@inlined
def load_packed(work: Work, pack: Numbering, state: Array[uint64]) -> int:
    """Makes a packed state the one that questions are about."""
    count = 0
    for word in range(pack.words):
        bits = state[word]
        while bits != 0:
            pack.facts[count] = pack.fact[64 * word + lowest_one(bits)]
            count += 1
            bits &= bits - 1
    return load_state(work, pack.facts, count)


@inlined
def pack_next(work: Work, pack: Numbering, state: Array[uint64]) -> bool:
    """What is next, as a packed state; False where a fact has no number."""
    tables = work.tables
    for word in range(pack.words):
        state[word] = 0
    for row in range(tables.count[work.next]):
        fact = tables.cells[cell_of(tables, work.next, row)]
        number = pack.number_of_fact[fact] if fact < pack.terms else -1
        if number < 0:
            return False
        state[number >> 6] |= uint64(1) << uint64(number & 63)
    return True


@kernel
def see_legal(work: Work, pack: Numbering, state: Array[uint64], legal: Array[uint64]) -> int:
    """The legal moves of a state, a mask for each role."""
    status = load_packed(work, pack, state)
    if status == Status.DONE:
        status = answer(work, LEGAL)
    if status != Status.DONE:
        return status
    tables = work.tables
    for word in range(work.role_room * pack.mask_words):
        legal[word] = 0
    for row in range(tables.count[work.legal]):
        cell = cell_of(tables, work.legal, row)
        for role in range(work.role_room):
            if tables.cells[cell] == work.roles[role]:
                move = tables.cells[cell + 1]
                number = pack.number_of_move[role, move] if move < pack.terms else -1
                if number < 0:
                    return Status.UNKNOWN
                legal[role * pack.mask_words + (number >> 6)] |= uint64(1) << uint64(number & 63)
    return Status.DONE


@kernel
def see_end(
    work: Work, pack: Numbering, state: Array[uint64], terminal: Array[bool], goals: Array[int16]
) -> int:
    """Whether a state is terminal, and its goals; -1 for none, or not exactly one."""
    status = load_packed(work, pack, state)
    if status == Status.DONE:
        status = answer(work, TERMINAL)
    if status == Status.DONE:
        status = answer(work, GOAL)
    if status == Status.DONE:
        terminal[0] = work.tables.count[work.terminal] > 0
        for role in range(work.role_room):
            goal = goal_of(work, pack.number, role)
            goals[role] = int16(-1 if goal == MISSING or goal < 0 or goal >= GOALS_BELOW else goal)
    return status


@kernel
def advance_one(
    work: Work, pack: Numbering, state: Array[uint64], moves: Array[int32], child: Array[uint64]
) -> int:
    """The state after a joint move."""
    status = load_packed(work, pack, state)
    if status != Status.DONE:
        return status
    return follow(work, pack, moves, child)


@kernel
def follow(work: Work, pack: Numbering, moves: Array[int32], child: Array[uint64]) -> int:
    """The state after a joint move from the state that is loaded."""
    for role in range(work.role_room):
        pack.joint[role] = pack.move[role, moves[role]]
    status = load_moves(work, pack.joint)
    if status == Status.DONE:
        status = answer(work, NEXT)
    if status == Status.DONE and not pack_next(work, pack, child):
        return Status.UNKNOWN
    return status


@inlined
def next_legal(pack: Numbering, role: int, after: int) -> int:
    """The first legal move of a role behind move number *after*, -1 where there is none."""
    place = (after + 1) >> 6
    if place >= pack.mask_words:
        return -1
    first = role * pack.mask_words
    bits = pack.legal[first + place] >> uint64((after + 1) & 63)
    if bits != 0:
        return after + 1 + lowest_one(bits)
    for word in range(place + 1, pack.mask_words):
        if pack.legal[first + word] != 0:
            return 64 * word + lowest_one(pack.legal[first + word])
    return -1


@inlined
def next_joint(pack: Numbering, roles: int) -> bool:
    """The joint move that comes after the present one; False where that was the last."""
    for back in range(roles):
        role = roles - 1 - back
        move = next_legal(pack, role, pack.chosen[role])
        if move >= 0:
            pack.chosen[role] = move
            return True
        pack.chosen[role] = next_legal(pack, role, -1)
    return False


@kernel
def expand_one(
    work: Work,
    pack: Numbering,
    state: Array[uint64],
    children: Array[uint64],
    moves: Array[int32],
    terminal: Array[bool],
    goals: Array[int16],
    capacity: int,
) -> int:
    """All children of a state; `made` says how many. More than *capacity* are counted and not kept."""
    roles = work.role_room
    status = see_legal(work, pack, state, pack.legal)
    if status != Status.DONE:
        return status
    pack.made = 0
    for role in range(roles):
        pack.chosen[role] = next_legal(pack, role, -1)
        if pack.chosen[role] < 0:
            return Status.DONE
    going = True
    while going:
        if pack.made < capacity:
            for role in range(roles):
                moves[pack.made * roles + role] = pack.chosen[role]
            status = follow(work, pack, moves.at(pack.made * roles), children.at(pack.made * pack.words))
            if status != Status.DONE:
                return status
        pack.made += 1
        going = next_joint(pack, roles)
    if pack.made > capacity:
        return Status.DONE
    for child in range(pack.made):
        status = see_end(
            work, pack, children.at(child * pack.words), terminal.at(child), goals.at(child * roles)
        )
        if status != Status.DONE:
            return status
    return Status.DONE
