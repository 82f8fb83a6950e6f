"""Certificates: what is proved can be checked by the reasoner alone, and what is false is found out."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import pytest

from stratagem.engine.proof.certificate import Certificate
from stratagem.engine.solve import solve
from stratagem.errors import BrokenFile, UnsuitableGame
from stratagem.limit import Limit
from stratagem.loading import load


def certified(tmp_path: Path, name: str, **sizes: int) -> Path:
    game = load(name, settings=sizes)
    path = tmp_path / "proof.json"
    Certificate.write(path, game.initial(), solve(game))
    return path


@pytest.mark.parametrize(
    ("name", "sizes"),
    [("tictactoe", {}), ("hexapawn", {}), ("nim", {"first": 1, "second": 2}), ("missionaries", {})],
)
def test_the_reasoner_accepts_what_the_engine_proved(
    tmp_path: Path, name: str, sizes: dict[str, int]
) -> None:
    verdict = Certificate.read(certified(tmp_path, name, **sizes)).verify()
    assert verdict.holds
    assert verdict.states > 0


def test_a_certificate_with_one_move_changed_fails_unless_the_other_move_wins_too(tmp_path: Path) -> None:
    data = dict(Certificate.read(certified(tmp_path, "hexapawn")).data)
    (claim,) = data["claims"]
    random = Random(3)
    failed = 0
    for key in sorted(claim["strategy"]):
        changed = json.loads(json.dumps(data))
        other = random.choice(
            [move for move in sorted(set(claim["strategy"].values())) if move != claim["strategy"][key]]
        )
        changed["claims"][0]["strategy"][key] = other
        failed += not Certificate(changed).verify().holds
    assert failed >= len(claim["strategy"]) - 1


def test_a_claim_that_is_too_strong_fails(tmp_path: Path) -> None:
    data = dict(Certificate.read(certified(tmp_path, "tictactoe")).data)
    for claim in data["claims"]:
        if "at_least" in claim:
            claim["at_least"] = 100
    assert not Certificate(data).verify().holds
    data["claims"] = []
    assert not Certificate(data).verify().holds


def test_a_solution_cut_short_fails(tmp_path: Path) -> None:
    data = dict(Certificate.read(certified(tmp_path, "missionaries")).data)
    data["claims"][0]["solution"].pop()
    assert not Certificate(data).verify().holds


def test_files_that_are_no_certificates_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "x.json"
    head = '{"format": "stratagem certificate", "version": '
    for content in ("", "{", "[]", head + "9}", head + "1}"):
        file.write_text(content)
        with pytest.raises(BrokenFile):
            Certificate.read(file)
    with pytest.raises(BrokenFile, match=r"missing cannot be read: No such file or directory$"):
        Certificate.read(tmp_path / "missing")


def test_three_players_have_no_certificate(tmp_path: Path) -> None:
    game = load("tictactoethree", size=3, line=3)
    with pytest.raises(UnsuitableGame, match="one or two players"):
        Certificate.write(tmp_path / "x", game.initial(), solve(game, limit=Limit(seconds=20)))
