"""The timed player of a role in the workbench, with workers that are not processes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from stratagem.errors import LimitExceeded
from stratagem.play.choice import Thought
from stratagem.play.process.protocol import BeginMatch, Command, Offered, Ready, TakeTurn, Trouble
from stratagem.play.process.worker import WorkerConfig
from stratagem.web.app.address import Sheet
from stratagem.web.tasks.thinking import PlayerSeat, Thinking
from stratagem.web.workers.player_process import SOLVING, PlayerProcess, searched, startclock_of

SEAT = PlayerSeat(Sheet("tictactoe"), "xplayer", "stratagem", 0.5)


class Scripted:
    """A worker whose *thoughts* are offered one after the other, one for each turn."""

    def __init__(self, config: WorkerConfig, hear: Callable[[Any], None], thoughts: list[Thought]) -> None:
        self.config = config
        self.hear = hear
        self.thoughts = thoughts
        self.begun: list[BeginMatch] = []
        self.turns: list[TakeTurn] = []
        self.killed = False

    def send(self, command: Command) -> None:
        if isinstance(command, BeginMatch):
            self.begun.append(command)
            self.hear(Ready(("xplayer", "oplayer"), "native", 0.0))
        if isinstance(command, TakeTurn):
            self.turns.append(command)
            thought = self.thoughts.pop(0) if self.thoughts else Thought("", "", nodes=99)
            self.hear(Offered(command.number, "(Mark 1 1)", thought, done=False))
            self.hear(Offered(command.number, "(Mark 1 1)", thought, done=True))

    def kill(self) -> None:
        self.killed = True


def think(
    thoughts: list[Thought], seat: PlayerSeat = SEAT
) -> tuple[Thinking, list[Scripted], list[Thinking]]:
    workers: list[Scripted] = []
    heard: list[Thinking] = []

    def spawn(config: WorkerConfig, hear: Callable[[Any], None]) -> Any:
        workers.append(Scripted(config, hear, thoughts if config.ponders else []))
        return workers[-1]

    async def run() -> Thinking:
        process = PlayerProcess(nice=7, spawn=spawn)
        process.prepare(seat, "the rules", 2)
        found = await process.think(seat, "the rules", 2, (("(mark 2 2)", "noop"),), 9, heard.append)
        await asyncio.sleep(0.05)
        assert process.busy == 0
        process.clear()
        return found

    return asyncio.run(run()), workers, heard


def test_a_player_begins_with_the_page_and_is_asked_with_all_that_was_played() -> None:
    found, workers, heard = think([Thought("mcts", "because", nodes=20)])
    thinker = workers[0]
    assert found == Thinking("xplayer", "(mark 1 1)", Thought("mcts", "because", nodes=20).as_json())
    assert [begin.startclock for begin in thinker.begun] == [SEAT.seconds]
    assert [report.moves for report in thinker.turns[0].update.reports] == [("(mark 2 2)", "noop")]
    assert {one.move for one in heard} == {"(mark 1 1)"}, (
        "at least once: how often depends on how long it took"
    )
    assert {worker.config.nice for worker in workers} == {7}
    assert [(worker.config.player, worker.config.machine) for worker in workers] == [
        ("stratagem", None),
        ("uct", "joins"),
    ]


def test_a_move_without_a_search_behind_it_is_asked_for_once_more() -> None:
    found, workers, _ = think(
        [Thought("stratagem", "not ready", nodes=5), Thought("mcts", "a search", nodes=20)]
    )
    assert found.thought["why"] == "a search"
    assert len(workers[0].turns) == 2
    plain, workers, _ = think([Thought("legal", "the first legal move")], replace(SEAT, player="legal"))
    assert plain.thought["why"] == "the first legal move"
    assert len(workers[0].turns) == 1


def test_a_puzzle_is_solved_before_the_first_move_and_other_games_begin_by_their_clock() -> None:
    assert startclock_of(SEAT, 1) == startclock_of(replace(SEAT, player="solver"), 1) == SOLVING
    assert startclock_of(replace(SEAT, player="uct"), 1) == startclock_of(SEAT, 2) == SEAT.seconds


def test_a_search_counts_where_it_could_have_looked_at_every_move() -> None:
    assert searched(Thought(nodes=9), 9)
    assert searched(Thought(solved=True), 9)
    assert not searched(Thought(nodes=8), 9)


def test_a_player_that_is_ended_while_it_thinks_is_reported() -> None:
    def spawn(config: WorkerConfig, hear: Callable[[Any], None]) -> Any:
        worker = Scripted(config, hear, [])
        worker.send = lambda command: None  # type: ignore[method-assign]
        return worker

    async def run() -> None:
        process = PlayerProcess(spawn=spawn)
        asked = asyncio.ensure_future(process.think(SEAT, "the rules", 2, (), 9, lambda found: None))
        await asyncio.sleep(0.05)
        process.clear()
        with pytest.raises(LimitExceeded, match="its process was ended"):
            await asked

    asyncio.run(run())


def test_rules_that_no_worker_can_load_are_refused() -> None:
    def spawn(config: WorkerConfig, hear: Callable[[Any], None]) -> Any:
        worker = Scripted(config, hear, [])
        worker.send = lambda command: hear(Trouble("no such role", fatal=True))  # type: ignore[method-assign]
        return worker

    async def run() -> None:
        process = PlayerProcess(spawn=spawn)
        with pytest.raises(LimitExceeded, match="no such role"):
            await process.think(SEAT, "the rules", 2, (), 9, lambda found: None)
        process.clear()

    asyncio.run(run())
