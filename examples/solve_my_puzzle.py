"""A puzzle of your own: write its rules down, and have it solved by the shortest way.

Four coins lie in a row, heads up. A move turns two neighbouring coins over. How soon do all show tails?
"""

from __future__ import annotations

import stratagem as st

RULES = """
(role solver)
(next_to 1 2) (next_to 2 3) (next_to 3 4)
(<= (coin ?c) (next_to ?c ?_d))
(coin 4)
(<= (base (heads ?c)) (coin ?c))
(<= (input solver (flip ?c ?d)) (next_to ?c ?d))
(init (heads 1)) (init (heads 2)) (init (heads 3)) (init (heads 4))

(<= (legal solver (flip ?c ?d)) (next_to ?c ?d))

(<= (turned ?c) (does solver (flip ?c ?_d)))
(<= (turned ?d) (does solver (flip ?_c ?d)))
(<= (next (heads ?c)) (true (heads ?c)) (not (turned ?c)))
(<= (next (heads ?c)) (turned ?c) (not (true (heads ?c))))

(<= some_heads (true (heads ?_c)))
(<= terminal (not some_heads))
(<= (goal solver 100) (not some_heads))
(<= (goal solver 0) some_heads)
"""


def main() -> None:
    for found in st.check(RULES):
        print(found)
    game = st.load(RULES)
    result = st.solve(game, limit=st.Limit(seconds=10))
    print(f"solved by {result.method}, proved: {result.proved}, in {result.distance} moves")
    state = game.initial()
    for joint in result.line:
        print(f"  {joint[0]}")
        state = state.next(joint)
    print(f"the goal is reached: {state.terminal}, worth {state.goal('solver')}")


if __name__ == "__main__":
    main()
