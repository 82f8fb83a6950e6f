"""The drivers: what all games share of `expand` and `batch`, as machine code.

Written in the kernel language, optimised by LLVM once for each machine, then loaded from disk
in a few milliseconds.
"""

from __future__ import annotations

from typing import Final

from stratagem.kernels.translate.family import KernelFamily
from stratagem.native.driver.batch import batch_choose, batch_load, batch_random, batch_reset, batch_step
from stratagem.native.driver.batch_views import (
    batch_choices,
    batch_goals,
    batch_legal,
    batch_observe,
    batch_pack,
    batch_refused,
    batch_rewards,
    batch_terminated,
)
from stratagem.native.driver.expand import advance, evaluate, expand

EXPAND: Final = KernelFamily("expand", (expand, evaluate, advance))
BATCH: Final = KernelFamily(
    "batch",
    (
        batch_load,
        batch_reset,
        batch_step,
        batch_choose,
        batch_random,
        batch_pack,
        batch_observe,
        batch_legal,
        batch_choices,
        batch_terminated,
        batch_refused,
        batch_goals,
        batch_rewards,
    ),
)
