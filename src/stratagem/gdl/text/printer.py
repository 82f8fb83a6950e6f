"""Printers: terms, rules and sheets as KIF and as HRF, in the spelling in which they were first written.

Whatever is printed here can be read again by the reader for that syntax and gives the same rules: HRF puts
words that it cannot write bare into quotation marks, and ``f()`` for KIF's ``(f)``.

>>> from stratagem.gdl.terms import Compound, Symbol, Variable
>>> move = Compound(("mark", Symbol("1"), Variable("?n"), Symbol("+")))
>>> spell(move, {"mark": "Mark"}), term_to_hrf(move)
('(Mark 1 ?n +)', 'mark(1,N,"+")')
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final

from stratagem.gdl.rules import Atom, Distinct, Literal, Not, Or, Rule, RuleSheet
from stratagem.gdl.terms import Compound, Symbol, Term, Variable

WIDTH: Final = 100
BARE_NAME: Final = re.compile(r"(?:[a-z0-9][A-Za-z0-9_-]*|-[0-9][A-Za-z0-9_-]*)\Z")
BARE_VARIABLE: Final = re.compile(r"\?(?:[A-Za-z][A-Za-z0-9_-]*|_[A-Za-z0-9_-]+)\Z")
AS_WRITTEN: Final[Mapping[str, str]] = {}


def spell(term: Term, spelling: Mapping[str, str] = AS_WRITTEN) -> str:
    """*term* in KIF, each word as *spelling* (of a `RuleSheet`) has it: what a game server wants to see."""
    pieces: list[str] = []
    stack: list[Term | str] = [term]
    while stack:
        part = stack.pop()
        if isinstance(part, Compound):
            pieces.append("(" + _name(part[0], spelling))
            stack.append(")")
            for argument in reversed(part[1:]):
                stack += [argument, " "]
        elif isinstance(part, Symbol | Variable):
            pieces.append(spelling.get(part, part))
        else:
            pieces.append(part)
    return "".join(pieces)


def term_to_kif(term: Term, spelling: Mapping[str, str] = AS_WRITTEN) -> str:
    """*term* in KIF: another name for `spell`, beside `term_to_hrf`."""
    return spell(term, spelling)


def term_to_hrf(term: Term, spelling: Mapping[str, str] = AS_WRITTEN) -> str:
    """*term* in HRF: ``cell(1,N,b)``."""
    pieces: list[str] = []
    stack: list[Term | str] = [term]
    while stack:
        part = stack.pop()
        if isinstance(part, Compound):
            pieces.append(_hrf_word(_name(part[0], spelling)) + "(")
            stack.append(")")
            for position, argument in enumerate(reversed(part[1:]), start=1):
                stack += [argument, ","] if position < len(part) - 1 else [argument]
        elif isinstance(part, Symbol | Variable):
            written = spelling.get(part, part)
            listed = written.startswith("(")
            pieces.append(_hrf_word(_name(part, spelling)) + ("()" if listed else ""))
        else:
            pieces.append(part)
    return "".join(pieces)


def _name(word: str, spelling: Mapping[str, str]) -> str:
    """The spelling of *word* where it stands before arguments: never as a list."""
    written = spelling.get(word, word)
    return written[1:-1] if written.startswith("(") else str(written)


def _hrf_word(written: str) -> str:
    if written.startswith("?"):
        if BARE_VARIABLE.match(written):
            return written[1].upper() + written[2:]
    elif BARE_NAME.match(written):
        return written
    escaped = written.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def literal_to_kif(literal: Literal, spelling: Mapping[str, str] = AS_WRITTEN) -> str:
    """One condition in KIF, on one line."""
    match literal:
        case Atom(term):
            return spell(term, spelling)
        case Not(inner):
            return f"(not {literal_to_kif(inner, spelling)})"
        case Or(several):
            return f"({' '.join(['or', *(literal_to_kif(inner, spelling) for inner in several)])})"
        case Distinct(left, right):
            return f"(distinct {spell(left, spelling)} {spell(right, spelling)})"


def literal_to_hrf(literal: Literal, spelling: Mapping[str, str] = AS_WRITTEN) -> str:
    """One condition in HRF, on one line."""
    match literal:
        case Not(inner):
            return f"~{literal_to_hrf(inner, spelling)}"
        case Or(several) if len(several) > 1:
            return f"({' | '.join(literal_to_hrf(inner, spelling) for inner in several)})"
        case _:
            return _prefix_hrf(literal, spelling)


def _prefix_hrf(literal: Literal, spelling: Mapping[str, str]) -> str:
    """A condition with the connectives written like relations: all there is for an ``or`` of one or none."""
    match literal:
        case Atom(term):
            return term_to_hrf(term, spelling)
        case Not(inner):
            return f"not({_prefix_hrf(inner, spelling)})"
        case Or(several):
            return f"or({','.join(_prefix_hrf(inner, spelling) for inner in several)})"
        case Distinct(left, right):
            return f"distinct({term_to_hrf(left, spelling)},{term_to_hrf(right, spelling)})"


def rule_to_kif(rule: Rule, spelling: Mapping[str, str] = AS_WRITTEN) -> str:
    """A fact on its line, or a rule with one condition per line below its head."""
    head = spell(rule.head, spelling)
    if not rule.body:
        return head
    body = (
        _wrapped(literal, spelling, literal_to_kif, "    ", "(or ", " " * 4, ")") for literal in rule.body
    )
    return "\n".join([f"(<= {head}", *body]) + ")"


def rule_to_hrf(rule: Rule, spelling: Mapping[str, str] = AS_WRITTEN) -> str:
    """A fact on its line, or a rule with one condition per line below its head."""
    head = term_to_hrf(rule.head, spelling)
    if not rule.body:
        return head
    body = (_wrapped(literal, spelling, literal_to_hrf, "  ", "(", " | ", ")") for literal in rule.body)
    return f"{head} :-\n" + " &\n".join(body)


def _wrapped(
    literal: Literal,
    spelling: Mapping[str, str],
    write: Callable[[Literal, Mapping[str, str]], str],
    indent: str,
    opening: str,
    between: str,
    closing: str,
) -> str:
    """One condition, indented; an ``or`` too long for a line gets a line for each alternative."""
    line = indent + write(literal, spelling)
    if len(line) <= WIDTH or not isinstance(literal, Or) or len(literal.inner) < 2:
        return line
    first, *others = (write(inner, spelling) for inner in literal.inner)
    return "\n".join([indent + opening + first, *(indent + between + other for other in others)]) + closing


def to_kif(sheet: RuleSheet) -> str:
    """The whole sheet in KIF: facts line by line, every rule a paragraph."""
    return _paragraphs(sheet, rule_to_kif)


def to_hrf(sheet: RuleSheet) -> str:
    """The whole sheet in HRF: facts line by line, every rule a paragraph."""
    return _paragraphs(sheet, rule_to_hrf)


def _paragraphs(sheet: RuleSheet, write: Callable[[Rule, Mapping[str, str]], str]) -> str:
    lines: list[str] = []
    previous: Rule | None = None
    for rule in sheet.rules:
        if previous is not None and (rule.body or previous.body):
            lines.append("")
        lines.append(write(rule, sheet.spelling))
        previous = rule
    return "".join(line + "\n" for line in lines)
