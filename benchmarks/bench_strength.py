"""The strength laboratory: matches at equal processor time, until a sequential test has decided each pairing.

    python -m benchmarks strength --games connectfour,hex:size=9 --pool stratagem,yardstick
    python -m benchmarks strength --pool stratagem,stratagem@v1.0 --elo 0,50 --matches 200 --to release.jsonl
    python -m benchmarks strength --pool stratagem,mcts,alphabeta,yardstick --all --matches 20

The pool has players of this working tree by name, `yardstick` (plain UCT with single playouts, benchmarks/yardstick_uct.py), and
players of earlier revisions, ``NAME@TAG``, which run from an export of that revision. Each player has a process of
its own, one thread, and so many seconds of processor time for every move; nobody thinks on another's time and
nothing is kept from match to match. Sides change, two matches in a row have the same random opening, and all seeds are fixed. In a
game of three roles one player has one of them and the other the rest, in turn.

The first of the pool meets each of the others, or with ``--all`` everybody everybody. A pairing ends when the test
is decided, accepted or rejected, or after ``--matches``. A draw counts a half; intervals are Wilson's at 95 %. With ``--to FILE``
every match is a line of JSON, and a run that is started again goes on where it was; matches of other versions of a player do not count.
With ``--on`` pairings are played on a Ray cluster, whose machines need this working tree at the same place, each pairing on a core of its own.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import combinations
from pathlib import Path

from benchmarks.laboratory.pairs import MatchesElsewhere, PairMatches, run
from benchmarks.laboratory.results import Notebook, Pairing, Summary, mean
from benchmarks.laboratory.seats import Releases
from stratagem.cli.common.running import running_on
from stratagem.errors import StratagemError, UsageError
from stratagem.platform import cores
from stratagem.play.tournaments.ratings import PairResult, ratings
from stratagem.play.tournaments.statistics import SequentialTest

GAMES = "connectfour,breakthrough,reversi,checkers"
TEST = "70,85"


def options(arguments: Sequence[str]) -> argparse.Namespace:
    words = argparse.ArgumentParser(
        prog="python -m benchmarks strength",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    words.add_argument("--games", default=GAMES, help="names or files with commas between them; hex:size=11")
    words.add_argument(
        "--pool", default="stratagem,yardstick", help="players; NAME@REVISION for earlier ones"
    )
    words.add_argument("--all", action="store_true", help="everybody against everybody")
    words.add_argument("--seconds", type=float, default=0.3, help="of the processor for each move")
    words.add_argument("--startclock", type=float, default=10.0, help="seconds of the processor")
    words.add_argument("--opening", type=int, default=2, help="random moves before the players take over")
    words.add_argument("--matches", type=int, default=40, help="at most, for every pairing in every game")
    words.add_argument(
        "--share", default=TEST, help="the two shares of points, in percent, that are told apart"
    )
    words.add_argument("--elo", help="the same as two Elo differences: --elo 0,50")
    words.add_argument("--wrong", type=float, default=0.05, help="how often the test may be wrong")
    words.add_argument(
        "--processes", type=int, help="matches at once: as many as there are cores, unless given"
    )
    words.add_argument("--on", default="local", help="local, ray, ray://HOST:PORT or HOST:PORT")
    words.add_argument("--to", type=Path, help="a file for the matches, to go on from")
    return words.parse_args(arguments)


def test_of(given: argparse.Namespace) -> SequentialTest:
    """The test that the options ask for."""
    text = given.share if given.elo is None else given.elo
    try:
        low, high = (float(word) for word in text.split(","))
    except ValueError as fault:
        raise UsageError(f"{text!r} is not two numbers", hint="write --share 70,85 or --elo 0,50") from fault
    if given.elo is not None:
        return SequentialTest.of_elo(low, high, given.wrong)
    return SequentialTest(low / 100, high / 100, given.wrong)


def pairings(given: argparse.Namespace, versions: dict[str, str]) -> list[Pairing]:
    """Who meets whom in which game."""
    names = list(versions)
    pairs = list(combinations(names, 2)) if given.all else [(names[0], other) for other in names[1:]]
    return [
        Pairing(
            game, one, other, (versions[one], versions[other]), given.seconds, given.startclock, given.opening
        )
        for game in given.games.split(",")
        for one, other in pairs
    ]


def line(pairing: Pairing, notebook: Notebook, test: SequentialTest) -> str:
    """One pairing as a row of the table."""
    played = notebook.of(pairing)
    used = " / ".join(f"{mean([one.used[side] for one in played]):.2f}" for side in (0, 1))
    illegal = sum(one.errors for one in played)
    wrong = f"  {illegal} illegal moves" if illegal else ""
    return (
        f"{pairing.game:<22} {pairing.player:<14} {pairing.opponent:<18} "
        f"{Summary.of(played, test).words}  {used} s{wrong}"
    )


def report(planned: Sequence[Pairing], notebook: Notebook, test: SequentialTest) -> None:
    print(
        f"{'game':<22} {'player':<14} {'opponent':<18} {'won drawn lost':<12} share  Elo  "
        f"{100 * test.high:.0f} % against {100 * test.low:.0f} %  processor time per move"
    )
    for pairing in planned:
        print(line(pairing, notebook, test))
    every = sorted({(pairing.player, pairing.opponent) for pairing in planned})
    if len({pairing.game for pairing in planned}) > 1:
        for player, opponent in every:
            own = [one for one in planned if (one.player, one.opponent) == (player, opponent)]
            played = [match for one in own for match in notebook.of(one)]
            print(f"{'all games':<22} {player:<14} {opponent:<18} {Summary.of(played).words}")
    names = sorted({name for pair in every for name in pair})
    results = [
        PairResult(one.player, one.opponent, match.score) for one in planned for match in notebook.of(one)
    ]
    for place, rating in enumerate(ratings(names, results), 1):
        print(
            f"{place}. {rating.player:<18} {rating.elo:.0f} [{rating.low:.0f}, {rating.high:.0f}] "
            f"{100 * rating.score:.0f} % of {rating.games}"
        )


def main(arguments: Sequence[str] = ()) -> None:
    given = options(arguments)
    try:
        test, notebook = test_of(given), Notebook(given.to)
        with Releases() as releases:
            contestants = {name: releases.contestant(name) for name in given.pool.split(",")}
            if len(contestants) < 2:
                raise UsageError("a pool needs two players or more", hint="write --pool stratagem,yardstick")
            versions = {name: one.version for name, one in contestants.items()}
            planned = pairings(given, versions)

            def told(pairing: Pairing) -> None:
                print(line(pairing, notebook, test), file=sys.stderr, flush=True)

            with running_on(given.on) as executor:

                def opened(pairing: Pairing) -> PairMatches | MatchesElsewhere:
                    if executor is None:
                        return PairMatches(pairing, contestants)
                    return MatchesElsewhere(executor, pairing)

                at_once = given.processes or (cores() if executor is None else executor.cores)
                with ThreadPoolExecutor(at_once) as pool:
                    for done in [
                        pool.submit(run, one, opened, notebook, test, given.matches, told) for one in planned
                    ]:
                        done.result()
        report(planned, notebook, test)
    except StratagemError as fault:
        print(fault, file=sys.stderr)
        raise SystemExit(2 if isinstance(fault, UsageError) else 1) from fault


if __name__ == "__main__":
    main(sys.argv[1:])
