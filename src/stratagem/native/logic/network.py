"""A network of two-input gates, built gate by gate: what the bit-sliced arithmetic is written in.

Literals are as in `circuit.circuit`: ``2 * node + complement``, 0 is false and 1 is true. Equal gates are built once
and constants are folded, so that a count over moves that are never legal costs nothing. Cost: one dictionary
look-up per gate.

>>> network = LogicNetwork()
>>> a, b = network.input(), network.input()
>>> network.conjunction(a, b) == network.conjunction(b, a)
True
>>> network.conjunction(a, a ^ 1)
0
"""

from __future__ import annotations

from typing import Final

INPUT: Final = 0
AND: Final = 1
OR: Final = 2
XOR: Final = 3


class LogicNetwork:
    """Gates in the order in which they were built: operands come first."""

    __slots__ = ("_known", "kinds", "left", "right")

    def __init__(self) -> None:
        self.kinds: list[int] = [INPUT]
        self.left: list[int] = [0]
        self.right: list[int] = [0]
        self._known: dict[tuple[int, int, int], int] = {}

    def __len__(self) -> int:
        return len(self.kinds)

    def input(self) -> int:
        """A new input, as a literal."""
        self.kinds.append(INPUT)
        self.left.append(0)
        self.right.append(0)
        return 2 * len(self.kinds) - 2

    def _gate(self, kind: int, a: int, b: int) -> int:
        key = (kind, a, b)
        node = self._known.get(key)
        if node is None:
            node = self._known[key] = len(self.kinds)
            self.kinds.append(kind)
            self.left.append(a)
            self.right.append(b)
        return 2 * node

    def conjunction(self, a: int, b: int) -> int:
        if a > b:
            a, b = b, a
        if a == 0 or a ^ b == 1:
            return 0
        if a == 1 or a == b:
            return b
        return self._gate(AND, a, b)

    def disjunction(self, a: int, b: int) -> int:
        if a > b:
            a, b = b, a
        if a == 1 or a ^ b == 1:
            return 1
        if a == 0 or a == b:
            return b
        return self._gate(OR, a, b)

    def exclusive(self, a: int, b: int) -> int:
        """True where exactly one of the two is; complements move to the output, so that more gates are shared."""
        complement = (a ^ b) & 1
        a, b = sorted((a & ~1, b & ~1))
        if a == b:
            return complement
        if a == 0:
            return b ^ complement
        return self._gate(XOR, a, b) ^ complement

    def choose(self, condition: int, then: int, otherwise: int) -> int:
        """*then* where *condition* holds, *otherwise* elsewhere."""
        if then == otherwise:
            return then
        if then <= 1:
            join = self.disjunction if then else self.conjunction
            return join(condition ^ (then ^ 1), otherwise)
        if otherwise <= 1:
            join = self.disjunction if otherwise else self.conjunction
            return join(condition ^ otherwise, then)
        return self.disjunction(self.conjunction(condition, then), self.conjunction(condition ^ 1, otherwise))

    def full_sum(self, a: int, b: int, c: int) -> tuple[int, int]:
        """The sum of three bits: (bit, carry)."""
        half = self.exclusive(a, b)
        carry = self.disjunction(self.conjunction(a, b), self.conjunction(c, half))
        return self.exclusive(half, c), carry

    def any(self, literals: list[int]) -> int:
        """The OR of all, as a balanced tree."""
        return self._balanced(literals, self.disjunction, 0)

    def all(self, literals: list[int]) -> int:
        """The AND of all, as a balanced tree."""
        return self._balanced(literals, self.conjunction, 1)

    def _balanced(self, literals: list[int], join: object, empty: int) -> int:
        if not literals:
            return empty
        while len(literals) > 1:
            paired = [join(*literals[at : at + 2]) for at in range(0, len(literals) - 1, 2)]  # type: ignore[operator]
            literals = paired + literals[len(paired) * 2 :]
        return literals[0]
