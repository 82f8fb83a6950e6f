"""How many gates facts about states would save: ``python -m benchmarks.invariants [--states N] NAME ...``

All gates are simulated on states of random matches, with one random legal move of each role. Gates that were equal or
complementary on all of them are merged: an upper bound, as a difference may be rare. Then also on states altered at
random: within groups of facts of which the samples held at most one (groups), or in any facts (rules). Gates that only
`next` reads are compared in states that are not terminal. Sheets are published ones, or ours by name with ``our:`` before it.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.loading import CORPUS
from stratagem.circuit.circuit import AND, Circuit
from stratagem.circuit.compiler.compile import circuit_of
from stratagem.circuit.compiler.store import user_store
from stratagem.circuit.mutex_groups import MutexGroup, disjoint
from stratagem.ground.solving.mutex_groups import groups_of_one_shape
from stratagem.loading import sheet_of
from stratagem.native.compiled import CompiledGame
from stratagem.native.logic.gates import needed_gates
from stratagem.native.logic.network import LogicNetwork

LANES = 8192
MATCHES = 2048
SHARES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 0.03, 0.3, 1.0)
Bits = NDArray[np.bool_]


class Simulation:
    """The values of all nodes of *circuit* in some states, and a signature of them over all states so far."""

    def __init__(self, circuit: Circuit, seed: int = 5) -> None:
        self.circuit, self.chance = circuit, np.random.default_rng(seed)
        self.rows = np.zeros((circuit.first_gate + circuit.gate_count, LANES // 64), np.uint64)
        self.gates = list(zip(circuit.operations, circuit.left.tolist(), circuit.right.tolist(), strict=True))
        self.signs = np.zeros((4, len(self.rows)), np.uint64)
        """Of nodes and of their complements: in all states, and in those that are not terminal."""

    def run(self) -> None:
        done = 0
        for first, last in self.circuit.loops:
            self._gates(done, first)
            rows = self.rows[self.circuit.first_gate :][first:last]
            rows[:] = 0
            before = None
            while before is None or (before != rows).any():
                before = rows.copy()
                self._gates(first, last)
            done = last
        self._gates(done, self.circuit.gate_count)

    def _gates(self, first: int, last: int) -> None:
        rows, offset = list(self.rows), self.circuit.first_gate
        for gate in range(first, last):
            operation, left, right = self.gates[gate]
            one = ~rows[left >> 1] if left & 1 else rows[left >> 1]
            other = ~rows[right >> 1] if right & 1 else rows[right >> 1]
            (np.bitwise_and if operation == AND else np.bitwise_or)(one, other, rows[offset + gate])

    def bits(self, literals: NDArray[Any]) -> Bits:
        values = np.unpackbits(self.rows[literals >> 1].view(np.uint8), axis=1, bitorder="little").astype(
            bool
        )
        return values ^ (literals & 1).astype(bool)[:, None]

    def compare(self, states: Bits) -> None:
        """Adds *states* [LANES, bases] and a random legal move of each role to the signatures."""
        circuit = self.circuit
        self._put(1, states.T)
        self._put(circuit.first_move, np.zeros((circuit.first_gate - circuit.first_move, LANES), np.bool_))
        self.run()
        over = self.bits(np.array([circuit.terminal]))[0]
        possible, node = np.ones(LANES, np.bool_), circuit.first_move
        for literals in circuit.legal:
            ranks = np.cumsum(self.bits(literals).T, axis=1, dtype=np.int32)
            drawn = (self.chance.random(LANES) * ranks[:, -1]).astype(np.int32) + 1
            made = np.zeros((len(literals), LANES), np.bool_)
            made[np.argmax(ranks >= drawn[:, None], axis=1), np.arange(LANES)] = True
            possible &= ranks[:, -1] > 0
            self._put(node, made)
            node += len(literals)
        self.run()
        for place, chosen in enumerate((possible | over, possible & ~over)):
            mask = np.packbits(chosen, bitorder="little").view(np.uint64)
            keys = self.chance.integers(0, 1 << 63, len(mask), dtype=np.uint64) * 2 + 1
            for side, flip in enumerate((np.uint64(0), ~np.uint64(0))):
                mixed = ((self.rows ^ flip) & mask) * np.uint64(0x9E3779B97F4A7C15)
                mixed = (mixed ^ mixed >> np.uint64(29)) * keys
                mixed = (mixed ^ mixed >> np.uint64(32)) * np.uint64(0xBF58476D1CE4E5B9)
                sign = self.signs[2 * place + side]
                sign[:] = sign * np.uint64(0x100000001B3) + mixed.sum(axis=1, dtype=np.uint64)

    def _put(self, node: int, values: Bits) -> None:
        packed = np.packbits(np.ascontiguousarray(values), axis=1, bitorder="little")
        self.rows[node : node + len(values)] = packed.view(np.uint64)

    def gates_left(self) -> int:
        """The gates that the outputs need once those with equal signatures are merged."""
        circuit, network = self.circuit, LogicNetwork()
        view = [*np.concatenate(circuit.legal), circuit.terminal]
        goals = [literal for own in circuit.goals for _, literal in own]
        seen_by_view = set(needed_gates(circuit, [int(literal) for literal in [*view, *goals]]))
        looped = {gate for first, last in circuit.loops for gate in range(first, last)}
        literals = [0] + [network.input() for _ in range(circuit.first_gate - 1)]
        literals += [network.input() if gate in looped else 0 for gate in range(circuit.gate_count)]
        known: tuple[dict[tuple[int, int], int], ...] = ({}, {})
        for node, (whole, whole_not, live, live_not) in enumerate(self.signs.T.tolist()):
            gate = node - circuit.first_gate
            later = gate >= 0 and gate not in seen_by_view
            signs = ((whole, whole_not), (live, live_not))
            if gate >= 0 and gate not in looped:
                found = known[later].get(signs[later])
                if found is None:
                    found = known[later].get(signs[later][::-1])
                    found = None if found is None else found ^ 1
                if found is None:
                    operation, left, right = self.gates[gate]
                    join = network.conjunction if operation == AND else network.disjunction
                    sides = [literals[literal >> 1] ^ (literal & 1) for literal in (left, right)]
                    found = join(*sides)
                literals[node] = found
            if not later:
                known[0].setdefault(signs[0], literals[node])
            known[1].setdefault(signs[1], literals[node])
        place_of = {literals[circuit.first_gate + gate] >> 1: gate for gate in looped}
        waiting = [literals[int(part) >> 1] >> 1 for part in [*view, *goals, *circuit.next]]
        met: set[int] = set()
        while waiting:
            node = waiting.pop()
            if node in met:
                continue
            met.add(node)
            waiting += [network.left[node] >> 1, network.right[node] >> 1]
            if node in place_of:
                waiting += [literals[part >> 1] >> 1 for part in self.gates[place_of[node]][1:]]
        return sum(1 for node in met if network.kinds[node] or node in place_of)


def sampled(game: CompiledGame, count: int) -> Bits:
    """Different states of random matches, in random order."""
    found: list[NDArray[np.uint8]] = []
    for match in range(12):
        batch, ply = game.batch(MATCHES, threads=1), 0
        while ply < 400 and not batch.terminated().all():
            found.append(np.packbits(batch.observations(), axis=1))
            batch.step_random(1000 * match + ply)
            ply += 1
        found = [np.unique(np.concatenate([*found, np.packbits(batch.observations(), axis=1)]), axis=0)]
        if len(found[0]) >= count:
            break
    states = np.random.default_rng(5).permutation(found[0])[:count]
    return np.unpackbits(states, axis=1, count=len(game.circuit.bases)).astype(bool)


def groups_in(circuit: Circuit, states: Bits) -> tuple[MutexGroup, ...]:
    """Groups without common members of which every one of *states* holds at most one."""
    places = {base: place for place, base in enumerate(circuit.bases)}
    found = []
    for shape in groups_of_one_shape(circuit.bases):
        members = sorted(places[fact] for fact in shape)
        held = states[:, members].sum(axis=1)
        if held.max() <= 1:
            found.append(MutexGroup(tuple(members), bool(held.min() == 1)))
    return disjoint(found)


def altered(states: Bits, share: float, groups: tuple[MutexGroup, ...], chance: np.random.Generator) -> Bits:
    """*states*, of which a *share* of the groups is drawn anew and half of that share of all other facts denied."""
    states, free = states.copy(), np.ones(states.shape[1], np.bool_)
    for group in groups:
        members = np.array(group.members)
        free[members] = False
        rows = np.flatnonzero(chance.random(len(states)) < share)
        drawn = chance.integers(0, len(members) + (not group.exactly), len(rows))
        states[np.ix_(rows, members)] = False
        some = drawn < len(members)
        states[rows[some], members[drawn[some]]] = True
    return states ^ (free & (chance.random(states.shape) < share / 2))


def blocks(states: Bits) -> Iterator[Bits]:
    for first in range(0, len(states), LANES):
        yield states[(first + np.arange(LANES)) % len(states)]


def report(name: str, count: int) -> None:
    """One row of the table."""
    where = name.removeprefix("our:") if name.startswith("our:") else str(CORPUS / f"{name}.kif")
    circuit = circuit_of(sheet_of(where), store=user_store())
    states = sampled(CompiledGame(circuit), count)
    simulation = Simulation(circuit)
    for block in blocks(states):
        simulation.compare(block)
    left, before = [simulation.gates_left()], simulation.signs.copy()
    for groups in (groups_in(circuit, states), ()):
        simulation.signs = before.copy()
        for number, block in enumerate(blocks(states)):
            share = SHARES[number % len(SHARES)]
            simulation.compare(altered(block, share, groups, simulation.chance))
        left.append(simulation.gates_left())
    print(f"{name:<24}{circuit.gate_count:>9,}" + "".join(f"{each:>10,}" for each in left), flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="+")
    parser.add_argument("--states", type=int, default=80_000)
    options = parser.parse_args()
    print(f"{'sheet':<24}{'gates':>9}{'sampled':>10}{'groups':>10}{'rules':>10}")
    for chosen in options.names:
        report(chosen, options.states)
