"""The circuit interpreter as a machine: slow, plain, and independent of the reasoner and of LLVM."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from stratagem.circuit.circuit import Circuit
from stratagem.circuit.interpret import evaluate, read
from stratagem.errors import IllegalMove, UsageError
from stratagem.gdl.terms import Term


class CircuitMachine:
    """Plays by evaluating every gate. A state is an int: bit i is ``bases[i]``. May be used from several threads."""

    name = "circuit"

    def __init__(self, circuit: Circuit) -> None:
        self.circuit = circuit
        self._base_places = {term: place for place, term in enumerate(circuit.bases)}
        self._first_moves = [sum(map(len, circuit.moves[:role])) for role in range(len(circuit.roles))]
        self._move_places = [{move: place for place, move in enumerate(several)} for several in circuit.moves]
        self._no_moves = [False] * sum(map(len, circuit.moves))
        self._last: tuple[int, list[bool]] | None = None

    def initial(self) -> int:
        return sum(1 << place for place, value in enumerate(self.circuit.initial.tolist()) if value)

    def legals(self, data: int, role: int) -> tuple[Term, ...]:
        """The moves of the role numbered *role*, in canonical order."""
        values = self._values(data)
        moves = zip(self.circuit.moves[role], self.circuit.legal[role].tolist(), strict=True)
        return tuple(move for move, literal in moves if read(values, literal))

    def next(self, data: int, joint: Sequence[Term]) -> int:
        """The state after *joint*, one move for every role; a move that is never legal is refused."""
        moves = list(self._no_moves)
        for role, move in enumerate(joint):
            place = self._move_places[role].get(move)
            if place is None:
                raise IllegalMove(f"{move} is never a legal move of {self.circuit.roles[role]}")
            moves[self._first_moves[role] + place] = True
        values = evaluate(self.circuit, self._bits(data) + moves)
        return sum(
            1 << place for place, literal in enumerate(self.circuit.next.tolist()) if read(values, literal)
        )

    def terminal(self, data: int) -> bool:
        return read(self._values(data), self.circuit.terminal)

    def goal(self, data: int, role: int) -> int | None:
        """The only value that holds for the role numbered *role*, or None."""
        values = self._values(data)
        found = [value for value, literal in self.circuit.goals[role] if read(values, literal)]
        return found[0] if len(found) == 1 else None

    def facts(self, data: int) -> frozenset[Term]:
        bases = self.circuit.bases
        return self.circuit.constants | {bases[place] for place in range(len(bases)) if data >> place & 1}

    def from_facts(self, facts: Iterable[Term]) -> int:
        """The state in which exactly *facts* hold."""
        data, given = 0, frozenset(facts)
        for term in given - self.circuit.constants:
            place = self._base_places.get(term)
            if place is None:
                raise UsageError(f"{term} can never hold in this game")
            data |= 1 << place
        for term in self.circuit.constants - given:
            raise UsageError(f"{term} always holds in this game and is missing")
        return data

    def _bits(self, data: int) -> list[bool]:
        return [bool(data >> place & 1) for place in range(len(self.circuit.bases))]

    def _values(self, data: int) -> list[bool]:
        """All gates with no move made; kept for the last state, as questions come in series."""
        last = self._last  # read once: another thread may put its own state there
        if last is None or last[0] != data:
            self._last = last = (data, evaluate(self.circuit, self._bits(data) + self._no_moves))
        return last[1]
