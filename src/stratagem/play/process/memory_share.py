"""The memory share of one search: a part of what the machine has left.

Several matches may run at once, each with a tree, a table and a solver; a machine that runs out of memory ends one of
them without a notification. What is free is asked of the system, and of the container if there is one.
"""

from __future__ import annotations

from typing import Final

from stratagem.platform import available_memory

SHARE: Final = 8
"""One search takes at most this part of what is left."""
LEAST: Final = 16 << 20


def fair_share(most: int, left: int | None = None) -> int:
    """*most* bytes, or less where little is left; *left* is asked of the system unless given.

    >>> fair_share(512 << 20, 1 << 30) >> 20
    128
    """
    left = available_memory() if left is None else left
    return most if left is None else max(LEAST, min(most, left // SHARE))
