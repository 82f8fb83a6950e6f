"""The public interface: complete, lazy, and all that the documentation needs."""

from __future__ import annotations

import ast
import doctest
import inspect
import re
import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import pytest
from tests.support.data import ROOT
from tests.support.markdown import blocks

import stratagem

PUBLIC = ("stratagem", *(f"stratagem.{name}" for name in stratagem._MODULES))
INTERNAL = {ROOT / "docs" / "kernel-language.md"}
"""Pages for people who change Stratagem itself."""
PAGES = [ROOT / "README.md", *sorted(set((ROOT / "docs").rglob("*.md")) - INTERNAL)]


@pytest.mark.parametrize("name", PUBLIC)
def test_every_public_name_is_there_and_documented(name: str):
    module = import_module(name)
    assert module.__doc__
    for public in module.__all__:
        value = getattr(module, public)
        if inspect.isclass(value) or inspect.isroutine(value) or inspect.ismodule(value):
            assert value.__doc__, f"{name}.{public} has no docstring"


def test_importing_the_package_imports_nothing_heavy():
    heavy = ("numpy", "llvmlite", "clingo", "rich", "typer", "lark", "stratagem.gdl")
    code = f"import sys, stratagem; print([name for name in {heavy!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_reference_has_every_public_name():
    pages = "\n".join(page.read_text(encoding="utf-8") for page in (ROOT / "docs" / "api").glob("*.md"))
    written = set(re.findall(r"^::: (?:\w+\.)*(\w+)$", pages, re.MULTILINE))
    whole = re.findall(r"^::: (\S+)\n    options:\n      members: true", pages, re.MULTILINE)
    written |= {each for module in whole for each in vars(import_module(module))}
    public = {each for name in PUBLIC for each in import_module(name).__all__} - {"__version__"}
    assert public - written - set(stratagem._MODULES) == set()


def imported(text: str) -> list[str]:
    """The modules of Stratagem that a program imports, with the names that it takes from them."""
    found = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            found += [name.name for name in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            found.append(node.module)
    return [name for name in found if name.partition(".")[0] == "stratagem"]


def programs(page: Path) -> list[str]:
    """The Python examples of a page, without prompts and output."""
    parser = doctest.DocTestParser()
    examples = [block.text for block in blocks(page) if block.language == "python"]
    return [example.source for text in examples for example in parser.get_examples(text)]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_the_documentation_uses_the_public_interface_alone(page: Path):
    used = {name for program in programs(page) for name in imported(program)}
    assert used - set(PUBLIC) == set()


def test_the_examples_use_the_public_interface_alone():
    texts = [path.read_text(encoding="utf-8") for path in (ROOT / "examples").glob("*.py")]
    assert {name for text in texts for name in imported(text)} <= set(PUBLIC)


def test_a_name_that_does_not_exist_is_refused_as_by_any_module():
    with pytest.raises(AttributeError, match="module 'stratagem' has no attribute 'nonsense'"):
        _ = stratagem.nonsense


TREE = stratagem.Tree.of([[3, 12], [2, 4]])


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (
            lambda: stratagem.solve(TREE),
            "solve needs a game that was loaded from rules; this is of the type Tree",
        ),
        (lambda: stratagem.judge("tictactoe"), "judge needs a game that was loaded from rules"),
        (lambda: stratagem.count_states(TREE), "count_states needs a game that was loaded from rules"),
        (lambda: stratagem.engine.AlphaBeta(TREE), "alpha-beta needs a game that was loaded from rules"),
        (lambda: stratagem.play.match(TREE, ["legal", "legal"]), "a match needs a game"),
        (lambda: stratagem.play.match("tictactoe", ["legal", 3]), "3 is not a player"),
        (lambda: stratagem.play.tournament([], ["legal", "random"]), "a tournament needs a game"),
        (lambda: stratagem.play.tournament(["tictactoe"], ["legal", "random"], system="x"), "no system 'x'"),
    ],
)
def test_what_cannot_be_used_is_refused_in_words(ask: Callable[[], object], message: str):
    with pytest.raises(stratagem.StratagemError, match=message):
        ask()
