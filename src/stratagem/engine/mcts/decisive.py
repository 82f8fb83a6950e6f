"""Decisive moves (Teytaud and Teytaud, 2010): a new leaf in which the role to move can win at once is proved at once."""

from __future__ import annotations

from stratagem.engine.mcts.graph import FRESH, NO_ROLE, SEVERAL, STUCK, enter_state, open_node
from stratagem.engine.mcts.memory import SearchThread
from stratagem.engine.mcts.selection import prove
from stratagem.kernels import count_ones, inlined, kernel
from stratagem.kernels.library.hashing import copy_state


@kernel
def find_wins(thread: SearchThread) -> None:
    """The winning moves of the new leaves that are not terminal, from all their children. Without the lock.

    Where children are played, they are kept, as far as there is room.
    """
    batch = thread.batch
    done, used = 0, 0
    while done < batch.leaves:
        # A terminal state has children by the rules, too; they are not asked for.
        if batch.terminal[done]:
            done += 1
            continue
        last = done + 1
        while last < batch.leaves and not batch.terminal[last]:
            last += 1
        made = thread.expand(
            batch.states.at(done, 0),
            last - done,
            batch.children.at(used, 0),
            batch.child_parents.at(used),
            batch.child_moves.at(used, 0),
            batch.child_terminal.at(used),
            batch.child_goals.at(used, 0),
            batch.child_room - used,
            batch.consumed,
        )
        if made < 0:
            done += 1  # it has more children than there is room for
            continue
        keep = thread.settings.together == 0
        note_wins(thread, done, used, made, keep)
        if keep:
            used += made
        done += batch.consumed[0]
    batch.kept = used


@kernel
def expand_again(thread: SearchThread) -> None:
    """The children of the nodes whose children are to be played. Without the lock."""
    batch = thread.batch
    for place in range(batch.capacity - batch.again, batch.capacity):
        if batch.wanted[place]:
            made = thread.expand(
                batch.states.at(place, 0),
                1,
                batch.children.at(batch.kept, 0),
                batch.child_parents.at(batch.kept),
                batch.child_moves.at(batch.kept, 0),
                batch.child_terminal.at(batch.kept),
                batch.child_goals.at(batch.kept, 0),
                batch.child_room - batch.kept,
                batch.consumed,
            )
            if made > 0:
                note_wins(thread, place, batch.kept, made, True)
                batch.kept += made


@inlined
def note_wins(thread: SearchThread, first: int, used: int, made: int, keep: bool) -> None:
    """Reads the first winning move of each leaf off its children, which lie from place *used* on; leaves count from *first*."""
    batch = thread.batch
    parent, start, mover = -1, 0, NO_ROLE
    for child in range(used, used + made):
        place = first + batch.child_parents[child]
        if place != parent:
            parent, start = place, child
            mover = only_mover(thread, place)
            batch.first_child[place] = child
        if keep:
            batch.child_count[place] += 1
        if batch.child_terminal[child] and mover >= 0 and batch.winning[place] < 0:
            if batch.child_goals[child, mover] >= thread.tops[mover]:
                batch.winning[place] = child - start
                copy_state(batch.children.row(child), batch.won.row(place), batch.words)
                for role in range(batch.roles):
                    batch.won_goals[place, role] = max(0, batch.child_goals[child, role])


@inlined
def only_mover(thread: SearchThread, place: int) -> int:
    """The role that has a choice at a leaf, NO_ROLE or SEVERAL; chance decides nothing."""
    batch, mover = thread.batch, NO_ROLE
    for role in range(batch.roles):
        count = 0
        for word in range(batch.masks):
            count += count_ones(batch.legal[place, role, word])
        if count > 1:
            mover = role if mover == NO_ROLE else SEVERAL
    return SEVERAL if mover == thread.settings.chance else mover


@kernel
def enter_win(thread: SearchThread, place: int, node: int) -> None:
    """Opens the node of a leaf with a winning move and proves it, if there is room; with the lock held."""
    graph, batch = thread.graph, thread.batch
    if graph.states.used >= graph.nodes or graph.status[node] == STUCK:
        return
    if graph.status[node] == FRESH and not open_node(graph, node):
        return
    child = enter_state(graph, batch.won.row(place))
    graph.proved[child] = True
    for role in range(graph.roles):
        graph.goals[child, role] = batch.won_goals[place, role]
    graph.child[graph.edge[node] + batch.winning[place]] = child
    prove(thread, node)
