"""Solving for one player: which search, in which order, and what is proved by it.

    auto            breadth-first for a quarter of the time and memory: it needs nothing but the rules, and is exact about
                    ends of every worth. What it does not finish goes to A* with pattern databases, and to IDA* with
                    the same where memory ends
    any             a solution soon, short or long: breadth-first for a tenth of the time; then depth-first with restarts
                    where random matches end by themselves, else bidirectional search by undoing moves; and A* beside it
    breadth-first, a-star, ida-star, bidirectional, plan
                    the one that was asked for

The goal is an end worth the most that the rules ever give. Where it is proved that there is none, breadth-first looks for
the best of the others in what is left of the time.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from math import inf
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Final

from stratagem.engine.puzzle.breadth_first import PathResult, breadth_first
from stratagem.engine.request import never_ends
from stratagem.errors import OutOfTime, StratagemError, UnsuitableGame
from stratagem.limit import Limit
from stratagem.platform import free_cores
from stratagem.plural import plural

if TYPE_CHECKING:
    from stratagem.engine.heuristics.additive_databases import AdditiveDatabases
    from stratagem.engine.heuristics.pattern_database import Heuristic
    from stratagem.engine.heuristics.relaxation import Relaxation
    from stratagem.engine.request import SolveRequest
    from stratagem.result import Result

SHARE: Final = 0.25
"""Of time and memory: what breadth-first gets before A* is tried."""

OPERATOR_SHARE: Final = 0.5
"""Of what is left then: IDA* over operators, before A*."""
SECONDS_PER_PAIR: Final = 1e-4
"""What the proof of the groups takes, about, for every pair of propositions: it cannot be interrupted."""


QUICK_SHARE: Final = 0.1
"""Of the time: breadth-first, which finds the shortest solution, gets no more before any solution is looked for."""
ANY_SHARE: Final = 0.5
"""Of what is left then: the search for any solution, where A* has to wait for it."""
MOST_MEETING: Final = 2_000_000
"""States of a bidirectional search by undoing: one that has not met by then takes time from A*."""
SAMPLE: Final = 64
SOON: Final = 400
"""Random matches that tell whether matches end by themselves, and the moves within which they must."""
POLL: Final = 0.02


@dataclass(frozen=True, slots=True)
class PuzzleAttempt:
    """What one search found, and the words for it; *impossible*: no end is worth the most."""

    path: PathResult
    method: str
    why: str
    impossible: bool = False
    shortest: bool = True
    """Whether the search looks for the shortest solution, rather than for any."""


def solve_puzzle(request: SolveRequest, method: str) -> Result:
    """The result for one player by *method*, or by all of them in turn (``auto``)."""
    return PuzzlePortfolio(request).solve(method)


class PuzzlePortfolio:
    """The searches for one player, on one request."""

    def __init__(self, job: SolveRequest, enough: threading.Event | None = None) -> None:
        """*enough* ends the searches early: another one has found a solution."""
        self.job, self.enough = job, enough
        self.top = job.ranges[0][1]

    def solve(self, method: str) -> Result:
        if method != "breadth-first" and len(self.job.game.roles) != 1:
            raise UnsuitableGame(
                f"{method} is for one player; this game has {len(self.job.game.roles)}",
                hint="use --method auto, space or prove",
            )
        searches: dict[str, Callable[[], PuzzleAttempt]] = {
            "auto": self.automatic,
            "breadth-first": lambda: self.blind("as requested", self.limit(), self.top),
            "a-star": lambda: self.informed("as requested"),
            "ida-star": self.iterative,
            "bidirectional": self.from_both_ends,
            "plan": self.plan,
            "any": self.any_solution,
        }
        attempt = searches[method]()
        if attempt.impossible:
            attempt = self.next_best(attempt)
        return self.result(attempt)

    def limit(self, share: float = 1.0, memory: float = 1.0) -> Limit:
        """A *share* of the time that is left, and of the *memory*."""
        job, left = self.job, self.job.left()
        seconds = None if left == inf else share * left
        return Limit(
            seconds=seconds, memory=int(memory * job.memory), stop=self._stop, clock=job.limit.limit.clock
        )

    def _stop(self) -> bool:
        return (self.enough is not None and self.enough.is_set()) or (
            self.job.stop is not None and self.job.stop()
        )

    def late(self) -> bool:
        """Whether the limit is reached, or another search was faster."""
        return self.job.late() or self._stop()

    def automatic(self) -> PuzzleAttempt:
        first = self.blind(
            "one player: shortest path to the highest goal", self.limit(SHARE, SHARE), self.top
        )
        if first.path.proved or first.path.value == self.top or self.job.late():
            return first
        if self.job.left() < SECONDS_PER_PAIR * len(self.job.game.circuit.bases) ** 2:
            return self.blind("one player; too little time for pattern databases", self.limit(), self.top)
        seen = f"breadth-first had not finished after {plural(first.path.states, 'state')}"
        try:
            second = self.informed(f"one player; {seen}")
        except UnsuitableGame as refused:
            return self.blind(f"one player; {refused.message}", self.limit(), self.top)
        bound = max(first.path.bound, second.path.bound)
        if second.path.value is None and not second.impossible and first.path.value is not None:
            second = replace(second, path=replace(first.path, proved=False))
        return replace(second, path=replace(second.path, bound=bound))

    def blind(self, why: str, limit: Limit, threshold: int) -> PuzzleAttempt:
        job = self.job
        path = breadth_first(
            job.compiled,
            job.packed,
            threshold=threshold,
            limit=limit,
            progress=lambda found, done: job.tell(f"breadth-first: {found:,} states, {done:,} expanded"),
        )
        return PuzzleAttempt(path, "breadth-first", why)

    def databases(self) -> Heuristic | AdditiveDatabases:
        from stratagem.engine.heuristics.pattern_database import pattern_database
        from stratagem.engine.space.explore import SpaceTooLarge

        job = self.job
        job.tell("pattern databases")
        try:
            limit = Limit(memory=job.memory // 2, stop=self.late)
            return pattern_database(job.game, job.state, threshold=self.top, limit=limit)
        except SpaceTooLarge as large:
            if self.late():
                raise OutOfTime("the pattern databases were not finished") from large
            raise UnsuitableGame(
                f"the pattern databases had not finished after {plural(large.states, 'state')}"
            ) from large

    def informed(self, why: str) -> PuzzleAttempt:
        """A* with databases, or with the relaxed game where there are none; IDA* where memory ends.

        IDA* over operators, where the rules allow it, comes first: it is twenty times as fast.
        """
        from stratagem.engine.heuristics.additive_databases import AdditiveDatabases
        from stratagem.engine.heuristics.relaxation import relaxation
        from stratagem.engine.puzzle.a_star import a_star

        job = self.job
        heuristic: Heuristic | AdditiveDatabases | Relaxation
        try:
            heuristic = databases = self.databases()
        except (UnsuitableGame, OutOfTime):
            heuristic, databases = relaxation(job.game, threshold=self.top), None
        if isinstance(databases, AdditiveDatabases):
            attempt = self.deepening(why, databases, OPERATOR_SHARE)
            if attempt.path.proved or self.late():
                return attempt
        path = a_star(
            job.compiled,
            heuristic,
            job.packed,
            threshold=self.top,
            limit=self.limit(),
            progress=lambda found, length: job.tell(
                f"A*: {found:,} states, no solution within {length} moves"
            ),
        )
        attempt = PuzzleAttempt(path, "A*", f"{why}; {heuristic}", path.proved and path.value is None)
        if path.proved or self.late() or databases is None:
            return attempt
        return self.deepening(f"{why}; A* ran out of memory", databases)

    def iterative(self) -> PuzzleAttempt:
        """IDA* alone; without its databases nothing is known."""
        try:
            return self.deepening("as requested", self.databases())
        except OutOfTime as spent:
            return PuzzleAttempt(PathResult(None), "IDA*", f"as requested; {spent.message}")
        except UnsuitableGame as refused:
            raise UnsuitableGame(
                refused.message, hint="use --method a-star, which does without databases"
            ) from refused

    def deepening(
        self, why: str, heuristic: Heuristic | AdditiveDatabases, share: float = 1.0
    ) -> PuzzleAttempt:
        from stratagem.engine.puzzle.ida_star import ida_star

        job = self.job
        path = ida_star(
            job.compiled,
            heuristic,
            job.packed,
            threshold=self.top,
            limit=self.limit(share),
            progress=lambda done, length: job.tell(
                f"IDA*: {done:,} states, no solution within {length} moves"
            ),
        )
        return PuzzleAttempt(path, "IDA*", f"{why}; {heuristic}", path.proved and path.value is None)

    def from_both_ends(self) -> PuzzleAttempt:
        from stratagem.engine.puzzle.bidirectional import bidirectional

        job = self.job
        path = bidirectional(
            job.game,
            job.packed,
            threshold=self.top,
            limit=self.limit(),
            progress=lambda ahead, back: job.tell(
                f"{ahead:,} states from the start, {back:,} from the goals"
            ),
        )
        return PuzzleAttempt(path, "bidirectional search", "as requested", path.proved and path.value is None)

    def plan(self) -> PuzzleAttempt:
        from stratagem.ground.solving.planner import Planner
        from stratagem.ground.solving.predecessors import ground_sheet

        job = self.job
        begin = time.monotonic()
        planner = Planner(ground_sheet(job.game.sheet), job.state.facts(), threshold=self.top)
        found = planner.plan(stop=job.late)
        moves: tuple[tuple[int, ...], ...] = ()
        if found.moves is not None:
            moves = tuple((job.game.circuit.moves[0].index(move),) for move in found.moves)
        path = PathResult(
            None if found.moves is None else self.top,
            moves,
            found.moves is not None or found.exhausted,
            bound=found.bound,
            seconds=time.monotonic() - begin,
        )
        return PuzzleAttempt(path, "planning", "as requested; increasing plan lengths", found.exhausted)

    def any_solution(self) -> PuzzleAttempt:
        """Breadth-first while that is quick; then what any path or A* finds, whichever is first."""
        first = self.blind("one player: a small space", self.limit(QUICK_SHARE), self.top)
        if first.path.proved or first.path.value == self.top or self.job.late():
            return first
        if free_cores() < 2:
            found = self.any_path(ANY_SHARE)
            if found.path.value is None:
                found = self.informed("any solution")
        else:
            found = first_of(self.job)
        better = found.impossible or found.path.value is not None
        return found if better or first.path.value is None else first

    def any_path(self, share: float = 1.0) -> PuzzleAttempt:
        """A path to the best end there is, long or short: deep down, or from both ends."""
        job, limit = self.job, self.limit(share)
        report = job.game.playouts(job.state, SAMPLE, threads=1, limit=SOON)
        if sum(report.outcomes.values()) == report.matches == SAMPLE:
            from stratagem.engine.puzzle.restarting_dfs import restarting_depth_first

            job.tell("depth-first search with restarts")
            path = restarting_depth_first(job.compiled, job.packed, threshold=self.top, limit=limit)
            why = "any solution; random matches end by themselves"
            return PuzzleAttempt(path, "depth-first search with restarts", why, shortest=False)
        from stratagem.engine.puzzle.bidirectional import bidirectional

        job.tell("bidirectional search by undoing moves")
        path = bidirectional(
            job.game,
            job.packed,
            undoing=True,
            threshold=self.top,
            limit=replace(limit, nodes=MOST_MEETING),
        )
        why = "any solution; matches do not end by themselves"
        return PuzzleAttempt(path, "bidirectional search by undoing moves", why, shortest=False)

    def next_best(self, attempt: PuzzleAttempt) -> PuzzleAttempt:
        """The best of the other ends, after a proof that none is worth the most."""
        others = [value for value, _ in self.job.game.circuit.goals[0] if value < self.top]
        if not others:
            return attempt
        self.top = max(others)
        after = self.blind("", self.limit(), self.top)
        why = f"{attempt.why}; the highest goal is unreachable, so breadth-first for the next"
        return PuzzleAttempt(after.path, f"{attempt.method}, breadth-first", why)

    def endless(self, path: PathResult) -> str:
        """Why there is no value, where it is proved that no end can be reached."""
        if not path.layers:
            return "no terminal state that has a goal is reachable"
        return never_ends(path.states)

    def result(self, attempt: PuzzleAttempt) -> Result:
        job, path = self.job, attempt.path
        endless = path.proved and path.value is None
        low, high = job.ranges[0]
        if path.value is not None:
            low, high = path.value, path.value if path.proved else self.top
        proved = low == high and not endless
        note = ""
        if endless:
            low, high = 0, 100
            note = self.endless(path)
        elif path.value is not None and not attempt.shortest:
            note = f"a solution of {plural(len(path.moves), 'move')}; there may be shorter ones"
        elif not proved and path.bound:
            note = f"no terminal state worth {self.top} is closer than {plural(path.bound, 'move')}"
        return job.result(
            attempt.method,
            {job.game.roles[0]: (low, high)},
            why=attempt.why,
            note=note,
            proved=proved,
            mover=0,
            line=[job.joint(joint) for joint in path.moves],
            distance=len(path.moves) if path.value is not None and attempt.shortest else None,
            states=path.states,
            nodes=path.expanded,
        )


def first_of(job: SolveRequest) -> PuzzleAttempt:
    """What the search for any path and A* find, side by side: the first solution, or what the last one says."""
    answers: SimpleQueue[PuzzleAttempt | None] = SimpleQueue()
    enough = threading.Event()
    racing = PuzzlePortfolio(job, enough)

    def work(search: Callable[[], PuzzleAttempt]) -> None:
        found = None
        try:
            with suppress(StratagemError, MemoryError):
                found = search()
        finally:
            answers.put(found)

    searches: Sequence[Callable[[], PuzzleAttempt]] = (
        racing.any_path,
        lambda: racing.informed("any solution"),
    )
    for search in searches:
        threading.Thread(target=work, args=(search,), name="solver", daemon=True).start()
    missing = len(searches)
    found = PuzzleAttempt(PathResult(None), "A*", "any solution", shortest=False)
    while missing and found.path.value is None and not found.impossible and not job.late():
        with suppress(Empty):
            found = answers.get(timeout=POLL) or found
            missing -= 1
    enough.set()
    return found
