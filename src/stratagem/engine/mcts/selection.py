"""How MCTS chooses its way down, and when the children of a node decide it.

One role that moves goes by upper confidence bounds (UCB1, Auer et al. 2002). Walks that have not been backed up count as
visits but not as losses (Liu et al., 2020). Where a table of moves is kept, a move that has few visits of its own is worth what the
matches say in which it was made at any time, below the nearest ancestor with a table (GRAVE, Cazenave 2015). Several
roles that move at once choose by regret matching (Hart and Mas-Colell, 2000; in trees: Lanctot et al., 2013), which tends to
an equilibrium where UCT would run in circles. Proofs go up as in Winands et al. (2008).
"""

from __future__ import annotations

from typing import Final

from stratagem.engine.mcts.graph import NO_ROLE, SEVERAL, UNKNOWN, SearchGraph, backed_up, edge_count
from stratagem.engine.mcts.memory import SearchThread
from stratagem.kernels import Array, inlined, kernel, log, sqrt, uint64
from stratagem.kernels.library.random_numbers import next_random, share

ROOT_FIRST: Final = 1e6
CURIOSITY: Final = 0.1
"""How often a role that moves at the same time as others tries any move."""
SCATTER: Final = 40_503
"""Spreads the numbers of nodes over the moves with which they begin."""


@inlined
def mean(graph: SearchGraph, node: int, role: int) -> float:
    """What a node that was backed up seems worth to a role."""
    if graph.proved[node]:
        return float(graph.goals[node, role])
    average = graph.totals[node, role] / backed_up(graph, node)
    if graph.roles == 1:  # alone, the best end counts: no opponent prevents it
        return 0.5 * average + 0.5 * float(graph.peaks[node])
    return average


@inlined
def known(graph: SearchGraph, child: int) -> bool:
    """Whether anything is known of the child of an edge."""
    return child >= 0 and (graph.proved[child] or backed_up(graph, child) > 0)


@inlined
def any_of(seeds: Array[uint64], count: int) -> int:
    """A random number below *count*."""
    return int(next_random(seeds) % uint64(count))


@kernel
def select(thread: SearchThread, node: int, table: int) -> int:
    """The edge that a walk takes from an open node; *table* has the moves made below an ancestor, or is NO_TABLE."""
    graph = thread.graph
    mover, first = graph.mover[node], graph.edge[node]
    if mover == NO_ROLE:
        return first
    if mover == SEVERAL:
        return first + select_joint(thread, node)
    if mover == thread.settings.chance:
        return first + any_of(thread.rollouts.seeds, graph.choices[node, mover])
    best, decided = select_by_bound(thread, node, mover, table)
    if decided >= 0:
        # There is nothing to learn from a proved child; but the mover has at least what it is worth.
        graph.anchor[node] = graph.child[decided]
        if best < 0 or graph.goals[graph.child[decided], mover] >= thread.tops[mover]:
            return decided
    return best


@inlined
def select_by_bound(thread: SearchThread, node: int, mover: int, table: int) -> tuple[int, int]:
    """The edges to the child with the highest bound that is not proved, and to the best one that is; -1: there is none.

    An edge that was never taken has the value of its node; at the root, all are taken before one is taken again.
    """
    graph, settings = thread.graph, thread.settings
    first, count = graph.edge[node], graph.choices[node, mover]
    reach = settings.exploration * sqrt(log(float(graph.visits[node]) + 1.0))
    wide = settings.puct * sqrt(float(graph.visits[node]))
    parent = graph.totals[node, mover] / max(1.0, float(backed_up(graph, node)))
    if backed_up(graph, node) == 0:
        parent = thread.rollouts.neutral[mover]
    moves, base = graph.moves[node], thread.batch.first_move[mover]
    for role in range(mover):
        moves += graph.choices[node, role]
    best, best_score, decided = -1, -1e30, -1
    # Which of several equal moves is tried first must not depend on their order in the rules.
    start = (node * SCATTER) % count
    for step in range(count):
        place = start + step
        if place >= count:
            place -= count
        edge = first + place
        child = graph.child[edge]
        score, tries = parent, graph.tries[edge]
        if child >= 0:
            if graph.proved[child]:
                if decided < 0 or graph.goals[child, mover] > graph.goals[graph.child[decided], mover]:
                    decided = edge
                continue
            if backed_up(graph, child) > 0:
                score = mean(graph, child, mover)
        elif graph.prior[edge] > 0.0:
            score = float(graph.guess[edge])
        if child < UNKNOWN:
            score -= ROOT_FIRST  # it is being looked at: a second look at the same time tells nothing more
        elif child == UNKNOWN and node == thread.root and graph.prior[edge] <= 0.0:
            score += ROOT_FIRST
        if table >= 0:
            move = base + graph.move[moves + place]
            made = float(graph.made_visits[table, move])
            if made > 0.0:
                share = made / (made + tries + settings.table_bias * made * tries)
                score += share * (float(graph.made_totals[table, move]) / made - score)
        if graph.prior[edge] > 0.0:
            score += wide * float(graph.prior[edge]) / (1.0 + tries)
        else:
            score += reach / sqrt(float(tries) + 1.0)
        if score > best_score:
            best, best_score = edge, score
    return best, decided


@inlined
def regretted(graph: SearchGraph, arm: int) -> float:
    """How much a choice is regretted, if at all."""
    return max(0.0, float(graph.arm_totals[arm]))


@kernel
def select_joint(thread: SearchThread, node: int) -> int:
    """Every role chooses for itself, as often as it regrets not having chosen so; the joint move's place."""
    graph, seeds = thread.graph, thread.rollouts.seeds
    place, arm = 0, graph.arm[node]
    for role in range(graph.roles):
        count, total = graph.choices[node, role], 0.0
        for choice in range(count):
            total += regretted(graph, arm + choice)
        random, chosen = share(next_random(seeds)), 0
        if role == thread.settings.chance or total <= 0.0 or random < CURIOSITY:
            chosen = any_of(seeds, count)
        else:
            left = total * (random - CURIOSITY) / (1.0 - CURIOSITY)
            while chosen < count - 1 and left >= regretted(graph, arm + chosen):
                left -= regretted(graph, arm + chosen)
                chosen += 1
        for choice in range(count):
            part = 1.0 / count if total <= 0.0 else regretted(graph, arm + choice) / total
            graph.arm_visits[arm + choice] = float(graph.arm_visits[arm + choice]) + part
        place = place * count + chosen
        arm += count
    return place


@kernel
def regret(graph: SearchGraph, node: int, edge: int, value: Array[float]) -> None:
    """What every role would have got by its other choices, the others' being the same, less what it got."""
    place, arm = edge - graph.edge[node], graph.arm[node]
    for role in range(graph.roles):
        arm += graph.choices[node, role]
    stride = 1
    for role in range(graph.roles - 1, -1, -1):
        count = graph.choices[node, role]
        arm -= count
        own = (place // stride) % count
        for choice in range(count):
            child = graph.child[edge + (choice - own) * stride]
            if known(graph, child):
                more = float(graph.arm_totals[arm + choice]) + mean(graph, child, role) - value[role]
                graph.arm_totals[arm + choice] = max(0.0, more)
        stride *= count


@kernel
def prove(thread: SearchThread, node: int) -> None:
    """Enters the value of an open node, where its children decide it.

    Of wins the quickest known is taken, of losses the one that takes longest.
    """
    graph = thread.graph
    mover = graph.mover[node]
    if mover == SEVERAL or (mover >= 0 and mover == thread.settings.chance):
        prove_equal(graph, node)
        return
    judge = max(mover, 0)
    best, every = -1, True
    for edge in range(graph.edge[node], graph.edge[node] + edge_count(graph, node)):
        child = graph.child[edge]
        if child < 0 or not graph.proved[child]:
            every = False
            continue
        if best < 0 or graph.goals[child, judge] > graph.goals[best, judge]:
            best = child
        elif graph.goals[child, judge] == graph.goals[best, judge]:
            hurries = 2 * graph.goals[child, judge] > thread.tops[judge]
            sooner = graph.distance[child] < graph.distance[best]
            if sooner == hurries and graph.distance[child] != graph.distance[best]:
                best = child
    if best >= 0 and (every or graph.goals[best, judge] >= thread.tops[judge]):
        decide(graph, node, best, graph.distance[best] + 1)


@inlined
def prove_equal(graph: SearchGraph, node: int) -> None:
    """Where no single role decides, all children must be proved, and equal."""
    first, longest = graph.edge[node], 0
    for edge in range(first, first + edge_count(graph, node)):
        child = graph.child[edge]
        if child < 0 or not graph.proved[child]:
            return
        for role in range(graph.roles):
            if graph.goals[child, role] != graph.goals[graph.child[first], role]:
                return
        longest = max(longest, graph.distance[child])
    decide(graph, node, graph.child[first], longest + 1)


@inlined
def decide(graph: SearchGraph, node: int, child: int, distance: int) -> None:
    """A node is worth what its child is worth, so many moves from the end."""
    for role in range(graph.roles):
        graph.goals[node, role] = graph.goals[child, role]
    graph.distance[node] = distance
    graph.proved[node] = True
