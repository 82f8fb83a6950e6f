"""Tournaments of the workbench: played in a worker process, kept on disk, continued after a kill."""

from __future__ import annotations

import asyncio
import json
import re
import sqlite3
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from stratagem import sheets as bundled
from stratagem.errors import BrokenFile, UsageError
from stratagem.ggp.tournament.entrants import Entrant
from stratagem.ggp.tournament.matches import TournamentPlan
from stratagem.ggp.tournament.results import ranking_of
from stratagem.ggp.tournament.tournament import Tournament
from stratagem.play.players import player_names
from stratagem.play.records.store import data_directory
from stratagem.play.tournaments.ratings import Rating
from stratagem.play.tournaments.results import cross_table
from stratagem.plural import plural
from stratagem.web.app.address import game_title
from stratagem.web.app.limits import TOURNAMENT_CLOCK
from stratagem.web.app.setting import clock_from
from stratagem.web.workers.worker_process import Heard

NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,39}")
MOST_GAMES: Final = 8
MOST_ROUNDS: Final = 20
FILE: Final = "tournament.sqlite"


@dataclass(frozen=True, slots=True)
class Listed:
    """A tournament that can be looked at."""

    name: str
    games: tuple[str, ...]
    players: tuple[str, ...]
    played: int
    running: int = 0
    """How many matches are being played."""


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a tournament stands."""

    name: str
    summary: str
    ratings: tuple[Rating, ...]
    cross: tuple[tuple[str, ...], ...]
    matches: tuple[tuple[int, str, str, int, str], ...]
    """Round, game, result, turns and the id of each match."""
    missing: int = 0
    """Matches that are still to be played."""
    running: tuple[tuple[str, int], ...] = ()
    """Those that are being played, each with when it began, in milliseconds."""


def folders() -> dict[str, Path]:
    """All tournaments of this machine, by name: those of the workbench, and what lies in the folder we were started in."""
    found: dict[str, Path] = {}
    home = data_directory() / "tournaments"
    for folder in [
        *(sorted(home.iterdir()) if home.is_dir() else ()),
        *sorted(Path.cwd().glob("tournament*")),
    ]:
        if NAME.fullmatch(folder.name) and (folder / FILE).is_file():
            found.setdefault(folder.name, folder)
    return found


def listed(*, tell: Heard) -> list[Listed]:
    """What there is to look at; files that cannot be read are left out."""
    found = []
    for name, folder in folders().items():
        try:
            plan, played, running = _read(folder)
        except BrokenFile:
            continue
        found.append(Listed(name, plan.games, plan.names, played, running))
    return found


def standing(name: str, *, tell: Heard) -> Standing:
    """The ranking, who against whom, and all matches."""
    folder = folders().get(name)
    if folder is None:
        raise UsageError(f"no tournament is called {name[:40]}", hint="choose one from the list")
    plan = _read(folder)[0]
    tournament = Tournament(plan, folder)
    try:
        rated = ranking_of(tournament)
        names = [rating.player for rating in rated]
        cross = cross_table(names, tournament.comparisons())
        matches = tuple(
            (
                result.fixture.round,
                result.fixture.game,
                ", ".join(
                    f"{who} {goal}" for who, goal in zip(result.fixture.seats, result.goals, strict=True)
                ),
                result.turns,
                result.match,
            )
            for result in tournament.results.values()
        )
        planned = [fixture for number in range(1, plan.rounds + 1) for fixture in tournament.fixtures(number)]
        missing = sum(fixture not in tournament.results for fixture in planned)
        running = tuple(tournament.running())
    finally:
        tournament.close()
    summary = (
        f"{', '.join(map(game_title, plan.games))}: {plural(plan.rounds, 'round')} ({plan.system}), "
        f"{plan.playclock:g} s a move, {plural(len(matches), 'match', 'matches')} played"
    )
    return Standing(name, summary, tuple(rated), tuple(map(tuple, cross)), matches, missing, running)


def play(
    name: str, games: tuple[str, ...], players: tuple[str, ...], rounds: int, clock: float, *, tell: Heard
) -> str:
    """Plays a tournament, or what is missing of it; tells every result."""
    if not NAME.fullmatch(name):
        raise UsageError("a tournament needs a name of letters, digits, - and _", hint="choose another name")
    if not 1 <= len(games) <= MOST_GAMES or any(game not in bundled.names() for game in games):
        raise UsageError(f"choose 1 to {MOST_GAMES} bundled games")
    if len(set(players)) < 2 or any(player not in player_names() for player in players):
        raise UsageError("choose two players or more")
    if not 1 <= rounds <= MOST_ROUNDS:
        raise UsageError(f"choose 1 to {MOST_ROUNDS} rounds")
    clock = clock_from(clock, *TOURNAMENT_CLOCK)
    plan = TournamentPlan(
        games=games,
        entrants=tuple(map(Entrant.of, players)),
        rounds=rounds,
        startclock=max(2.0, clock),
        playclock=clock,
    )
    folder = data_directory() / "tournaments" / name
    if (folder / FILE).is_file() and _read(folder)[0] != plan:
        raise UsageError(
            f"there is a tournament called {name} already, with other settings", hint="choose another name"
        )
    tournament = Tournament(plan, folder, log=tell)
    try:
        tell("The tournament begins …")
        asyncio.run(tournament.run())
    finally:
        tournament.close()
    return name


def _read(folder: Path) -> tuple[TournamentPlan, int, int]:
    """The plan of a tournament, and how many matches have been played and are being played."""
    try:
        database = sqlite3.connect(f"file:{folder / FILE}?mode=ro", uri=True)
        try:
            row = database.execute("SELECT value FROM settings WHERE name = 'plan'").fetchone()
            played = int(database.execute("SELECT count(*) FROM results").fetchone()[0])
            known = database.execute("SELECT 1 FROM sqlite_master WHERE name = 'running'").fetchone()
            running = 0
            if known is not None:  # files of earlier versions have no such table
                running = int(database.execute("SELECT count(*) FROM running").fetchone()[0])
        finally:
            database.close()
        data = json.loads(row[0])
        plan = TournamentPlan(
            games=tuple(data["games"]),
            entrants=tuple(Entrant(**one) for one in data["entrants"]),
            rounds=data["rounds"],
            system=data["system"],
            startclock=data["startclock"],
            playclock=data["playclock"],
            seed=data["seed"],
        )
    except (sqlite3.Error, OSError, TypeError, KeyError, ValueError) as failure:
        raise BrokenFile(f"the tournament in {folder.name} cannot be read: {failure}") from failure
    return plan, played, running
