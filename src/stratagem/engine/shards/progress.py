"""What a sharded search says about itself while it runs, as data."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from time import monotonic
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class SpaceProgress:
    """Where a sharded search is."""

    phase: str
    """forward, backward or writing."""
    layer: int
    layers: int
    """How many layers are known."""
    states: int
    """How many states are known."""
    seconds: float
    rates: tuple[float, ...]
    """States that each shard has expanded per second since the last report."""
    sent: int
    """Bytes that shards have sent to each other."""
    filed: int
    """Bytes that shards have written to files."""
    rest: float | None
    """Estimated seconds to the end of this phase; None where nothing can be said."""
    processes: tuple[int, ...] = ()
    """The number of each shard's process, on its machine."""
    note: str = ""

    def json_line(self) -> str:
        """The same as one line of JSON."""
        return json.dumps(asdict(self))

    def __str__(self) -> str:
        rate = sum(self.rates)
        rest = "" if self.rest is None else f", about {self.rest:,.0f} s to go"
        return (
            f"{self.phase}, layer {self.layer}: {self.states:,} states, {rate:,.0f} a second on "
            f"{len(self.rates)} shards, {self.sent >> 20:,} MB sent, {self.filed >> 20:,} MB in files{rest}"
            f"{'; ' + self.note if self.note else ''}"
        )


WatchSpace: TypeAlias = Callable[[SpaceProgress], None]


class Reporter:
    """Makes reports of what shards count."""

    def __init__(self, watch: WatchSpace | None, clock: Callable[[], float] = monotonic) -> None:
        self.watch, self.clock = watch, clock
        self.begin = self._last = clock()
        self._before: list[int] = []

    def tell(
        self,
        phase: str,
        layer: int,
        layers: Sequence[int],
        counts: Sequence[dict[str, int]],
        *,
        done: int = 0,
        note: str = "",
    ) -> None:
        """Reports; *done* of all states are behind us on the way back."""
        if self.watch is None:
            return
        now = self.clock()
        expanded = [count["expanded"] for count in counts]
        before = self._before if len(self._before) == len(expanded) else [0] * len(expanded)
        spent = max(now - self._last, 1e-9)
        rates = tuple(max(0, each - old) / spent for each, old in zip(expanded, before, strict=True))
        self._before, self._last = expanded, now
        states, rate = sum(layers), sum(rates)
        self.watch(
            SpaceProgress(
                phase,
                layer,
                len(layers),
                states,
                now - self.begin,
                rates,
                sum(count["sent"] for count in counts),
                sum(count["filed"] for count in counts),
                (states - done) / rate if phase == "backward" and rate > 0 else None,
                tuple(count["process"] for count in counts),
                note,
            )
        )
