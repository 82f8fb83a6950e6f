"""Boards of other people's sheets: none fails, and nearly all that have two coordinates get a grid."""

from __future__ import annotations

import gzip
import json
import time
from pathlib import Path

import pytest
from tests.support.data import corpus

from stratagem.gdl.parse import parse_term
from stratagem.loading import load
from stratagem.show.board.infer import infer
from stratagem.show.board.svg.board import boards_svg
from stratagem.show.board.svg.cells import Highlight
from stratagem.show.board.terminal.board import draw, model_lines
from stratagem.show.text import plain

WITHOUT = {
    *[
        "asteroids",
        "blocks2player",
        "blocksWorldSerial.v1",
        "buttons",
        "checkLines",
        "coins",
        "doubletictactoe",
        "hanoi",
        "hanoi_6_disks",
    ],
    *[
        "hodgepodge",
        "kalaha_2009",
        "maze",
        "nim1",
        "pancakes",
        "racer",
        "racer4.v1",
        "roshambo2",
        "ruleDepthLinear",
        "smallest_4player",
    ],
    *[
        "survival",
        "toetictac",
        "urmAdd",
        "zhadu",
        "gt_attrition",
        "gt_dollar",
        "gt_prisoner",
        "gt_staghunt",
        "gt_two_thirds_2p",
    ],
    *["gt_two_thirds_6p", "gt_ultimatum"],
}
"""Read by a person: sheets whose facts have no two coordinates (a cell named a1 has two)."""


def sheets() -> list[Path]:
    return sorted((corpus() / "games").glob("*.kif"))


def test_nearly_every_sheet_with_two_coordinates_gets_a_grid(record_property: pytest.RecordProperty) -> None:
    begun = time.perf_counter()
    grids, missed = [], []
    for path in sheets():
        game = load(path, machine="reasoner")
        model = infer(game)
        picture = model.picture(game.initial().facts())
        assert plain(model_lines(model, picture))
        assert boards_svg(model, picture, Highlight(), path.stem)
        if path.stem not in WITHOUT:
            (grids if model.kind in ("grid", "hex") else missed).append(path.stem)
    share = len(grids) / (len(grids) + len(missed))
    took = time.perf_counter() - begun
    print(
        f"{len(grids)} of {len(grids) + len(missed)} sheets with two coordinates get a grid ({share:.0%}), {took:.1f} s"
    )
    record_property("share of grids", share)
    assert share >= 0.95, missed


def states(path: Path) -> list[list[str]]:
    """The first and the last state of every walk that has its facts."""
    found: dict[int, list[list[str]]] = {}
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            entry = json.loads(line)
            if "state" in entry:
                found.setdefault(entry["walk"], []).append(entry["state"])
    return [several[place] for several in found.values() for place in (len(several) // 2, -1)][:4]


@pytest.mark.slow
def test_states_in_the_middle_and_at_the_end_of_matches_are_drawn_without_losing_a_fact() -> None:
    for path in sheets():
        game = load(path, machine="reasoner")
        for facts in states(corpus() / "traces" / f"{path.stem}.jsonl.gz"):
            state = game.state_of(map(parse_term, facts))
            text = draw(state)
            for fact in infer(game).picture(state.facts()).rest:
                assert (str(fact[0]) if isinstance(fact, tuple) else str(fact)) in text
