"""Compiled joins against the reasoner: random play on rules that are hard to ground, where present, and on our own sheets.

Both play by the rules as they stand, one core, in the same run. The reasoner is timed on the first plies of a match,
because a match of chess takes it minutes; a match is then reckoned as long as those that the joins play.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from random import Random

from benchmarks.measure import verdict
from stratagem.gdl_game import GdlGame
from stratagem.loading import load

CORPUS = (
    Path(os.environ.get("STRATAGEM_CORPUS") or Path(__file__).resolve().parents[2] / "shared" / "corpus")
    / "games"
)
PUBLISHED = ("chess", "sudoku")
OURS = ("reversi", "checkers", "amazons", "hex", "connectfour")
SECONDS = 4.0


def reasoned(game: GdlGame, seconds: float) -> float:
    """The seconds of processor time that the reasoner takes for a ply: legal moves, the end, the next state."""
    random, plies, state = Random(1), 0, game.initial()
    [state.legals(role) for role in game.roles]
    begin = time.thread_time()
    while time.thread_time() - begin < seconds:
        if state.terminal:
            [state.goal(role) for role in game.roles]
            state = game.initial()
        state = state.next([random.choice(state.legals(role)) for role in game.roles])
        plies += 1
    return (time.thread_time() - begin) / plies


def compare(sheet: str | Path, name: str) -> float:
    """How many times as fast the joins are."""
    joins = load(sheet, machine="joins")
    joins.playouts(n=2, seed=9)
    begin = time.thread_time()
    report = joins.playouts(seconds=SECONDS, seed=1)
    spent = time.thread_time() - begin
    slow = reasoned(load(sheet, machine="reasoner"), SECONDS) * report.plies / report.matches
    ratio = report.matches / spent * slow
    print(
        f"  {name:14} {report.matches / spent:10.2f} matches a second, {1e6 * spent / report.plies:8.1f} us a ply; "
        f"reasoner {1 / slow:8.4f}; {ratio:6.0f} x"
    )
    return ratio


def main() -> None:
    published = {
        name: compare(path, name) for name in PUBLISHED if (path := CORPUS / f"{name}.kif").is_file()
    }
    for name in OURS:
        compare(name, f"our {name}")
    for name, ratio in published.items():
        verdict(f"{name}, times the reasoner", ratio, 100)


if __name__ == "__main__":
    main()
