"""The promise behind GDL013 and GDL119: what is accepted can be derived to the end."""

from __future__ import annotations

from collections.abc import Iterator

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from stratagem.gdl.parse import examine, parse_term, read_sheet
from stratagem.gdl.terms import Compound, Term, Variable, depth
from stratagem.gdl.text.syntax import Source

FACTS = ["(e a b)", "(e b a)", "(n a)", "(n (f a))", "(p a b)", "(r (f b))"]
GAME = "(role x) (legal x a) (goal x 100) (<= terminal (true a)) (init a)\n" + "\n".join(FACTS)
DEEPEST = 30

SIMPLE = st.sampled_from(["?x", "?y", "?z", "a"])
TERMS = st.one_of(SIMPLE, SIMPLE.map(lambda term: f"(f {term})"), SIMPLE.map(lambda term: f"(g {term} b)"))
RECURSIVE = st.one_of(
    st.builds(lambda one, two: f"(p {one} {two})", TERMS, TERMS), TERMS.map(lambda one: f"(r {one})")
)
OTHERS = st.one_of(
    st.builds(lambda one, two: f"(e {one} {two})", SIMPLE, SIMPLE), SIMPLE.map(lambda one: f"(n {one})")
)
RULES = st.lists(
    st.builds(
        lambda head, recursive, others: f"(<= {head} {' '.join([*recursive, *others])})",
        RECURSIVE,
        st.lists(RECURSIVE, min_size=1, max_size=2),
        st.lists(OTHERS, max_size=1),
    ),
    min_size=1,
    max_size=3,
)


def matched(pattern: Term, fact: Term, values: dict[Variable, Term]) -> dict[Variable, Term] | None:
    if isinstance(pattern, Variable):
        return values if values.setdefault(pattern, fact) == fact else None
    if not isinstance(pattern, Compound):
        return values if pattern == fact else None
    if not isinstance(fact, Compound) or len(pattern) != len(fact) or pattern[0] != fact[0]:
        return None
    for part, other in zip(pattern[1:], fact[1:], strict=True):
        if matched(part, other, values) is None:
            return None
    return values


def filled(term: Term, values: dict[Variable, Term]) -> Term:
    if isinstance(term, Compound):
        return Compound((term[0], *(filled(part, values) for part in term[1:])))
    return values.get(term, term) if isinstance(term, Variable) else term


def solutions(
    body: list[Term], facts: set[Term], values: dict[Variable, Term]
) -> Iterator[dict[Variable, Term]]:
    if not body:
        yield values
        return
    for fact in facts:
        extended = matched(body[0], fact, dict(values))
        if extended is not None:
            yield from solutions(body[1:], facts, extended)


def deepest_term(text: str) -> int:
    """How deep the terms get if all is derived that can be, or past `DEEPEST` if there is no end to it."""
    rules = read_sheet(Source(text))[0].rules
    facts = {parse_term(fact) for fact in FACTS}
    while True:
        new = {
            filled(rule.head, values)
            for rule in rules
            for values in solutions([literal.term for literal in rule.body], facts, {})
        } - facts
        facts |= new
        deepest = max(map(depth, facts))
        if not new or deepest > DEEPEST:
            return deepest


def is_accepted(rules: list[str]) -> bool:
    return examine(Source(GAME + "".join(rules)))[0] is not None


@settings(max_examples=300, derandomize=True)
@given(RULES)
def test_what_is_accepted_can_be_derived_to_the_end(rules):
    assume(is_accepted(rules))
    assert deepest_term("".join(rules)) <= DEEPEST


def test_the_yardstick_can_tell_what_has_no_end():
    endless = ["(<= (r (f ?x)) (r ?x))"]
    assert not is_accepted(endless)
    assert deepest_term("".join(endless)) > DEEPEST
