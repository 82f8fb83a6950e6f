"""A taught algorithm on a game written as a plain Python class: any class with six members is a `Game`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import stratagem as st

Piles = tuple[int, ...]
State = tuple[Piles, int]
"""The piles, and the number of the player to move."""


class Nim:
    """Nim: take any number of coins from one pile; whoever takes the last coin wins."""

    roles = ("first", "second")

    def __init__(self, *piles: int) -> None:
        self.piles = piles

    def initial(self) -> State:
        return self.piles, 0

    def legals(self, state: State, role: str) -> list[str | tuple[int, int]]:
        piles, turn = state
        if role != self.roles[turn]:
            return ["noop"]
        return [(pile, taken) for pile, size in enumerate(piles) for taken in range(1, size + 1)]

    def next(self, state: State, joint: Mapping[str, Any] | Sequence[Any]) -> State:
        piles, turn = state
        pile, taken = joint[self.roles[turn]] if isinstance(joint, Mapping) else joint[turn]
        return (*piles[:pile], piles[pile] - taken, *piles[pile + 1 :]), 1 - turn

    def terminal(self, state: State) -> bool:
        return not any(state[0])

    def goal(self, state: State, role: str) -> float:
        winner = self.roles[1 - state[1]]
        return (100.0 if role == winner else 0.0) if self.terminal(state) else 50.0


def main() -> None:
    game = Nim(1, 2, 2)
    for name in ("minimax", "alpha-beta", "sss-star", "mtdf"):
        result = st.search.ALGORITHMS[name](game)
        print(
            f"{name:>10}: value {result.value:g}, best move {result.best_move}, {result.counters.leaves} leaves"
        )
    result = st.search.alpha_beta(game, limit=st.Limit(nodes=20))
    print(f"stopped by {result.stopped} after {result.counters.nodes} nodes: {result.interval}")


if __name__ == "__main__":
    main()
