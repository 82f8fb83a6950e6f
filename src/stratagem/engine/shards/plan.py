"""What the driver of a sharded search and its shards tell each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from stratagem.engine.shards.ends import Ends

if TYPE_CHECKING:
    from stratagem.gdl_game import GdlGame


@dataclass(frozen=True, slots=True)
class ShardPlan:
    """What all shards of a search are told."""

    game: GdlGame
    start: NDArray[np.uint64]
    shards: int
    address: str
    """Where the checkpoint lies."""
    memory: int
    """Bytes of buffers of one shard."""
    sharing: bool = True
    """Whether shards of one machine use each other's files; else they send all to each other, as between machines."""
    kept: bool = True
    """Whether the layers are a checkpoint; else each shard removes its own at the end, on whatever machine they lie."""


@dataclass(frozen=True, slots=True)
class Expanded:
    """What the expansion of a layer was, in one shard."""

    terminal: int
    ends: Ends


@dataclass(frozen=True, slots=True)
class LayerBelow:
    """The layer that all moves lead to: the sweep that its values are of, and the states that each shard has of it."""

    sweep: int
    counts: list[int]


@dataclass(frozen=True, slots=True)
class Turned:
    """What came of a layer, in one shard."""

    states: int
    met: bool
    """Whether any state that came was known before."""
    progress: dict[str, int]
