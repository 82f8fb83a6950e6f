"""Rows of a frame from several base pointers, so that the distance of most fits into one byte of an instruction.

An instruction of AVX-512 holds a distance from -128 to 127 rows in one byte, any other in four. Code of a large circuit that
reads rows all over a frame is a quarter smaller where each row is reached from the pointer to a window of 256 rows around
it. The windows are chosen when all the rows are known: those with the most accesses first.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from typing import Final

from stratagem.native.emit.text import Text, VectorShape

WINDOW: Final = 256
MOST_WINDOWS: Final = 12
"""As many registers as can be spared for pointers."""
FEWEST: Final = 4
"""Accesses for which a window is worth its pointer."""


class WindowText(Text):
    """The body of a function whose rows lie in %frame, at numbers that are known."""

    def __init__(self, shape: VectorShape) -> None:
        super().__init__(shape)
        self._places: list[tuple[int, str, int]] = []
        """Lines that compute the address of a row: their number, the name of the address, the number of the row."""

    def at(self, pointer: str, row: int | str) -> str:
        if pointer != "%frame" or isinstance(row, str):
            return super().at(pointer, row)
        name = f"%{self.name()}"
        self._places.append((len(self.lines), name, row))
        self.lines.append("")
        return name

    def finish(self) -> None:
        """Write the addresses, and the pointers to the windows at the beginning of the body."""
        accesses = Counter(row for _, _, row in self._places)
        pointers: list[str] = []
        centres: dict[int, tuple[str, int]] = {}
        for number, (first, rows) in enumerate(windows(accesses)):
            centre = first + WINDOW // 2
            at, name = f"%window{number}", f"%opaque{number}"
            pointers.append(f"  {at} = getelementptr {self.row}, ptr %frame, i64 {centre}")
            # LLVM would turn the pointers back into long distances from one of them if it knew where they come from.
            pointers.append(f'  {name} = call ptr asm "", "=r,0"(ptr {at})')
            centres.update(dict.fromkeys(rows, (name, centre)))
        for line, name, row in self._places:
            base, centre = centres.get(row, ("%frame", 0))
            self.lines[line] = f"  {name} = getelementptr {self.row}, ptr {base}, i64 {row - centre}"
        self.lines[1:1] = pointers


def windows(accesses: Counter[int]) -> list[tuple[int, list[int]]]:
    """The windows in which most of the accesses lie: the first row of each, and the rows that belong to it."""
    found: list[tuple[int, list[int]]] = []
    left = dict(accesses)
    while left and len(found) < MOST_WINDOWS:
        rows = sorted(left)
        sums = [0]
        for row in rows:
            sums.append(sums[-1] + left[row])
        ends = [bisect_right(rows, row + WINDOW - 1) for row in rows]
        most, begin = max((sums[end] - sums[place], -place) for place, end in enumerate(ends))
        if most < FEWEST:
            break
        inside = rows[-begin : ends[-begin]]
        found.append((inside[0], inside))
        for row in inside:
            del left[row]
    return found
