"""`stratagem why` and `stratagem verify` as a user calls them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from stratagem.engine.proof.certificate import Certificate
from stratagem.engine.solve import solve
from stratagem.loading import load
from stratagem.machines.reasoner.reasoner import RowLimits

Run = Callable[..., SimpleNamespace]


@pytest.fixture
def proof(tmp_path: Path) -> Path:
    """A certificate for tic-tac-toe from a state in which one mark decides."""
    game = load("tictactoe")
    state = game.initial()
    for move in ("(mark 1 1)", "(mark 2 1)", "(mark 1 2)", "(mark 2 2)"):
        state = state.play(move)
    path = tmp_path / "proof.json"
    Certificate.write(path, state, solve(game, state))
    return path


@pytest.fixture
def solution(tmp_path: Path) -> Path:
    game = load("hanoi", discs=3)
    path = tmp_path / "solution.json"
    Certificate.write(path, game.initial(), solve(game))
    return path


def test_why_derives_what_holds_and_says_what_fails(run: Run) -> None:
    found = run("why", "tictactoe", "(legal xplayer (mark 1 1))")
    assert found.code == 0
    assert "(legal xplayer (mark 1 1)) holds" in found.out
    found = run("why", "tictactoe", "(legal xplayer (mark 1 1))", "--after", "(mark 1 1)", "--json")
    assert found.code == 0
    assert json.loads(found.out)["holds"] is False


def test_a_question_past_a_limit_of_the_reasoner_is_unanswered(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    few = RowLimits(static=1, state=1, move=1, most=1)
    monkeypatch.setattr(
        "stratagem.machines.reasoner.machine.ReasonerMachine.__init__.__kwdefaults__", {"limits": few}
    )
    found = run("why", "tictactoe", "(legal xplayer (mark 1 1))")
    assert found.code == 1
    assert "intermediate rows" in found.err


def test_why_of_what_is_next_asks_for_the_move(run: Run) -> None:
    found = run("why", "tictactoe", "(next (cell 1 1 x))")
    assert found.code == 2
    assert "(next (cell 1 1 x)) depends on the moves that are made, and none are given" in found.err
    assert "--move" in found.err
    found = run("why", "tictactoe", "(next (cell 1 1 x))", "--move", "(mark 1 1)")
    assert found.code == 0
    assert "(next (cell 1 1 x)) holds" in found.out


def test_why_needs_no_move_for_what_depends_on_the_state_alone(run: Run) -> None:
    assert run("why", "tictactoe", "terminal").code == 0
    assert "no rule yields nonsense" in run("why", "tictactoe", "nonsense").out


def test_verify_names_the_game_its_sizes_and_where_it_starts(run: Run, solution: Path) -> None:
    found = run("verify", solution)
    assert found.code == 0
    first, *claims, last = found.out.splitlines()
    assert first == "hanoi, discs 3, pegs 3, limit 0 (the bundled rules), from the initial state"
    assert claims == ["robot gets at least 100: proved"]
    assert last == "the certificate holds (7 states)"


def test_verify_shows_a_start_that_is_not_the_initial_state(run: Run, proof: Path) -> None:
    found = run("verify", proof)
    assert found.code == 0
    first = found.out.splitlines()[0]
    assert first.startswith("tictactoe (the bundled rules), from <state (cell 1 1 x) (cell 1 2 x)")
    data = json.loads(run("verify", proof, "--json").out)
    assert (data["game"], data["sizes"], data["bundled_rules"], data["holds"]) == (
        "tictactoe",
        {},
        True,
        True,
    )
    assert "(cell 2 2 o)" in data["start"]


def test_verify_says_that_the_rules_are_not_those_of_the_bundled_game(run: Run, proof: Path) -> None:
    data = json.loads(proof.read_text(encoding="utf-8"))
    data["rules"] += "\n; something else\n"
    proof.write_text(json.dumps(data), encoding="utf-8")
    assert "tictactoe (the rules in the certificate), from" in run("verify", proof).out


def test_verify_exits_with_1_where_a_claim_fails_and_with_2_where_there_is_no_certificate(
    run: Run, solution: Path, tmp_path: Path
) -> None:
    data = json.loads(solution.read_text(encoding="utf-8"))
    data["claims"][0]["solution"].pop()
    solution.write_text(json.dumps(data), encoding="utf-8")
    found = run("verify", solution)
    assert found.code == 1
    assert "the certificate does not hold" in found.out
    assert run("verify", tmp_path / "nowhere.json").code == 2


def test_what_solve_writes_verify_accepts(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "hexapawn.json"
    assert run("solve", "hexapawn", "--certificate", path).code == 0
    found = run("verify", path)
    assert found.code == 0
    assert "white gets at most 0: proved" in found.out
    puzzle = tmp_path / "pegs.json"
    assert run("solve", "pegtriangle", "--method", "any", "--certificate", puzzle).code == 0
    assert run("verify", puzzle).code == 0
