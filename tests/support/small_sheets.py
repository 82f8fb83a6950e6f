"""Small random rule sheets that are sound GDL, for laws that every machine must keep; and the way to compare two."""

from __future__ import annotations

import random
from typing import Any

from hypothesis import strategies as some

from stratagem.gdl.parse import parse
from stratagem.gdl.rules import RuleSheet
from stratagem.gdl.text.syntax import Source

THINGS = ("a", "b", "c")
VARIABLES = ("?x", "?y", "?z")
FLUENTS = ("p", "q")
DERIVED = ("d0", "d1", "d2")


def sheet_of(text: str) -> RuleSheet:
    """The checked rules of a KIF text."""
    return parse(Source(text))


def _arguments(draw: Any) -> str:
    return draw(some.sampled_from(VARIABLES + THINGS))


@some.composite
def _literal(draw: Any, level: int) -> str:
    """A condition on the state, on derived relations up to *level*, or on the things themselves."""
    kind = draw(some.integers(0, 6))
    one, other = _arguments(draw), _arguments(draw)
    if kind == 0:
        return f"(distinct {one} {other})"
    if kind == 1:
        return f"(true ({draw(some.sampled_from(FLUENTS))} {one}))"
    if kind == 2:
        return f"(not (true ({draw(some.sampled_from(FLUENTS))} {one})))"
    if kind == 3:
        return f"(near {one} {other})"
    if kind == 4:
        return f"(true (r (f {one}) {other}))"
    if level == 0:
        return f"(not (near {one} {other}))"
    name = DERIVED[draw(some.integers(0, level - 1))]
    return f"({name} {one} {other})" if kind == 5 else f"(not ({name} {one} {other}))"


@some.composite
def _body(draw: Any, level: int) -> str:
    literals = draw(some.lists(_literal(level), min_size=0, max_size=4))
    if len(literals) > 2 and draw(some.booleans()):
        literals = [*literals[2:], f"(or {literals[0]} {literals[1]})"]
    if literals and draw(some.integers(0, 5)) == 0:
        literals[0] = f"(not (or {literals[0]} (true (q b))))"
    return " ".join(literals)


@some.composite
def small_sheets(draw: Any) -> str:
    """A sheet over three things; every variable is bound by (thing ?x), so every rule is safe."""
    bound = "(thing ?x) (thing ?y) (thing ?z)"
    lines = ["(role one)", "(role two)", *(f"(thing {thing})" for thing in THINGS)]
    pairs = draw(some.lists(some.tuples(some.sampled_from(THINGS), some.sampled_from(THINGS)), max_size=5))
    lines += [f"(near {one} {other})" for one, other in pairs] or ["(near a b)"]
    lines += [f"(init (p {thing}))" for thing in draw(some.sets(some.sampled_from(THINGS)))]
    lines += [f"(init (r (f {thing}) b))" for thing in sorted(draw(some.sets(some.sampled_from(THINGS))))]
    for level, name in enumerate(DERIVED):
        for _ in range(draw(some.integers(1, 2))):
            lines.append(f"(<= ({name} ?x ?y) {bound} {draw(_body(level))})")
        if draw(some.booleans()):
            lines.append(f"(<= ({name} ?x ?z) ({name} ?x ?y) ({name} ?y ?z) (true (p ?y)))")
    count = len(DERIVED)
    for fluent in ("(p ?x)", "(q ?y)", "(r (f ?x) ?z)"):
        for _ in range(draw(some.integers(1, 2))):
            does = draw(
                some.sampled_from(["(does one (go ?x))", "(does two (go ?y))", "(does one stay)", ""])
            )
            lines.append(f"(<= (next {fluent}) {bound} {does} {draw(_body(count))})")
    lines += ["(legal one stay)", "(legal two stay)"]
    lines.append(f"(<= (legal ?w (go ?x)) (role ?w) {bound} {draw(_body(count))})")
    lines.append(f"(<= terminal {bound} (true (q ?x)) {draw(_body(count))})")
    for role in ("one", "two"):
        for value in draw(some.sets(some.sampled_from(["100", "50", "050", "0", "much"]), min_size=1)):
            lines.append(f"(<= (goal {role} {value}) {bound} {draw(_body(count))})")
    return "\n".join(lines)


def assert_same_play(
    one: Any, other: Any, roles: int, *, steps: int = 6, walks: int = 3, seed: int = 0
) -> int:
    """Walks through a game on two machines at once and compares all they say; returns the states compared."""
    chance = random.Random(seed)
    compared = 0
    for _ in range(walks):
        left, right = one.initial(), other.initial()
        for _ in range(steps):
            assert one.facts(left) == other.facts(right)
            assert one.terminal(left) == other.terminal(right)
            joint = []
            for role in range(roles):
                moves = one.legals(left, role)
                assert moves == other.legals(right, role)
                assert one.goal(left, role) == other.goal(right, role)
                joint.append(chance.choice(moves) if moves else None)
            compared += 1
            if None in joint:
                break
            assert other.from_facts(one.facts(left)) == right
            left, right = one.next(left, tuple(joint)), other.next(right, tuple(joint))
    return compared
