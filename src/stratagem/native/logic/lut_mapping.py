"""Technology mapping: two-input gates onto instructions with three inputs (cuts; Cong and Ding, 1994).

AVX-512 computes any boolean function of three registers in one instruction (VPTERNLOG). For every gate a few
*cuts* are kept: sets of at most three nodes that together determine it. The cheapest cut by area flow (its own
cost plus the leaves' costs, each shared by the readers) is chosen from the outputs backwards; what is
inside a chosen cut disappears. Cost: the number of cuts kept, squared, per gate.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from stratagem.native.logic.network import AND, INPUT, OR, LogicNetwork

CUTS_KEPT = 6
TABLES = (0xF0, 0xCC, 0xAA)
"""The truth tables of the three operands themselves, in the bit order of VPTERNLOG."""


@dataclass(frozen=True, slots=True)
class Lookup:
    """One instruction: *node* is the function *table* of up to three nodes."""

    node: int
    leaves: tuple[int, ...]
    table: int


def cover(network: LogicNetwork, roots: Sequence[int]) -> dict[int, Lookup]:
    """For every node that has to be computed for the literals *roots*, the instruction that computes it."""
    cuts = best_cuts(network, roots)
    found: dict[int, Lookup] = {}
    work = [literal >> 1 for literal in roots]
    while work:
        node = work.pop()
        if node not in found and network.kinds[node] != INPUT:
            found[node] = Lookup(node, cuts[node], truth_table(network, node, cuts[node]))
            work += cuts[node]
    return found


def best_cuts(network: LogicNetwork, outputs: Sequence[int]) -> list[tuple[int, ...]]:
    """For every node the leaves of its cheapest cut."""
    readers = reader_counts(network, outputs)
    flow = [0.0] * len(network)
    best: list[tuple[int, ...]] = [()] * len(network)
    kept: list[list[tuple[int, ...]]] = [[()] for _ in range(len(network))]
    for node in range(1, len(network)):
        if network.kinds[node] == INPUT:
            kept[node] = [(node,)]
            continue
        left, right = network.left[node] >> 1, network.right[node] >> 1
        found: dict[tuple[int, ...], float] = {}
        for one in kept[left]:
            for other in kept[right]:
                cut = tuple(sorted({*one, *other}))
                if len(cut) <= 3 and cut not in found:
                    found[cut] = sum(flow[leaf] for leaf in cut)
        ranked = sorted(found, key=lambda cut: (found[cut], len(cut)))[:CUTS_KEPT]
        best[node] = ranked[0]
        flow[node] = (1.0 + found[ranked[0]]) / max(1, readers[node])
        kept[node] = [*ranked, (node,)]
    return best


def reader_counts(network: LogicNetwork, outputs: Sequence[int]) -> list[int]:
    """How many gates and outputs read each node."""
    readers = [0] * len(network)
    for kind, left, right in zip(network.kinds, network.left, network.right, strict=True):
        if kind != INPUT:
            readers[left >> 1] += 1
            readers[right >> 1] += 1
    for literal in outputs:
        readers[literal >> 1] += 1
    return readers


def truth_table(network: LogicNetwork, node: int, leaves: tuple[int, ...]) -> int:
    """The function of *leaves* that *node* computes, as eight bits."""
    known = {0: 0, **dict(zip(leaves, TABLES, strict=False))}

    def value(at: int) -> int:
        table = known.get(at)
        if table is None:
            a = value(network.left[at] >> 1) ^ (0xFF if network.left[at] & 1 else 0)
            b = value(network.right[at] >> 1) ^ (0xFF if network.right[at] & 1 else 0)
            kind = network.kinds[at]
            table = known[at] = a & b if kind == AND else a | b if kind == OR else a ^ b
        return table

    return value(node)
