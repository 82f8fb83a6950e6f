"""The workbench's page of a tournament lists the matches that are being played, wherever they are played."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("nicegui")

from stratagem.ggp.tournament.entrants import Entrant
from stratagem.ggp.tournament.matches import TournamentPlan
from stratagem.ggp.tournament.tournament import Tournament
from stratagem.web.pages.matches_tournaments import running_html
from stratagem.web.tasks import tournaments


def test_matches_that_are_being_played_are_listed_until_they_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("choix")
    monkeypatch.setenv("STRATAGEM_DATA", str(tmp_path))
    plan = TournamentPlan(("tictactoe",), (Entrant("legal", "legal"), Entrant("random", "random")))
    tournament = Tournament(plan, tmp_path / "tournaments" / "mine")
    try:
        first = tournament.fixtures(1)[0]
        tournament._begin([first])
        (found,) = [one for one in tournaments.listed(tell=print) if one.name == "mine"]
        assert (found.played, found.running) == (0, 1)
        standing = tournaments.standing("mine", tell=print)
        assert [match for match, _ in standing.running] == [first.id]
        assert first.id in running_html(standing)
        assert standing.missing == 2
    finally:
        tournament.close()
