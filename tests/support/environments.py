"""Games for the tests of environments: a handful that differs in kind, every bundled one, and two with chance."""

from __future__ import annotations

import pytest

from stratagem import sheets

HANDFUL = ("tictactoe", "connectfour", "tictactoethree", "tron", "rockpaperscissors", "eightpuzzle")
"""In turn, with a board, with three roles, simultaneous with and without a board, a puzzle."""
LONG = ("amazons",)
"""Games whose circuits are large: an environment is made, but is not played for long."""
EVERY = [
    pytest.param(name, marks=() if name in HANDFUL else (pytest.mark.slow,), id=name)
    for name in sheets.names()
]

COIN = """
(role you) (role random) (init (step 1)) (side heads) (side tails)
(<= (legal you (guess ?x)) (true (step 1)) (side ?x))
(<= (legal random (toss ?x)) (true (step 1)) (side ?x))
(<= (next (step 2)) (true (step 1)))
(<= (next won) (does you (guess ?x)) (does random (toss ?x)))
(<= (legal you noop) (true (step 2))) (<= (legal random noop) (true (step 2)))
(<= terminal (true (step 2)))
(<= (goal you 100) (true won)) (<= (goal you 0) (not (true won))) (goal random 0)
"""
"""A guess and the toss of a coin at the same time."""

NOBODY = """
(role random) (init (step 1)) (legal random heads) (legal random tails) (<= (next (step 2)) (true (step 1)))
(<= terminal (true (step 2))) (goal random 0)
"""
"""A game of chance alone."""

DICE = """
(role first) (role second) (role random)
(init (stage throw)) (face 1) (face 2) (face 3)
(<= (legal random (throw ?n)) (true (stage throw)) (face ?n))
(<= (legal random noop) (not (true (stage throw))))
(<= (legal first take) (true (stage first))) (<= (legal first pass) (true (stage first)))
(<= (legal first noop) (not (true (stage first))))
(<= (legal second take) (true (stage second))) (<= (legal second pass) (true (stage second)))
(<= (legal second noop) (not (true (stage second))))
(<= (next (die ?n)) (does random (throw ?n)))
(<= (next (die ?n)) (true (die ?n)))
(<= (next (stage first)) (true (stage throw)))
(<= (next (stage second)) (true (stage first)))
(<= (next (stage over)) (true (stage second)))
(<= (next (taken first)) (does first take))
(<= (next (taken second)) (does second take))
(<= (next (taken ?r)) (true (taken ?r)))
(<= terminal (true (stage over)))
(<= (same) (true (taken first)) (true (taken second)))
(<= (same) (not (true (taken first))) (not (true (taken second))))
(<= (goal first 50) (same)) (<= (goal second 50) (same))
(<= (goal first 100) (true (taken first)) (not (true (taken second))) (true (die 3)))
(<= (goal second 0) (true (taken first)) (not (true (taken second))) (true (die 3)))
(<= (goal first 0) (true (taken first)) (not (true (taken second))) (not (true (die 3))))
(<= (goal second 100) (true (taken first)) (not (true (taken second))) (not (true (die 3))))
(<= (goal second 100) (true (taken second)) (not (true (taken first))) (true (die 3)))
(<= (goal first 0) (true (taken second)) (not (true (taken first))) (true (die 3)))
(<= (goal second 0) (true (taken second)) (not (true (taken first))) (not (true (die 3))))
(<= (goal first 100) (true (taken second)) (not (true (taken first))) (not (true (die 3))))
(goal random 0)
"""
"""A die is thrown, then two players choose in turn; only a three makes taking pay."""
