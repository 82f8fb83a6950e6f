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

from stratagem.engine.mcts.compaction import keep_below
from stratagem.engine.mcts.graph import OPEN, STUCK, edge_count, forget, new_graph
from stratagem.engine.mcts.kernel import KERNELS, grow
from stratagem.engine.mcts.leaf import WIDEST, enter_root
from stratagem.engine.mcts.learned import no_evaluation, weigh
from stratagem.engine.mcts.memory import SearchThread, Settings, new_batch
from stratagem.engine.mcts.prices import LEARNED_SHARE, default_settings, records_moves
from stratagem.engine.mcts.result import GraphReader
from stratagem.engine.mcts.rollouts import LaneMaker
from stratagem.engine.playout_policy.match_kernels import match_kernels
from stratagem.errors import LimitExceeded, UnsuitableGame, UsageError, require_whole
from stratagem.gdl.terms import NOOP
from stratagem.gdl_game import require_rules
from stratagem.kernels import Array, int32, uint64
from stratagem.kernels.library.exact_set import number_of
from stratagem.limit import NODES, Limit, Started, require_limit
from stratagem.native.jit.kernel_families import compiled_family
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
CHILDREN = 4096
"""Children of new leaves for which there is room at a time."""

Progress = Callable[[Result], None]


class Mcts:
    """Searches one game. The calls of one object must not overlap; its threads are its own.

    *memory* bounds the graph in bytes. With one thread, the same *seed* and a number of simulations give the same result.
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
        require_rules(game, by="MCTS")
        require_whole("number of threads", threads, least=1)
        require_whole("memory in bytes", memory, least=0)
        seed = require_whole("seed", seed)
        self.game = game
        self.compiled = game.compiled
        self.compiled.compile()
        self.code = compiled_family(KERNELS)
        self.circuit = game.circuit
        self.roles = len(game.roles)
        if not self.roles:
            raise UnsuitableGame("a game without roles has no moves to choose")
        self.threads = threads
        self.seed = seed
        self.evaluation = evaluation
        values = [[value for value, _ in goals] or [50] for goals in self.circuit.goals]
        self._tops = np.array([max(own) for own in values], np.int64)
        self._bottoms = np.array([min(own) for own in values], np.int64)
        recorded = records_moves(game)
        self.maker = LaneMaker(match_kernels(self.compiled), self.compiled.initial, recorded=recorded)
        self.settings = settings or default_settings(game, self.maker, evaluation)
        self.tree = new_graph(
            self.compiled.words,
            self.roles,
            memory,
            moves=sum(map(len, self.circuit.moves)),
            tables=recorded,
        )
        self._threads = [self._new_thread(number) for number in range(threads)]
        self.taking_part = threads
        """How many of the threads search; at least one. A search beside may need the cores of the others."""
        neutral = self._threads[0].rollouts.neutral.numpy
        self._reading = GraphReader(game, self.tree, neutral, self._tops, self._bottoms)
        self._root = -1

    def _new_thread(self, number: int) -> SearchThread:
        leaves = min(self.settings.leaves, self.maker.kernel.lanes)
        return SearchThread(
            graph=self.tree,
            rollouts=self.maker.make(self.seed + 0x51_7CC1_B727_220A * number),
            learned=no_evaluation(self.compiled),
            batch=new_batch(self.compiled, self.roles, leaves, self.maker.kernel.lanes, CHILDREN),
            settings=self.settings,
            expand=self.compiled.expand_address,
            advance=self.compiled.advance_address,
            evaluate=self.compiled.evaluate_address,
            tops=self._tops,
            number=number,
        )

    def evaluate_by(self, evaluation: Evaluation) -> None:
        """Mixes *evaluation* into the values of leaves from now on; what is known already stays."""
        self.evaluation = evaluation
        self.settings.learned_share = LEARNED_SHARE
        for thread in self._threads:
            thread.settings.learned_share = LEARNED_SHARE

    def search(self, state: State, limit: Limit, *, progress: Progress | None = None) -> Result:
        """Searches *state* until it is proved or *limit* is reached; what is known of it already is used.

        The nodes of *limit* are simulations; its stop is called every few milliseconds, *progress* ten times a second.
        """
        require_limit(limit)
        limit.only("seconds", "nodes", "stop", by="mcts")
        if limit.endless:
            raise UsageError("a search needs an end", hint="give a limit with seconds, nodes or stop")
        self._settle(self.game.pack(state))
        started, counted = limit.start(), self._counted()
        self.tree.deepest = 0
        joint = edge_count(self.tree, self._root)
        if self.tree.status[self._root] == STUCK and joint > WIDEST:
            raise LimitExceeded(
                f"{joint} joint moves in one position are too many for a search tree",
                hint=f"at most {WIDEST} can be held",
            )
        stopped = self._run(started, counted, progress)
        return self._result(counted, started.elapsed, stopped)

    def _counted(self) -> tuple[int, int]:
        """Simulations and random matches so far."""
        return self.tree.simulations, self.tree.matches

    def _run(self, started: Started, counted: tuple[int, int], progress: Progress | None) -> str | None:
        """Searches in threads until the limit is reached, which is returned, or there is nothing left to do."""
        tree, most = self.tree, started.limit.nodes
        tree.stop[0] = 0
        last = 1 << 60 if most is None else counted[0] + most
        grow_graph = self.code[grow]
        taking_part = self._threads[: self.taking_part]
        crew = [threading.Thread(target=grow_graph, args=(thread, last)) for thread in taking_part]
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
        return self.tree.status[self._root] == OPEN

    def advance(self, joint: JointMove) -> bool:
        """Goes on to the position after *joint*; whether anything is known about it already."""
        if self._root < 0:
            return False
        terms = [self.game.move(move) for move in self.game.in_role_order(joint)]
        places = [moves.index(term) for moves, term in zip(self.circuit.moves, terms, strict=True)]
        here = self.tree.states.pool.numpy[self._root][None].copy()
        state = self.compiled.advance(here, np.array([places], np.int32))[0]
        known = self._node_of(state) >= 0
        self._settle(state)
        return known

    def _node_of(self, state: NDArray[np.uint64]) -> int:
        """The node of a packed state, or -1."""
        return self.code[number_of](self.tree.states, Array(uint64, state))

    def _settle(self, state: NDArray[np.uint64]) -> None:
        """Makes *state* the root, with all that is known about it; drops the rest when memory gets short."""
        tree, state = self.tree, np.ascontiguousarray(state).reshape(-1)
        node = self._node_of(state)
        if node < 0:
            forget(tree)
            node = self.code[enter_root](self._threads[0], Array(uint64, state))
        elif 2 * tree.states.used > tree.nodes or tree.full:
            node = self._keep_below(node)
        self._root = node
        here = None if self.evaluation is None else self.evaluation.at(state)
        for thread in self._threads:
            thread.root = node
            if here is not None:
                weigh(thread.learned, here)

    def _keep_below(self, node: int) -> int:
        """Drops all that cannot be reached from *node*; its new number."""
        tree = self.tree
        numbers = Array(int32, np.empty(tree.states.used, np.int32))
        room = np.empty(max(tree.states.used, tree.edges_used, tree.moves_used), np.int32)
        return self.code[keep_below](tree, node, numbers, Array(int32, room))

    def _result(
        self, counted: tuple[int, int] = (0, 0), seconds: float = 0.0, stopped: str | None = None
    ) -> Result:
        """What is known of the root; *counted* is what had been counted before this search."""
        tree, root, names, reading = self.tree, self._root, self.game.roles, self._reading
        proved = tree.proved[root]
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
            distance=tree.distance[root] if proved else None,
            counters=Counters(
                nodes=simulations - counted[0],
                visits=int(tree.visits[root]),
                states=tree.states.used,
                playouts=matches - counted[1],
                depth=tree.deepest if self._is_open() else 0,
                seconds=seconds,
            ),
            stopped=None if proved else stopped,
        )
