"""Bundled games are drawn as they were when a person last looked."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.support.golden_boards import BOARDS, Position, drawn, pictures

KEPT = list(pictures())


@pytest.mark.parametrize(("path", "position", "how"), KEPT, ids=[path.name for path, _, _ in KEPT])
def test_the_picture_is_the_one_that_was_looked_at(path: Path, position: Position, how: str) -> None:
    assert drawn(position, how) == path.read_text(encoding="utf-8"), (
        "if the new picture is right: python -m tests.support.golden_boards"
    )


def test_no_picture_is_kept_that_nothing_draws() -> None:
    assert {path.name for path in BOARDS.iterdir()} == {path.name for path, _, _ in KEPT}


def test_a_dozen_games_and_every_kind_of_board_are_kept() -> None:
    from stratagem.show.board.infer import model_of

    kinds = {model_of(position.state().game).kind for _, position, how in KEPT if how == "unicode"}
    assert kinds == {"grid", "hex", "lamps", "piles", "stacks", "sides", "facts"}
    assert len({position.game for _, position, _ in KEPT}) >= 12
