"""Alpha-beta at full speed: k plies of a two-player game in turn, with a learned evaluation at the horizon.

Deeper and deeper until time is up (iterative deepening), each round in a window around the last value (aspiration),
with a table that is kept from move to move. `mtd` finds the same values by empty windows alone: from above it is
SSS*, from below DUAL* (Plaat et al., 1996).
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from stratagem.engine import alpha_beta_kernel as kernel
from stratagem.errors import UnsuitableGame, UsageError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from stratagem.engine.evaluation import Evaluation
    from stratagem.gdl.terms import Term
    from stratagem.machines.gdl_game import GdlGame, State

WINDOW = 300
POLL = 0.004
ARENA = 1 << 14


@dataclass(frozen=True, slots=True)
class AlphaBetaResult:
    """What a search has found. The value is the first role's, 0..100."""

    move: Term | None
    """The best move of the role that has the choice; None where there is nothing to choose."""
    value: float
    proved: bool
    """Whether the value is that of an end that is reached by force, or everything has been seen."""
    distance: int
    """Moves to that end."""
    depth: int
    """Plies that were searched completely."""
    reached: int
    line: tuple[tuple[Term, ...], ...]
    nodes: int
    children: int
    seconds: float

    def value_for(self, role: int) -> float:
        """The value for the first role (0) or the second (1)."""
        return self.value if role == 0 else 100.0 - self.value


class AlphaBeta:
    """Searches one game of two roles in turn whose goals add up. Not for several threads at once."""

    def __init__(
        self, game: GdlGame, evaluation: Evaluation | None = None, *, memory: int = 128 << 20
    ) -> None:
        if len(game.roles) != 2:
            raise UnsuitableGame(
                f"two roles needed; this game has {len(game.roles)}: {', '.join(game.roles)}",
                hint="mcts takes any number of roles",
            )
        self.game = game
        self.expander = game.expander
        self.expander.compile()
        words = self.expander.words
        entry = 8 * words + 1 + 1 + 4 + 4
        slots = 1 << max(10, (memory // entry).bit_length() - 1)
        weights = np.zeros(64 * words + 1)
        if evaluation is not None:
            weights = 50.0 * (evaluation.weights[0] - evaluation.weights[1])
        self.board = kernel.Board(
            arena=np.zeros((ARENA, words), np.uint64),
            parents=np.zeros(ARENA, np.int32),
            moves=np.zeros((ARENA, 2), np.int32),
            terminal=np.zeros(ARENA, np.bool_),
            goals=np.zeros((ARENA, 2), np.int16),
            scores=np.zeros(ARENA, np.int64),
            order=np.zeros((ARENA, 2), np.int64),
            consumed=np.zeros(1, np.int64),
            path=np.zeros(kernel.DEEPEST + 1, np.int64),
            keys=np.zeros((slots, words), np.uint64),
            depths=np.full(slots, -1, np.int8),
            bounds=np.zeros(slots, np.int8),
            values=np.zeros(slots, np.int32),
            best=np.zeros(slots, np.int32),
            history=np.zeros((2, max(map(len, game.circuit.moves))), np.int64),
            killers=np.full(kernel.DEEPEST + 1, -1, np.int64),
            weights=by_bytes(weights),
            counters=np.zeros(6, np.int64),
            stop=np.zeros(1, np.int64),
        )

    def search(
        self,
        state: State,
        *,
        seconds: float | None = None,
        depth: int | None = None,
        stop: Callable[[], bool] | None = None,
        progress: Callable[[AlphaBetaResult], None] | None = None,
    ) -> AlphaBetaResult:
        """Searches *state* for so long, or so many plies deep, or until it is decided; *progress* hears of every round."""
        if seconds is None and depth is None and stop is None:
            raise UsageError("a search needs an end", hint="give seconds, depth or stop")
        if len(state.to_move) > 1:
            raise UnsuitableGame(
                "both roles have a choice in this position", hint="mcts takes simultaneous moves"
            )
        begin = time.monotonic()
        deadline = np.inf if seconds is None else begin + seconds
        board = self.board
        board.arena[0] = self.expander.pack(state.facts())
        board.counters[:] = 0
        kernel.age(board)
        seen = self.expander.evaluate(board.arena[:1].copy())
        if seen.terminal[0]:
            board.goals[0] = seen.goals[0]
            return self._result(int(kernel._ended(board, 0, 0)), 0, begin, whole=True)
        best: AlphaBetaResult | None = None
        value = 0
        for plies in range(1, (kernel.DEEPEST if depth is None else min(depth, kernel.DEEPEST)) + 1):
            board.counters[kernel.HORIZON] = 0
            found = self._round(plies, value, deadline, stop)
            if found is None:
                break
            value = found
            whole = not board.counters[kernel.HORIZON]
            best = self._result(value, plies, begin, whole=whole)
            if progress is not None:
                progress(best)
            decided = abs(value) > kernel.SURE and kernel.WIN - abs(value) <= plies
            if decided or whole:
                break
        return best if best is not None else self._result(value, 0, begin)

    def mtd(self, state: State, *, depth: int, first: float | None = None) -> AlphaBetaResult:
        """The value by empty windows from the guess *first*: 100 is SSS*, 0 is DUAL*, None the evaluation's (MTD(f))."""
        begin = time.monotonic()
        self.board.arena[0] = self.expander.pack(state.facts())
        self.board.counters[:] = 0
        low, high = -kernel.WIN, kernel.WIN
        guess = (
            0 if first is None else high if first >= 100 else low if first <= 0 else int(100 * first - 5000)
        )
        while low < high:
            beta = guess + 1 if guess == low else guess
            guess = self._searched(depth, beta - 1, beta)
            if guess < beta:
                high = guess
            else:
                low = guess
        return self._result(guess, depth, begin)

    def _searched(self, depth: int, alpha: int, beta: int) -> int:
        return int(kernel.search(self.board, self.expander.expand_address, 0, 1, depth, 0, alpha, beta))

    def _round(self, depth: int, guess: int, deadline: float, stop: Callable[[], bool] | None) -> int | None:
        """One depth, in a window around *guess* that is opened where it fails; None if time ran out."""
        low, high = guess - WINDOW, guess + WINDOW
        if depth < 4:
            low, high = -kernel.WIN, kernel.WIN
        while True:
            value = self._watched(depth, low, high, deadline, stop)
            if value is None:
                return None
            if value <= low > -kernel.WIN:
                low = -kernel.WIN
                self.board.counters[kernel.HORIZON] = 0
            elif value >= high < kernel.WIN:
                high = kernel.WIN
                self.board.counters[kernel.HORIZON] = 0
            else:
                return value

    def _watched(
        self, depth: int, low: int, high: int, deadline: float, stop: Callable[[], bool] | None
    ) -> int | None:
        """The search in a thread of its own, which is told when to stop."""
        self.board.stop[0] = 0
        found: list[int] = []
        thread = threading.Thread(target=lambda: found.append(self._searched(depth, low, high)))
        thread.start()
        try:
            while thread.is_alive():
                # A first round is always finished, so that there is a move.
                if depth > 1 and (time.monotonic() >= deadline or (stop is not None and stop())):
                    break
                thread.join(POLL)
        finally:
            if thread.is_alive():
                self.board.stop[0] = 1
            thread.join()
        return found[0] if found and found[0] != kernel.STOPPED else None

    def _result(self, value: int, depth: int, begin: float, *, whole: bool = False) -> AlphaBetaResult:
        counters = self.board.counters
        sure = abs(value) > kernel.SURE
        line = self._line()
        mover = self._mover(line[0]) if line else None
        return AlphaBetaResult(
            line[0][mover] if line and mover is not None else None,
            (100.0 if value > 0 else 0.0) if sure else 50.0 + value / 100,
            sure or whole,
            kernel.WIN - abs(value) if sure else 0,
            depth,
            int(counters[kernel.REACHED]),
            line,
            int(counters[kernel.NODES]),
            int(counters[kernel.CHILDREN]),
            time.monotonic() - begin,
        )

    def _mover(self, joint: tuple[Term, ...]) -> int:
        masks = self.expander.evaluate(self.board.arena[:1].copy()).legal[0]
        counts = [int(np.bitwise_count(mask).sum()) for mask in masks]
        return 1 if counts[1] > 1 else 0

    def _line(self, most: int = 30) -> tuple[tuple[Term, ...], ...]:
        """The moves that the table remembers from the root on."""
        board = self.board
        root = board.arena[0].copy()
        line: list[tuple[Term, ...]] = []
        seen: set[bytes] = set()
        try:
            while len(line) < most and board.arena[0].tobytes() not in seen:
                seen.add(board.arena[0].tobytes())
                slot = int(kernel._slot(board, 0))
                if slot < 0 or board.best[slot] < 0:
                    break
                made = self.expander.expand(board.arena[:1].copy())
                place = int(board.best[slot])
                line.append(
                    tuple(
                        moves[int(number)]
                        for moves, number in zip(self.game.circuit.moves, made.moves[place], strict=True)
                    )
                )
                if made.terminal[place]:
                    break
                board.arena[0] = made.states[place]
        finally:
            board.arena[0] = root
        return tuple(line)


def by_bytes(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Weights per bit as sums per byte: [1 + bytes, 256], the constant, which comes last, in the first row."""
    bits = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1, bitorder="little").astype(
        np.float64
    )
    sums = weights[:-1].reshape(-1, 8) @ bits.T
    first = np.full((1, 256), weights[-1])
    return np.ascontiguousarray(np.concatenate([first, sums]))
