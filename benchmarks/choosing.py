"""Which search for which duel: what the trial in the start clock says, for every game.

    python -m benchmarks.choosing [--startclock 10] [--games connectfour,reversi]

The start clock is of processor time, on one thread, and nothing is remembered. What matches of normal length say of the same question:

    python -m benchmarks strength --pool alphabeta,mcts --share 35,65
"""

from __future__ import annotations

import argparse
import sys
import time

from benchmarks.laboratory.pairs import game_of
from stratagem.play.clock import Deadline
from stratagem.play.match_state import Match
from stratagem.play.players.stratagem import Stratagem

GAMES = "connectfour,dotsandboxes,gomoku,pentago,reversi,kalah,breakthrough,checkers,ninemensmorris,hex"


def main(arguments: list[str]) -> None:
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--games", default=GAMES)
    words.add_argument("--startclock", type=float, default=10.0)
    given = words.parse_args(arguments)
    print(f"{'game':<18}{'learned from':>13}{'s a move':>10}  trial")
    for name in given.games.split(","):
        rules = game_of(name)
        player = Stratagem(seed=0, threads=1)
        match = Match.of(rules, rules.roles[0], startclock=given.startclock)
        player.start(match, Deadline.after(given.startclock, now=time.process_time))
        evaluation, trial = player.alpha_beta.evaluation, player.trial
        learned = 0 if evaluation is None else evaluation.matches
        seconds = 0.0 if trial is None else trial.seconds
        said = player.score.words("alpha-beta", "MCTS") if player.score.matches else "none"
        print(f"{name:<18}{learned:>13,}{seconds:>10.3f}  {said}", flush=True)
        player.stop(match)


if __name__ == "__main__":
    main(sys.argv[1:])
