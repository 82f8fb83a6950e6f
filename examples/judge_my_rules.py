"""Your own rules, judged: does every match end, has every player a move, is the game fair?

Take-away: from a pile of coins each player in turn takes one, two or three; the one who takes the last coin wins.
"""

from __future__ import annotations

import stratagem as st

RULES = """
(role first)
(role second)
(init (pile {coins}))
(init (control first))
(minus 1 1 0)
{subtractions}

(<= (legal ?player (take ?n)) (true (control ?player)) (true (pile ?have)) (minus ?have ?n ?_rest) (small ?n))
(small 1) (small 2) (small 3)
(<= (legal first noop) (true (control second)))
(<= (legal second noop) (true (control first)))

(<= (next (pile ?rest)) (true (pile ?have)) (does ?_player (take ?n)) (minus ?have ?n ?rest))
(<= (next (control second)) (true (control first)))
(<= (next (control first)) (true (control second)))

(<= terminal (true (pile 0)))
(<= (goal first 100) (true (pile 0)) (true (control second)))
(<= (goal second 0) (true (pile 0)) (true (control second)))
(<= (goal first 0) (true (pile 0)) (true (control first)))
(<= (goal second 100) (true (pile 0)) (true (control first)))
"""


def take_away(coins: int) -> str:
    """The rules for a pile of so many coins."""
    known = [(have, taken) for have in range(2, coins + 1) for taken in (1, 2, 3) if taken <= have]
    return RULES.format(
        coins=coins,
        subtractions="\n".join(f"(minus {have} {taken} {have - taken})" for have, taken in known),
    )


def main() -> None:
    for coins in (7, 8):
        print(f"{coins} coins")
        verdict = st.judge(st.load(take_away(coins)), st.Limit(seconds=10))
        for ruling in verdict.rulings:
            print(f"  {ruling.question} {ruling.answer} ({ruling.known})")


if __name__ == "__main__":
    main()
