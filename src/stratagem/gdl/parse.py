"""The parser: text in, checked rules out; every rule sheet is read here.

`parse` is for programs: a `RuleSheet`, or a `RulesError` that carries every fault. `examine` is for people and
editors: whatever could be read, and everything there is to say about it. Both read the same way:

    text -> nodes (kif, infix) -> rules (build) -> findings (check)
"""

from __future__ import annotations

from collections.abc import Sequence

from stratagem.errors import RulesError, UsageError
from stratagem.gdl.build import Builder, Unreadable, build
from stratagem.gdl.check import check
from stratagem.gdl.findings import Finding, in_order
from stratagem.gdl.header import header_of
from stratagem.gdl.rules import RuleSheet
from stratagem.gdl.sizes import chosen, expand
from stratagem.gdl.terms import Compound, Symbol, Term
from stratagem.gdl.text import kif
from stratagem.gdl.text.syntax import LIMITS, Node, SheetLimits, Source
from stratagem.plural import plural


def parse(source: Source, limits: SheetLimits = LIMITS) -> RuleSheet:
    """The rules in *source*; raises `RulesError` with all errors if they are not GDL. Warnings are dropped.

    >>> parse(Source("(role robot) (legal robot a) (goal robot 100) (<= terminal (true q))")).roles
    ('robot',)
    """
    sheet, faults = read_sheet(source, limits)
    errors = in_order([*faults, *check(sheet, whole=not faults, warnings=False, limits=limits)])
    if errors:
        raise refusal(errors)
    return sheet


def examine(source: Source, limits: SheetLimits = LIMITS) -> tuple[RuleSheet | None, tuple[Finding, ...]]:
    """The rules in *source*, or None if they are not GDL, and all findings in the order of the text."""
    sheet, faults = read_sheet(source, limits)
    findings = in_order([*faults, *check(sheet, whole=not faults, limits=limits)])
    return (None if any(found.is_error for found in findings) else sheet), findings


def read_sheet(source: Source, limits: SheetLimits = LIMITS) -> tuple[RuleSheet, list[Finding]]:
    """The rules of *source* that could be read, unchecked, and the faults of its syntax alone."""
    nodes, faults = read(source, limits)
    sheet, more = build(source, nodes, limits)
    return sheet, faults + more


def read(source: Source, limits: SheetLimits = LIMITS) -> tuple[list[Node], list[Finding]]:
    """The nodes of *source* by the reader for its syntax, with its sizes put in where it has some."""
    if source.syntax == "hrf":
        from stratagem.gdl.text import infix

        nodes, faults = infix.read(source, limits)
    else:
        nodes, faults = kif.read(source, limits)
    try:
        header = header_of(source)
    except RulesError as refused:
        # Its sizes are not known: what needs them is left out, so that nothing is said about it but the cause.
        nodes, _ = expand(source, nodes, {}, limits)
        return nodes, [*faults, *refused.findings]
    if header.sizes:
        nodes, more = expand(source, nodes, chosen(header, dict(source.settings), source.name), limits)
        faults = [*faults, *more]
    return nodes, faults


def term_of(value: object, what: str) -> Term:
    """*value* itself where it is a term, or the term that its text spells; *what* says what it would have been.

    >>> term_of("( MARK 1 2 )", "move")
    (mark 1 2)
    """
    if isinstance(value, Symbol | Compound):
        return value
    if isinstance(value, str):
        return parse_term(value)
    raise UsageError(f"{value!r} is not a {what}", hint='give a term or its text, as in "(mark 1 1)"')


def parse_term(text: str, *, name: str = "<term>", limits: SheetLimits = LIMITS) -> Term:
    """The one term that *text* writes in KIF: a move, a fact, a query. Raises `RulesError` for anything else.

    >>> parse_term(" ( Mark 1  2 ) ")
    (mark 1 2)
    """
    source = Source(text, name)
    nodes, faults = kif.read(source, limits)
    builder = Builder(source)
    if not faults and len(nodes) == 1:
        try:
            return builder.term(nodes[0])
        except Unreadable:
            faults = builder.findings
    if faults:
        raise refusal(in_order(faults))
    raise RulesError(
        f"{name}: {len(nodes)} terms where one must be", hint="write one term, as in (mark 1 2) or noop"
    )


def refusal(errors: Sequence[Finding]) -> RulesError:
    """The error for a sheet with these faults: the first in words, and how many more there are."""
    more = len(errors) - 1
    rest = "" if more == 0 else f" (and {plural(more, 'more error')})"
    return RulesError(f"{errors[0]}{rest}", findings=errors)
