"""`solve` and `query` as people call them: exit codes, budgets, and files that are never overwritten unasked."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from stratagem import cli
from stratagem.circuit.compiler.budget import out_of_time
from stratagem.circuit.compiler.child_process import PLAYS_ANYWAY
from stratagem.engine.space import database_build
from stratagem.errors import GroundingError
from stratagem.limit import Limit
from stratagem.loading import SlowerMachine, load
from stratagem.result import Interval, Result

Run = Callable[..., tuple[int, str, str]]
LOOP = """(role robot) (init (at a)) (legal robot stay) (<= (next (at a)) (true (at a)))
(<= terminal (true (at b))) (<= (goal robot 100) (true (at b))) (<= (goal robot 0) (not (true (at b))))"""
WALK = """(role robot) (init (at 0)) (next_to 0 1) (next_to 1 2) (next_to 2 0)
(<= (legal robot (go ?b)) (true (at ?a)) (next_to ?a ?b)) (<= (next (at ?b)) (does robot (go ?b)))
(<= terminal (true (at 9))) (goal robot 100)"""
KEEP = """(role a) (role b) (init (turn a)) (init (at 0))
(<= (legal ?r stay) (role ?r) (true (turn ?r))) (<= (legal a leave) (true (turn a)))
(<= (legal a noop) (true (turn b))) (<= (legal b noop) (true (turn a)))
(<= (next (turn b)) (true (turn a))) (<= (next (turn a)) (true (turn b)))
(<= (next (at 1)) (does a leave)) (<= (next (at 0)) (not (does a leave)))
(<= terminal (true (at 1))) (<= (goal a 0) (true (at 1))) (<= (goal b 100) (true (at 1)))
(<= (goal a 50) (not (true (at 1)))) (<= (goal b 50) (not (true (at 1))))"""

FORCED = """(role a) (role b) (init (s 1)) (init (control a))
(<= (legal a go) (true (s 1))) (<= (legal b noop) (true (s 1))) (<= (legal a noop) (true (s 2)))
(<= (legal b up) (true (s 2))) (<= (legal b down) (true (s 2))) (<= (legal ?r ready) (role ?r) (true (s 3)))
(<= (next (s 2)) (true (s 1))) (<= (next (s 3)) (true (s 2))) (<= (next (s 4)) (true (s 3)))
(<= (next won) (does b up)) (<= (next won) (true won)) (<= (next (control b)) (true (control a)))
(<= terminal (true (s 4))) (<= (goal a 0) (true won)) (<= (goal b 100) (true won))
(<= (goal a 100) (not (true won))) (<= (goal b 0) (not (true won)))"""


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """Runs one command in an empty folder: its exit code and what it printed."""
    monkeypatch.chdir(tmp_path)
    # No test waits for a clock: a machine may be as slow as it likes.
    monkeypatch.setattr("stratagem.cli.solve.SECONDS", 1e6)
    monkeypatch.setattr("stratagem.cli.common.progress.GRACE", 1e6)

    def called(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["stratagem", *arguments])
        with pytest.raises(SystemExit) as left:
            cli.main()
        out, err = capsys.readouterr()
        code = left.value.code
        return (0 if code is None else int(code)), out, err

    return called


def test_a_game_that_is_solved_is_exit_code_0(run: Run) -> None:
    code, out, _ = run("solve", "hexapawn")
    assert code == 0
    assert "hexapawn: solved" in out


def test_a_puzzle_in_which_play_never_ends_is_not_solved_and_says_so(run: Run, tmp_path: Path) -> None:
    for text, sentence in [
        (LOOP, "play never ends: no other state is reachable, and this one is not terminal"),
        (WALK, "play never ends: none of the 3 reachable states is terminal"),
    ]:
        (tmp_path / "loop.kif").write_text(text)
        code, out, _ = run("solve", "loop.kif", "--json")
        assert code == 1
        assert json.loads(out)["note"] == sentence
        assert json.loads(out)["value"] == {"robot": None}
        assert "1 states" not in run("solve", "loop.kif")[1]


def unsolved(*_: Any, **__: Any) -> Result:
    return Result("proof", values={"red": Interval(0, 100), "yellow": Interval(0, 100)})


def test_bounds_alone_are_printed_and_are_exit_code_1(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stratagem.engine.solve.solve", unsolved)
    code, out, _ = run("solve", "connectfour")
    assert code == 1
    assert "red: at least 0, at most 100" in out
    code, out, err = run("solve", "connectfour", "--certificate", "proof.json")
    assert code == 1
    assert "at most 100" in out
    assert "nothing is proved that could be certified" in err


@pytest.mark.parametrize(
    ("left", "asked", "sentence"),
    [(0.0, False, "  stopped after 100 s; --budget changes that\n"), (50.0, True, "  interrupted\n")],
)
def test_a_game_that_is_not_solved_says_what_ended_the_search(
    run: Run, monkeypatch: pytest.MonkeyPatch, left: float, asked: bool, sentence: str
) -> None:
    given = iter([100.0, 100.0])
    monkeypatch.setattr(
        "stratagem.circuit.compiler.budget.time_left", lambda seconds: lambda: next(given, left)
    )
    bounds = {"white": Interval(0, 100), "black": Interval(0, 100)}
    found = Result("proof by search", values=bounds, why="as requested")
    searched: list[Result] = []

    def solve(*_: Any, **__: Any) -> Result:
        searched.append(found)
        return found

    def with_progress(work: Any, **_: Any) -> Any:
        return work(lambda sentence: None, lambda: asked and bool(searched))

    monkeypatch.setattr("stratagem.engine.solve.solve", solve)

    monkeypatch.setattr("stratagem.cli.solve.with_progress", with_progress)
    code, out, _ = run("solve", "hexapawn", "--budget", "100")
    assert code == 1
    assert out.endswith(sentence)


def test_without_a_method_that_fits_the_answer_names_none(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    found = Result("none", values={"white": Interval(0, 100)}, why="no method fits", note="too many players")
    monkeypatch.setattr("stratagem.engine.solve.solve", lambda *_, **__: found)
    assert run("solve", "hexapawn")[1].startswith("hexapawn: not solved (no method fits)\n")


def test_the_budget_of_a_search_is_what_compiling_has_left(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    given: dict[str, float] = {}

    def searched(*_: Any, limit: Limit, **__: Any) -> Result:
        given["search"] = limit.seconds or 0
        return unsolved()

    clock = iter(float(10 * tick) for tick in range(1, 1000))
    monkeypatch.setattr(
        "stratagem.circuit.compiler.budget.time_left", lambda seconds: lambda: (seconds or 0) - next(clock)
    )
    monkeypatch.setattr("stratagem.engine.solve.solve", searched)
    run("solve", "connectfour", "--budget", "100")
    assert 0 < given["search"] < 100


def test_a_budget_that_ends_before_the_rules_are_compiled_is_one_sentence_and_exit_code_1(
    run: Run, tmp_path: Path
) -> None:
    numbers = " ".join(f"(n {number})" for number in range(60))
    (tmp_path / "huge.kif").write_text(
        f"(role robot) (init (step 0)) {numbers} (<= (legal robot (m ?a ?b ?c ?d ?e)) (n ?a) (n ?b) (n ?c) (n ?d) (n ?e))"
        "(<= (next (step 1)) (does robot (m ?a ?b ?c ?d ?e))) (<= terminal (true (step 1))) (goal robot 100)"
    )
    code, out, err = run("solve", "huge.kif", "--budget", "0.2")
    assert (code, out) == (1, "")
    assert err.strip() == "stratagem: time ran out before the rules were compiled; --budget allows more"


def test_rules_that_cannot_be_compiled_are_solved_on_joins_but_not_into_files(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: Any, **__: Any) -> Any:
        raise GroundingError("too much for the grounder", hint=PLAYS_ANYWAY)

    monkeypatch.setattr("stratagem.circuit.compiler.compile.circuit_of", refused)
    monkeypatch.setattr("stratagem.circuit.compiler.compile.circuit_at_once", refused)
    with pytest.warns(SlowerMachine, match="too much for the grounder"):
        code, out, _ = run("solve", "hexapawn")
    assert code == 0
    assert out.startswith("hexapawn: solved by mtdf (on joins: too much for the grounder)\n  white: 0\n")
    with pytest.warns(SlowerMachine):
        code, out, err = run("solve", "hexapawn", "--database", "h.db")
    assert (code, out) == (1, "")
    assert "databases and certificates need compiled rules" in err
    with pytest.warns(SlowerMachine) as warned:
        game = load("hexapawn")
    assert game.fallback == "too much for the grounder"
    (said,) = warned
    assert str(said.message).count("on joins") == 1


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--budget", "-1"], "--budget must be more than 0; got -1"),
        (["--budget", "0"], "--budget must be more than 0; got 0"),
        (["--memory", "0"], "--memory must be at least 1; got 0"),
        (["--resume"], "--resume continues a database; name it: --database FILE --resume"),
        (["--database", "."], ". is a folder; name a file in it"),
        (["--database", "/"], "/ is a folder; name a file in it"),
        (["--database", "folder"], "folder is a folder; name a file in it"),
        (["--certificate", "folder"], "folder is a folder; name a file in it"),
        (["--database", "mine.txt"], "mine.txt exists already; --force overwrites it"),
        (["--certificate", "mine.txt"], "mine.txt exists already; --force overwrites it"),
        (["--database", "no/where.db"], "make the folder no first"),
    ],
)
def test_arguments_without_sense_are_refused_in_one_sentence_before_any_work(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], sentence: str
) -> None:
    (tmp_path / "mine.txt").write_text("a letter")
    (tmp_path / "folder").mkdir()
    monkeypatch.setattr(sys.modules["stratagem.loading"], "load", None)
    code, out, err = run("solve", "hexapawn", *arguments)
    assert (code, out) == (2, "")
    assert sentence in err
    assert len(err.splitlines()) == 1
    assert {path.name for path in tmp_path.iterdir()} == {"mine.txt", "folder"}
    assert (tmp_path / "mine.txt").read_text() == "a letter"


def test_force_overwrites_a_database(run: Run, tmp_path: Path) -> None:
    (tmp_path / "h.db").write_text("a letter")
    assert run("solve", "hexapawn", "--database", "h.db", "--force")[0] == 0
    assert run("query", "h.db", "--check")[0] == 0


def test_an_interrupted_build_is_not_thrown_away_unasked(run: Run, tmp_path: Path) -> None:
    (tmp_path / "h.db.partial").mkdir()
    (tmp_path / "h.db.partial" / "key").write_text("")
    code, _, err = run("solve", "hexapawn", "--database", "h.db")
    assert code == 2
    assert "holds an interrupted build; continue with --resume, or start over with --force" in err
    assert run("solve", "hexapawn", "--database", "h.db", "--force")[0] == 0


def test_a_folder_that_no_build_has_left_is_never_removed(run: Run, tmp_path: Path) -> None:
    (tmp_path / "h.db.partial").mkdir()
    (tmp_path / "h.db.partial" / "letter").write_text("mine")
    code, _, err = run("solve", "hexapawn", "--database", "h.db", "--force")
    assert code == 2
    assert "was not written by a build" in err
    assert (tmp_path / "h.db.partial" / "letter").read_text() == "mine"


def test_a_full_disk_keeps_what_a_build_has_and_says_how_to_go_on(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = database_build.Pieces.write

    def full(self: Any, number: int, arrays: Any) -> None:
        if number > 2:
            raise OSError(28, "No space left on device")
        write(self, number, arrays)

    monkeypatch.setattr(database_build.Pieces, "write", full)
    code, _, err = run("solve", "hexapawn", "--database", "h.db")
    assert code == 2
    assert "No space left on device; free some disk space and use --resume" in err
    assert "Traceback" not in err
    assert (tmp_path / "h.db.partial" / "000002").is_file()
    monkeypatch.setattr(database_build.Pieces, "write", write)
    assert run("solve", "hexapawn", "--database", "h.db", "--resume")[0] == 0


def test_a_build_whose_budget_is_spent_keeps_its_layers_and_is_exit_code_1(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = iter([100.0, 100.0])
    monkeypatch.setattr(
        "stratagem.circuit.compiler.budget.time_left", lambda seconds: lambda: next(left, 0.0)
    )
    code, _, err = run("solve", "connectfour", "--set", "columns=4", "--database", "c.db", "--budget", "100")
    assert code == 1
    assert "c.db.partial keeps the finished layers; continue with --resume" in err


def test_a_database_that_does_not_fit_its_memory_keeps_its_layers_and_is_exit_code_1(run: Run) -> None:
    code, _, err = run("solve", "connectfour", "--set", "columns=4", "--database", "c.db", "--memory", "1")
    assert code == 1
    assert "states do not fit into 1 MB; raise --memory and use --resume; c.db.partial keeps" in err


def test_query_tells_what_every_move_leads_to(run: Run) -> None:
    run("solve", "hexapawn", "--database", "h.db")
    code, out, _ = run("query", "h.db", "(move 3 1 2 1)")
    assert code == 0
    assert "white: 0\nblack: 100\nends after 3 moves\n" in out
    assert "  (move 1 2 2 1): 0 100 in 2\n" in out
    assert "  (move 1 2 2 2): 100 0 in 1\n" in out
    code, out, _ = run("query", "h.db", "(move 3 1 2 1)", "--json")
    said = json.loads(out)
    assert (code, said["low"], said["distance"]) == (0, {"white": 0, "black": 100}, 3)
    assert said["moves"][0] == {"move": "(move 1 2 2 1)", "low": [0, 100], "high": [0, 100], "distance": 2}


def test_query_says_one_move_and_that_a_match_is_over(run: Run) -> None:
    run("solve", "hexapawn", "--database", "h.db")
    line = "(move 3 1 2 1) (move 1 2 2 1) (move 3 2 2 1)"
    assert "ends after 1 move\n" in run("query", "h.db", "(move 3 1 2 1) (move 1 2 2 2)")[1]
    code, out, _ = run("query", "h.db", line)
    assert code == 0
    assert ("the match is over" in out) == ("ends after" not in out)


def test_query_lists_the_one_move_of_whose_turn_it_is_and_none_where_all_must_move(
    run: Run, tmp_path: Path
) -> None:
    (tmp_path / "forced.kif").write_text(FORCED)
    code, out, _ = run("solve", "forced.kif", "--database", "f.db")
    assert code == 0
    assert "best move: go (a)\n" in out
    assert "line: go up ready\n" in out
    assert json.loads(run("query", "f.db", "--json")[1])["moves"] == [
        {"move": "go", "low": [0, 100], "high": [0, 100], "distance": 2}
    ]
    moves = json.loads(run("query", "f.db", "go", "--json")[1])["moves"]
    assert [(move["move"], move["low"]) for move in moves] == [("down", [100, 0]), ("up", [0, 100])]
    code, out, _ = run("query", "f.db", "go up")
    assert (code, out.splitlines()[-3:]) == (0, ["a: 0", "b: 100", "ends after 1 move"])


def test_no_database_is_begun_for_simultaneous_moves(run: Run, tmp_path: Path) -> None:
    code, _, err = run("solve", "rockpaperscissors", "--database", "r.db")
    assert code == 2
    assert "several roles have a choice in the same state" in err
    assert list(tmp_path.iterdir()) == []


def test_query_of_a_game_that_need_not_end_is_exit_code_1(run: Run, tmp_path: Path) -> None:
    (tmp_path / "keep.kif").write_text(KEEP)
    assert run("solve", "keep.kif", "--database", "k.db")[0] == 1
    code, out, _ = run("query", "k.db")
    assert code == 1
    assert "the match need not end" in out


def test_query_refuses_what_is_no_database_and_moves_that_are_not_legal(run: Run, tmp_path: Path) -> None:
    (tmp_path / "letter").write_text("Dear all, ...")
    assert run("query", "letter")[0] == 2
    assert run("query", "nothing.db")[0] == 2
    run("solve", "hexapawn", "--database", "h.db")
    code, _, err = run("query", "h.db", "(move 9 9 9 9)")
    assert code == 2
    assert "move 1: (move 9 9 9 9) is not legal" in err


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ([], "continue with --database h.db --resume"),
        (["--shards", "2"], "continue with the same command and --resume"),
    ],
)
def test_a_build_that_had_no_time_says_how_it_is_continued(
    run: Run, monkeypatch: pytest.MonkeyPatch, options: list[str], said: str
) -> None:
    def late(*_: object, **__: object) -> None:
        raise out_of_time()

    monkeypatch.setattr("stratagem.loading.load", late)
    code, _, err = run("solve", "hexapawn", "--database", "h.db", *options)
    assert (code, said in err) == (1, True)
