"""A network tournament: its plan, its matches, and their results on disk, so that it survives a kill.

Everything that has been played is in one SQLite file, each result in it before the next match begins; running the same
tournament again plays what is missing. Records of the matches themselves are in a file beside it.
"""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections.abc import Callable, Coroutine, Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from stratagem.errors import BrokenFile, UsageError
from stratagem.gdl_game import GdlGame
from stratagem.ggp.manager.manager import Manager, Terms
from stratagem.ggp.repository import game_at
from stratagem.ggp.tournament.entrants import Entrant, Entrants
from stratagem.loading import MachineName
from stratagem.play.match_state import RANDOM_ROLE
from stratagem.play.records.record import milliseconds
from stratagem.play.records.store import Records
from stratagem.play.tournaments.fixtures import Fixture, System, round_robin, swiss
from stratagem.play.tournaments.ratings import PairResult
from stratagem.play.tournaments.results import MatchResult, pair_results, points_of

MOST_TURNS: Final = 1000
"""A match that goes on for longer is aborted and counts 0 for all."""
RESULTS: Final = ("ranking.csv", "matches.csv", "index.html", "matches.sqlite")
"""Files that a tournament writes beside its own: they are its own only where that is there."""
SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS settings (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS results (
    round INTEGER NOT NULL, game TEXT NOT NULL, seats TEXT NOT NULL, goals TEXT NOT NULL, turns INTEGER NOT NULL,
    errors INTEGER NOT NULL, match TEXT NOT NULL, finished INTEGER NOT NULL, PRIMARY KEY (round, game, seats));
"""


@dataclass(frozen=True, slots=True)
class TournamentPlan:
    """What a tournament is."""

    games: tuple[str, ...]
    entrants: tuple[Entrant, ...]
    rounds: int = 1
    system: System = "round-robin"
    startclock: float = 10
    playclock: float = 5
    seed: int = 1

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(entrant.name for entrant in self.entrants)


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
        self._database = self._open()

    def close(self) -> None:
        self._database.close()

    async def run(
        self,
        *,
        parallel: int = 1,
        machine: MachineName | None = None,
        play_on: bool = False,
        patience: float = 0.0,
    ) -> list[MatchResult]:
        """Plays what is missing, on the fastest machine unless one is given; returns all results.

        A player on the network that is not there when it is needed ends it, after *patience* seconds, unless *play_on*
        has random moves made for it. What has been played is kept: the same tournament goes on from there.
        """
        Terms(self.plan.startclock, self.plan.playclock, patience=patience)  # refuses a wait that is none
        rounds = range(1, self.plan.rounds + 1)
        if all(fixture in self.results for round in rounds for fixture in self.fixtures(round)):
            return list(self.results.values())
        gate = asyncio.Semaphore(parallel)
        with Records(self.folder / "matches.sqlite", log=self.log) as records:
            async with Entrants(
                list(self.plan.entrants),
                seed=self.plan.seed,
                machine=machine,
                records=records,
                play_on=play_on,
                patience=patience,
                log=self.log,
            ) as entrants:
                for round in rounds:
                    missing = [fixture for fixture in self.fixtures(round) if fixture not in self.results]

                    async def play(fixture: Fixture) -> None:
                        async with gate:
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
        game = self.games[fixture.game]
        contacts = [entrants.contact(name, seat) for seat, name in enumerate(fixture.seats)]
        plan = self.plan
        seed = hash((plan.seed, fixture.round, len(self.results))) & 0xFFFFFFFF
        terms = Terms(
            plan.startclock,
            plan.playclock,
            tournament=self.folder.name,
            seed=seed,
            most_turns=MOST_TURNS,
            play_on=entrants.play_on,
            patience=entrants.patience,
        )
        identity = f"{fixture.id}.{milliseconds() & 0xFFFFFF:x}"
        record = await Manager(game, contacts, terms, records=records).run(identity)
        roles = [seat for seat, role in enumerate(game.roles) if role != RANDOM_ROLE]
        goals = (
            tuple((record.goals or ())[seat] or 0 for seat in roles) if record.goals else (0,) * len(roles)
        )
        return MatchResult(fixture, goals, len(record.moves), record.errors, record.id)

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
