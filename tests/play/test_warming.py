from __future__ import annotations

from stratagem.engine import alpha_beta_kernel, evaluation_learning, mcts_kernel
from stratagem.play.warming import warm, warm_beside


def test_every_kernel_that_players_call_is_compiled_once_it_is_warm():
    warm()
    for kernel in (mcts_kernel.grow, alpha_beta_kernel.search, evaluation_learning._walk):
        assert len(kernel.signatures) == 1


def test_a_process_beside_warms_and_ends_by_itself():
    assert warm_beside().wait(timeout=120) == 0
