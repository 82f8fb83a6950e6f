"""Laws put to the test near a counterexample, before the solver has to find the next one.

The solver's counterexample is a state where all laws hold. Its neighbours, a few groups changed at random,
are tried in lanes with random legal moves: every law that fails there is gone at once, where the solver would
have found one at a time.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from stratagem.circuit.circuit import Circuit
from stratagem.circuit.exclusion.samples import WORD, Walk

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from stratagem.ground.solving.induction import Law

ROUNDS = 4
WORDS = 4


class Doubter:
    """Finds laws that do not pass on; the laws are known by their numbers."""

    def __init__(self, circuit: Circuit, laws: Sequence[Law], seed: int) -> None:
        self.laws = laws
        self.walk = Walk(circuit, seed)

    def __call__(self, state: tuple[bool, ...], kept: tuple[int, ...]) -> set[int]:
        import numpy as np

        broken: set[int] = set()
        near = np.repeat(np.array(state, dtype=np.bool_)[:, None], WORD * WORDS, axis=1)
        groups = [self.laws[number].members for number in kept if self.laws[number].at_most]
        for round_number in range(ROUNDS):
            alive = [number for number in kept if number not in broken]
            states = near if round_number == 0 else self._neighbours(near, groups, round_number)
            usable = np.ones(states.shape[1], dtype=np.bool_)
            for number in alive:
                usable &= self._holds(self.laws[number], states)
            after, over = self.walk.step(states)
            usable &= ~over
            for number in alive:
                if bool((~self._holds(self.laws[number], after) & usable).any()):
                    broken.add(number)
        return broken

    def _neighbours(
        self, states: NDArray[np.bool_], groups: Sequence[tuple[int, ...]], changes: int
    ) -> NDArray[np.bool_]:
        """Each lane with some groups given another member."""
        generator = self.walk.generator
        changed = states.copy()
        if not groups:
            return changed
        for lane in range(states.shape[1]):
            for _ in range(changes):
                members = groups[int(generator.integers(len(groups)))]
                for member in members:
                    changed[member, lane] = False
                changed[members[int(generator.integers(len(members)))], lane] = True
        return changed

    @staticmethod
    def _holds(law: Law, states: NDArray[np.bool_]) -> NDArray[np.bool_]:
        count = states[list(law.members)].sum(axis=0)
        holds: NDArray[np.bool_] = count <= 1 if law.at_most else count >= 1
        return holds
