"""How strong the players are: a tournament at equal time per move, against plain UCT first of all.

    python -m benchmarks.bench_strength --seconds 0.3 --matches 20 connectfour breakthrough reversi checkers

Everybody plays everybody in every game, both sides equally often, from the same random openings. Time is the processor's, so
that a busy machine favours nobody; each player has one thread and does not think on the other's time. A draw counts
a half; the intervals are Wilson's at 95 %, and the ratings those of `stratagem tournament`. With ``--to FILE`` every match is
written down at once, and a run that is started again goes on where it was.
"""

from __future__ import annotations

import argparse
import csv
import sys
import time
from collections.abc import Callable, Sequence
from itertools import combinations
from math import inf, sqrt
from pathlib import Path
from typing import NamedTuple

import stratagem as st
from benchmarks.yardstick_uct import Yardstick
from stratagem.gdl_game import GdlGame
from stratagem.play.interface import Player
from stratagem.play.players import player_named
from stratagem.play.players.alpha_beta import AlphaBetaPlayer
from stratagem.play.players.mcts import MctsPlayer
from stratagem.play.players.stratagem import Stratagem
from stratagem.play.tournaments.ratings import PairResult, ratings

ALONE: dict[str, Callable[..., Player]] = {
    "stratagem": Stratagem,
    "mcts": MctsPlayer,
    "alphabeta": AlphaBetaPlayer,
}
"""Players that would take every core that is free."""
GAMES = ("tictactoe", "connectfour", "breakthrough", "reversi", "checkers")


def interval(won: float, matches: int) -> tuple[float, float]:
    """Wilson's interval for a share, at 95 %.

    >>> [round(100 * bound) for bound in interval(18, 20)]
    [70, 97]
    """
    if matches == 0:
        return 0.0, 1.0
    z, share = 1.96, won / matches
    middle = share + z * z / (2 * matches)
    spread = z * sqrt(share * (1 - share) / matches + z * z / (4 * matches * matches))
    scale = 1 + z * z / matches
    return (middle - spread) / scale, (middle + spread) / scale


class Played(NamedTuple):
    """One match, as it is written down; *score* is the first player's: 1, 0.5 or 0."""

    game: str
    player: str
    other: str
    number: int
    score: float


def made(name: str, seed: int) -> Player:
    if name in ALONE:
        return ALONE[name](seed=seed, threads=1)
    return Yardstick(seed=seed) if name == "yardstick" else player_named(name, seed=seed)


def match_of(rules: GdlGame, one: Played, given: argparse.Namespace) -> Played:
    """The match with its score; odd numbers change sides, and two in a row have the same opening."""
    ours = one.number % 2
    players = [made(one.player, one.number), made(one.other, 1000 + one.number)]
    if ours == 1:
        players.reverse()
    opening = 0 if one.game == "tictactoe" else given.opening
    record = st.play.match(
        rules,
        players,
        given.seconds,
        startclock=given.startclock,
        opening=opening,
        seed=one.number // 2,
        grace=inf,
        now=time.process_time,
    )
    goals = [goal or 0 for goal in record.goals or (0, 0)]
    won = 1.0 if goals[ours] > goals[1 - ours] else 0.5 if goals[ours] == goals[1 - ours] else 0.0
    return one._replace(score=won)


def kept(path: Path | None) -> list[Played]:
    """The matches that an earlier run wrote down."""
    if path is None or not path.exists():
        return []
    with path.open(newline="") as file:
        return [
            Played(game, player, other, int(number), float(score))
            for game, player, other, number, score in csv.reader(file)
        ]


def line(game: str, player: str, other: str, scores: Sequence[float]) -> str:
    won, drawn, lost = (sum(score == value for score in scores) for value in (1.0, 0.5, 0.0))
    low, high = interval(sum(scores), len(scores))
    return (
        f"{game:14} {player} against {other}: {won} won, {drawn} drawn, {lost} lost: "
        f"{100 * sum(scores) / len(scores):.0f} % [{100 * low:.0f}, {100 * high:.0f}]"
    )


def main(arguments: Sequence[str] = ()) -> None:
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("games", nargs="*", default=GAMES)
    words.add_argument("--players", default="stratagem,yardstick", help="names with commas between them")
    words.add_argument("--seconds", type=float, default=0.3)
    words.add_argument("--startclock", type=float, default=10.0)
    words.add_argument("--opening", type=int, default=2, help="random moves before the players take over")
    words.add_argument("--matches", type=int, default=20, help="for every pair in every game")
    words.add_argument("--to", type=Path, help="a file for the matches, to go on from")
    given = words.parse_args(arguments)
    names = given.players.split(",")
    results = kept(given.to)
    for game in given.games:
        rules = st.load(game)
        for player, other in combinations(names, 2):
            begin = time.perf_counter()
            for number in range(given.matches):
                if not any(one[:4] == (game, player, other, number) for one in results):
                    results.append(match_of(rules, Played(game, player, other, number, 0.0), given))
                    if given.to is not None:
                        with given.to.open("a", newline="") as file:
                            csv.writer(file).writerow(results[-1])
            scores = [one.score for one in results if one[:3] == (game, player, other)]
            print(f"{line(game, player, other, scores)} ({time.perf_counter() - begin:.0f} s)", flush=True)
    comparisons = [PairResult(one.player, one.other, one.score) for one in results if one.game in given.games]
    for place, rating in enumerate(ratings(names, comparisons), 1):
        print(
            f"{place}. {rating.player:12} {rating.elo:.0f} [{rating.low:.0f}, {rating.high:.0f}] "
            f"{100 * rating.score:.0f} % of {rating.games}"
        )


if __name__ == "__main__":
    main(sys.argv[1:])
