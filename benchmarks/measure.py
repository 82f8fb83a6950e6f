"""How the benchmarks measure: in turns, so that whatever else the machine does hits all alike; the best counts.

Single-threaded work is timed by the processor time of its thread, which other programs disturb less than the wall
clock; work on several threads by the wall clock.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence

Work = Callable[[int], float]
"""Does something with a seed and says how many units of it were done."""


def rates(
    works: Mapping[str, Work], *, rounds: int = 15, clock: Callable[[], float] = time.thread_time
) -> dict[str, float]:
    """Units per second of each work: the best of *rounds*, taken in turns."""
    best = dict.fromkeys(works, 0.0)
    for number in range(rounds):
        for name, work in works.items():
            begin = clock()
            units = work(number)
            best[name] = max(best[name], units / max(clock() - begin, 1e-9))
    return best


def table(title: str, found: Mapping[str, float], unit: str, against: str) -> None:
    """Print rates with their ratio to one of them."""
    print(title)
    for name, rate in found.items():
        ratio = f"  {rate / found[against]:8.2f} x" if name != against else ""
        print(f"  {name:28} {rate / 1e6:12.2f} million {unit} per second{ratio}")


def verdict(name: str, value: float, wanted: float) -> bool:
    """Print whether an aim was reached."""
    reached = value >= wanted
    print(f"  {name}: {value:.2f}, at least {wanted:g} wanted: {'reached' if reached else 'MISSED'}")
    return reached


def close(found: Sequence[float], expected: Sequence[float], tolerance: float) -> bool:
    """Whether two lists of shares agree."""
    return all(abs(one - other) <= tolerance for one, other in zip(found, expected, strict=True))
