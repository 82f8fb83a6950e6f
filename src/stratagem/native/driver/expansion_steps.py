"""Expansion in step with the tokens: phases for every step of their cycle, made in the background.

States that are expanded together are nearly always at the same step. With whose turn it is as constants, half of the gates or more
are gone, and `next` leaves the new state in the place of the old one. It is more code beside that of the whole circuit, which
serves mixed states; so only circuits are given it in which the gates take much of the time and the steps save enough of them.
Cost: some 60 microseconds per gate and width for the compiler, after the phases of the whole circuit.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable
from typing import Final

from stratagem.native.driver.game_header import GameHeader
from stratagem.native.jit import compile_queue
from stratagem.native.logic.turn_cycle import Tokens, find_tokens
from stratagem.native.packing import packed_tokens
from stratagem.native.phases.phase_tables import EXPANSION, PhaseTable, PhaseTables
from stratagem.native.phases.prepared import PhaseName, at_step

LEAST_GATES: Final = 15_000
"""Of all phases of the whole circuit together: in smaller ones, gates are less than a fifth of expansion."""
MOST_GATES: Final = 60_000
"""Of the same. More would take the compiler half a minute."""
MOST_LEFT: Final = 0.75
"""The share of the gates of `next` and `final` that a step may leave, on average."""


class ExpansionSteps:
    """The phases of the steps, and the switch in the header: they serve when all of them are compiled."""

    def __init__(self, header: GameHeader) -> None:
        self._header, self._phases = header, header.phases
        self._ready = threading.Event()
        self._lock = threading.Lock()
        self._asked = False
        self._tables: list[PhaseTable] = []

    def compile(self) -> None:
        """Have them made in the background, where they are worth while."""
        with self._lock:
            if self._asked:
                return
            self._asked = True
        circuit = self._phases.circuit
        if circuit.loops or not LEAST_GATES <= self._phases.expansion_gates <= MOST_GATES:
            self._ready.set()
            return
        self._later(ExpansionSteps._prepare)

    def wait(self) -> None:
        """Return when they serve, or never will."""
        self._ready.wait()

    def _prepare(self) -> None:
        """The phases of the steps, once those of the whole circuit are compiled: they serve all states."""
        if not (self._phases.narrow.wait(0) and self._phases.wide.wait(0)):
            self._later(ExpansionSteps._prepare)
            return
        tokens = find_tokens(self._phases.circuit)
        self._phases.steps(tokens)
        names = [at_step(name, step) for step in range(tokens.period) for name in EXPANSION]
        if not tokens.courses or not worth_while(self._phases, names):
            self._ready.set()
            return
        self._tables = [
            PhaseTable(self._phases, tuple(names), table.shape, ("optimised",), from_disk=True)
            for table in (self._phases.narrow, self._phases.wide)
        ]
        if any(table.rows > self._header.game.rows for table in self._tables):
            self._ready.set()
            return
        for table in self._tables:
            table.compile()
        self._later(lambda self: self._serve(tokens))

    def _serve(self, tokens: Tokens) -> None:
        """Switch them on when they are compiled; until then look again after other work of the queue."""
        if not all(table.wait(0) for table in self._tables):
            self._later(lambda self: self._serve(tokens))
            return
        if all(table.tier == "optimised" for table in self._tables):
            game = self._header.game
            self._header.stepped = tuple(self._tables)
            narrow, wide = (table.addresses for table in self._tables)
            game.narrow_steps.numpy[: len(narrow)] = narrow
            game.wide_steps.numpy[: len(wide)] = wide
            mask, values = packed_tokens(tokens, self._phases.circuit)
            game.token_mask.numpy[:] = mask
            game.token_values.numpy[: tokens.period] = values
            game.steps = tokens.period  # last: drivers that are running look at this first
        self._ready.set()

    def _later(self, work: Callable[[ExpansionSteps], None]) -> None:
        """Work for the compile queue, which does not keep this object alive."""
        owner = weakref.ref(self)

        def if_still_wanted() -> None:
            steps = owner()
            if steps is not None:
                try:
                    work(steps)
                except BaseException:
                    steps._ready.set()  # the phases of the whole circuit serve on
                    raise

        compile_queue.later(if_still_wanted)


def worth_while(phases: PhaseTables, names: list[PhaseName]) -> bool:
    """Whether the phases of the steps save enough gates."""
    gates = {name: phases.prepared(name).phase.gate_count for name in [*EXPANSION, *names]}
    period = len(names) // len(EXPANSION)
    left = sum(gates[name] for name in names if not name.startswith("legal")) / period
    return left <= MOST_LEFT * (gates["next"] + gates["final"])
