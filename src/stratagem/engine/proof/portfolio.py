"""Solving by proofs: the part of `solve` for two players whose space is too large to be seen whole."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from stratagem.errors import UnsuitableGame
from stratagem.platform import cores

if TYPE_CHECKING:
    from stratagem.engine.proof.bounds import ProvedBounds
    from stratagem.engine.proof.prover import Prover
    from stratagem.engine.request import SolveRequest
    from stratagem.gdl.terms import Term
    from stratagem.result import Result

SYMMETRIC: Final = 5_000
"""Gates up to which symmetries of the rules are looked for."""
LINE_SECONDS: Final = 0.5
"""For the line of best play where the time is spent."""
MOST_MEMORY: Final = 8 << 30
"""Bytes of a table of proofs at most."""
UNENDED: Final = (
    "some matches get to a state without a legal move for somebody, or to an end without a goal: "
    "`stratagem judge` shows one"
)
ONE_SIDED: Final = "one role's goal does not follow from the other's: by the rules they need not add up to the same at every end"
FAR: Final = 150
"""Moves of a random match up to which a search to the end is tried."""


def solve_by_proof(request: SolveRequest, why: str) -> Result:
    """The result by proofs of thresholds, deeper and deeper."""
    from stratagem.engine.proof.bounds import value_of
    from stratagem.engine.proof.prover import Prover

    _needs_two(request, "proofs by search are")
    request.tell("preparing a proof by search")
    prover = Prover(
        request.compiled,
        memory=min(request.memory, MOST_MEMORY),
        threads=cores(),
        exchanges=_symmetries(request),
    )
    found = value_of(
        prover,
        request.packed,
        seconds=request.left(),
        longest=_longest(request),
        progress=lambda bounds: request.tell(
            f"depth {bounds.depth}: at least {bounds.low}, at most {bounds.high}; {bounds.nodes:,} nodes"
        ),
        stop=request.stop,
    )
    bounds = _bounds(request, found.low, found.high, prover.total)
    line = _line(request, prover, found) if found.proved else []
    note = "" if _agree(bounds) else ONE_SIDED
    if found.proved and not note and found.distance is None:
        note = "the value is proved, the number of moves is not"
    elif found.complete and not found.proved:
        note = "either side can keep the match from ending" if prover.every_end_has_a_goal else UNENDED
    return request.result(
        "proof by search",
        bounds,
        why=why,
        note=note,
        mover=line[0][0] if line else None,
        line=request.line(line),
        distance=found.distance,
        states=prover.states,
        nodes=found.nodes,
    )


def solve_by_proof_numbers(request: SolveRequest, why: str) -> Result:
    """The result by depth-first proof-number search."""
    from stratagem.engine.proof.df_pn import ProofNumbers, bounds_of
    from stratagem.engine.proof.line import mover_of

    _needs_two(request, "proof-number search is")
    request.tell("preparing proof-number search")
    numbers = ProofNumbers(
        request.compiled, memory=min(request.memory, MOST_MEMORY), exchanges=_symmetries(request)
    )
    found = bounds_of(
        numbers,
        request.packed,
        seconds=request.left(),
        progress=lambda now: request.tell(f"at least {now.low}, at most {now.high}; {now.nodes:,} nodes"),
        stop=request.stop,
    )
    children = request.compiled.expand(request.packed[None])
    mover = mover_of(children.moves)
    place = found.low_place if mover == 0 else found.high_place if mover == 1 else -1
    bounds = _bounds(request, found.low, found.high, numbers.total)
    note = "proof-number search yields the value, not the number of moves" if found.low == found.high else ""
    return request.result(
        "proof-number search",
        bounds,
        why=why,
        note=note if _agree(bounds) else ONE_SIDED,
        best=(mover, request.move(mover, int(children.moves[place, mover]))) if place >= 0 else None,
        states=numbers.states_known,
        nodes=found.nodes,
    )


def _needs_two(request: SolveRequest, method: str) -> None:
    roles = request.game.roles
    if len(roles) != 2:
        raise UnsuitableGame(
            f"{method} for two players; this game has {len(roles)}", hint="use --method space"
        )
    if not request.game.circuit.goals[0]:
        raise UnsuitableGame(f"the rules never give {roles[0]} a goal", hint="`stratagem judge` says why")


def _bounds(request: SolveRequest, low: int, high: int, total: int | None) -> dict[str, tuple[int, int]]:
    """The bounds of both roles, from those of the first and the *total* of both at every end that was met.

    What is not proved for the first role says nothing about the second: its ends may not have been met.
    """
    first, second = request.game.roles
    (least, most), (second_least, second_most) = request.ranges
    if total is not None and high < most:
        second_least = total - high
    if total is not None and low > least:
        second_most = total - low
    return {first: (low, high), second: (second_least, second_most)}


def _agree(bounds: Mapping[str, tuple[int, int]]) -> bool:
    """Whether both roles' values are proved, or neither's."""
    return len({low == high for low, high in bounds.values()}) == 1


def _line(request: SolveRequest, prover: Prover, found: ProvedBounds) -> list[tuple[int, int]]:
    """The line behind a proof; a little is looked for even after the time, so that there is a best move."""
    from stratagem.engine.proof.line import line_of

    if request.late():
        return line_of(prover, request.packed, found, time.monotonic() + LINE_SECONDS)
    until = time.monotonic() + request.left() + LINE_SECONDS
    return line_of(prover, request.packed, found, until, request.stop)


def _symmetries(request: SolveRequest) -> Sequence[Mapping[Term, Term]]:
    """Proved symmetries of the rules, where looking for them takes no time."""
    from stratagem.machines.symmetry import symmetries_of

    if request.game.circuit.gate_count > SYMMETRIC:
        return ()
    found = symmetries_of(request.game)
    return () if found is None else found.exchanges


def _longest(request: SolveRequest) -> int | None:
    """The longest of some random matches; None where they are too long for a search to their end."""
    report = request.game.playouts(request.state, n=20_000, seed=1, limit=FAR)
    return None if report.over else report.longest
