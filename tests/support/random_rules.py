"""Random stratified rules over a small universe, and random questions about them.

Every stratum may read itself (recursion), negate what is below it, read the state and the moves, and build terms of
one function; relations have two arguments, one or none.
"""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import strategies as some

from stratagem.gdl.parse import read_sheet
from stratagem.gdl.rules import Atom, Distinct, Literal, Not, Or, Rule, RuleSheet, literal_variables
from stratagem.gdl.terms import Compound, Symbol, Term, Variable, applied, arguments, functor, variables
from stratagem.gdl.text.syntax import Node, Place, Source
from stratagem.machines.reasoner.joins import binds

NOWHERE = Node(Place(1, 1), "random")
CONSTANTS: list[Term] = [Symbol("a"), Symbol("b")]
UNIVERSE: list[Term] = [*CONSTANTS, *(Compound((Symbol("f"), one)) for one in CONSTANTS)]
VARIABLES = [Variable(name) for name in ("?x", "?y", "?z")]
TERMS = some.one_of(
    some.sampled_from([*VARIABLES, *CONSTANTS]),
    some.builds(lambda one: Compound((Symbol("f"), one)), some.sampled_from([*VARIABLES, *CONSTANTS])),
)
GROUND = some.sampled_from(UNIVERSE)
FLUENTS = [Symbol("h"), *(Compound((Symbol("g"), one)) for one in UNIVERSE)]
LOWEST = {"e": 2, "u": 1, "n": 0}


@dataclass(frozen=True)
class Situation:
    """What is true, and what is done where somebody moves."""

    state: frozenset[Term]
    moves: tuple[Term, ...]


@dataclass(frozen=True)
class RandomRules:
    """The rules by strata, the same as a sheet read from text, and some situations."""

    strata: tuple[tuple[Rule, ...], ...]
    sheet: RuleSheet
    situations: tuple[Situation, ...]

    @property
    def keys(self) -> list[tuple[str, int]]:
        return sorted({functor(rule.head) for stratum in self.strata for rule in stratum})


def atoms_of(relations: dict[str, int]) -> some.SearchStrategy[Literal]:
    """Sentences of these relations, of the state or about a move."""

    def build(name: str, one: Term, other: Term) -> Literal:
        if name == "true":
            return Atom(Compound((Symbol("true"), Compound((Symbol("g"), one)))), NOWHERE)
        if name == "true h":
            return Atom(Compound((Symbol("true"), Symbol("h"))), NOWHERE)
        if name == "does":
            return Atom(Compound((Symbol("does"), Symbol("r"), one)), NOWHERE)
        return Atom(applied(name, (one, other)[: relations[name]]), NOWHERE)

    return some.builds(build, some.sampled_from([*relations, "true", "true h", "does"]), TERMS, TERMS)


@some.composite
def rules(draw: some.DrawFn, own: dict[str, int], below: dict[str, int]) -> Rule:
    """A safe rule for one of the *own* relations."""
    atom, lower = atoms_of({**own, **below}), atoms_of(below)
    other: some.SearchStrategy[Literal] = some.one_of(
        lower.map(lambda inner: Not(inner, NOWHERE)),
        some.tuples(lower, lower).map(lambda pair: Not(Or(pair, NOWHERE), NOWHERE)),
        some.tuples(TERMS, TERMS).map(lambda pair: Distinct(*pair, NOWHERE)),
        some.tuples(atom, atom).map(lambda pair: Or(pair, NOWHERE)),
        some.tuples(atom, lower).map(lambda pair: Or((pair[0], Not(pair[1], NOWHERE)), NOWHERE)),
    )
    body = [*draw(some.lists(atom, min_size=1, max_size=3)), *draw(some.lists(other, max_size=2))]
    name = draw(some.sampled_from(sorted(own)))
    head = applied(name, [draw(TERMS) for _ in range(own[name])])
    nested = {
        variable for part in arguments(head) if isinstance(part, Compound) for variable in variables(part)
    }
    body += [Atom(Compound((Symbol("constant"), variable)), NOWHERE) for variable in sorted(nested)]
    bound = {variable for part in body for variable in binds(part)}
    loose = [v for part in body if not isinstance(part, Atom) for v in literal_variables(part)]
    for variable in sorted({*variables(head), *loose} - bound):
        body.append(Atom(Compound((Symbol("thing"), variable)), NOWHERE))
    return Rule(head, tuple(draw(some.permutations(body))), NOWHERE)


@some.composite
def random_rules(draw: some.DrawFn) -> RandomRules:
    facts: list[Term] = [
        *(Compound((Symbol("thing"), term)) for term in UNIVERSE),
        *(Compound((Symbol("constant"), term)) for term in CONSTANTS),
        *draw(
            some.lists(some.builds(lambda *two: Compound((Symbol("e"), *two)), GROUND, GROUND), max_size=4)
        ),
        *draw(some.lists(some.builds(lambda one: Compound((Symbol("u"), one)), GROUND), max_size=2)),
        *draw(some.sampled_from([[], [Symbol("n")]])),
    ]
    strata = [tuple(Rule(fact, (), NOWHERE) for fact in dict.fromkeys(facts))]
    below = dict(LOWEST)
    for level in range(1, 4):
        own = {f"p{level}": 2, f"q{level}": 1, f"z{level}": 0}
        strata.append(tuple(draw(some.lists(rules(own, below), min_size=1, max_size=4))))
        below |= own
    brackets = draw(some.lists(some.booleans(), min_size=1, max_size=7))
    everything = draw(some.permutations([rule for stratum in strata for rule in stratum]))
    sheet, faults = read_sheet(Source(text_of(everything, brackets)))
    assert not faults
    situation = some.builds(
        lambda state, moves: Situation(state, tuple(moves)),
        some.frozensets(some.sampled_from(FLUENTS), max_size=4),
        some.lists(GROUND, max_size=2, unique=True),
    )
    return RandomRules(tuple(strata), sheet, (draw(situation), draw(situation)))


@some.composite
def queries(draw: some.DrawFn, keys: list[tuple[str, int]]) -> Term:
    """A relation asked whole, in part or for one fact; one without arguments in either spelling."""
    name, size = draw(some.sampled_from(keys))
    if size == 0:
        return draw(some.sampled_from([Symbol(name), Compound((Symbol(name),))]))
    if draw(some.booleans()):
        return applied(name, VARIABLES[:size])
    return applied(name, [draw(TERMS) for _ in range(size)])


def text_of(rules: list[Rule], brackets: list[bool]) -> str:
    """The rules as KIF; sentences without arguments stand in brackets or not, as *brackets* says in turn."""
    turn = 0

    def sentence(term: Term) -> str:
        nonlocal turn
        turn += 1
        return f"({term})" if not isinstance(term, Compound) and brackets[turn % len(brackets)] else str(term)

    def written(literal: Literal) -> str:
        match literal:
            case Atom(term):
                return sentence(term)
            case Not(inner):
                return f"(not {written(inner)})"
            case Or(inner):
                return f"(or {' '.join(map(written, inner))})"
            case Distinct(left, right):
                return f"(distinct {left} {right})"

    return "\n".join(
        f"(<= {sentence(rule.head)} {' '.join(map(written, rule.body))})"
        if rule.body
        else sentence(rule.head)
        for rule in rules
    )
