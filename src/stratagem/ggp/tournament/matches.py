"""A tournament's plan, and a match of it: played here, or as a task of an executor with its records sent back."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final
from zlib import crc32

from stratagem.gdl_game import GdlGame
from stratagem.ggp.manager.manager import Manager, Terms
from stratagem.ggp.tournament.entrants import Entrant, Entrants
from stratagem.loading import MachineName
from stratagem.play.match_state import RANDOM_ROLE
from stratagem.play.records.record import MatchRecord, milliseconds
from stratagem.play.records.store import Records
from stratagem.play.tournaments.fixtures import Fixture, System
from stratagem.play.tournaments.results import MatchResult

MOST_TURNS: Final = 1000
"""A match that goes on for longer is aborted and counts 0 for all."""


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


async def play_match(
    plan: TournamentPlan, name: str, game: GdlGame, fixture: Fixture, entrants: Entrants, records: Records
) -> MatchResult:
    """Plays one match of the tournament called *name*; its seed depends on the plan and the fixture alone."""
    contacts = [entrants.contact(each, seat) for seat, each in enumerate(fixture.seats)]
    terms = Terms(
        plan.startclock,
        plan.playclock,
        tournament=name,
        seed=crc32(f"{plan.seed} {fixture.id}".encode()),
        most_turns=MOST_TURNS,
        play_on=entrants.play_on,
        patience=entrants.patience,
    )
    identity = f"{fixture.id}.{milliseconds() & 0xFFFFFF:x}"
    record = await Manager(game, contacts, terms, records=records).run(identity)
    roles = [seat for seat, role in enumerate(game.roles) if role != RANDOM_ROLE]
    goals = tuple((record.goals or ())[seat] or 0 for seat in roles) if record.goals else (0,) * len(roles)
    return MatchResult(fixture, goals, len(record.moves), record.errors, record.id)


def play_fixture(
    plan: TournamentPlan,
    name: str,
    game: GdlGame,
    fixture: Fixture,
    machine: MachineName | None,
    play_on: bool,
    patience: float,
    remember: bool,
) -> tuple[MatchResult, list[MatchRecord]]:
    """The result of a match, and all records of it: the host's and those of players of ours."""

    async def play(records: Records) -> MatchResult:
        seated = [entrant for entrant in plan.entrants if entrant.name in fixture.seats]
        async with Entrants(
            seated,
            seed=plan.seed,
            machine=machine,
            remember=remember,
            records=records,
            play_on=play_on,
            patience=patience,
        ) as entrants:
            return await play_match(plan, name, game, fixture, entrants, records)

    with TemporaryDirectory(prefix="stratagem-match-", ignore_cleanup_errors=True) as folder:
        with Records(Path(folder) / "matches.sqlite") as records:
            result = asyncio.run(play(records))
            return result, records.sides(result.match)
