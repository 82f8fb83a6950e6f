"""Monte Carlo tree search against exact values, and what it promises about memory, seeds and interruptions."""

from __future__ import annotations

import random

import numpy as np
import pytest

from stratagem.engine.mcts.compaction import keep_below
from stratagem.engine.mcts.graph import OPEN, new_graph
from stratagem.engine.mcts.kernel import KERNELS, grow
from stratagem.engine.mcts.search import Mcts
from stratagem.engine.space.explore import explore
from stratagem.engine.space.retrograde import solve_zero_sum
from stratagem.errors import UsageError
from stratagem.gdl_game import GdlGame, State
from stratagem.kernels import Array, int32
from stratagem.limit import Limit
from stratagem.loading import load
from stratagem.native.jit.kernel_families import compiled_family
from stratagem.result import Interval

SMALL = 16 << 20


def some_way(game: GdlGame, source: random.Random, moves: int) -> State:
    """A position after so many random moves, or the last one before the end."""
    state = game.initial()
    for _ in range(moves):
        further = state.next([source.choice(state.legals(role)) for role in game.roles])
        if further.terminal:
            break
        state = further
    return state


def test_tic_tac_toe_is_proved_a_draw():
    game = load("tictactoe")
    found = Mcts(game, memory=SMALL, seed=1).search(game.initial(), Limit(nodes=400_000))
    assert (found.proved, list(found.estimates.values())) == (True, [50.0, 50.0])


@pytest.mark.parametrize(
    ("name", "sizes"),
    [("tictactoe", {}), ("hexapawn", {"columns": 4, "rows": 4}), ("connectfour", {"columns": 4, "rows": 4})],
)
def test_what_is_proved_agrees_with_the_whole_space(name, sizes):
    game = load(name, **sizes)
    space = explore(game.compiled)
    values = solve_zero_sum(space)
    source = random.Random(5)
    searched = proved = 0
    for _ in range(12):
        state = some_way(game, source, source.randrange(2, 9))
        found = Mcts(game, memory=SMALL, seed=2).search(state, Limit(nodes=4000))
        number = int(space.known.find(game.compiled.pack(state.facts())[None])[0])
        searched += 1
        if found.proved:
            proved += 1
            assert found.value == values.low[number] == values.high[number]
            mover = state.to_move
            if mover:
                after = state.play(found.best[mover[0]])
                child = int(space.known.find(game.compiled.pack(after.facts())[None])[0])
                assert values.low[child] == values.low[number], "the best move keeps the value"
    assert proved > searched // 3


def test_nim_is_won_by_the_move_to_nim_sum_zero():
    game = load("nim", first=1, second=2, third=4, fourth=0)
    found = Mcts(game, memory=SMALL).search(game.initial(), Limit(nodes=100_000))
    assert found.proved
    assert list(found.values.values()) == [Interval(100, 100), Interval(0, 0)]
    after = game.initial().play(found.best_move)
    assert Mcts(game, memory=SMALL).search(after, Limit(nodes=100_000)).value == 100.0


def test_a_win_in_one_is_taken_and_a_loss_in_one_prevented():
    game = load("connectfour")
    state = game.initial()
    for move in (1, 2, 1, 2, 1):
        state = state.play(f"(drop {move})")
    search = Mcts(game, memory=SMALL)
    # Three of red's stand in column 1: yellow has to answer there.
    assert str(search.search(state, Limit(nodes=2000)).best_move) == "(drop 1)"
    open_to_red = state.play("(drop 3)")
    found = search.search(open_to_red, Limit(nodes=2000))
    assert (found.proved, found.distance, str(found.best_move)) == (True, 1, "(drop 1)")


def test_rock_paper_scissors_is_even_and_mixed():
    game = load("rockpaperscissors", rounds=1)
    found = Mcts(game, memory=SMALL, seed=3).search(game.initial(), Limit(nodes=30_000))
    assert found.value == pytest.approx(50, abs=2)
    shares = [one.visits / found.counters.visits for one in found.moves[game.roles[0]]]
    assert all(share == pytest.approx(1 / 3, abs=0.1) for share in shares)


def test_prisoners_learn_to_defect():
    game = load("prisonersdilemma", rounds=2)
    found = Mcts(game, memory=SMALL, seed=3).search(game.initial(), Limit(nodes=20_000))
    assert [str(move) for move in found.best.values()] == ["defect", "defect"]


def test_three_roles_each_look_after_themselves():
    game = load("tictactoethree", size=3, line=3)
    found = Mcts(game, memory=SMALL).search(game.initial(), Limit(nodes=3000))
    assert len(found.estimates) == 3
    assert found.best["first"] in game.initial().legals("first")
    assert all(0 <= value <= 100 for value in found.estimates.values())


@pytest.mark.parametrize(
    ("name", "sizes"), [("hanoi", {"discs": 3}), ("wolfgoatcabbage", {}), ("pegtriangle", {})]
)
def test_small_puzzles_are_solved(name, sizes):
    game = load(name, **sizes)
    found = Mcts(game, memory=SMALL).search(game.initial(), Limit(nodes=60_000))
    assert (found.proved, found.value) == (True, 100.0)


def test_the_line_of_a_solved_puzzle_leads_to_its_end():
    game = load("hanoi", discs=3)
    search = Mcts(game, memory=SMALL)
    state, steps = game.initial(), 0
    while not state.terminal and steps < 200:
        state = state.next(search.search(state, Limit(nodes=20_000)).best)
        steps += 1
    assert state.goal(game.roles[0]) == 100


def test_what_was_learned_stays_when_the_match_moves_on():
    game = load("connectfour")
    search = Mcts(game, memory=SMALL, seed=1)
    first = search.search(game.initial(), Limit(nodes=2000))
    best = first.moves[game.roles[0]][0]
    assert search.advance(first.line[0])
    state = game.initial().next(first.line[0])
    after = search.search(state, Limit(nodes=1))
    assert after.counters.visits >= best.visits


def test_dropping_what_is_out_of_reach_keeps_what_is_known_of_the_rest():
    game = load("connectfour", columns=5, rows=5)
    search = Mcts(game, memory=SMALL, seed=1)
    search.search(game.initial(), Limit(nodes=3000))
    state = game.initial().play("(drop 3)")
    search._settle(game.compiled.pack(state.facts()))
    before = search._result()
    nodes = search.tree.states.used
    search._root = search._keep_below(search._root)
    after = search._result()
    assert search.tree.states.used < nodes
    assert (after.best, after.estimates, after.line, after.moves) == (
        before.best,
        before.estimates,
        before.line,
        before.moves,
    )
    assert search.search(state, Limit(nodes=500)).counters.visits == before.counters.visits + 500


def test_memory_is_bounded_and_a_full_graph_still_searches():
    game = load("connectfour")
    search = Mcts(game, memory=1 << 18)
    room = search.tree.nodes
    found = search.search(game.initial(), Limit(nodes=5000))
    assert found.counters.states <= room
    assert found.counters.nodes == 5000


def test_one_thread_with_a_seed_does_the_same_twice():
    game = load("breakthrough", columns=5, rows=5)
    results = [Mcts(game, memory=SMALL, seed=7).search(game.initial(), Limit(nodes=500)) for _ in range(2)]
    assert results[0].moves == results[1].moves
    assert results[0].estimates == results[1].estimates


def test_two_threads_share_one_graph():
    game = load("connectfour", columns=5, rows=4)
    search = Mcts(game, memory=SMALL, threads=2)
    found = search.search(game.initial(), Limit(nodes=3000))
    assert 3000 <= found.counters.nodes <= 3001
    used = search.tree.states.used
    states, status = search.tree.states.pool.numpy[:used], search.tree.status.numpy[:used]
    assert len(np.unique(states, axis=0)) == used, "every state once"
    assert not np.any(search.tree.flying.numpy[:used]), "every walk was backed up"
    assert np.all(search.tree.child.numpy[: search.tree.edges_used] >= -1), "no edge waits for a child"
    assert np.all(search.tree.visits.numpy[:used][status == OPEN] >= 1)


def test_a_search_ends_when_it_is_told_to():
    game = load("connectfour")
    asked = []

    def stop() -> bool:
        asked.append(1)
        return len(asked) >= 3

    found = Mcts(game, memory=SMALL).search(game.initial(), Limit(stop=stop))
    assert len(asked) == 3
    assert found.counters.nodes > 0


def test_progress_is_told_with_visits_value_and_line():
    game = load("connectfour")
    heard = []
    Mcts(game, memory=SMALL).search(game.initial(), Limit(stop=lambda: bool(heard)), progress=heard.append)
    assert heard
    assert heard[-1].counters.visits > 0 and heard[-1].line


def test_an_end_has_the_value_of_its_goals():
    game = load("tictactoe")
    state = game.initial()
    for move in ("1 1", "2 1", "1 2", "2 2", "1 3"):
        state = state.play(f"(mark {move})")
    found = Mcts(game, memory=SMALL).search(state, Limit(nodes=10))
    assert (found.proved, found.value, found.best) == (True, 100.0, {})


def test_a_search_without_an_end_is_refused():
    game = load("tictactoe")
    with pytest.raises(UsageError, match="a search needs an end"):
        Mcts(game, memory=SMALL).search(game.initial(), Limit())
    with pytest.raises(UsageError, match="threads must be at least 1; got 0"):
        Mcts(game, threads=0)


def test_a_graph_takes_about_the_memory_that_it_was_given():
    for moves, tables in ((16, False), (160, True), (3600, True)):
        graph = new_graph(2, 2, 8 << 20, moves=moves, tables=tables)
        arrays = [*graph.record_held.values(), *graph.states.record_held.values()]
        taken = sum(array.numpy.nbytes for array in arrays if isinstance(array, Array))
        assert 0.4 * (8 << 20) <= taken <= 1.6 * (8 << 20)


@pytest.fixture(scope="module")
def wide() -> GdlGame:
    """More moves than the children that an inner node plays when it is opened."""
    return load("hex", size=9)


def test_every_move_of_a_wide_root_has_a_guess_from_the_first_simulation_on(wide: GdlGame):
    found = Mcts(wide, memory=SMALL, seed=3).search(wide.initial(), Limit(nodes=1))
    assert len(found.moves["red"]) == 81
    assert len({move.value for move in found.moves["red"]}) == 5, "four lanes for each"
    assert found.moves["red"][0].value == max(move.value for move in found.moves["red"])


def test_a_wide_position_that_was_barely_visited_is_looked_at_anew_as_the_root(wide: GdlGame):
    engine = Mcts(wide, memory=SMALL, seed=3)
    tried = engine.search(wide.initial(), Limit(nodes=20)).moves["red"][0].move
    after = wide.initial().next({"red": tried, "blue": "noop"})
    replies = engine.search(after, Limit(nodes=1)).moves["blue"]
    assert len({move.value for move in replies}) > 5


def test_the_expected_line_ends_before_moves_that_nobody_has_looked_at(wide: GdlGame):
    found = Mcts(wide, memory=SMALL, seed=3).search(wide.initial(), Limit(nodes=200))
    assert found.counters.depth > 1
    assert len(found.line) == 1


def test_what_is_tried_first_in_a_wide_position_does_not_follow_the_order_of_the_rules(wide: GdlGame):
    engine = Mcts(wide, memory=SMALL, seed=3)
    engine.search(wide.initial(), Limit(nodes=2000))
    tree, root = engine.tree, engine._root
    children = tree.child.numpy[tree.edge[root] : tree.edge[root] + 81]
    first = [
        int(np.argmax(tree.tries.numpy[tree.edge[child] : tree.edge[child] + 80]))
        for child in children
        if child >= 0 and tree.status[child] == OPEN and tree.visits[child] > 2
    ]
    assert len(set(first)) > 1


ARRAYS = ("visits", "flying", "totals", "status", "proved", "distance", "anchor", "mover", "choices", "table")


def graph_of(search: Mcts) -> list[bytes]:
    """All that the graph holds, to compare."""
    graph = search.tree
    used = {"nodes": graph.states.used, "edges": graph.edges_used, "arms": graph.arms_used}
    arrays = [getattr(graph, name) for name in ARRAYS]
    parts = [graph.states.pool.numpy[: used["nodes"]], *(each.numpy[: used["nodes"]] for each in arrays)]
    parts += [each.numpy[: used["edges"]] for each in (graph.child, graph.tries)]
    parts.append(graph.move.numpy[: graph.moves_used])
    parts += [each.numpy[: graph.tables_used] for each in (graph.owner, graph.made_visits, graph.made_totals)]
    parts += [each.numpy[: used["arms"]] for each in (graph.arm_visits, graph.arm_totals)]
    counted = [*used.values(), graph.simulations, graph.deepest, graph.matches, graph.full]
    return [bytes(part) for part in map(np.ascontiguousarray, parts)] + [repr(counted).encode()]


@pytest.mark.parametrize(
    ("name", "walks", "memory"),
    [
        ("tictactoe", 40, 1 << 20),
        ("rockpaperscissors", 40, 1 << 20),
        ("eightpuzzle", 20, 1 << 20),
        ("connectfour", 200, 1),
    ],
)
def test_the_kernel_run_as_python_grows_the_same_graph(name: str, walks: int, memory: int) -> None:
    """In turn, at once, alone, and with a graph that becomes full; then what is out of reach is dropped."""
    game, grown = load(name), []
    for run in (grow, compiled_family(KERNELS)[grow]):
        search = Mcts(game, memory=memory, seed=5)
        search._settle(game.compiled.initial)
        run(search._threads[0], walks)
        grown.append(search)
    assert graph_of(grown[0]) == graph_of(grown[1])
    assert grown[0].tree.full == (memory == 1)
    kept = []
    for search, run in zip(grown, (keep_below, compiled_family(KERNELS)[keep_below]), strict=True):
        tree = search.tree
        nodes, most = tree.states.used, max(tree.states.used, tree.edges_used, tree.moves_used)
        numbers, room = (Array(int32, np.empty(size, np.int32)) for size in (nodes, most))
        kept.append(run(tree, int(tree.child.numpy[tree.child.numpy >= 0][0]), numbers, room))
        assert search.tree.states.used < nodes or name == "eightpuzzle", "moves can be taken back there"
    assert kept[0] == kept[1]
    assert graph_of(grown[0]) == graph_of(grown[1])
