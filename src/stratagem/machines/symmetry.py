"""Symmetries of a board, found from the rules: which states are the same but for a turn or a reflection.

Candidates come from the words alone: two arguments of a fact that run over most pairs of two ranges are coordinates, and
the eight (for oblong boards four) ways to lay the board on itself exchange facts and moves. Each candidate is then proved
or dropped, with a solver on the circuit (ground/solving/automorphism.py); only proved ones are used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, TypeAlias

from stratagem.gdl.terms import Compound, Relation, Symbol, Term, functor

if TYPE_CHECKING:
    from stratagem.circuit.circuit import Circuit
    from stratagem.gdl_game import GdlGame, State

Exchange: TypeAlias = Callable[[Term], Term]
GATES_AT_MOST = 60_000
SECONDS = 5.0
"""After which no further candidate is tried; one proof may overrun it."""


@dataclass(frozen=True, slots=True)
class Symmetries:
    """The proved symmetries of a game but for the identity; *names* says which they are."""

    names: tuple[str, ...]
    exchanges: tuple[Mapping[Term, Term], ...]

    def canonical(self, state: State) -> tuple[str, ...]:
        """The same value for all states that are symmetric to each other."""
        facts = state.facts()
        images = [sorted(map(str, facts))]
        images += [sorted(str(exchange.get(fact, fact)) for fact in facts) for exchange in self.exchanges]
        return tuple(min(images))


def symmetries_of(game: GdlGame) -> Symmetries | None:
    """The symmetries of *game*'s board, or None where none can be proved.

    >>> from stratagem.loading import load
    >>> found = symmetries_of(load("tictactoe"))
    >>> found.names  # doctest: +ELLIPSIS
    ('second coordinate reversed', 'first coordinate reversed', 'half turn', 'transposed', 'quarter turn', ...)
    """
    circuit = game.circuit
    if circuit.gate_count > GATES_AT_MOST:
        return None
    for board in boards(circuit):
        found = [
            (name, exchange) for name, exchange in candidates(board, circuit) if proved(circuit, exchange)
        ]
        if found:
            names = tuple(name for name, _ in found)
            maps = tuple({base: exchange(base) for base in circuit.bases} for _, exchange in found)
            return Symmetries(names, maps)
    return None


@dataclass(frozen=True, slots=True)
class CoordinateGrid:
    """Two ranges of coordinates, and where in each kind of fact and move they stand: (row place, column place)."""

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    places: Mapping[Relation, tuple[tuple[int | None, int | None], ...]]


def boards(circuit: Circuit) -> Iterator[CoordinateGrid]:
    """Boards that the facts suggest, likely ones first."""
    facts: dict[Relation, list[Term]] = {}
    for term in [*circuit.bases, *(move for several in circuit.moves for move in several)]:
        if isinstance(term, Compound):
            facts.setdefault(functor(term), []).append(term)
    bases = {functor(term) for term in circuit.bases}
    for key in sorted(facts, key=lambda key: -len(facts[key])):
        if key not in bases:
            continue
        for first in range(1, key[1]):
            second = first + 1
            pairs = {(str(fact[first]), str(fact[second])) for fact in facts[key]}
            rows = in_range(row for row, _ in pairs)
            columns = in_range(column for _, column in pairs)
            if rows is None or columns is None or 2 * len(pairs) < len(rows) * len(columns) or len(pairs) < 4:
                continue
            yield from assigned(rows, columns, facts)


def assigned(
    rows: Sequence[str], columns: Sequence[str], facts: Mapping[Relation, list[Term]]
) -> Iterator[CoordinateGrid]:
    """The ways in which other facts and moves may carry the coordinates: in pairs, alone as a column, or not at all."""
    fixed: dict[Relation, tuple[tuple[int | None, int | None], ...]] = {}
    open_: list[tuple[Relation, list[tuple[tuple[int | None, int | None], ...]]]] = []
    for key, terms in facts.items():
        fits = [
            at
            for at in range(1, key[1] + 1)
            if all(isinstance(term[at], Symbol) and str(term[at]) in {*rows, *columns} for term in terms)
        ]
        if len(fits) == 1:
            alone: list[tuple[tuple[int | None, int | None], ...]] = [
                ((None, fits[0]),),
                ((fits[0], None),),
                (),
            ]
            open_.append((key, alone))
        elif fits:
            fixed[key] = tuple((fits[at], fits[at + 1]) for at in range(0, len(fits) - 1, 2))
    for choice in product(*(ways for _, ways in open_[:4])):
        places = {**fixed, **{key: way for (key, _), way in zip(open_, choice, strict=False)}}
        yield CoordinateGrid(tuple(rows), tuple(columns), places)


def in_range(words: Iterator[str]) -> tuple[str, ...] | None:
    """The words in order if they are consecutive numbers or letters, else None."""
    found = sorted(set(words), key=lambda word: (len(word), word))
    if len(found) < 2:
        return None
    if all(word.isdecimal() for word in found):
        numbers = [int(word) for word in found]
    elif all(len(word) == 1 and word.isalpha() for word in found):
        numbers = [ord(word) for word in found]
    else:
        return None
    return tuple(found) if numbers == list(range(numbers[0], numbers[0] + len(numbers))) else None


def candidates(board: CoordinateGrid, circuit: Circuit) -> Iterator[tuple[str, Exchange]]:
    """The ways to lay the board on itself."""
    yield "second coordinate reversed", moved(board, lambda row, column: (row, -1 - column))
    yield "first coordinate reversed", moved(board, lambda row, column: (-1 - row, column))
    yield "half turn", moved(board, lambda row, column: (-1 - row, -1 - column))
    if board.rows == board.columns and all(None not in pair for way in board.places.values() for pair in way):
        yield "transposed", moved(board, lambda row, column: (column, row))
        yield "quarter turn", moved(board, lambda row, column: (column, -1 - row))
        yield "quarter turn back", moved(board, lambda row, column: (-1 - column, row))
        yield "other diagonal", moved(board, lambda row, column: (-1 - column, -1 - row))


def moved(board: CoordinateGrid, way: Callable[[int, int], tuple[int, int]]) -> Exchange:
    """The exchange of terms that moves every cell of *board* in this *way* (negative numbers count from the end)."""
    rows = {word: place for place, word in enumerate(board.rows)}
    columns = {word: place for place, word in enumerate(board.columns)}

    def exchange(term: Term) -> Term:
        if not isinstance(term, Compound):
            return term
        parts = list(term)
        for at_row, at_column in board.places.get(functor(term), ()):
            row = 0 if at_row is None else rows.get(str(term[at_row]), 0)
            column = 0 if at_column is None else columns.get(str(term[at_column]), 0)
            to_row, to_column = way(row, column)
            if at_row is not None:
                parts[at_row] = Symbol(board.rows[to_row])
            if at_column is not None:
                parts[at_column] = Symbol(board.columns[to_column])
        return Compound(parts)

    return exchange


def proved(circuit: Circuit, exchange: Exchange) -> bool:
    """Whether *exchange* is a symmetry of the game: of its start, its moves, its successors, ends and goals."""
    from stratagem.ground.solving.automorphism import GateGraph, is_symmetry

    places = {base: place for place, base in enumerate(circuit.bases)}
    images = [places.get(exchange(base)) for base in circuit.bases]
    moves: list[int] = []
    offset = len(circuit.bases)
    for several in circuit.moves:
        numbers = {move: offset + number for number, move in enumerate(several)}
        found = [numbers.get(exchange(move)) for move in several]
        if None in found or len(set(found)) != len(found):
            return False
        moves += [number for number in found if number is not None]
        offset += len(several)
    if None in images or len(set(images)) != len(images) or circuit.loops:
        return False
    to = [place for place in images if place is not None] + moves
    initial = circuit.initial.tolist()
    if any(initial[place] != initial[to[place]] for place in range(len(initial))):
        return False
    # The second copy runs on the exchanged state: its input to[i] is input i of the first.
    inputs = [0] * len(to)
    for place, image in enumerate(to):
        inputs[image] = place
    legal = [literal for several in circuit.legal for literal in several.tolist()]
    after = circuit.next.tolist()
    pairs = [(after[place], after[to[place]]) for place in range(len(after))]
    pairs += [(legal[number], legal[to[len(after) + number] - len(after)]) for number in range(len(legal))]
    pairs.append((circuit.terminal, circuit.terminal))
    pairs += [(literal, literal) for goals in circuit.goals for _, literal in goals]
    gates = GateGraph(
        len(circuit.bases),
        tuple(map(len, circuit.moves)),
        [operation == 0 for operation in circuit.operations.tolist()],
        circuit.left.tolist(),
        circuit.right.tolist(),
        legal,
    )
    return is_symmetry(gates, inputs, pairs)
