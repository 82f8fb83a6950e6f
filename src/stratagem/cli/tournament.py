"""`stratagem tournament`: matches between many players, and their ratings."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated, Final

import typer

from stratagem.cli.common.arguments import PlayOn, Remember, Wait, at_least, more_than
from stratagem.cli.common.running import HERE, On, running_on

SYSTEMS: Final = ("round-robin", "swiss")


def tournament(
    games: Annotated[str, typer.Option(help="Names of games, separated by commas.")],
    players: Annotated[
        str, typer.Option(help="stratagem, uct, cmd:PROGRAM {port}, HOST:PORT; NAME=... renames.")
    ],
    rounds: Annotated[int, typer.Option(min=1, help="The number of rounds.")] = 1,
    system: Annotated[str, typer.Option(help="round-robin or swiss.")] = "round-robin",
    startclock: Annotated[float, typer.Option(min=0, help="Seconds before the first move.")] = 10,
    playclock: Annotated[float, typer.Option(min=0, help="Seconds for each move.")] = 5,
    out: Annotated[Path, typer.Option(help="A folder for the results; an existing one is continued.")] = Path(
        "tournament"
    ),
    parallel: Annotated[int, typer.Option(min=1, help="The number of matches at once.")] = 1,
    seed: Annotated[int, typer.Option(callback=at_least(0), help="The seed of all random choices.")] = 1,
    remember: Remember = False,
    play_on: PlayOn = False,
    wait: Wait = 0,
    on: On = HERE,
    cores: Annotated[
        float | None,
        typer.Option(
            callback=more_than(0),
            help="Cores that a match reserves with --on; by default one per player.",
        ),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the ranking as JSON.")] = False,
) -> None:
    """Run a tournament: round-robin, each player in every role, or by the Swiss system.

    With --on each match is a task that reserves cores, so that matches do not compete for processor time. Every result is on
    disk before the next match begins: after an interruption the same command plays what is missing. Ratings are Elo with 95 %
    intervals. An absent player is reported before the first match, with exit code 1.
    """
    from dataclasses import asdict
    from json import dumps

    from stratagem.errors import UsageError
    from stratagem.ggp.tournament.entrants import Entrant
    from stratagem.ggp.tournament.matches import TournamentPlan
    from stratagem.ggp.tournament.results import ranking_of, ranking_rows, write_results
    from stratagem.ggp.tournament.tournament import Tournament
    from stratagem.play.tournaments.ratings import need_choix

    if system not in SYSTEMS:
        raise UsageError(f"no system called {system}", hint=f"choose {' or '.join(SYSTEMS)}")
    need_choix()
    plan = TournamentPlan(
        games=_listed(games),
        entrants=tuple(map(Entrant.of, _listed(players))),
        rounds=rounds,
        system=system,  # type: ignore[arg-type]
        startclock=startclock,
        playclock=playclock,
        seed=seed,
    )

    def say(text: str) -> None:
        if not json:
            typer.echo(text)

    whole = Tournament(plan, out, log=say)
    try:
        if whole.results:
            say(f"{len(whole.results)} matches have been played already")
        with running_on(on) as executor:
            asyncio.run(
                whole.run(
                    parallel=parallel,
                    play_on=play_on,
                    patience=wait,
                    remember=remember,
                    on=executor,
                    cores=cores,
                )
            )
        paths = write_results(whole)
        rated = ranking_of(whole)
    except KeyboardInterrupt as stopped:
        typer.echo(
            f"stopped: {len(whole.results)} matches are kept; the same command continues the tournament",
            err=True,
        )
        raise typer.Exit(1) from stopped
    finally:
        whole.close()
    if json:
        typer.echo(dumps([asdict(rating) for rating in rated], indent=2))
        return
    typer.echo("")
    for row in [("", "player", "Elo", "95 %", "games", "score"), *ranking_rows(rated)]:
        typer.echo(f"{row[0]:>3} {row[1]:16} {row[2]:>6} {row[3]:>14} {row[4]:>6} {row[5]:>8}")
    typer.echo("written: " + ", ".join(map(str, paths)))


def _listed(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())
