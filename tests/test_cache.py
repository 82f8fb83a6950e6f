"""The cache: one place, one meaning of its variable, and nobody fails because of it."""

from __future__ import annotations

import errno
import logging
import multiprocessing
import os
import subprocess
import sys
from pathlib import Path

import pytest

from stratagem import cache
from stratagem.cache import Cache, prune, source_digest, user_cache
from stratagem.circuit.compiler.store import name_of

FULL = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
READ_ONLY = OSError(errno.EROFS, os.strerror(errno.EROFS))


@pytest.fixture(autouse=True)
def _nothing_said_yet(monkeypatch):
    monkeypatch.setattr(cache, "_mentioned", set())
    monkeypatch.setattr(cache.LOGGER, "disabled", False)


def refuse(monkeypatch: pytest.MonkeyPatch, failure: OSError) -> None:
    def write(_path: Path, _content: bytes) -> None:
        raise failure

    monkeypatch.setattr(cache, "write_atomically", write)


def test_what_is_kept_comes_back_and_what_is_damaged_does_not(tmp_path):
    part = Cache(tmp_path).part("things")
    part.write("ab/one", b"content")
    assert part.read("ab/one") == b"content"
    assert part.read("ab/two") is None
    place = tmp_path / "things" / "ab" / "one"
    sound = place.read_bytes()
    for damage in (b"", sound[:10], sound[:-1], sound + b"x", b"x" + sound[1:]):
        place.write_bytes(damage)
        assert part.read("ab/one") is None


def test_the_variable_has_one_meaning(tmp_path):
    assert user_cache({"STRATAGEM_CACHE": str(tmp_path)}).folder == tmp_path
    for off in ("off", "OFF", " off "):
        assert user_cache({"STRATAGEM_CACHE": off}).folder is None
    for unset in ({}, {"STRATAGEM_CACHE": ""}):
        folder = user_cache(unset).folder
        assert folder is not None and "stratagem" in folder.name
    home = user_cache({"STRATAGEM_CACHE": "~/games"}).folder
    assert home is not None and "~" not in str(home)


def test_without_a_folder_nothing_is_kept(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    nowhere = user_cache({"STRATAGEM_CACHE": "off"}).part("things")
    nowhere.write("ab/one", b"content")
    assert nowhere.read("ab/one") is None
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("failure", [FULL, READ_ONLY])
def test_a_disk_that_takes_nothing_is_mentioned_once(tmp_path, monkeypatch, caplog, failure):
    refuse(monkeypatch, failure)
    with caplog.at_level(logging.WARNING):
        for part in ("circuits", "native", "kernels"):
            user_cache({"STRATAGEM_CACHE": str(tmp_path)}).part(part).write("ab/one", b"content")
    (record,) = caplog.records
    assert record.getMessage() == (
        f"the cache {tmp_path} cannot be written ({failure.strerror}): working without it; "
        "STRATAGEM_CACHE names another folder, or off"
    )


def test_a_file_in_the_place_of_the_folder_is_worked_without(tmp_path, caplog):
    blocked = tmp_path / "file"
    blocked.write_text("in the way")
    part = user_cache({"STRATAGEM_CACHE": str(blocked)}).part("circuits")
    with caplog.at_level(logging.WARNING):
        part.write("ab/one", b"content")
    assert part.read("ab/one") is None
    assert len(caplog.records) == 1
    assert blocked.read_text() == "in the way"


def test_a_disk_that_fills_up_leaves_nothing_half_written(tmp_path, monkeypatch):
    part = Cache(tmp_path)
    part.write("ab/one", b"before")

    def fails(_from: str, _to: Path) -> None:
        raise FULL

    monkeypatch.setattr(os, "replace", fails)
    part.write("ab/one", b"after")
    assert part.read("ab/one") == b"before"
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == ["one"]


def test_an_entry_that_another_process_is_reading_on_windows_is_not_a_fault(tmp_path, monkeypatch, caplog):
    part = Cache(tmp_path)
    part.write("ab/one", b"content")
    refuse(monkeypatch, PermissionError(errno.EACCES, "Access is denied"))
    with caplog.at_level(logging.WARNING):
        part.write("ab/one", b"content")
        assert caplog.records == []
        part.write("ab/two", b"content")
    assert len(caplog.records) == 1


def _write_in_a_child(folder: str) -> None:
    messages: list[str] = []
    handler = logging.Handler()
    handler.emit = lambda record: messages.append(record.getMessage())  # type: ignore[method-assign]
    cache.LOGGER.addHandler(handler)
    Cache(Path(folder)).write("ab/one", b"content")
    sys.exit(len(messages))


def test_a_process_that_this_one_started_leaves_the_mention_to_it(tmp_path):
    (tmp_path / "file").write_text("in the way")
    child = multiprocessing.get_context("spawn").Process(
        target=_write_in_a_child, args=(str(tmp_path / "file" / "below"),)
    )
    child.start()
    child.join()
    assert child.exitcode == 0


def test_the_cache_does_not_grow_for_ever(tmp_path):
    for number in range(600):
        shelf = tmp_path / f"{number % 8:02x}"
        shelf.mkdir(exist_ok=True)
        (shelf / f"{number}.o").write_bytes(b"")
    prune(tmp_path, most=64)
    assert sum(1 for _ in tmp_path.glob("*/*")) == 300


def test_a_new_module_at_any_depth_makes_another_fingerprint(tmp_path, monkeypatch):
    monkeypatch.setattr(cache, "PACKAGE", tmp_path)
    (tmp_path / "ground" / "deep").mkdir(parents=True)
    (tmp_path / "ground" / "one.py").write_text("1")
    (tmp_path / "terms.py").write_text("1")
    digest = source_digest.__wrapped__
    seen = {digest("ground", "terms")}
    (tmp_path / "ground" / "deep" / "two.py").write_text("2")
    seen.add(digest("ground", "terms"))
    (tmp_path / "terms.py").write_text("2")
    seen.add(digest("ground", "terms"))
    assert len(seen) == 3


def test_circuits_are_compiled_anew_when_the_order_of_terms_changes(monkeypatch):
    asked: list[tuple[str, ...]] = []
    monkeypatch.setattr(
        "stratagem.circuit.compiler.store.source_digest", lambda *parts: asked.append(parts) or b"digest"
    )
    name_of("(role r)")
    assert asked == [("gdl", "ground", "circuit")]


def test_a_store_of_circuits_on_a_full_disk_keeps_nothing_and_raises_nothing(tmp_path, monkeypatch):
    refuse(monkeypatch, FULL)
    store = Cache(tmp_path)
    store.write("ab" * 32, b"content")
    assert store.read("ab" * 32) is None


KERNEL = """
import sys
sys.path.insert(0, {folder!r})
import stratagem
from stratagem import cache
{prelude}
from kernels_of_a_test import code, thrice
print(code[thrice](14))
import llvmlite.binding
stratagem.load("tictactoe").playouts(n=100, seed=1)
"""
SOURCE = """
from stratagem.kernels import kernel
from stratagem.kernels.translate.family import KernelFamily
from stratagem.native.jit.kernel_families import compiled_family

@kernel
def thrice(x: int) -> int:
    return 3 * x

code = compiled_family(KernelFamily("of a test", (thrice,)))
"""
FILLS_UP = """
def write(path, content):
    raise OSError(28, "No space left on device")
cache.write_atomically = write
"""


def run_kernel(tmp_path: Path, where: str, prelude: str = "") -> subprocess.CompletedProcess[str]:
    """Compiles a kernel in a process of its own, with the cache at *where*."""
    (tmp_path / "kernels_of_a_test.py").write_text(SOURCE)
    inside = tmp_path / "inside"
    inside.mkdir(exist_ok=True)
    return subprocess.run(
        [sys.executable, "-c", KERNEL.format(folder=str(tmp_path), prelude=prelude)],
        cwd=inside,
        env={**os.environ, "STRATAGEM_CACHE": where, "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )


def test_kernels_are_kept_in_the_cache(tmp_path):
    where = tmp_path / "cache"
    done = run_kernel(tmp_path, str(where))
    assert (done.returncode, done.stdout, done.stderr) == (0, "42\n", "")
    assert list((where / "native").glob("*/*.o"))
    assert list((tmp_path / "inside").iterdir()) == []
    refused = "from stratagem.native.jit import kernel_families\nkernel_families.compile_optimised = None\n"
    again = run_kernel(tmp_path, str(where), refused)
    assert (again.stdout, again.stderr) == ("42\n", "")


def test_a_cache_that_is_off_writes_nothing_anywhere(tmp_path):
    done = run_kernel(tmp_path, "off")
    assert (done.returncode, done.stdout, done.stderr) == (0, "42\n", "")
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["inside", "kernels_of_a_test.py"]


def test_kernels_and_objects_on_a_full_disk_are_worked_without_and_said_once(tmp_path):
    done = run_kernel(tmp_path, str(tmp_path / "cache"), FILLS_UP)
    assert (done.returncode, done.stdout) == (0, "42\n")
    assert done.stderr.count("\n") == 1
    assert "cannot be written (No space left on device): working without it" in done.stderr
