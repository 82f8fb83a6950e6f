"""Hand-made circuits for tests of the code generator: small games whose numbers are known, and random ones."""

from __future__ import annotations

import itertools
import random
from dataclasses import replace

import numpy as np

from stratagem.circuit.circuit import AND, OR, Circuit
from stratagem.gdl.terms import Compound, Symbol, Term


def term(*words: object) -> Term:
    """``term("cell", 1, "x")`` is ``(cell 1 x)``."""
    symbols = tuple(Symbol(str(word)) for word in words)
    return symbols[0] if len(symbols) == 1 else Compound(symbols)


class Builder:
    """Gates over named bases and moves; gates are shared, and come out in the order of `Circuit`."""

    def __init__(self, roles: tuple[str, ...], bases: list[Term], moves: list[list[Term]]) -> None:
        self.roles, self.bases, self.moves = roles, bases, moves
        self.base = {fact: 2 * (1 + at) for at, fact in enumerate(bases)}
        at = 1 + len(bases)
        self.does: list[dict[Term, int]] = []
        for own in moves:
            self.does.append({move: 2 * (at + place) for place, move in enumerate(own)})
            at += len(own)
        self.first_gate = at
        self.gates: list[tuple[int, int, int]] = []
        self.known: dict[tuple[int, int, int], int] = {}

    def gate(self, operation: int, a: int, b: int) -> int:
        a, b = min(a, b), max(a, b)
        stop, neutral = (0, 1) if operation == AND else (1, 0)
        if a == stop or b == stop or a ^ b == 1:
            return stop
        if a == b or b == neutral:
            return a
        if a == neutral:
            return b
        key = (operation, a, b)
        if key not in self.known:
            self.known[key] = 2 * (self.first_gate + len(self.gates))
            self.gates.append(key)
        return self.known[key]

    def all(self, *literals: int) -> int:
        return self.tree(AND, list(literals), 1)

    def any(self, *literals: int) -> int:
        return self.tree(OR, list(literals), 0)

    def tree(self, operation: int, literals: list[int], empty: int) -> int:
        """A balanced tree, as the pipeline builds it."""
        while len(literals) > 1:
            pairs = zip(literals[::2], literals[1::2], strict=False)
            joined = [self.gate(operation, a, b) for a, b in pairs]
            literals = joined + literals[2 * len(joined) :]
        return literals[0] if literals else empty

    def circuit(
        self,
        initial: set[Term],
        after: dict[Term, int],
        legal: list[dict[Term, int]],
        terminal: int,
        goals: list[list[tuple[int, int]]],
        loops: tuple[tuple[int, int], ...] = (),
    ) -> Circuit:
        return Circuit(
            roles=self.roles,
            bases=tuple(self.bases),
            moves=tuple(map(tuple, self.moves)),
            constants=frozenset(),
            operations=np.array([gate[0] for gate in self.gates], np.int8),
            left=np.array([gate[1] for gate in self.gates], np.int32),
            right=np.array([gate[2] for gate in self.gates], np.int32),
            loops=loops,
            initial=np.array([fact in initial for fact in self.bases], np.bool_),
            next=np.array([after[fact] for fact in self.bases], np.int32),
            legal=tuple(
                np.array([own[move] for move in moves], np.int32)
                for own, moves in zip(legal, self.moves, strict=True)
            ),
            terminal=terminal,
            goals=tuple(map(tuple, goals)),
        )


def line_game(width: int, height: int, length: int, *, drop: bool) -> Circuit:
    """Connect-*length* on a board: stones fall (connect four) or are set anywhere (tic-tac-toe)."""
    cells = list(itertools.product(range(1, width + 1), range(1, height + 1)))
    stones = ("o", "x")
    bases = [term("cell", column, row, stone) for column, row in cells for stone in stones]
    bases += [term("control", "oplayer"), term("control", "xplayer")]
    noop = term("noop")
    acts = (
        [term("drop", column) for column in range(1, width + 1)]
        if drop
        else [term("mark", column, row) for column, row in cells]
    )
    moves = [[noop, *acts], [noop, *acts]]
    build = Builder(("xplayer", "oplayer"), bases, moves)
    at = {
        (column, row, stone): build.base[term("cell", column, row, stone)]
        for column, row in cells
        for stone in stones
    }
    control = [build.base[term("control", "xplayer")], build.base[term("control", "oplayer")]]
    full = {cell: build.any(at[(*cell, "o")], at[(*cell, "x")]) for cell in cells}

    lines = []
    for column, row in cells:
        for right, up in ((1, 0), (0, 1), (1, 1), (1, -1)):
            line = [(column + step * right, row + step * up) for step in range(length)]
            if all(cell in full for cell in line):
                lines.append(line)
    won = {
        stone: build.any(*(build.all(*(at[(*cell, stone)] for cell in line)) for line in lines))
        for stone in stones
    }
    open_cells = build.any(*(full[cell] ^ 1 for cell in cells))
    terminal = build.any(won["x"], won["o"], open_cells ^ 1)

    legal: list[dict[Term, int]] = []
    for role in range(2):
        own = {noop: control[1 - role]}
        for act in acts:
            where = (int(act[1]), height) if drop else (int(act[1]), int(act[2]))
            own[act] = build.all(control[role], full[where] ^ 1)
        legal.append(own)

    after: dict[Term, int] = {}
    for column, row in cells:
        for role, stone in ((0, "x"), (1, "o")):
            act = build.does[role][term("drop", column) if drop else term("mark", column, row)]
            below = full[column, row - 1] if drop and row > 1 else 1
            placed = build.all(act, below, full[column, row] ^ 1)
            after[term("cell", column, row, stone)] = build.any(at[column, row, stone], placed)
    after[term("control", "xplayer")] = control[1]
    after[term("control", "oplayer")] = control[0]
    draw = build.all(won["x"] ^ 1, won["o"] ^ 1)
    goals = [
        [(0, won["o"]), (50, draw), (100, won["x"])],
        [(0, won["x"]), (50, draw), (100, won["o"])],
    ]
    return build.circuit({term("control", "xplayer")}, after, legal, terminal, goals)


def connect_four() -> Circuit:
    return line_game(7, 6, 4, drop=True)


def tic_tac_toe() -> Circuit:
    return line_game(3, 3, 3, drop=False)


def breakthrough(width: int = 8, height: int = 8) -> Circuit:
    """Pawns walk straight or diagonally forward and capture diagonally; the far rank, or the last pawn, wins."""
    cells = list(itertools.product(range(1, width + 1), range(1, height + 1)))
    bases = [term("cell", column, row, side) for column, row in cells for side in ("black", "white")]
    bases += [term("control", "black"), term("control", "white")]
    noop = term("noop")
    steps = []
    for forward in (1, -1):
        own = [noop]
        for column, row in cells:
            own += [
                term("move", column, row, to, row + forward)
                for to in (column - 1, column, column + 1)
                if 1 <= to <= width and 1 <= row + forward <= height
            ]
        steps.append(own)
    build = Builder(("white", "black"), bases, steps)
    white = {cell: build.base[term("cell", *cell, "white")] for cell in cells}
    black = {cell: build.base[term("cell", *cell, "black")] for cell in cells}
    own_of, other_of = (white, black), (black, white)
    control = [build.base[term("control", side)] for side in ("white", "black")]
    legal = []
    for role in range(2):
        allowed = {noop: control[1 - role]}
        for move in steps[role][1:]:
            source, target = (int(move[1]), int(move[2])), (int(move[3]), int(move[4]))
            free = own_of[role][target] ^ 1
            if source[0] == target[0]:
                free = build.all(free, other_of[role][target] ^ 1)
            allowed[move] = build.all(build.all(control[role], own_of[role][source]), free)
        legal.append(allowed)
    arrive = [dict.fromkeys(cells, 0) for _ in range(2)]
    leave = [dict.fromkeys(cells, 0) for _ in range(2)]
    for role in range(2):
        for move in steps[role][1:]:
            source, target = (int(move[1]), int(move[2])), (int(move[3]), int(move[4]))
            does = build.does[role][move]
            arrive[role][target] = build.any(arrive[role][target], does)
            leave[role][source] = build.any(leave[role][source], does)
    after = {}
    for cell in cells:
        for role, side in ((0, "white"), (1, "black")):
            stays = build.all(own_of[role][cell], leave[role][cell] ^ 1, arrive[1 - role][cell] ^ 1)
            after[term("cell", *cell, side)] = build.any(arrive[role][cell], stays)
    after[term("control", "white")], after[term("control", "black")] = control[1], control[0]
    reached = [
        build.any(*(white[column, height] for column in range(1, width + 1))),
        build.any(*(black[column, 1] for column in range(1, width + 1))),
    ]
    alive = [build.any(*white.values()), build.any(*black.values())]
    won = [build.any(reached[0], alive[1] ^ 1), build.any(reached[1], alive[0] ^ 1)]
    goals = [[(0, won[0] ^ 1), (100, won[0])], [(0, won[1] ^ 1), (100, won[1])]]
    initial = {term("cell", column, row, "white") for column in range(1, width + 1) for row in (1, 2)}
    initial |= {
        term("cell", column, row, "black") for column in range(1, width + 1) for row in (height - 1, height)
    }
    return build.circuit(initial | {term("control", "white")}, after, legal, build.any(*won), goals)


def random_circuit(
    seed: int,
    *,
    roles: int = 2,
    bases: int = 6,
    moves: int = 3,
    gates: int = 40,
    loops: int = 0,
    stuck: bool = False,
) -> Circuit:
    """A circuit without meaning: any gates over any inputs, with *loops* cyclic ranges of positive gates.

    Every role's first move is always legal, so that no match is stuck, unless *stuck*; a match may go on for ever.
    """
    source = random.Random(seed)
    facts = [term("p", number) for number in range(bases)]
    own = [[term("m", role, number) for number in range(moves)] for role in range(roles)]
    build = Builder(tuple(f"r{role}" for role in range(roles)), facts, own)
    literals = [0, 1, *build.base.values()]
    cyclic: list[tuple[int, int]] = []

    def grow(count: int, pool: list[int]) -> None:
        for _ in range(count):
            a, b = source.choice(pool) ^ source.randrange(2), source.choice(pool) ^ source.randrange(2)
            build.gates.append((source.choice((AND, OR)), a, b))
            pool.append(2 * (build.first_gate + len(build.gates) - 1))

    def cycle(pool: list[int]) -> None:
        first = len(build.gates)
        size = source.randrange(2, 8)
        inside = [2 * (build.first_gate + first + place) for place in range(size)]
        for _ in range(size):
            outside = source.choice(pool) ^ source.randrange(2)
            build.gates.append(
                (
                    source.choice((AND, OR)),
                    source.choice(inside),
                    source.choice([outside, source.choice(inside)]),
                )
            )
        pool.extend(inside)
        cyclic.append((first, first + size))

    for _ in range(loops):
        grow(gates // (3 * loops + 3), literals)
        cycle(literals)
    grow(gates // 3, literals)
    sensed = list(literals)
    literals += [literal for moves_of in build.does for literal in moves_of.values()]
    for _ in range(loops):
        grow(gates // (3 * loops + 3), literals)
        cycle(literals)
    grow(gates // 3, literals)

    def pick(pool: list[int]) -> int:
        return source.choice(pool) ^ source.randrange(2)

    return build.circuit(
        {fact for fact in facts if source.random() < 0.5},
        {fact: pick(literals) for fact in facts},
        [
            {move: 1 if place == 0 and not stuck else pick(sensed) for place, move in enumerate(moves_of)}
            for moves_of in own
        ],
        pick(sensed),
        [
            [(value, pick(sensed)) for value in source.sample(range(101), source.randrange(1, 4))]
            for _ in range(roles)
        ],
        tuple(cyclic),
    )


def dead_end(stuck: int) -> Circuit:
    """Two plies in turns: at an even one the second move ends in a dead end, where role number *stuck* has no legal move.

    A kernel that made an illegal move there, or drew a number for none, would draw otherwise for all matches of a word.
    """
    turns, hit, over, wild = [term("turn", 0), term("turn", 1)], term("hit"), term("over"), term("wild")
    moves = [[term("m", role, number) for number in range(4)] for role in range(2)]
    build = Builder(("first", "second"), [*turns, hit, over, wild], moves)
    even, odd, dead = build.base[turns[0]], build.base[turns[1]], build.base[hit]
    ways = [build.all(even, dead ^ 1) if role == stuck else even for role in range(2)]
    third = build.all(odd, build.base[wild])
    legal = [
        dict(zip(moves[0], [build.any(ways[0], odd), third, third, 0], strict=True)),
        dict(zip(moves[1], [build.any(ways[1], way) for way in (odd, third, third, 0)], strict=True)),
    ]
    does = build.does[1]
    after = {
        turns[0]: odd,
        turns[1]: even,
        hit: build.any(build.all(even, does[moves[1][1]]), build.all(odd, dead)),
        over: build.all(even, dead ^ 1, does[moves[1][0]]),
        wild: build.all(even, dead, build.any(*does.values())),
    }
    return build.circuit({turns[0]}, after, legal, build.base[over], [[(100, 1)], [(0, 1)]])


def ballot(choices: list[list[bool]]) -> Circuit:
    """One simultaneous step: role r may make the moves marked in *choices[r]*; its goal is the move's number.

    The goal vector of a match is therefore its joint move, which makes the choice itself visible.
    """
    moves = [[term("vote", number) for number in range(len(own))] for own in choices]
    bases = [term("done")]
    bases += [term("voted", role, number) for role, own in enumerate(choices) for number in range(len(own))]
    build = Builder(tuple(f"r{role}" for role in range(len(choices))), bases, moves)
    after = {term("done"): 1}
    goals = []
    for role, own in enumerate(choices):
        for number in range(len(own)):
            after[term("voted", role, number)] = build.does[role][term("vote", number)]
        goals.append([(number, build.base[term("voted", role, number)]) for number in range(len(own))])
    legal = [
        {move: int(allowed) for move, allowed in zip(moves_of, own, strict=True)}
        for moves_of, own in zip(moves, choices, strict=True)
    ]
    return build.circuit(set(), after, legal, build.base[term("done")], goals)


def counter(limit: int) -> Circuit:
    """One role, one move: a binary counter that ends after *limit* steps, or never if that is 0."""
    width = max(1, limit.bit_length())
    bases = [term("bit", place) for place in range(width)]
    build = Builder(("r",), bases, [[term("tick")]])
    bits = [build.base[base] for base in bases]
    after, carry = {}, 1
    for base, bit in zip(bases, bits, strict=True):
        after[base] = build.any(build.all(bit, carry ^ 1), build.all(bit ^ 1, carry))
        carry = build.all(bit, carry)
    reached = build.all(*(bit if limit >> place & 1 else bit ^ 1 for place, bit in enumerate(bits)))
    return build.circuit(set(), after, [{term("tick"): 1}], reached if limit else 0, [[(100, reached)]])


def with_turns(circuit: Circuit, period: int) -> Circuit:
    """The circuit with a ring of turns among its bases: the first is true at the beginning."""
    following = circuit.next.copy()
    initial = circuit.initial.copy()
    for base in range(period):
        following[base] = 2 * (1 + (base - 1) % period)
        initial[base] = base == 0
    return replace(circuit, next=following, initial=initial)
