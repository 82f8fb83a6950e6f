"""The shape of the package: names that mean one thing, modules and functions of a readable size, nothing unreachable."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

SOURCE = Path(__file__).parents[1] / "src"
PACKAGE = SOURCE / "stratagem"

MODULE_LINES = 400
FOLDER_MODULES = 15
LARGE_FOLDERS = {
    "cli": "one module per command",
    "search/adversarial": "one module per algorithm",
}
FUNCTION_LINES = 60
KERNELS = {
    "engine/proof/kernel.py:prove",
    "engine/proof/df_pn_kernel.py:search",
    "engine/alpha_beta/kernel.py:search",
    "engine/evaluation/self_play_kernel.py:play_match",
    "engine/mcts/kernel.py:grow",
    "engine/puzzle/restarting_dfs.py:_depth_first",
}
"""Compiled loops that numba takes as one function each."""
COMMON_LINES = 12
DELIBERATE = {
    (
        "search/adversarial/alpha_beta.py",
        "search/adversarial/alpha_beta_strict.py",
    ): "the sheet prints both, one sign apart",
}
"""Pairs of modules that repeat each other, and why."""

SHARED_NAMES = {
    "AlphaBeta",
    "Attempt",
    "Begin",
    "Board",
    "Bounds",
    "Choice",
    "Comparison",
    "Compiled",
    "Cut",
    "Database",
    "Desk",
    "Domains",
    "Entry",
    "Evaluation",
    "Finish",
    "Found",
    "Gates",
    "Header",
    "Lanes",
    "Layout",
    "Leave",
    "Level",
    "Limits",
    "Loaded",
    "Machine",
    "Mark",
    "Match",
    "MoveStatistics",
    "Network",
    "Node",
    "Plan",
    "Question",
    "Reading",
    "Result",
    "Room",
    "Run",
    "Seat",
    "Started",
    "Step",
    "Story",
    "Table",
    "Tally",
    "Tree",
    "Turn",
    "Variable",
    "Verdict",
    "View",
    "Words",
    "_Search",
    "_Table",
    "_Writer",
}
"""Class names that still stand in more than one module."""
LONG_FUNCTIONS = {
    "cli/solve.py:solve",
    "cli/explain.py:explain",
    "cli/player.py:player",
    "cli/host.py:host",
    "cli/search.py:search",
    "search/single/bidirectional.py:bidirectional",
    "cli/compare.py:_blind",
    "cli/tournament.py:tournament",
    "cli/compare.py:compare",
    "engine/solve.py:induction",
    "search/single/ida_star.py:ida_star",
    "search/adversarial/scout.py:scout",
}
"""Functions that are still too long."""
UNREACHED: set[str] = set()
"""Modules that still wait for a command or a public name."""


@cache
def modules() -> dict[str, Path]:
    """Every module of the package by its dotted name."""
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(SOURCE).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"))


def name(path: Path) -> str:
    return path.relative_to(PACKAGE).as_posix()


def test_a_class_name_means_one_thing():
    homes: defaultdict[str, list[str]] = defaultdict(list)
    for path in modules().values():
        for node in tree(path).body:
            if isinstance(node, ast.ClassDef):
                homes[node.name].append(name(path))
    assert {
        each: places for each, places in homes.items() if len(places) > 1 and each not in SHARED_NAMES
    } == {}


def test_no_module_is_longer_than_its_reader_can_bear():
    lengths = {name(path): len(path.read_text("utf-8").splitlines()) for path in modules().values()}
    assert {each: lines for each, lines in lengths.items() if lines > MODULE_LINES} == {}


def test_a_folder_holds_about_a_dozen_modules():
    sizes: defaultdict[str, int] = defaultdict(int)
    for path in modules().values():
        sizes[name(path.parent)] += path.stem != "__init__"
    large = {folder: size for folder, size in sizes.items() if size > FOLDER_MODULES}
    assert large.keys() <= LARGE_FOLDERS.keys(), large


def test_a_function_fits_on_a_screen():
    long = {}
    for path in modules().values():
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                lines = (node.end_lineno or 0) - node.lineno + 1
                if lines > FUNCTION_LINES:
                    long[f"{name(path)}:{node.name}"] = lines
    assert {each: lines for each, lines in long.items() if each not in KERNELS | LONG_FUNCTIONS} == {}
    assert long.keys() >= KERNELS, "a kernel in the list is short now, or gone"


# -- reachability ------------------------------------------------------------------------------------------


def imported(module: str) -> Iterator[str]:
    """What *module* imports, at the top or inside functions, and the modules that its tables of strings name."""
    path = modules()[module]
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    waiting: list[ast.AST] = [tree(path)]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            waiting += node.orelse
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif (
            isinstance(node, ast.Assign | ast.AnnAssign) and "MODULES" in ast.unparse(node).partition("=")[0]
        ):
            strings = [each.value for each in ast.walk(node) if isinstance(each, ast.Constant)]
            yield from (f"{prefix}.{each}" for each in strings for prefix in (package, "stratagem.web.pages"))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            if re.fullmatch(r"stratagem(\.\w+)+", node.value):
                yield node.value
            elif re.fullmatch(r"\w+(\.\w+)*:\w+", node.value):
                yield f"{package}.{node.value.partition(':')[0]}"
        waiting += ast.iter_child_nodes(node)


def test_every_module_is_reached_from_a_command_a_page_or_the_public_surface():
    reached: set[str] = set()
    waiting = ["stratagem", "stratagem.__main__"]
    while waiting:
        module = waiting.pop()
        if module in reached or module not in modules():
            continue
        reached.add(module)
        waiting.append(module.rpartition(".")[0])
        waiting += imported(module)
    assert sorted(modules().keys() - reached - UNREACHED) == []


# -- duplicates --------------------------------------------------------------------------------------------


def code_lines(path: Path) -> list[str]:
    """The lines of a module without imports, comments and blanks, each without its indentation."""
    text = path.read_text("utf-8").splitlines()
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import | ast.ImportFrom):
            for number in range(node.lineno - 1, node.end_lineno or node.lineno):
                text[number] = ""
    return [line.strip() for line in text if line.strip() and not line.strip().startswith("#")]


def test_no_two_places_share_more_than_a_dozen_lines():
    places: defaultdict[tuple[str, ...], list[str]] = defaultdict(list)
    for path in modules().values():
        lines = code_lines(path)
        for at in range(len(lines) - COMMON_LINES):
            places[tuple(lines[at : at + COMMON_LINES + 1])].append(name(path))
    found = {(each[0], each[-1]) for each in places.values() if len(each) > 1}
    assert found - DELIBERATE.keys() == set()
    assert found >= DELIBERATE.keys(), "a repetition in the list is gone"


def test_the_glossary_names_files_that_are_there():
    page = (SOURCE.parent / "docs" / "glossary.md").read_text(encoding="utf-8")
    named = re.findall(r"`([a-z_]+(?:/[a-z_]+)*(?:/|\.py))`", page)
    assert len(named) > 50
    assert [name for name in named if not (PACKAGE / name).exists()] == []
