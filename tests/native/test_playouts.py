"""Random matches in machine code: the same as the reference, uniform, and the same whatever runs them."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Sequence
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.support.circuits import (
    ballot,
    breakthrough,
    connect_four,
    counter,
    dead_end,
    random_circuit,
    tic_tac_toe,
    with_turns,
)
from tests.support.recursive_sheets import LASTING, recursive_sheet

from stratagem.circuit.circuit import Circuit
from stratagem.errors import UsageError
from stratagem.loading import load
from stratagem.native.compiled import CompiledGame
from stratagem.native.emit.playout import PlayoutPlan
from stratagem.native.emit.text import VectorShape
from stratagem.native.jit.llvm import host
from stratagem.native.logic.loops import cut_loops
from stratagem.native.logic.turn_cycle import NONE, find_tokens
from stratagem.native.packing import packed_truth
from stratagem.native.phases import phase_tables
from stratagem.native.phases.phase_tables import PhaseTable, PhaseTables, Tier
from stratagem.native.phases.steps import StepMoves, circuit_at, moves_to_look_at
from stratagem.native.playouts import block as blocks
from stratagem.native.playouts import kernels
from stratagem.native.playouts.bigint_circuit import IntegerCircuit
from stratagem.native.playouts.kernels import FusedKernel, KernelSet, PlayoutKernel, WalkKernel
from stratagem.native.playouts.playouts import Playouts, _Run
from stratagem.native.playouts.reference import PlayoutTally, play
from stratagem.native.playouts.report import PlayoutReport, Sums
from stratagem.native.playouts.schedule import deal, shares, words_for


def walk_of(circuit: Circuit, tier: Tier) -> PhaseTable:
    """The phases of walked playouts in a tier of one's choice."""
    table = PhaseTables(circuit).walk_up_to(tier)
    table.wait()
    return table


def packed(truth: Sequence[bool] | np.ndarray) -> np.ndarray:
    return packed_truth(np.asarray(truth, np.bool_), max(1, -(-len(truth) // 64)))


def timed(circuit: Circuit, now: Callable[[], float]) -> Playouts:
    game = CompiledGame(circuit)
    return Playouts(game.phases, game.single, now=now)


def on_kernel(
    circuit: Circuit, kernel: PlayoutKernel, quotas: list[int], seed: int, limit: int
) -> PlayoutReport:
    """Matches from the initial state on a kernel of one's choice, word by word."""
    sums = [Sums(circuit)]
    dealt = deal([1])
    words = len(quotas)
    chosen = type(dealt)(
        np.arange(words, dtype=np.uint64), np.array(quotas, np.uint64), np.zeros(words, np.int64)
    )
    _Run(circuit, kernel, circuit.initial[None], chosen, seed, limit).play(1, sums)
    return PlayoutReport.of(circuit, sums[0])


def by_reference(circuit: Circuit, quotas: list[int], seed: int, limit: int, period: int) -> PlayoutTally:
    seeds = blocks.generators(seed, np.arange(len(quotas), dtype=np.uint64))
    return play(circuit, circuit.initial, seeds, quotas, period=period, limit=limit)


def assert_same(report: PlayoutReport, tally: PlayoutTally) -> None:
    assert dict(report.outcomes) == dict(tally.outcomes)
    assert (report.plies, report.longest) == (tally.plies, tally.longest)
    assert (report.over, report.stuck) == (tally.over, tally.stuck)


QUOTAS = st.lists(st.sampled_from([0, 1, 5, 64, 65, 100]), min_size=1, max_size=5)
SHAPES = st.fixed_dictionaries(
    {
        "roles": st.integers(1, 4),
        "bases": st.integers(1, 9),
        "moves": st.sampled_from([1, 2, 3, 5, 9, 30]),
        "gates": st.integers(3, 60),
    }
)


@given(
    st.integers(0, 10**6), SHAPES, QUOTAS, st.sampled_from([1, 2, 7, 15, 16, 17, 40]), st.sampled_from([4, 8])
)
@settings(max_examples=15)
def test_the_fused_kernel_plays_what_the_reference_plays(seed, sizes, quotas, limit, words):
    circuit = random_circuit(seed, **sizes)
    assume(not IntegerCircuit(circuit).final(circuit.initial.tolist(), 1)[0])  # a kernel is never asked to
    tokens = find_tokens(circuit)
    kernel = FusedKernel(circuit, PlayoutPlan(tokens, 0, bool(seed % 2), ()), words)
    report = on_kernel(circuit, kernel, quotas, seed, limit)
    assert_same(report, by_reference(circuit, quotas, seed, limit, tokens.period))


@given(
    st.integers(0, 10**6),
    SHAPES,
    st.integers(1, 4),
    st.integers(0, 2),
    QUOTAS,
    st.sampled_from([1, 2, 7, 16, 40]),
    st.sampled_from([4, 8]),
)
@settings(max_examples=60)
def test_the_fused_kernel_finds_the_fixed_points_of_loops(seed, sizes, loops, period, quotas, limit, words):
    """Loops fed by loops, read by legal moves, next states, ends and goals; inputs come and go in every lane."""
    sizes["bases"] += period
    circuit = with_turns(random_circuit(seed, loops=loops, loops_of_moves=0, **sizes), period)
    assume(not IntegerCircuit(circuit).final(circuit.initial.tolist(), 1)[0])
    tokens = find_tokens(circuit)
    kernel = FusedKernel(circuit, PlayoutPlan(tokens, 0, bool(seed % 2), ()), words)
    report = on_kernel(circuit, kernel, quotas, seed, limit)
    assert_same(report, by_reference(circuit, quotas, seed, limit, tokens.period))


@pytest.mark.parametrize("seed", LASTING[:4])
@pytest.mark.parametrize("what", ["by_move", "lengths"])
def test_first_moves_and_lengths_of_rules_with_recursion_do_not_depend_on_the_kernel(seed, what):
    """Matches that begin at the second step of the cycle, and those that are all written down."""
    circuit = load(recursive_sheet(seed)).circuit
    found = []
    for fused in (True, False):
        playouts = CompiledGame(circuit).playouts
        playouts.kernels.fused = playouts.kernels.at_once = fused
        report = playouts.play(matches=2000, seed=seed, threads=1, limit=40, **{what: True})
        lengths = report.lengths if what == "lengths" else None
        sums = (dict(report.outcomes), report.plies, report.longest, report.over, report.stuck)
        found.append((sums, report.moves, lengths))
    assert found[0] == found[1]


@pytest.mark.parametrize("seed", range(6))
def test_circuits_whose_loops_read_moves_are_walked_in_step_with_their_turns(seed):
    circuit = with_turns(random_circuit(seed, roles=2, bases=7, moves=4, gates=50, loops=2), 2)
    family = KernelSet(PhaseTables(circuit))
    kernel = family.kernel(circuit.initial)
    read = any(loop.reads_moves for loop in cut_loops(circuit))
    assert isinstance(kernel, WalkKernel if read else FusedKernel)
    assert kernel.period == family.tokens.period and kernel.period % 2 == 0
    report = on_kernel(circuit, kernel, [70, 5], seed, 20)
    assert_same(report, by_reference(circuit, [70, 5], seed, 20, kernel.period))


@pytest.mark.parametrize("seed", LASTING)
def test_rules_with_recursion_are_played_alike_by_all_kernels_in_step_with_their_turns(seed):
    circuit = load(recursive_sheet(seed)).circuit
    family = KernelSet(PhaseTables(circuit))
    assert family.fused and family.at_once and family.tokens.period == 2
    assert family.in_steps == (not circuit.loops)
    fused = FusedKernel(circuit, PlayoutPlan(family.tokens, 0, True, family.expected()), 8)
    walked = WalkKernel(walk_of(circuit, "interpreted"), family.tokens.period)
    quotas, limit = [200, 0, 64, 70, 1], 50
    tally = by_reference(circuit, quotas, seed, limit, family.tokens.period)
    for kernel in (fused, walked):
        assert_same(on_kernel(circuit, kernel, quotas, seed, limit), tally)


@given(
    st.integers(0, 10**6),
    SHAPES,
    st.integers(0, 2),
    QUOTAS,
    st.sampled_from([1, 2, 16, 33]),
    st.sampled_from(["interpreted", "compiled", "optimised"]),
)
@settings(max_examples=15)
def test_the_walked_phases_play_what_the_reference_plays(seed, sizes, loops, quotas, limit, tier):
    circuit = random_circuit(seed, loops=loops, **sizes)
    period = 1 + seed % 3
    kernel = WalkKernel(walk_of(circuit, tier), period)
    assert kernel.phases.tier == tier
    report = on_kernel(circuit, kernel, quotas, seed, limit)
    assert_same(report, by_reference(circuit, quotas, seed, limit, period))


@given(
    st.integers(0, 10**6),
    SHAPES,
    st.integers(2, 4),
    QUOTAS,
    st.sampled_from([1, 2, 16, 33]),
    st.sampled_from(["interpreted", "compiled", "optimised"]),
)
@settings(max_examples=40)
def test_phases_of_every_step_play_what_the_reference_plays(seed, sizes, period, quotas, limit, tier):
    sizes["bases"] += period
    circuit = with_turns(random_circuit(seed, **sizes), period)
    tokens = find_tokens(circuit)
    assert tokens.period % period == 0, "a random circuit may have turns of its own"
    table = PhaseTables(circuit, piece_gates=1 + seed % 20).walk_up_to(tier, tokens)
    table.wait()
    kernel = WalkKernel(table, tokens.period)
    assert kernel.phases.tier == tier
    report = on_kernel(circuit, kernel, quotas, seed, limit)
    assert_same(report, by_reference(circuit, quotas, seed, limit, tokens.period))


@given(
    st.integers(0, 10**6),
    st.sampled_from([31, 33, 63, 64, 72, 100, 135, 260]),
    st.integers(1, 3),
    st.integers(1, 3),
    st.sampled_from(["interpreted", "compiled", "optimised"]),
)
@settings(max_examples=20)
def test_moves_of_many_spans_are_counted_and_selected_as_the_reference_does(seed, moves, roles, period, tier):
    """Whole spans, groups after the last of them, and moves after the last group."""
    circuit = with_turns(random_circuit(seed, roles=roles, bases=4 + period, moves=moves, gates=90), period)
    tokens = find_tokens(circuit)
    table = PhaseTables(circuit).walk_up_to(tier, tokens)
    table.wait()
    quotas, limit = [70, 0, 3], 9
    report = on_kernel(circuit, WalkKernel(table, tokens.period), quotas, seed, limit)
    assert_same(report, by_reference(circuit, quotas, seed, limit, tokens.period))


@pytest.mark.parametrize(
    ("game", "limit"), [(tic_tac_toe, 1000), (tic_tac_toe, 7), (connect_four, 16), (connect_four, 500)]
)
@pytest.mark.parametrize("words", [4, 8])
def test_real_games_are_played_as_the_reference_plays_them(game, limit, words):
    circuit = game()
    expected = KernelSet(PhaseTables(circuit)).expected()
    quotas = [100, 64, 3, 0, 70]
    for tokens, outcomes in ((find_tokens(circuit), expected), (NONE, expected[:1])):
        kernel = FusedKernel(circuit, PlayoutPlan(tokens, 0, True, outcomes), words)
        report = on_kernel(circuit, kernel, quotas, 1, limit)
        assert_same(report, by_reference(circuit, quotas, 1, limit, tokens.period))


@pytest.mark.parametrize("words", [2, 4, 8])
def test_processors_without_three_input_logic_play_the_same(words, monkeypatch):
    monkeypatch.setattr(kernels, "host_shape", lambda words: VectorShape(words, False))
    for circuit in (tic_tac_toe(), random_circuit(5, roles=3, bases=7, moves=30, gates=60)):
        tokens = find_tokens(circuit)
        kernel = FusedKernel(circuit, PlayoutPlan(tokens, 0, True, ()), words)
        assert_same(
            on_kernel(circuit, kernel, [70, 3], 8, 40), by_reference(circuit, [70, 3], 8, 40, tokens.period)
        )


@pytest.mark.parametrize("stuck", [0, 1])
@pytest.mark.parametrize("way", ["fused", "walked", "step by step"])
def test_a_role_without_a_legal_move_makes_none_and_draws_nothing(stuck, way):
    """What a lane does after its match is stuck decides how often its word draws, so it is the same in all kernels."""
    circuit = dead_end(stuck)
    tokens = find_tokens(circuit)
    assert tokens.period == 2
    if way == "fused":
        kernel = FusedKernel(circuit, PlayoutPlan(tokens, 0, True, ()), 4)
    else:
        table = PhaseTables(circuit).walk_up_to("interpreted", None if way == "walked" else tokens)
        table.wait()
        kernel = WalkKernel(table, 2)
    report = on_kernel(circuit, kernel, [300, 100, 9], 1, 50)
    assert report.stuck > 0
    assert_same(report, by_reference(circuit, [300, 100, 9], 1, 50, 2))


def test_many_moves_are_selected_in_memory_as_in_registers():
    circuit = breakthrough(6, 5)
    assert max(map(len, circuit.moves)) > 24
    kernel = FusedKernel(circuit, PlayoutPlan(find_tokens(circuit), 0, False, ()), 4)
    assert_same(on_kernel(circuit, kernel, [70, 70], 5, 1000), by_reference(circuit, [70, 70], 5, 1000, 2))


@pytest.mark.parametrize("outcomes", [(), ((1, 0), (0, 1))])
@pytest.mark.parametrize("deferred", [False, True])
@pytest.mark.parametrize("tier", ["interpreted", "optimised"])
def test_walked_matches_begin_again_and_put_goals_off(tier, deferred, outcomes, monkeypatch):
    """Many matches per lane, so that lanes begin anew with stale moves in memory and come to hold two ends."""
    limit = -(10**6) if deferred else 10**6
    monkeypatch.setattr(phase_tables, "DEFERRED_GATES", limit)
    circuit = breakthrough(6, 5)
    kernel = WalkKernel(walk_of(circuit, tier), 1, outcomes)
    assert (kernel.phases.parts["view"] == ("open", "final")) == deferred
    quotas = [300, 64, 3, 0, 130, 1, 70, 70, 200]
    assert_same(on_kernel(circuit, kernel, quotas, 5, 50), by_reference(circuit, quotas, 5, 50, 1))


@pytest.mark.parametrize("deferred", [False, True])
def test_matches_that_are_written_down_belong_to_the_root_of_their_word(deferred, monkeypatch):
    """Also in the second column of a row."""
    monkeypatch.setattr(phase_tables, "DEFERRED_GATES", -(10**6) if deferred else 10**6)
    circuit = breakthrough(5, 5)
    kernel = WalkKernel(walk_of(circuit, "interpreted"))
    roots = np.repeat(circuit.initial[None], kernel.words, axis=0)
    sums = [Sums(circuit) for _ in roots]
    quotas = np.arange(1, 1 + kernel.words, dtype=np.uint64)
    dealt = type(deal([1]))(np.arange(kernel.words, dtype=np.uint64), quotas, np.arange(kernel.words))
    _Run(circuit, kernel, roots, dealt, 3, 200).play(1, sums)
    assert [PlayoutReport.of(circuit, total).matches for total in sums] == quotas.tolist()


@given(st.integers(0, 10**6), SHAPES, QUOTAS, st.sampled_from([2, 16, 33]))
@settings(max_examples=15)
def test_goals_that_are_put_off_are_those_of_the_reference(seed, sizes, quotas, limit):
    circuit = random_circuit(seed, **sizes)
    with patch.object(phase_tables, "DEFERRED_GATES", -(10**6)):
        table = walk_of(circuit, "interpreted")
    assert table.parts["view"] == ("open", "final")
    report = on_kernel(circuit, WalkKernel(table), quotas, seed, limit)
    assert_same(report, by_reference(circuit, quotas, seed, limit, 1))


@pytest.mark.parametrize("steps", [1, 15, 16, 17, 255, 256, 257, 300])
def test_lengths_are_counted_across_the_digits_they_need(steps):
    circuit = counter(steps)
    for chosen in (
        KernelSet(PhaseTables(circuit)).kernel(circuit.initial),
        WalkKernel(walk_of(circuit, "interpreted")),
    ):
        for limit, finished in ((steps, True), (steps - 1, False), (steps + 1, True)):
            if limit < 1:
                continue
            report = on_kernel(circuit, chosen, [65], 0, limit)
            assert (report.longest, report.over) == ((steps, 0) if finished else (0, 65))
            assert report.plies == 65 * min(steps, limit)


def outcome_of(report: PlayoutReport) -> tuple[object, ...]:
    return dict(report.outcomes), report.plies, report.longest, report.over, report.stuck


@pytest.mark.parametrize("matches", [1, 63, 64, 65, 1000, 5000, 300_000])
def test_a_seed_gives_the_same_matches_on_any_number_of_threads(matches):
    playouts = CompiledGame(tic_tac_toe()).playouts
    reports = [playouts.play(matches=matches, seed=9, threads=threads) for threads in (1, 2, 5)]
    assert reports[0].matches == matches
    assert len({str(outcome_of(report)) for report in reports}) == 1
    assert outcome_of(playouts.play(matches=matches, seed=10)) != outcome_of(reports[0]) or matches < 64


def test_widths_and_written_matches_change_nothing(monkeypatch):
    circuit = connect_four()
    results = set()
    for words in (4, 8):
        monkeypatch.setattr(kernels, "vector_words", lambda words=words: words)
        for lengths in (False, True):
            report = CompiledGame(circuit).playouts.play(matches=5000, seed=2, lengths=lengths)
            results.add(str(outcome_of(report)))
            if lengths:
                assert sum(report.lengths.values()) == 5000
                assert sum(length * count for length, count in report.lengths.items()) == report.plies
    assert len(results) == 1


def test_a_kernel_that_takes_long_to_make_changes_nothing_when_it_is_ready(monkeypatch):
    circuit = connect_four()
    monkeypatch.setattr(kernels, "AT_ONCE_GATES", 0)
    held: list[object] = []
    monkeypatch.setattr("stratagem.native.jit.compile_queue.later", held.append)
    playouts = CompiledGame(circuit).playouts
    walked = playouts.play(matches=3000, seed=4)
    assert isinstance(playouts.kernels.fastest(circuit.initial), WalkKernel)
    while held:
        held.pop(0)()
    assert isinstance(playouts.kernels.fastest(circuit.initial), FusedKernel)
    assert isinstance(playouts.kernels.kernel(circuit.initial), WalkKernel)
    assert outcome_of(playouts.play(matches=3000, seed=4)) == outcome_of(walked)


@pytest.mark.parametrize("fused", [True, False])
def test_matches_begin_where_they_are_told_to(fused, monkeypatch):
    if not fused:
        monkeypatch.setattr(kernels, "FUSED_GATES", 0)
    circuit = tic_tac_toe()
    machine = IntegerCircuit(circuit)
    state = [int(bit) for bit in circuit.initial]
    source = random.Random(3)
    for _ in range(4):
        does = []
        for own in machine.legal(state, 1):
            able = [move for move, row in enumerate(own) if row]
            chosen = source.choice(able)
            does.append([int(move == chosen) for move in range(len(own))])
        state = machine.next(state, does, 1)
        report = CompiledGame(circuit).playouts.play(packed(state), matches=200, seed=1, lengths=True)
        seeds = blocks.generators(1, np.arange(words_for(200), dtype=np.uint64))
        quotas = deal([200]).quotas.tolist()
        tally = play(circuit, [bool(bit) for bit in state], seeds, quotas, period=2, limit=16383)
        assert_same(report, tally)
        assert dict(report.lengths) == dict(sorted(tally.lengths.items()))


@pytest.mark.parametrize("fused", [True, False])
def test_a_state_off_the_tokens_course_is_played_without_them(fused, monkeypatch):
    if not fused:
        monkeypatch.setattr(kernels, "FUSED_GATES", 0)
    circuit = tic_tac_toe()
    tokens = find_tokens(circuit)
    state = circuit.initial.copy()
    state[list(tokens.courses)] = True
    report = CompiledGame(circuit).playouts.play(packed(state), matches=100, seed=1)
    seeds = blocks.generators(1, np.arange(2, dtype=np.uint64))
    assert_same(report, play(circuit, state, seeds, [50, 50], period=1, limit=16383))


@pytest.mark.parametrize("deferred", [True, False])
def test_a_large_circuit_is_played_step_by_step_as_a_small_one_is(deferred, monkeypatch):
    circuit = breakthrough()
    expected = CompiledGame(circuit).playouts.play(matches=2000, seed=6, by_move=True)
    monkeypatch.setattr(kernels, "FUSED_GATES", 0)
    if deferred:
        monkeypatch.setattr(phase_tables, "DEFERRED_GATES", -10_000)
    playouts = CompiledGame(circuit).playouts
    walked = playouts.play(matches=2000, seed=6, by_move=True)
    kernel = playouts.kernels.kernel(circuit.initial)
    assert isinstance(kernel, WalkKernel)
    assert (len(kernel.phases.moves), kernel.phases.deferred) == (2, deferred)
    assert outcome_of(walked) == outcome_of(expected)
    assert [each.outcomes for each in walked.moves] == [each.outcomes for each in expected.moves]


@pytest.mark.parametrize(("halves", "columns"), [(True, 1), (False, 2)])
def test_how_many_columns_share_a_fetch_of_code_changes_nothing(halves, columns, monkeypatch):
    circuit = breakthrough()
    expected = CompiledGame(circuit).playouts.play(matches=3000, seed=7)
    monkeypatch.setattr(kernels, "FUSED_GATES", 0)
    monkeypatch.setattr(phase_tables, "GATES_PER_ROW", 0)
    monkeypatch.setattr(phase_tables, "runs_in_halves", lambda: halves)
    playouts = CompiledGame(circuit).playouts
    walked = playouts.play(matches=3000, seed=7)
    kernel = playouts.kernels.kernel(circuit.initial)
    assert isinstance(kernel, WalkKernel)
    assert kernel.phases.columns == columns * (1 if host().ternary else 2)
    assert outcome_of(walked) == outcome_of(expected)


def test_a_step_looks_only_at_moves_that_can_be_legal():
    circuit = breakthrough()
    mover, other = circuit_at(circuit, find_tokens(circuit), 0).moves
    assert len(mover.numbers) > 24 and not mover.certain
    assert len(other.numbers) == 1 and other.certain


@pytest.mark.parametrize(
    ("legal", "looked_at"),
    [
        ([0, 1, 0], StepMoves((1,), True)),
        ([0, 6, 0], StepMoves((1,), False)),
        ([0, 0], StepMoves((), False)),
        ([6], StepMoves((0,), False)),
        ([6, 0, 8, 0], StepMoves((0, 2), False)),
        ([*[0] * 10, *[6] * 30, *[0] * 10], StepMoves(tuple(range(8, 40)), False)),
        ([*[0] * 10, *[6] * 30, 0], StepMoves(tuple(range(8, 40)), False)),
        ([*[0] * 10, *[6] * 32, 0], StepMoves(tuple(range(8, 43)), False)),
    ],
)
def test_moves_to_look_at(legal, looked_at):
    assert moves_to_look_at(legal) == looked_at


def test_the_best_first_move_in_tic_tac_toe_is_the_centre():
    report = CompiledGame(tic_tac_toe()).playouts.play(matches=90_000, by_move=True, seed=4)
    means = report.mean_by_move(0)
    assert len(report.moves) == 9
    assert {move.matches for move in report.moves} == {10_000}
    assert str(max(means, key=means.__getitem__)) == "(mark 2 2)"
    assert abs(report.goals[0] - 64.84) < 1
    assert report.longest == 9


def test_first_moves_of_all_roles_are_reported():
    report = CompiledGame(ballot([[True] * 3, [True] * 4])).playouts.play(matches=1200, by_move=True)
    assert len(report.moves) == 12
    assert [round(mean) for mean in report.mean_by_move(1).values()] == [0, 1, 2, 3]
    assert report.plies == report.matches == 1200


def test_the_only_first_move_may_end_the_match():
    report = CompiledGame(ballot([[True]])).playouts.play(matches=70, by_move=True, lengths=True)
    assert (dict(report.outcomes), report.plies, report.longest) == ({(0,): 70}, 70, 1)
    assert dict(report.lengths) == {1: 70}
    given_up = CompiledGame(counter(5)).playouts.play(matches=70, by_move=True, limit=1)
    assert (given_up.over, given_up.plies) == (70, 70)


def test_more_first_moves_than_matches_are_drawn_at_random():
    report = CompiledGame(ballot([[True] * 30, [True] * 30])).playouts.play(matches=50, by_move=True)
    assert report.matches == 50
    assert len(report.moves) == 50


def test_a_match_that_cannot_go_on_is_counted_apart():
    circuit = ballot([[True, True], [False, False]])
    report = CompiledGame(circuit).playouts.play(matches=70)
    assert (report.matches, report.stuck, dict(report.outcomes)) == (70, 70, {})


def test_a_match_that_is_over_ends_at_once():
    circuit = ballot([[True, True]])
    state = [True, True, False]
    report = CompiledGame(circuit).playouts.play(packed(state), matches=70)
    assert (report.matches, dict(report.outcomes), report.plies) == (70, {(0,): 70}, 0)
    both = CompiledGame(circuit).playouts.play(packed([True, True, True]), matches=5)
    assert dict(both.outcomes) == {(None,): 5}
    assert both.without_goal == (5,)
    assert both.goals == (None,)


def test_a_game_without_end_is_given_up_at_the_limit():
    report = CompiledGame(counter(0)).playouts.play(matches=100, limit=20)
    assert (report.over, report.plies, report.matches) == (100, 2000, 100)


def test_the_clock_ends_a_run_without_cutting_matches_short():
    ticks = itertools.count(0, 0.04)
    report = timed(tic_tac_toe(), lambda: next(ticks)).play(seconds=0.5, seed=1)
    assert report.matches == 4096 * (1 + 2 + 4 + 8 + 16 + 32), (
        "six rounds, twice as long each while they are short"
    )
    assert sum(report.outcomes.values()) == report.matches
    assert abs(report.mean_length - 7.63) < 0.1


def test_a_clock_that_has_run_out_still_leaves_one_round():
    ticks = itertools.count(0, 100)
    assert timed(tic_tac_toe(), lambda: next(ticks)).play(seconds=0, seed=1).matches > 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "either a number of matches or a number of seconds"),
        ({"matches": 1, "seconds": 1}, "either a number of matches or a number of seconds"),
        ({"matches": -1}, "-1 matches cannot be played"),
        ({"matches": 1.5}, "the number of matches must be a whole number; got 1.5"),
        ({"matches": "9"}, "the number of matches must be a whole number; got '9'"),
        ({"matches": 1, "threads": 1.5}, "the number of threads must be a whole number; got 1.5"),
        ({"seconds": -1}, "-1 is not a number of seconds"),
        ({"matches": 1, "limit": 0}, "a limit of 0 plies is out of range"),
        ({"matches": 1, "threads": 0}, "0 threads cannot play"),
        (
            {"matches": 1, "root": np.zeros(2, np.uint64)},
            "a packed state of this game has 1 words; this one is \\(2,\\)",
        ),
    ],
)
def test_wrong_arguments_are_named(arguments, message):
    with pytest.raises(UsageError, match=message):
        CompiledGame(tic_tac_toe()).playouts.play(**arguments)


@given(st.integers(0, 10**6), st.integers(1, 50), st.integers(0, 1000))
def test_shares_are_fair_and_complete(matches, parts, seed):
    dealt = shares(matches, parts, seed)
    assert sum(dealt) == matches
    assert max(dealt) - min(dealt) <= 1


@given(st.lists(st.integers(0, 100_000), min_size=1, max_size=4))
def test_a_deal_gives_every_root_its_matches(matches):
    dealt = deal(matches)
    for root, count in enumerate(matches):
        assert int(dealt.quotas[dealt.roots == root].sum()) == count
