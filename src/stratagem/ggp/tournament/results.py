"""The results of a tournament as files: ranking and matches as CSV, and one self-contained HTML page."""

from __future__ import annotations

import csv
import html
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from stratagem.ggp.tournament.tournament import Tournament
from stratagem.play.tournaments.ratings import Rating, ratings
from stratagem.play.tournaments.results import cross_table

STYLE: Final = """
body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 60rem; padding: 0 1rem; color: #1d2430; }
table { border-collapse: collapse; margin: 1rem 0 2rem; font-variant-numeric: tabular-nums; }
th, td { padding: .3rem .8rem; text-align: right; border-bottom: 1px solid #d9dee6; }
th:first-child, td:first-child { text-align: left; }
.bar { position: relative; width: 14rem; height: 1.1rem; background: #eef1f5; border-radius: 3px; }
.bar span { position: absolute; top: .25rem; height: .6rem; background: #8fb3e0; border-radius: 3px; }
.bar i { position: absolute; top: .1rem; width: 2px; height: .9rem; background: #1d4f91; }
.self { background: #eef1f5; }
@media (prefers-color-scheme: dark) {
  body { background: #12161c; color: #dde3ec; } th, td { border-color: #333b47; }
  .bar, .self { background: #232a34; }
}
"""


def ranking_of(tournament: Tournament) -> list[Rating]:
    return ratings(tournament.plan.names, tournament.comparisons())


def ranking_rows(rated: Sequence[Rating]) -> list[tuple[str, ...]]:
    """Place, player, Elo, its interval, games and score, as text."""
    return [
        (
            str(place),
            rating.player,
            f"{rating.elo:.0f}",
            f"{rating.low:.0f} to {rating.high:.0f}",
            str(rating.games),
            f"{100 * rating.score:.1f} %",
        )
        for place, rating in enumerate(rated, start=1)
    ]


def write_results(tournament: Tournament) -> list[Path]:
    """Writes ranking.csv, matches.csv and index.html beside the tournament's own file; returns the paths."""
    rated = ranking_of(tournament)
    folder = tournament.folder
    paths = [folder / "ranking.csv", folder / "matches.csv", folder / "index.html"]
    with paths[0].open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(["player", "elo", "low", "high", "games", "score"])
        for rating in rated:
            numbers = (f"{value:.1f}" for value in (rating.elo, rating.low, rating.high))
            rows.writerow([rating.player, *numbers, rating.games, f"{rating.score:.4f}"])
    with paths[1].open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(["round", "game", "seats", "goals", "turns", "errors", "match"])
        for result in tournament.results.values():
            fixture = result.fixture
            seats, goals = " ".join(fixture.seats), " ".join(map(str, result.goals))
            rows.writerow(
                [fixture.round, fixture.game, seats, goals, result.turns, result.errors, result.match]
            )
    paths[2].write_text(page(tournament, rated), encoding="utf-8")
    return paths


def page(tournament: Tournament, rated: Sequence[Rating]) -> str:
    """The whole tournament as one HTML page."""
    plan = tournament.plan
    names = [rating.player for rating in rated]
    cross = cross_table(names, tournament.comparisons())
    low, high = min(rating.low for rating in rated), max(rating.high for rating in rated)
    width = max(high - low, 1.0)
    ranking = [
        [*map(_cell, row), f"<td>{_bar(rating, low, width)}</td>"]
        for row, rating in zip(ranking_rows(rated), rated, strict=True)
    ]
    matches = [
        [
            *map(
                _cell,
                (
                    str(result.fixture.round),
                    result.fixture.game,
                    ", ".join(
                        f"{name} {goal}"
                        for name, goal in zip(result.fixture.seats, result.goals, strict=True)
                    ),
                    str(result.turns),
                    str(result.errors),
                ),
            )
        ]
        for result in tournament.results.values()
    ]
    crossed = [
        [_cell(name), *(_cell(text, "self" if row == column else "") for column, text in enumerate(texts))]
        for row, (name, texts) in enumerate(zip(names, cross, strict=True))
    ]
    title = f"Tournament: {tournament.folder.name}"
    summary = (
        f"{len(plan.names)} players, {len(plan.games)} games, {plan.rounds} rounds ({plan.system}), "
        f"{plan.startclock:g} s to start and {plan.playclock:g} s a move; {len(tournament.results)} matches played."
    )
    return "\n".join(
        [
            f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{html.escape(title)}</title>',
            f"<style>{STYLE}</style></head><body><h1>{html.escape(title)}</h1><p>{html.escape(summary)}</p>",
            "<h2>Ranking</h2>",
            _table(["", "player", "Elo", "95 %", "games", "score", ""], ranking),
            "<h2>Who against whom</h2>",
            _table(["", *names], crossed),
            "<h2>Matches</h2>",
            _table(["round", "game", "result", "turns", "errors"], matches),
            "</body></html>",
        ]
    )


def _bar(rating: Rating, low: float, width: float) -> str:
    left, middle = 100 * (rating.low - low) / width, 100 * (rating.elo - low) / width
    long = 100 * (rating.high - rating.low) / width
    return (
        f'<div class="bar"><span style="left:{left:.1f}%;width:{long:.1f}%"></span>'
        f'<i style="left:{middle:.1f}%"></i></div>'
    )


def _cell(text: str, kind: str = "") -> str:
    attribute = f' class="{kind}"' if kind else ""
    return f"<td{attribute}>{html.escape(text)}</td>"


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    head = "".join(f"<th>{html.escape(text)}</th>" for text in heads)
    return "\n".join(
        ["<table>", f"<tr>{head}</tr>", *(f"<tr>{''.join(row)}</tr>" for row in rows), "</table>"]
    )
