"""The form for the subject of a search: a tree of the lecture, a random or own tree, or a position of a game."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from nicegui import ui

from stratagem import sheets as games
from stratagem.errors import StratagemError, UsageError
from stratagem.web.app import shell
from stratagem.web.app.address import Sheet, moves_from, moves_text
from stratagem.web.app.subject import SHAPE, UNIFORM, Subject
from stratagem.web.workers.scheduler import Scheduler

KINDS: Final = {
    "lecture": "The lecture's tree",
    "lecture36": "36 leaves, best order",
    "random": "A random tree",
    "own": "A tree of your own",
    "game": "A game",
}
MODELS: Final = {
    "distinct": "all leaves different",
    "iid10": "leaves 0 to 9",
    "inc100:20": "moves that add up",
    "ord70": "good moves first, mostly",
    "best": "the best move always first",
    "worst": "the best move always last",
}
HORIZONS: Final = {"even": "counts as a draw", "mobility": "more moves are better"}
HEURISTICS: Final = {
    "none": "no heuristic",
    "patterns": "pattern databases",
    "relaxed": "the relaxed game",
}
SHAPED: Final = ("distinct", "best", "worst")
"""The models for trees given level by level."""
DEPTH: Final = 3
"""The default depth on games: a whole tree is too large to watch."""


class SourceForm:
    """The fields; *changed* is called with every valid subject."""

    def __init__(self, scheduler: Scheduler, subject: Subject, changed: Callable[[Subject], None]) -> None:
        self.changed = changed
        self._quiet = True
        sheet = subject.sheet
        self.text_sheet = sheet if sheet is not None and not sheet.name else None
        with ui.element("div").classes("same-row"):
            self.kind = ui.select(KINDS, value=subject.kind, label="Search in", on_change=self._kind)
            self.kind.props("outlined dense options-dense").classes("field wide").mark("kind")
            self.random = ui.element("div").classes("same-row")
            with self.random:
                self.branching = _number("Moves", 3, 1, 20)
                self.depth = _number("Levels", 4, 1, 14)
                self.shape = ui.input("Or moves level by level", placeholder="3-2-2-3")
                self.shape.props("outlined dense clearable debounce=600").classes("field").mark("shape")
                self.seed = _number("Seed", 1, 0, 999_999)
                self.model = ui.select(MODELS, value="distinct", label="Leaves").props(
                    "outlined dense options-dense"
                )
                self.model.classes("field wide")
            self.own = ui.input("Tree as JSON", value="[[3,12,8],[2,4,6],[14,5,2]]")
            self.own.props("outlined dense debounce=500").classes("grow mono").mark("own-tree")
            self.game_fields = ui.element("div").classes("same-row")
            with self.game_fields:
                titles = {name: games.header(name).title or name for name in games.names()}
                own = {"": "your rules"} if self.text_sheet is not None else {}
                named = sheet.name if sheet is not None else "tictactoe"
                self.game = ui.select({**own, **titles}, value=named, label="Game", with_input=True)
                self.game.props("outlined dense options-dense").classes("field wide")
                self.plies = ui.number("Plies ahead", value=DEPTH, min=0, max=60, step=1)
                self.plies.props("outlined dense clearable debounce=500").classes("field")
                self.evaluation = ui.select(HORIZONS, value="even", label="At the horizon")
                self.evaluation.props("outlined dense options-dense").classes("field wide")
                self.heuristic = ui.select(HEURISTICS, value="none", label="Heuristic of A*, IDA*, greedy")
                self.heuristic.props("outlined dense options-dense").classes("field wide").mark("heuristic")
                self.moves = ui.input("After the moves", placeholder="mark 2 2; mark 1 1")
                self.moves.props("outlined dense debounce=700").classes("field wide")
        self.take(subject)
        numbers = (self.branching, self.depth, self.shape, self.seed, self.model)
        position = (self.game, self.plies, self.evaluation, self.heuristic, self.moves)
        for field in (*numbers, self.own, *position):
            field.on_value_change(self._said)
        self._quiet = False

    @property
    def alone(self) -> bool | None:
        """Whether the game is a puzzle; None for a visitor's rules."""
        if self.kind.value != "game":
            return False
        name = self.game.value
        return games.header(str(name)).kind == "puzzle" if name else None

    def take(self, subject: Subject) -> None:
        """Fills in the fields from *subject*, without a call of *changed*."""
        quiet, self._quiet = self._quiet, True
        self.kind.value = subject.kind
        if subject.sheet is not None:
            self.game.value = subject.sheet.name
            self.plies.value = subject.depth
            self.evaluation.value = subject.evaluation
            self.heuristic.value = subject.heuristic
            self.moves.value = moves_text(subject.moves)
        elif subject.kind == "random":
            self._take_random(subject.tree)
        elif subject.kind == "own":
            self.own.value = subject.tree
        self._arrange()
        self._quiet = quiet

    def _take_random(self, tree: str) -> None:
        uniform, shape = UNIFORM.fullmatch(tree), SHAPE.fullmatch(tree)
        if uniform is not None:
            self.branching.value, self.depth.value = int(uniform[1]), int(uniform[2])
            self.shape.value, self.seed.value = "", int(uniform[3] or 1)
            self.model.value = uniform[4] if uniform[4] in MODELS else "distinct"
        elif shape is not None:
            degrees = shape[1].split("-")
            even = len(set(degrees)) == 1
            if even:
                self.branching.value, self.depth.value = int(degrees[0]), len(degrees)
            self.shape.value, self.seed.value = "" if even else shape[1], int(shape[2] or 1)
            self.model.value = shape[3] if shape[3] in MODELS else "distinct"

    def _arrange(self) -> None:
        kind = self.kind.value
        self.random.set_visibility(kind == "random")
        self.own.set_visibility(kind == "own")
        self.game_fields.set_visibility(kind == "game")
        self.evaluation.set_visibility(kind == "game" and not self.alone)
        self.heuristic.set_visibility(kind == "game" and self.alone is not False)

    def _kind(self) -> None:
        self._arrange()
        if not self._quiet and self.kind.value == "game" and self.plies.value is None and not self.alone:
            self.plies.value = DEPTH
        self._said()

    def _said(self) -> None:
        if self._quiet:
            return
        self._arrange()
        try:
            subject = self._subject()
        except StratagemError as refused:
            shell.refuse(refused)
            return
        if subject is not None:
            self.changed(subject)

    def _subject(self) -> Subject | None:
        match self.kind.value:
            case "random":
                return self._random()
            case "own":
                return Subject((self.own.value or "").strip()).checked()
            case "game":
                sheet = Sheet(str(self.game.value)) if self.game.value else self.text_sheet
                if sheet is None:
                    return None
                plies = None if self.plies.value is None else int(self.plies.value)
                depth = None if self.alone and plies == DEPTH else plies
                moves = moves_from((self.moves.value or "").replace(",", ";"))
                evaluation, heuristic = str(self.evaluation.value), str(self.heuristic.value)
                return Subject("", sheet, moves, depth, evaluation, heuristic).checked()
        return Subject(str(self.kind.value))

    def _random(self) -> Subject | None:
        branching, depth, seed, model = (
            self.branching.value,
            self.depth.value,
            self.seed.value,
            self.model.value,
        )
        if branching is None or depth is None or seed is None:
            return None
        degrees = re.findall(r"\d+", self.shape.value or "")
        if not degrees and model not in ("best", "worst"):
            return Subject(f"uniform:{int(branching)}:{int(depth)}:{int(seed)}:{model}").checked()
        if model not in SHAPED:
            raise UsageError(
                "leaves of this kind need the same number of moves on every level",
                hint="take another kind of leaves, or leave the moves level by level empty",
            )
        shape = "-".join(degrees or [str(int(branching))] * int(depth))
        order = "random" if model == "distinct" else model
        return Subject(f"shape:{shape}:{int(seed)}:{order}").checked()


def _number(name: str, value: int, least: int, most: int) -> ui.number:
    field = ui.number(name, value=value, min=least, max=most, step=1, precision=0)
    field.props("outlined dense debounce=400").classes("field")
    return field
