"""The kernels that first moves need: compiled before they are asked for, or loaded from disk.

A family of kernels is compiled in a fraction of a second, once on a machine, and loaded in milliseconds. A process that
thinks begins with that when it starts, in the background; a player that serves does so before any clock runs.
"""

from __future__ import annotations

from typing import Final

from stratagem.kernels.translate.family import KernelFamily
from stratagem.native.jit.kernel_families import compile_ahead, compiled_family

PLAYERS: Final = frozenset({"stratagem", "mcts", "alphabeta", "database", "solver"})
"""Players that search with kernels, or have a part that does."""


def first_kernels(player: str) -> tuple[KernelFamily, ...]:
    """The families that *player* and its deputy may need for a first move, the most urgent first; none for most players."""
    if player not in PLAYERS:
        return ()
    from stratagem.engine.alpha_beta import kernel as alpha_beta
    from stratagem.engine.evaluation import self_play_kernel as self_play
    from stratagem.engine.mcts import kernel as mcts
    from stratagem.engine.puzzle import restarting_dfs
    from stratagem.engine.states import child_buffer, state_set
    from stratagem.machines.joins import evaluator as joins
    from stratagem.native.driver.build import EXPAND

    puzzles = (child_buffer.KERNELS, state_set.KERNELS, restarting_dfs.KERNELS)
    duels = (alpha_beta.KERNELS, self_play.KERNELS)
    wanted = {
        "stratagem": (EXPAND, mcts.KERNELS, *puzzles, *duels),
        "mcts": (EXPAND, mcts.KERNELS),
        "alphabeta": (EXPAND, *duels),
        "database": (EXPAND, mcts.KERNELS),
        "solver": (EXPAND, *puzzles),
    }
    return (*wanted[player], joins.KERNELS)  # the deputy's


def compile_first_kernels(player: str) -> None:
    """Compiles what *player* needs; returns when it is there."""
    for family in first_kernels(player):
        compiled_family(family)


def compile_first_kernels_ahead(player: str) -> None:
    """The same in the background."""
    compile_ahead(*first_kernels(player))
