"""Circuits and refusals on disk: a sheet is compiled once, and one that could not be ground is refused at once.

Entries are named by the rules and by the source of everything that turns rules into circuits. A refusal is kept with the
budget that was not enough and with the limits that the system could set: a larger budget or other limits try again. What
depends on the day (no process to be had, a machine so busy that the clock or the memory ran out) is not kept.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields

from stratagem.cache import Cache, entry_name, source_digest, user_cache
from stratagem.circuit.compiler.budget import CompileBudget
from stratagem.errors import GroundingError
from stratagem.platform import ProcessLimits, possible_limits

CIRCUIT = "circuit"
REFUSAL = "refusal"


def user_store(environment: Mapping[str, str] = os.environ) -> Cache:
    """The part of the user's cache that holds circuits and refusals."""
    return user_cache(environment).part("circuits")


def name_of(text: str, kind: str = CIRCUIT) -> str:
    """The name of the entry for the rules in canonical *text*."""
    return entry_name(kind, source_digest("gdl", "ground", "circuit"), text)


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a sheet could not be ground; *lasting* where another try within the same budget ends in the same way."""

    message: str
    hint: str
    lasting: bool = True

    def error(self) -> GroundingError:
        return GroundingError(self.message, hint=self.hint)


def write_refusal(store: Cache, text: str, refusal: Refusal, budget: CompileBudget) -> None:
    """Keeps a *refusal* within *budget* for the next time, if it is lasting."""
    if refusal.lasting:
        said = {
            "message": refusal.message,
            "hint": refusal.hint,
            "budget": asdict(budget),
            "limits": asdict(_limits(budget)),
        }
        store.write(name_of(text, REFUSAL), json.dumps(said).encode())


def read_refusal(store: Cache, text: str, budget: CompileBudget) -> Refusal | None:
    """The refusal of the rules in *text*, unless *budget* is larger in any way than the one that was not enough.

    Nor where the system limits something now that it could not limit then, or the other way round.
    """
    content = store.read(name_of(text, REFUSAL))
    if content is None:
        return None
    try:
        said = json.loads(content)
        spent = CompileBudget(**said["budget"])
        held = ProcessLimits(**said["limits"])
        refusal = Refusal(str(said["message"]), str(said["hint"]))
        changed = _looser(_limits(budget), held)
    except (ValueError, KeyError, TypeError):
        return None
    larger = any(getattr(budget, field.name) > getattr(spent, field.name) for field in fields(CompileBudget))
    return None if larger or changed else refusal


def _limits(budget: CompileBudget) -> ProcessLimits:
    return possible_limits(budget.memory, budget.seconds)


def _looser(now: ProcessLimits, then: ProcessLimits) -> bool:
    """Whether *now* leaves more room than *then*, or is a limit of another kind."""
    for ours, theirs in ((now.memory, then.memory), (now.cpu_seconds, then.cpu_seconds)):
        if (ours is None) != (theirs is None) or (ours is not None and theirs is not None and ours > theirs):
            return True
    return False
