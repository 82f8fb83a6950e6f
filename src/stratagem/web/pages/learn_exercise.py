"""An exercise on a page: the questions, the grade of each answer with its reason, and the next one."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from random import Random
from typing import Final

from nicegui import ui

from stratagem.exercises.grading import Exercise, Grade, grade
from stratagem.exercises.kinds import exercise
from stratagem.web.app import shell
from stratagem.web.app.address import address
from stratagem.web.app.subject import Subject
from stratagem.web.widgets import markup

KEPT: Final = "course"
LARGEST_SEED: Final = 999_999
LONGEST_ANSWER: Final = 500
STEPPED: Final = {"minimax": "minimax", "alpha-beta": "alpha-beta", "sss": "sss-star"}
"""The search that an exercise is about, for the Search page."""
TITLES: Final = {"minimax": "Minimax", "alpha-beta": "Alpha-beta", "sss": "SSS*", "blind": "Blind search"}


class ExerciseCard:
    """A sequence of exercises, each given by its seed."""

    def __init__(self, kind: str, query: Mapping[str, str]) -> None:
        self.client = ui.context.client
        self.kind = kind
        self.query = query
        said = query.get("seed", "")
        seed = int(said) if said.isdecimal() and len(said) < 7 else None
        self.seed = Random().randrange(1, 1_000) if seed is None else max(0, min(seed, LARGEST_SEED))
        self.exercise: Exercise | None = None
        self.fields: dict[str, ui.input] = {}
        self.notes: dict[str, ui.label] = {}

    async def build(self) -> None:
        """Builds the card with the first exercise."""
        with ui.element("section").classes("card exercise").mark(f"exercise-{self.kind}"):
            with ui.element("div").classes("flow between"):
                ui.html(markup.heading(f"Exercise: {TITLES.get(self.kind, self.kind)}"), sanitize=False)
                self.name = ui.label().classes("badge")
            self.place = ui.element("div").classes("side")
            self.verdict = ui.label().classes("strong").props('aria-live="polite"').mark("verdict")
            with ui.element("div").classes("flow no-print"):
                shell.button("Check", self._check, kind="main").mark("check")
                shell.button("Another one", self._another, kind="plain")
                self.steps = ui.link("Step through this search", "/search").classes("small").mark("steps")
        await self._fill()
        self._remember(seed=str(self.seed))
        if self.query.get("checked"):
            await self._check()

    def _remember(self, **said: str) -> None:
        """Writes the exercise and the answers into the address."""
        self.client.run_javascript(f"Workbench.put({json.dumps(said)})")

    async def _fill(self) -> None:
        self.exercise = await asyncio.to_thread(exercise, self.kind, self.seed)
        self.name.text = f"number {self.seed}"
        self.verdict.text = ""
        self.steps.set_visibility(False)
        self.place.clear()
        self.fields.clear()
        self.notes.clear()
        words, _, drawn = self.exercise.text.partition("\n\n")
        with self.place:
            ui.label(words)
            ui.html(f"<pre>{markup.escape(drawn)}</pre>", sanitize=False).classes("scroll drawn")
            with ui.element("div").classes("questions"):
                for question in self.exercise.questions:
                    with ui.element("div").classes("question"):
                        ui.label(question.prompt).classes("small")
                        key = f"answer-{question.key}"
                        field = ui.input(value=self.query.get(key, "")[:LONGEST_ANSWER])
                        field.props(f"outlined dense maxlength={LONGEST_ANSWER}")
                        field.props["aria-label"] = question.prompt
                        field.on("keydown.enter", self._check)
                        field.on_value_change(
                            lambda event, key=key: self._remember(**{key: str(event.value or "")})
                        )
                        self.fields[question.key] = field.mark(f"answer-{question.key}")
                        self.notes[question.key] = ui.label().classes("small")

    async def _check(self) -> None:
        if self.exercise is None:
            return
        answers = {key: str(field.value or "")[:LONGEST_ANSWER] for key, field in self.fields.items()}
        graded: Grade = grade(self.exercise, answers)
        for mark in graded.marks:
            note = self.notes[mark.key]
            note.text = "✓ right" if mark.right else f"✗ {mark.note}"
            note.classes(replace=f"small {'right' if mark.right else 'wrong'}")
        self._remember(checked="1")
        self._offer_steps(all(answer.strip() for answer in answers.values()))
        total = len(graded.marks)
        self.verdict.text = "All right!" if graded.passed else f"{graded.right} of {total} right."
        if graded.passed:
            key = json.dumps(f"solved {self.kind}")
            self.client.run_javascript(
                f"const kept = Workbench.kept({json.dumps(KEPT)})[{key}] ?? [];"
                f"if (!kept.includes({self.seed})) kept.push({self.seed});"
                f"Workbench.keep({json.dumps(KEPT)}, {key}, kept.slice(-200));"
            )

    def _offer_steps(self, tried: bool) -> None:
        """A link to the search of the exercise, once every question has been *tried*: it shows the answers."""
        algorithm = STEPPED.get(self.kind)
        if tried and algorithm is not None and self.exercise is not None:
            tree = json.dumps(self.exercise.tree, separators=(",", ":"))
            shell.lead(self.steps, address("/search", {**Subject(tree).query(), "a": algorithm}))
            self.steps.set_visibility(True)

    async def _another(self) -> None:
        answers = {f"answer-{key}": "" for key in self.fields}
        self.seed = Random(self.seed).randrange(1, LARGEST_SEED)
        self.query = {}
        await self._fill()
        self._remember(seed=str(self.seed), checked="", **answers)
