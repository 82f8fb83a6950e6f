"""What to search: the lecture's trees, random ones, one's own, or a position of a game."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from nicegui import ui

from stratagem import games
from stratagem.errors import StratagemError
from stratagem.web import shell
from stratagem.web.address import Sheet, moves_from, moves_text
from stratagem.web.house import House
from stratagem.web.subject import EVALUATIONS, UNIFORM, Subject

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
}
DEPTH: Final = 3
"""How far ahead a search of a game looks at first: its whole tree is too large to watch."""


class SourceForm:
    """The fields; *changed* is called with what they say, whenever that makes sense."""

    def __init__(self, house: House, subject: Subject, changed: Callable[[Subject], None]) -> None:
        self.changed = changed
        self._quiet = True
        sheet = subject.sheet
        self.text_sheet = sheet if sheet is not None and not sheet.name else None
        with ui.element("div").classes("flow"):
            self.kind = ui.select(KINDS, value=subject.kind, label="Search in", on_change=self._kind)
            self.kind.props("outlined dense options-dense").classes("field wide").mark("kind")
            self.random = ui.element("div").classes("flow grow")
            with self.random:
                self.branching = _number("Moves", 3, 1, 20)
                self.depth = _number("Levels", 4, 1, 14)
                self.seed = _number("Seed", 1, 0, 999_999)
                self.model = ui.select(MODELS, value="distinct", label="Leaves").props(
                    "outlined dense options-dense"
                )
                self.model.classes("field wide")
            self.own = ui.input("Tree as JSON", value="[[3,12,8],[2,4,6],[14,5,2]]")
            self.own.props("outlined dense debounce=500").classes("grow mono").mark("own-tree")
            self.game_fields = ui.element("div").classes("flow grow")
            with self.game_fields:
                titles = {name: games.header(name).title or name for name in games.names()}
                own = {"": "your rules"} if self.text_sheet is not None else {}
                named = sheet.name if sheet is not None else "tictactoe"
                self.game = ui.select({**own, **titles}, value=named, label="Game", with_input=True)
                self.game.props("outlined dense options-dense").classes("field wide")
                self.plies = ui.number("Plies ahead", value=DEPTH, min=0, max=60, step=1)
                self.plies.props("outlined dense clearable debounce=500").classes("field")
                self.evaluation = ui.select(list(EVALUATIONS), value="even", label="At the horizon")
                self.evaluation.props("outlined dense options-dense").classes("field")
                self.moves = ui.input("After the moves", placeholder="mark 2 2; mark 1 1")
                self.moves.props("outlined dense debounce=700").classes("field wide")
        self.take(subject)
        fields = (self.branching, self.depth, self.seed, self.model, self.own, self.game, self.plies)
        for field in (*fields, self.evaluation, self.moves):
            field.on_value_change(self._said)
        self._quiet = False

    @property
    def alone(self) -> bool:
        """Whether the game is a puzzle."""
        name = self.game.value
        return self.kind.value == "game" and bool(name) and games.header(str(name)).kind == "puzzle"

    def take(self, subject: Subject) -> None:
        """Fills in the fields from *subject*, without calling anybody."""
        quiet, self._quiet = self._quiet, True
        self.kind.value = subject.kind
        if subject.sheet is not None:
            self.game.value = subject.sheet.name
            self.plies.value = subject.depth
            self.evaluation.value = subject.evaluation
            self.moves.value = moves_text(subject.moves)
        elif subject.kind == "random":
            match = UNIFORM.fullmatch(subject.tree)
            assert match is not None
            self.branching.value, self.depth.value = int(match[1]), int(match[2])
            self.seed.value = int(match[3] or 1)
            self.model.value = match[4] if match[4] in MODELS else "distinct"
        elif subject.kind == "own":
            self.own.value = subject.tree
        self._arrange()
        self._quiet = quiet

    def _arrange(self) -> None:
        kind = self.kind.value
        self.random.set_visibility(kind == "random")
        self.own.set_visibility(kind == "own")
        self.game_fields.set_visibility(kind == "game")

    def _kind(self) -> None:
        self._arrange()
        if not self._quiet and self.kind.value == "game" and self.plies.value is None and not self.alone:
            self.plies.value = DEPTH
        self._said()

    def _said(self) -> None:
        if self._quiet:
            return
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
                values = (self.branching.value, self.depth.value, self.seed.value)
                if any(value is None for value in values):
                    return None
                numbers = ":".join(str(int(value)) for value in values if value is not None)
                return Subject(f"uniform:{numbers}:{self.model.value}").checked()
            case "own":
                return Subject((self.own.value or "").strip()).checked()
            case "game":
                sheet = Sheet(str(self.game.value)) if self.game.value else self.text_sheet
                if sheet is None:
                    return None
                plies = None if self.plies.value is None else int(self.plies.value)
                depth = None if self.alone and plies == DEPTH else plies
                moves = moves_from(self.moves.value or "")
                return Subject("", sheet, moves, depth, str(self.evaluation.value)).checked()
        return Subject(str(self.kind.value))


def _number(name: str, value: int, least: int, most: int) -> ui.number:
    field = ui.number(name, value=value, min=least, max=most, step=1, precision=0)
    field.props("outlined dense debounce=400").classes("field")
    return field
