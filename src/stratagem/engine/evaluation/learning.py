"""Learning an evaluation: from matches of the game against itself where two roles take turns, else from random play.

Random play is sampled at many depths, each state evaluated by lanes of random matches. A sampled match plays random moves, a
third of them the best of a few by their own matches, so that the states are not only those of pure chance. Everything is
native: tens of thousands of evaluated states per second for a small game.
"""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import numpy as np

from stratagem.engine.evaluation.fit import FEWEST, fit
from stratagem.engine.evaluation.model import Evaluation
from stratagem.engine.evaluation.sample_kernel import KERNELS, Sampling, sample_match
from stratagem.engine.evaluation.self_play import SelfPlay
from stratagem.engine.mcts.rollouts import LaneMaker
from stratagem.errors import LimitExceeded, UnsuitableGame, UsageError, require_whole
from stratagem.executor.interface import require_executor
from stratagem.gdl_game import require_rules
from stratagem.kernels import Array, uint64
from stratagem.limit import Limit, require_limit
from stratagem.native.jit.kernel_families import compiled_family
from stratagem.state import require_state

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from stratagem.executor.interface import Executor
    from stratagem.gdl_game import GdlGame, State

MOST_STATES = 10_000
CAPACITY = 2048


def sample(
    game: GdlGame, limit: Limit, *, start: State | None = None, seed: int = 0
) -> tuple[NDArray[np.uint64], NDArray[np.float64]]:
    """Packed states and what each role gets from them on average in random play.

    The nodes of *limit* are states. Its seconds begin when the kernel is compiled, which happens once on every machine.
    """
    _needs_end(limit, "sampling")
    states = limit.nodes
    compiled = game.compiled
    first = compiled.initial if start is None else start.packed.copy()
    begin = np.ascontiguousarray(first).reshape(1, -1)
    room = MOST_STATES if states is None else states
    roles = len(game.roles)
    sampling = Sampling(
        states=np.empty((room, compiled.words), np.uint64),
        values=np.empty((room, roles)),
        rollouts=LaneMaker(compiled.playouts.kernels, compiled.initial).make(seed),
        expand=compiled.expand_address,
        here=np.empty(compiled.words, np.uint64),
        children=np.empty((CAPACITY, compiled.words), np.uint64),
        parents=np.empty(CAPACITY, np.int32),
        moves=np.empty((CAPACITY, roles), np.int32),
        terminal=np.empty(CAPACITY, np.bool_),
        goals=np.empty((CAPACITY, roles), np.int16),
        consumed=np.zeros(1, np.int64),
    )
    if not compiled.evaluate(begin).terminal[0]:
        play = compiled_family(KERNELS)[sample_match]
        started = limit.start()
        while sampling.used < room and started.reached(sampling.used) is None:
            play(sampling, Array(uint64, begin[0]))
            if sampling.used == 0 and states is not None:
                break  # every first move ends the match
    return sampling.states.numpy[: sampling.used], sampling.values.numpy[: sampling.used]


def learn_evaluation(
    game: GdlGame,
    limit: Limit,
    *,
    start: State | None = None,
    seed: int = 0,
    threads: int = 1,
    on: Executor | None = None,
) -> Evaluation:
    """An evaluation learned from the states below *start*, until *limit* is reached.

    The nodes of *limit* are states to learn from. Its seconds start when the kernels are compiled, which happens once on
    every machine. If there is not enough to learn from, `LimitExceeded` says how much there was. With an executor, *on*,
    the matches of self-play are played there by as many processes as *threads* says, and are those that threads would play.

    >>> from stratagem.loading import load
    >>> evaluation = learn_evaluation(load("hexapawn"), Limit(nodes=300))
    >>> print(evaluation.formula(most=0).splitlines()[0][:17])
    value for white =
    """
    require_rules(game, by="learning")
    seed = require_whole("seed", seed)
    require_whole("number of threads", threads, least=1)
    _needs_end(limit, "learning")
    require_executor(on)
    if start is not None:
        require_state(game, start)
    if start is not None and start.terminal:
        raise UsageError(
            "the match is already over in this state", hint="start from a state that is not terminal"
        )
    if len(game.roles) == 2 and "random" not in game.roles:
        first = None if start is None else start.packed.copy()
        try:
            play = SelfPlay(game, start=first, seed=seed, threads=threads, on=on, now=limit.clock)
            started = limit.start()
            with closing(play):
                play.study(
                    lambda: started.reached() is not None,
                    states=np.inf if limit.nodes is None else limit.nodes,
                )
            return enough(play.learned(), play.learned_from)
        except UnsuitableGame:
            pass
    found = sample(game, limit, start=start, seed=seed)
    return enough(learned_from(game, *found), len(found[0]))


def _needs_end(limit: Limit, what: str) -> None:
    require_limit(limit)
    limit.only("seconds", "nodes", "stop", by=what)
    if limit.endless:
        raise UsageError(f"{what} needs an end", hint="give a limit with seconds, nodes (states) or stop")


def enough(learned: Evaluation | None, states: int) -> Evaluation:
    """*learned*, if there is something."""
    if learned is None:
        raise LimitExceeded(
            f"{states} states are too few to learn an evaluation from, at least {FEWEST} are needed",
            hint="give more seconds or more states",
        )
    return learned


def learned_from(game: GdlGame, states: NDArray[np.uint64], values: NDArray[np.float64]) -> Evaluation | None:
    """The evaluation that explains *values* of *states*, as `sample` gives them; None where they are too few."""
    return None if len(states) < FEWEST else fit(game, states, values)
