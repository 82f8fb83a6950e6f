"""Monte Carlo tree search on compiled games, for positions that cannot be solved.

UCT over a graph with state collapse, for any number of roles, in turn or at once; leaves are evaluated by
lanes of random matches and, if given, by an evaluation learned from the rules; proved results are backed up, and the search
ends when the root is proved. The graph is kept from one search to the next: what is known of the next position
stays. See `kernel` for the algorithm.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from stratagem.engine.mcts import graph, kernel
from stratagem.engine.mcts.memory import LONGEST_WALK, Scratch, Settings
from stratagem.engine.mcts.result import GraphReader
from stratagem.engine.mcts.rollouts import LaneMaker
from stratagem.errors import LimitExceeded, UnsuitableGame, UsageError
from stratagem.gdl.terms import NOOP
from stratagem.limit import NODES, Limit, Started
from stratagem.result import Counters, Interval, Result

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from stratagem.engine.evaluation.model import Evaluation
    from stratagem.game import JointMove
    from stratagem.gdl_game import GdlGame, State

POLL = 0.004
"""Seconds between two checks of the limit."""
PROGRESS = 0.1
"""Seconds between two reports of progress."""
WIDEST = 1 << 17
"""Joint moves from one state that can be held at the root."""

Progress = Callable[[Result], None]


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
        self.compiled = game.compiled
        self.compiled.compile()
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
        self.tree = graph.new_tree(self.compiled.words, self.roles, memory)
        self.maker = LaneMaker(game.compiled.playouts, self.compiled.initial)
        self._lanes = [self.maker.make(self.seed + 0x51_7CC1_B727_220A * number) for number in range(threads)]
        self._scratch = [self._new_scratch(1024) for _ in range(threads)]
        self._reading = GraphReader(game, self.tree, self._lanes[0].neutral, self._tops, self._bottoms)
        self._root = -1
        self._compiled = False

    def _new_scratch(self, capacity: int) -> Scratch:
        words, roles = self.compiled.words, self.roles
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
            legal=np.zeros((lanes, roles, self.compiled.mask_words), np.uint64),
            seen_terminal=np.zeros(lanes, np.bool_),
            seen_goals=np.zeros((lanes, roles), np.int16),
            evaluate=self.compiled.evaluate_address,
        )

    def search(self, state: State, limit: Limit, *, progress: Progress | None = None) -> Result:
        """Searches *state* until it is proved or *limit* is reached; what was learned of it before counts.

        The nodes of *limit* are simulations. Its seconds begin when the kernels are compiled; its stop is asked every
        few milliseconds. *progress* hears of the search ten times a second.
        """
        limit.only("seconds", "nodes", "stop", by="mcts")
        if limit.endless:
            raise UsageError("a search needs an end", hint="give a limit with seconds, nodes or stop")
        self._settle(state.packed)
        self._compile()
        started, counted = limit.start(), self._counted()
        self.tree.counters[graph.DEEPEST] = 0
        while True:
            stopped = self._run(started, counted, progress)
            needed = max(int(scratch.needed[0]) for scratch in self._scratch)
            if self.tree.status[self._root] != graph.STUCK or needed <= len(self._scratch[0].parents):
                break
            if needed > WIDEST:
                raise LimitExceeded(
                    f"{needed} joint moves in one position are too many for a search tree",
                    hint=f"at most {WIDEST} can be held",
                )
            self._scratch = [self._new_scratch(needed) for _ in range(self.threads)]
            self.tree.status[self._root] = graph.FRESH
        return self._result(counted, started.elapsed, stopped)

    def _counted(self) -> tuple[int, int]:
        """Simulations and random matches so far."""
        counters = self.tree.counters
        return int(counters[graph.SIMULATIONS]), int(counters[graph.MATCHES])

    def prepare(self) -> None:
        """Compiles the kernels, where this object has not done so yet."""
        if self._root < 0:
            self._settle(self.compiled.initial)
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
                self.compiled.expand_address,
                self._root,
                self._tops,
                none,
            )
            self._compiled = True

    def _run(self, started: Started, counted: tuple[int, int], progress: Progress | None) -> str | None:
        """Searches in threads until the limit is reached, which is returned, or there is nothing left to do."""
        tree, most = self.tree, started.limit.nodes
        tree.stop[0] = 0
        last = np.int64(1 << 60 if most is None else counted[0] + most)

        def work(number: int) -> None:
            kernel.grow(
                tree,
                self._lanes[number],
                self._scratch[number],
                self.settings,
                self.compiled.expand_address,
                self._root,
                self._tops,
                last,
            )

        crew = [threading.Thread(target=work, args=(number,)) for number in range(self.threads)]
        for thread in crew:
            thread.start()
        told, stopped = time.monotonic(), None
        try:
            while any(thread.is_alive() for thread in crew):
                stopped = started.reached()
                if stopped is not None:
                    break
                if progress is not None and time.monotonic() - told >= PROGRESS and self._is_open():
                    progress(self._result(counted, started.elapsed, None))
                    told = time.monotonic()
                crew[0].join(min(POLL, started.left))
        finally:
            tree.stop[0] = 1
            for thread in crew:
                thread.join()
        done = self._counted()[0] - counted[0]
        return NODES if stopped is None and most is not None and done >= most else stopped

    def _is_open(self) -> bool:
        return bool(self.tree.status[self._root] == graph.OPEN)

    def advance(self, joint: JointMove) -> bool:
        """Goes on to the position after *joint*; whether anything is known about it already."""
        if self._root < 0:
            return False
        terms = [self.game.move(move) for move in self.game.in_role_order(joint)]
        places = [moves.index(term) for moves, term in zip(self.circuit.moves, terms, strict=True)]
        state = self.compiled.advance(self.tree.states[self._root][None].copy(), np.array([places], np.int32))
        known = int(graph.find_node(self.tree, state, 0)) >= 0
        self._settle(state[0])
        return known

    def _settle(self, state: NDArray[np.uint64]) -> None:
        """Makes *state* the root, with all that is known about it; drops the rest when memory gets short."""
        tree = self.tree
        states = np.ascontiguousarray(state).reshape(1, -1)
        node = int(graph.find_node(tree, states, 0))
        if node < 0 or self._barely_visited(node):
            graph.forget(tree)
            node = int(graph.enter_node(tree, states, 0, -1 - int(graph.find_node(tree, states, 0))))
            seen = self.compiled.evaluate(states)
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
        return bool(tree.visits[node] < graph.edge_count(tree, node)) and not self._reading.all_visited(node)

    def _weigh(self, evaluation: Evaluation) -> None:
        """Evaluates leaves by the weights that hold at the root."""
        for scratch in self._scratch:
            scratch.weights[:] = evaluation.weights[0]
            scratch.worth[:] = evaluation.curves.worth[0]
            if len(scratch.move_worth):
                scratch.move_worth[:] = evaluation.curves.moves[0]

    def _result(
        self, counted: tuple[int, int] = (0, 0), seconds: float = 0.0, stopped: str | None = None
    ) -> Result:
        """What is known of the root; *counted* is what had been counted before this search."""
        tree, root, names, reading = self.tree, self._root, self.game.roles, self._reading
        proved = bool(tree.proved[root])
        legal = reading.legals(root) if self._is_open() or not proved else []
        moves = {
            name: reading.ranked(root, role, legal[role])
            for role, name in enumerate(names)
            if self._is_open()
        }
        choosing = [role for role, own in enumerate(legal) if len(own) > 1]
        if not choosing and all(legal):
            choosing = [role for role, own in enumerate(legal) if own != [NOOP]]
        best = {names[role]: moves[names[role]][0].move if moves else legal[role][0] for role in choosing}
        estimates = {name: reading.value(root, role) for role, name in enumerate(names)}
        simulations, matches = self._counted()
        return Result(
            "mcts",
            values={
                name: Interval(estimates[name], estimates[name])
                if proved
                else Interval(int(self._bottoms[role]), int(self._tops[role]))
                for role, name in enumerate(names)
            },
            estimates=estimates,
            best=best,
            line=reading.line(root),
            moves=moves,
            proved=proved,
            distance=int(tree.distance[root]) if proved else None,
            counters=Counters(
                nodes=simulations - counted[0],
                visits=int(tree.visits[root]),
                states=int(tree.counters[graph.NODES]),
                playouts=matches - counted[1],
                depth=int(tree.counters[graph.DEEPEST]) if self._is_open() else 0,
                seconds=seconds,
            ),
            stopped=None if proved else stopped,
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
