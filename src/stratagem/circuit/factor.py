"""Common factors: (a & b) | (a & c) becomes a & (b | c), most common factor first.

In terms of ANDs alone: ~(a & b) & ~(a & c) = ~(a & ~(~b & ~c)), so one rule serves sums and products.
"""

from __future__ import annotations

from collections import Counter

from stratagem.circuit.gates import Gates
from stratagem.circuit.network import Network
from stratagem.circuit.rewrite import Join


def factoring(network: Network) -> Join:
    """A way to build *network* anew that takes factors out of alternatives which nobody else reads."""
    old = network.gates.operands
    readers = [0] * len(old)
    for literal in network.outputs():
        readers[literal >> 1] += 1
    for component in network.components():
        for node in component:
            for literal in old[node] or (network.gates.variables.get(node, 0),):
                readers[literal >> 1] += 1

    def join(gates: Gates, literals: list[int], node: int) -> int:
        kept: list[int] = []
        alternatives: list[frozenset[int]] = []
        for literal, was in zip(literals, old[node] or (), strict=True):
            inner = gates.operands[literal >> 1]
            if literal & 1 and inner is not None and readers[was >> 1] == 1:
                alternatives.append(frozenset(inner))
            else:
                kept.append(literal)
        if len(alternatives) < 2:
            return gates.conjunction(literals)
        return gates.conjunction([*kept, *(part ^ 1 for part in sum_of_products(gates, alternatives))])

    return join


def sum_of_products(gates: Gates, products: list[frozenset[int]]) -> list[int]:
    """Literals whose OR is the OR of the ANDs *products*, with common factors taken out."""
    found: list[int] = []
    counts = Counter(literal for product in products for literal in product)
    while products:
        best, count = min(counts.items(), key=lambda item: (-item[1], item[0]), default=(0, 0))
        if count < 2:
            break
        group = [product for product in products if best in product]
        products = [product for product in products if best not in product]
        for product in group:
            counts.subtract(product)
        counts = Counter({literal: count for literal, count in counts.items() if count > 0})
        rest = sum_of_products(gates, [product - {best} for product in group])
        found.append(gates.conjunction([best, gates.disjunction(rest)]))
    found.extend(gates.conjunction(product) for product in products)
    return found
