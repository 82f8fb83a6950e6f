"""Random matches: the kernel plays them one after the other, and can be left and taken up again at any point."""

from __future__ import annotations

from typing import Final

from stratagem.kernels import Array, inlined, kernel, uint64
from stratagem.kernels.library.random_numbers import mixed, next_random
from stratagem.kernels.splitmix import GOLDEN
from stratagem.machines.joins.kernels.evaluation import answer, load_moves, load_state
from stratagem.machines.joins.kernels.memory import MISSING, MatchEnding, MatchPhase, RandomPlay, Status, Work
from stratagem.machines.joins.kernels.tables import cell_of
from stratagem.machines.joins.kernels.terms import select_term

TERMINAL: Final = 1
LEGAL: Final = 2
GOAL: Final = 3
NEXT: Final = 4
LOW_HALF: Final = 0xFFFFFFFF


@inlined
def uniform(generator: Array[uint64], bound: int) -> int:
    """A number from 0 up to *bound*, each exactly as likely (Lemire, 2019)."""
    least = uint64((1 << 32) % bound)
    product = (next_random(generator) >> 32) * uint64(bound)
    while product & LOW_HALF < least:
        product = (next_random(generator) >> 32) * uint64(bound)
    return int(product >> 32)


@kernel
def legal_moves(work: Work, play: RandomPlay, role: int) -> int:
    """The legal moves of a role, into the buffer; how many."""
    tables = work.tables
    count = 0
    for row in range(tables.count[work.legal]):
        cell = cell_of(tables, work.legal, row)
        if tables.cells[cell] == work.roles[role]:
            play.moves[count] = tables.cells[cell + 1]
            count += 1
    return count


@inlined
def choose(work: Work, play: RandomPlay) -> bool:
    """A legal joint move, all equally likely; False where a role has none."""
    for role in range(play.role_room):
        count = legal_moves(work, play, role)
        if count == 0:
            return False
        wanted = uniform(play.generator, count) if count > 1 else 0
        play.joint[role] = select_term(work.terms, play.moves, count, wanted)
    return True


@kernel
def goal_of(work: Work, numbers: Array[int], role: int) -> int:
    """The one number that the goals of a role spell, MISSING where there is not exactly one."""
    tables, terms = work.tables, work.terms
    found, several = MISSING + 0, False
    for row in range(tables.count[work.goal]):
        cell = cell_of(tables, work.goal, row)
        if tables.cells[cell] == work.roles[role]:
            value = numbers[terms.function[tables.cells[cell + 1]]]
            several = several or (found != MISSING and found != value) or value == MISSING
            found = value
    return MISSING if several else found


@inlined
def score(work: Work, play: RandomPlay) -> None:
    """Notes the goals."""
    for role in range(play.role_room):
        play.goals[play.match, role] = goal_of(work, play.number, role)


@inlined
def finish(play: RandomPlay, ending: int) -> None:
    play.ending[play.match] = ending
    play.length[play.match] = play.ply
    play.match += 1
    play.phase = MatchPhase.BEGIN


@inlined
def begin(work: Work, play: RandomPlay) -> int:
    """A match begins at the root, with random numbers of its own."""
    play.generator[0] = mixed(play.seed + uint64(play.begun + play.match) * GOLDEN)
    play.ply = 0
    status = load_state(work, play.root, play.root_facts)
    if status == Status.DONE:
        play.phase = MatchPhase.LOOK
    return status


@inlined
def look(work: Work, play: RandomPlay) -> int:
    """Whether the match is over."""
    status = answer(work, TERMINAL)
    if status == Status.DONE:
        over = work.tables.count[work.terminal] > 0
        if not over and play.ply >= play.limit:
            finish(play, MatchEnding.LIMIT)
        else:
            play.phase = MatchPhase.SCORE if over else MatchPhase.MOVE
    return status


@inlined
def move(work: Work, play: RandomPlay) -> int:
    """The choice of a joint move."""
    status = answer(work, LEGAL)
    if status != Status.DONE:
        return status
    if work.tables.count[work.legal] > play.move_room:
        work.where = work.tables.count[work.legal]
        return Status.ROOM
    if not choose(work, play):
        finish(play, MatchEnding.STUCK)
        return Status.DONE
    if play.ply == 0 and play.dealt > 0:
        for role in range(play.role_room):
            play.joint[role] = play.first[(play.begun + play.match) % play.dealt, role]
    play.phase = MatchPhase.DO
    return Status.DONE


@inlined
def step(work: Work, play: RandomPlay) -> int:
    """What is true next."""
    tables = work.tables
    status = answer(work, NEXT)
    if status != Status.DONE:
        return status
    count = tables.count[work.next]
    if count > play.fact_room:
        work.where = count
        return Status.ROOM
    for row in range(count):
        play.state[row] = tables.cells[cell_of(tables, work.next, row)]
    play.facts = count
    play.ply += 1
    play.phase = MatchPhase.ENTER
    return Status.DONE


@kernel
def move_on(work: Work, play: RandomPlay) -> int:
    """One phase of a match. Where it does not end well it is done again, once Python has helped."""
    if play.phase == MatchPhase.BEGIN:
        return begin(work, play)
    if play.phase == MatchPhase.LOOK:
        return look(work, play)
    if play.phase == MatchPhase.MOVE:
        return move(work, play)
    if play.phase == MatchPhase.STEP:
        return step(work, play)
    if play.phase == MatchPhase.DO:
        status = load_moves(work, play.joint)
        if status == Status.DONE:
            play.phase = MatchPhase.STEP
    elif play.phase == MatchPhase.ENTER:
        status = load_state(work, play.state, play.facts)
        if status == Status.DONE:
            play.phase = MatchPhase.LOOK
    else:
        status = answer(work, GOAL)
        if status == Status.DONE:
            score(work, play)
            finish(play, MatchEnding.END)
    return status


@kernel
def play_matches(work: Work, play: RandomPlay, most: int, slice: int) -> int:
    """Plays matches of the block up to number *most*, for about *slice* steps; PAUSE: there is more to do."""
    begin = work.spent
    while play.match < most:
        status = move_on(work, play)
        if status != Status.DONE:
            return status
        if work.spent - begin > slice:
            return Status.PAUSE
    return Status.DONE
