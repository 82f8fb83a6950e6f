"""Rules compiled once for all pages: waited for, cancelled, refused, tried again; without any process."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest
from tests.support.wide_sheet import WIDE

from stratagem.errors import LimitExceeded
from stratagem.web.app.address import Sheet
from stratagem.web.match.readiness import Readiness
from stratagem.web.tasks.compile import Compilation, Meanwhile, compile_rules, memory_for
from stratagem.web.workers.compilations import LONGER, Compilations

SHEET = Sheet("tictactoe")


class Compiler:
    """Compiles nothing; ends when it is told to, and notes what it was asked for."""

    def __init__(self) -> None:
        self.asked: list[tuple[Sheet, float]] = []
        self.says: list[str | Meanwhile] = ["grounding"]
        self.ended: list[Sheet] = []
        self.answer: asyncio.Future[Compilation] = asyncio.get_running_loop().create_future()

    async def __call__(self, sheet: Sheet, seconds: float, heard: Callable[[Any], None]) -> Compilation:
        self.asked.append((sheet, seconds))
        for each in self.says:
            heard(each)
        try:
            return await asyncio.shield(self.answer)
        finally:
            self.ended.append(sheet)


async def settled() -> None:
    """Lets all that can go on go on."""
    for _ in range(10):
        await asyncio.sleep(0)


def run(test: Callable[[Compiler, Compilations], Coroutine[Any, Any, None]]) -> None:
    async def begin() -> None:
        compiler = Compiler()
        await test(compiler, Compilations(compiler, budget=60.0))

    asyncio.run(begin())


def test_rules_are_compiled_once_for_all_pages() -> None:
    async def test(compiler: Compiler, compilations: Compilations) -> None:
        both = [asyncio.ensure_future(compilations.of(SHEET, page)) for page in ("one", "two")]
        await settled()
        compiler.answer.set_result(Compilation())
        assert await asyncio.gather(*both) == [Compilation(), Compilation()]
        assert await compilations.of(SHEET, "three") == Compilation()
        assert compiler.asked == [(SHEET, 60.0)]

    run(test)


def test_a_compilation_is_ended_when_the_last_page_that_waits_for_it_leaves() -> None:
    async def test(compiler: Compiler, compilations: Compilations) -> None:
        pages = [Readiness(compilations, SHEET, page, lambda: None) for page in ("one", "two")]
        waits = [asyncio.ensure_future(page.wait()) for page in pages]
        await settled()
        pages[0].leave()
        await settled()
        assert compiler.ended == []
        pages[1].cancel()
        await settled()
        assert compiler.ended == [SHEET]
        assert compilations.running(SHEET) is None
        assert await asyncio.gather(*waits) == ["reasoner", "reasoner"]

    run(test)


def test_a_page_says_how_far_the_compilation_is_and_that_it_was_cancelled() -> None:
    async def test(compiler: Compiler, compilations: Compilations) -> None:
        changes: list[str] = []
        page = Readiness(compilations, SHEET, "one", lambda: changes.append("changed"))
        assert page.words() == ""
        waiting = asyncio.ensure_future(page.wait())
        await settled()
        assert page.words().startswith("Compiling the rules (grounding): ")
        assert page.words().endswith("given up after 60 seconds of computing.")
        page.cancel()
        assert await waiting == "reasoner"
        assert changes == ["changed"]
        assert page.words() == (
            "Compiling the rules was cancelled. The match is played on the reasoner, which is slower."
        )
        again = asyncio.ensure_future(page.retry())
        await settled()
        compiler.answer.set_result(Compilation())
        await again
        assert (page.machine, page.words()) == (None, "")
        assert compiler.asked == [(SHEET, 60.0), (SHEET, 60.0)], (
            "a cancelled try had no budget to be too small"
        )

    run(test)


def test_until_rules_are_compiled_they_run_on_joins_once_these_are_known_to_take_them() -> None:
    async def test(compiler: Compiler, compilations: Compilations) -> None:
        pages = [Readiness(compilations, SHEET, page, lambda: None) for page in ("one", "two")]
        compiler.says = [Meanwhile("joins"), "grounding"]
        assert [page.machine for page in pages] == ["reasoner", "reasoner"]
        assert [await page.wait(0.01) for page in pages] == ["joins", "joins"]
        assert pages[0].words().startswith("Compiling the rules (grounding): ")
        for page in pages:
            page.cancel()
        await settled()
        assert compilations.running(SHEET) is None
        assert [page.machine for page in pages] == ["joins", "joins"]
        assert pages[1].words().endswith("The match is played on joins, which is slower.")

    run(test)


def test_a_compilation_that_was_ended_by_a_limit_leaves_the_rules_on_joins() -> None:
    async def test(compiler: Compiler, compilations: Compilations) -> None:
        compiler.says = [Meanwhile("joins")]
        compiler.answer.set_exception(LimitExceeded("too long"))
        assert await compilations.of(SHEET, "one") == Compilation("joins", 0.0, "too long")

    run(test)


@pytest.mark.parametrize("by", ["refusal", "limit"])
def test_what_cannot_be_compiled_is_played_on_the_reasoner_with_the_reason_and_tried_again_with_more(
    by: str,
) -> None:
    reason = "the rules could not be ground within 60 seconds"

    async def test(compiler: Compiler, compilations: Compilations) -> None:
        if by == "refusal":
            compiler.answer.set_result(Compilation("reasoner", 60.0, reason))
        else:
            compiler.answer.set_exception(LimitExceeded(reason))
        page = Readiness(compilations, SHEET, "one", lambda: None)
        assert await page.wait() == "reasoner"
        assert page.words() == (
            "The rules could not be ground within 60 seconds. "
            "The match is played on the reasoner, which is slower."
        )
        other = Readiness(compilations, SHEET, "two", lambda: None)
        assert await other.wait() == "reasoner"
        assert len(compiler.asked) == 1, "what is known is not tried again unasked"
        compiler.answer = asyncio.get_running_loop().create_future()
        compiler.answer.set_result(Compilation())
        await page.retry()
        assert page.machine is None
        assert compiler.asked[1:] == [(SHEET, LONGER * 60.0)]

    run(test)


def test_the_task_tells_its_stages_and_gives_the_reason_where_rules_cannot_be_compiled(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    monkeypatch.setenv("STRATAGEM_CACHE", str(tmp_path))
    stages: list[str | Meanwhile] = []
    assert compile_rules(SHEET, 60.0, tell=stages.append).machine is None
    assert stages[0] == "looking in the cache"
    refused = compile_rules(Sheet(text=WIDE), 1.0, tell=stages.append)
    assert refused.machine == "joins"
    assert "could not be ground within" in refused.reason
    assert "in the background" in stages
    assert stages.index(Meanwhile("joins")) < stages.index("in the background")


def test_another_try_has_more_memory_where_the_machine_has_it() -> None:
    gigabyte = 1 << 30
    assert memory_for(30.0, 100 * gigabyte) == memory_for(60.0, 100 * gigabyte) == 6 * gigabyte
    assert memory_for(120.0, 100 * gigabyte) == 12 * gigabyte
    assert memory_for(120.0, 16 * gigabyte) == 8 * gigabyte
    assert memory_for(120.0, 4 * gigabyte) == memory_for(120.0, None) == 6 * gigabyte
