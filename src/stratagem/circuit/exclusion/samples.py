"""Random matches on the lanes interpreter: states as they come up in play, to guess laws from.

Every lane is a match of uniformly random legal moves; one that has ended begins anew.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from stratagem.circuit.circuit import Circuit
from stratagem.circuit.interpret import LaneInterpreter

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

WORD = 64


def sample_states(circuit: Circuit, *, steps: int, words: int = 1, seed: int = 0) -> NDArray[np.bool_]:
    """States met in ``64 * words`` random matches over *steps* steps, one row each, the initial one first."""
    import numpy as np

    walk = Walk(circuit, seed)
    start = np.repeat(circuit.initial[:, None], WORD * words, axis=1)
    states = start
    met = [start[:, :1]]
    for _ in range(steps):
        states, over = walk.step(states)
        states[:, over] = start[:, over]
        met.append(states)
    found = np.concatenate(met, axis=1).T
    return np.unique(found, axis=0) if len(circuit.bases) else found[:1]


class Walk:
    """Random legal moves in many lanes; states are columns of bits, 64 or a multiple of them."""

    def __init__(self, circuit: Circuit, seed: int) -> None:
        import numpy as np

        self.circuit = circuit
        self.lanes = LaneInterpreter(circuit)
        self.generator = np.random.default_rng(seed)

    def step(self, states: NDArray[np.bool_]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """The states one step later, and where that means nothing: after the end, or without a legal move."""
        import numpy as np

        circuit, lanes, count = self.circuit, self.lanes, states.shape[1]
        no_moves = np.zeros((sum(map(len, circuit.moves)), count), dtype=np.bool_)
        rows = lanes.run(pack_rows(np.concatenate([states, no_moves])))
        over = unpack_rows(lanes.literals(rows, np.array([circuit.terminal])), count)[0]
        chosen = []
        for legal in circuit.legal:
            allowed = unpack_rows(lanes.literals(rows, legal), count)
            over |= ~allowed.any(axis=0)
            chosen.append(_choose(allowed, self.generator))
        after = lanes.run(pack_rows(np.concatenate([states, *chosen])))
        return unpack_rows(lanes.literals(after, circuit.next), count), over


def _choose(allowed: NDArray[np.bool_], generator: np.random.Generator) -> NDArray[np.bool_]:
    """One of the allowed moves in each lane, all equally likely; none where none is allowed."""
    import numpy as np

    weights = generator.random(allowed.shape, dtype=np.float32) * allowed
    chosen = np.zeros_like(allowed)
    if len(allowed):
        chosen[weights.argmax(axis=0), np.arange(allowed.shape[1])] = True
    return chosen & allowed


def pack_rows(bits: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """Rows of bits as rows of words."""
    import numpy as np

    return np.ascontiguousarray(np.packbits(bits, axis=1, bitorder="little")).view(np.uint64)


def unpack_rows(rows: NDArray[np.uint64], count: int) -> NDArray[np.bool_]:
    """Rows of words as rows of *count* bits."""
    import numpy as np

    octets = np.ascontiguousarray(rows).view(np.uint8)
    return np.unpackbits(octets, axis=1, count=count, bitorder="little").astype(np.bool_)
