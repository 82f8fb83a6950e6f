"""Whether exchanging propositions and moves leaves a game the same, proved with clingo's solver.

Two copies of the gates run side by side, the second on the exchanged state and moves. The solver looks for a state and
legal moves for which some output of the first differs from the exchanged output of the second; if there is none,
the exchange is a symmetry of the game.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import clingo


@dataclass(frozen=True, slots=True)
class GateGraph:
    """A game's gates as plain numbers, in the convention of `Circuit`; *outputs* are pairs of literals below."""

    bases: int
    moves: tuple[int, ...]
    is_and: Sequence[bool]
    left: Sequence[int]
    right: Sequence[int]
    legal: Sequence[int]
    """One literal for each move, all roles in a row."""


def is_symmetry(
    gates: GateGraph, inputs: Sequence[int], pairs: Sequence[tuple[int, int]], *, conflicts: int = 5_000
) -> bool:
    """Whether, with input i of the second copy being input ``inputs[i]`` of the first, all *pairs* always agree.

    A pair is a literal of the first copy and one of the second. False also where the solver gives up.
    """
    control = clingo.Control(["--warn=none", f"--solve-limit={conflicts}"])
    first = 1 + gates.bases + sum(gates.moves)
    with control.backend() as backend:
        one = [backend.add_atom() for _ in range(first + len(gates.left))]
        other = [one[0]] + [one[1 + inputs[place]] for place in range(first - 1)]
        other += [backend.add_atom() for _ in gates.left]
        backend.add_rule(one[1:first], [], choice=True)
        for atoms in (one, other):
            for gate, is_and in enumerate(gates.is_and):
                head = atoms[first + gate]
                operands = [_literal(atoms, gates.left[gate]), _literal(atoms, gates.right[gate])]
                if is_and:
                    backend.add_rule([head], operands)
                else:
                    backend.add_rule([head], operands[:1])
                    backend.add_rule([head], operands[1:])
        place = 1 + gates.bases
        number = 0
        for several in gates.moves:
            made = one[place : place + several]
            for count, wanted in ((1, False), (2, True)):
                enough = backend.add_atom()
                backend.add_weight_rule([enough], count, [(atom, 1) for atom in made])
                backend.add_rule([], [enough if wanted else -enough])
            for atom in made:
                backend.add_rule([], [atom, -_literal(one, gates.legal[number])])
                number += 1
            place += several
        different = backend.add_atom()
        for left, right in pairs:
            mine, theirs = _literal(one, left), _literal(other, right)
            backend.add_rule([different], [mine, -theirs])
            backend.add_rule([different], [-mine, theirs])
        backend.add_rule([], [-different])
    return bool(control.solve().unsatisfiable)


def _literal(atoms: Sequence[int], number: int) -> int:
    atom = atoms[number >> 1]
    return -atom if number & 1 else atom
