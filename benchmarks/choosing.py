"""Which search for which duel: alpha-beta with the evaluation learned from self-play against MCTS, at equal time.

    python -m benchmarks.choosing [--seconds 0.1] [--matches 6] [--startclock 6] [GAME ...]

For every game: how many states alpha-beta looks at in the time of one simulation of MCTS, and what it wins. The player `stratagem`
takes alpha-beta where these are many (`PREFERRED_RATIO` in play/players/stratagem.py).
"""

from __future__ import annotations

import argparse
import sys

import stratagem
from benchmarks.bench_strength import Played, interval, match_of
from stratagem.gdl_game import GdlGame
from stratagem.play.clock import Deadline
from stratagem.play.match_state import Match
from stratagem.play.players.stratagem import Stratagem

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


def states_per_simulation(rules: GdlGame, startclock: float) -> float:
    """The number that the player `stratagem` goes by after its start clock."""
    player = Stratagem(seed=0, threads=1)
    match = Match.of(rules, rules.roles[0], startclock=startclock)
    player.start(match, Deadline.after(startclock))
    player.stop(match)
    return player.states_per_simulation


def main(arguments: list[str]) -> None:
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("games", nargs="*", default=GAMES)
    words.add_argument("--seconds", type=float, default=0.1)
    words.add_argument("--matches", type=int, default=6)
    words.add_argument("--startclock", type=float, default=6.0)
    words.add_argument("--opening", type=int, default=2, help=argparse.SUPPRESS)
    given = words.parse_args(arguments)
    print(f"{'game':<18}{'states per walk':>16}{'alpha-beta wins':>17}")
    for name in given.games:
        rules = stratagem.load(name)
        planned = [Played(name, "alphabeta", "mcts", number, 0.0) for number in range(given.matches)]
        won = sum(match_of(rules, one, given).score for one in planned)
        low, high = interval(won, given.matches)
        print(
            f"{name:<18}{states_per_simulation(rules, given.startclock):>16,.0f}"
            f"{100 * won / given.matches:>15.0f} % [{100 * low:.0f}, {100 * high:.0f}]",
            flush=True,
        )


if __name__ == "__main__":
    main(sys.argv[1:])
