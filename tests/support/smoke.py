"""What an installation without extras must do, in half a minute: run by CI and on every built wheel.

Needs nothing but the installed package: no pytest, no working directory of ours.
"""

from __future__ import annotations

import subprocess
import sys

COMMANDS = (
    (["--version"], 0, "stratagem "),
    (["games"], 0, "connectfour"),
    (["show", "connectfour"], 0, "red"),
    (["search", "lecture", "--algorithm", "sss-star"], 0, "value"),
    (["explain", "lecture", "--algorithm", "alpha-beta"], 0, "is"),
    (["judge", "hexapawn"], 0, "135 states"),
    (["workbench"], 2, "pip install 'stratagem[web]'"),
    (["show", "nosuchgame"], 2, "nosuchgame"),
)
PYTHON = """
import stratagem
game = stratagem.load("tictactoe")
assert game.playouts(n=1000, seed=1).matches == 1000
assert game.initial().play("(mark 2 2)").to_move == ("oplayer",)
"""


def main() -> int:
    """Runs everything; 1 if anything was not as it should be."""
    wrong = 0
    for arguments, code, words in COMMANDS:
        done = subprocess.run(
            [sys.executable, "-m", "stratagem", *arguments], capture_output=True, check=False, encoding="utf-8",
            errors="replace",
        )  # fmt: skip
        said = done.stdout + done.stderr
        fine = done.returncode == code and words in said and "Traceback" not in said
        wrong += not fine
        print("ok    " if fine else "WRONG ", "stratagem", *arguments)
        if not fine:
            print(f"exit code {done.returncode}, expected {code} and {words!r}\n{said}")
    wrong += subprocess.run([sys.executable, "-c", PYTHON], check=False).returncode != 0
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
