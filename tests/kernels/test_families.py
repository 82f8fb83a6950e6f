"""Families of kernels are compiled once, by whoever asks first, and found on disk the next time."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.kernels.sources import kernels_from

from stratagem.kernels import called, in_assembly, inlined, kernel, uint64
from stratagem.kernels.library.exact_set import add_states, find_states, refill
from stratagem.kernels.library.random_numbers import mixed
from stratagem.kernels.translate.family import KernelFamily
from stratagem.native.jit import kernel_families
from stratagem.native.jit.kernel_families import compile_ahead, compiled_family


@inlined
def step(word: uint64) -> uint64:
    return mixed(word) + 1


@kernel
def twice(word: uint64) -> uint64:
    return step(step(word))


@kernel
def thrice(word: uint64) -> uint64:
    return step(twice(word))


def test_a_family_holds_all_that_its_kernels_call() -> None:
    names = {member.symbol.rpartition(".")[2] for member in KernelFamily("f", (thrice,)).members()}
    assert names == {"thrice", "twice", "step", "mixed"}
    assert compiled_family(KernelFamily("f", (thrice, twice)))[thrice](uint64(5)) == thrice(uint64(5))


@called
def gray(word: uint64) -> uint64:
    return word ^ (word >> 1)


def emit_sum_of_bytes(symbol: str) -> str:
    name = "llvm.vector.reduce.add.v8i8"
    return f"""
declare i8 @{name}(<8 x i8>)
define internal i64 @"{symbol}"(i64 %word) nounwind {{
  %bytes = bitcast i64 %word to <8 x i8>
  %sum = call i8 @{name}(<8 x i8> %bytes)
  %wide = zext i8 %sum to i64
  ret i64 %wide
}}
"""


@in_assembly(emit_sum_of_bytes)
def sum_of_bytes(word: uint64) -> int:
    return sum(int.to_bytes(word, 8, "little")) % 256


@kernel
def folded(word: uint64) -> int:
    return sum_of_bytes(gray(word)) + 1


def test_a_function_in_assembly_is_called_like_a_kernel() -> None:
    code = compiled_family(KernelFamily("f", (folded,)))
    for word in (0, 1, 0x0123_4567_89AB_CDEF, (1 << 64) - 1):
        assert code[folded](uint64(word)) == folded(uint64(word))


def test_a_family_is_compiled_once_and_then_found_on_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STRATAGEM_CACHE", str(tmp_path))
    compiled: list[str] = []
    real = kernel_families.compile_optimised

    def counting(assembly: str, level: int) -> bytes:
        compiled.append(assembly)
        return real(assembly, level)

    monkeypatch.setattr(kernel_families, "compile_optimised", counting)
    family = KernelFamily("of this test", (twice,))
    with ThreadPoolExecutor(4) as pool:
        codes = list(pool.map(compiled_family, [family] * 4))
    assert len({id(code) for code in codes}) == len(compiled) == 1
    again = compiled_family(KernelFamily("of this test", (twice,)), 2)
    kernel_families._compiled.clear()
    assert compiled_family(family)[twice](uint64(1)) == again[twice](uint64(1)) == twice(uint64(1))
    assert len(compiled) == 1


def test_families_are_compiled_ahead_in_the_background(monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []
    ready = threading.Event()

    def note(family: KernelFamily) -> None:
        done.append(family.name)
        if len(done) == 2:
            ready.set()

    monkeypatch.setattr(kernel_families, "_ensure", note)
    compile_ahead(KernelFamily("first", (twice,)), KernelFamily("second", (thrice,)))
    assert ready.wait(60)
    assert done == ["first", "second"]


def test_the_fingerprint_follows_sources_layouts_and_constants() -> None:
    source = "LIMIT = {limit}\n{record}@kernel\ndef f(a: {kind}) -> int:\n    return LIMIT + a{field}\n"
    record = "class Pair(Record):\n    {fields}\n    second: int = 0\n"

    def stamp(limit: int = 3, fields: str = "first: int = 0") -> str:
        text = source.format(limit=limit, record=record.format(fields=fields), kind="Pair", field=".second")
        return KernelFamily("f", (kernels_from(text)["f"],)).fingerprint()

    assert len({stamp(), stamp(limit=4), stamp(fields="first: int = 0\n    more: int = 0")}) == 3
    one, other = KernelFamily("f", (add_states, refill)), KernelFamily("f", (add_states, find_states))
    assert one.fingerprint() == KernelFamily("f", (add_states, refill)).fingerprint() != other.fingerprint()
