"""PTX: LLVM makes it for every kernel without a GPU, it is kept on disk, and it has the form that the launch expects."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.support.circuits import breakthrough, connect_four, tic_tac_toe

from stratagem.circuit.circuit import Circuit
from stratagem.native.compiled import CompiledGame
from stratagem.native.gpu import lane_text, playouts, ptx, rows
from stratagem.native.gpu.batch import step_code
from stratagem.native.gpu.batch.compiled_step import compiled_step
from stratagem.native.gpu.batch.interpreted_step import interpreted_step
from stratagem.native.gpu.batch.kernels import views_assembly
from stratagem.native.gpu.batch.views import VIEWS
from stratagem.native.gpu.playouts import GpuPlayouts, thread_kernel
from stratagem.native.gpu.rows import ThreadKernel

SHARED = 232448


def made(circuit: Circuit, architecture: int = 90) -> tuple[str, ThreadKernel]:
    game: GpuPlayouts = CompiledGame(circuit).playouts.gpu
    plan = game.kernels.plan(game.kernels.variant(circuit.initial, False), ((0, 1),))
    code, kernel, _ = thread_kernel(game, plan, architecture, SHARED, digits=6, short=False)
    return code.decode(), kernel


@pytest.mark.parametrize("make", [tic_tac_toe, connect_four, lambda: breakthrough(6, 6)])
def test_the_entry_takes_its_arrays_and_numbers(make: object) -> None:
    code, kernel = made(make())  # type: ignore[operator]
    head = re.search(r"\.entry playout\((.*?)\)", code, re.DOTALL)
    assert head is not None
    assert head[1].count(".param") == len(rows.ARRAYS) + len(rows.NUMBERS)
    assert f".reqntid {kernel.threads}" in code
    assert "lop3.b32" in code and "shfl.sync.bfly" in code


def test_states_in_registers_leave_no_memory_traffic_in_the_plies() -> None:
    code, kernel = made(connect_four())
    assert kernel.near_bytes == 0
    assert "ld.shared" not in code


def test_states_in_near_memory_are_shared_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(playouts, "REGISTER_GATES", 0)
    monkeypatch.setattr(lane_text, "PIECE_LINES", 300)
    code, kernel = made(connect_four())
    assert kernel.threads == 128 and kernel.near_bytes == 4 * 128 * len(connect_four().bases)
    assert "ld.shared" in code and "bar.sync" in code
    assert code.count(".func") > 5


def test_interpreted_kernels_do_not_grow_with_the_gates(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(GpuPlayouts, "compiled", False)
    code, kernel = made(connect_four())
    assert kernel.frame_rows > len(connect_four().bases)
    assert code.count("\n") < 4000


def test_ptx_is_kept_on_disk(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("STRATAGEM_CACHE", str(tmp_path))
    asked: list[int] = []

    def assembly() -> str:
        asked.append(1)
        return "define void @f() {\n  ret void\n}\n"

    one = ptx.ptx("a kernel", 80, assembly)
    assert ptx.ptx("a kernel", 80, assembly) == one
    assert len(asked) == 1
    assert b".target sm_80" in one
    assert b".target sm_90" in ptx.ptx("a kernel", 120, assembly)
    assert len(asked) == 2


@pytest.mark.parametrize("make", [tic_tac_toe, connect_four, lambda: breakthrough(6, 6)])
@pytest.mark.parametrize("form", ["small", "cut", "interpreted"])
def test_the_step_of_a_batch_is_assembled(
    monkeypatch: pytest.MonkeyPatch, make: Callable[[], Circuit], form: str
) -> None:
    monkeypatch.setattr(lane_text, "PIECE_LINES", 300)
    shape, circuit = lane_text.LaneShape.device(128), make()
    if form == "interpreted":
        module, table, rows_of_frame = interpreted_step(circuit, shape)
        assert len(table) > circuit.gate_count and rows_of_frame > len(circuit.bases)
    else:
        module = compiled_step(circuit, shape, small=form == "small")
    code = ptx.compile_ptx(module, "sm_70").decode()
    head = re.search(r"\.entry step\((.*?)\)", code, re.DOTALL)
    assert head is not None
    assert head[1].count(".param .u64") == len(step_code.ARRAYS) + len(step_code.NUMBERS)
    assert "atom.global.min.u64" in code.replace(".relaxed.sys", "")
    assert (".func" in code) == (form == "interpreted" or (form == "cut" and circuit.gate_count > 700))


def test_the_views_of_a_batch_are_assembled_with_an_entry_for_each() -> None:
    code = ptx.compile_ptx(views_assembly(), "sm_70", optimised=True).decode()
    names = {kernel.function.__name__ for kernel in VIEWS.kernels}
    assert set(re.findall(r"\.entry (\w+)\(", code)) == names
    assert ".func" not in code
