"""Learning an evaluation: from matches of the game against itself where two roles take turns, else from random play.

Random play is sampled at many depths, each state evaluated by lanes of random matches. A sampled match plays random moves, a
third of them the best of a few by their own matches, so that the states are not only those of pure chance. Everything is
native: tens of thousands of evaluated states per second for a small game.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from stratagem.engine.evaluation.fit import FEWEST, fit
from stratagem.engine.evaluation.model import Evaluation
from stratagem.engine.evaluation.self_play import SelfPlay
from stratagem.engine.mcts.rollouts import LaneMaker, next_random, play_leaves
from stratagem.errors import LimitExceeded, UnsuitableGame, UsageError
from stratagem.limit import Limit
from stratagem.native.calls.expand import call_expand
from stratagem.native.jit.numba_cache import njit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from stratagem.gdl_game import GdlGame, State

MOST_STATES = 10_000
CAPACITY = 2048


@njit(nogil=True)
def _walk(  # type: ignore[no-untyped-def]
    lanes,
    expand_address,
    start,
    children,
    parents,
    moves,
    terminal,
    goals,
    consumed,
    found,
    peaks,
    states,
    values,
    used,
):
    """Plays one match from *start*, its positions and their values into *states* and *values* from row *used* on."""
    words = lanes.block.shape[1]
    roles = values.shape[1]
    here = start.copy()
    while used < len(states):
        made = call_expand(
            expand_address, here, 1, children, parents, moves, terminal, goals, len(parents), consumed
        )
        if made <= 0:
            return used
        chosen = np.int64(next_random(lanes.seeds) % np.uint64(made))
        if not terminal[chosen]:
            size = min(words, made - chosen)
            for step in range(size):
                if terminal[chosen + step]:
                    size = step
                    break
            play_leaves(lanes, children, chosen, size, found, peaks)
            for step in range(size):
                if used < len(states):
                    for word in range(states.shape[1]):
                        states[used, word] = children[chosen + step, word]
                    for role in range(roles):
                        values[used, role] = found[step, role]
                    used += 1
            if next_random(lanes.seeds) % np.uint64(3) == 0:
                mover = 0
                for role in range(roles):
                    if moves[0, role] != moves[made - 1, role]:
                        mover = role
                best = 0
                for step in range(size):
                    if found[step, mover] > found[best, mover]:
                        best = step
                chosen += best
        if terminal[chosen]:
            return used
        for word in range(states.shape[1]):
            here[0, word] = children[chosen, word]
    return used


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
    lanes = LaneMaker(game.compiled.playouts, compiled.initial).make(seed)
    found = np.empty((room, compiled.words), np.uint64)
    values = np.empty((room, roles))
    if compiled.evaluate(begin).terminal[0]:
        return found[:0], values[:0]
    memory = (
        np.empty((CAPACITY, compiled.words), np.uint64),
        np.empty(CAPACITY, np.int32),
        np.empty((CAPACITY, roles), np.int32),
        np.empty(CAPACITY, np.bool_),
        np.empty((CAPACITY, roles), np.int16),
        np.zeros(1, np.int64),
        np.zeros((lanes.block.shape[1], roles)),
        np.zeros(lanes.block.shape[1]),
    )
    if limit.seconds is not None:
        _walk(lanes, compiled.expand_address, begin, *memory, found[:0], values[:0], 0)
    started = limit.start()
    used = before = 0
    while used < room and started.reached(used) is None:
        before = used
        used = int(_walk(lanes, compiled.expand_address, begin, *memory, found, values, used))
        if used == before and used == 0 and states is not None:
            break  # every first move ends the match
    return found[:used], values[:used]


def learn_evaluation(
    game: GdlGame, limit: Limit, *, start: State | None = None, seed: int = 0, threads: int = 1
) -> Evaluation:
    """An evaluation learned from the states below *start*, until *limit* is reached.

    The nodes of *limit* are states to learn from. Its seconds begin when the kernels are compiled, which happens once on
    every machine. Where there is not enough to learn from `LimitExceeded` says how much there was.

    >>> from stratagem.loading import load
    >>> evaluation = learn_evaluation(load("hexapawn"), Limit(nodes=300))
    >>> print(evaluation.formula(most=0).splitlines()[0][:17])
    value for white =
    """
    _needs_end(limit, "learning")
    if start is not None and start.terminal:
        raise UsageError("the match is over at this start", hint="start where there are moves to learn about")
    if len(game.roles) == 2 and "random" not in game.roles:
        first = None if start is None else start.packed.copy()
        try:
            if limit.seconds is not None:
                SelfPlay(game, start=first, seed=seed).call_kernel()
            play = SelfPlay(game, start=first, seed=seed, threads=threads, now=limit.clock)
            started = limit.start()
            play.study(
                lambda: started.reached() is not None, states=np.inf if limit.nodes is None else limit.nodes
            )
            return enough(play.learned(), play.learned_from)
        except UnsuitableGame:
            pass
    found = sample(game, limit, start=start, seed=seed)
    return enough(learned_from(game, *found), len(found[0]))


def _needs_end(limit: Limit, what: str) -> None:
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
