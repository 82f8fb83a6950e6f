"""The leaves of a batch: their states in one native call, their matches in another, and their nodes in the graph."""

from __future__ import annotations

from stratagem.engine.mcts.backup import back_up
from stratagem.engine.mcts.decisive import enter_win, expand_again, find_wins
from stratagem.engine.mcts.graph import FRESH, NO_ROLE, SEVERAL, STUCK, UNKNOWN, edge_count, enter_state
from stratagem.engine.mcts.learned import expected_goal, log_odds
from stratagem.engine.mcts.memory import SearchThread
from stratagem.engine.mcts.rollouts import LANES, play_leaves
from stratagem.engine.mcts.together import guess_moves, line_up_children, value_of_children
from stratagem.kernels import Array, count_ones, inlined, kernel, lowest_one, uint64
from stratagem.kernels.library.hashing import copy_state
from stratagem.native.playouts.lane_block import RESULTS

WIDEST = 1 << 17
"""Joint moves from one state that can be held."""


@kernel
def look_at_leaves(thread: SearchThread) -> None:
    """The states of the new leaves, and what the rules say about them. Without the lock."""
    batch, first = thread.batch, thread.batch.capacity - thread.batch.again
    for place in range(batch.leaves):
        batch.winning[place], batch.child_count[place] = -1, 0
    for place in range(first, batch.capacity):
        batch.winning[place], batch.child_count[place] = -1, 0
    batch.kept = 0
    if batch.leaves > 0:
        thread.advance(batch.parents.at(0), batch.leaves, batch.joint.at(0), batch.states.at(0))
        thread.evaluate(
            batch.states.at(0), batch.leaves, batch.legal.at(0), batch.terminal, batch.goals.at(0)
        )
        if thread.settings.decisive != 0 or thread.settings.together == 0:
            find_wins(thread)
    if batch.queued > 0:
        thread.evaluate(
            batch.states.at(first, 0),
            batch.again,
            batch.legal.at(first, 0, 0),
            batch.terminal.at(first),
            batch.goals.at(first, 0),
        )
        expand_again(thread)


@kernel
def enter_leaves(thread: SearchThread) -> None:
    """Enters the new leaves into the graph, as far as there is room; with the lock held."""
    graph, batch = thread.graph, thread.batch
    for place in range(batch.leaves):
        edge = batch.leaf_edge[place]
        node = enter_leaf(thread, place)
        batch.leaf_node[place] = node
        graph.child[edge] = node if node >= 0 else UNKNOWN
    for place in range(batch.capacity - batch.again, batch.capacity):
        if batch.winning[place] >= 0 and not graph.proved[batch.leaf_node[place]]:
            enter_win(thread, place, batch.leaf_node[place])


@kernel
def enter_leaf(thread: SearchThread, place: int) -> int:
    """The node of a leaf, whose legal moves and goals are known; -1: there is no room for it."""
    graph, batch = thread.graph, thread.batch
    if graph.states.used >= graph.nodes or graph.moves_used + batch.all_moves > graph.move_room:
        graph.full = True
        return -1
    new = graph.states.used
    node = enter_state(graph, batch.states.row(place))
    if node == new:
        if batch.terminal[place]:
            graph.proved[node] = True
            for role in range(graph.roles):
                graph.goals[node, role] = max(0, batch.goals[place, role])
        else:
            list_moves(thread, place, node)
            if batch.winning[place] >= 0 and graph.status[node] == FRESH:
                enter_win(thread, place, node)
    return node


@inlined
def list_moves(thread: SearchThread, place: int, node: int) -> None:
    """Writes the legal moves of a new node down, role by role; who moves follows from their numbers."""
    graph, batch = thread.graph, thread.batch
    used, mover = graph.moves_used, NO_ROLE
    graph.moves[node] = used
    for role in range(graph.roles):
        before = used
        for word in range(batch.masks):
            bits = batch.legal[place, role, word]
            while bits != 0:
                graph.move[used] = 64 * word + lowest_one(bits)
                used += 1
                bits &= bits - 1
        graph.choices[node, role] = used - before
        if used - before > 1:
            mover = role if mover == NO_ROLE else SEVERAL
    graph.moves_used = used
    graph.mover[node] = mover
    count = edge_count(graph, node)
    if count == 0 or count > WIDEST:
        graph.status[node] = STUCK


@kernel
def play_batch(thread: SearchThread) -> None:
    """Plays the leaves that are not terminal, all in one call; their values. Without the lock."""
    batch, rollouts = thread.batch, thread.rollouts
    count = 0
    for step in range(batch.leaves + batch.again):
        place = step if step < batch.leaves else batch.capacity - 1 - (step - batch.leaves)
        batch.lane_of[place] = -1
        over = place < batch.leaves and batch.terminal[place]
        if not over and batch.winning[place] < 0:
            # There must be room left for every leaf that is still to come.
            if count + batch.child_count[place] + batch.leaves + batch.again - step > batch.lanes:
                batch.child_count[place] = 0
            if batch.child_count[place] > 0:
                batch.lane_of[place] = count
                count = line_up_children(thread, place, count)
                continue
            copy_state(batch.states.row(place), batch.playing.row(count), batch.words)
            batch.lane_of[place] = count
            count += 1
        else:
            for role in range(batch.roles):
                batch.values[place, role] = float(max(0, batch.goals[place, role]))
                if batch.winning[place] >= 0:
                    batch.values[place, role] = float(batch.won_goals[place, role])
            batch.peaks[place] = batch.values[place, 0]
    batch.played = 0
    if count > 0:
        play_leaves(rollouts, batch.playing.at(0), count)
        batch.played = count * rollouts.per_state
        add_learned(thread, count)
    for step in range(batch.leaves + batch.again):
        place = step if step < batch.leaves else batch.capacity - 1 - (step - batch.leaves)
        if batch.lane_of[place] >= 0:
            if batch.child_count[place] > 0:
                value_of_children(thread, place)
            else:
                value_leaf(thread, place)


@inlined
def value_leaf(thread: SearchThread, place: int) -> None:
    """The value of a leaf by its matches."""
    batch = thread.batch
    lane = batch.lane_of[place]
    batch.peaks[place] = thread.rollouts.peaks[lane]
    for role in range(batch.roles):
        batch.values[place, role] = thread.rollouts.values[lane, role]


@inlined
def add_learned(thread: SearchThread, count: int) -> None:
    """Adds what the learned evaluation says of the states that were played."""
    batch, learned, rollouts = thread.batch, thread.learned, thread.rollouts
    if learned.movers > 0:
        thread.evaluate(
            batch.playing.at(0), count, batch.lane_legal.at(0), batch.lane_terminal, batch.lane_goals.at(0)
        )
    for lane in range(count):
        for role in range(learned.roles):
            odds = log_odds(learned, batch.playing.row(lane), batch.lane_legal.at(lane, 0, 0), role)
            more = expected_goal(odds) - rollouts.values[lane, role]
            rollouts.values[lane, role] += thread.settings.learned_share * more


@kernel
def back_up_leaves(thread: SearchThread) -> None:
    """Backs the values of all leaves up their walks; with the lock held."""
    graph, batch = thread.graph, thread.batch
    for walk in range(batch.walks):
        first, depth, place = batch.first[walk], batch.depth[walk], batch.place[walk]
        node = batch.leaf_node[place]
        for role in range(graph.roles):
            batch.value[role] = batch.values[place, role]
        entered = node >= 0
        if place < batch.leaves and entered:
            for step in range(first, first + depth):
                if batch.nodes[step] == node:
                    entered = False  # the leaf is a node of the walk: a cycle
            if entered:
                batch.nodes[first + depth] = node
                graph.visits[node] += 1
                graph.flying[node] += 1
                graph.deepest = max(graph.deepest, depth)
            else:
                for role in range(graph.roles):
                    batch.value[role] = thread.rollouts.neutral[role]
        if entered:
            if batch.lane_of[place] >= 0 and batch.child_count[place] > 0:
                guess_moves(thread, place, node)
            elif place >= batch.leaves and batch.wanted[place]:
                graph.prior[graph.edge[node]] = 0.0  # there was no room for its children this time
            graph.peaks[node] = max(float(graph.peaks[node]), batch.peaks[place])
        if graph.tables > 0 and batch.lane_of[place] >= 0 and batch.child_count[place] == 0:
            list_played(thread, batch.lane_of[place])
        back_up(thread, first, depth, entered)
    graph.matches += batch.played


@kernel
def list_played(thread: SearchThread, lane: int) -> None:
    """The moves that were made in the matches of a state, with their values for the role that made them."""
    batch, rollouts = thread.batch, thread.rollouts
    each, row, goal_row = rollouts.per_state, rollouts.played, 0
    for role in range(batch.roles):
        last = batch.all_moves if role + 1 == batch.roles else batch.first_move[role + 1]
        values = 0
        while goal_row + values < rollouts.goal_rows and rollouts.row_role[goal_row + values] == role:
            values += 1
        for move in range(batch.first_move[role], last):
            made, total = 0, 0.0
            for word in range(lane * each // LANES, (lane * each + each - 1) // LANES + 1):
                bits = rollouts.block[row, word] & lanes_in(lane * each, each, word)
                if bits != 0:
                    count = count_ones(bits)
                    made += count
                    for value in range(goal_row, goal_row + values):
                        ended = count_ones(bits & rollouts.block[RESULTS + value, word])
                        total += ended * rollouts.row_goal[value]
                        count -= ended
                    total += count * rollouts.neutral[role]
            row += 1
            if made > 0:
                batch.made[batch.found] = move
                batch.found += 1
                batch.made_count[move], batch.made_total[move] = made / each, total / each
        goal_row += values


@inlined
def lanes_in(first: int, count: int, word: int) -> uint64:
    """The lanes of a word among *count* from lane *first* on: all of them, where a state has whole words."""
    if count >= LANES:
        return uint64(0xFFFFFFFFFFFFFFFF)
    return ((uint64(1) << count) - 1) << (first - LANES * word)


@kernel
def enter_root(thread: SearchThread, state: Array[uint64]) -> int:
    """The node of a state from which one wants to search; there must be room."""
    batch = thread.batch
    copy_state(state, batch.states.row(0), batch.words)
    batch.winning[0] = -1
    thread.evaluate(batch.states.at(0), 1, batch.legal.at(0), batch.terminal, batch.goals.at(0))
    return enter_leaf(thread, 0)
