from __future__ import annotations

import os
import subprocess
import sys

import pytest

from stratagem.play.clock import Margin
from stratagem.play.process import fork_server
from stratagem.play.process.protocol import Report
from stratagem.play.process.timed_player import TimedPlayer

PLAYED = """
import sys
from numba.core import event
from stratagem.loading import load
from stratagem.play.clock import Deadline
from stratagem.play.match_state import Match
from stratagem.play.players import player_named
from stratagem.play.process.warmup import call_kernels

class Heard(event.Listener):
    def on_start(self, event):
        print("compiled", event.data["dispatcher"])
    def on_end(self, event):
        pass

call_kernels()
event.register("numba:compile", Heard())
for name in ("eightpuzzle", "pegsolitaire", "connectfour", "biddingtictactoe", "checkers"):
    game = load(name)
    match = Match.of(game, game.roles[0], id=name, startclock=10, playclock=3)
    player = player_named("stratagem", seed=1)
    player.start(match, Deadline.after(10))
    print("played", player.play(match, Deadline.after(3), lambda *offer, **more: None).thought.player)
"""


@pytest.mark.slow
def test_a_player_compiles_no_kernel_once_they_have_been_called(tmp_path):
    """With an empty cache, or a kernel that another test has compiled would be found on disk."""
    environment = {**os.environ, "STRATAGEM_CACHE": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", PLAYED], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines() == ["played stratagem"] * 5


@pytest.mark.realtime
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has a fork_server")
def test_workers_of_a_warm_fork_server_think_and_those_of_the_one_before_live_on():
    from stratagem import sheets as games

    before = fork_server.fork_server()
    old = TimedPlayer("random", machine="reasoner", margin=Margin(0.0))
    old.start("m1", "xplayer", games.source("tictactoe").text, 60, 60).result()
    fork_server.warm_fork_server()
    after = fork_server.fork_server()
    assert after is not before
    assert os.path.exists(f"/proc/{before._process.pid}")
    new = TimedPlayer("alphabeta", margin=Margin(0.0))
    try:
        new.start("m2", "xplayer", games.source("tictactoe").text, 10, 60).result()
        answer = new.play(Report()).result()
        assert answer.source == "thinker"
        assert answer.thought.solved and answer.thought.value == 50
        assert after.spawned == 2
        assert old.play(Report()).result().source == "thinker"
    finally:
        old.close()
        new.close()
