"""A seat: one player in a process of its own, asked over its standard input and output, one line of JSON each way.

The process is started with the source of any revision of the package on its path, so that releases play each other. It
therefore uses no more of the package than every revision has: `load`, `Match`, `Deadline`, `player_named` and the methods
of a player. Clocks are of the processor time of this process, all threads together.

    {"do": "start", "player": "mcts", "rules": KIF, "role": "x", "seed": 1, "startclock": 5, "playclock": 0.3}
    {"do": "play", "moves": [["(mark 1 1)", "noop"]]}      the joint moves since the last question
    {"do": "stop"}
"""

from __future__ import annotations

import inspect
import json
import os
import sys
import time
import warnings
from importlib import import_module
from typing import Any


def part(*places: str) -> Any:
    """The first of *places*, ``module:name``, that this revision has."""
    for place in places:
        module, _, name = place.partition(":")
        try:
            return getattr(import_module(module), name)
        except (ImportError, AttributeError):
            continue
    raise SystemExit(f"this revision has none of {', '.join(places)}: it is too old to be asked")


def new_player(name: str, seed: int) -> Any:
    """A player on one thread that keeps nothing from match to match."""
    if name == "yardstick":
        from benchmarks.yardstick_uct import Yardstick

        return Yardstick(seed=seed)
    named = part("stratagem.play.players:player_named")
    forgetful = {"remember": False} if "remember" in inspect.signature(named).parameters else {}
    made = named(name, seed=seed, **forgetful)
    if "threads" in inspect.signature(type(made)).parameters:
        made = type(made)(seed=seed, threads=1)
        if forgetful:
            made.remember = False
    return made


class Seat:
    """Follows one match after another; the rules stay loaded while they are the same."""

    def __init__(self) -> None:
        self.load = part("stratagem:load")
        self.match_class = part("stratagem.play.match_state:Match", "stratagem.play.match:Match")
        self.deadline = part("stratagem.play.clock:Deadline")
        self.rules_text = ""
        self.rules: Any = None
        self.match: Any = None
        self.player: Any = None

    def answer(self, asked: dict[str, Any]) -> dict[str, Any]:
        begin = time.process_time()
        told: dict[str, Any] = getattr(self, asked.pop("do"))(**asked)
        return {**told, "seconds": time.process_time() - begin}

    def start(
        self, player: str, rules: str, role: str, seed: int, startclock: float, playclock: float
    ) -> dict[str, Any]:
        if rules != self.rules_text:
            self.rules_text, self.rules = rules, self.load(rules)
        self.player = new_player(player, seed)
        self.match = self.match_class.of(self.rules, role, startclock=startclock, playclock=playclock)
        self.player.start(self.match, self.deadline.after(startclock, now=time.process_time))
        return {}

    def play(self, moves: list[list[str]]) -> dict[str, Any]:
        for joint in moves:
            self.match = self.match.after([self.rules.parse_move(move) for move in joint])
        clock = self.deadline.after(self.match.playclock, now=time.process_time)
        choice = self.player.play(self.match, clock, lambda better: None)
        return {"move": self.rules.spell(choice.move), "why": choice.thought.why}

    def stop(self) -> dict[str, Any]:
        self.player.stop(self.match)
        self.player = self.match = None
        return {}


def main() -> None:
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # whatever is printed must not come between the answers
    warnings.simplefilter("ignore")
    seat = Seat()
    for line in sys.stdin:
        print(json.dumps(seat.answer(json.loads(line))), file=answers, flush=True)


if __name__ == "__main__":
    main()
