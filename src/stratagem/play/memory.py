"""How much memory a search may take: never more than a share of what the machine has left.

Several matches may run at once, each with a tree, a table and a solver; a machine that runs out of memory ends one of
them without a word. What is free is asked of Linux, and of the container if there is one.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

SHARE: Final = 8
"""One search takes at most this part of what is left."""
LEAST: Final = 16 << 20
GROUP: Final = Path("/sys/fs/cgroup")
MACHINE: Final = Path("/proc/meminfo")


def available(machine: Path = MACHINE, group: Path = GROUP) -> int | None:
    """The bytes that can still be had; None where the system does not tell."""
    left = [amount for amount in (_of_machine(machine), _of_group(group)) if amount is not None]
    return min(left, default=None)


def fair_share(most: int, left: int | None = None) -> int:
    """*most* bytes, or less where little is left; *left* is asked of the system unless given.

    >>> fair_share(512 << 20, 1 << 30) >> 20
    128
    """
    left = available() if left is None else left
    return most if left is None else max(LEAST, min(most, left // SHARE))


def _of_machine(path: Path) -> int | None:
    try:
        lines = path.read_text(encoding="ascii").splitlines()
    except OSError:
        return None
    return next((int(line.split()[1]) << 10 for line in lines if line.startswith("MemAvailable:")), None)


def _of_group(folder: Path) -> int | None:
    try:
        limit = (folder / "memory.max").read_text(encoding="ascii").strip()
        used = (folder / "memory.current").read_text(encoding="ascii").strip()
    except OSError:
        return None
    return max(0, int(limit) - int(used)) if limit.isdecimal() and used.isdecimal() else None
