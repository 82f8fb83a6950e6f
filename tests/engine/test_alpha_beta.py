"""Alpha-beta at full speed: the leaves that theory names, threads that share a table, and the table itself."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.data import oracles

from stratagem.engine.alpha_beta import kernel, table
from stratagem.engine.alpha_beta.evaluator import settle, worth_of
from stratagem.engine.alpha_beta.search import EVEN, AlphaBeta
from stratagem.engine.evaluation.learning import learn_evaluation
from stratagem.engine.evaluation.model import Evaluation
from stratagem.engine.space.explore import explore
from stratagem.engine.space.retrograde import solve_zero_sum
from stratagem.errors import UsageError
from stratagem.gdl_game import GdlGame, State
from stratagem.kernels import Array, uint64
from stratagem.kernels.language.arrays import poisoned
from stratagem.kernels.library.hashing import hash_state
from stratagem.kernels.library.lossy_table import LossyTable, look_up
from stratagem.limit import Limit
from stratagem.loading import load
from stratagem.machines.trees.tree import Tree
from stratagem.search.adversarial.dual_star import dual_star
from stratagem.search.adversarial.minimax import minimax
from stratagem.search.adversarial.sss_star import sss_star

SMALL = 8 << 20
PLAYERS = ("first", "second")


def sheet(tree: Sequence[Any]) -> tuple[str, list[float]]:
    """The rules of a game that is this tree, MAX being the first role; the leaves are worth their rank, 1 to 99."""
    lines = [
        "(role first) (role second) (init (at n))",
        "(<= (legal ?r (go ?m)) (true (at ?x)) (turn ?x ?r) (way ?x ?m ?y))",
        "(<= (legal ?r noop) (role ?r) (true (at ?x)) (turn ?x ?s) (distinct ?r ?s))",
        "(<= (next (at ?y)) (does ?r (go ?m)) (true (at ?x)) (way ?x ?m ?y))",
        "(<= terminal (true (at ?x)) (leaf ?x ?a ?b))",
        "(<= (goal first ?a) (true (at ?x)) (leaf ?x ?a ?b))",
        "(<= (goal second ?b) (true (at ?x)) (leaf ?x ?a ?b))",
    ]
    leaves: list[float] = []

    def gather(node: Any) -> None:
        if isinstance(node, int | float):
            leaves.append(node)
        else:
            for child in node:
                gather(child)

    gather(tree)
    rank = {value: 1 + place for place, value in enumerate(sorted(set(leaves)))}
    assert len(rank) < 99
    number = 0

    def write(node: Any, name: str, depth: int) -> None:
        nonlocal number
        if isinstance(node, int | float):
            lines.append(f"(leaf {name} {rank[node]} {100 - rank[node]}) (number {name} {number})")
            number += 1
            return
        lines.append(f"(turn {name} {PLAYERS[depth % 2]})")
        for place, child in enumerate(node):
            lines.append(f"(way {name} {'abcdefgh'[place]} {name}{'abcdefgh'[place]})")
            write(child, name + "abcdefgh"[place], depth + 1)

    write(tree, "n", 0)
    return "\n".join(lines), leaves


def paths(tree: Any, name: str = "n") -> Iterator[str]:
    """The names of the leaves from left to right."""
    if isinstance(tree, int | float):
        yield name
    else:
        for place, child in enumerate(tree):
            yield from paths(child, name + "abcdefgh"[place])


def leaf_order(tree: Sequence[Any], first: float) -> tuple[int, ...]:
    """The numbers of the leaves in the order in which MTD over the compiled rules looks at them for the first time."""
    game = load(sheet(tree)[0])
    search = AlphaBeta(game, memory=SMALL, ordered=False, leaves=1 << 14)
    search.mtd(game.initial(), depth=100, first=first)
    numbers = {f"(at {name})": number for number, name in enumerate(paths(tree))}
    bases = [str(base) for base in game.circuit.bases]
    order: dict[int, None] = {}
    for packed in search.last_leaves():
        bits = np.unpackbits(packed.view(np.uint8), bitorder="little")
        (at,) = [bases[place] for place in np.flatnonzero(bits) if bases[place] in numbers]
        order[numbers[at]] = None
    return tuple(order)


def branching(shape: Any) -> bool:
    return not isinstance(shape, int | float)


def test_mtd_from_above_looks_at_the_leaves_of_sss_star_in_its_order_on_the_lecture_s_trees():
    explicit = json.loads((oracles() / "trees.json").read_text())["explicit"]
    compared = 0
    for one in explicit:
        if len(one["leaves"]) < 3:
            continue
        taught = sss_star(Tree.of(one["tree"])).leaf_order
        assert leaf_order(one["tree"], 100.0) == taught, one["name"]
        assert len(taught) == one["sss"]
        compared += 1
    assert compared > 10


TREES = st.recursive(
    st.integers(0, 20), lambda below: st.lists(below, min_size=2, max_size=3), max_leaves=16
).filter(branching)


@settings(max_examples=25)
@given(TREES)
def test_mtd_is_sss_star_from_above_and_dual_star_from_below(tree):
    assert leaf_order(tree, 100.0) == sss_star(Tree.of(tree)).leaf_order
    assert leaf_order(tree, 0.0) == dual_star(Tree.of(tree)).leaf_order


def worth(game: GdlGame, evaluation: Evaluation, seen: dict[bytes, None]):
    """The evaluation as the engine sees it, in whole hundredths; notes what it is asked about."""
    there = evaluation.at(game.compiled.initial)

    def value(state: State) -> float:
        packed = game.compiled.pack(state.facts())
        seen[packed.tobytes()] = None
        return float(worth_of(there.sums(packed[None]))[0, 0])

    return value


@pytest.mark.parametrize(
    ("name", "sizes", "depth"),
    [
        ("breakthrough", {"columns": 4, "rows": 5}, 3),
        ("connectfour", {"columns": 4, "rows": 4}, 3),
        ("hexapawn", {"columns": 4, "rows": 5}, 2),
    ],
)
def test_mtd_from_above_looks_at_the_leaves_of_sss_star_in_a_game_with_a_horizon(name, sizes, depth):
    game = load(name, **sizes)
    evaluation = learn_evaluation(game, Limit(nodes=400), seed=2)
    assert evaluation is not None
    taught: dict[bytes, None] = {}
    expected = sss_star(game, limit=Limit(depth=depth), evaluate=worth(game, evaluation, taught)).value
    search = AlphaBeta(game, evaluation, memory=SMALL, ordered=False, leaves=1 << 14)
    assert search.mtd(game.initial(), depth=depth, first=100.0).value == pytest.approx(expected, abs=0.02)
    ours = dict.fromkeys(packed.tobytes() for packed in search.last_leaves())
    assert list(ours) == list(taught)


def some_way(game: GdlGame, source: random.Random, moves: int) -> State:
    state = game.initial()
    for _ in range(moves):
        further = state.next([source.choice(state.legals(role)) for role in game.roles])
        if further.terminal:
            break
        state = further
    return state


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_threads_that_share_the_table_find_the_values_and_distances_of_the_whole_space(threads):
    game = load("connectfour", columns=4, rows=4)
    space = explore(game.compiled)
    values = solve_zero_sum(space)
    search = AlphaBeta(game, learn_evaluation(game, Limit(nodes=300)), memory=SMALL, threads=threads)
    source = random.Random(8)
    for _ in range(10):
        state = some_way(game, source, source.randrange(7))
        number = int(space.known.find(game.compiled.pack(state.facts())[None])[0])
        found = search.search(state, Limit(depth=40))
        assert found.proved and found.value == values.low[number]
        if found.value in (0, 100):
            assert found.distance == values.distance[number]


def test_threads_give_the_value_of_one_at_the_same_depth():
    game = load("connectfour")
    evaluation = learn_evaluation(game, Limit(nodes=1000), seed=1)
    source = random.Random(5)
    for _ in range(3):
        state = some_way(game, source, 6)
        alone = AlphaBeta(game, evaluation, memory=SMALL).search(state, Limit(depth=7))
        together = AlphaBeta(game, evaluation, memory=SMALL, threads=3).search(state, Limit(depth=7))
        assert together.value == alone.value
        assert together.counters.nodes > alone.counters.nodes / 2


def test_threads_stop_when_told_and_leave_a_move():
    game = load("breakthrough")
    asked = []
    search = AlphaBeta(game, memory=SMALL, threads=2)
    found = search.search(game.initial(), Limit(stop=lambda: len(asked) >= 4 or asked.append(1) is not None))
    assert found.best_move in game.initial().legals("white")


def test_no_threads_are_refused():
    with pytest.raises(UsageError, match="threads must be at least 1; got 0"):
        AlphaBeta(load("tictactoe"), threads=0)


def test_a_position_that_is_searched_again_a_move_later_is_known_already():
    game = load("connectfour", columns=5, rows=4)
    search = AlphaBeta(game, memory=SMALL)
    first = search.search(game.initial(), Limit(depth=12))
    again = search.search(game.initial().next(first.line[0]), Limit(depth=11))
    fresh = AlphaBeta(game, memory=SMALL).search(game.initial().next(first.line[0]), Limit(depth=11))
    assert again.value == fresh.value
    assert again.counters.nodes < fresh.counters.nodes / 2


def test_small_games_have_minimax_s_value_in_either_order():
    game = load("tictactoe")
    source = random.Random(2)
    for ordered in (True, False):
        search = AlphaBeta(game, memory=SMALL, ordered=ordered)
        for _ in range(6):
            state = some_way(game, source, 4)
            assert search.search(state, Limit(depth=9)).value == minimax(game, start=state).value


# -- the kernel ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "sizes", "plies", "depth", "learned"),
    [("tictactoe", {}, 4, 9, False), ("hexapawn", {}, 0, 4, True), ("reversi", {"size": 4}, 2, 2, True)],
)
@pytest.mark.parametrize("ordered", [True, False])
def test_the_kernel_does_as_python_what_it_does_as_machine_code(name, sizes, plies, depth, learned, ordered):
    """The same value, counts and table, on checked memory full of rubbish; and the value of minimax."""
    game = load(name, **sizes)
    evaluation = learn_evaluation(game, Limit(nodes=100), seed=1) if learned else None
    state = some_way(game, random.Random(3), plies)
    seen = []
    for checked in (True, False):
        search = AlphaBeta(game, evaluation or EVEN, memory=0, ordered=ordered, leaves=8)
        shared, own = search.shared, search.threads[0]
        scratch = {
            field: poisoned(getattr(own, field).shape, getattr(own, field).numpy.dtype)
            for field in ("arena", "hashes", "scores", "keys", "order", "line", "parents", "moves", "leaves")
        }
        own.put(**scratch)
        own.arena.numpy[0] = state.packed
        shared_settle, run = (
            (settle, kernel.search) if checked else (search.code[settle], search.code[kernel.search])
        )
        shared_settle(shared.evaluation, own.arena.row(0))
        value = run(shared, own, depth, -table.WIN, table.WIN)
        counts = own.looked, own.reached, own.horizon, own.leaf
        seen.append((value, counts, shared.table.rows.numpy.tobytes(), own.leaves.numpy.tobytes()))
        if not learned:
            assert 50 + value / 100 == minimax(game, start=state).value or abs(value) > table.SURE
    assert seen[0] == seen[1]


# -- the table ---------------------------------------------------------------------------------------------


def entered(
    state: list[int], low: int, high: int, depth: int, best: int, bucket: LossyTable | None = None
) -> LossyTable:
    if bucket is None:  # one for all
        bucket = LossyTable(rows=np.zeros((2, len(state) + 1), np.uint64), words=len(state), bucket=2)
    packed = Array(uint64, np.array(state, np.uint64))
    table.keep_bounds(bucket, packed, hash_state(packed, len(state)), low, high, depth, best, 1)
    return bucket


def known(bucket: LossyTable, state: list[int]) -> uint64:
    packed = Array(uint64, np.array(state, np.uint64))
    return look_up(bucket, packed, hash_state(packed, len(state)))


@given(
    st.lists(st.integers(0, 2**64 - 1), min_size=1, max_size=9),
    st.integers(-30200, 30200),
    st.integers(0, 250),
    st.integers(-1, 60_000),
)
def test_what_is_kept_is_found_again(state, low, depth, best):
    bucket = entered(state, low, table.HIGHEST, depth, best)
    found = known(bucket, state)
    assert found != 0
    assert (table.low_of(found), table.high_of(found)) == (low, table.HIGHEST)
    assert (table.depth_of(found), table.best_of(found)) == (depth, best)
    assert known(bucket, [state[0] ^ 1, *state[1:]]) == 0


def test_two_bounds_of_one_state_stand_side_by_side():
    bucket = entered([1, 2], 10, table.HIGHEST, 5, 0)
    found = known(entered([1, 2], table.LOWEST, 30, 5, 1, bucket), [1, 2])
    assert (table.low_of(found), table.high_of(found)) == (10, 30)


def test_of_a_full_bucket_the_older_row_gives_way_then_the_shallower():
    def after(*writes: tuple[int, int, int]) -> set[int]:
        """The states that are still known after writes of a state, a depth and a generation each."""
        bucket = LossyTable(rows=np.zeros((2, 2), np.uint64), words=1, bucket=2)
        for state, depth, generation in writes:
            packed = Array(uint64, np.array([state], np.uint64))
            table.keep_bounds(bucket, packed, hash_state(packed, 1), 0, 0, depth, 0, generation)
        return {state for state, _, _ in writes if known(bucket, [state])}

    assert after((1, 9, 1), (2, 3, 2), (3, 1, 2)) == {2, 3}
    assert after((1, 3, 2), (2, 9, 1), (3, 1, 2)) == {1, 3}
    assert after((1, 9, 2), (2, 3, 2), (3, 1, 2)) == {1, 3}
    assert after((1, 3, 2), (2, 9, 2), (3, 1, 2)) == {2, 3}


def test_touching_the_table_changes_nothing_before_a_search():
    game = load("tictactoe")
    search = AlphaBeta(game, memory=1 << 20)
    search.allocate()
    assert not search.shared.table.rows.numpy.any()
    assert search.search(game.initial(), Limit(depth=9)).value == 50


def test_rows_begin_lines_of_the_cache_and_memory_is_bounded():
    for words in (1, 2, 3, 4, 7, 12):
        rows = table.new_table(words, 1 << 20).rows.numpy
        assert rows.ctypes.data % 64 == 0
        assert rows.shape[1] > words
        assert rows.nbytes <= 1 << 20
        assert len(rows) & (len(rows) - 1) == 0


def test_different_states_have_different_hashes():
    game = load("connectfour", columns=4, rows=4)
    pool = explore(game.compiled).known.states[::97]
    hashes = {hash_state(Array(uint64, state.copy()), len(state)) for state in pool}
    assert len(hashes) == len(pool)
