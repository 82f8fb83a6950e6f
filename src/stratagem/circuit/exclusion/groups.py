"""Mutual exclusion: groups of propositions of which at most one holds, and the smaller states they allow.

(cell 1 1 x), (cell 1 1 o) and (cell 1 1 b) take three bits, or two once it is known that exactly one of them holds.
Groups are guessed from the shape of the terms and from sampled states, and then proved by induction with
clingo's solver: a sample may suggest a group, only a proof makes it one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, TypeAlias

from stratagem.circuit.circuit import AND, Circuit
from stratagem.circuit.exclusion.refinement import Doubter
from stratagem.circuit.exclusion.samples import sample_states
from stratagem.gdl.terms import Compound, Term

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from stratagem.ground.solving.induction import Machine

    Samples: TypeAlias = NDArray[np.bool_]

ARGUMENTS = 5
"""Terms with more arguments are grouped by one argument at a time only."""
STEPS = 48


@dataclass(frozen=True, slots=True)
class Group:
    """Propositions (their numbers in `Circuit.bases`) of which at most one holds; *exactly* one if so proved."""

    members: tuple[int, ...]
    exactly: bool

    @property
    def width(self) -> int:
        """The bits that tell which member holds, or that none does."""
        return (len(self.members) - self.exactly).bit_length()


@dataclass(frozen=True, slots=True)
class Layout:
    """Groups without common members, and the propositions that need a bit of their own."""

    groups: tuple[Group, ...]
    loose: tuple[int, ...]

    @property
    def width(self) -> int:
        """The bits of a packed state."""
        return sum(group.width for group in self.groups) + len(self.loose)


def layout_of(circuit: Circuit, *, steps: int = STEPS, conflicts: int = 8_000, seed: int = 0) -> Layout:
    """The proved groups of *circuit*; *conflicts* bounds the work of the proof, deterministically."""
    from stratagem.ground.solving.induction import Law, inductive

    samples = sample_states(circuit, steps=steps, seed=seed)
    laws: list[Law] = []
    for members in guesses(circuit.bases, samples):
        laws.append(Law(members, True))
        if bool(samples[:, members].any(axis=1).all()):
            laws.append(Law(members, False))
    doubt = Doubter(circuit, laws, seed)
    proved = inductive(_machine(circuit), laws, conflicts=conflicts, doubt=doubt)
    some = {law.members for law in proved if not law.at_most}
    groups = choose([Group(law.members, law.members in some) for law in proved if law.at_most])
    grouped = {member for group in groups for member in group.members}
    return Layout(groups, tuple(place for place in range(len(circuit.bases)) if place not in grouped))


def guesses(bases: Sequence[Term], samples: Samples) -> Iterator[tuple[int, ...]]:
    """Groups of two or more bases of which no sample has two.

    Terms of one name are grouped by some of their arguments in every way, as one law may need another for its
    proof: a tile is in one place because a place has one tile. Terms with the same arguments make groups too.
    """
    families: dict[tuple[str, int], list[int]] = {}
    namesakes: dict[int, list[int]] = {}
    for place, term in enumerate(bases):
        if isinstance(term, Compound):
            families.setdefault((term.name, len(term)), []).append(place)
            namesakes.setdefault(len(term), []).append(place)
    seen: set[tuple[int, ...]] = set()
    for (_, size), family in families.items():
        longest = size - 1 if size - 1 <= ARGUMENTS else 1
        for count in range(1, longest + 1):
            for varying in combinations(range(1, size), count):
                seen.update(_groups(bases, family, varying, samples))
    for family in namesakes.values():
        seen.update(_groups(bases, family, (0,), samples))
    yield from sorted(_largest(seen), key=lambda group: (len(group), group))


def _largest(groups: set[tuple[int, ...]]) -> Iterator[tuple[int, ...]]:
    """The groups that are no part of another: a part says nothing new."""
    holding: dict[int, list[frozenset[int]]] = {}
    for group in groups:
        for member in group:
            holding.setdefault(member, []).append(frozenset(group))
    for group in groups:
        if not any(frozenset(group) < other for other in holding[group[0]]):
            yield group


def _groups(
    bases: Sequence[Term], family: Sequence[int], varying: tuple[int, ...], samples: Samples
) -> Iterator[tuple[int, ...]]:
    """The terms of *family* that differ at most in the positions *varying*, where samples allow the group."""
    by_rest: dict[tuple[object, ...], list[int]] = {}
    for place in family:
        rest = tuple(part for index, part in enumerate(bases[place]) if index not in varying)
        by_rest.setdefault(rest, []).append(place)
    for members in by_rest.values():
        if len(members) > 1 and int(samples[:, members].sum(axis=1).max()) <= 1:
            yield tuple(members)


def choose(groups: Sequence[Group]) -> tuple[Group, ...]:
    """Groups without common members, those that save most bits first."""
    taken: set[int] = set()
    chosen: list[Group] = []
    for group in sorted(groups, key=lambda group: (group.width - len(group.members), group.members)):
        if taken.isdisjoint(group.members):
            taken.update(group.members)
            chosen.append(group)
    return tuple(sorted(chosen, key=lambda group: group.members))


def _machine(circuit: Circuit) -> Machine:
    from stratagem.ground.solving.induction import Machine

    return Machine(
        len(circuit.bases),
        tuple(map(len, circuit.moves)),
        (circuit.operations == AND).tolist(),
        circuit.left.tolist(),
        circuit.right.tolist(),
        circuit.next.tolist(),
        [legal.tolist() for legal in circuit.legal],
    )
