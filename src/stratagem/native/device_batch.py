"""What a device does for a batch: the contract between `Batch` and the code that keeps the matches.

Every device has its own arrays (numpy's here); all of them have ``__dlpack__``. Actions are indices into
``circuit.moves`` [n, roles]; -1 stands for the only legal move of a role. Results are the same on all devices.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class DeviceBatch(Protocol):
    """*count* matches of one game on one device. The arguments are checked by the caller."""

    count: int
    threads: int
    """How many threads share the work, where the device has threads."""

    def reset(self, which: NDArray[np.bool_] | None) -> None:
        """Begin the matches *which*, or all, anew; they have ended nothing and refused nothing."""

    def load(self, states: NDArray[np.uint64]) -> None:
        """Let the matches go on from packed states [n, words]."""

    def joint(self, actions: object, numbers: Mapping[str, int]) -> Any:
        """Actions that are in the device's own memory, where numpy cannot read them, as an array [n, roles]; else None.

        *actions* are an array or a mapping from roles; *numbers* says which role has which number.
        """

    def step(self, actions: NDArray[np.int32], which: NDArray[np.bool_] | None, *, strict: bool) -> int:
        """Make the actions in the matches *which*, or all, that are not over; the first match with an illegal one, or -1.

        With *strict* an illegal action leaves the whole batch as it was, else only its match, which is `refused`.
        """

    def step_random(self, seed: int) -> None:
        """One uniformly random legal joint move in every match that is not over."""

    def advance_to_choice(self, role: int, seed: int, most: int) -> int:
        """Random joint moves where *role* has no choice, until it has one or the match is over.

        The number of a match near one in which *most* were not enough, or -1. `rewards` are those of all moves
        since the last step.
        """

    def random_actions(self, seed: int) -> NDArray[np.int32]:
        """For every match and role a uniformly random legal action; -1 where there is none."""

    def copy(self) -> DeviceBatch:
        """The same matches once more."""

    def states(self) -> NDArray[np.uint64]:
        """The packed states [n, words]."""

    def observations(self, out: NDArray[np.bool_] | None = None) -> NDArray[np.bool_]:
        """The propositions [n, bases], in *out* where that is given."""

    def gathered(self, index: NDArray[np.int32]) -> NDArray[np.bool_]:
        """The propositions numbered *index* [n, ...]; False where it is -1."""

    def legal(self, role: int) -> NDArray[np.bool_]:
        """The legal actions of *role* [n, moves]."""

    def choices(self, role: int) -> NDArray[np.bool_]:
        """The matches that are not over and in which *role* has more than one legal action."""

    def terminated(self) -> NDArray[np.bool_]:
        """The matches that are over."""

    def refused(self) -> NDArray[np.bool_]:
        """The matches in which the last step refused an action."""

    def goals(self) -> NDArray[np.int16]:
        """The goals [n, roles]; -1 where the rules give none, or several."""

    def rewards(self, worth: NDArray[np.float32]) -> NDArray[np.float32]:
        """What the last step earned [n, roles]: *worth* of the goals where it ended the match, else 0.

        *worth* has a number for every goal value, role by role in the order of ``circuit.goals``, then one for no goal.
        """
