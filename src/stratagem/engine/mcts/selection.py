"""How MCTS chooses its way down, and when the children of a node decide it.

One role that moves goes by promise and prior (PUCT, Rosin 2011); several that move at once choose by regret matching (Hart
and Mas-Colell, 2000; in trees: Lanctot et al., 2013), which tends to an equilibrium where UCT would run in circles. Proofs
go up as in Winands et al. (2008).
"""

from __future__ import annotations

from typing import Final

from stratagem.engine.mcts.graph import NOBODY, SEVERAL, SearchGraph, edge_count
from stratagem.engine.mcts.memory import SearchThread
from stratagem.kernels import Array, inlined, kernel, sqrt, uint64
from stratagem.kernels.library.random_numbers import next_random, share

CURIOSITY: Final = 0.1
"""How often a role that moves at the same time as others tries any move."""
SCATTER: Final = 40_503
"""Spreads the numbers of nodes over the moves with which they begin."""


@inlined
def mean(graph: SearchGraph, node: int, role: int) -> float:
    """What a visited node seems worth to a role."""
    if graph.proved[node]:
        return float(graph.goals[node, role])
    average = graph.totals[node, role] / graph.visits[node]
    if graph.roles == 1:  # alone, the best end counts: nobody keeps one from it
        return 0.5 * average + 0.5 * float(graph.peaks[node])
    return average


@inlined
def any_of(seeds: Array[uint64], count: int) -> int:
    """A random number below *count*."""
    return int(next_random(seeds) % uint64(count))


@kernel
def select(thread: SearchThread, node: int) -> int:
    """The edge that a walk takes from an open node."""
    graph = thread.graph
    mover, first = graph.mover[node], graph.edge[node]
    if mover == NOBODY:
        return first
    if mover == SEVERAL:
        return first + select_joint(thread, node)
    if mover == thread.settings.chance:
        return first + any_of(thread.rollouts.seeds, graph.choices[node, mover])
    best, decided = select_by_promise(thread, node, mover)
    if decided >= 0:
        # There is nothing to learn from a proved child; but the mover has at least what it is worth.
        graph.anchor[node] = graph.child[decided]
        if best < 0 or graph.goals[graph.child[decided], mover] >= thread.tops[mover]:
            return decided
    return best


@inlined
def select_by_promise(thread: SearchThread, node: int, mover: int) -> tuple[int, int]:
    """The edges to the most promising child that is not proved, and to the best one that is; -1 where there is none."""
    graph, settings = thread.graph, thread.settings
    first, count = graph.edge[node], graph.choices[node, mover]
    root = sqrt(graph.visits[node])
    unknown = graph.totals[node, mover] / max(1.0, graph.visits[node])
    best, best_score, decided = -1, -1e30, -1
    # Where moves have no first guess, which one is tried first must not depend on their order in the rules.
    start = (node * SCATTER) % count if count > settings.together else 0
    for step in range(count):
        edge = first + (start + step) % count
        child = graph.child[edge]
        if graph.proved[child]:
            if decided < 0 or graph.goals[child, mover] > graph.goals[graph.child[decided], mover]:
                decided = edge
            continue
        score = mean(graph, child, mover) if graph.visits[child] > 0 else unknown
        score += settings.exploration * float(graph.prior[edge]) * root / (1.0 + graph.tries[edge])
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
            if graph.proved[child] or graph.visits[child] > 0:
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
        if not graph.proved[child]:
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
    """Where nobody alone decides, all children must be proved, and equal."""
    first, longest = graph.edge[node], 0
    for edge in range(first, first + edge_count(graph, node)):
        child = graph.child[edge]
        if not graph.proved[child]:
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
