from __future__ import annotations

import json
import sqlite3
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from tests.support.data import corpus

from stratagem.errors import BrokenFile, UsageError
from stratagem.loading import load
from stratagem.play.choice import Thought
from stratagem.play.records.record import MatchRecord, MatchStep, Remark
from stratagem.play.records.store import Records, data_directory
from stratagem.sheets import source

MOVES = [("(mark 2 2)", "noop"), ("noop", "(mark 1 1)"), ("(mark 3 3)", "noop")]
THOUGHT = Thought(
    "uct", "most visits", 61.5, 7, 1234, ("(mark 2 2) noop",), (("(mark 2 2)", 61.5),), False, 0.25
)


def record(id: str = "m1", **changes) -> MatchRecord:
    fields = {
        "id": id,
        "game": "tictactoe",
        "rules": source("tictactoe").text,
        "roles": ("xplayer", "oplayer"),
        "players": ("one", "two"),
        "startclock": 5.0,
        "playclock": 3.0,
        "started": 1_700_000_000_000,
        "steps": (MatchStep(None, 1, ("", "TO")),),
    }
    return MatchRecord(**{**fields, **changes})


def test_a_match_comes_back_as_it_was_written(tmp_path):
    with Records(tmp_path / "matches.sqlite") as records:
        number = records.add(record(previewclock=2.0, scrambled=True, token="abc", tournament="cup"))
        for turn, joint in enumerate(MOVES, start=1):
            records.step(number, turn, MatchStep(joint, 1000 + turn, ("", "IL ( fly )" if turn == 2 else "")))
        records.remark(number, Remark(0, "xplayer", "(mark 2 2)", "thinker", 0.12, THOUGHT))
        records.finish(number, "completed", (50, 50))
    with Records(tmp_path / "matches.sqlite") as records:
        found = records.get("m1")
    assert found.moves == tuple(MOVES)
    assert [step.errors for step in found.steps] == [("", "TO"), ("", ""), ("", "IL ( fly )"), ("", "")]
    assert found.remarks == (Remark(0, "xplayer", "(mark 2 2)", "thinker", 0.12, THOUGHT),)
    assert (found.status, found.goals, found.scrambled, found.previewclock) == (
        "completed",
        (50, 50),
        True,
        2.0,
    )
    assert (found.token, found.tournament, found.number) == ("abc", "cup", 1)


def test_the_newest_of_several_matches_with_one_name_is_found_and_every_one_by_number(tmp_path):
    with Records(tmp_path / "m.sqlite") as records:
        for name in ("first", "second", "third"):
            records.add(record("same", players=(name, "x")))
        assert records.get("same").players[0] == "third"
        assert records.get(1).players[0] == "first"
        assert [one.number for one in records.newest(2)] == [3, 2]
        assert records.newest(5, game="chess") == []
        with pytest.raises(UsageError, match="no match none in"):
            records.get("none")


def test_a_match_in_json_has_what_the_field_s_has(tmp_path):
    published = json.loads((corpus() / "protocol" / "match.json").read_text(encoding="utf-8"))
    rules = source("tictactoe").text
    steps = [MatchStep(None, published["stateTimes"][0], tuple(published["errors"][0]))]
    for joint, time, errors in zip(
        published["moves"], published["stateTimes"][1:], published["errors"][1:], strict=True
    ):
        steps.append(MatchStep(tuple(joint), time, tuple(errors)))
    ours = MatchRecord(
        id=published["matchId"],
        game="tictactoe",
        rules=rules,
        roles=("xplayer", "oplayer"),
        players=tuple(published["playerNamesFromHost"]),
        startclock=published["startClock"],
        playclock=published["playClock"],
        started=published["startTime"],
        status="completed",
        goals=tuple(published["goalValues"]),
        steps=tuple(steps),
        previewclock=published["previewClock"],
        token=published["randomToken"],
    ).as_json()
    for key, value in published.items():
        if key != "states":
            assert ours[key] == value, key
    states = [set(state.replace("( ", "(").replace(" )", ")")[1:-1].split(") (")) for state in ours["states"]]
    theirs = [
        set(state.replace("( ", "(").replace(" )", ")")[1:-1].split(") (")) for state in published["states"]
    ]
    assert list(map(len, states)) == list(map(len, theirs))
    assert json.loads(json.dumps(ours)) == ours


def test_positions_follow_from_rules_and_moves():
    found = record(steps=(MatchStep(None, 1), *(MatchStep(joint, 2) for joint in MOVES)))
    positions = list(found.positions())
    assert [position.turn for position in positions] == [0, 1, 2, 3]
    assert str(positions[1].history[0][0]) == "(mark 2 2)"
    assert positions[-1].rules.roles == load("tictactoe").roles


def test_several_writers_do_not_get_in_each_other_s_way(tmp_path):
    path = tmp_path / "m.sqlite"

    def write(name: str) -> None:
        with Records(path) as records:
            for count in range(20):
                records.step(records.add(record(f"{name}{count}")), 1, MatchStep(MOVES[0], 5))

    threads = [threading.Thread(target=write, args=(name,)) for name in "abc"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with Records(path) as records:
        assert len(records.newest(1000)) == 60
        assert len(records.get("b7").moves) == 1


def test_a_new_file_may_be_opened_by_many_at_once(tmp_path):
    def opened(count: int) -> int:
        together.wait()
        with Records(tmp_path / f"{count}.sqlite") as records:
            return records.add(record(f"{threading.get_ident()}")).result()

    together = threading.Barrier(8)
    with ThreadPoolExecutor(8) as threads:
        for count in range(12):
            assert sorted(threads.map(opened, [count] * 8)) == list(range(1, 9))


def test_the_data_directory_can_be_chosen(tmp_path, monkeypatch):
    monkeypatch.setenv("STRATAGEM_DATA", str(tmp_path / "here"))
    assert data_directory() == tmp_path / "here"
    with Records() as records:
        records.add(record())
    assert (tmp_path / "here" / "matches.sqlite").is_file()


def test_a_file_that_is_no_list_of_matches_is_refused_in_a_sentence(tmp_path):
    path = tmp_path / "m.sqlite"
    path.write_bytes(b"this is not a database at all, but long enough to be taken for one" * 20)
    with pytest.raises(BrokenFile, match="cannot be used"):
        Records(path)
    newer = tmp_path / "newer.sqlite"
    with sqlite3.connect(newer) as database:
        database.execute("PRAGMA user_version = 99")
    database.close()
    with pytest.raises(BrokenFile, match="has version 99"):
        Records(newer)


def test_what_cannot_be_written_is_said_and_stops_nothing(tmp_path):
    log: list[str] = []
    with Records(tmp_path / "m.sqlite", log=log.append) as records:
        number = records.add(record())
        number.result()
        records._now(lambda: records._connection.execute("DROP TABLE steps"))
        records.step(number, 1, MatchStep(MOVES[0], 5))
        records.finish(number, "aborted")
        assert records._now(lambda: None) is None
    assert any("the record could not be kept" in text for text in log)
