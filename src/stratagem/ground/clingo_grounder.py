"""clingo as the grounder: normal rules in, ground program out.

One pass does both jobs. States and moves are choices, ``{true(F)} :- next(F)``, so gringo finds every fact and
move that could be reached if negated conditions never stood in the way, and grounds all rules over
them; relations that depend on neither are evaluated for good, negation included. The observer hears every
ground rule: about 3 microseconds each.
"""

from __future__ import annotations

from collections.abc import Iterable

import clingo

from stratagem.errors import GroundingError
from stratagem.gdl.terms import Term
from stratagem.ground.encode import Decoder, Encoder
from stratagem.ground.program import ALWAYS, GroundProgram, GroundRule
from stratagem.ground.rewrite.normal import NormalRule


class _Listener:
    """Keeps what the observer hears: rules, and the atoms of the shown relations."""

    def __init__(self) -> None:
        self.rules: list[GroundRule] = []
        self.shown: list[tuple[clingo.Symbol, int]] = []

    def rule(self, choice: bool, head: list[int], body: list[int]) -> None:
        if not choice:
            self.rules.append((head[0], tuple(body)))

    def output_atom(self, symbol: clingo.Symbol, atom: int) -> None:
        self.shown.append((symbol, atom))


def ground_here(rules: Iterable[NormalRule], roles: tuple[str, ...]) -> GroundProgram:
    """The ground program of *rules*, in this process and without limits."""
    encoder = Encoder()
    text = encoder.program(rules)
    listener = _Listener()
    complaints: list[str] = []
    control = clingo.Control(["--warn=none"], logger=lambda _code, line: complaints.append(line.strip()))
    control.register_observer(listener, replace=True)
    try:
        control.add("base", [], text)
        control.ground([("base", [])])
    except RuntimeError as failure:
        if "bad_alloc" in str(failure):
            raise MemoryError from failure
        # clingo's exception says only that it stopped; what the reader needs went to the logger.
        reason = "; ".join(complaints) or str(failure)
        raise GroundingError(f"the game could not be ground: {reason}") from failure
    return _program(listener, encoder, roles)


def _program(listener: _Listener, encoder: Encoder, roles: tuple[str, ...]) -> GroundProgram:
    decoder = Decoder(encoder)
    initial: set[Term] = set()
    unary: dict[str, dict[Term, int]] = {"true": {}, "next": {}}
    binary: dict[str, dict[tuple[str, Term], int]] = {"does": {}, "legal": {}, "goal": {}}
    terminal: int | None = None
    guards: set[int] = set()
    known_roles = frozenset(roles)
    for symbol, number in listener.shown:
        relation = decoder.relations[symbol.name]
        if relation == "init":
            initial.add(decoder.term(symbol.arguments[0]))
        elif relation in unary:
            unary[relation][decoder.term(symbol.arguments[0])] = number
        elif relation in binary:
            role, term = map(decoder.term, symbol.arguments)
            if role in known_roles:
                binary[relation][(str(role), term)] = number
        elif relation == "terminal":
            terminal = number
        elif number != ALWAYS:
            guards.add(number)
    rules: list[GroundRule] = []
    for rule in listener.rules:
        head, body = rule
        if head in guards:
            continue
        if guards.isdisjoint(body):
            rules.append(rule)
        else:
            rules.append((head, tuple(part for part in body if part not in guards)))
    return GroundProgram(
        roles,
        tuple(rules),
        frozenset(initial),
        unary["true"],
        binary["does"],
        unary["next"],
        binary["legal"],
        binary["goal"],
        terminal,
    )
