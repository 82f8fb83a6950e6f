"""Alpha-beta at full speed: k plies of a two-player game in turn, with a learned evaluation at the horizon.

Deeper and deeper until time is up (iterative deepening), each round in a window around the last value (aspiration),
with a table that is kept from move to move. `mtd` finds the same values by empty windows alone: from above it is
SSS*, from below DUAL* (Plaat et al., 1996).
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from enum import Enum
from typing import TYPE_CHECKING, Final, Literal

import numpy as np

from stratagem.engine.alpha_beta import kernel
from stratagem.engine.alpha_beta.evaluator import settle, tables_for
from stratagem.engine.alpha_beta.memory import DEEPEST, STOPPED, AlphaBetaFrame, SharedMemory, ThreadMemory
from stratagem.engine.alpha_beta.table import SURE, WIN, new_table, remembered_child
from stratagem.engine.evaluation.model import Evaluation
from stratagem.errors import UnsuitableGame, UsageError, require_whole
from stratagem.gdl_game import require_rules
from stratagem.kernels import Array, record_rows, uint64
from stratagem.kernels.splitmix import GOLDEN, WORD
from stratagem.limit import DEPTH, Limit, Started, require_limit
from stratagem.native.jit.kernel_families import compiled_family
from stratagem.result import Counters, Interval, Result
from stratagem.search.framework.zero_sum import RANDOM
from stratagem.state import require_state

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from stratagem.gdl.terms import Term
    from stratagem.gdl_game import GdlGame, State
    from stratagem.native.compiled import StateViews as Seen

WINDOW = 300
POLL = 0.004
ARENA = 1 << 14
PAGE = 4096


class Even(Enum):
    """What a search without an evaluation makes of the horizon."""

    EVEN = "every state at the horizon is worth 50"


EVEN: Final = Even.EVEN


class AlphaBeta:
    """Searches one game of two roles in turn whose goals add up to 100. The calls of one object must not overlap.

    Other games of two roles are searched as if they were such games; then nothing counts as proved.

    *threads* search together: they share the table, and all but the first shuffle moves of nearly the same promise, so
    that each finds what the others have not looked at yet (lazy SMP). With *ordered* False children are searched in the
    order of the rules, as the lecture does; *leaves* is how many of the states looked at last are kept for `last_leaves`.
    """

    def __init__(
        self,
        game: GdlGame,
        evaluation: Evaluation | Literal[Even.EVEN] = EVEN,
        *,
        memory: int = 128 << 20,
        threads: int = 1,
        ordered: bool = True,
        leaves: int = 0,
    ) -> None:
        require_two_roles(game)
        require_whole("number of threads", threads, least=1)
        require_whole("memory in bytes", memory, least=0)
        require_whole("number of leaves", leaves, least=0)
        if evaluation is not EVEN and not isinstance(evaluation, Evaluation):
            raise UsageError(
                f"{evaluation!r} is not an evaluation",
                hint="learn one, or leave the evaluation out: then every state at the horizon is even",
            )
        self.game = game
        self.compiled = game.compiled
        self.compiled.compile()
        self.code = compiled_family(kernel.KERNELS)
        words = self.compiled.words
        self.shared = SharedMemory(
            table=new_table(words, memory),
            evaluation=tables_for(None if evaluation is EVEN else evaluation, words),
            expand=self.compiled.expand_address,
            evaluate=self.compiled.evaluate_address,
            natural=not ordered,
        )
        self.threads = [self._new_thread(number, leaves) for number in range(threads)]
        self.taking_part = threads
        """How many of them search; at least one. A search beside may need the cores of the others."""

    def _new_thread(self, number: int, leaves: int) -> ThreadMemory:
        words, plies = self.compiled.words, DEEPEST + 2
        counted = ARENA if self.shared.evaluation.movers else 1
        return ThreadMemory(
            arena=np.zeros((ARENA, words), np.uint64),
            parents=np.zeros(ARENA, np.int32),
            moves=np.zeros((ARENA, 2), np.int32),
            terminal=np.zeros(ARENA, np.bool_),
            goals=np.zeros((ARENA, 2), np.int16),
            hashes=np.zeros(ARENA, np.uint64),
            scores=np.zeros(ARENA, np.int64),
            keys=np.zeros(ARENA, np.int64),
            order=np.zeros(ARENA, np.int64),
            consumed=np.zeros(1, np.int64),
            frames=record_rows(AlphaBetaFrame, plies),
            line=np.zeros(plies, np.uint64),
            history=np.zeros((2, max(map(len, self.game.circuit.moves))), np.int64),
            killers=np.full(plies, -1, np.int64),
            legal=np.zeros((counted, 2, self.compiled.mask_words), np.uint64),
            leaves=np.zeros((leaves, words), np.uint64),
            stop=np.zeros(1, np.int64),
            noise=number * GOLDEN & WORD,
        )

    def allocate(self) -> None:
        """Takes the memory of the table from the system now, so that no search waits for its pages to be cleared."""
        rows = self.shared.table.rows.numpy
        rows[:: PAGE // (8 * rows.shape[1]) or 1] = 0

    def forget(self) -> None:
        """Empties the table."""
        self.shared.table.rows.numpy[:] = 0

    def evaluate_by(self, evaluation: Evaluation) -> None:
        """Takes another *evaluation*, which does not count moves, and forgets what the last one made of the states."""
        self.shared.put(evaluation=tables_for(evaluation, self.compiled.words))
        self.forget()

    def last_leaves(self) -> NDArray[np.uint64]:
        """The packed leaves of the last search, in order, where *leaves* were asked for."""
        own = self.threads[0]
        seen: NDArray[np.uint64] = own.leaves.numpy[: own.leaf].copy()
        return seen

    def search(
        self, state: State, limit: Limit, *, progress: Callable[[Result], None] | None = None
    ) -> Result:
        """Searches *state* until it is decided or *limit* is reached; *progress* is called after every round.

        The number of nodes is checked at intervals, so that a few more than the *limit* are visited.
        """
        require_limit(limit)
        limit.only("seconds", "nodes", "depth", "stop", by="alpha-beta")
        if limit.endless:
            raise UsageError("a search needs an end", hint="give a limit with seconds, nodes, depth or stop")
        started = limit.start()
        seen = self._settle(state)
        own = self.threads[0]
        root = own.frames[0]
        if seen.terminal[0]:
            own.goals.numpy[0] = seen.goals[0]
            root.best = -1
            return self._result(kernel.ended(own, 0, 0), 0, started, whole=True)
        best: Result | None = None
        value = 0
        deepest = DEEPEST if limit.depth is None else max(1, min(limit.depth, DEEPEST))
        stopped: str | None = DEPTH
        for plies in range(1, deepest + 1):
            own.horizon = 0
            found, reached = self._round(plies, deepest, value, started)
            if found is None:
                stopped = reached
                # A round that was stopped had looked at the best move so far, and at a better one perhaps.
                if best is not None and root.tried > 0 and root.value > root.floor:
                    best = self._result(root.value * root.sign, plies - 1, started)
                break
            value = found
            whole = not own.horizon
            best = self._result(value, plies, started, whole=whole)
            if progress is not None:
                progress(best)
            decided = abs(value) > SURE and WIN - abs(value) <= plies
            if decided or whole:
                stopped = None
                break
        if best is None:
            best = self._result(value, 0, started)
        # A round that was cut short has taken its time too.
        counters = replace(best.counters, nodes=self._looked(), seconds=started.elapsed)
        return replace(best, counters=counters, stopped=None if best.proved else stopped)

    def mtd(
        self,
        state: State,
        *,
        depth: int,
        first: float | None = None,
        stop: Callable[[], bool] | None = None,
    ) -> Result:
        """The value by null-window searches from the guess *first*: 100 is SSS*, 0 is DUAL*, None the evaluation's (MTD(f)).

        A search that is stopped gives the bound that it had come to, with depth 0.
        """
        started = Limit(stop=stop).start()
        self._settle(state)
        low, high = -WIN, WIN
        guess = (
            0 if first is None else high if first >= 100 else low if first <= 0 else int(100 * first - 5000)
        )
        while low < high:
            beta = guess + 1 if guess == low else guess
            found, stopped = self._watched(depth, depth, beta - 1, beta, started)
            if found is None:
                return replace(self._result(guess, 0, started), stopped=stopped)
            guess = found
            if guess < beta:
                high = guess
            else:
                low = guess
        return self._result(guess, depth, started)

    def _settle(self, state: State) -> Seen:
        """Makes *state* the root of all threads."""
        require_state(self.game, state)
        if len(state.choosing) > 1:
            raise UnsuitableGame(
                "both roles have a choice in this position", hint="mcts takes simultaneous moves"
            )
        without = [role for role in self.game.roles if not state.terminal and not state.legals(role)]
        if without:
            raise UnsuitableGame(
                f"{' and '.join(without)} cannot move in this position although the match is not over",
                hint="`stratagem judge` says how matches get there",
            )
        root, shared = self.game.pack(state), self.shared
        shared.generation = shared.generation % 255 + 1
        for own in self.threads:
            own.arena.numpy[0] = root
            own.looked = own.reached = own.horizon = own.leaf = 0
            own.history.numpy[:] //= 2  # what was good long ago fades
            own.killers.numpy[:] = -1
        self.code[settle](shared.evaluation, self.threads[0].arena.row(0))
        return self.compiled.evaluate(np.ascontiguousarray(root).reshape(1, -1))

    def _round(self, depth: int, deepest: int, guess: int, started: Started) -> tuple[int | None, str | None]:
        """One depth, in a window around *guess* that is opened where it fails; None and the limit that was reached."""
        low, high = guess - WINDOW, guess + WINDOW
        if depth < 4:
            low, high = -WIN, WIN
        while True:
            value, stopped = self._watched(depth, deepest, low, high, started)
            if value is None:
                return None, stopped
            if value <= low > -WIN:
                low = -WIN
            elif value >= high < WIN:
                high = WIN
            else:
                return value, None
            self.threads[0].horizon = 0

    def _watched(
        self, depth: int, deepest: int, low: int, high: int, started: Started
    ) -> tuple[int | None, str | None]:
        """The first thread's value, or None and the limit that was reached before there was one."""
        taking_part = self.threads[: self.taking_part]
        found: list[int] = []

        def run(number: int) -> None:
            # Every other thread looks a ply ahead: what it leaves in the table is the next round's order.
            further = min(deepest, depth + number % 2)
            value = self.code[kernel.search](self.shared, self.threads[number], further, low, high)
            if number == 0:
                found.append(value)

        for own in self.threads:
            own.stop.numpy[0] = 0
        crew = [threading.Thread(target=run, args=(number,)) for number in range(len(taking_part))]
        stopped = None
        for each in crew:
            each.start()
        try:
            while crew[0].is_alive():
                # A first round is always finished, so that there is a move.
                stopped = started.reached(self._looked()) if depth > 1 else None
                if stopped is not None:
                    break
                crew[0].join(POLL)
        finally:
            for own in taking_part if crew[0].is_alive() else taking_part[1:]:
                own.stop.numpy[0] = 1
            for each in crew:
                each.join()
        return (found[0], None) if found and found[0] != STOPPED else (None, stopped)

    def _result(self, value: int, depth: int, started: Started, *, whole: bool = False) -> Result:
        sure = abs(value) > SURE
        worth = (100.0 if value > 0 else 0.0) if sure else 50.0 + value / 100
        proved = (sure or (whole and not any(own.uneven for own in self.threads))) and self._fit()
        line = self._line(self.threads[0].frames[0].best)
        mover = self._mover() if line else 0
        first, second = self.game.roles
        return Result(
            "alpha-beta",
            values={
                first: Interval(worth, worth) if proved else Interval(0, 100),
                second: Interval(100 - worth, 100 - worth) if proved else Interval(0, 100),
            },
            estimates={first: worth, second: 100.0 - worth},
            best={self.game.roles[mover]: line[0][mover]} if line else {},
            line=line,
            proved=proved,
            distance=WIN - abs(value) if sure and proved else None,
            counters=Counters(
                nodes=self._looked(),
                # Lines that the table knows from an earlier search are not walked through again.
                peak_open=max(depth, self.threads[0].reached),
                depth=depth,
                seconds=started.elapsed,
            ),
        )

    def _fit(self) -> bool:
        """Whether values are proofs: there is no chance, and the roles took turns in all states met."""
        return RANDOM not in self.game.roles and not any(own.simultaneous for own in self.threads)

    def _looked(self) -> int:
        """The states that all threads have looked at since the search began."""
        return sum(own.looked for own in self.threads)

    def _mover(self) -> int:
        masks = self.compiled.evaluate(self.threads[0].arena.numpy[:1].copy()).legal[0]
        counts = [int(np.bitwise_count(mask).sum()) for mask in masks]
        return 1 if counts[1] > 1 else 0

    def _line(self, place: int, most: int = 30) -> tuple[tuple[Term, ...], ...]:
        """The moves from the root on: to the child at *place*, then as the table remembers."""
        here = self.threads[0].arena.numpy[:1].copy()
        line: list[tuple[Term, ...]] = []
        seen: set[bytes] = set()
        while place >= 0 and len(line) < most and here.tobytes() not in seen:
            seen.add(here.tobytes())
            made = self.compiled.expand(here)
            joint = zip(self.game.circuit.moves, made.moves[place], strict=True)
            line.append(tuple(moves[int(number)] for moves, number in joint))
            if made.terminal[place]:
                break
            here = made.states[place : place + 1].copy()
            place = self.code[remembered_child](self.shared.table, Array(uint64, here[0]))
        return tuple(line)


def require_two_roles(game: GdlGame) -> None:
    """Refuses a game of more roles, or of one, and what was not read from rules."""
    require_rules(game, by="alpha-beta")
    if len(game.roles) != 2:
        raise UnsuitableGame(
            f"two roles needed; this game has {len(game.roles)}: {', '.join(game.roles)}",
            hint="mcts takes any number of roles",
        )
