"""Links: which pairs of arguments, in facts, moves and relations, hold the same places.

Where a rule says ``(<= (next (cell ?x ?y ?mark)) (does ?player (put ?mark ?x ?y)) ...)`` the arguments 0 and 1 of
`cell` and the arguments 1 and 2 of the move `put` are linked: the same two variables stand there. Links
join up over all rules (union-find), except through relations that only put things in order, such as successors.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Set
from itertools import permutations
from typing import TypeAlias

from stratagem.gdl.rules import RuleSheet, atoms
from stratagem.gdl.terms import Variable, arguments, functor
from stratagem.show.board.geometry.domains import Key, World, sentences

Pair: TypeAlias = tuple[World, Key, int, int]
MOST_ARGUMENTS = 12


class Links:
    """Sets of linked pairs."""

    def __init__(self, sheet: RuleSheet, orders: Set[Key]) -> None:
        self._parents: dict[Pair, Pair] = {}
        for rule in sheet.rules:
            terms = [rule.head, *(atom.term for literal in rule.body for atom, _ in atoms(literal))]
            together: defaultdict[tuple[Variable, Variable], list[Pair]] = defaultdict(list)
            for term in terms:
                for sentence in sentences(term):
                    key = functor(sentence.term)
                    if (sentence.world == "relation" and key in orders) or key[1] > MOST_ARGUMENTS:
                        continue
                    parts = arguments(sentence.term)
                    for (i, left), (j, right) in permutations(enumerate(parts), 2):
                        if isinstance(left, Variable) and isinstance(right, Variable) and left != right:
                            together[left, right].append((sentence.world, key, i, j))
            for pairs in together.values():
                for pair in pairs[1:]:
                    self._join(pairs[0], pair)

    def _find(self, pair: Pair) -> Pair:
        root = pair
        while (above := self._parents.get(root, root)) != root:
            root = above
        while pair != root:
            self._parents[pair], pair = root, self._parents.get(pair, pair)
        return root

    def _join(self, left: Pair, right: Pair) -> None:
        self._parents.setdefault(left, left)
        self._parents.setdefault(right, right)
        self._parents[self._find(right)] = self._find(left)

    def linked(self, left: Pair, right: Pair) -> bool:
        """Whether both hold the same places."""
        return left == right or self._find(left) == self._find(right)

    def known(self, pair: Pair) -> bool:
        """Whether *pair* is linked to anything."""
        return pair in self._parents

    def class_of(self, pair: Pair) -> Iterator[Pair]:
        """All pairs linked to *pair*."""
        root = self._find(pair)
        for other in list(self._parents):
            if self._find(other) == root:
                yield other
