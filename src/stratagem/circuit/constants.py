"""What never changes: atoms of the ground program with one value in every reachable state.

The state starts at the initial facts, and every atom has bounds: *may* it hold, *must* it hold. What the
bounds of ``next`` and ``legal`` allow widens the bounds of the state and the moves, and so on to a fixed
point (conditional constant propagation, Wegman and Zadeck 1991, with the turn of the game as the loop). Bounds only ever
widen, so each is updated twice at most and the whole takes time linear in the program.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from stratagem.circuit.order import components
from stratagem.errors import GroundingError
from stratagem.ground.program import ALWAYS, GroundProgram


@dataclass(frozen=True, slots=True)
class Bounds:
    """For every atom whether it may and whether it must hold in a reachable state."""

    may: bytearray
    must: bytearray


def bounds(program: GroundProgram) -> Bounds:
    """The bounds of every atom of *program* over all reachable states."""
    return _Propagation(program).run()


class _Propagation:
    def __init__(self, program: GroundProgram) -> None:
        self.program = program
        rules = program.rules
        numbers = [*program.true.values(), *program.does.values(), *program.next.values()]
        highest = max(numbers, default=0)
        for head, body in rules:
            highest = max(highest, head, max(map(abs, body), default=0))
        self.may = bytearray(highest + 1)
        self.must = bytearray(highest + 1)
        self.may[ALWAYS] = self.must[ALWAYS] = 1
        self.defining: list[list[int]] = [[] for _ in range(highest + 1)]
        self.uses: list[list[int]] = [[] for _ in range(highest + 1)]
        self.denials: list[list[int]] = [[] for _ in range(highest + 1)]
        for number, (head, body) in enumerate(rules):
            self.defining[head].append(number)
            for literal in body:
                (self.uses[literal] if literal > 0 else self.denials[-literal]).append(number)
        # For each rule how many literals cannot hold yet, and how many need not hold.
        self.blocked = [0] * len(rules)
        self.unsure = [0] * len(rules)
        self.sure_rules = [0] * (highest + 1)
        self.rising: list[int] = []
        self.falling: list[int] = []

    def run(self) -> Bounds:
        program = self.program
        for term, number in program.true.items():
            self.may[number] = self.must[number] = term in program.initial
        moved = self._after_moves()
        order = self._order()
        for component in order:
            if component[0] not in moved:
                self._evaluate(component)
        self._open_moves(first=True)
        for component in order:
            if component[0] in moved:
                self._evaluate(component)
        self._count()
        self._widen()
        return Bounds(self.may, self.must)

    def _after_moves(self) -> set[int]:
        """The atoms that depend on the moves."""
        reached: set[int] = set()
        waiting = list(self.program.does.values())
        while waiting:
            number = waiting.pop()
            if number not in reached:
                reached.add(number)
                for rule in (*self.uses[number], *self.denials[number]):
                    waiting.append(self.program.rules[rule][0])
        for (role, move), number in self.program.legal.items():
            if number in reached:
                raise GroundingError(
                    f"whether {move} is legal for {role} depends on the moves made",
                    hint="legal may depend on the state only",
                )
        return reached

    def _order(self) -> list[list[int]]:
        rules, defining = self.program.rules, self.defining

        def successors(number: int) -> Sequence[int]:
            return [abs(literal) for rule in defining[number] for literal in rules[rule][1]]

        return components(range(1, len(self.may)), successors)

    def _evaluate(self, component: list[int]) -> None:
        """Bounds of the atoms of one component from those of the components below."""
        rules, may, must = self.program.rules, self.may, self.must
        if len(component) == 1:
            number = component[0]
            for rule in self.defining[number]:
                body = rules[rule][1]
                if all(may[part] if part > 0 else not must[-part] for part in body):
                    may[number] = 1
                    if all(must[part] if part > 0 else not may[-part] for part in body):
                        must[number] = 1
            return
        members = set(component)
        rising = True
        while rising:
            rising = False
            for number in component:
                if may[number]:
                    continue
                for rule in self.defining[number]:
                    body = rules[rule][1]
                    if any(-part in members for part in body):
                        raise GroundingError(
                            "a relation depends on its own negation",
                            hint="break the cycle through (not ...)",
                        )
                    if all(may[part] if part > 0 else not must[-part] for part in body):
                        may[number] = 1
                        rising = True
                        break
        for number in component:
            # Bounds inside a loop may not lean on one another, so only what holds outright must hold.
            must[number] = any(not rules[rule][1] for rule in self.defining[number])

    def _open_moves(self, *, first: bool = False) -> None:
        """Moves that may be legal may be made; a role's only one must be."""
        program = self.program
        possible: dict[str, list[int]] = {}
        for (role, move), number in program.does.items():
            if self.may[program.legal[(role, move)]]:
                possible.setdefault(role, []).append(number)
        for numbers in possible.values():
            for number in numbers:
                self.may[number] = 1
                self.must[number] = len(numbers) == 1

    def _count(self) -> None:
        may, must = self.may, self.must
        for number, (head, body) in enumerate(self.program.rules):
            self.blocked[number] = sum(1 for part in body if (not may[part] if part > 0 else must[-part]))
            unsure = sum(1 for part in body if (not must[part] if part > 0 else may[-part]))
            self.unsure[number] = unsure
            if unsure == 0:
                self.sure_rules[head] += 1

    def _raise(self, number: int) -> None:
        if not self.may[number]:
            self.may[number] = 1
            self.rising.append(number)

    def _lower(self, number: int) -> None:
        if self.must[number]:
            self.must[number] = 0
            self.falling.append(number)

    def _widen(self) -> None:
        program = self.program
        after: dict[int, list[int]] = {}
        for term, number in program.next.items():
            after.setdefault(number, []).append(program.true[term])
        moves: dict[int, list[tuple[str, int]]] = {}
        for key, number in program.does.items():
            moves.setdefault(program.legal[key], []).append((key[0], number))
        by_role: dict[str, list[int]] = {}
        for (role, _), number in program.does.items():
            by_role.setdefault(role, []).append(number)
        for term, number in program.true.items():
            following = program.next.get(term)
            if following is None or not self.must[following]:
                self._lower(number)
            if following is not None and self.may[following]:
                self._raise(number)
        rules = program.rules
        while self.rising or self.falling:
            if self.rising:
                number = self.rising.pop()
                for rule in self.uses[number]:
                    self._unblock(rule, rules[rule][0])
                for rule in self.denials[number]:
                    self._doubt(rule, rules[rule][0])
                for state in after.get(number, ()):
                    self._raise(state)
                for role, move in moves.get(number, ()):
                    for other in by_role[role]:
                        self._lower(other)
                    self._raise(move)
            else:
                number = self.falling.pop()
                for rule in self.uses[number]:
                    self._doubt(rule, rules[rule][0])
                for rule in self.denials[number]:
                    self._unblock(rule, rules[rule][0])
                for state in after.get(number, ()):
                    self._lower(state)

    def _unblock(self, rule: int, head: int) -> None:
        self.blocked[rule] -= 1
        if self.blocked[rule] == 0:
            self._raise(head)

    def _doubt(self, rule: int, head: int) -> None:
        self.unsure[rule] += 1
        if self.unsure[rule] == 1:
            self.sure_rules[head] -= 1
            if self.sure_rules[head] == 0:
                self._lower(head)
