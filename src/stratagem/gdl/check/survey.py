"""What every check looks at, gathered once: definitions, uses, words with their places, and the findings so far."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from stratagem.gdl import dependencies
from stratagem.gdl.build import CONNECTIVES
from stratagem.gdl.codes import ERRORS
from stratagem.gdl.dependencies import Use
from stratagem.gdl.findings import Finding, Severity, phrase, visible
from stratagem.gdl.rules import Rule, RuleSheet
from stratagem.gdl.terms import Relation, Term, Variable, functor
from stratagem.gdl.text.printer import term_to_hrf, term_to_kif
from stratagem.gdl.text.syntax import Node, Place, SheetLimits
from stratagem.plural import plural

COMPARISONS: Final = 50_000
"""How many pairs of names are compared for hints, in all: a sheet of nonsense must not cost minutes."""
NEAR: Final = 0.67
"""How alike two names must be: ?n and ?n1 are (0.8), ?x and ?y are not (0.5)."""
LONGEST_SHOWN: Final = 60
MOST_LISTED: Final = 8


class Kind(StrEnum):
    RELATION = "relation"
    FUNCTION = "function"
    CONSTANT = "constant"
    VARIABLE = "variable"


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a rule and what it is there; *bracketed* if it stands in brackets alone, as ``(f)``."""

    node: Node
    kind: Kind
    arity: int
    bracketed: bool
    in_head: bool

    @property
    def text(self) -> str:
        return self.node.text or ""

    @property
    def place(self) -> Place:
        return self.node.place


def parts(rule: Rule) -> tuple[Node, tuple[Node, ...]]:
    """The nodes of the head and of the conditions of *rule*."""
    items = rule.node.items
    return (items[1], items[2:]) if items and items[0].word == "<=" else (rule.node, ())


def words(rule: Rule) -> Iterator[Word]:
    """The words of *rule* from left to right, without the arrow and the connectives of its conditions."""
    head, body = parts(rule)
    yield from _of_term(head, Kind.RELATION, True)
    for condition in body:
        yield from _of_condition(condition)


def _of_condition(node: Node) -> Iterator[Word]:
    name = node.items[0].word if node.items else ""
    for argument in node.items[1:] if name in CONNECTIVES else ():
        if name == "distinct":
            yield from _of_term(argument, Kind.FUNCTION, False)
        else:
            yield from _of_condition(argument)
    if name not in CONNECTIVES:
        yield from _of_term(node, Kind.RELATION, False)


def _of_term(node: Node, kind: Kind, in_head: bool) -> Iterator[Word]:
    name = node if node.is_word else node.items[0]
    arguments = node.items[1:]
    if kind is Kind.FUNCTION and not arguments:
        kind = Kind.VARIABLE if name.word.startswith("?") else Kind.CONSTANT
    yield Word(name, kind, len(arguments), not node.is_word and not arguments, in_head)
    for argument in arguments:
        yield from _of_term(argument, Kind.FUNCTION, in_head)


def name_place(node: Node) -> Place:
    """Where the first word of *node* stands: a better place to point at than a bracket."""
    return node.place if node.is_word or not node.items else name_place(node.items[0])


def places(node: Node) -> dict[str, Place]:
    """Where each word inside *node* first stands."""
    found: dict[str, Place] = {}
    stack = [node]
    while stack:
        part = stack.pop()
        if part.is_word:
            found.setdefault(part.word, part.place)
        stack.extend(reversed(part.items))
    return found


def listed(names: Sequence[str]) -> str:
    """*names* in a message; of very many the first few and the last."""
    few = names if len(names) <= MOST_LISTED else [*names[: MOST_LISTED - 2], "…", names[-1]]
    return ", ".join(few)


def shown(text: str) -> str:
    return visible(text if len(text) <= LONGEST_SHOWN else text[:LONGEST_SHOWN] + "…")


@dataclass(slots=True)
class Survey:
    """One sheet under examination. Checks read it and call `report`; nothing else changes."""

    sheet: RuleSheet
    limits: SheetLimits
    definitions: dict[Relation, list[Rule]]
    uses: Mapping[Relation, Sequence[Use]]
    edges: Mapping[Relation, Sequence[Relation]]
    words: Sequence[tuple[Rule, tuple[Word, ...]]]
    arities: Mapping[str, int]
    """For every name the number of relations that have it."""
    errors: list[Finding] = field(default_factory=list)
    warnings: list[Finding] = field(default_factory=list)
    comparisons: int = COMPARISONS

    @classmethod
    def of(cls, sheet: RuleSheet, limits: SheetLimits) -> Survey:
        definitions: dict[Relation, list[Rule]] = {}
        uses: dict[Relation, list[Use]] = {}
        for rule in sheet.rules:
            definitions.setdefault(functor(rule.head), []).append(rule)
            for use in dependencies.uses(rule):
                uses.setdefault(use.relation, []).append(use)
        edges = dependencies.graph(sheet.rules)
        every_word = [(rule, tuple(words(rule))) for rule in sheet.rules]
        arities = Counter(name for name, _ in edges)
        return cls(sheet, limits, definitions, uses, edges, every_word, arities)

    def report(self, code: str, place: Place, message: str, expected: str, hint: str) -> None:
        """Note one finding; the code says whether it is an error or a warning."""
        is_error = code in ERRORS
        findings = self.errors if is_error else self.warnings
        if len(findings) < self.limits.findings:
            severity = Severity.ERROR if is_error else Severity.WARNING
            source = self.sheet.source
            advice = phrase(expected, source.syntax), phrase(hint, source.syntax)
            findings.append(Finding(code, severity, source.name, place, message, *advice))

    def show(self, term: Term) -> str:
        """*term* as the author wrote it, in the syntax of the sheet."""
        write = term_to_hrf if self.sheet.source.syntax == "hrf" else term_to_kif
        return shown(write(term, self.sheet.spelling))

    def show_word(self, word: str) -> str:
        """A name or variable as the author wrote it, without the brackets of ``(f)``."""
        if word.startswith("?"):
            return self.show(Variable(word))
        return shown(self.sheet.spelling.get(word, word).strip("()"))

    def name(self, relation: Relation) -> str:
        """A relation in a message: its name; the number of arguments too if there are others of that name."""
        name, arity = relation
        word = self.show_word(name)
        return word if self.arities[name] < 2 else f"{word} with {plural(arity, 'argument')}"

    def closest(self, word: str, others: Collection[str], near_from: float = NEAR) -> str | None:
        """The one of *others* that *word* was most likely meant to be, if any is as near as *near_from*."""
        if len(word) > LONGEST_SHOWN or len(others) > self.comparisons:
            return None
        self.comparisons -= len(others)
        near: list[tuple[float, str]] = []
        matcher = difflib.SequenceMatcher(b=word)
        for other in sorted(others):
            if other == word or len(other) > LONGEST_SHOWN:
                continue
            matcher.set_seq1(other)
            if matcher.real_quick_ratio() >= near_from and matcher.quick_ratio() >= near_from:
                near.append((matcher.ratio(), other))
        best = max(near, default=(0.0, ""), key=lambda pair: pair[0])
        return best[1] if best[0] >= near_from else None

    def did_you_mean(self, word: str, others: Collection[str], otherwise: str) -> str:
        """A hint: the nearest of *others*, or *otherwise* where none is near."""
        near = self.closest(word, others)
        return otherwise if near is None else f"did you mean {self.show_word(near)}?"
