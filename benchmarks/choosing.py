"""Which search for which duel: alpha-beta with the evaluation learned from self-play against MCTS, at equal time.

    python -m benchmarks.choosing [--seconds 0.1] [--matches 6] [--learning 4] [GAME ...]

For every game: how many states alpha-beta looks at in the time of one walk of MCTS, and what it wins. The player `stratagem`
takes alpha-beta where these are many (`QUICK` in play/players/stratagem.py).
"""

from __future__ import annotations

import argparse
import sys
import time
from random import Random

import stratagem
from benchmarks.bench_strength import interval
from stratagem.engine.alpha_beta import AlphaBeta
from stratagem.engine.evaluation_learning import learn
from stratagem.engine.mcts import Mcts
from stratagem.machines.gdl_game import GdlGame

GAMES = (
    "connectfour",
    "dotsandboxes",
    "gomoku",
    "pentago",
    "reversi",
    "kalah",
    "breakthrough",
    "checkers",
    "ninemensmorris",
    "hex",
)
LONGEST = 400


def states_per_walk(game: GdlGame, alpha_beta: AlphaBeta, mcts: Mcts) -> float:
    """States that alpha-beta looks at in the time of one walk, at the start."""
    alpha_beta.search(game.initial(), depth=2)
    mcts.search(game.initial(), simulations=2)
    one = alpha_beta.search(game.initial(), seconds=0.3)
    other = mcts.search(game.initial(), seconds=0.3)
    return (one.nodes / one.seconds) / max(1.0, other.simulations / other.seconds)


def played(game: GdlGame, alpha_beta: AlphaBeta, mcts: Mcts, side: int, seconds: float, seed: int) -> float:
    """One match; 1, 0.5 or 0 for alpha-beta, which has role *side*."""
    random = Random(seed)
    state = game.initial()
    for _ in range(2):
        state = state.next([random.choice(state.legals(role)) for role in game.roles])
    for _ in range(LONGEST):
        if state.terminal:
            break
        joint = []
        for number, role in enumerate(game.roles):
            legal = state.legals(role)
            end = time.process_time() + (seconds if len(legal) > 1 else 0.0)

            def over(end: float = end) -> bool:
                return time.process_time() >= end

            if len(legal) == 1:
                joint.append(legal[0])
            elif number == side:
                joint.append(alpha_beta.search(state, stop=over).move or legal[0])
            else:
                joint.append(mcts.search(state, stop=over).best[number])
        state = state.next(joint)
    if not state.terminal:
        return 0.5
    ours, theirs = state.goal(game.roles[side]) or 0, state.goal(game.roles[1 - side]) or 0
    return 1.0 if ours > theirs else 0.5 if ours == theirs else 0.0


def main(arguments: list[str]) -> None:
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("games", nargs="*", default=GAMES)
    words.add_argument("--seconds", type=float, default=0.1)
    words.add_argument("--matches", type=int, default=6)
    words.add_argument("--learning", type=float, default=4.0)
    given = words.parse_args(arguments)
    print(f"{'game':<18}{'states per walk':>16}{'alpha-beta wins':>17}")
    for name in given.games:
        game = stratagem.load(name)
        game.expander.compile(wait=True)
        learn(game, states=24)
        won, ratio = 0.0, 0.0
        for number in range(given.matches):
            evaluation = learn(game, seconds=given.learning, seed=number)
            alpha_beta, mcts = AlphaBeta(game, evaluation, memory=64 << 20), Mcts(game, memory=64 << 20)
            if number == 0:
                ratio = states_per_walk(game, alpha_beta, mcts)
            won += played(game, alpha_beta, mcts, number % 2, given.seconds, number // 2)
        low, high = interval(won, given.matches)
        print(
            f"{name:<18}{ratio:>16,.0f}{100 * won / given.matches:>15.0f} % [{100 * low:.0f}, {100 * high:.0f}]",
            flush=True,
        )


if __name__ == "__main__":
    main(sys.argv[1:])
