"""Counting rules as adders: what depends on how many of some literals hold is read off their number in binary.

Rules count with a chain: so many discs up to this cell, so many up to the next; n cells take n²/2 gates for each relation.
A tree of full adders (Wallace, 1964) counts them in 7n gates, and any function of the number is a decision
diagram over its digits. The change is a boolean equivalence: it holds for every state.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from stratagem.circuit.construction.gates import FALSE, TRUE, Gates
from stratagem.circuit.construction.network import Network
from stratagem.circuit.simplify.symmetric import Symmetric, symmetric_functions

LEAST: Final = 6
"""Fewer literals are not worth an adder."""
FULL_ADDER: Final = 7
"""The gates of one. Each leaves one literal fewer to be added, until the digits are left: a chain that takes no more is not tried.
Where every AND along a chain of n is read, n adders would take time as the square of n."""
WORK: Final = 16
"""Gates that are looked at or added on trial, for each gate of the network: where all counts of every prefix of n cells are read, there
are n sets to be counted, each over a chain of up to n² gates."""


def count_in_binary(network: Network) -> Network:
    """*network* with adders where they take fewer gates than its chains; one with loops is left as it is."""
    if not network.gates.ascending:
        return network
    wanted = _wanted(network, symmetric_functions(network))
    if not wanted:
        return network
    gates = network.gates.copy()
    values: dict[int, int] = {}
    work = WORK * len(gates.operands)
    for counted, functions in wanted.items():
        between = _between(gates, functions, counted)
        work -= len(between)
        if work < 0:
            break
        chain = _cost(gates, between)
        if counted and chain <= FULL_ADDER * (len(counted) - len(counted).bit_length()):
            continue
        before = len(gates.operands)
        found = functions_of_count(gates, [2 * node for node in sorted(counted)], functions)
        work -= len(gates.operands) - before
        if _cost(gates, range(before, len(gates.operands))) < chain:
            values |= found
    if not values:
        return network
    smaller = _with_values(network, gates, values)
    return smaller if _size(smaller) < _size(network) else network


def _wanted(network: Network, functions: dict[int, Symmetric]) -> dict[frozenset[int], dict[int, int]]:
    """For every set of counted nodes the gates that others read as a function of their number, with its values."""
    operands = network.gates.operands
    wanted: dict[frozenset[int], dict[int, int]] = {}
    waiting = [literal >> 1 for literal in network.outputs()]
    met = set(waiting)
    while waiting:
        node = waiting.pop()
        function = functions.get(node)
        constant = function is not None and not function.counted
        if function is not None and function.extra is None and (constant or len(function.counted) >= LEAST):
            wanted.setdefault(function.counted, {})[node] = function.without
            read: Iterable[int] = function.counted
        else:
            read = [literal >> 1 for literal in operands[node] or ()]
        for other in read:
            if other not in met:
                met.add(other)
                waiting.append(other)
    return wanted


def functions_of_count(gates: Gates, literals: Sequence[int], functions: dict[int, int]) -> dict[int, int]:
    """For each of the named *functions* a literal: bit c of a function is its value where c of *literals* hold."""
    digits = binary_count(gates, literals)
    known: dict[tuple[int, int], int] = {}

    def read_off(values: int, count: int) -> int:
        """The function of the lower digits that has *values* at 0 to *count* - 1."""
        if values == 0:
            return FALSE
        if values == (1 << count) - 1:
            return TRUE
        found = known.get((values, count))
        if found is None:
            digit = (count - 1).bit_length() - 1
            half = 1 << digit
            low, high = values & ((1 << half) - 1), values >> half
            if high == low & ((1 << (count - half)) - 1):
                found = read_off(low, half)
            else:
                found = choose(gates, digits[digit], read_off(high, count - half), read_off(low, half))
            known[(values, count)] = found
        return found

    return {name: read_off(values, len(literals) + 1) for name, values in functions.items()}


def binary_count(gates: Gates, literals: Sequence[int]) -> list[int]:
    """The number of *literals* that hold, its lowest digit first."""
    digits: list[int] = []
    column = list(literals)
    while column:
        carried: list[int] = []
        place = 0
        while len(column) - place > 1:
            one, other, third = (*column[place : place + 3], FALSE)[:3]
            place += min(3, len(column) - place)
            half = exclusive(gates, one, other)
            column.append(exclusive(gates, half, third))
            both = gates.conjunction([one, other])
            carried.append(gates.disjunction([both, gates.conjunction([half, third])]))
        digits.append(column[-1])
        column = carried
    return digits


def exclusive(gates: Gates, one: int, other: int) -> int:
    """The literal that exactly one of two holds."""
    neither = gates.conjunction([one ^ 1, other ^ 1])
    return gates.conjunction([neither ^ 1, gates.conjunction([one, other]) ^ 1])


def choose(gates: Gates, condition: int, then: int, otherwise: int) -> int:
    """*then* where *condition* holds, *otherwise* elsewhere."""
    return gates.disjunction(
        [gates.conjunction([condition, then]), gates.conjunction([condition ^ 1, otherwise])]
    )


def _between(gates: Gates, tops: Iterable[int], bottom: frozenset[int]) -> set[int]:
    """The gates on the ways from *tops* down to *bottom*."""
    met: set[int] = set()
    waiting = list(tops)
    while waiting:
        node = waiting.pop()
        if node not in met and node not in bottom:
            met.add(node)
            waiting.extend(literal >> 1 for literal in gates.operands[node] or ())
    return met


def _cost(gates: Gates, nodes: Iterable[int]) -> int:
    """Gates of two operands that the ANDs among *nodes* take."""
    return sum(len(gates.operands[node] or (FALSE,)) - 1 for node in nodes)


def _size(network: Network) -> int:
    return _cost(network.gates, (node for component in network.components() for node in component))


def _with_values(network: Network, gates: Gates, values: dict[int, int]) -> Network:
    """*network* over *gates*, to which the new literals of some nodes were added."""

    def changed(literals: Iterable[int]) -> tuple[int, ...]:
        return tuple(
            values[literal >> 1] ^ (literal & 1) if literal >> 1 in values else literal
            for literal in literals
        )

    for node, operands in enumerate(network.gates.operands):
        if operands is not None and any(literal >> 1 in values for literal in operands):
            gates.operands[node] = tuple(sorted(set(changed(operands))))
    return replace(
        network,
        gates=gates,
        next=changed(network.next),
        legal=tuple(map(changed, network.legal)),
        terminal=changed([network.terminal])[0],
        goals=tuple(
            tuple(zip((value for value, _ in pairs), changed(part for _, part in pairs), strict=True))
            for pairs in network.goals
        ),
    )
