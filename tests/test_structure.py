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
COMMON_LINES = 12
DELIBERATE = {
    (
        "play/players/alpha_beta.py",
        "play/players/mcts.py",
    ): "one protocol: ask the engine, else the deputy",
}
"""Pairs of modules that repeat each other, and why."""


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
    assert {each: places for each, places in homes.items() if len(places) > 1} == {}


def test_no_module_is_longer_than_its_reader_can_bear():
    lengths = {name(path): len(path.read_text("utf-8").splitlines()) for path in modules().values()}
    assert {each: lines for each, lines in lengths.items() if lines > MODULE_LINES} == {}


def test_a_folder_holds_about_a_dozen_modules():
    sizes: defaultdict[str, int] = defaultdict(int)
    for path in modules().values():
        sizes[name(path.parent)] += path.stem != "__init__"
    large = {folder: size for folder, size in sizes.items() if size > FOLDER_MODULES}
    assert large.keys() <= LARGE_FOLDERS.keys(), large


def body_lines(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """The length of a function without its signature (a command's has all its options) and its docstring."""
    first = function.body[1] if ast.get_docstring(function) and len(function.body) > 1 else function.body[0]
    return (function.end_lineno or 0) - first.lineno + 1


def test_a_function_fits_on_a_screen():
    long = {}
    for path in modules().values():
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and body_lines(node) > FUNCTION_LINES:
                long[f"{name(path)}:{node.name}"] = body_lines(node)
    assert long == {}


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
    assert sorted(modules().keys() - reached) == []


# -- seams -------------------------------------------------------------------------------------------------


def run_time_imports(module: str) -> Iterator[str]:
    """The modules whose code *module* needs, now or when a function of it is called."""
    waiting: list[ast.AST] = [tree(modules()[module])]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            waiting += node.orelse
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = (f"{node.module}.{alias.name}" for alias in node.names)
            yield from (name if name in modules() else node.module for name in names)
        waiting += ast.iter_child_nodes(node)


def test_no_module_imports_itself_through_others():
    needs = {module: {each for each in run_time_imports(module) if each in modules()} for module in modules()}
    while needs:
        used = set().union(*needs.values())
        ends = [module for module in needs if module not in used or not needs[module] & needs.keys()]
        if not ends:
            break
        for module in ends:
            del needs[module]
    assert sorted(needs) == [], "these import each other, be it inside functions"


OF_THE_LIBRARY = {"_exit", "_as_parameter_"}
"""Names of Python's own modules that begin with an underscore and may be used."""


def test_no_module_reaches_into_the_private_parts_of_another():
    found = []
    for path in modules().values():
        nodes = list(ast.walk(tree(path)))
        own = {node.name for node in nodes if isinstance(node, ast.FunctionDef | ast.ClassDef)}
        own |= {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
        attributes = [node for node in nodes if isinstance(node, ast.Attribute) and is_private(node.attr)]
        of_self = [node for node in attributes if ast.unparse(node.value) in ("self", "cls")]
        own |= {node.attr for node in of_self} | OF_THE_LIBRARY
        found += [f"{name(path)}:{node.lineno}: {node.attr}" for node in attributes if node.attr not in own]
        for node in nodes:
            if isinstance(node, ast.ImportFrom):
                taken = [alias.name for alias in node.names if is_private(alias.name)]
                found += [f"{name(path)}:{node.lineno}: {each}" for each in taken]
    assert found == []


def is_private(word: str) -> bool:
    return word.startswith("_") and not word.startswith("__")


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
