"""Common factors: (a & b) | (a & c) becomes a & (b | c), most common factor first.

In terms of ANDs alone: ~(a & b) & ~(a & c) = ~(a & ~(~b & ~c)), so one rule serves sums and products.
"""

from __future__ import annotations

import heapq

from stratagem.circuit.construction.gates import Gates
from stratagem.circuit.construction.network import Network
from stratagem.circuit.simplify.rewrite import And, Join


def factoring(network: Network) -> Join:
    """A way to build *network* anew that takes factors out of alternatives which no other gate reads."""
    old = network.gates.operands
    readers = [0] * len(old)
    for literal in network.outputs():
        readers[literal >> 1] += 1
    for component in network.components():
        for node in component:
            for literal in old[node] or (network.gates.variables.get(node, 0),):
                readers[literal >> 1] += 1

    def join(gates: Gates, literals: list[int], node: int, plain: And) -> int:
        kept: list[int] = []
        alternatives: list[frozenset[int]] = []
        for literal, was in zip(literals, old[node] or (), strict=True):
            inner = gates.operands[literal >> 1]
            if literal & 1 and inner is not None and readers[was >> 1] == 1:
                alternatives.append(frozenset(inner))
            else:
                kept.append(literal)
        if len(alternatives) < 2 or len(frozenset().union(*alternatives)) == sum(map(len, alternatives)):
            return plain(literals)
        return gates.conjunction([*kept, *(part ^ 1 for part in sum_of_products(gates, alternatives))])

    return join


def sum_of_products(gates: Gates, products: list[frozenset[int]]) -> list[int]:
    """Literals whose OR is the OR of the ANDs *products*, with common factors taken out."""
    found: list[int] = []
    holders: dict[int, set[int]] = {}
    for place, product in enumerate(products):
        for literal in product:
            holders.setdefault(literal, set()).add(place)
    # Counts only ever fall, so an entry that is out of date is put back with its count of today.
    heap = [(-len(places), literal) for literal, places in holders.items() if len(places) > 1]
    heapq.heapify(heap)
    left = dict.fromkeys(range(len(products)))
    while heap:
        count, best = heapq.heappop(heap)
        places = holders[best]
        if len(places) != -count:
            if len(places) > 1:
                heapq.heappush(heap, (-len(places), best))
            continue
        group = sorted(places)
        for place in group:
            del left[place]
            for literal in products[place]:
                holders[literal].discard(place)
        rest = sum_of_products(gates, [products[place] - {best} for place in group])
        found.append(gates.conjunction([best, gates.disjunction(rest)]))
    found.extend(gates.conjunction(products[place]) for place in left)
    return found
