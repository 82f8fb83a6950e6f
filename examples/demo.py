"""`make demo`: Stratagem at its best, in under a minute. Every step is a command that you can run yourself."""

from __future__ import annotations

import subprocess
import sys
import time

BOARD = ["--set", "columns=4", "--set", "rows=4"]
STEPS: list[tuple[str, list[str]]] = [
    (
        "A game is a text; the board is drawn from its rules alone.",
        ["show", "connectfour", "--after", "(drop 4) (drop 3)"],
    ),
    (
        "Why is a move not legal? The first condition that fails, with its line.",
        ["why", "tictactoe", "(legal oplayer (mark 1 1))", "--after", "(mark 1 1)"],
    ),
    ("The lecture's tree by every algorithm; SSS* looks at 8 of 16 leaves.", ["compare", "lecture"]),
    ("Blind search measured beside the lecture's formulas.", ["compare", "--blind", "2", "5", "3"]),
    ("Trees against states: what the lecture estimates, counted.", ["collapse", "tictactoe"]),
    ("The rules as machine code: random matches a second.", ["bench", "connectfour", "--seconds", "1"]),
    ("A puzzle solved by the shortest way.", ["solve", "eightpuzzle"]),
    ("A game solved: every state looked at, the value proved.", ["solve", "connectfour", *BOARD]),
    ("Are the rules sound and fair?", ["judge", "hexapawn"]),
]


def main() -> None:
    started = time.monotonic()
    bold, plain = ("\033[1m", "\033[0m") if sys.stdout.isatty() else ("", "")
    for sentence, arguments in STEPS:
        shown = " ".join(f'"{word}"' if " " in word or "(" in word else word for word in arguments)
        print(f"\n{bold}{sentence}{plain}\n$ stratagem {shown}\n", flush=True)
        subprocess.run([sys.executable, "-m", "stratagem", *arguments], check=True)
    print(
        f"\n{len(STEPS)} commands in {time.monotonic() - started:.0f} seconds. `stratagem --help` lists them all."
    )


if __name__ == "__main__":
    main()
