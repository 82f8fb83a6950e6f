"""Solving by proofs: the part of `solve` for two players whose space is too large to be seen whole."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from stratagem.errors import UnsuitableGame
from stratagem.platform import cores

if TYPE_CHECKING:
    from stratagem.engine.proof.bounds import Bounds
    from stratagem.engine.proof.prover import Prover
    from stratagem.engine.solution import Solution
    from stratagem.engine.solve import Job
    from stratagem.gdl.terms import Term

SYMMETRIC: Final = 5_000
"""Gates up to which symmetries of the rules are looked for."""
LINE_SECONDS: Final = 0.5
"""For the line of best play where the time is spent."""
FAR: Final = 150
"""Moves of a random match up to which a search to the end is tried."""


class ProofJob:
    """One call of `solve` that is answered by proofs."""

    def __init__(self, job: Job) -> None:
        self.job = job

    def proof(self, why: str) -> Solution:
        from stratagem.engine.proof.bounds import value_of
        from stratagem.engine.proof.prover import Prover

        roles = self.job.game.roles
        if len(roles) != 2:
            raise UnsuitableGame(
                f"proofs by search are for two players; this game has {len(roles)}", hint="use --method space"
            )
        self.job.tell("preparing a proof by search")
        prover = Prover(
            self.job.expander,
            memory=min(self.job.memory, 8 << 30),
            threads=cores(),
            exchanges=self.symmetries(),
        )
        found = value_of(
            prover,
            self.job.packed,
            seconds=max(0.0, self.job.deadline - time.monotonic()),
            longest=self.longest(),
            progress=lambda bounds: self.job.tell(
                f"depth {bounds.depth}: at least {bounds.low}, at most {bounds.high}; {bounds.nodes:,} nodes"
            ),
            stop=self.job.stop,
        )
        total = self.job.limits[0][0] + self.job.limits[1][1]
        line = self.line(prover, found) if found.proved else []
        first = line[0] if line else None
        note = ""
        if found.proved and found.distance is None:
            note = "the value is proved, the number of moves is not"
        elif found.complete and not found.proved:
            note = "either side can keep the match from ending"
        return self.job.solution(
            bounds={roles[0]: (found.low, found.high), roles[1]: (total - found.high, total - found.low)},
            best_move=None if first is None else self.job.text(first[0], first[1]),
            mover=None if first is None else roles[first[0]],
            distance=found.distance,
            line=tuple(self.job.text(role, move) for role, move in line),
            proved=found.proved,
            states=prover.states,
            nodes=found.nodes,
            method="proof by search",
            why=why,
            note=note,
        )

    def line(self, prover: Prover, found: Bounds) -> list[tuple[int, int]]:
        """The line behind a proof; a little is looked for even after the time, so that there is a best move."""
        from stratagem.engine.proof.line import line_of

        job = self.job
        if job.late():
            return line_of(prover, job.packed, found, time.monotonic() + LINE_SECONDS)
        return line_of(prover, job.packed, found, job.deadline + LINE_SECONDS, job.stop)

    def proof_numbers(self, why: str) -> Solution:
        from stratagem.engine.proof.df_pn import ProofNumbers, bounds_of
        from stratagem.engine.proof.line import mover_of

        roles = self.job.game.roles
        if len(roles) != 2:
            raise UnsuitableGame(
                f"proof-number search is for two players; this game has {len(roles)}",
                hint="use --method space",
            )
        self.job.tell("preparing proof-number search")
        numbers = ProofNumbers(
            self.job.expander, memory=min(self.job.memory, 8 << 30), exchanges=self.symmetries()
        )
        found = bounds_of(
            numbers,
            self.job.packed,
            seconds=max(0.0, self.job.deadline - time.monotonic()),
            progress=lambda now: self.job.tell(
                f"at least {now.low}, at most {now.high}; {now.nodes:,} nodes"
            ),
            stop=self.job.stop,
        )
        total = self.job.limits[0][0] + self.job.limits[1][1]
        children = self.job.expander.expand(self.job.packed[None])
        mover = mover_of(children.moves)
        place = found.low_place if mover == 0 else found.high_place if mover == 1 else -1
        proved = found.low == found.high
        return self.job.solution(
            bounds={roles[0]: (found.low, found.high), roles[1]: (total - found.high, total - found.low)},
            best_move=self.job.text(mover, int(children.moves[place, mover])) if place >= 0 else None,
            mover=roles[mover] if mover >= 0 else None,
            proved=proved,
            states=numbers.states_known,
            nodes=found.nodes,
            method="proof-number search",
            why=why,
            note="proof numbers tell the value, not the number of moves" if proved else "",
        )

    def symmetries(self) -> Sequence[Mapping[Term, Term]]:
        """Proved symmetries of the rules, where looking for them takes no time."""
        from stratagem.machines.symmetry import symmetries_of

        if self.job.game.circuit.gate_count > SYMMETRIC:
            return ()
        found = symmetries_of(self.job.game)
        return () if found is None else found.exchanges

    def longest(self) -> int | None:
        """The longest of some random matches; None where they are too long for a search to their end."""
        report = self.job.game.playouts(self.job.state, n=20_000, seed=1, limit=FAR)
        return None if report.over else report.longest
