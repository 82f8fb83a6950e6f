"""`make demo`: Stratagem at its best, in under a minute. Every step is a command that you can run yourself."""

from __future__ import annotations

import subprocess
import sys
import time

STEPS: list[tuple[str, list[str]]] = [
    ("A game is a text; the board is drawn from its rules alone.", ["show", "connectfour", "--after", "(drop 4) (drop 3)"]),
    (
        "Why is a move not legal? The first condition that fails, with its line.",
        ["why", "tictactoe", "(legal oplayer (mark 1 1))", "--after", "(mark 1 1)"],
    ),
    ("The lecture's tree by every algorithm; SSS* looks at 8 of 16 leaves.", ["compare", "lecture"]),
    ("Blind search measured beside the lecture's formulas.", ["compare", "--blind", "2", "5", "3"]),
    ("Trees against states: what the lecture estimates, counted.", ["collapse", "tictactoe"]),
    ("A puzzle solved.", ["search", "missionaries", "--algorithm", "breadth-first"]),
]


def main() -> None:
    started = time.monotonic()
    for sentence, arguments in STEPS:
        shown = " ".join(f'"{word}"' if " " in word or "(" in word else word for word in arguments)
        print(f"\n\033[1m{sentence}\033[0m\n$ stratagem {shown}\n" if sys.stdout.isatty() else f"\n{sentence}\n$ stratagem {shown}\n")
        sys.stdout.flush()
        subprocess.run([sys.executable, "-m", "stratagem", *arguments], check=True)
    print(f"\n{len(STEPS)} commands in {time.monotonic() - started:.0f} seconds. `stratagem --help` lists them all.")


if __name__ == "__main__":
    main()
