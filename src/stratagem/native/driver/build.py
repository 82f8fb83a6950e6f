"""The drivers: what all games share of `expand` and `batch`, as machine code.

Written in the kernel language, optimised by LLVM once for each machine, then loaded from disk
in a few milliseconds.
"""

from __future__ import annotations

from typing import Final

from stratagem.kernels.translate.family import KernelFamily
from stratagem.native.driver.batch import (
    batch_check,
    batch_choose,
    batch_ends,
    batch_final,
    batch_legal,
    batch_load,
    batch_pack,
    batch_reset,
    batch_step,
)
from stratagem.native.driver.expand import advance, evaluate, expand

EXPAND: Final = KernelFamily("expand", (expand, evaluate, advance))
BATCH: Final = KernelFamily(
    "batch",
    (
        batch_load,
        batch_pack,
        batch_legal,
        batch_ends,
        batch_final,
        batch_check,
        batch_step,
        batch_reset,
        batch_choose,
    ),
)
