"""What follows from the prices of walks and matches, and what the two ways of looking at a leaf promise."""

from __future__ import annotations

import pytest

from stratagem.engine import learn_evaluation
from stratagem.engine.mcts.kernel import KERNELS, grow
from stratagem.engine.mcts.memory import Settings
from stratagem.engine.mcts.prices import NEVER, Prices, records_moves
from stratagem.engine.mcts.search import Mcts
from stratagem.limit import Limit
from stratagem.loading import load
from stratagem.native.jit.kernel_families import compiled_family

SMALL = 16 << 20


@pytest.mark.parametrize("call", [1e3, 1e5, 1e6, 1e7])
@pytest.mark.parametrize("branching", [1, 7, 30, 60, 300, 100_000])
@pytest.mark.parametrize("lanes", [256, 512, 1024])
def test_leaves_and_their_children_fit_the_lanes(call: float, branching: int, lanes: int):
    prices = Prices(branching, call, lanes)
    assert 1 <= prices.leaves <= lanes
    assert prices.leaves & (prices.leaves - 1) == 0
    if prices.visits_before_children == 0 and prices.children_at_once:
        assert prices.leaves * branching <= lanes
    if branching > lanes:
        assert prices.visits_before_children == NEVER


def test_dearer_matches_leave_more_leaves_to_a_call():
    assert Prices(7, 1e4, 512).leaves <= Prices(7, 1e7, 512).leaves


def test_a_leaf_is_played_alone_where_its_children_fill_a_call_that_is_not_cheap():
    """18 moves on 1024 lanes are the amazons of decision 34, 27 on 512 breakthrough, 9 on 1024 reversi."""
    amazons = Prices(18, 2.6e5, 1024)
    assert amazons.leaf_is_dear and not amazons.children_at_once
    assert (amazons.leaves, amazons.visits_before_children) == (32, NEVER)
    for cheap_or_narrow in (Prices(27, 4.9e4, 512), Prices(9, 1.1e6, 1024), Prices(18, 9e4, 1024)):
        assert cheap_or_narrow.children_at_once and not cheap_or_narrow.leaf_is_dear
    for dear_or_wide in (Prices(18, 1e7, 1024), Prices(81, 8.8e5, 1024)):
        assert not dear_or_wide.children_at_once and not dear_or_wide.leaf_is_dear


def test_a_win_in_one_move_is_looked_for_where_that_costs_less_than_the_matches_of_a_leaf():
    """36 moves on 512 lanes are pentago, of which eight leaves share a call; 225 on 1024 lanes gomoku."""
    assert Prices(36, 2.1e4, 512).leaves == 8
    assert Prices(36, 2.1e4, 512).looks_for_wins
    assert not Prices(36, 1.1e4, 512).looks_for_wins
    assert Prices(225, 1.3e6, 1024).leaves == 64
    assert Prices(225, 1.3e6, 1024, 35.0).looks_for_wins
    assert not Prices(225, 1.3e6, 1024, 60.0).looks_for_wins


def test_moves_are_kept_in_games_in_which_a_move_is_made_once():
    assert records_moves(load("hex", size=7))
    assert records_moves(load("tictactoethree", size=6, line=4))
    assert not records_moves(load("pentago")), "blocks turn more than once, and free cells again"
    assert not records_moves(load("connectfour"))
    assert not records_moves(load("breakthrough"))


def search_with(name: str, sizes: dict[str, int], **changed: float) -> Mcts:
    game = load(name, **sizes)
    usual = Mcts(game, memory=1).settings
    names = list(Settings.__annotations__)
    return Mcts(
        game,
        memory=SMALL,
        seed=4,
        settings=Settings(**{each: changed.get(each, getattr(usual, each)) for each in names}),
    )


@pytest.mark.parametrize("together", [0, 3, NEVER])
@pytest.mark.parametrize("decisive", [0, 1])
def test_either_way_of_looking_at_leaves_proves_what_is_true(together: int, decisive: int):
    search = search_with(
        "connectfour", {"columns": 4, "rows": 4}, together=together, decisive=decisive, leaves=8
    )
    state = search.game.initial()
    for move in (1, 2, 1, 2, 1):
        state = state.play(f"(drop {move})")
    found = search.search(state, Limit(nodes=3000))
    assert str(found.best_move) == "(drop 1)", "three in a column have to be answered"
    found = search.search(state.play("(drop 3)"), Limit(nodes=3000))
    assert (found.proved, found.distance) == (True, 1)


def test_leaves_played_alone_make_about_one_node_for_each_simulation():
    search = search_with("connectfour", {}, together=NEVER, leaves=64)
    found = search.search(search.game.initial(), Limit(nodes=5000))
    assert found.counters.states > 3500
    assert found.counters.playouts >= 5000


@pytest.mark.parametrize("together", [0, NEVER])
def test_what_was_learned_counts_beside_the_matches(together: int):
    """The kernel is the same as Python and as machine code with an evaluation, too."""
    game = load("breakthrough", columns=4, rows=4)
    evaluation = learn_evaluation(game, Limit(nodes=1500), seed=1)
    usual = Mcts(game, memory=1, evaluation=evaluation).settings
    changed = {**{each: getattr(usual, each) for each in Settings.__annotations__}, "together": together}
    grown = []
    for run in (grow, compiled_family(KERNELS)[grow]):
        search = Mcts(game, memory=1 << 20, seed=5, evaluation=evaluation, settings=Settings(**changed))
        search._settle(game.compiled.initial)
        run(search._threads[0], 20)
        grown.append(search.tree.totals.numpy[: search.tree.states.used].tobytes())
    assert usual.learned_share > 0
    assert grown[0] == grown[1]
