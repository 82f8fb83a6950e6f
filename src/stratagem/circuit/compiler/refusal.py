"""Sheets that could not be ground, remembered: the second time the answer comes at once.

A refusal is kept with the budget that was not enough and with the limits that the system could set: a larger budget or
other limits try again. What depends on the day (no process to be had, a machine so busy that the clock or the memory ran
out) is not kept.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields

from stratagem.circuit.compiler.store import Store
from stratagem.errors import GroundingError
from stratagem.ground.budget import Budget
from stratagem.platform import ProcessLimits, possible_limits

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
        said = {
            "message": refusal.message,
            "hint": refusal.hint,
            "budget": asdict(budget),
            "limits": asdict(_limits(budget)),
        }
        store.write(key, json.dumps(said).encode(), kind=KIND)


def remembered(store: Store, key: str, budget: Budget) -> Refusal | None:
    """The refusal kept under *key*, unless *budget* is larger in any way than the one that was not enough.

    Nor where the system limits something now that it could not limit then, or the other way round.
    """
    content = store.read(key, kind=KIND)
    if content is None:
        return None
    try:
        said = json.loads(content)
        spent = Budget(**said["budget"])
        held = ProcessLimits(**said["limits"])
        refusal = Refusal(str(said["message"]), str(said["hint"]))
        changed = _looser(_limits(budget), held)
    except (ValueError, KeyError, TypeError):
        return None
    larger = any(getattr(budget, field.name) > getattr(spent, field.name) for field in fields(Budget))
    return None if larger or changed else refusal


def _limits(budget: Budget) -> ProcessLimits:
    return possible_limits(budget.memory, budget.seconds)


def _looser(now: ProcessLimits, then: ProcessLimits) -> bool:
    """Whether *now* leaves more room than *then*, or is a limit of another kind."""
    for ours, theirs in ((now.memory, then.memory), (now.cpu_seconds, then.cpu_seconds)):
        if (ours is None) != (theirs is None) or (ours is not None and theirs is not None and ours > theirs):
            return True
    return False
