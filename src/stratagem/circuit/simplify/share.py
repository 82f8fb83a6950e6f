"""Shared parts of n-ary gates: operands that occur together in several gates become a gate of their own.

First operands that occur in exactly the same gates are joined, in time linear in the network; then, greedily,
the pair that most gates have in common, as in common-cube extraction (Brayton and McMullen, 1982).
"""

from __future__ import annotations

import heapq
from dataclasses import replace

from stratagem.circuit.construction.gates import Gates
from stratagem.circuit.construction.network import Network

PAIRS_OF = 40
"""Gates with more operands take no part in the search for pairs: its time grows with their square."""
PAIRS_LIMIT = 3_000_000
JOINS_LIMIT = 300_000
"""Operands that may be looked at again because a neighbour was joined; the best pairs have had their turn by then."""


def share(network: Network) -> Network:
    """*network* with common parts of its gates built once."""
    old = network.gates
    sets: dict[int, set[int]] = {}
    for component in network.components():
        for node in component:
            operands = old.operands[node]
            if operands is not None:
                sets[node] = set(operands)
    gates = old.copy()
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
    pairs = _common_pairs(sets)
    heap = [(-len(nodes), pair) for pair, nodes in pairs.items()]
    heapq.heapify(heap)
    work = 0
    while heap and work < JOINS_LIMIT:
        count, pair = heapq.heappop(heap)
        nodes = pairs.get(pair, set())
        if len(nodes) < 2:
            continue
        if len(nodes) != -count:
            heapq.heappush(heap, (-len(nodes), pair))
            continue
        work += sum(len(sets[node]) for node in nodes)
        _join_pair(gates, sets, pairs, heap, pair)


def _common_pairs(sets: dict[int, set[int]]) -> dict[tuple[int, int], set[int]]:
    """The pairs of operands that at least two gates have in common, with these gates.

    Almost all pairs occur once, so they are counted as numbers, all at once, before any is made a key.
    """
    import numpy as np

    by_size: dict[int, list[int]] = {}
    for node, literals in sets.items():
        by_size.setdefault(len(literals), []).append(node)
    codes, owners = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
    total = 0
    for size in sorted(by_size):
        each = size * (size - 1) // 2
        nodes = sorted(by_size[size])
        if each:
            del nodes[max(PAIRS_LIMIT - total, 0) // each :]
        if size > PAIRS_OF or not nodes:
            break
        total += each * len(nodes)
        rows = np.array([sorted(sets[node]) for node in nodes], dtype=np.int64).reshape(len(nodes), size)
        one, other = np.triu_indices(size, 1)
        codes.append(((rows[:, one] << 32) | rows[:, other]).ravel())
        owners.append(np.repeat(np.array(nodes, dtype=np.int64), each))
    code, owner = np.concatenate(codes), np.concatenate(owners)
    order = np.argsort(code, kind="stable")
    code, owner = code[order], owner[order]
    equal = code[1:] == code[:-1]
    common = np.zeros(len(code), dtype=np.bool_)
    common[1:] |= equal
    common[:-1] |= equal
    pairs: dict[tuple[int, int], set[int]] = {}
    for number, node in zip(code[common].tolist(), owner[common].tolist(), strict=True):
        pairs.setdefault((number >> 32, number & 0xFFFF_FFFF), set()).add(node)
    return pairs


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
