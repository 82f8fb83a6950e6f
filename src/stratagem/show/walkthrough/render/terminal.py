"""A search in a terminal: the tree beside the window, OPEN or the fringe, and the sentence that explains the step.

Without a terminal the output has no colours and no control codes. `step_through` waits for keys; `print_walkthrough`
prints the important steps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from stratagem.show.labels import figure, title
from stratagem.show.walkthrough.clusters import large
from stratagem.show.walkthrough.model import Cursor, Frame, Walkthrough
from stratagem.show.walkthrough.render.text_tree import lines_of

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.table import Table
    from rich.text import Text

STYLES = {
    "": "dim", "known": "dim", "live": "cyan", "entered": "bold blue", "leaf": "yellow", "visited": "",
    "cut": "red", "solved": "bold green", "purged": "magenta", "goal": "bold green",
}  # fmt: skip
IMPORTANT = ("cut", "purge", "pass", "goal", "meet")
MOST_PICTURES = 8
MOST_ROWS = 14
GAP = 4
"""Spaces between the tree and what stands beside it."""
KEYS = "n next · p back · c next cut · g first · e end · q quit"
ASCII = str.maketrans(
    {
        "∞": "inf", "−": "-", "≥": ">=", "≤": "<=", "…": "...", "·": "-", "◀": "<--", "□": "MAX", "○": "MIN", "◇": "chance",
        "├": "|", "└": "`", "│": "|", "─": "-",
        "┌": "+", "┐": "+", "┘": "+", "┬": "+", "┴": "+", "┼": "+", "┤": "|", "α": "alpha", "β": "beta", "’": "'",
    }
)  # fmt: skip


def print_walkthrough(walkthrough: Walkthrough, console: Console, *, most: int = MOST_PICTURES) -> None:
    """Prints the steps of *walkthrough* that are important, *most* of them with a picture, and the last one."""
    cursor = Cursor(walkthrough)
    _say(console, cursor.frame().sentence)
    stops = [number for number in important_steps(walkthrough) if number != len(walkthrough.steps) - 1]
    for place, number in enumerate(stops):
        if place == most:
            _say(console, f"… {len(stops) - most} more such steps, up to the end:")
            break
        _show(console, cursor.seek(number))
    _show(console, cursor.seek(-1))
    for note in walkthrough.notes:
        _say(console, note)


def important_steps(walkthrough: Walkthrough) -> list[int]:
    """The numbers of the important steps: cuts, purges, rounds, goals; if there are none, the result of each move at the
    root; and the last step."""
    steps = walkthrough.steps
    found = [number for number, step in enumerate(steps) if step.kind in IMPORTANT]
    if not found:
        near = {number for number, node in enumerate(walkthrough.nodes) if node.depth == 1}
        found = [number for number, step in enumerate(steps) if step.kind == "leave" and step.focus in near]
    return [*found, len(steps) - 1]


def step_through(walkthrough: Walkthrough, console: Console, read_key: Callable[[], str]) -> None:
    """Shows one step after another; *read_key* waits for a key and returns it."""
    cursor = Cursor(walkthrough)
    while True:
        console.clear()
        _show(console, cursor)
        _say(console, KEYS)
        target = _target(cursor, read_key())
        if target is None:
            return
        cursor.seek(target)


def _target(cursor: Cursor, key: str) -> int | None:
    """The step that *key* leads to; None to leave."""
    at, last = cursor.number, len(cursor.walkthrough.steps) - 1
    if key in ("q", "Q", "\x03", "\x04", ""):
        return None
    if key in ("n", " ", "\r", "\n", "\x1b[C", "\x1b[B"):
        return min(at + 1, last)
    if key in ("p", "b", "\x1b[D", "\x1b[A", "\x7f"):
        return max(at - 1, 0)
    if key == "c":
        found = cursor.walkthrough.find("cut", after=at)
        return last if found is None else found
    return {"g": 0, "e": last, "G": last}.get(key, at)


def _show(console: Console, cursor: Cursor) -> None:
    from rich.rule import Rule

    walkthrough, frame = cursor.walkthrough, cursor.frame()
    name = f"{title(walkthrough.algorithm)} · step {frame.number + 1} of {len(walkthrough.steps)}"
    console.print(Rule(_fit(console, name), align="left", characters="-" if _plain(console) else "─"))
    _say(console, frame.sentence)
    console.print(picture(walkthrough, frame, console))


def picture(walkthrough: Walkthrough, frame: Frame, console: Console) -> RenderableType:
    """The tree with what belongs beside it; below it where the screen is too narrow to show both whole."""
    from rich.console import Group
    from rich.table import Table

    blocks = list(_blocks(walkthrough, frame))
    beside = Group(*(_table(console, *block) for block in blocks))
    tree = _tree_text(walkthrough, frame, console)
    needed, room = _natural_width(console, tree), console.width - GAP - _natural_width(console, beside)
    if needed > room:
        taken = sum(len(rows) + 2 for _, _, rows in blocks)
        return Group(_tree_text(walkthrough, frame, console, taken=taken), beside)
    grid = Table.grid(padding=(0, GAP))
    grid.add_column(width=max(needed, min(room, console.width * 3 // 5)), no_wrap=True)
    grid.add_column(no_wrap=True)
    grid.add_row(tree, beside)
    return grid


def _natural_width(console: Console, shown: RenderableType) -> int:
    """The columns that *shown* would take on a screen of any width."""
    from rich.measure import Measurement

    return Measurement.get(console, console.options.update(width=10_000), shown).maximum


def _tree_text(walkthrough: Walkthrough, frame: Frame, console: Console, *, taken: int = 0) -> Text:
    """The tree as lines; on a screen as many as fit, with *taken* lines used for something else."""
    from rich.text import Text

    text = Text(overflow="fold")
    room = max(12, console.height - 8 - taken) if console.is_terminal else 200
    lines = lines_of(walkthrough, frame)
    if len(lines) > room:  # keep the focus in sight
        at = next((place for place, line in enumerate(lines) if line.focus), 0)
        start = max(0, min(at - room // 2, len(lines) - room))
        lines = lines[start : start + room]
    for line in lines:
        style = STYLES[line.status] + (" reverse" if line.focus else "")
        text.append(_fit(console, line.rails), style="dim")
        text.append(_fit(console, line.text), style=style.strip())
        text.append("\n")
    text.rstrip()
    return text


Block = tuple[str, Sequence[str], Sequence[Sequence[str]]]


def _blocks(walkthrough: Walkthrough, frame: Frame) -> Iterator[Block]:
    """What stands beside the tree: a heading, the heads of columns, the rows."""
    if walkthrough.order:
        yield _open_block(walkthrough, frame)
    windows = [node for node in walkthrough.path(frame.focus) if node in frame.window]
    if windows:
        rows = [
            (walkthrough.call(node).removeprefix("node "), *map(figure, frame.window[node]))
            for node in windows[-MOST_ROWS:]
        ]
        yield "window", ("node", "α", "β"), rows
    if frame.focus is not None and frame.focus in walkthrough.positions:
        yield "position", (), [(line,) for line in walkthrough.positions[frame.focus].splitlines()]
    if frame.round:
        yield "now", (), [(frame.round,)]
    counted = [(name.replace("_", " "), f"{value:,}") for name, value in frame.counters.items() if value]
    yield "counted", (), counted


def _open_block(walkthrough: Walkthrough, frame: Frame) -> Block:
    rows: list[tuple[str, ...]] = []
    clusters = walkthrough.shape == "tree"
    for entry in frame.open[:MOST_ROWS]:
        name = walkthrough.call(entry.node).removeprefix("node ")
        priority = figure(entry.priority)
        if clusters:
            size = "" if entry.size is None else large(entry.size)
            rows.append((name, entry.status, priority, str(entry.cluster), size))
        else:
            rows.append((name, priority))
    if len(frame.open) > MOST_ROWS:
        rows.append((f"… {len(frame.open) - MOST_ROWS:,} more",))
    heads = ("node", "status", "h", "cluster", "strategies") if clusters else ("state", "priority")
    return ("OPEN" if clusters else "fringe") + f" ({len(frame.open):,})", heads, rows


def _table(console: Console, heading: str, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Table:
    from rich.table import Table

    table = Table(
        title=heading,
        title_justify="left",
        title_style="bold",
        box=None,
        show_header=bool(heads),
        pad_edge=False,
    )
    for head in heads or [""] * max(map(len, rows), default=1):
        table.add_column(_fit(console, head), overflow="fold")
    for row in rows:
        table.add_row(*(_fit(console, cell) for cell in row))
    return table


def _say(console: Console, words: str) -> None:
    console.print(_fit(console, words), markup=False, highlight=False)


def _plain(console: Console) -> bool:
    """Whether the terminal is limited to ASCII."""
    return not console.encoding.lower().startswith("utf")


def _fit(console: Console, words: str) -> str:
    return words.translate(ASCII).encode("ascii", "replace").decode() if _plain(console) else words
