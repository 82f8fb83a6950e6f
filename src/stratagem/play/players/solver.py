"""The solver as a player for puzzles: it looks for a solution in the start clock and then plays it.

Points are given for the end, not for the way: breadth-first finds the shortest way through a small puzzle at once; after
that any way will do. Where every move uses something up a dive finds one, where moves can be taken back two searches
that meet do; A* with pattern databases looks beside them, and whoever is first wins. While nothing is found, and where the rules could not be
compiled, the lecture's incremental expansion chooses the moves; a way that was found is kept, and looked for again if the
match leaves it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Literal

from stratagem.errors import StratagemError
from stratagem.limit import Limit
from stratagem.play.choice import Choice, Offer, Thought
from stratagem.play.clock import Deadline, free_cores
from stratagem.play.interface import Player
from stratagem.play.match_state import Match
from stratagem.play.players.puzzle import PuzzleSolver
from stratagem.play.process.kernel_compilation import can_start
from stratagem.play.process.memory_share import fair_share

if TYPE_CHECKING:
    from stratagem.gdl.terms import Term
    from stratagem.gdl_game import State

MEMORY = 1 << 30
SHARE = 0.8
"""Of the time of a move; the rest is for a move where nothing was found."""
QUICK_SHARE = 0.1
"""Of the time: breadth-first, which gives the shortest way, gets no more before others are tried."""
ANY_SHARE = 0.5
"""Of what is left then: the search for any way, where A* has to wait for it."""
LOOK = 0.02
MOST_MEETING = 2_000_000
"""States of a search from both ends: one that has not met by then takes time from A*."""
LOOK_FOR_KERNELS = 0.3
"""Seconds after which it is asked again whether kernels have been compiled meanwhile."""
SAMPLE = 64
SOON = 400


@dataclass(frozen=True, slots=True)
class Found:
    """A way to an end worth *value*; *proved*: no end is worth more, and none as good is nearer."""

    method: str
    value: int
    proved: bool
    nodes: int
    line: tuple[Term, ...]


class Solver(Player):
    """For one role with a choice."""

    name = "solver"

    def __init__(self, *, seed: int | None = None) -> None:
        """Nothing is left to chance: *seed* is taken as every player does."""
        self.deputy = PuzzleSolver(seed=seed)
        self.way: dict[State, Term] = {}
        self.found: Found | None = None

    def start(self, match: Match, clock: Deadline) -> None:
        self.way, self.found = {}, None
        self._do_without_kernels(match, clock)
        self._search(match, clock)

    def play(self, match: Match, clock: Deadline, offer: Offer) -> Choice:
        legal = match.legals()
        if len(legal) == 1:
            return Choice(legal[0], Thought(self.name, "the only legal move"), final=True)
        if match.state not in self.way:
            self._search(match, clock.sooner(SHARE))
        move = self.way.get(match.state)
        if move is None or move not in legal or self.found is None:
            return self.deputy.play(match, clock, offer)
        found = self.found
        thought = Thought(
            self.name,
            f"a way to an end worth {found.value} by {found.method}"
            + (", the shortest" if found.proved else ""),
            value=found.value,
            depth=len(found.line),
            nodes=found.nodes,
            line=tuple(match.rules.spell(move) for move in found.line[:12]),
            solved=found.proved,
        )
        return Choice(move, thought, final=found.proved or found.value == best_end(match))

    def stop(self, match: Match) -> None:
        self.way, self.found = {}, None
        self.deputy.stop(match)

    def _do_without_kernels(self, match: Match, clock: Deadline) -> None:
        """Lets the deputy look for a way until the kernels of the others are compiled."""
        look_at = clock.now()

        def kernels_are_there() -> bool:
            nonlocal look_at
            if clock.now() < look_at:
                return False
            look_at = clock.now() + LOOK_FOR_KERNELS
            return can_start("puzzle")

        until = Deadline(clock.at, clock.now, lambda: clock.interrupted() or kernels_are_there())
        self.deputy.ponder(match, until)

    def _search(self, match: Match, clock: Deadline) -> None:
        """Looks for a way from the position of *match*; its moves by the states in which they are made."""
        if match.over or len(match.roles) != 1 or match.rules.machine.name == "reasoner":
            return
        if not can_start("puzzle"):
            return  # the deputy needs no kernels
        try:
            found = self._found(match, clock)
        except StratagemError:
            return  # rules that cannot be compiled: the deputy needs no circuit
        if found is None:
            return
        self.found, state = found, match.state
        for move in found.line:
            self.way[state] = move
            state = match.rules.next(state, (move,))

    def _found(self, match: Match, clock: Deadline) -> Found | None:
        """Breadth-first while that is quick; then whatever is first to find any way."""
        exact = self._solved(match, clock.sooner(QUICK_SHARE), "breadth-first")
        if exact is not None and (exact.proved or exact.value == best_end(match)):
            return exact
        found = self._first_of(match, clock)
        return exact if found is None and exact is not None and exact.value > 0 else found

    def _first_of(self, match: Match, clock: Deadline) -> Found | None:
        """What the search for any way or A* finds, whichever is first: side by side where two cores are free."""
        if free_cores() < 2:
            return self._any_way(match, clock.sooner(ANY_SHARE)) or self._solved(match, clock, "a-star")
        answers: SimpleQueue[Found | None] = SimpleQueue()
        enough = threading.Event()
        shared = Deadline(clock.at, clock.now, lambda: enough.is_set() or clock.interrupted())

        def work(search: Callable[[Match, Deadline], Found | None]) -> None:
            found = None
            try:
                with suppress(StratagemError, MemoryError):
                    found = search(match, shared)
            finally:
                answers.put(found)

        searches = (self._any_way, lambda match, clock: self._solved(match, clock, "a-star"))
        for search in searches:
            threading.Thread(target=work, args=(search,), name="solver", daemon=True).start()
        missing = len(searches)
        found = None
        while missing and found is None and not clock.over():
            with suppress(Empty):
                found = answers.get(timeout=LOOK)
                missing -= 1
        enough.set()
        return found

    def _solved(
        self, match: Match, clock: Deadline, method: Literal["breadth-first", "a-star"]
    ) -> Found | None:
        from stratagem.engine.solve import solve

        found = solve(
            match.rules,
            match.state,
            method=method,
            # The clock decides, whose seconds need not be the wall's.
            limit=Limit(memory=fair_share(MEMORY), stop=clock.over),
        )
        low = int(found.values[match.role].low)
        if not found.line or (low <= 0 and not found.proved):
            return None
        line = tuple(match.rules.move(move) for (move,) in found.line)
        return Found(found.method, low, found.proved, found.counters.nodes, line)

    def _any_way(self, match: Match, clock: Deadline) -> Found | None:
        """A way to the best end there is, long or short: deep down, or from both ends."""
        from stratagem.engine.puzzle.bidirectional import bidirectional
        from stratagem.engine.puzzle.restarting_dfs import restarting_depth_first

        rules, memory = match.rules, fair_share(MEMORY)
        start, best = rules.expander.pack(match.state.facts()), best_end(match)
        if ends_by_itself(match):
            method = "depth-first"
            limit = Limit(memory=memory, stop=clock.over)
            found = restarting_depth_first(rules.expander, start, threshold=best, limit=limit)
        else:
            method = "search from both ends"
            limit = Limit(nodes=MOST_MEETING, memory=memory, stop=clock.over)
            found = bidirectional(rules, start, undoing=True, threshold=best, limit=limit)
        if found.value is None:
            return None
        line = tuple(rules.circuit.moves[0][move] for (move,) in found.moves)
        return Found(method, best, False, 0, line)


def best_end(match: Match) -> int:
    """The most that the rules ever give."""
    return max((value for value, _ in match.rules.circuit.goals[0]), default=0)


def ends_by_itself(match: Match) -> bool:
    """Whether all of a few random matches come to an end soon: then every move uses something up."""
    report = match.rules.playouts(match.state, SAMPLE, threads=1, limit=SOON)
    return sum(report.outcomes.values()) == report.matches == SAMPLE
