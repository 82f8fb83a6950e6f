"""Examples in Markdown pages, and how they are run.

A ``python`` block with ``>>>`` is a doctest. In a ``console`` block every line ``$ stratagem ...`` is run, and what
follows it is compared with what it prints; a line ``…`` stands for any number of lines. A block without output
after a command only has to succeed; ``# not run`` at the end of a command line leaves it out.
"""

from __future__ import annotations

import doctest
import io
import re
import shlex
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from unittest.mock import patch

OPTIONAL = {
    "gymnasium": r"adapters\.(gymnasium|register)\b|import gymnasium",
    "pettingzoo": r"adapters\.pettingzoo\b",
    "pyspiel": r"adapters\.open_spiel\b|import open_spiel",
    "jax": r"adapters\.jax\b|import jax",
}
"""Modules that may not be installed, and what an example that needs one contains."""
FENCE = re.compile(r"^```(\w+)[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block of a page."""

    page: Path
    line: int
    language: str
    text: str


def blocks(page: Path) -> Iterator[Block]:
    text = page.read_text(encoding="utf-8")
    for found in FENCE.finditer(text):
        yield Block(page, text[: found.start()].count("\n") + 1, found[1], found[2])


def missing(block: Block) -> list[str]:
    """The optional modules that an example needs and that are not installed."""
    needed = [module for module, sign in OPTIONAL.items() if re.search(sign, block.text)]
    return [module for module in needed if find_spec(module) is None]


def run_python(block: Block, names: dict[str, object]) -> None:
    """Runs a block as a doctest; *names* carries what earlier blocks of the page defined."""
    test = doctest.DocTestParser().get_doctest(
        block.text, names, f"{block.page.name}:{block.line}", None, block.line
    )
    out = io.StringIO()
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    runner.run(test, out=out.write, clear_globs=False)
    names.update(test.globs)
    assert runner.failures == 0, out.getvalue()


def run_console(block: Block) -> int:
    """Runs the commands of a block; returns how many."""
    commands: list[tuple[str, list[str]]] = []
    for line in block.text.splitlines():
        if line.startswith("$ "):
            commands.append((line[2:], []))
        elif commands:
            commands[-1][1].append(line)
    ran = 0
    for command, expected in commands:
        if command.startswith("stratagem") and not command.endswith("# not run"):
            printed = run_command(shlex.split(command, comments=True)[1:])
            while expected and not expected[-1].strip():
                expected.pop()
            if expected:
                assert matches(expected, printed.rstrip().splitlines()), (
                    f"{block.page.name}:{block.line}: $ {command}\n{printed}"
                )
            ran += 1
    return ran


def run_command(arguments: list[str], *, exit_code: int = 0) -> str:
    """What `stratagem` prints for *arguments*; it must end with *exit_code*."""
    from stratagem.cli import main

    out = io.StringIO()
    code: object = 0
    with patch("sys.argv", ["stratagem", *arguments]), redirect_stdout(out), redirect_stderr(out):
        try:
            main()
        except SystemExit as left:
            code = left.code
    assert (code or 0) == exit_code, f"stratagem {' '.join(arguments)}: exit {code}\n{out.getvalue()}"
    return out.getvalue()


def matches(expected: list[str], printed: list[str]) -> bool:
    """Whether the lines agree, where ``…`` stands for any lines and white space at line ends does not count."""
    if not expected:
        return not printed
    if expected[0].strip() == "…":
        return any(matches(expected[1:], printed[start:]) for start in range(len(printed) + 1))
    return (
        bool(printed) and expected[0].rstrip() == printed[0].rstrip() and matches(expected[1:], printed[1:])
    )
