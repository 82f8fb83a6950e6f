"""The reader for infix HRF, the notation of lectures and papers, into the same nodes as KIF.

    legal(P,noop) :- role(P) & ~true(control(P))        % a comment

    sheet := (term ["."] | term ":-" any ["."])*        "<=" is as good as ":-"
    any   := all ("|" all)*                             ∨ is as good as |
    all   := one ("&" one)*                             so are "," and ∧ for &, and ¬ for ~
    one   := "~" one | "(" any ")" | term
    term  := word | word "(" [term ("," term)*] ")"

Words that begin with a capital or ``_`` are variables; a word in quotation marks is taken letter by letter as KIF
would have it, and so can be anything. Line breaks mean nothing: a sentence with no arrow after it is a fact.
GDL knows no "and" inside "or" and "not", so neither does HRF. The grammar is LALR(1), read by Lark without
recursion: the cost is linear in the text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from lark import Lark, Tree, UnexpectedToken
from lark.lexer import Lexer

from stratagem.gdl.findings import Finding
from stratagem.gdl.text.infix_tokens import Faults, Refused, WordReader, lexed, place_at
from stratagem.gdl.text.syntax import LIMITS, Node, Place, SheetLimits, Source

GRAMMAR: Final = """
    sheet: (fact | rule)*
    fact: term DOT?
    rule: term ARROW any DOT?
    any: all (OR all)*
    all: one ((AND | COMMA) one)*
    ?one: NOT one                               -> negation
        | OPEN any CLOSE                        -> group
        | term
    ?term: WORD                                 -> word
        | WORD OPEN [term (COMMA term)*] CLOSE  -> application
    %declare WORD OPEN CLOSE COMMA DOT ARROW AND OR NOT
"""
NAMES: Final = {
    "WORD": "a sentence such as cell(1,1,b)",
    "OPEN": "(",
    "CLOSE": ")",
    "COMMA": "a comma",
    "DOT": "a full stop",
    "ARROW": ":-",
    "AND": "&",
    "OR": "|",
    "NOT": "~",
    "$END": "the end of the text",
}
HINTS: Final = {
    "OPEN": "a rule begins with what it concludes; if this is KIF, call the file .kif",
    "DOT": 'put numbers and words with a full stop into quotation marks, as in "1.5"',
    "WORD": "look for a missing & or comma before it",
    "$END": "finish the rule",
}
CONTINUES: Final = frozenset({"ARROW", "AND", "OR", "NOT", "OPEN", "COMMA"})
"""After one of these a statement goes on, wherever the next line begins."""


class _Given(Lexer):  # type: ignore[misc]
    """Lark's parser over tokens that are there already."""

    def __init__(self, configuration: Any) -> None:
        """Nothing to configure."""

    def lex(self, tokens: Sequence[Any]) -> Any:
        return iter(tokens)


@cache
def _grammar() -> Any:
    return Lark(GRAMMAR, start="sheet", parser="lalr", lexer=_Given, maybe_placeholders=False)


def read(source: Source, limits: SheetLimits = LIMITS) -> tuple[list[Node], list[Finding]]:
    """The top-level nodes of an HRF text, and what is wrong with it."""
    faults = Faults(source, limits)
    try:
        tokens = lexed(source, limits, faults)
        if tokens and tokens[0].type == "OPEN":
            faults.findings.clear()
            message, expected = "a sheet in HRF cannot begin with a bracket", NAMES["WORD"]
            faults.add("GDL024", place_at(tokens[0]), message, expected, HINTS["OPEN"])
            return [], faults.findings
    except Refused:
        return [], faults.findings
    words = WordReader(tokens)
    if not faults.findings:
        try:
            return _nodes(_grammar().parse(tokens), words, faults), faults.findings
        except UnexpectedToken as failure:
            first = failure
    else:
        first = None
    nodes = []
    for statement in _statements(tokens):
        if all(token.type != "ODD" for token in statement) and _balanced(statement, faults):
            try:
                nodes += _nodes(_grammar().parse(statement), words, faults)
            except UnexpectedToken as failure:
                _explain(failure, faults)
    if first is not None and not faults.findings:
        _explain(first, faults)
    return nodes, faults.findings


def _statements(tokens: Sequence[Any]) -> list[list[Any]]:
    """The tokens cut where a new statement seems to begin: after a full stop, or with a word in column 1."""
    found: list[list[Any]] = []
    previous, depth = None, 0
    for token in tokens:
        after_stop = previous is not None and previous.type == "DOT" and depth <= 0
        at_margin = token.type == "WORD" and token.column == 1
        if previous is None or after_stop or (at_margin and previous.type not in CONTINUES):
            found.append([])
            depth = 0
        found[-1].append(token)
        depth += {"OPEN": 1, "CLOSE": -1}.get(token.type, 0)
        previous = token
    return found


def _balanced(tokens: Sequence[Any], faults: Faults) -> bool:
    """Whether every bracket has its partner; reports those that do not."""
    opened: list[Any] = []
    sound = True
    for token in tokens:
        if token.type == "OPEN":
            opened.append(token)
        elif token.type == "CLOSE" and opened:
            opened.pop()
        elif token.type == "CLOSE":
            hint = "remove it, or look for a ( that is missing before it"
            faults.add("GDL002", place_at(token), "this bracket closes nothing", "as many ) as (", hint)
            sound = False
    for token in opened:
        hint = "add the ) that is missing"
        faults.add("GDL001", place_at(token), "this bracket is never closed", "a ) for every (", hint)
        sound = False
    return sound


def _explain(failure: Any, faults: Faults) -> None:
    """A finding for what the grammar cannot take."""
    token = failure.token
    possible = failure.accepts or failure.expected
    expected = [name for kind, name in NAMES.items() if kind in possible]
    ends = token.type == "$END"
    message = "the text ends in the middle of a rule" if ends else f"{token} cannot stand here"
    hint = HINTS.get(token.type, "look for something missing before it")
    faults.add("GDL024", place_at(token), message, " or ".join(expected), hint)


@dataclass(frozen=True, slots=True)
class _All:
    """Conditions that must all hold; *place* is that of the first "and" between them."""

    nodes: tuple[Node, ...]
    place: Place


def _nodes(tree: Any, words: WordReader, faults: Faults) -> list[Node]:
    """The nodes of a parse tree, worked out from the leaves up."""
    made: dict[int, Any] = {}
    for branch in tree.iter_subtrees():
        parts = [made[id(part)] if isinstance(part, Tree) else part for part in branch.children]
        made[id(branch)] = _MAKERS[branch.data](parts, words, faults)
    return made[id(tree)]  # type: ignore[no-any-return]


def _sheet(parts: list[Any], words: WordReader, faults: Faults) -> list[Node]:
    return parts


def _word(parts: list[Any], words: WordReader, faults: Faults) -> Node:
    return words.node(parts[0])


def _application(parts: list[Any], words: WordReader, faults: Faults) -> Node:
    name = words.node(parts[0])
    return Node(name.place, None, (name, *(part for part in parts if isinstance(part, Node))))


def _fact(parts: list[Any], words: WordReader, faults: Faults) -> Node:
    return parts[0]  # type: ignore[no-any-return]


def _rule(parts: list[Any], words: WordReader, faults: Faults) -> Node:
    head, arrow, body = parts[:3]
    return Node(head.place, None, (Node(place_at(arrow), "<="), head, *body.nodes))


def _any(parts: list[Any], words: WordReader, faults: Faults) -> _All:
    alternatives = [part for part in parts if isinstance(part, _All)]
    if len(alternatives) == 1:
        return alternatives[0]
    place = place_at(parts[1])
    items = tuple(_single(part, "|", faults) for part in alternatives)
    return _All((Node(place, None, (Node(place, "or"), *items)),), place)


def _all(parts: list[Any], words: WordReader, faults: Faults) -> _All:
    conditions = [part for part in parts if isinstance(part, Node | _All)]
    nodes = tuple(node for part in conditions for node in (part.nodes if isinstance(part, _All) else (part,)))
    inner = next((part.place for part in conditions if isinstance(part, _All)), nodes[0].place)
    return _All(nodes, place_at(parts[1]) if len(parts) > 1 else inner)


def _group(parts: list[Any], words: WordReader, faults: Faults) -> _All:
    return parts[1]  # type: ignore[no-any-return]


def _negation(parts: list[Any], words: WordReader, faults: Faults) -> Node:
    place = place_at(parts[0])
    inner = parts[1] if isinstance(parts[1], Node) else _single(parts[1], "~", faults)
    return Node(place, None, (Node(place, "not"), inner))


def _single(part: _All, sign: str, faults: Faults) -> Node:
    if len(part.nodes) > 1:
        expected = f"one sentence on each side of {sign}" if sign == "|" else f"one sentence after {sign}"
        hint = "define a relation for the conditions that belong together, or write several rules"
        faults.add("GDL023", part.place, f"conditions joined by & inside {sign}", expected, hint)
    return part.nodes[0]


_MAKERS: Final = {
    "sheet": _sheet,
    "fact": _fact,
    "rule": _rule,
    "any": _any,
    "all": _all,
    "group": _group,
    "negation": _negation,
    "word": _word,
    "application": _application,
}
