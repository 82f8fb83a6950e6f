"""Simulations, random matches and depth of MCTS from the start of a game in 2.5 seconds on one thread.

The yardstick is plain UCT (`yardstick_uct`) on the same compiled rules, in the same run: the simulations that one match each
allows. Published sheets are read from STRATAGEM_CORPUS, or from beside the project, and left out where they are absent. The
figures are those of a quiet machine or of none.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any, Final

from benchmarks.yardstick_uct import PlainUct
from stratagem.engine import Mcts
from stratagem.gdl_game import GdlGame
from stratagem.limit import Limit
from stratagem.loading import load

SECONDS: Final = 2.5
WARM: Final = 0.2
CORPUS: Final = Path(os.environ.get("STRATAGEM_CORPUS") or Path(__file__).parents[2] / "shared" / "corpus")
GAMES: Final[dict[str, tuple[str, dict[str, int], int]]] = {
    "hex, published": (str(CORPUS / "games" / "hex.kif"), {}, 50_000),
    "skirmish, published": (str(CORPUS / "games" / "skirmish.kif"), {}, 30_000),
    "breakthrough": ("breakthrough", {}, 300_000),
    "connect four": ("connectfour", {}, 200_000),
    "reversi": ("reversi", {}, 0),
    "hex 9x9": ("hex", {"size": 9}, 0),
}
"""The sheet, its sizes, and the simulations that are aimed at (0: none)."""


def prepared(name: str, sizes: dict[str, Any]) -> GdlGame:
    """A game whose machine code is all there."""
    game = load(name, machine="native", **sizes)
    game.compiled.compile(wait=True)
    Mcts(game, memory=1 << 20).maker.kernel.wait()
    return game


def yardstick(game: GdlGame) -> int:
    """Iterations of plain UCT in the same time."""
    plain = PlainUct(game, seed=1)
    end = time.perf_counter() + SECONDS
    return plain.search(game.initial().facts(), lambda: time.perf_counter() >= end)[1]


def main() -> None:
    print(f"MCTS from the start in {SECONDS} s, one thread")
    print(f"  {'':20} {'simulations':>12} {'matches':>12} {'depth':>6} {'plain UCT':>10} {'aim':>16}")
    for title, (name, sizes, aim) in GAMES.items():
        if name.endswith(".kif") and not Path(name).is_file():
            print(f"  {title:20} (no published sheets here)")
            continue
        game = prepared(name, sizes)
        Mcts(game, seed=1).search(game.initial(), Limit(seconds=WARM))
        counters = Mcts(game, seed=1).search(game.initial(), Limit(seconds=SECONDS)).counters
        assert counters.playouts >= counters.nodes / 2 > 0, "every simulation is a match or a known end"
        plain = f"{yardstick(game):,}" if len(game.roles) == 2 else ""
        wanted = f"{aim:,} {'reached' if counters.nodes >= aim else 'MISSED'}" if aim else ""
        found = f"{counters.nodes:12,} {counters.playouts:12,} {counters.depth:6}"
        print(f"  {title:20} {found} {plain:>10} {wanted:>16}", flush=True)


if __name__ == "__main__":
    main()
