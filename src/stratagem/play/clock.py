"""Clocks, deadlines, and the safety margin kept before a deadline.

Whatever waits takes a `Clock`, so that a test can put a virtual one in its place and decide itself when time passes.

The seeds stop at ``now + clock - 5``, which is no time at all where the clock is 5 s or less. Here the clock is
monotonic and what is kept back is measured: how long a search goes on after it was told to stop, how long a choice
takes to be sent. Both are remembered as an `Overrun`: its mean, its spread and its worst of late, as TCP
remembers the way of a packet (Jacobson, 1988). A machine that gets slower thus gets more careful by itself.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from math import inf
from typing import Final, Generic, Protocol, TypeVar

from stratagem.limit import Limit
from stratagem.platform import load_per_core

Now = Callable[[], float]
Item = TypeVar("Item")

LEAST_RESERVE: Final = 0.08
"""Seconds for the network; twice as many where every core is busy."""
LEAST_WAKING: Final = 0.02
"""Seconds that a thread may be woken late at any time; twice as many where every core is busy."""
SHARE_RESERVED: Final = 0.05
MOST_RESERVED: Final = 0.5
MOST_KEPT_BACK: Final = 0.5
"""The share of a clock that thinking never loses to caution."""
EARLY: Final = 1.5
"""How much more of a start clock is kept back than of a play clock."""
SPREADS: Final = 4
FADING: Final = 0.97
"""How much of the worst overrun is still feared after one that went well."""


class Clock(Protocol):
    """What everything that waits takes: real in play, virtual in tests.

    A thread that waits by a clock is started by it: a virtual clock stands still until all of its threads wait.
    """

    def now(self) -> float:
        """Seconds, by a clock that never goes back."""

    def wait(self, condition: threading.Condition, ready: Callable[[], bool], until: float) -> bool:
        """Waits until *ready* holds or the moment *until* has come; says whether *ready* holds.

        The caller holds *condition*; it is notified when what *ready* asks for changes.
        """

    def start(self, target: Callable[[], None], name: str) -> threading.Thread:
        """Runs *target* in a new daemon thread."""


class MonotonicClock:
    """The real one. All processes of a machine share it, so that moments may be sent from one to another."""

    def now(self) -> float:
        return time.monotonic()

    def wait(self, condition: threading.Condition, ready: Callable[[], bool], until: float) -> bool:
        while not ready() and (left := until - self.now()) > 0:
            condition.wait(min(left, threading.TIMEOUT_MAX))
        return ready()

    def start(self, target: Callable[[], None], name: str) -> threading.Thread:
        thread = threading.Thread(target=target, name=name, daemon=True)
        thread.start()
        return thread


REAL: Final = MonotonicClock()


class Mailbox(Generic[Item]):
    """A queue whose reader waits by *clock*: anybody may put things in, one thread takes them out.

    >>> box = Mailbox[str](REAL)
    >>> box.put("play")
    >>> box.take(until=inf), box.take(until=0.0)
    ('play', None)
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._items: deque[tuple[float, Item]] = deque()
        self._arrived = threading.Condition()
        self._longest_wait = 0.0

    def __len__(self) -> int:
        return len(self._items)

    def put(self, item: Item) -> None:
        """Adds *item*; never waits."""
        with self._arrived:
            self._items.append((self._clock.now(), item))
            self._arrived.notify_all()

    def take(self, *, until: float = inf) -> Item | None:
        """The next item, once there is one; None where the moment *until* comes first."""
        with self._arrived:
            here = self._clock.wait(self._arrived, lambda: len(self._items) > 0, until)
            if not here:
                return None
            put, item = self._items.popleft()
            self._longest_wait = max(self._longest_wait, self._clock.now() - put)
            return item

    def longest_wait(self) -> float:
        """The longest time that an item has waited to be taken since this was last asked; for the reader to ask."""
        found, self._longest_wait = self._longest_wait, 0.0
        return found


def never() -> bool:
    """No interruption."""
    return False


@dataclass(frozen=True, slots=True)
class Deadline:
    """A moment of the monotonic clock at which thinking ends, unless *interrupted* says so before.

    >>> time = [100.0]
    >>> deadline = Deadline.after(10, now=lambda: time[0])
    >>> deadline.left(), deadline.over()
    (10.0, False)
    >>> time[0] = 110.5
    >>> deadline.left(), deadline.over()
    (0.0, True)
    """

    at: float
    now: Now = field(default=time.monotonic, repr=False)
    interrupted: Callable[[], bool] = field(default=never, repr=False)

    @classmethod
    def after(
        cls, seconds: float, *, now: Now = time.monotonic, interrupted: Callable[[], bool] = never
    ) -> Deadline:
        return cls(now() + seconds, now, interrupted)

    def left(self) -> float:
        """The seconds that are left, 0 if none; none either once interrupted."""
        return 0.0 if self.interrupted() else max(0.0, self.at - self.now())

    def over(self) -> bool:
        """Whether it is time to stop: what every loop asks."""
        return self.interrupted() or self.now() >= self.at

    def sooner(self, share: float) -> Deadline:
        """The moment at which *share* of what is left has gone by."""
        now = self.now()
        return Deadline(now + max(0.0, self.at - now) * share, self.now, self.interrupted)

    def limit(self) -> Limit:
        """The same limit for a search."""
        return Limit(seconds=self.left(), stop=self.interrupted, clock=self.now)


class Overrun:
    """How long something took beyond its time, of late: `expected` is a bound that it rarely passes."""

    __slots__ = ("_mean", "_spread", "_worst", "least")

    def __init__(self, first: float) -> None:
        self.least = 0.0
        """So much is expected at least, however well it goes."""
        self._mean = first
        self._spread = first / SPREADS
        self._worst = 0.0

    @property
    def expected(self) -> float:
        return max(self._mean + SPREADS * self._spread, self._worst, self.least)

    def note(self, seconds: float) -> None:
        """Learns from one more case."""
        seconds = max(0.0, seconds)
        self._spread += (abs(seconds - self._mean) - self._spread) / 4
        self._mean += (seconds - self._mean) / 8
        self._worst = max(seconds * 1.25, self._worst * FADING)


class Margin:
    """How much of a clock is kept back, and for what.

        thinking | `stopping` | `waking` and `answering` | reserve for the network | deadline

    A machine that is busy already when play begins is taken to wake this process late: *load* is
    how many processes wait for each core, asked of the system unless given.

    >>> margin = Margin(load=0)
    >>> round(margin.think(1.0), 2), round(margin.overrule(1.0), 2)
    (0.27, 0.17)
    """

    __slots__ = ("_given", "answering", "least", "reserve", "stopping", "waking")

    def __init__(self, reserve: float | None = None, *, load: float | None = None) -> None:
        self._given = load
        load = load_per_core() if load is None else load
        self.reserve = reserve
        self.stopping = Overrun(0.05)
        """From the moment the thinker should stop to the arrival of its choice."""
        self.waking = Overrun(0.01 * (1 + load))
        """From the moment to decide to the decision, or from a message to its reading: a busy machine wakes threads late."""
        self.answering = Overrun(0.01)
        """From the choice to the answer's last byte."""

        self.look_at_load()

    def look_at_load(self) -> None:
        """Takes the machine to be as busy as it is now: when a match begins, long after this was made."""
        load = load_per_core() if self._given is None else self._given
        self.least = LEAST_RESERVE * (1 + min(load, 1.0))
        self.waking.least = LEAST_WAKING * (1 + min(load, 1.0))

    def reserved(self, clock: float) -> float:
        """What should be left on the *clock* when the answer has gone out: the way there and back is unknown."""
        if self.reserve is not None:
            return min(self.reserve, clock * MOST_KEPT_BACK)
        return min(self.least + SHARE_RESERVED * clock, MOST_RESERVED, clock * MOST_KEPT_BACK)

    def overrule(self, clock: float) -> float:
        """How long before the deadline the best move known is sent, whatever the thinker is doing."""
        late = self.waking.expected + self.answering.expected
        return min(self.reserved(clock) + late, clock * MOST_KEPT_BACK)

    def think(self, clock: float) -> float:
        """How long before the deadline the thinker is told to stop."""
        return min(self.overrule(clock) + self.stopping.expected, clock * MOST_KEPT_BACK)

    def begin(self, clock: float) -> float:
        """How long before the end of a start clock preparing ends."""
        return min(EARLY * self.think(clock), clock * MOST_KEPT_BACK)
