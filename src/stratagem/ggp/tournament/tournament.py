"""A network tournament: its plan, its matches, and their results on disk, so that it survives a kill.

Everything that has been played is in one SQLite file, each result in it before the next match begins; running the same
tournament again plays what is missing. Records of the matches themselves are in a file beside it.
"""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections.abc import Callable, Coroutine, Iterable, Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from stratagem.errors import BrokenFile, UsageError
from stratagem.executor.interface import Executor
from stratagem.gdl_game import GdlGame
from stratagem.ggp.manager.manager import Terms
from stratagem.ggp.repository import game_at
from stratagem.ggp.tournament.entrants import Entrants
from stratagem.ggp.tournament.matches import TournamentPlan, play_fixture, play_match
from stratagem.loading import MachineName
from stratagem.play.match_state import RANDOM_ROLE
from stratagem.play.records.record import milliseconds
from stratagem.play.records.store import Records
from stratagem.play.tournaments.fixtures import Fixture, round_robin, swiss
from stratagem.play.tournaments.ratings import PairResult
from stratagem.play.tournaments.results import MatchResult, pair_results, points_of

RESULTS: Final = ("ranking.csv", "matches.csv", "index.html", "matches.sqlite")
"""Files that a tournament writes beside its own: they are its own only where that is there."""
SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS settings (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS results (
    round INTEGER NOT NULL, game TEXT NOT NULL, seats TEXT NOT NULL, goals TEXT NOT NULL, turns INTEGER NOT NULL,
    errors INTEGER NOT NULL, match TEXT NOT NULL, finished INTEGER NOT NULL, PRIMARY KEY (round, game, seats));
CREATE TABLE IF NOT EXISTS running (match TEXT PRIMARY KEY, began INTEGER NOT NULL);
"""


class Tournament:
    """A plan, and what has been played of it, in a *folder*."""

    def __init__(
        self, plan: TournamentPlan, folder: str | Path, *, log: Callable[[str], None] = lambda text: None
    ) -> None:
        if len(plan.entrants) < 2:
            raise UsageError("a tournament needs two players or more", hint="name them after --players")
        Terms(plan.startclock, plan.playclock)  # refuses clocks that are none
        if not plan.games:
            raise UsageError("a tournament needs a game or more", hint="name them after --games")
        self.plan = plan
        self.folder = Path(folder)
        self.log = log
        self.games: dict[str, GdlGame] = {name: game_at(name) for name in plan.games}
        self.results: dict[Fixture, MatchResult] = {}
        self._played = False
        self._database = self._open()

    def close(self) -> None:
        with suppress(sqlite3.Error):
            if self._played:
                self._database.execute("DELETE FROM running")
        self._database.close()

    async def run(
        self,
        *,
        parallel: int = 1,
        machine: MachineName | None = None,
        play_on: bool = False,
        patience: float = 0.0,
        remember: bool = False,
        on: Executor | None = None,
        cores: float | None = None,
    ) -> list[MatchResult]:
        """Plays what is missing, on the fastest machine unless one is given; returns all results.

        With *remember* our players use what is on disk about the rules, and keep what they learn.
        With an executor, *on*, matches are tasks there: each reserves so many *cores*, one for each seat unless given. What is
        lost with a node or a process is played again.

        A player on the network that is not there when it is needed ends it, after *patience* seconds, unless *play_on*
        has random moves made for it. What has been played is kept: the same tournament goes on from there.
        """
        Terms(self.plan.startclock, self.plan.playclock, patience=patience)  # refuses a wait that is none
        rounds = range(1, self.plan.rounds + 1)
        if all(fixture in self.results for round in rounds for fixture in self.fixtures(round)):
            return list(self.results.values())
        gate = asyncio.Semaphore(parallel)
        self._played = True
        self._database.execute("DELETE FROM running")  # of one that was killed
        with Records(self.folder / "matches.sqlite", log=self.log) as records:
            if on is not None:
                for round in rounds:
                    self._play_round(round, on, cores, records, machine, play_on, patience, remember)
                return list(self.results.values())
            async with Entrants(
                list(self.plan.entrants),
                seed=self.plan.seed,
                machine=machine,
                remember=remember,
                records=records,
                play_on=play_on,
                patience=patience,
                log=self.log,
            ) as entrants:
                for round in rounds:
                    missing = [fixture for fixture in self.fixtures(round) if fixture not in self.results]

                    async def play(fixture: Fixture) -> None:
                        async with gate:
                            self._begin([fixture])
                            self._keep(await self._match(fixture, entrants, records))

                    await all_or_first_fault(map(play, missing))
        return list(self.results.values())

    def fixtures(self, round: int) -> list[Fixture]:
        """What is to be played in a round, given the rounds before it."""
        fixtures: list[Fixture] = []
        for name in self.plan.games:
            roles = len([role for role in self.games[name].roles if role != RANDOM_ROLE])
            if self.plan.system == "swiss" and roles == 2:
                done = [result for result in self.results.values() if result.fixture.round < round]
                points = points_of(done)
                played = [result.fixture for result in done]
                fixtures += swiss(round, name, self.plan.names, points, played)
            else:
                fixtures += round_robin(round, name, roles, self.plan.names)
        return fixtures

    def comparisons(self) -> list[PairResult]:
        """All results, pair by pair."""
        return pair_results(self.results.values())

    async def _match(self, fixture: Fixture, entrants: Entrants, records: Records) -> MatchResult:
        return await play_match(
            self.plan, self.folder.name, self.games[fixture.game], fixture, entrants, records
        )

    def _play_round(
        self,
        round: int,
        on: Executor,
        cores: float | None,
        records: Records,
        machine: MachineName | None,
        play_on: bool,
        patience: float,
        remember: bool,
    ) -> None:
        """Plays what is missing of a round on an executor; every result is kept as it comes."""
        missing = [fixture for fixture in self.fixtures(round) if fixture not in self.results]
        tasks = [
            (self.plan, self.folder.name, self.games[each.game], each, machine, play_on, patience, remember)
            for each in missing
        ]
        needed = max((len(each.seats) for each in missing), default=1) if cores is None else cores
        slots = max(1, int(on.cores / needed))
        self._begin(missing[:slots])
        for _, (result, kept) in on.map(play_fixture, tasks, cores=needed):
            for record in kept:
                number = records.add(record)
                for remark in record.remarks:
                    records.remark(number, remark)
            self._keep(result)
            self._begin([each for each in missing if each not in self.results][:slots])

    # -- the file ------------------------------------------------------------------------------------------

    def _open(self) -> sqlite3.Connection:
        path = self.folder / "tournament.sqlite"
        plan = json.dumps(asdict(self.plan), sort_keys=True)
        written = [name for name in RESULTS if (self.folder / name).exists()]
        if written and not path.exists():
            raise UsageError(
                f"{self.folder} holds {written[0]}, and no tournament wrote it",
                hint="choose another folder with --out",
            )
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            database = sqlite3.connect(path, isolation_level=None)
            database.executescript(SCHEMA)
            row = database.execute("SELECT value FROM settings WHERE name = 'plan'").fetchone()
            if row is None:
                database.execute("INSERT INTO settings VALUES ('plan', ?)", (plan,))
            self.results = {result.fixture: result for result in map(_result, _rows(database))}
        except (sqlite3.Error, OSError) as failure:
            raise BrokenFile(
                f"the tournament at {path} cannot be used: {failure}", hint="choose another folder with --out"
            ) from failure
        if row is not None and row[0] != plan:
            database.close()
            raise UsageError(
                f"{self.folder} holds another tournament",
                hint="choose another folder with --out, or the same settings",
            )
        return database

    def running(self) -> list[tuple[str, int]]:
        """The matches that are being played, each with when it began, in milliseconds; for the pages that show them."""
        rows = self._database.execute("SELECT match, began FROM running ORDER BY began, match").fetchall()
        return [(str(match), int(began)) for match, began in rows]

    def _begin(self, fixtures: Sequence[Fixture]) -> None:
        rows = [(fixture.id, milliseconds()) for fixture in fixtures]
        self._database.executemany("INSERT OR IGNORE INTO running VALUES (?, ?)", rows)

    def _keep(self, result: MatchResult) -> None:
        fixture = result.fixture
        row = (
            fixture.round,
            fixture.game,
            json.dumps(fixture.seats),
            json.dumps(result.goals),
            result.turns,
            result.errors,
            result.match,
            milliseconds(),
        )
        self._database.execute("INSERT OR REPLACE INTO results VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)
        self._database.execute("DELETE FROM running WHERE match = ?", (fixture.id,))
        self.results[fixture] = result
        goals = " ".join(f"{name} {goal}" for name, goal in zip(fixture.seats, result.goals, strict=True))
        self.log(f"round {fixture.round}, {fixture.game}: {goals}")


async def all_or_first_fault(works: Iterable[Coroutine[Any, Any, None]]) -> None:
    """Does all *works* at once; where one fails, the others are broken off and its fault is raised."""
    tasks = [asyncio.ensure_future(work) for work in works]
    try:
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _rows(database: sqlite3.Connection) -> list[tuple[Any, ...]]:
    return database.execute(
        "SELECT round, game, seats, goals, turns, errors, match FROM results ORDER BY finished"
    ).fetchall()


def _result(row: tuple[Any, ...]) -> MatchResult:
    round, game, seats, goals, turns, errors, match = row
    fixture = Fixture(round, game, tuple(json.loads(seats)))
    return MatchResult(fixture, tuple(json.loads(goals)), turns, errors, match)
