"""Accuracy: the share of moves that keep the value of solved positions, by processor time a move.

    python -m benchmarks accuracy
    python -m benchmarks accuracy --positions 300 --seconds 0.1,1 --players stratagem,stratagem@v1.0,yardstick --to accuracy

Positions come from random matches. All their moves are solved by alpha-beta without an evaluation; one that takes more than
``--solving`` nodes for a move is passed over, and so is one in which every move is as good as any. Each position is
a match of its own for the player, in a process of its own: it gets the start clock, then the moves up to the
position, then the time of one move. A start clock under two seconds is too short to learn in: it is MCTS that plays, with
alpha-beta looking for proofs. Intervals are Wilson's at 95 %. ``--to FOLDER`` keeps positions and answers, to go on from.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.laboratory.positions import SolvedPosition, positions, rules_of
from benchmarks.laboratory.results import mean
from benchmarks.laboratory.seats import Contestant, Releases, SeatProcess
from stratagem.errors import StratagemError, UsageError
from stratagem.play.tournaments.statistics import wilson_interval

GAMES = "connectfour:columns=5:rows=4,kalah:pits=4:seeds=3,hex:size=5,breakthrough:columns=5:rows=5"
WARMING = 3.0
"""Seconds of the first start clock, which is not counted: code is loaded in it."""


class Answers:
    """The moves that were chosen, kept in a file unless *path* is None."""

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self._moves: dict[str, tuple[str, float]] = {}
        if path is not None and path.exists():
            for line in path.read_text("utf-8").splitlines():
                key, move, used = json.loads(line)
                self._moves[key] = move, used

    def get(self, key: str) -> tuple[str, float] | None:
        return self._moves.get(key)

    def add(self, key: str, move: str, used: float) -> None:
        self._moves[key] = move, used
        if self.path is not None:
            with self.path.open("a", encoding="utf-8") as file:
                file.write(json.dumps([key, move, used]) + "\n")


def options(arguments: Sequence[str]) -> argparse.Namespace:
    words = argparse.ArgumentParser(
        prog="python -m benchmarks accuracy",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    words.add_argument("--games", default=GAMES, help="small games with commas between them; hex:size=5")
    words.add_argument(
        "--players", default="stratagem,yardstick", help="players; NAME@REVISION for earlier ones"
    )
    words.add_argument("--seconds", default="0.1,1", help="of the processor for a move; several with commas")
    words.add_argument("--startclock", type=float, default=0.5, help="seconds of the processor")
    words.add_argument("--positions", type=int, default=60, help="for each game")
    words.add_argument("--solving", type=int, default=1_000_000, help="nodes for each move of a position")
    words.add_argument("--seed", type=int, default=1)
    words.add_argument("--to", type=Path, help="a folder for positions and answers, to go on from")
    return words.parse_args(arguments)


def times_of(words: str) -> list[float]:
    """The times of a move."""
    try:
        return [float(word) for word in words.split(",")]
    except ValueError as fault:
        raise UsageError(f"{words!r} is not numbers of seconds", hint="write --seconds 0.1,1") from fault


def ask(
    process: SeatProcess, one: SolvedPosition, rules: str, startclock: float, seconds: float
) -> tuple[str, float]:
    """The move that a player makes in a position, and the processor time that it took."""
    process.ask(
        "start",
        player=process.contestant.player,
        rules=rules,
        role=one.role,
        seed=0,
        startclock=startclock,
        playclock=seconds,
    )
    answer = process.ask("play", moves=[list(joint) for joint in one.way])
    process.ask("stop")
    return str(answer["move"]), float(answer["seconds"])


def examine(
    contestant: Contestant,
    exam: Sequence[SolvedPosition],
    startclock: float,
    seconds: float,
    answers: Answers,
) -> tuple[int, float]:
    """How many moves of a player kept the value, and the processor time of a move."""
    rules, process = rules_of(exam[0].game), None
    right, used = 0, []
    for one in exam:
        key = json.dumps([contestant.name, contestant.version, startclock, seconds, one.game, one.way])
        said = answers.get(key)
        if said is None:
            if process is None:
                process = SeatProcess(contestant)
                ask(process, one, rules, WARMING, seconds)
            said = ask(process, one, rules, startclock, seconds)
            answers.add(key, *said)
        right += said[0] in one.keeping
        used.append(said[1])
    if process is not None:
        process.close()
    return right, mean(used)


def main(arguments: Sequence[str] = ()) -> None:
    given = options(arguments)
    try:
        if given.to is not None:
            given.to.mkdir(parents=True, exist_ok=True)
        inside = {name: given.to and given.to / f"{name}.jsonl" for name in ("positions", "answers")}
        times = times_of(given.seconds)
        answers = Answers(inside["answers"])
        print(f"{'game':<32}{'positions':>10}{'moves':>7}{'keep':>6}  player")
        with Releases() as releases:
            contestants = [releases.contestant(name) for name in given.players.split(",")]
            for game in given.games.split(","):
                exam = positions(game, given.positions, given.solving, given.seed, inside["positions"])
                if not exam:
                    raise UsageError(
                        f"no position of {game} was solved", hint="give it more nodes: --solving 5000000"
                    )
                branching, keeping = (
                    mean([one.moves for one in exam]),
                    mean([len(one.keeping) for one in exam]),
                )
                for one in contestants:
                    for seconds in times:
                        right, used = examine(one, exam, given.startclock, seconds, answers)
                        low, high = wilson_interval(right, len(exam))
                        print(
                            f"{game:<32}{len(exam):>10}{branching:>7.1f}{keeping:>6.1f}  {one.name:<20}"
                            f"{seconds:g} s: {100 * right / len(exam):.1f} % [{100 * low:.1f}, {100 * high:.1f}]"
                            f"  {used:.2f} s a move",
                            flush=True,
                        )
    except StratagemError as fault:
        print(fault, file=sys.stderr)
        raise SystemExit(2 if isinstance(fault, UsageError) else 1) from fault


if __name__ == "__main__":
    main(sys.argv[1:])
