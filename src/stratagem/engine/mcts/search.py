"""Monte Carlo tree search on compiled games: the strong move chooser for games that cannot be solved.

UCT over a graph with state collapse, for any number of roles, in turn or at once; leaves are judged by lanes of
random matches and, if given, by an evaluation learned from the rules; proved results are backed up, and the search
ends when the root is proved. The graph is kept from one search to the next: whatever was learned about the position
that is searched next stays. See `mcts_kernel` for the algorithm.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from stratagem.engine.mcts import graph, kernel
from stratagem.engine.mcts.memory import LONGEST_WALK, Scratch, Settings
from stratagem.engine.mcts.result import MctsResult, MoveStatistics, Reading
from stratagem.engine.mcts.rollouts import LaneMaker
from stratagem.errors import LimitExceeded, UnsuitableGame, UsageError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from stratagem.engine.evaluation.model import Evaluation
    from stratagem.game import JointMove
    from stratagem.gdl_game import GdlGame, State

POLL = 0.004
"""Seconds between two looks at the clock and at *stop*."""
PROGRESS = 0.1
"""Seconds between two reports of progress."""
WIDEST = 1 << 17
"""Joint moves from one state that can be held at the root."""

Progress = Callable[[MctsResult], None]


class Mcts:
    """Searches one game. The calls of one object must not overlap; its threads are its own.

    *memory* bounds the graph in bytes. With one thread, the same *seed* and a number of simulations give the same result.

    The first search on a machine compiles its kernels before its time begins, which can take a minute and is said once
    (logger ``stratagem.kernels``); `prepare` does it in advance.
    """

    def __init__(
        self,
        game: GdlGame,
        *,
        memory: int = 256 << 20,
        seed: int = 0,
        threads: int = 1,
        evaluation: Evaluation | None = None,
        settings: Settings | None = None,
    ) -> None:
        if threads < 1:
            raise UsageError(f"{threads} threads cannot search", hint="give a number from 1 up")
        self.game = game
        self.expander = game.expander
        self.expander.compile()
        self.circuit = game.circuit
        self.roles = len(game.roles)
        if not self.roles:
            raise UnsuitableGame("a game without roles has no moves to choose")
        self.threads = threads
        self.seed = seed
        self.evaluation = evaluation
        self.settings = settings or default_settings(game, evaluation)
        values = [[value for value, _ in goals] or [50] for goals in self.circuit.goals]
        self._tops = np.array([max(own) for own in values], np.int64)
        self._bottoms = np.array([min(own) for own in values], np.int64)
        self.tree = graph.new_tree(self.expander.words, self.roles, memory)
        self.maker = LaneMaker(game.random_matches, self.expander, self.expander.initial)
        self._lanes = [self.maker.make(self.seed + 0x51_7CC1_B727_220A * number) for number in range(threads)]
        self._scratch = [self._new_scratch(1024) for _ in range(threads)]
        self._reading = Reading(game, self.tree, self._lanes[0].neutral, self._tops, self._bottoms)
        self._root = -1
        self._compiled = False

    def _new_scratch(self, capacity: int) -> Scratch:
        words, roles = self.expander.words, self.roles
        lanes = self._lanes[0].block.shape[1]
        weights = np.zeros((0, 64 * words + 1), np.float64)
        needed: NDArray[np.uint64] = np.zeros((0, words), np.uint64)
        barred, kinds, worth = needed, np.zeros(0, np.int32), np.zeros((roles, 0, 1))
        move_worth = np.zeros((0, roles))
        if self.evaluation is not None:
            curves = self.evaluation.curves
            weights, worth = self.evaluation.weights[0].copy(), curves.worth[0].copy()
            needed, barred, kinds = curves.needed, curves.barred, curves.kinds
            if curves.moves.any():
                move_worth = curves.moves[0].copy()
        return Scratch(
            state=np.zeros((1, words), np.uint64),
            children=np.zeros((capacity, words), np.uint64),
            parents=np.zeros(capacity, np.int32),
            moves=np.zeros((capacity, roles), np.int32),
            terminal=np.zeros(capacity, np.bool_),
            goals=np.zeros((capacity, roles), np.int16),
            consumed=np.zeros(1, np.int64),
            numbers=np.zeros(capacity, np.int64),
            waiting=np.zeros((capacity, words), np.uint64),
            places=np.zeros(capacity, np.int64),
            values=np.zeros((capacity, roles), np.float64),
            peaks=np.zeros(capacity, np.float64),
            found=np.zeros((lanes, roles), np.float64),
            found_peaks=np.zeros(lanes, np.float64),
            nodes=np.zeros(LONGEST_WALK, np.int64),
            edges=np.zeros(LONGEST_WALK, np.int64),
            value=np.zeros(roles, np.float64),
            needed=np.zeros(2, np.int64),
            weights=weights,
            needed_lines=needed,
            barred_lines=barred,
            kinds=kinds,
            worth=worth,
            move_worth=move_worth,
            legal=np.zeros((lanes, roles, self.expander.mask_words), np.uint64),
            seen_terminal=np.zeros(lanes, np.bool_),
            seen_goals=np.zeros((lanes, roles), np.int16),
            evaluate=self.expander.evaluate_address,
        )

    def search(
        self,
        state: State,
        *,
        seconds: float | None = None,
        simulations: int | None = None,
        stop: Callable[[], bool] | None = None,
        progress: Progress | None = None,
    ) -> MctsResult:
        """Searches *state* for so long, or until it is proved; what was learned of it before counts.

        *seconds* are of searching: they begin when the kernels are compiled. *stop* is asked every few milliseconds;
        *progress* hears of the search ten times a second.
        """
        if seconds is None and simulations is None and stop is None:
            raise UsageError("a search needs an end", hint="give seconds, simulations or stop")
        self._settle(self.expander.pack(state.facts()))
        self._compile()
        begin = time.monotonic()
        tree = self.tree
        before, matches = int(tree.counters[graph.SIMULATIONS]), int(tree.counters[graph.MATCHES])
        tree.counters[graph.DEEPEST] = 0
        most = np.int64(before + simulations) if simulations is not None else np.int64(1) << 60
        deadline = np.inf if seconds is None else begin + seconds

        def result() -> MctsResult:
            return self._result(before, matches, time.monotonic() - begin)

        while True:
            self._run(most, deadline, stop, progress, result)
            needed = max(int(scratch.needed[0]) for scratch in self._scratch)
            if tree.status[self._root] != graph.STUCK or needed <= len(self._scratch[0].parents):
                break
            if needed > WIDEST:
                raise LimitExceeded(
                    f"{needed} joint moves in one position are too many for a search tree",
                    hint=f"at most {WIDEST} can be held",
                )
            self._scratch = [self._new_scratch(needed) for _ in range(self.threads)]
            tree.status[self._root] = graph.FRESH
        return result()

    def prepare(self) -> None:
        """Compiles the kernels, where this object has not done so yet."""
        if self._root < 0:
            self._settle(self.expander.initial)
        self._compile()

    def _compile(self) -> None:
        """Runs the kernel for no simulation at all."""
        if not self._compiled:
            none = np.int64(-1)
            self.tree.stop[0] = 1
            kernel.grow(
                self.tree,
                self._lanes[0],
                self._scratch[0],
                self.settings,
                self.expander.expand_address,
                self._root,
                self._tops,
                none,
            )
            self._compiled = True

    def _run(
        self,
        most: np.int64,
        deadline: float,
        stop: Callable[[], bool] | None,
        progress: Progress | None,
        result: Callable[[], MctsResult],
    ) -> None:
        tree = self.tree
        tree.stop[0] = 0

        def work(number: int) -> None:
            kernel.grow(
                tree,
                self._lanes[number],
                self._scratch[number],
                self.settings,
                self.expander.expand_address,
                self._root,
                self._tops,
                most,
            )

        crew = [threading.Thread(target=work, args=(number,)) for number in range(self.threads)]
        for thread in crew:
            thread.start()
        told = time.monotonic()
        try:
            while any(thread.is_alive() for thread in crew):
                now = time.monotonic()
                if now >= deadline or (stop is not None and stop()):
                    break
                if progress is not None and now - told >= PROGRESS and tree.status[self._root] == graph.OPEN:
                    progress(result())
                    told = time.monotonic()
                crew[0].join(min(POLL, max(0.0, deadline - now)))
        finally:
            tree.stop[0] = 1
            for thread in crew:
                thread.join()

    def advance(self, joint: JointMove) -> bool:
        """Goes on to the position after *joint*; whether anything is known about it already."""
        if self._root < 0:
            return False
        terms = [self.game.move(move) for move in self.game.in_role_order(joint)]
        places = [moves.index(term) for moves, term in zip(self.circuit.moves, terms, strict=True)]
        state = self.expander.advance(self.tree.states[self._root][None].copy(), np.array([places], np.int32))
        known = int(graph.find_node(self.tree, state, 0)) >= 0
        self._settle(state[0])
        return known

    def _settle(self, state: NDArray[np.uint64]) -> None:
        """Makes *state* the root, with all that is known about it; drops the rest when room gets short."""
        tree = self.tree
        states = np.ascontiguousarray(state).reshape(1, -1)
        node = int(graph.find_node(tree, states, 0))
        if node < 0 or self._barely_visited(node):
            graph.forget(tree)
            node = int(graph.enter_node(tree, states, 0, -1 - int(graph.find_node(tree, states, 0))))
            seen = self.expander.evaluate(states)
            if seen.terminal[0]:
                tree.proved[node] = 1
                tree.goals[node] = np.maximum(seen.goals[0], 0)
        elif 2 * int(tree.counters[graph.NODES]) > len(tree.states) or tree.counters[graph.FULL]:
            node = graph.keep_below(tree, node)
        self._root = node
        if self.evaluation is not None:
            self._weigh(self.evaluation.at(states))

    def _barely_visited(self, node: int) -> bool:
        """Whether it is better to begin anew: an inner node with many moves, most of which were never looked at.

        As the root it is opened with a first guess for each of them.
        """
        tree = self.tree
        if tree.status[node] != graph.OPEN or tree.proved[node] or node == self._root:
            return False
        return bool(tree.visits[node] < graph.edge_count(tree, node)) and not self._reading.looked_at(node)

    def _weigh(self, evaluation: Evaluation) -> None:
        """Judges leaves by the weights that hold at the root."""
        for scratch in self._scratch:
            scratch.weights[:] = evaluation.weights[0]
            scratch.worth[:] = evaluation.curves.worth[0]
            if len(scratch.move_worth):
                scratch.move_worth[:] = evaluation.curves.moves[0]

    def _result(self, before: int, matches: int, seconds: float) -> MctsResult:
        tree, root = self.tree, self._root
        names = self.game.roles
        if tree.status[root] != graph.OPEN:
            return self._unopened(before, matches, seconds)
        legal = self._reading.legals(root)
        ranked = {name: self._reading.ranked(root, role, legal[role]) for role, name in enumerate(names)}
        return MctsResult(
            tuple(ranked[name][0].move for name in names),
            tuple(self._reading.value(root, role) for role in range(self.roles)),
            bool(tree.proved[root]),
            int(tree.distance[root]),
            self._reading.line(root),
            ranked,
            int(tree.counters[graph.SIMULATIONS]) - before,
            int(tree.visits[root]),
            int(tree.counters[graph.NODES]),
            int(tree.counters[graph.MATCHES]) - matches,
            int(tree.counters[graph.DEEPEST]),
            seconds,
        )

    def _unopened(self, before: int, matches: int, seconds: float) -> MctsResult:
        """The result where the root has no children in the graph: an end, or no time at all."""
        tree, root = self.tree, self._root
        legal = [] if tree.proved[root] else self._reading.legals(root)
        best = tuple(own[0] for own in legal) if all(legal) else ()
        neutral = self._lanes[0].neutral
        values = [
            self._reading.value(root, role)
            if tree.proved[root] or tree.visits[root] > 0
            else float(neutral[role])
            for role in range(self.roles)
        ]
        return MctsResult(
            best,
            tuple(values),
            bool(tree.proved[root]),
            0,
            (),
            {},
            int(tree.counters[graph.SIMULATIONS]) - before,
            int(tree.visits[root]),
            int(tree.counters[graph.NODES]),
            int(tree.counters[graph.MATCHES]) - matches,
            0,
            seconds,
        )


def default_settings(game: GdlGame, evaluation: Evaluation | None = None) -> Settings:
    """The settings that did best in the tournaments of benchmarks/bench_strength.py."""
    return Settings(
        exploration=30.0,
        temperature=12.0,
        best_share=0.5,
        together=64,
        chance=game.roles.index("random") if "random" in game.roles else -1,
        learned_share=0.0 if evaluation is None else 0.5,
    )


__all__ = ["Mcts", "MctsResult", "MoveStatistics", "Progress", "default_settings"]
