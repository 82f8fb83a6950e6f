"""The store: what is kept comes back, what is damaged does not, and nobody waits for anybody."""

from __future__ import annotations

import multiprocessing
from pathlib import Path

import pytest
from tests.circuit.test_networks import ISLANDS, gates_only
from tests.support.small_sheets import sheet_of

from stratagem.cache import Cache
from stratagem.circuit.compiler.compile import canonical_text, circuit_of, compile_sheet
from stratagem.circuit.compiler.store import name_of, user_store
from stratagem.circuit.pack import pack, unpack
from stratagem.errors import BrokenFile


def entry(store: Cache) -> Path:
    (place,) = store.folder.rglob("*.circuit")
    return place


def test_a_circuit_survives_being_packed():
    compiled = compile_sheet(sheet_of(ISLANDS))
    again = unpack(pack(compiled))
    one, other = compiled.circuit, again.circuit
    assert gates_only(one) == gates_only(other)
    for name in ("roles", "bases", "moves", "constants", "loops", "terminal", "goals"):
        assert getattr(one, name) == getattr(other, name)
    assert [part.tolist() for part in one.legal] == [part.tolist() for part in other.legal]
    assert one.next.tolist() == other.next.tolist()
    assert one.initial.tolist() == other.initial.tolist()
    assert again.figures == compiled.figures


def test_the_second_time_nothing_is_compiled(tmp_path, monkeypatch):
    store = Cache(tmp_path)
    first = circuit_of(sheet_of(ISLANDS), store=store)
    monkeypatch.setattr("stratagem.circuit.compiler.compile._compile", None)
    assert gates_only(circuit_of(sheet_of(ISLANDS), store=store)) == gates_only(first)


def test_layout_and_comments_do_not_matter_but_rules_do():
    one = canonical_text(sheet_of(ISLANDS))
    assert canonical_text(sheet_of(ISLANDS.replace(" ", "\n  ").upper() + " ; a comment")) == one
    assert name_of(canonical_text(sheet_of(ISLANDS.replace("100", "90")))) != name_of(one)


@pytest.mark.parametrize("damage", [b"", b"nonsense", None])
def test_a_damaged_entry_is_compiled_anew_and_written_again(tmp_path, damage):
    store = Cache(tmp_path)
    first = circuit_of(sheet_of(ISLANDS), store=store)
    sound = entry(store).read_bytes()
    entry(store).write_bytes(sound[:-7] if damage is None else damage)
    assert gates_only(circuit_of(sheet_of(ISLANDS), store=store)) == gates_only(first)
    assert store.read(name_of(canonical_text(sheet_of(ISLANDS)))) is not None


def test_an_entry_of_another_kind_with_a_good_checksum_is_ignored(tmp_path):
    store = Cache(tmp_path)
    store.write(name_of(canonical_text(sheet_of(ISLANDS))), b"not a circuit")
    assert circuit_of(sheet_of(ISLANDS), store=store).gate_count > 0


def test_bytes_that_are_no_circuit_are_a_broken_file():
    with pytest.raises(BrokenFile):
        unpack(b"PK\x03\x04 not quite")


def _write_often(folder: Path) -> None:
    store = Cache(folder)
    for _ in range(50):
        store.write("ab" * 32, b"x" * 100_000)
        assert store.read("ab" * 32) in (b"x" * 100_000, b"y" * 100_000)


def test_two_processes_may_write_the_same_entry_at_once(tmp_path):
    context = multiprocessing.get_context("spawn")
    other = context.Process(target=_write_often, args=(tmp_path,))
    other.start()
    store = Cache(tmp_path)
    while other.is_alive():
        store.write("ab" * 32, b"y" * 100_000)
        assert store.read("ab" * 32) in (b"x" * 100_000, b"y" * 100_000)
    other.join()
    assert other.exitcode == 0
    assert [place.name for place in tmp_path.rglob("*") if place.is_file()] == ["ab" * 32]


def test_a_folder_that_cannot_be_written_is_no_reason_to_fail(tmp_path):
    (tmp_path / "file").write_text("in the way")
    store = Cache(tmp_path / "file" / "below")
    assert circuit_of(sheet_of(ISLANDS), store=store).gate_count > 0


def test_the_environment_names_the_folder_or_turns_the_store_off(tmp_path):
    assert user_store({"STRATAGEM_CACHE": "off"}) == Cache(None)
    assert user_store({"STRATAGEM_CACHE": str(tmp_path)}) == Cache(tmp_path / "circuits")
    everyone = user_store({})
    assert "stratagem" in str(everyone.folder)
