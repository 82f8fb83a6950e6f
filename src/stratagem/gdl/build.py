"""From syntax trees to rules: which node is a rule, a literal, a term; what cannot be one is a finding.

Words are folded to lower case and their first spelling is kept. ``(p)`` and ``p`` are the same proposition:
authors mean the same, whatever other programs make of it (the checker warns).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from stratagem.gdl.findings import Finding, Severity, phrase
from stratagem.gdl.rules import Atom, Distinct, Literal, Not, Or, Rule, RuleSheet
from stratagem.gdl.terms import Compound, Symbol, Term, Variable
from stratagem.gdl.text.syntax import LIMITS, Node, Place, SheetLimits, Source
from stratagem.plural import plural

CONNECTIVES = frozenset({"not", "or", "distinct"})
KEYWORDS = frozenset({"role", "init", "true", "does", "next", "legal", "goal", "terminal", "base", "input"})
RESERVED = CONNECTIVES | KEYWORDS


class Unreadable(Exception):
    """A node that is no rule, literal or term; the finding says why."""


class Builder:
    """Turns the nodes of one source into rules, collecting faults and spellings on the way."""

    def __init__(self, source: Source, limits: SheetLimits = LIMITS) -> None:
        self.source = source
        self.limits = limits
        self.findings: list[Finding] = []
        self.first: dict[str, str] = {}
        """How a word was first written, wherever that was."""
        self.alone: dict[str, str] = {}
        """How a word was first written where it stands without arguments: ``f`` or ``(f)``."""

    @property
    def spelling(self) -> dict[str, str]:
        """The spelling of every word not written in plain lower case."""
        lists = {word: written for word, written in self.alone.items() if written.startswith("(")}
        return {word: written for word, written in {**self.first, **lists}.items() if word != written}

    def fault(self, code: str, place: Place, message: str, expected: str, hint: str) -> Unreadable:
        if len(self.findings) < self.limits.findings:
            advice = phrase(expected, self.source.syntax), phrase(hint, self.source.syntax)
            found = Finding(code, Severity.ERROR, self.source.name, place, message, *advice)
            self.findings.append(found)
        return Unreadable()

    def rule(self, node: Node) -> Rule:
        """A fact, or ``(<= head literal ...)``."""
        if node.word == "<=":
            raise self.fault(
                "GDL005",
                node.place,
                "this arrow stands alone",
                "(<= head condition ...)",
                "put the rule in brackets",
            )
        if node.is_word or not node.items or node.items[0].word != "<=":
            return Rule(self.sentence(node), (), node)
        if len(node.items) == 1:
            raise self.fault(
                "GDL005",
                node.place,
                "a rule without a head",
                "(<= head condition ...)",
                "say what the rule concludes",
            )
        head, *body = self.each([self.sentence, *[self.literal] * (len(node.items) - 2)], node.items[1:])
        return Rule(head, tuple(body), node)

    def each(self, readers: Sequence[Callable[[Node], Any]], nodes: Sequence[Node]) -> list[Any]:
        """What every reader makes of its node; gives up only after all have had their turn."""
        results = []
        gave_up: Unreadable | None = None
        for reader, node in zip(readers, nodes, strict=True):
            try:
                results.append(reader(node))
            except Unreadable as fault:
                gave_up = fault
        if gave_up is not None:
            raise gave_up
        return results

    def literal(self, node: Node) -> Literal:
        """One condition of a rule's body."""
        name = node.items[0].word if node.items else ""
        arguments = node.items[1:]
        if name == "not":
            if len(arguments) != 1:
                raise self.arguments(node, "not", "one sentence", len(arguments))
            return Not(self.literal(arguments[0]), node)
        if name == "or":
            return Or(tuple(self.each([self.literal] * len(arguments), arguments)), node)
        if name == "distinct":
            if len(arguments) != 2:
                raise self.arguments(node, "distinct", "two terms", len(arguments))
            return Distinct(self.term(arguments[0]), self.term(arguments[1]), node)
        return Atom(self.sentence(node), node)

    def arguments(self, node: Node, name: str, expected: str, found: int) -> Unreadable:
        return self.fault(
            "GDL007",
            node.place,
            f"{name} with {plural(found, 'argument')}",
            f"({name} ...) around {expected}",
            "look for a bracket in the wrong place",
        )

    def sentence(self, node: Node) -> Term:
        """A relation applied to terms; like a term, but never a variable."""
        if node.word.startswith("?"):
            raise self.fault(
                "GDL006",
                node.place,
                f"the variable {node.text} stands where a sentence must",
                "a relation, as in (p ?x)",
                "name the relation",
            )
        return self.term(node)

    def term(self, node: Node) -> Term:
        """A symbol, a variable or a function applied to terms."""
        if node.is_word:
            return self.variable(node) if node.word.startswith("?") else self.symbol(node, node.text or "")
        if not node.items:
            raise self.fault(
                "GDL003", node.place, "an empty list", "a name after the (", "remove it or name what it is"
            )
        head, *arguments = node.items
        if not head.is_word:
            raise self.fault(
                "GDL004",
                node.place,
                "a list that begins with a list",
                "a name after the (",
                "remove a bracket",
            )
        if head.word.startswith("?"):
            raise self.fault(
                "GDL006",
                head.place,
                f"the variable {head.text} is used as a name",
                "the name of a relation or function after the (",
                "GDL's variables stand for terms only: write out the name",
            )
        if head.word == "<=":
            raise self.fault(
                "GDL005",
                head.place,
                "an arrow inside a rule",
                "<= only as (<= head ...)",
                "close the rule before it",
            )
        if not arguments:
            return self.symbol(head, f"({head.text})")
        if head.word not in RESERVED:
            self.first.setdefault(head.word, head.text or "")
        return Compound((Symbol(head.word), *map(self.term, arguments)))

    def variable(self, node: Node) -> Variable:
        self.first.setdefault(node.word, node.text or "")
        return Variable(node.word)

    def symbol(self, node: Node, written: str) -> Symbol:
        word = node.word
        if word not in RESERVED:
            self.first.setdefault(word, node.text or "")
            self.alone.setdefault(word, written)
        return Symbol(word)


def build(
    source: Source, nodes: Sequence[Node], limits: SheetLimits = LIMITS
) -> tuple[RuleSheet, list[Finding]]:
    """The rules that *nodes* spell, and a finding for every node that spells none."""
    builder = Builder(source, limits)
    rules: list[Rule] = []
    if len(nodes) > limits.rules:
        builder.fault(
            "GDL008",
            nodes[limits.rules].place,
            f"{len(nodes):,} rules and facts",
            f"at most {limits.rules:,}",
            "split the game, or pass larger limits",
        )
        nodes = ()
    for node in nodes:
        try:
            rules.append(builder.rule(node))
        except Unreadable:
            continue
    return RuleSheet(tuple(rules), source, builder.spelling), builder.findings
