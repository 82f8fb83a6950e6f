"""Sheets that could not be ground, remembered: the second time the answer comes at once.

A refusal is kept with the budget that was not enough; a larger one tries again. What depends on the day (no process to
be had, a machine so busy that the clock ran out) is not kept.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields

from stratagem.circuit.store import Store
from stratagem.errors import GroundingError
from stratagem.ground.budget import Budget

KIND = "refusal"


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a sheet could not be ground; *lasting* where another try within the same budget ends in the same way."""

    message: str
    hint: str
    lasting: bool = True

    def error(self) -> GroundingError:
        return GroundingError(self.message, hint=self.hint)


def remember(store: Store, key: str, refusal: Refusal, budget: Budget) -> None:
    """Keeps a *refusal* within *budget* for the next time."""
    if refusal.lasting:
        said = {"message": refusal.message, "hint": refusal.hint, "budget": asdict(budget)}
        store.write(key, json.dumps(said).encode(), kind=KIND)


def remembered(store: Store, key: str, budget: Budget) -> Refusal | None:
    """The refusal kept under *key*, unless *budget* is larger in any way than the one that was not enough."""
    content = store.read(key, kind=KIND)
    if content is None:
        return None
    try:
        said = json.loads(content)
        spent = Budget(**said["budget"])
        refusal = Refusal(str(said["message"]), str(said["hint"]))
    except (ValueError, KeyError, TypeError):
        return None
    larger = any(getattr(budget, field.name) > getattr(spent, field.name) for field in fields(Budget))
    return None if larger else refusal
