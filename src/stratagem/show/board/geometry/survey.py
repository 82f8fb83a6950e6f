"""A survey of a game: all evidence for the inference of its board, gathered once.

The rules give domains, names and links; the first state shows what is there to begin with; declared
`base` facts, where a sheet has them, say exactly what may ever be true.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Final, TypeAlias

from stratagem.errors import LimitExceeded
from stratagem.gdl.rules import RuleSheet, atoms
from stratagem.gdl.terms import Symbol, Term, Variable, arguments, functor
from stratagem.machines.reasoner.reasoner import Reasoner
from stratagem.machines.reasoner.theory import Level
from stratagem.show.board.geometry.domains import ArgumentDomains, Key, Values, domains_of, sentences
from stratagem.show.board.geometry.sequences import chain_of

if TYPE_CHECKING:
    from stratagem.gdl_game import GdlGame
    from stratagem.state import State

Row: TypeAlias = tuple[Term, ...]
Rows: TypeAlias = Mapping[Key, frozenset[Row]]

MOST_STATIC: Final = 60_000
"""A relation without state is looked at only if its domains allow no more rows than this."""
MOST_LABELS: Final = 45
"""A relation that rules define is looked at only if none of its arguments has more values than this."""
ARITIES: Final = (2, 3, 4)
KEYWORDS: Final = frozenset(
    ["role", "base", "input", "init", "true", "next", "does", "legal", "goal", "terminal"]
)


@dataclass(frozen=True, slots=True)
class GameSurvey:
    """The evidence about a game."""

    game: GdlGame
    first: State
    facts: Mapping[Key, tuple[Values, ...]]
    moves: Mapping[Key, tuple[Values, ...]]
    base: Rows
    init: Rows
    static: Rows
    """The relations that depend on no state and are small enough to be written out."""
    chains: Mapping[Key, Mapping[Term, int]]
    """The static relations that put their terms into one row: successors."""
    words: Mapping[tuple[Key, int], frozenset[str]]
    """How the rules call an argument of a fact: names of variables, and of unary relations on them."""
    stepped: frozenset[tuple[Key, int]]
    """The arguments of facts that rules take to the next or the previous one by a successor relation."""
    appearance: Mapping[Term, int]
    """The order in which words first appear in the sheet."""

    @property
    def roles(self) -> frozenset[str]:
        return frozenset(self.game.roles)

    @property
    def sheet(self) -> RuleSheet:
        return self.game.sheet


def survey_of(game: GdlGame) -> GameSurvey:
    """The survey of *game*. Costs one initial state and the small static relations of the sheet."""
    first = game.initial()
    reasoner = Reasoner(game.sheet)
    domains = domains_of(game.sheet)
    base = shaped(row[0] for row in rows_of(reasoner, ("base", 1)))
    init = shaped(first.facts())
    static = dict(statics(reasoner, domains))
    chains = {
        key: chain
        for key, rows in static.items()
        if key[1] == 2 and (chain := chain_of((row[0], row[1]) for row in rows)) is not None
    }
    return GameSurvey(
        game,
        first,
        {key: tightened(columns, base.get(key), init.get(key)) for key, columns in domains.facts.items()},
        domains.moves,
        base,
        init,
        static,
        chains,
        names(game.sheet),
        stepped(game.sheet, frozenset(chains)),
        appearance(game.sheet),
    )


def appearance(sheet: RuleSheet) -> Mapping[Term, int]:
    """A number for every word of the sheet, ascending in the order of the text."""
    found: dict[Term, int] = {}
    for rule in sheet.rules:
        stack = [rule.head, *(atom.term for literal in rule.body for atom, _ in atoms(literal))][::-1]
        while stack:
            term = stack.pop()
            stack.extend(reversed(arguments(term)))
            if isinstance(term, Symbol):
                found.setdefault(term, len(found))
    return found


def shaped(facts: Iterable[Term]) -> dict[Key, frozenset[Row]]:
    """Facts sorted by name and number of arguments."""
    found: defaultdict[Key, set[Row]] = defaultdict(set)
    for fact in facts:
        found[functor(fact)].add(arguments(fact))
    return {key: frozenset(rows) for key, rows in found.items()}


def tightened(
    columns: tuple[Values, ...], base: frozenset[Row] | None, init: frozenset[Row] | None
) -> tuple[Values, ...]:
    """What may stand in each argument: what is declared and what is there at first, else the domains."""
    if base is None:
        return columns
    rows = base | (init or frozenset())
    return tuple(frozenset(row[place] for row in rows) for place in range(len(columns)))


def rows_of(reasoner: Reasoner, key: Key) -> frozenset[Row]:
    """The rows of a static relation; none where it is not static or too large."""
    component = reasoner.theory.by_key.get(key)
    if component is None or component.level is not Level.STATIC:
        return frozenset()
    try:
        return frozenset(arguments(fact) for fact in reasoner.static.whole(key).rounds)
    except LimitExceeded:
        return frozenset()


def statics(reasoner: Reasoner, domains: ArgumentDomains) -> Iterator[tuple[Key, frozenset[Row]]]:
    """The relations without state that may say something about a board: short columns, or plain facts."""
    for key, columns in domains.relations.items():
        component = reasoner.theory.by_key.get(key)
        if key[0] in KEYWORDS or key[1] not in ARITIES or component is None:
            continue
        short = max(map(len, columns)) <= MOST_LABELS and prod(map(len, columns)) <= MOST_STATIC
        if short or not any(rule.body for rule in component.rules):
            rows = rows_of(reasoner, key)
            if rows:
                yield key, rows


def stepped(sheet: RuleSheet, chains: frozenset[Key]) -> frozenset[tuple[Key, int]]:
    """The arguments of facts whose variable also stands in a relation of *chains*, in some rule."""
    found: set[tuple[Key, int]] = set()
    for rule in sheet.rules:
        terms = [rule.head, *(atom.term for literal in rule.body for atom, _ in atoms(literal))]
        taken = {part for term in terms if functor(term) in chains for part in arguments(term)}
        for sentence in (
            sentence for term in terms for sentence in sentences(term) if sentence.world == "fact"
        ):
            for place, part in enumerate(arguments(sentence.term)):
                if isinstance(part, Variable) and part in taken:
                    found.add((functor(sentence.term), place))
    return frozenset(found)


def names(sheet: RuleSheet) -> Mapping[tuple[Key, int], frozenset[str]]:
    """The words by which rules call the arguments of facts."""
    found: defaultdict[tuple[Key, int], set[str]] = defaultdict(set)
    for rule in sheet.rules:
        called: defaultdict[Variable, set[str]] = defaultdict(set)
        seen: list[tuple[Key, int, Variable]] = []
        terms = [rule.head, *(atom.term for literal in rule.body for atom, _ in atoms(literal))]
        for sentence in (sentence for term in terms for sentence in sentences(term)):
            key = functor(sentence.term)
            for place, part in enumerate(arguments(sentence.term)):
                if not isinstance(part, Variable):
                    continue
                called[part].add(part.removeprefix("?"))
                if sentence.world == "fact":
                    seen.append((key, place, part))
                elif sentence.world == "relation" and key[1] == 1:
                    called[part].add(key[0])
        for key, place, part in seen:
            found[key, place] |= called[part]
    return {where: frozenset(words) for where, words in found.items()}
