"""The kernels that first moves need are there before they are asked for."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from stratagem.native.jit import kernel_families
from stratagem.play.clock import Margin
from stratagem.play.players import player_names
from stratagem.play.process.first_kernels import compile_first_kernels, first_kernels
from stratagem.play.process.protocol import Report
from stratagem.play.process.timed_player import TimedPlayer


def test_players_that_search_on_compiled_rules_have_kernels_to_begin_with() -> None:
    with_kernels = {name for name in player_names() if first_kernels(name)}
    assert with_kernels == {"stratagem", "mcts", "alphabeta", "database", "solver"}


def test_what_is_compiled_first_is_on_disk_for_every_other_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STRATAGEM_CACHE", str(tmp_path))
    monkeypatch.setattr(kernel_families, "_compiled", {})
    compile_first_kernels("solver")
    kept = len(list((tmp_path / "native").glob("*/*.o")))
    assert kept == len(first_kernels("solver"))


@pytest.mark.realtime
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has a fork server")
def test_a_worker_process_thinks_with_the_engine() -> None:
    from stratagem import sheets as games

    player = TimedPlayer("alphabeta", margin=Margin(0.0))
    try:
        player.start("m2", "xplayer", games.source("tictactoe").text, 10, 60).result()
        answer = player.play(Report()).result()
        assert answer.source == "thinker"
        assert answer.thought.solved and answer.thought.value == 50
    finally:
        player.close()
