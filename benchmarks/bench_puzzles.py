"""Every bundled puzzle, as bundled, in a start clock of ten seconds: is a way found, by which search, and how soon?

Seconds are the processor's, all threads together, so that a busy machine favours nobody; kernels are called before. The
signature: the way is walked to its end by the player, move by move, and the end is worth 100.
"""

from __future__ import annotations

import time

from stratagem import sheets as games
from stratagem.loading import load
from stratagem.play.clock import Deadline
from stratagem.play.match_state import Match
from stratagem.play.players.stratagem import Stratagem
from stratagem.play.process.first_kernels import compile_first_kernels

STARTCLOCK = 10.0


def main() -> None:
    compile_first_kernels("stratagem")
    missed = []
    print("| puzzle | seconds | moves | found by |\n| --- | --- | --- | --- |")
    for name in games.names():
        game = load(name)
        if len(game.roles) != 1:
            continue
        player, match = Stratagem(seed=1, threads=1), Match.of(game, startclock=STARTCLOCK)
        begin = time.process_time()
        player.start(match, Deadline.after(STARTCLOCK, now=time.process_time))
        seconds, found = time.process_time() - begin, player.solver.result
        if found is None:
            missed.append(name)
            print(f"| {name} | {seconds:.2f} | | nothing found |", flush=True)
            continue
        while not match.over:
            clock = Deadline.after(1.0, now=time.process_time)
            match = match.after([player.play(match, clock, lambda choice: None).move])
        assert match.goals() == (100,), f"{name} ended with {match.goals()}"
        shortest = ", the shortest" if found.proved and found.distance is not None else ""
        print(f"| {name} | {seconds:.2f} | {match.turn} | {found.method}{shortest} |", flush=True)
    print(f"not solved: {', '.join(missed) or 'none'}")


if __name__ == "__main__":
    main()
