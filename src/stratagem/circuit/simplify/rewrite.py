"""Rewriting of a network, gate by gate, with what is known by now."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TypeAlias

from stratagem.circuit.construction.gates import FALSE, TRUE, Gates, define_loop
from stratagem.circuit.construction.network import Network
from stratagem.circuit.simplify.constants import Reachability

And: TypeAlias = Callable[[list[int]], int]
Join: TypeAlias = Callable[[Gates, list[int], int, And], int]
"""Makes the literal of an AND: the new gates, its operands, the node it was before, and how if nothing is to be won."""


def plain_join(_gates: Gates, literals: list[int], _node: int, plain: And) -> int:
    return plain(literals)


def fold(network: Network, known: Reachability, *, join: Join = plain_join) -> Network:
    """*network* without the propositions, moves and gates that never change."""
    may, must = known.may, known.must
    bases = [place for place in range(len(network.bases)) if may[1 + place] and not must[1 + place]]
    constants = [term for place, term in enumerate(network.bases) if must[1 + place]]
    moves = [[node for node in nodes if may[node]] for nodes in network.move_nodes()]
    values: dict[int, int] = {}
    for node in range(network.first_gate):
        values[node] = TRUE if must[node] else FALSE
    for component in network.components():
        for node in component:
            if must[node]:
                values[node] = TRUE
            elif not may[node]:
                values[node] = FALSE
    values[0] = FALSE
    node = 1
    for old in [1 + place for place in bases] + [old for several in moves for old in several]:
        values[old] = 2 * node
        node += 1
    smaller = replace(
        network,
        bases=tuple(network.bases[place] for place in bases),
        moves=tuple(
            tuple(terms[node - nodes.start] for node in several)
            for terms, nodes, several in zip(network.moves, network.move_nodes(), moves, strict=True)
        ),
        constants=network.constants | frozenset(constants),
        initial=tuple(network.initial[place] for place in bases),
        next=tuple(network.next[place] for place in bases),
        legal=tuple(
            tuple(legal[node - nodes.start] for node in several)
            for legal, nodes, several in zip(network.legal, network.move_nodes(), moves, strict=True)
        ),
    )
    same = [1 + place for place in bases]
    for nodes, several in zip(network.move_nodes(), moves, strict=True):
        if len(several) == len(nodes):
            same.extend(nodes)
    return rewrite(smaller, values, join=join, same=same)


def rewrite(
    network: Network,
    values: dict[int, int] | None = None,
    *,
    join: Join = plain_join,
    choices: Sequence[Sequence[int]] = (),
    same: Iterable[int] = (),
) -> Network:
    """*network* over new gates.

    *values* gives the new literals of nodes that are known, at least of all inputs where they are renumbered;
    *choices* are groups of new input nodes of which exactly one holds, besides the moves of each role; *same* are old
    inputs of which no more is known than when *network* was built.
    """
    gates = Gates(network.first_gate - 1)
    for nodes in network.move_nodes():
        gates.exactly_one(nodes)
    for group in choices:
        gates.exactly_one(group)
    if values is None:
        values = {node: 2 * node for node in range(network.first_gate)}
        same = () if choices else range(1, network.first_gate)
    builder = _Rewriter(network, gates, values, join, set(same))
    legal = tuple(tuple(builder.literals(several)) for several in network.legal)
    for nodes, several in zip(network.move_nodes(), legal, strict=True):
        for node, literal in zip(nodes, several, strict=True):
            gates.imply(2 * node, literal)
    return replace(
        network,
        gates=gates,
        legal=legal,
        next=tuple(builder.literals(network.next)),
        terminal=builder.literals([network.terminal])[0],
        goals=tuple(
            tuple(
                zip((value for value, _ in pairs), builder.literals([part for _, part in pairs]), strict=True)
            )
            for pairs in network.goals
        ),
    )


class _Rewriter:
    def __init__(
        self, network: Network, gates: Gates, values: dict[int, int], join: Join, same: set[int]
    ) -> None:
        self.network = network
        self.gates = gates
        self.values = values
        self.join = join
        self.same = same
        """The old nodes that are what they were, under another number: ANDs of them need no second look."""

    def literals(self, wanted: Sequence[int]) -> list[int]:
        """The new literals of old ones."""
        values = self.values
        for component in self.network.components_of([part >> 1 for part in wanted], values):
            if len(component) > 1:
                self._loop(component)
            elif component[0] not in values:
                values[component[0]] = self._value(component[0])
        return [values[literal >> 1] ^ (literal & 1) for literal in wanted]

    def _value(self, node: int) -> int:
        values, gates = self.values, self.network.gates
        defined = gates.variables.get(node)
        if defined is not None:
            return values[defined >> 1] ^ (defined & 1)
        old = gates.operands[node] or ()
        literals = [values[part >> 1] ^ (part & 1) for part in old]
        same = self.same
        for part in old:
            if part >> 1 not in same:
                return self.join(self.gates, literals, node, self.gates.conjunction)
        found = self.join(self.gates, literals, node, self._copy)
        if self.gates.operands[found >> 1] == tuple(sorted(literals)):
            same.add(node)
        return found

    def _copy(self, literals: list[int]) -> int:
        return self.gates.node(tuple(sorted(literals)))

    def _loop(self, component: list[int]) -> None:
        """The loop's variables stay variables; its gates are built anew from them."""
        old = self.network.gates.variables
        inner = [node for node in component if node not in old]

        def definitions(variables: Iterable[int]) -> dict[int, int]:
            for node in inner:
                self.values.pop(node, None)
            names = list(variables)
            return dict(zip(names, self.literals([old[name] for name in names]), strict=True))

        define_loop(self.gates, sorted(node for node in component if node in old), self.values, definitions)
        self.literals([2 * node for node in inner])
