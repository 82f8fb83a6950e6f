"""Shared parts of n-ary gates: operands that occur together in several gates become a gate of their own.

First operands that occur in exactly the same gates are joined, in time linear in the network; then, greedily,
the pair that most gates have in common, as in common-cube extraction (Brayton and McMullen, 1982).
"""

from __future__ import annotations

import heapq
from dataclasses import replace

from stratagem.circuit.gates import Gates
from stratagem.circuit.network import Network

PAIRS_OF = 40
"""Gates with more operands take no part in the search for pairs: its time grows with their square."""
PAIRS_LIMIT = 3_000_000


def share(network: Network) -> Network:
    """*network* with common parts of its gates built once."""
    old = network.gates
    sets: dict[int, set[int]] = {}
    for component in network.components():
        for node in component:
            operands = old.operands[node]
            if operands is not None:
                sets[node] = set(operands)
    gates = Gates(0)
    gates.ascending = False
    gates.operands = list(old.operands)
    gates.variables = dict(old.variables)
    gates._known = {operands: node for node, operands in enumerate(gates.operands) if operands is not None}
    _join_twins(gates, sets)
    _join_pairs(gates, sets)
    for node, literals in sets.items():
        gates.operands[node] = tuple(sorted(literals))
    return replace(network, gates=gates)


def _occurrences(sets: dict[int, set[int]]) -> dict[int, set[int]]:
    found: dict[int, set[int]] = {}
    for node, literals in sets.items():
        for literal in literals:
            found.setdefault(literal, set()).add(node)
    return found


def _new(gates: Gates, sets: dict[int, set[int]], literals: list[int]) -> int:
    key = tuple(sorted(literals))
    literal = gates.node(key)
    if literal >> 1 not in sets:
        sets[literal >> 1] = set(key)
    return literal


def _join_twins(gates: Gates, sets: dict[int, set[int]]) -> None:
    """Operands with the same readers, at least two of them, are joined first."""
    twins: dict[tuple[int, ...], list[int]] = {}
    for literal, nodes in _occurrences(sets).items():
        if len(nodes) > 1:
            twins.setdefault(tuple(sorted(nodes)), []).append(literal)
    for readers, literals in twins.items():
        if len(literals) > 1:
            joined = _new(gates, sets, literals)
            for node in readers:
                if node != joined >> 1:
                    sets[node].difference_update(literals)
                    sets[node].add(joined)


def _join_pairs(gates: Gates, sets: dict[int, set[int]]) -> None:
    """Again and again the pair that most gates have in common."""
    pairs: dict[tuple[int, int], set[int]] = {}
    total = 0
    for node in sorted(sets, key=lambda node: (len(sets[node]), node)):
        literals = sorted(sets[node])
        size = len(literals)
        total += size * (size - 1) // 2
        if size > PAIRS_OF or total > PAIRS_LIMIT:
            break
        for place, one in enumerate(literals):
            for other in literals[place + 1 :]:
                pairs.setdefault((one, other), set()).add(node)
    heap = [(-len(nodes), pair) for pair, nodes in pairs.items() if len(nodes) > 1]
    heapq.heapify(heap)
    while heap:
        count, pair = heapq.heappop(heap)
        nodes = pairs.get(pair, set())
        if len(nodes) < 2:
            continue
        if len(nodes) != -count:
            heapq.heappush(heap, (-len(nodes), pair))
            continue
        _join_pair(gates, sets, pairs, heap, pair)


def _join_pair(
    gates: Gates,
    sets: dict[int, set[int]],
    pairs: dict[tuple[int, int], set[int]],
    heap: list[tuple[int, tuple[int, int]]],
    pair: tuple[int, int],
) -> None:
    one, other = pair
    nodes = sorted(pairs.pop(pair))
    joined = _new(gates, sets, [one, other])
    risen: set[tuple[int, int]] = set()
    for node in nodes:
        if node == joined >> 1:
            continue
        literals = sets[node]
        literals.discard(one)
        literals.discard(other)
        for literal in literals:
            for gone in (one, other):
                users = pairs.get((literal, gone) if literal < gone else (gone, literal))
                if users is not None:
                    users.discard(node)
            new = (literal, joined) if literal < joined else (joined, literal)
            pairs.setdefault(new, set()).add(node)
            risen.add(new)
        literals.add(joined)
    for new in sorted(risen):
        if len(pairs[new]) > 1:
            heapq.heappush(heap, (-len(pairs[new]), new))
