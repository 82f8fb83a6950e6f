"""An exercise on a page: the questions, the grade of each answer with its reason, and the next one."""

from __future__ import annotations

import asyncio
import json
from random import Random
from typing import Final

from nicegui import ui

from stratagem.learn.exercise import Exercise, Grade, grade
from stratagem.learn.kinds import exercise
from stratagem.web import markup, shell

KEPT: Final = "course"
LARGEST_SEED: Final = 999_999
LONGEST_ANSWER: Final = 500
TITLES: Final = {"minimax": "Minimax", "alpha-beta": "Alpha-beta", "sss": "SSS*", "blind": "Blind search"}


class ExerciseCard:
    """One exercise after the other, each by its seed, so that it can be found again."""

    def __init__(self, kind: str, seed: int | None) -> None:
        self.client = ui.context.client
        self.kind = kind
        self.seed = Random().randrange(1, 1_000) if seed is None else max(0, min(seed, LARGEST_SEED))
        self.exercise: Exercise | None = None
        self.fields: dict[str, ui.input] = {}
        self.notes: dict[str, ui.label] = {}

    async def build(self) -> None:
        """Makes the card with the first exercise."""
        with ui.element("section").classes("card exercise").mark(f"exercise-{self.kind}"):
            with ui.element("div").classes("flow between"):
                ui.html(markup.heading(f"Exercise: {TITLES.get(self.kind, self.kind)}"), sanitize=False)
                self.name = ui.label().classes("badge")
            self.place = ui.element("div").classes("side")
            self.verdict = ui.label().classes("strong").props('aria-live="polite"').mark("verdict")
            with ui.element("div").classes("flow no-print"):
                shell.button("Check", self._check, kind="main").mark("check")
                shell.button("Another one", self._another, kind="plain")
        await self._fill()

    async def _fill(self) -> None:
        self.exercise = await asyncio.to_thread(exercise, self.kind, self.seed)
        self.name.text = f"number {self.seed}"
        self.verdict.text = ""
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
                        field = ui.input().props(
                            f'outlined dense maxlength=500 aria-label="{markup.attribute(question.prompt)}"'
                        )
                        field.on("keydown.enter", self._check)
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
        total = len(graded.marks)
        self.verdict.text = "All right!" if graded.passed else f"{graded.right} of {total} right."
        if graded.passed:
            key = json.dumps(f"solved {self.kind}")
            self.client.run_javascript(
                f"const kept = Workbench.kept({json.dumps(KEPT)})[{key}] ?? [];"
                f"if (!kept.includes({self.seed})) kept.push({self.seed});"
                f"Workbench.keep({json.dumps(KEPT)}, {key}, kept.slice(-200));"
            )

    async def _another(self) -> None:
        self.seed = Random(self.seed).randrange(1, LARGEST_SEED)
        await self._fill()
        self.client.run_javascript(
            f"const here = new URL(location.href); here.searchParams.set('seed', '{self.seed}');"
            "history.replaceState(history.state, '', here);"
        )
