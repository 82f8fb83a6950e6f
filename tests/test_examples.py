"""The programs in examples/ run as they are, and print what their comments claim."""

from __future__ import annotations

import json
import re
import runpy
from pathlib import Path

import pytest
from tests.support.data import ROOT

EXAMPLES = ROOT / "examples"
NEARLY_ALL = re.compile(r"(9[5-9]|100)% at last")
"""What is learned differs in the last digits of its numbers from one processor to another, and so does its success."""
PROGRAMS: dict[str, list[str | re.Pattern[str]]] = {
    "simulate.py": ["1,000,000 matches", "red 100, yellow 0: 55.6%", "longest match: 42 moves"],
    "own_player.py": ["one-ply against random: (100, 0)", "1. one-ply"],
    "solve_my_puzzle.py": ["in 2 moves", "the goal is reached: True, worth 100"],
    "judge_my_rules.py": [
        "7 coins",
        "does every match end? yes",
        "what can first force against all others? 0 (decided)",
    ],
    "search_a_python_game.py": ["sss-star: value 100, best move (0, 1)", "stopped by nodes after 20 nodes"],
    "train_from_rules.py": ["matches won against random play: ", NEARLY_ALL],
    "learn_tictactoe.py": ["after 3,072,000 moves: 0 ways to lose are left"],
}
NEEDS = {"train_from_rules.py": "gymnasium", "learn_tictactoe.py": "jax"}
"""What a program imports beyond Stratagem itself."""
SLOW = {"learn_tictactoe.py"}
TRIED = [
    pytest.param(name, claims, id=name, marks=[pytest.mark.slow] if name in SLOW else [])
    for name, claims in PROGRAMS.items()
]


@pytest.mark.parametrize(("name", "claims"), TRIED)
def test_an_example_runs_and_prints_what_it_claims(
    name: str, claims: list[str | re.Pattern[str]], capsys: pytest.CaptureFixture[str]
):
    if name in NEEDS:
        pytest.importorskip(NEEDS[name], reason=f"{name} needs {NEEDS[name]}, which is not installed")
    runpy.run_path(str(EXAMPLES / name), run_name="__main__")
    printed = capsys.readouterr().out
    assert [claim for claim in claims if not _printed(claim, printed)] == []


def _printed(claim: str | re.Pattern[str], text: str) -> bool:
    return claim in text if isinstance(claim, str) else claim.search(text) is not None


def test_every_program_is_tried():
    there = {path.name for path in EXAMPLES.glob("*.py")} - {"demo.py"}
    assert there == set(PROGRAMS)


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.ipynb")), ids=lambda path: path.name)
def test_a_notebook_runs_from_top_to_bottom(path: Path):
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    namespace: dict[str, object] = {}
    shown = []
    for cell in cells:
        if cell["cell_type"] == "code":
            *before, last = "".join(cell["source"]).splitlines()
            exec("\n".join(before), namespace)
            try:
                value = eval(last, namespace)
            except SyntaxError:
                exec(last, namespace)
            else:
                shown.append(value)
    pictures = [value for value in shown if hasattr(value, "_repr_html_")]
    assert len(pictures) == 4
    assert all("<svg" in value._repr_html_() or "<iframe" in value._repr_html_() for value in pictures)
