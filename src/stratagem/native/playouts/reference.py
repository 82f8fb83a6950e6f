"""Random matches as the compiled kernels play them, in plain Python: their definition, for tests and small samples.

A *word* is 64 matches with a generator and a quota of their own; here a row is one long integer that holds all
words. Everything a word does depends on that word alone. Per ply, in this order:

1. Every ``period`` plies, lanes whose match is over begin a new one from the root.
2. Legal moves are counted; every role draws a rank below its count (`choose`), and the moves are made.
3. Matches that are over are booked: stuck (a role had no move), terminal (by goal vector), or given up at the limit.
4. As many new matches begin as the quota of the word still has; the lowest lanes first. A lane without a match
   plays on unbooked until the whole word is done.

The quota is a number of matches, all of which are played to their end, so short matches are not favoured.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from stratagem.circuit.circuit import Circuit
from stratagem.native.logic.turn_cycle import Tokens
from stratagem.native.logic.uniform_choice import digits
from stratagem.native.playouts.bigint_circuit import IntegerCircuit

WORD = 0xFFFFFFFFFFFFFFFF


@dataclass(slots=True)
class PlayoutTally:
    """What the matches of all words came to; *outcomes* counts tuples of values, None for no goal."""

    outcomes: Counter[tuple[int | None, ...]] = field(default_factory=Counter)
    plies: int = 0
    stuck: int = 0
    over: int = 0
    longest: int = 0
    endings: Counter[tuple[tuple[int | None, ...], int]] = field(default_factory=Counter)
    """Outcomes with the lengths of the matches."""

    @property
    def lengths(self) -> Counter[int]:
        total: Counter[int] = Counter()
        for (_, length), count in self.endings.items():
            total[length] += count
        return total


@dataclass(frozen=True, slots=True)
class LaneResult:
    """How the match of one lane ended (None: it was stuck, or given up), and the moves made as (role, number)."""

    goals: tuple[int | None, ...] | None
    moves: frozenset[tuple[int, int]]


class Generators:
    """xoroshiro128++ in every word."""

    def __init__(self, low: Sequence[int], high: Sequence[int]) -> None:
        self.low, self.high = list(map(int, low)), list(map(int, high))

    def row(self, words: Sequence[int]) -> int:
        """Random bits; only the generators of *words* move on, the other words are zero."""
        row = 0
        for word in words:
            low, high = self.low[word], self.high[word]
            row |= ((_rotated((low + high) & WORD, 17) + low) & WORD) << (64 * word)
            high ^= low
            self.low[word] = _rotated(low, 49) ^ high ^ (high << 21 & WORD)
            self.high[word] = _rotated(high, 28)
        return row


def _rotated(word: int, places: int) -> int:
    return (word << places | word >> (64 - places)) & WORD


def words_in(row: int, words: int) -> list[int]:
    """The words of *row* that are not zero."""
    return [word for word in range(words) if row >> (64 * word) & WORD]


def counted(rows: Sequence[int], places: int) -> list[int]:
    """How many of *rows* are set in every lane: binary digits, the lowest first."""
    number = [0] * places
    for carry in rows:
        for place in range(places):
            number[place], carry = number[place] ^ carry, number[place] & carry
    return number


def draw(generators: Generators, bound: list[int], drawn: int, on: list[int], words: int) -> list[int]:
    """A uniformly random number from 0 to *bound* in every lane, by rejection."""
    reach = [_any(bound[place:]) for place in range(len(bound))]
    rank = [0] * len(bound)
    pending = (1 << (64 * words)) - 1
    while pending:
        random = [generators.row(on) for _ in range(drawn)]
        tried = [bits & within for bits, within in zip(random, reach, strict=False)]
        above = 0
        for digit, limit in zip(tried, bound, strict=True):
            above = digit & ~limit | ~(digit ^ limit) & above
        rank = [new & pending | old & ~pending for new, old in zip(tried, rank, strict=True)]
        pending &= above
        on = words_in(pending, words)
    return rank


def choose(
    legal: Sequence[Sequence[int]], generators: Generators, drawn: int, words: int
) -> tuple[list[list[int]], int]:
    """One legal move per role in every lane, all joint moves equally likely; and the lanes where a role has none.

    A role that has none makes no move there, and draws nothing.
    """
    full = (1 << (64 * words)) - 1
    stuck = 0
    bounds, waiting = [], []
    for own in legal:
        number = counted(own, digits(len(own)))
        stuck |= full & ~_any(number)
        bounds.append(_less_one(number, digits(max(0, len(own) - 1)), full))
        waiting.append(_any(bounds[-1]) & _any(number))
    ranks = [[0] * len(bound) for bound in bounds]
    on = list(range(words))
    while drawn:
        taken, claims = 0, []
        for choice in waiting:
            claims.append(choice & ~taken)
            taken |= choice
        shared = [
            _any(
                [
                    bound[place] & claim
                    for bound, claim in zip(bounds, claims, strict=True)
                    if place < len(bound)
                ]
            )
            for place in range(max(map(len, bounds)))
        ]
        rank = draw(generators, shared, drawn, on, words)
        for role, claim in enumerate(claims):
            ranks[role] = [old | new & claim for old, new in zip(ranks[role], rank, strict=False)]
            waiting[role] &= ~claim
        on = words_in(_any(waiting), words)
        if not on:
            break
    return [_nth(own, rank) for own, rank in zip(legal, ranks, strict=True)], stuck


def _any(rows: Sequence[int]) -> int:
    found = 0
    for row in rows:
        found |= row
    return found


def _less_one(number: Sequence[int], places: int, full: int) -> list[int]:
    borrow = full
    lowered = []
    for digit in number[:places]:
        lowered.append(digit ^ borrow)
        borrow &= ~digit
    return lowered


def _nth(legal: Sequence[int], rank: list[int]) -> list[int]:
    """The legal move number *rank*, found by counting down."""
    left = list(rank)
    chosen = []
    done = 0
    for row in legal:
        now = row & ~_any(left) & ~done
        done |= now
        chosen.append(now)
        borrow = row
        for place, digit in enumerate(left):
            left[place], borrow = digit ^ borrow, ~digit & borrow
        left = [digit & ~done for digit in left]
    return chosen


def play(
    circuit: Circuit,
    root: Sequence[bool],
    seeds: tuple[Sequence[int], Sequence[int]],
    quotas: Sequence[int],
    *,
    period: int,
    limit: int,
) -> PlayoutTally:
    """Matches from *root*: word w plays *quotas[w]* of them with the generator *seeds[0][w], seeds[1][w]*."""
    words = len(quotas)
    full = (1 << (64 * words)) - 1
    machine = IntegerCircuit(circuit)
    generators = Generators(*seeds)
    drawn = max((digits(len(moves) - 1) for moves in circuit.moves if moves), default=0)
    begin = [full if bit else 0 for bit in root]
    state = list(begin)
    remaining = [max(0, int(quota) - 64) for quota in quotas]
    active = _any([((1 << min(64, int(quota))) - 1) << (64 * word) for word, quota in enumerate(quotas)])
    ages = [0] * (64 * words)
    waiting, ply, tally = full, 0, PlayoutTally()
    while active:
        if ply % period == 0:
            state = [new & waiting | old & ~waiting for new, old in zip(begin, state, strict=True)]
            for lane in _lanes(waiting):
                ages[lane] = 0
            waiting = 0
        does, stuck = choose(machine.legal(state, full), generators, drawn, words)
        state = machine.next(state, does, full)
        ages = [age + 1 for age in ages]
        ply += 1
        terminal, goals = machine.final(state, full)
        old = _any([1 << lane for lane, age in enumerate(ages) if age == limit]) & ~terminal
        live = active & ~waiting
        moved = live & ~stuck
        tally.plies += moved.bit_count()
        tally.stuck += (live & stuck).bit_count()
        tally.over += (moved & old).bit_count()
        for lane in _lanes(moved & terminal):
            vector = _goal_vector(circuit, goals, lane)
            tally.outcomes[vector] += 1
            tally.endings[vector, ages[lane]] += 1
            tally.longest = max(tally.longest, ages[lane])
        ended = live & stuck | moved & (terminal | old)
        waiting |= terminal | old | stuck
        active = _refilled(active, ended, remaining)
    return tally


def play_lanes(
    circuit: Circuit,
    roots: Sequence[Sequence[bool]],
    seeds: tuple[Sequence[int], Sequence[int]],
    tokens: Tokens,
    limit: int,
) -> list[LaneResult]:
    """One match in each lane, as the lane kernels play it: lane i from *roots[i]*, word by word.

    A lane joins at its step of the tokens' cycle; what its state is before, and after its end, still decides how often
    its word draws. Whole cycles are played, so that a match may be a little longer than *limit*.
    """
    words = len(seeds[0])
    full = (1 << (64 * words)) - 1
    machine, generators = IntegerCircuit(circuit), Generators(*seeds)
    drawn = max((digits(len(moves) - 1) for moves in circuit.moves if moves), default=0)
    results = [LaneResult(None, frozenset()) for _ in roots]
    state, live, ply = [0] * len(circuit.bases), 0, 0
    while ply == 0 or (live and ply < limit) or ply % tokens.period:
        for lane, root in enumerate(roots):
            if ply < tokens.period and tokens.phase(root) == ply:
                live |= 1 << lane
                state = [row & ~(1 << lane) | bool(bit) << lane for row, bit in zip(state, root, strict=True)]
        for base, value in tokens.at(ply).items():
            state[base] = full if value else 0
        does, stuck = choose(machine.legal(state, full), generators, drawn, words)
        live &= ~stuck
        for lane in _lanes(live):
            made = {
                (role, move)
                for role, own in enumerate(does)
                for move, row in enumerate(own)
                if row >> lane & 1
            }
            results[lane] = LaneResult(None, results[lane].moves | made)
        state = machine.next(state, does, full)
        ply += 1
        terminal, goals = machine.final(state, full)
        for lane in _lanes(live & terminal):
            results[lane] = LaneResult(_goal_vector(circuit, goals, lane), results[lane].moves)
        live &= ~terminal
    return results


def _lanes(row: int) -> list[int]:
    return [lane for lane in range(row.bit_length()) if row >> lane & 1]


def _goal_vector(circuit: Circuit, goals: Sequence[Sequence[int]], lane: int) -> tuple[int | None, ...]:
    vector = []
    for pairs, rows in zip(circuit.goals, goals, strict=True):
        values = [value for (value, _), row in zip(pairs, rows, strict=True) if row >> lane & 1]
        vector.append(values[0] if values else None)
    return tuple(vector)


def _refilled(active: int, ended: int, remaining: list[int]) -> int:
    """Which lanes go on: in every word as many of the ended ones as its quota has left, lowest first."""
    for word, left in enumerate(remaining):
        lanes = _lanes(ended >> (64 * word) & WORD)
        remaining[word] = max(0, left - len(lanes))
        for lane in lanes[left:]:
            active &= ~(1 << (64 * word + lane))
    return active
