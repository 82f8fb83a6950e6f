"""What players have learned about games, kept on disk for the next match by the same rules.

An entry of the cache is named by the rules and by the source of the searches: rules that differ in layout only share one,
and an entry that another version of the package wrote is not found. What cannot be read is passed over.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from stratagem.cache import Cache, entry_name, source_digest, user_cache
from stratagem.play.players.choosing.trial import TrialScore

if TYPE_CHECKING:
    from stratagem.engine.evaluation.model import Evaluation
    from stratagem.gdl_game import GdlGame

PART = "knowledge"
SOURCES = (
    "engine/evaluation",
    "engine/alpha_beta",
    "engine/mcts",
    "engine/playout_policy",
    "play/players/choosing/advice",
    "play/players/choosing/trial",
)
"""What entries depend on beside the rules."""


@dataclass(frozen=True, slots=True, eq=False)
class GameKnowledge:
    """What is known about a game: an evaluation, and how alpha-beta by it has done against MCTS."""

    evaluation: Evaluation
    score: TrialScore

    def merged(self, other: GameKnowledge | None) -> GameKnowledge:
        """The better of both: the evaluation and the score that come from more matches."""
        if other is None:
            return self
        evaluations, scores = (self.evaluation, other.evaluation), (self.score, other.score)
        return GameKnowledge(
            max(evaluations, key=lambda one: one.matches), max(scores, key=lambda one: one.matches)
        )


def recall(rules: GdlGame, cache: Cache | None = None) -> GameKnowledge | None:
    """What was kept about *rules*; None where there is nothing, or nothing that can be read."""
    from stratagem.engine.evaluation.stored import read_evaluation

    content = _part(cache).read(_name(rules)) if rules.compilable else None
    if content is None:
        return None
    try:
        said: dict[str, Any] = json.loads(content)
        evaluation = read_evaluation(rules, said["evaluation"])
        score = TrialScore(float(said["points"]), int(said["matches"]))
    except (ValueError, KeyError, TypeError):
        return None
    return None if evaluation is None or not score.possible else GameKnowledge(evaluation, score)


def keep(rules: GdlGame, knowledge: GameKnowledge, cache: Cache | None = None) -> None:
    """Keeps *knowledge* about *rules*, together with what is better in the entry that is there."""
    from stratagem.engine.evaluation.stored import evaluation_json

    known = knowledge.merged(recall(rules, cache))
    said = {
        "points": known.score.points,
        "matches": known.score.matches,
        "evaluation": evaluation_json(known.evaluation),
    }
    _part(cache).write(_name(rules), json.dumps(said).encode())


def _part(cache: Cache | None) -> Cache:
    return (user_cache() if cache is None else cache).part(PART)


def _name(rules: GdlGame) -> str:
    from stratagem.circuit.compiler.compile import canonical_text

    return entry_name("json", canonical_text(rules.sheet), source_digest(*SOURCES))
