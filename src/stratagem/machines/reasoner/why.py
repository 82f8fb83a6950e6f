"""Why, and why not: a fact's derivation, or what each rule for it lacks.

For what holds, a `Derivation`: the rule, its place in the file, the values of its variables, and for every
condition a derivation of its own, down to the facts of the state, the moves and the facts of the sheet. For what
does not hold, one `Attempt` for each rule that could have yielded it: the conditions that were met and the first
that was not, nearest rules first.

Rounds keep explanations of recursive relations from going in circles: a fact of round n is always derived from
facts of its relation of earlier rounds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from stratagem.errors import UsageError
from stratagem.gdl.rules import Atom, Distinct, Literal, Not, Or, Rule, RuleSheet, literal_variables
from stratagem.gdl.terms import Compound, Symbol, Term, Variable, functor, is_ground, order, variables
from stratagem.gdl.unification import substitute, substitute_literal, unify
from stratagem.machines.reasoner.joins import ROWS_AT_MOST, Chain, binds, pattern_of, step
from stratagem.machines.reasoner.reasoner import Knowledge, Reasoner, does_fact, true_fact
from stratagem.machines.reasoner.tables import Row
from stratagem.machines.reasoner.theory import Level
from stratagem.plural import plural

DEEPEST = 40
NESTED = 3


@dataclass(frozen=True, slots=True)
class Derivation:
    """Why one thing holds.

    *kind* is ``rule``, ``fact`` (of the sheet), ``state``, ``move``, ``not`` (nothing yields it), ``distinct``, or
    ``deep`` where the derivation goes on but is not followed further.
    """

    what: str
    kind: str
    file: str = ""
    line: int = 0
    bindings: tuple[tuple[str, str], ...] = ()
    because: tuple[Derivation, ...] = ()

    def as_json(self) -> dict[str, object]:
        return {
            "what": self.what,
            "kind": self.kind,
            "file": self.file,
            "line": self.line,
            "bindings": dict(self.bindings),
            "because": [part.as_json() for part in self.because],
        }


@dataclass(frozen=True, slots=True)
class Attempt:
    """How far one rule came: the conditions that were met, and the first that was not."""

    rule: str
    file: str
    line: int
    bindings: tuple[tuple[str, str], ...]
    met: tuple[str, ...]
    failed: str
    reason: Reason | None = None

    def as_json(self) -> dict[str, object]:
        return {
            "rule": self.rule,
            "file": self.file,
            "line": self.line,
            "bindings": dict(self.bindings),
            "met": list(self.met),
            "failed": self.failed,
            "reason": None if self.reason is None else self.reason.as_json(),
        }


@dataclass(frozen=True, slots=True)
class Reason:
    """The answer to `why`: a derivation if the query holds, else the attempts."""

    query: str
    holds: bool
    derivation: Derivation | None = None
    attempts: tuple[Attempt, ...] = ()
    note: str = field(default="")

    def as_json(self) -> dict[str, object]:
        return {
            "query": self.query,
            "holds": self.holds,
            "derivation": None if self.derivation is None else self.derivation.as_json(),
            "attempts": [attempt.as_json() for attempt in self.attempts],
            "note": self.note,
        }

    def __str__(self) -> str:
        return "\n".join(lines(self))


def why(sheet: RuleSheet, state: Iterable[Term], moves: Sequence[Term] | None, query: Term) -> Reason:
    """Why *query* holds where the facts of *state* do (and *moves* are made), or why it does not.

    What depends on the moves cannot be said without them.
    """
    reasoner = Reasoner(sheet)
    if moves is None and reasoner.level(functor(query)) is Level.MOVE:
        raise UsageError(
            f"{query} depends on the moves that are made, and none are given",
            hint='name the move: `--move "(mark 1 1)"` on the command line, `joint` in Python',
        )
    known = reasoner.state(map(true_fact, state))
    if moves is not None:
        does = [does_fact(role, move) for role, move in zip(sheet.roles, moves, strict=True)]
        known = reasoner.move(known, does)
    return Explainer(reasoner, known).reason(query)


class Explainer:
    """Explains what is known in one situation."""

    def __init__(self, reasoner: Reasoner, known: Knowledge) -> None:
        self.reasoner = reasoner
        self.known = known
        self.file = reasoner.sheet.source.name

    def reason(self, query: Term, nested: int = 0) -> Reason:
        """The whole answer; *nested* counts how often a failed condition was asked after in turn."""
        with self.reasoner.asking(functor(query)):
            return self.reasoned(query, nested)

    def reasoned(self, query: Term, nested: int) -> Reason:
        instance = self.instance(query)
        if instance is not None:
            return Reason(str(query), True, self.derivation(instance))
        attempts = [attempt for rule in self.rules(query) for attempt in self.attempt(rule, query, nested)]
        attempts.sort(key=lambda attempt: (-len(attempt.met), attempt.line))
        return Reason(str(query), False, None, tuple(attempts), self.note(query, bool(attempts)))

    def note(self, query: Term, tried: bool) -> str:
        key = functor(query)
        if key == ("true", 1):
            return "it is not a fact of this state"
        if key == ("does", 2):
            return "no role makes this move"
        if tried:
            return ""
        if any(self.rules_for(key)):
            return f"no rule for {key[0]} can yield it"
        return f"no rule yields {key[0]} with {plural(key[1], 'argument')}"

    def rules_for(self, key: tuple[str, int]) -> Iterator[Rule]:
        return (rule for rule in self.reasoner.sheet.rules if functor(rule.head) == key)

    def rules(self, query: Term) -> Iterator[Rule]:
        return self.rules_for(functor(query))

    def instance(self, query: Term) -> Term | None:
        """The first instance of *query* that holds."""
        key = functor(query)
        table = self.known.table(key)
        pattern, columns = pattern_of(query)
        if table is None:
            rows: Iterable[Row] = self.known.ask(key, pattern, (), {()}, ROWS_AT_MOST).get((), [])
        else:
            rows = table.view(pattern).rows
        found = [substitute(query, dict(zip(columns, row, strict=True))) for row in rows]
        return min(found, key=order, default=None)

    def derivation(self, fact: Term, depth: int = 0) -> Derivation:
        """Why *fact*, which holds, does."""
        key = functor(fact)
        if key == ("true", 1):
            return Derivation(str(fact), "state")
        if key == ("does", 2):
            return Derivation(str(fact), "move")
        if depth >= DEEPEST:
            return Derivation(str(fact), "deep")
        for rule in self.rules_for(key):
            if not rule.body:
                if rule.head == fact:
                    return Derivation(str(fact), "fact", self.file, rule.line)
                continue
            for binding in self.solutions(rule, fact):
                parts = tuple(self.because(literal, binding, depth + 1) for literal in rule.body)
                return Derivation(str(fact), "rule", self.file, rule.line, shown(rule, binding), parts)
        return Derivation(str(fact), "state")

    def solutions(self, rule: Rule, fact: Term) -> Iterator[dict[Variable, Any]]:
        """Values for the variables of *rule* that yield *fact*, from facts of earlier rounds only."""
        head = unify(rule.head, fact)
        if head is None:
            return
        columns = tuple(head)
        keep = tuple(dict.fromkeys([*columns, *(v for literal in rule.body for v in sorted(binds(literal)))]))
        chain = Chain(rule.body, columns, keep=keep, sizes=self.known)
        for row in chain.run([tuple(head.values())], self.known):
            binding = dict(zip(keep, row, strict=True))
            if all(self.earlier(literal, binding, fact) for literal in rule.body):
                yield binding

    def earlier(self, literal: Literal, binding: dict[Variable, Any], fact: Term) -> bool:
        if not isinstance(literal, Atom):
            return True
        component = self.reasoner.theory.by_key.get(functor(fact))
        key = functor(literal.term)
        if component is None or not component.recursive or key not in component.keys:
            return True
        table, own = self.known.whole(key), self.known.whole(functor(fact))
        return table.rounds[substitute(literal.term, binding)] < own.rounds[fact]

    def because(self, literal: Literal, binding: dict[Variable, Any], depth: int) -> Derivation:
        """Why one condition of a rule is met."""
        match literal:
            case Atom(term):
                fact = self.instance(substitute(term, binding))
                assert fact is not None
                return self.derivation(fact, depth)
            case Or(inner):
                for part in inner:
                    found = self.one(part, binding)
                    if found is not None:
                        return self.because(part, found, depth)
                return Derivation(written(literal, binding), "rule")
            case Not():
                return Derivation(written(literal, binding), "not")
            case Distinct():
                return Derivation(written(literal, binding), "distinct")

    def one(self, literal: Literal, binding: dict[Variable, Any]) -> dict[Variable, Any] | None:
        """*binding* extended so that *literal* holds, or None."""
        columns = tuple(binding)
        keep = tuple(dict.fromkeys([*columns, *sorted(binds(literal))]))
        chain = Chain((literal,), columns, keep=keep, sizes=self.known)
        for row in chain.run([tuple(binding.values())], self.known):
            return dict(zip(keep, row, strict=True))
        return None

    def attempt(self, rule: Rule, query: Term, nested: int) -> Iterator[Attempt]:
        """How far *rule* comes towards *query*; nothing if its head is something else."""
        asked = substitute(query, {variable: Variable(variable + "'") for variable in variables(query)})
        head = unify(rule.head, asked)
        if head is None:
            return
        body = [substitute_literal(literal, head) for literal in rule.body]
        rows: list[Row] = [()]
        columns: tuple[Variable, ...] = ()
        met: list[Literal] = []
        for literal in in_ready_order(body):
            stage = step(literal, columns, everything(body), self.known)
            after = stage.run(rows, self.known, None, ROWS_AT_MOST)
            binding = dict(zip(columns, min(rows, key=lambda row: tuple(map(order, row))), strict=True))
            if not after:
                failed = substitute_literal(literal, binding)
                yield Attempt(
                    f"(<= {rule.head} …)",
                    self.file,
                    rule.line,
                    shown(rule, {**head, **binding}),
                    tuple(written(part, binding) for part in met),
                    written(failed, {}),
                    self.failure(failed, nested),
                )
                return
            met.append(literal)
            rows, columns = list(dict.fromkeys(after)), stage.columns

    def failure(self, literal: Literal, nested: int) -> Reason | None:
        """Why a condition failed, asked no deeper than a reader wants to follow."""
        if nested >= NESTED:
            return None
        if isinstance(literal, Not) and isinstance(literal.inner, Atom):
            return self.reason(literal.inner.term, nested + 1)
        if isinstance(literal, Atom) and functor(literal.term) not in (("true", 1), ("does", 2)):
            return self.reason(literal.term, nested + 1)
        return None


def everything(body: Sequence[Literal]) -> set[Variable]:
    return {variable for literal in body for variable in literal_variables(literal)}


def in_ready_order(body: Sequence[Literal]) -> Iterator[Literal]:
    """The conditions as written, but tests only once their variables have values."""
    waiting = list(body)
    known: set[Variable] = set()
    while waiting:
        ready = next(
            (
                literal
                for literal in waiting
                if isinstance(literal, Atom) or known.issuperset(needs(literal, waiting))
            ),
            waiting[0],
        )
        waiting.remove(ready)
        known |= binds(ready)
        yield ready


def needs(literal: Literal, waiting: Sequence[Literal]) -> set[Variable]:
    """The variables that must have values before *literal* is a test; an `or` may bind some itself."""
    own = set(literal_variables(literal)) - binds(literal)
    if isinstance(literal, Or):
        outside = {v for other in waiting if other is not literal for v in literal_variables(other)}
        return own & outside
    return own


def shown(rule: Rule, binding: dict[Variable, Any]) -> tuple[tuple[str, str], ...]:
    """The values of the variables of *rule*, in the order in which they occur in it."""
    own = dict.fromkeys([*variables(rule.head), *(v for part in rule.body for v in literal_variables(part))])
    pairs = ((variable, substitute(variable, binding)) for variable in own)
    return tuple((str(variable), str(value)) for variable, value in pairs if is_ground(value))


def written(literal: Literal, binding: dict[Variable, Any]) -> str:
    """*literal* as KIF with the values put in."""
    match literal:
        case Atom(term):
            return str(substitute(term, binding))
        case Not(inner):
            return f"(not {written(inner, binding)})"
        case Or(several):
            return f"(or {' '.join(written(part, binding) for part in several)})"
        case Distinct(left, right):
            return str(Compound((Symbol("distinct"), substitute(left, binding), substitute(right, binding))))


KINDS = {"state": "true in this state", "move": "the move made", "not": "nothing yields it", "deep": "…"}


def lines(reason: Reason) -> Iterator[str]:
    """The answer as text, one condition a line."""
    if reason.derivation is not None:
        yield f"{reason.query} holds"
        yield from tree(reason.derivation, "")
        return
    yield f"{reason.query} does not hold" + (f": {reason.note}" if reason.note else "")
    yield from misses(reason, "")


def tree(part: Derivation, margin: str) -> Iterator[str]:
    if part.kind == "rule":
        values = ", ".join(f"{name} = {value}" for name, value in part.bindings)
        yield f"{margin}by the rule at {part.file}:{part.line}" + (f" with {values}" if values else "")
    for number, inner in enumerate(part.because):
        last = number == len(part.because) - 1
        said = KINDS.get(inner.kind, f"a fact, {inner.file}:{inner.line}" if inner.kind == "fact" else "")
        yield f"{margin}{'└─' if last else '├─'} {inner.what}" + (f"   {said}" if said else "")
        yield from tree(inner, margin + ("   " if last else "│  "))


def misses(reason: Reason, margin: str) -> Iterator[str]:
    for attempt in reason.attempts:
        values = ", ".join(f"{name} = {value}" for name, value in attempt.bindings)
        yield f"{margin}the rule at {attempt.file}:{attempt.line}" + (f" with {values}" if values else "")
        for condition in attempt.met:
            yield f"{margin}   ✓ {condition}"
        inner = attempt.reason
        said = f"   {inner.note}" if inner is not None and inner.note else ""
        yield f"{margin}   ✗ {attempt.failed}{said}"
        if inner is not None and inner.derivation is not None:
            yield f"{margin}     but {inner.query} holds"
            yield from tree(inner.derivation, margin + "     ")
        elif inner is not None:
            yield from misses(inner, margin + "     ")
