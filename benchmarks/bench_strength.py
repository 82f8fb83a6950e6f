"""How strong the players are: matches at equal time per move against plain UCT, and the share that is won.

    python -m benchmarks.bench_strength --player stratagem --seconds 0.3 --matches 20 connectfour breakthrough

Time is the processor's, so that a busy machine favours nobody; each player has one thread, plays both sides equally
often, from the same random openings, and does not think on the
other's time. A draw counts a half; the interval is Wilson's at 95 %.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Sequence
from math import sqrt

import stratagem
from benchmarks.yardstick_uct import Yardstick
from stratagem.machines.gdl_game import GdlGame
from stratagem.play.clock import Deadline
from stratagem.play.match import Match
from stratagem.play.player import Player
from stratagem.play.players import player_named
from stratagem.play.players.engine_alpha_beta import AlphaBetaPlayer
from stratagem.play.players.mcts import MctsPlayer
from stratagem.play.players.stratagem import Stratagem

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


def played(
    rules: GdlGame, players: list[Player], seconds: float, startclock: float, opening: int, seed: int
) -> tuple[int, ...]:
    """One match, after *opening* random moves; the goals."""
    from random import Random

    random = Random(seed)
    match = Match.of(rules, startclock=startclock, playclock=seconds)
    for role, player in zip(rules.roles, players, strict=True):
        player.start(match.as_role(role), Deadline.after(startclock, now=time.process_time))
    for _ in range(opening):
        further = match.after([random.choice(match.legals(role)) for role in match.roles])
        if further.over:
            break
        match = further
    while not match.over:
        joint = []
        for role, player in zip(rules.roles, players, strict=True):
            seat = match.as_role(role)
            if len(seat.legals()) == 1:
                joint.append(seat.legals()[0])
            else:
                clock = Deadline.after(seconds, now=time.process_time)
                joint.append(player.play(seat, clock, lambda choice: None).move)
        match = match.after(joint)
    for role, player in zip(rules.roles, players, strict=True):
        player.stop(match.as_role(role))  # or their trees and tables stay until the collector comes by
    return tuple(goal or 0 for goal in match.goals())


def duel(
    game: str,
    make: Callable[[int], Player],
    other: Callable[[int], Player],
    *,
    matches: int,
    seconds: float,
    startclock: float,
    opening: int,
) -> dict[str, float]:
    """*matches* matches, sides changing; what the first player made of them."""
    rules = stratagem.load(game)
    won = drawn = lost = 0
    for number in range(matches):
        ours = number % 2
        players = [make(number), other(1000 + number)]
        if ours == 1:
            players.reverse()
        goals = played(rules, players, seconds, startclock, opening=opening, seed=number // 2)
        won += goals[ours] > goals[1 - ours]
        drawn += goals[ours] == goals[1 - ours]
        lost += goals[ours] < goals[1 - ours]
    low, high = interval(won + drawn / 2, matches)
    return {
        "won": won,
        "drawn": drawn,
        "lost": lost,
        "share": 100 * (won + drawn / 2) / matches,
        "low": 100 * low,
        "high": 100 * high,
    }


def main(arguments: Sequence[str] = ()) -> None:
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("games", nargs="*", default=GAMES)
    words.add_argument("--player", default="stratagem")
    words.add_argument("--other", default="yardstick")
    words.add_argument("--seconds", type=float, default=0.3)
    words.add_argument("--startclock", type=float, default=2.0)
    words.add_argument("--opening", type=int, default=2, help="random moves before the players take over")
    words.add_argument("--matches", type=int, default=20)
    words.add_argument("--json", action="store_true")
    given = words.parse_args(arguments)

    def made(name: str) -> Callable[[int], Player]:
        if name in ALONE:
            return lambda seed: ALONE[name](seed=seed, threads=1)
        return lambda seed: Yardstick(seed=seed) if name == "yardstick" else player_named(name, seed=seed)

    results = {}
    for game in given.games:
        begin = time.perf_counter()
        found = duel(
            game,
            made(given.player),
            made(given.other),
            matches=given.matches,
            seconds=given.seconds,
            startclock=given.startclock,
            opening=0 if game == "tictactoe" else given.opening,
        )
        results[game] = found
        if not given.json:
            print(
                f"{game:14} {given.player} against {given.other}: {found['won']} won, {found['drawn']} drawn, "
                f"{found['lost']} lost: {found['share']:.0f} % [{found['low']:.0f}, {found['high']:.0f}] "
                f"({time.perf_counter() - begin:.0f} s)",
                flush=True,
            )
    if given.json:
        print(json.dumps(results))


if __name__ == "__main__":
    main(sys.argv[1:])
