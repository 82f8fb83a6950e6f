"""Reconstructs the position of a match from reports, also when a report is repeated, lost or partial.

A position is certain as long as every report is a legal joint move. A report that is not legal here may be one heard
before, or one too late: then the joint move in between is missing, and every one that explains what was reported is
tried. If several do, the match stands at several *candidates* at once, and later reports send them apart.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, product
from math import prod

from stratagem.errors import RulesError
from stratagem.gdl.terms import Compound, Symbol, Term, Variable, functor
from stratagem.gdl_game import GdlGame
from stratagem.play.match_state import Match
from stratagem.play.process.protocol import Report

MOST_TRIED = 3000
MOST_CANDIDATES = 64
MOST_LOST = 3


class Tracker:
    """Follows one match for one role. *match* is the likeliest candidate."""

    def __init__(self, match: Match) -> None:
        self.start = match
        self.candidates: list[Match] = [match]
        self.followed: tuple[Report, ...] = ()
        self.doubt = ""
        """What was wrong with the last report, in notifications; empty where nothing was."""

    @property
    def match(self) -> Match:
        return self.candidates[0]

    @property
    def certain(self) -> bool:
        return len(self.candidates) == 1

    def to(self, reports: tuple[Report, ...]) -> Match:
        """Goes where *reports*, all there have been, lead: on from the last call, or anew where they differ."""
        if reports[: len(self.followed)] != self.followed:
            self.candidates, self.followed = [self.start], ()
        for report in reports[len(self.followed) :]:
            self._follow(report)
        self.followed = reports
        return self.match

    def choose(self, preferred: Term) -> Term:
        """*preferred*, unless another move is legal in more of the candidates."""
        if self.certain:
            return preferred
        tally: dict[Term, int] = {preferred: 0}
        for candidate in self.candidates:
            for move in candidate.legals():
                tally[move] = tally.get(move, 0) + 1
        return max(tally, key=lambda move: tally[move])

    def _follow(self, report: Report) -> None:
        self.doubt = ""
        if report.moves is None and report.own is None:
            return
        after = self._told_in_part(report) if report.moves is None else self._told(report, report.moves)
        if after:
            self.candidates = after

    def _told(self, report: Report, texts: tuple[str, ...]) -> list[Match]:
        joint = _terms(texts)
        if joint is None:
            self.doubt = f"the moves {' '.join(texts)} cannot be read"
            return []
        known = [match.after(joint) for match in self.candidates if match.allows(joint)]
        if known:
            return known
        if any(match.node.moves == joint for match in self.candidates):
            self.doubt = "the last moves were reported again"
            return []
        lost, bridged = self._bridged(joint, _term(report.answered))
        spoken = " ".join(map(str, joint))
        if bridged:
            reports = "a report was" if lost == 1 else f"{lost} reports were"
            self.doubt = f"{reports} lost before {spoken}: {len(bridged)} positions are possible"
        else:
            self.doubt = f"{spoken} is not legal here, and no lost move explains it"
        return bridged

    def _bridged(self, joint: tuple[Term, ...], answered: Term | None) -> tuple[int, list[Match]]:
        """How many reports must have been lost for *joint* to be legal, and the positions after it."""
        before, own = self.candidates, answered
        for lost in range(1, MOST_LOST + 1):
            before = _distinct(after for match in before for after in _all_after(match, own))
            found = _distinct(match.after(joint) for match in before if match.allows(joint))
            if found or not before:
                return lost, found
            own = None  # what was played for us after the first lost report is unknown
        return 0, []

    def _told_in_part(self, report: Report) -> list[Match]:
        """GDL-II: our own move, and percepts, which for games without secrets are the moves of all."""
        own = _term(report.own)
        percepts = [term for term in map(_term, report.percepts or ()) if term is not None]
        exact = _joint_of(percepts, self.match.roles)
        if exact is not None:
            known = [match.after(exact) for match in self.candidates if match.allows(exact)]
            if known:
                return known
        explained = _distinct(
            after
            for match in self.candidates
            for after in _all_after(match, own)
            if report.percepts is None or _sees(match, after.node.moves) in (None, frozenset(percepts))
        )
        if len(explained) != 1:
            self.doubt = f"{len(explained)} positions are consistent with the reports"
        return explained


def _all_after(match: Match, own: Term | None) -> Iterator[Match]:
    """The match after every joint move in which we make the move *own*, or any if that is not legal; not too many."""
    if match.over:
        return
    legals = [match.legals(role) for role in match.roles]
    if own is not None and own in legals[match.seat]:
        legals[match.seat] = (own,)
    if prod(map(len, legals)) > MOST_TRIED:
        return
    for joint in product(*legals):
        yield match.after(joint)


def _distinct(matches: Iterable[Match]) -> list[Match]:
    """One match for each position, the first few."""
    kept: dict[object, Match] = {}
    for match in matches:
        kept.setdefault(match.state, match)
        if len(kept) == MOST_CANDIDATES:
            break
    return list(islice(kept.values(), MOST_CANDIDATES))


def _joint_of(percepts: Sequence[Term], roles: Sequence[str]) -> tuple[Term, ...] | None:
    """The joint move that the percepts spell out: one ``(does role move)`` for each role, or just the moves."""
    does: dict[str, Term] = {
        str(percept[1]): percept[2]
        for percept in percepts
        if isinstance(percept, Compound) and functor(percept) == ("does", 2)
    }
    if does and all(role in does for role in roles):
        return tuple(does[role] for role in roles)
    return tuple(percepts) if len(percepts) == len(roles) else None


def _sees(match: Match, joint: tuple[Term, ...]) -> frozenset[Term] | None:
    """What our role sees of *joint* by the rules for ``sees``; None where the rules have none."""
    rules: GdlGame = match.rules
    if all(functor(rule.head) != ("sees", 2) for rule in rules.sheet.rules):
        return None
    from stratagem.machines.reasoner.machine import ReasonerMachine

    machine = ReasonerMachine(rules.sheet)
    seen = Variable("?seen")
    query = Compound(("sees", Symbol(match.role), seen))
    return frozenset(machine.reasoner.findall(seen, query, machine.after(match.state.facts(), joint)))


def _term(text: str | None) -> Term | None:
    """The term that *text* spells; None where it spells none."""
    from stratagem.gdl.parse import parse_term

    try:
        return None if text is None else parse_term(text)
    except RulesError:
        return None


def _terms(texts: tuple[str, ...]) -> tuple[Term, ...] | None:
    terms = [_term(text) for text in texts]
    return None if any(term is None for term in terms) else tuple(term for term in terms if term is not None)
