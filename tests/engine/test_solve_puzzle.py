"""The portfolio for one player: every method finds the same, and says what it did."""

from __future__ import annotations

import pytest

from stratagem.engine.puzzle import portfolio
from stratagem.engine.solve import solve
from stratagem.errors import UnsuitableGame, UsageError
from stratagem.limit import Limit
from stratagem.loading import load
from stratagem.result import Interval

PUZZLES = [
    ("missionaries", {}, 11),
    ("buttonsandlights", {}, 6),
    ("wolfgoatcabbage", {}, 7),
    ("hanoi", {"discs": 3}, 7),
    ("pancakes", {}, 6),
    ("sokoban", {}, 11),
]


@pytest.mark.parametrize("method", ["auto", "breadth-first", "a-star", "ida-star", "plan"])
@pytest.mark.parametrize(("name", "sizes", "moves"), PUZZLES, ids=[name for name, _, _ in PUZZLES])
def test_all_methods_find_a_shortest_solution(
    name: str, sizes: dict[str, int], moves: int, method: str
) -> None:
    game = load(name, settings=sizes)
    found = solve(game, method=method)
    assert found.proved
    assert found.distance == moves == len(found.line)
    assert found.estimates == {game.roles[0]: 100}
    state = game.initial()
    for joint in found.line:
        state = state.next(joint)
    assert state.terminal
    assert state.goal(game.roles[0]) == 100


@pytest.mark.parametrize("free", [1, 2], ids=["in turn", "side by side"])
@pytest.mark.parametrize(
    ("name", "method"),
    [
        ("pegtriangle", "depth-first search with restarts"),
        ("pancakes", "bidirectional search by undoing moves"),
    ],
)
def test_any_solution_is_one_that_can_be_played(
    name: str, method: str, free: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(portfolio, "QUICK_SHARE", 0.0)
    monkeypatch.setattr(portfolio, "free_cores", lambda: free)
    game = load(name)
    found = solve(game, method="any")
    assert found.method in ({method} if free == 1 else {method, "A*"})
    assert found.proved
    state = game.initial()
    for joint in found.line:
        state = state.next(joint)
    assert state.terminal
    assert state.goal(game.roles[0]) == 100
    if found.method == method:
        assert found.distance is None
        assert "there may be shorter ones" in found.note


def test_any_solution_of_a_small_puzzle_is_the_shortest() -> None:
    found = solve(load("missionaries"), method="any")
    assert (found.method, found.distance) == ("breadth-first", 11)


@pytest.mark.parametrize(
    ("name", "sizes", "method", "moves"),
    [("hanoi", {"discs": 11}, "A*", 2047), ("eightpuzzle", {}, "IDA*", 30)],
)
def test_what_breadth_first_cannot_finish_goes_to_searches_with_databases(
    name: str, sizes: dict[str, int], method: str, moves: int
) -> None:
    found = solve(load(name, settings=sizes), limit=Limit(memory=24 << 20))
    assert found.method == method
    assert "breadth-first had not finished" in found.why
    assert "pattern database" in found.why
    assert found.proved
    assert found.distance == moves


def test_where_no_end_is_worth_the_most_the_best_of_the_rest_is_found() -> None:
    game = load("hanoi", settings={"discs": 3, "limit": 6})
    for method in ("auto", "a-star", "plan"):
        found = solve(game, method=method)
        assert found.proved
        assert found.estimates == {"robot": 0}


def test_a_budget_that_is_too_small_leaves_honest_bounds() -> None:
    for method in ("auto", "plan"):
        found = solve(load("fifteenpuzzle"), method=method, limit=Limit(seconds=0.2))
        assert not found.proved
        assert found.values == {"robot": Interval(0, 100)}
        assert "no terminal state worth 100 is closer than" in found.note


def test_methods_for_one_player_refuse_two() -> None:
    with pytest.raises(UnsuitableGame, match="a-star is for one player"):
        solve(load("tictactoe"), method="a-star")
    with pytest.raises(UsageError, match="no method is called"):
        solve(load("tictactoe"), method="magic")
