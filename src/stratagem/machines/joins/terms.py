"""Interned terms: the numbers that kernels know terms by, and back."""

from __future__ import annotations

from hashlib import blake2b
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from stratagem.errors import LimitExceeded
from stratagem.gdl.terms import Compound, Relation, Symbol, Term, applied, arguments, functor, order
from stratagem.machines.joins.kernels.memory import TermTable
from stratagem.machines.joins.kernels.terms import enter_term, refill_terms

TERMS_AT_MOST: Final = 1 << 24
"""Terms that one game may make."""


def grown(array: NDArray[Any], room: int, used: int | None = None) -> NDArray[Any]:
    """A copy of *array* with at least *room* rows, zero where it is new."""
    larger = np.zeros((max(room, 2 * len(array)), *array.shape[1:]), array.dtype)
    count = len(array) if used is None else used
    larger[:count] = array[:count]
    return larger


class InternedTerms:
    """Terms by number; *code* has the kernels, as machine code or as Python."""

    def __init__(self, code: Any) -> None:
        self.code = code
        self.functors: list[Relation] = []
        self._functions: dict[Relation, int] = {}
        self._numbers: dict[Term, int] = {}
        self._terms: dict[int, Term] = {}
        self.record = TermTable(
            arity=np.zeros(64, np.int32),
            rank=np.zeros(64, np.int32),
            function_key=np.zeros(64, np.uint64),
            function=np.zeros(1 << 10, np.int32),
            first=np.zeros(1 << 10, np.int32),
            key=np.zeros(1 << 10, np.uint64),
            arguments=np.zeros(1 << 12, np.int32),
            table=np.zeros(1 << 12, np.int32),
        )

    def function(self, name: str, arity: int) -> int:
        """The number of a function, or of a symbol where *arity* is 0."""
        known = self._functions.get((name, arity))
        if known is None:
            known = self._functions[name, arity] = len(self.functors)
            self.functors.append((name, arity))
            record = self.record
            if known >= record.functions:
                record.put(
                    **{
                        field: grown(getattr(record, field).numpy, known + 1)
                        for field in ("arity", "rank", "function_key")
                    }
                )
            record.arity[known] = arity
            digest = blake2b(f"{name}/{arity}".encode("utf-8", "surrogatepass"), digest_size=8).digest()
            record.function_key.numpy[known] = int.from_bytes(digest, "little")
            self._ranked = False
        return known

    _ranked = False

    def rank(self) -> None:
        """Brings the order of functions up to date: needed before terms are compared."""
        if not self._ranked:
            ordered = sorted(range(len(self.functors)), key=lambda number: _order(self.functors[number]))
            self.record.rank.numpy[ordered] = np.arange(len(ordered))
            self._ranked = True

    def number(self, term: Term) -> int:
        """The number of a ground term."""
        known = self._numbers.get(term)
        if known is None:
            parts = [self.number(part) for part in arguments(term)]
            function = self.function(*functor(term))
            self.make_room(1, len(parts))
            used = self.record.arguments_used
            for place, part in enumerate(parts):
                self.record.arguments[used + place] = part
            known = self._numbers[term] = self.code[enter_term](self.record, function)
            self._terms[known] = term
        return known

    def term(self, number: int) -> Term:
        """The term of a number."""
        known = self._terms.get(number)
        if known is None:
            name, arity = self.functors[self.record.function[number]]
            first = self.record.first[number]
            parts = [self.term(self.record.arguments[first + place]) for place in range(arity)]
            known = applied(name, parts)
            self._terms[number] = known
            self._numbers[known] = number
        return known

    def make_room(self, terms: int, cells: int) -> None:
        """Room for so many more terms with so many arguments together."""
        record = self.record
        if record.used + terms > TERMS_AT_MOST:
            raise LimitExceeded(
                f"the rules have made more than {TERMS_AT_MOST:,} different terms",
                hint="a recursive rule must not build ever larger terms",
            )
        if record.used + terms > record.room:
            room = record.used + terms
            record.put(
                function=grown(record.function.numpy, room, record.used),
                first=grown(record.first.numpy, room, record.used),
                key=grown(record.key.numpy, room, record.used),
            )
        if record.arguments_used + cells > record.argument_room:
            record.put(arguments=grown(record.arguments.numpy, record.arguments_used + cells))
        if 2 * (record.used + terms) + 2 >= record.slots:
            slots = 1 << (4 * (record.used + terms) + 4).bit_length()
            record.put(table=np.zeros(slots, np.int32))
            self.code[refill_terms](record)


def _order(function: Relation) -> tuple[Any, ...]:
    """As `gdl.terms.order` sorts terms of this function among others."""
    name, arity = function
    return order(Symbol(name)) if arity == 0 else order(Compound((name, *[Symbol("0")] * arity)))[:3]
