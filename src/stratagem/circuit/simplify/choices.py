"""Exactly-one constraints on inputs: of the moves of one role exactly one is made.

So two moves of a group contradict each other, and "none of these fifty of sixty" is "one of the other ten". An AND
of denied moves is a *refusal*; as a game may have a hundred thousand moves, refusals are also kept as bit masks,
one long integer each, and put together by a single machine-speed OR.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

LUMP = 16
"""Refusals of more moves than this are left as they are unless their complement is shorter."""


class Choices:
    """Groups of input literals of which exactly one holds at any time."""

    def __init__(self) -> None:
        self.groups: list[tuple[frozenset[int], frozenset[int], int]] = []
        self.refusals: dict[int, int] = {}
        """The masks of the ANDs of denied moves, by their literals."""
        self._place: dict[int, int] = {}
        self._literals: list[int] = []
        self._moves: set[int] = set()
        self._denials: set[int] = set()

    def add(self, nodes: Sequence[int]) -> None:
        """A new group; groups may overlap."""
        members = frozenset(2 * node for node in nodes)
        for literal in sorted(members):
            if literal not in self._place:
                self._place[literal] = len(self._literals)
                self._literals.append(literal)
        denials = frozenset(literal + 1 for literal in members)
        self.groups.append((members, denials, self._mask(denials)))
        self._moves |= members
        self._denials |= denials

    def note(self, literal: int, operands: tuple[int, ...]) -> None:
        """Remembers the AND *literal* if all its operands are denied moves."""
        if self._denials.issuperset(operands):
            self.refusals[literal] = self._mask(operands)

    def settle(self, parts: set[int]) -> list[list[int]] | None:
        """Simplifies the AND of *parts*; None where they contradict each other.

        The answer lists groups of moves of which one must be made besides.
        """
        lumps = self.refusals.keys() & parts
        if not lumps and self._denials.isdisjoint(parts) and self._moves.isdisjoint(parts):
            return []
        return self._settle_lumps(parts, lumps) if lumps else self._settle_singles(parts)

    def _settle_singles(self, parts: set[int]) -> list[list[int]] | None:
        refused: list[tuple[int, int]] = []
        for group, (members, denials, _) in enumerate(self.groups):
            chosen = parts & members
            denied = parts & denials
            if chosen:
                if len(chosen) > 1 or denied & {literal + 1 for literal in chosen}:
                    return None
                parts -= denied
                if len(members) == 1:
                    parts -= chosen
            elif 2 * len(denied) > len(members):
                refused.append((len(members) - len(denied), group))
        needed: list[list[int]] = []
        # Where groups overlap, the one that leaves least is used first.
        for _, group in sorted(refused):
            members, denials, _ = self.groups[group]
            denied = parts & denials
            if 2 * len(denied) > len(members):
                parts -= denied
                needed.append(sorted(members.difference([literal - 1 for literal in denied])))
        return needed

    def _settle_lumps(self, parts: set[int], lumps: set[int]) -> list[list[int]] | None:
        mask = 0
        for literal in lumps:
            mask |= self.refusals[literal]
        singles = parts & self._denials
        mask |= self._mask(singles)
        before = mask
        refused: list[tuple[int, int]] = []
        for group, (members, _, whole) in enumerate(self.groups):
            chosen = parts & members
            if chosen:
                if len(chosen) > 1 or mask & self._mask(literal + 1 for literal in chosen):
                    return None
                mask &= ~whole
                if len(members) == 1:
                    parts -= chosen
            else:
                refused.append((len(members) - (mask & whole).bit_count(), group))
        needed: list[list[int]] = []
        for _, group in sorted(refused):
            members, _, whole = self.groups[group]
            if 2 * (mask & whole).bit_count() > len(members):
                needed.append(self._members(whole & ~mask))
                mask &= ~whole
        if mask != before or mask.bit_count() <= LUMP:
            parts -= lumps
            parts -= singles
            parts.update(literal + 1 for literal in self._members(mask))
        return needed

    def _mask(self, denials: Iterable[int]) -> int:
        bits = bytearray((len(self._literals) >> 3) + 1)
        for literal in denials:
            place = self._place[literal - 1]
            bits[place >> 3] |= 1 << (place & 7)
        return int.from_bytes(bits, "little")

    def _members(self, mask: int) -> list[int]:
        """The moves whose bits are set in *mask*."""
        found = []
        for place, octet in enumerate(mask.to_bytes((mask.bit_length() + 7) // 8, "little")):
            while octet:
                low = octet & -octet
                found.append(self._literals[8 * place + low.bit_length() - 1])
                octet ^= low
        return found
