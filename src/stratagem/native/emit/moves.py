"""From legal moves to chosen moves inside a playout kernel.

A role with few moves is counted and selected in registers, one with many in loops over memory. Roles that can
have a choice at the same time share one draw where their choices do not meet in a match: first come, first
served, and a role that is left over draws again. Where play alternates that is one draw per ply.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from stratagem.native.emit.choice import GROUP, MoveRows, count_rows, select_rows
from stratagem.native.emit.draw import draw
from stratagem.native.emit.segment import Segment
from stratagem.native.emit.text import Text
from stratagem.native.emit.walked.span_choice import count_in_spans, select_in_spans
from stratagem.native.logic.uniform_choice import Count, count, digits, less_one, select

INLINE_MOVES = 24
"""A role with more moves than this is counted in loops over memory."""


class Draw(Protocol):
    """How a kernel draws ranks; see `draw.draw`."""

    def __call__(
        self,
        text: Text,
        block: str,
        bound: Sequence[str],
        reach: Sequence[str],
        digits: int,
        words: str | None = None,
    ) -> list[str]:
        """The digits of a random number from 0 to *bound*, in every match."""


@dataclass(slots=True)
class Chooser:
    """One role at one ply: the moves that are possible, their number, and the rank of the one to choose."""

    slots: list[int]
    """Numbers of the moves that are not known to be illegal."""
    moves: int
    """How many moves the role has at all: that decides how many digits are drawn."""
    rows: MoveRows | None = None
    spans: int | None = None
    """Where the counts of spans are kept, instead of those before each group of *rows*."""
    tree: Count | None = None
    names: dict[int, str] = field(default_factory=dict)
    """For moves in registers: the values of the literals in *tree*."""
    total: list[str] = field(default_factory=list)
    rank: list[str] = field(default_factory=list)

    @property
    def digits(self) -> int:
        return digits(len(self.slots) - 1)


def count_moves(
    text: Text,
    segment: Segment,
    legal: Sequence[Sequence[int]],
    places: Sequence[MoveRows],
    *,
    in_place: bool = False,
    in_spans: bool = False,
) -> list[Chooser]:
    """Finish *segment*, which knows the literals *legal* of each role, and count them.

    *in_place*: the literals are the very rows of *places*, so that nothing needs to be stored; those of many moves that
    are not 0 are neighbours. *in_spans*: many moves are counted as in `walked.span_choice`.
    """
    choosers = []
    wanted: list[int] = []
    for own, place in zip(legal, places, strict=True):
        slots = [slot for slot, literal in enumerate(own) if literal != 0]
        chooser = Chooser(slots, len(own))
        possible = [own[slot] for slot in slots]
        if len(slots) > INLINE_MOVES:
            chooser.rows = MoveRows(len(slots), place.first + (slots[0] if in_place else 0), place.prefix)
            chooser.spans = place.prefix if in_spans else None
            if in_place:
                choosers.append(chooser)
                continue
            padding = [0] * (chooser.rows.groups * GROUP - len(slots))
            for row, literal in enumerate([*possible, *padding]):
                segment.output(literal, "%frame", place.first + row)
        elif slots:
            chooser.tree = count(segment.network, possible)
            wanted += [literal for node in _nodes(chooser.tree) for literal in node.total]
        choosers.append(chooser)
    names = dict(zip(wanted, segment.emit(wanted), strict=True))
    for chooser in choosers:
        if chooser.tree is not None:
            chooser.names = names
            chooser.total = [names[literal] for literal in chooser.tree.total]
        elif chooser.rows is not None:
            chooser.total = (
                count_rows(text, "%frame", chooser.rows)
                if chooser.spans is None
                else count_in_spans(text, "%frame", chooser.rows, chooser.spans)
            )
    return choosers


def draw_moves(text: Text, choosers: Sequence[Chooser], drawn: int, draw: Draw = draw) -> str | None:
    """Give every role a rank; lanes in which a role has no legal move come back (None: that cannot happen).

    *drawn* is the number of random rows per attempt.
    """
    segment = Segment(text)
    network = segment.network
    totals = [[segment.value(digit) for digit in chooser.total] for chooser in choosers]
    stuck = network.any([network.any(total) ^ 1 for total in totals])
    choosing = [at for at, chooser in enumerate(choosers) if len(chooser.slots) > 1]
    lowered = [less_one(network, totals[at], len(choosers[at].slots)) for at in choosing]
    if len(choosing) == 1:
        bound = lowered[0]
        reach = [network.any(bound[place:]) for place in range(len(bound))]
        values = segment.emit([stuck, *bound, *reach])
        choosers[choosing[0]].rank = draw(
            text, "%block", values[1 : 1 + len(bound)], values[1 + len(bound) :], drawn
        )
    else:
        # Where a role has no legal move, its bound has all digits set, but it draws nothing.
        choices = [
            network.conjunction(network.any(bound), network.any(totals[at]))
            for at, bound in zip(choosing, lowered, strict=True)
        ]
        values = segment.emit([stuck, *choices, *(digit for bound in lowered for digit in bound)])
        rest = iter(values[1 + len(choices) :])
        named = [[next(rest) for _ in bound] for bound in lowered]
        if choosing:
            ranks = _shared_draws(text, values[1 : 1 + len(choices)], named, drawn, draw)
            for at, rank in zip(choosing, ranks, strict=True):
                choosers[at].rank = rank
        elif drawn:
            draw(text, "%block", [], [], drawn)
    return None if stuck == 0 else values[0]


def _shared_draws(
    text: Text, choices: list[str], bounds: list[list[str]], drawn: int, draw: Draw
) -> list[list[str]]:
    """Ranks for several roles, each of which has *choices*: one draw for all lanes, then more where choices meet."""
    before, loop, done = text.block, text.name("share"), text.name("shared")
    text.go(loop)
    text.label(loop)
    left = [f"%{text.name('left')}" for _ in bounds]
    new = [[f"%{text.name('rank')}" for _ in bound] for bound in bounds]
    latch, words = text.name("met"), f"%{text.name('words')}"
    open_choices = [text.phi(text.row, (a, before), (b, latch)) for a, b in zip(choices, left, strict=True)]
    ranks = [[text.phi(text.row, (text.splat(0), before), (name, latch)) for name in own] for own in new]
    drawing = text.phi(text.shape.mask, (text.every_word(), before), (words, latch))
    segment = Segment(text)
    network = segment.network
    taken, claims = 0, []
    for choice in open_choices:
        claims.append(network.conjunction(segment.value(choice), taken ^ 1))
        taken = network.disjunction(taken, segment.value(choice))
    width = max(map(len, bounds))
    bound = [
        network.any(
            [
                network.conjunction(segment.value(own[place]), claim)
                for own, claim in zip(bounds, claims, strict=True)
                if place < len(own)
            ]
        )
        for place in range(width)
    ]
    reach = [network.any(bound[place:]) for place in range(width)]
    values = segment.emit([*bound, *reach, *claims])
    rank = draw(text, "%block", values[:width], values[width : 2 * width], drawn, drawing)
    remaining = text.splat(0)
    for role, claim in enumerate(values[2 * width :]):
        for place, name in enumerate(new[role]):
            text.named(name, text.either(ranks[role][place], text.both(rank[place], claim)))
        text.named(left[role], text.but_not(open_choices[role], claim))
        remaining = text.either(remaining, left[role])
    text.branch(text.some(remaining), latch, done)
    text.label(latch)
    text.named_words(words, remaining)
    text.go(loop)
    text.label(done)
    return new


def chosen_rows(text: Text, choosers: Sequence[Chooser]) -> None:
    """Select the moves that lie in memory."""
    for chooser in choosers:
        if chooser.rows is not None and chooser.spans is not None:
            select_in_spans(text, "%frame", chooser.rows, chooser.spans, chooser.rank)
        elif chooser.rows is not None:
            select_rows(text, "%frame", chooser.rows, chooser.rank)


def chosen_moves(segment: Segment, choosers: Sequence[Chooser]) -> list[int]:
    """The literals of all moves, role by role: which are done; none of a role that has no legal move."""
    flat: list[int] = []
    for chooser in choosers:
        does = [0] * chooser.moves
        if chooser.rows is not None:
            for row, slot in enumerate(chooser.slots):
                does[slot] = segment.row("%frame", chooser.rows.first + row)
        elif chooser.tree is not None:
            tree = _in_segment(chooser.tree, chooser.names, segment)
            legal = [node.total[0] for node in _nodes(tree) if node.halves is None]
            rank = [segment.value(digit) for digit in chooser.rank]
            able = segment.network.any(tree.total)
            chosen = select(segment.network, tree, legal, rank, able) if len(legal) > 1 else legal
            for slot, literal in zip(chooser.slots, chosen, strict=True):
                does[slot] = literal
        flat += does
    return flat


def _nodes(tree: Count) -> list[Count]:
    """All nodes of a tree of counts, leaves from left to right."""
    if tree.halves is None:
        return [tree]
    return [*_nodes(tree.halves[0]), *_nodes(tree.halves[1]), tree]


def _in_segment(tree: Count, names: dict[int, str], segment: Segment) -> Count:
    """The same tree with the literals of another segment."""
    total = [segment.value(names[literal]) for literal in tree.total]
    halves = tree.halves
    if halves is None:
        return Count(tree.first, tree.size, total, None)
    left, right = (_in_segment(half, names, segment) for half in halves)
    return Count(tree.first, tree.size, total, (left, right))
