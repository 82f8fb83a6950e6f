"""Phases in tiers, and object code on disk."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.circuits import connect_four, random_circuit, tic_tac_toe

from stratagem.cache import user_cache
from stratagem.circuit.circuit import Circuit
from stratagem.errors import UnsuitableGame
from stratagem.loading import load
from stratagem.native.emit.chunks import PIECE_GATES, cut
from stratagem.native.emit.text import VectorShape
from stratagem.native.jit import object_cache as objects
from stratagem.native.jit import vector_width as widths
from stratagem.native.jit.llvm import compile_object, host
from stratagem.native.phases import phase_tables
from stratagem.native.phases.frame_layout import layout_of
from stratagem.native.phases.phase_tables import TIERS, PhaseTable, PhaseTables, Tier
from stratagem.native.phases.phases import view_phase
from stratagem.native.playouts.bigint_circuit import IntegerCircuit


def walk_of(circuit: Circuit, tier: Tier, piece_gates: int = PIECE_GATES) -> PhaseTable:
    """The phases of walked playouts in a tier of one's choice."""
    table = PhaseTables(circuit, piece_gates=piece_gates).walk_up_to(tier)
    table.wait()
    return table


def integer(row: np.ndarray) -> int:
    return int.from_bytes(row.tobytes(), "little")


def assert_agrees(circuit: Circuit, code: PhaseTable, seed: int) -> None:
    """Every lane of a frame is what long integers make of it; scratch is poisoned first."""
    source = np.random.default_rng(seed)
    memory = code.frame()
    layout = code.layout
    memory[:] = source.integers(0, 1 << 64, memory.shape, dtype=np.uint64)
    # Row by row, the words of all columns.
    frame = memory.reshape(code.columns, code.rows, code.shape.words).swapaxes(0, 1)
    frame[layout.scratch] = 0
    full = (1 << (64 * code.words)) - 1
    state = [integer(frame[row]) for row in range(layout.bases)]
    machine = IntegerCircuit(circuit)
    does = []
    for rows in layout.moves:
        # One move per role in every lane.
        chosen = source.integers(0, rows.moves, 64 * code.words)
        does.append(
            [sum(1 << int(lane) for lane in np.flatnonzero(chosen == move)) for move in range(rows.moves)]
        )
        for move in range(rows.moves):
            frame[rows.first + move] = np.frombuffer(
                does[-1][move].to_bytes(8 * code.words, "little"), np.uint64
            ).reshape(code.columns, -1)
    code.run("next", memory)
    successors = machine.next(state, does, full)
    assert [integer(frame[layout.next + base]) for base in range(layout.bases)] == successors
    for phase in ("final", "view"):
        frame[layout.terminal : layout.goals + sum(layout.values)] = 7
        code.run(phase, memory)
        terminal, goals = machine.final(state, full)
        assert integer(frame[layout.terminal]) == terminal
        for role, rows in enumerate(goals):
            found = [integer(frame[layout.goal(role, value)]) for value in range(len(rows))]
            assert found == rows
    legal = machine.legal(state, full)
    for rows, own in zip(layout.moves, legal, strict=True):
        assert [integer(frame[rows.first + move]) for move in range(rows.moves)] == own


@given(
    st.integers(0, 10**6),
    st.integers(1, 3),
    st.integers(1, 70),
    st.integers(1, 12),
    st.integers(0, 150),
    st.integers(0, 3),
    st.sampled_from(TIERS),
    st.sampled_from([3, 20, 500]),
)
@settings(max_examples=40)
def test_all_tiers_compute_what_the_gates_say(seed, roles, bases, moves, gates, loops, tier, piece):
    circuit = random_circuit(seed, roles=roles, bases=bases, moves=moves, gates=gates, loops=loops)
    code = walk_of(circuit, tier, piece)
    assert code.tier == tier
    assert_agrees(circuit, code, seed)


@pytest.mark.parametrize("tier", TIERS)
def test_a_real_game_in_every_tier(tier):
    circuit = connect_four()
    assert_agrees(circuit, walk_of(circuit, tier), 3)


def test_a_deep_circuit_is_cut_into_pieces_that_reuse_their_rows():
    circuit = random_circuit(5, bases=20, gates=9000)
    layout = layout_of(circuit)
    division = cut(view_phase(circuit, layout), layout.scratch, 20)
    assert len(division.pieces) > 10
    assert division.top - layout.scratch < len(division.rows)
    assert_agrees(circuit, walk_of(circuit, "compiled"), 1)


def test_tiers_take_over_while_the_code_is_in_use(monkeypatch):
    held: list[object] = []
    monkeypatch.setattr("stratagem.native.jit.compile_queue.later", held.append)
    circuit = random_circuit(77, bases=9, gates=333)
    code = PhaseTables(circuit).walk
    assert code.tier == "interpreted"
    seen = set()
    while held:
        assert_agrees(circuit, code, 1)
        seen.add(code.tier)
        held.pop(0)()
    assert_agrees(circuit, code, 1)
    assert code.wait(0)
    assert code.tier == "optimised"
    assert seen == {"interpreted", "compiled"}


def test_code_that_cannot_be_compiled_is_interpreted_on(monkeypatch):
    held: list[object] = []
    monkeypatch.setattr("stratagem.native.jit.compile_queue.later", held.append)
    monkeypatch.setattr(phase_tables, "emit_pieces", lambda *_: "this is no assembly")
    circuit = random_circuit(79, bases=9, gates=100)
    code = PhaseTables(circuit).walk
    with pytest.raises(UnsuitableGame, match="LLVM rejects the generated code"):
        held.pop(0)()
    assert code.wait(0)
    assert code.tier == "interpreted"
    assert_agrees(circuit, code, 4)


def test_pieces_without_three_input_logic_compute_the_same(monkeypatch):
    monkeypatch.setattr(phase_tables, "host_shape", lambda words: VectorShape(words, False))
    circuit = random_circuit(80, roles=2, bases=9, gates=300, loops=2)
    assert_agrees(circuit, walk_of(circuit, "compiled"), 5)


@pytest.mark.parametrize("tier", ["compiled", "optimised"])
def test_chains_that_wind_are_found_in_pieces(tier):
    circuit = load("hex", size=6).circuit
    assert len(circuit.loops) == 2
    code = walk_of(circuit, tier, piece_gates=40)
    for seed in range(4):
        assert_agrees(circuit, code, seed)


def test_a_loop_keeps_rows_for_its_variables_and_for_what_is_read_outside():
    circuit = random_circuit(80, roles=2, bases=9, gates=300, loops=2)
    phase = view_phase(circuit, layout_of(circuit))
    division = cut(phase, 1000, 50)
    loops = [piece for piece in division.pieces if piece.loop is not None]
    assert [(piece.first, piece.end) for piece in loops] == phase.loops
    for piece in loops:
        inside = range(piece.first, piece.end)
        read = {
            (literal >> 1) - phase.first_gate
            for gate in range(piece.end, phase.gate_count)
            for literal in (phase.left[gate], phase.right[gate])
        }
        assert {gate for gate in inside if gate in division.rows} == read.intersection(inside).union(
            piece.loop.variables
        )


def test_code_from_an_earlier_run_is_there_at_once(monkeypatch):
    circuit = random_circuit(78, bases=9, gates=200)
    walk_of(circuit, "optimised")
    monkeypatch.setattr("stratagem.native.jit.compile_queue.later", None)
    again = PhaseTables(circuit).walk
    assert again.tier == "optimised"
    assert_agrees(circuit, again, 2)


MODULE = "define i64 @seven() { ret i64 7 }"


def test_object_code_is_compiled_once(tmp_path, monkeypatch):
    monkeypatch.setenv("STRATAGEM_CACHE", str(tmp_path))
    first = objects.compiled("seven", 1, lambda: MODULE)
    assert objects.compiled("seven", 1, lambda: pytest.fail("compiled again")) == first
    assert objects.stored("seven", 1) == first
    assert objects.stored("seven", 2) is None
    assert objects.stored("eight", 1) is None


@pytest.mark.parametrize(
    "damage",
    [
        lambda content: b"",
        lambda content: content[:20],
        lambda content: content[:-1],
        lambda content: content + b"x",
        lambda content: content[:100] + bytes([content[100] ^ 1]) + content[101:],
        lambda content: b"another format\n" + content,
    ],
)
def test_a_damaged_file_counts_as_not_there(tmp_path, monkeypatch, damage):
    monkeypatch.setenv("STRATAGEM_CACHE", str(tmp_path))
    code = objects.compiled("seven", 1, lambda: MODULE)
    path = tmp_path / "native" / objects.name_of("seven", 1)
    path.write_bytes(damage(path.read_bytes()))
    assert objects.stored("seven", 1) is None
    assert objects.compiled("seven", 1, lambda: MODULE) == code
    assert objects.stored("seven", 1) == code


def test_a_disk_that_cannot_be_written_is_no_error(tmp_path, monkeypatch):
    blocked = tmp_path / "file"
    blocked.write_text("not a directory")
    monkeypatch.setenv("STRATAGEM_CACHE", str(blocked))
    assert objects.compiled("seven", 1, lambda: MODULE) == compile_object(MODULE, 1)
    assert objects.stored("seven", 1) is None


def test_other_gates_have_another_fingerprint():
    circuits = [random_circuit(seed) for seed in range(20)] + [tic_tac_toe(), connect_four()]
    assert len({objects.circuit_fingerprint(circuit) for circuit in circuits}) == len(circuits)
    assert objects.circuit_fingerprint(tic_tac_toe()) == objects.circuit_fingerprint(tic_tac_toe())


def test_this_machine_is_known():
    assert host().cpu
    assert "llvmlite" in host().compiler


def test_the_width_is_measured_once_and_remembered(tmp_path, monkeypatch):
    monkeypatch.setenv("STRATAGEM_CACHE", str(tmp_path))
    monkeypatch.setattr(widths, "GATES", 300)
    asked: list[object] = []
    monkeypatch.setattr("stratagem.native.jit.compile_queue.later", asked.append)
    before = widths.vector_words.__wrapped__()
    if not host().ternary:
        assert before == 4
        return
    assert before == 8
    asked.pop()()
    (file,) = (path for path in tmp_path.rglob("*") if path.is_file() and "widths" in path.parts)
    assert widths.vector_words.__wrapped__() in widths.WIDTHS
    assert not asked
    written = file.read_bytes()
    widths.remember()
    assert file.read_bytes() == written
    user_cache().part("widths").write(f"{file.parent.name}/{file.name}", b'{"words": "many"}')
    assert widths.vector_words.__wrapped__() == 8
    assert not widths.runs_in_halves.__wrapped__()
    assert asked


@pytest.mark.parametrize(("peaks", "halves"), [((3.76, 3.77), True), ((4.5, 9.0), False)])
def test_wide_instructions_that_take_twice_as_long_are_known(tmp_path, monkeypatch, peaks, halves):
    monkeypatch.setenv("STRATAGEM_CACHE", str(tmp_path))
    monkeypatch.setattr(widths, "measure", lambda: {4: 1.0, 8: 1.5})
    monkeypatch.setattr(widths, "peak_by_width", lambda: dict(zip((256, 512), peaks, strict=True)))
    widths.remember()
    assert widths.vector_words.__wrapped__() == (8 if host().ternary else 4)
    assert widths.runs_in_halves.__wrapped__() == (halves and host().ternary)
