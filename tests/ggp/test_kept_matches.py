"""What is kept of matches at which host and players are on one machine: one row each, by the names people know."""

from __future__ import annotations

import sqlite3
from dataclasses import replace

import pytest

import stratagem
from stratagem import sheets as games
from stratagem.cli import main
from stratagem.errors import MissingExtra, PlayerUnavailable, UsageError
from stratagem.ggp.player.session import Session
from stratagem.ggp.protocol.messages import Start
from stratagem.ggp.protocol.sheet import game_name, rules_text
from stratagem.play.process.protocol import Finished, Past
from stratagem.play.records.record import MatchRecord
from stratagem.play.records.store import COLUMNS, Records
from stratagem.play.tournaments import ratings

NOON = 1_700_000_000_000
HOSTED = MatchRecord(
    "m1",
    "tictactoe",
    "(role x)",
    ("x", "o"),
    ("Skirmisher", "random"),
    10,
    5,
    NOON,
    addresses=("there:9147", "random"),
)


def side(role: str, started: int = NOON + 3000, **changes) -> MatchRecord:
    """The record that a player of ours keeps of the same match."""
    players = tuple("Skirmisher" if one == role else "?" for one in HOSTED.roles)
    return replace(
        HOSTED, keeper="player", role=role, players=players, started=started, addresses=(), **changes
    )


def listed(tmp_path, *records: MatchRecord) -> list[MatchRecord]:
    with Records(tmp_path / "m.sqlite") as kept:
        for record in records:
            kept.add(record)
        return kept.newest()


def test_a_match_has_one_row_and_it_is_the_host_s(tmp_path):
    (row,) = listed(tmp_path, side("x"), HOSTED, side("o"))
    assert (row.keeper, row.labels) == ("host", ("Skirmisher (there:9147)", "random"))


def test_two_players_of_ours_at_a_match_hosted_elsewhere_are_one_row_too(tmp_path):
    (row,) = listed(tmp_path, side("x"), side("o"))
    assert (row.keeper, row.players) == ("player", ("Skirmisher", "Skirmisher"))


def test_matches_of_the_same_name_at_other_times_have_rows_of_their_own(tmp_path):
    later = NOON + 3_600_000
    rows = listed(tmp_path, HOSTED, side("x"), side("x", later), side("x", later + 100_000))
    assert [row.started for row in rows] == [later + 100_000, later, NOON]


def test_every_side_of_a_match_can_still_be_read(tmp_path):
    with Records(tmp_path / "m.sqlite") as kept:
        for record in (side("x"), HOSTED, side("o")):
            kept.add(record)
        assert [one.keeper for one in kept.sides("m1")] == ["player", "host", "player"]
        assert [kept.get(number).role for number in (1, 2, 3)] == ["x", None, "o"]


def test_a_match_is_found_by_its_id_as_the_host_kept_it_and_the_newest_of_several(tmp_path):
    with Records(tmp_path / "m.sqlite") as kept:
        for record in (HOSTED, side("x"), side("o")):
            kept.add(record)
        assert kept.get("m1").keeper == "host"
        assert kept.get(3).role == "o"
        assert kept.find("m1", keeper="player").number == 3
        later = NOON + 3_600_000
        kept.add(side("x", later))
        assert kept.get("m1").started == later


def test_a_list_of_the_first_version_is_read_and_written_on(tmp_path):
    path = tmp_path / "m.sqlite"
    with Records(path) as kept:
        kept.add(HOSTED)
    with sqlite3.connect(path) as database:
        database.execute("ALTER TABLE matches DROP COLUMN addresses")
        database.execute("PRAGMA user_version = 1")
    database.close()
    with Records(path) as kept:
        (row,) = kept.newest()
        assert (row.players, row.addresses, row.labels) == (HOSTED.players, (), HOSTED.players)
        kept.add(replace(HOSTED, id="m2"))
    with Records(path) as kept:
        assert kept.get("m2").addresses == HOSTED.addresses
    assert "addresses" in COLUMNS


def test_rules_that_came_without_a_name_are_known_by_what_they_say():
    for name in ("tictactoe", "connectfour"):
        sent = rules_text(stratagem.load(name, machine="reasoner"))
        assert game_name(sent) == game_name(sent.upper()) == name
    assert game_name(games.source("tictactoe").text) == "tictactoe", "comments do not count"
    assert game_name("(role a) (init b)").startswith("rules ")


def outcome(goals, past: Past, role: str = "oplayer") -> str:
    start = Start("m1", role, "", 1, 1)
    session = Session(start, None, None, None, roles=("xplayer", "oplayer"))  # type: ignore[arg-type]
    return session.outcome(Finished(goals, past))


def test_how_a_match_ended_is_told_with_our_own_goal_first():
    assert outcome((100, 0), Past(7)) == "over after 7 moves: oplayer 0 (this player), xplayer 100"
    assert (
        outcome((100, None), Past(7), "XPLAYER") == "over after 7 moves: xplayer 100 (this player), oplayer ?"
    )
    assert outcome(None, Past(3)) == "stopped after 3 moves, before the end of the game"
    assert outcome(None, Past()) == "stopped, before the end of the game"


# -- the commands ----------------------------------------------------------------------------------------------


@pytest.fixture
def command(tmp_path, monkeypatch):
    """Runs a command in this process; its exit code and what it says."""
    import typer
    from typer.testing import CliRunner

    from stratagem.cli.host import host
    from stratagem.cli.player import player
    from stratagem.cli.tournament import tournament

    monkeypatch.setenv("STRATAGEM_DATA", str(tmp_path))
    app = typer.Typer(add_completion=False)
    for one in (host, player, tournament):
        app.command(one.__name__)(one)

    def run(*arguments: str) -> tuple[int, str]:
        result = CliRunner().invoke(app, list(arguments))
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result.exit_code, result.output

    return run


def test_hosting_a_player_that_is_not_there_ends_with_one_sentence_and_exit_code_1(
    closed_port, tmp_path, monkeypatch, capsys
):
    monkeypatch.setenv("STRATAGEM_DATA", str(tmp_path))
    monkeypatch.setattr("sys.argv", ["stratagem", "host", "tictactoe", "random", f"127.0.0.1:{closed_port}"])
    with pytest.raises(SystemExit) as ended:
        main()
    text = capsys.readouterr().err
    assert ended.value.code == 1
    assert text.startswith(
        f"stratagem: the match cannot start: oplayer at 127.0.0.1:{closed_port} cannot be reached"
    )
    assert text.count("\n") == 1
    with Records(tmp_path / "matches.sqlite") as records:
        assert records.newest() == []


def test_hosting_on_all_the_same_is_an_option(command, closed_port):
    code, text = command(
        "host", "tictactoe", "random", f"127.0.0.1:{closed_port}", "--play-on", "--seed", "1"
    )
    assert code == 0
    assert "over: xplayer" in text


def test_hosting_a_misspelt_player_is_refused(command, tmp_path):
    with pytest.raises(UsageError, match="no player called 'nosuchplayer'"):
        command("host", "tictactoe", "random", "nosuchplayer")


def test_a_tournament_whose_player_is_not_there_is_not_played(command, closed_port, tmp_path):
    players = f"random,gone=127.0.0.1:{closed_port}"
    with pytest.raises(PlayerUnavailable, match=r"gone at 127\.0\.0\.1"):
        command("tournament", "--games", "nim", "--players", players, "--out", str(tmp_path / "cup"))


def test_a_tournament_that_could_not_be_rated_is_not_played(command, monkeypatch, tmp_path):
    monkeypatch.setattr(ratings, "find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match="choix"):
        command(
            "tournament", "--games", "tictactoe", "--players", "random,legal", "--out", str(tmp_path / "cup")
        )
    assert not (tmp_path / "cup").exists()


@pytest.mark.parametrize(
    "arguments",
    [["--margin", "-1"], ["--margin", "nan"], ["--memory", "0"], ["--memory", "-3"], ["--name", "two words"]],
)
def test_a_player_with_values_that_are_none_is_refused(command, arguments):
    with pytest.raises(UsageError):
        command("player", *arguments)


@pytest.mark.parametrize(
    "arguments",
    [
        ["host", "tictactoe", "random", "random", "--startclock", "-1"],
        ["host", "tictactoe", "random", "random", "--wait", "-1"],
        ["player", "--port", "70000"],
        ["player", "--matches", "0"],
        ["tournament", "--games", "nim", "--players", "random,legal", "--rounds", "0"],
    ],
)
def test_numbers_out_of_range_are_refused_with_exit_code_2(command, arguments):
    assert command(*arguments)[0] == 2


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["host", "nim", "random", "random"], 1, "stopped: no match was started"),
        (["tournament", "--games", "nim", "--players", "random,legal"], 1, "stopped: 0 matches are kept"),
        (["player", "--port", "0"], 0, "stopped"),
    ],
)
def test_whoever_is_interrupted_says_what_was_done(command, monkeypatch, tmp_path, arguments, code, said):
    def interrupted(work) -> None:
        work.close()
        raise KeyboardInterrupt

    monkeypatch.setattr("asyncio.run", interrupted)
    monkeypatch.chdir(tmp_path)
    assert command(*arguments)[0] == code
    assert said in command(*arguments)[1]
