"""Between terms and clingo's language: relations become p0, p1 ..., functions f0, f1 ..., symbols numbers.

So no word of a rule sheet is ever read by clingo, whatever characters it has, and a relation or function
with two arities is two.
"""

from __future__ import annotations

from collections.abc import Iterable

from stratagem.gdl.terms import Compound, Relation, Symbol, Term, Variable, functor
from stratagem.ground.rewrite.normal import NormalRule
from stratagem.ground.rewrite.split import GUARD

SHOWN: tuple[Relation, ...] = (
    ("init", 1),
    ("true", 1),
    ("next", 1),
    ("does", 2),
    ("legal", 2),
    ("goal", 2),
    ("terminal", 0),
)
REACHABLE = """\
{{{true}(F)}} :- {init}(F).
{{{true}(F)}} :- {next}(F).
{{{does}(R,M)}} :- {legal}(R,M), {role}(R).
"""


class Encoder:
    """The names of one program, in the order in which they were first met."""

    def __init__(self) -> None:
        self.relations: dict[Relation, str] = {}
        self.functions: dict[Relation, str] = {}
        self.symbols: dict[str, int] = {}
        for relation in (*SHOWN, ("role", 1)):
            self.relation(relation)

    def relation(self, relation: Relation) -> str:
        prefix = "g" if relation[0].startswith(GUARD) else "p"
        return self.relations.setdefault(relation, f"{prefix}{len(self.relations)}")

    def term(self, term: Term, names: dict[str, str]) -> str:
        if isinstance(term, Variable):
            return names.setdefault(term, f"V{len(names)}")
        if isinstance(term, Compound):
            name = self.functions.setdefault(functor(term), f"f{len(self.functions)}")
            return f"{name}({','.join(self.term(part, names) for part in term[1:])})"
        return str(self.symbols.setdefault(term, len(self.symbols)))

    def atom(self, term: Term, names: dict[str, str]) -> str:
        name = self.relation(functor(term))
        if isinstance(term, Compound):
            return f"{name}({','.join(self.term(part, names) for part in term[1:])})"
        return name

    def rule(self, rule: NormalRule) -> str:
        names: dict[str, str] = {}
        body = [self.atom(term, names) for term in (*rule.guards, *rule.positive)]
        body += [
            f"{self.term(pair.left, names)}{pair.operator}{self.term(pair.right, names)}"
            for pair in rule.comparisons
        ]
        body += [f"not {self.atom(term, names)}" for term in rule.negative]
        head = self.atom(rule.head, names)
        return f"{head} :- {', '.join(body)}." if body else f"{head}."

    def program(self, rules: Iterable[NormalRule]) -> str:
        """clingo's text for *rules*, with every state and every move that the rules could lead to left open."""
        lines = [self.rule(rule) for rule in rules]
        lines.append(
            REACHABLE.format(**{name: code for (name, _), code in self.relations.items() if name in NAMES})
        )
        for relation in SHOWN:
            lines.append(f"#show {self.relations[relation]}/{relation[1]}.")
        for relation, code in self.relations.items():
            if code.startswith("g"):
                lines.append(f"#show {code}/{relation[1]}.")
        return "\n".join(lines)


NAMES = frozenset(name for name, _ in SHOWN) | {"role"}


class Decoder:
    """The way back from clingo's symbols."""

    def __init__(self, encoder: Encoder) -> None:
        self.relations = {code: relation[0] for relation, code in encoder.relations.items()}
        self.functions = {code: relation[0] for relation, code in encoder.functions.items()}
        self.symbols = [Symbol(word) for word in encoder.symbols]
        self.known: dict[object, Term] = {}

    def term(self, symbol: object) -> Term:
        """The term that a clingo symbol stands for."""
        found = self.known.get(symbol)
        if found is None:
            if symbol.type.name == "Number":  # type: ignore[attr-defined]
                found = self.symbols[symbol.number]  # type: ignore[attr-defined]
            else:
                name = self.functions[symbol.name]  # type: ignore[attr-defined]
                found = Compound((name, *map(self.term, symbol.arguments)))  # type: ignore[attr-defined]
            self.known[symbol] = found
        return found
