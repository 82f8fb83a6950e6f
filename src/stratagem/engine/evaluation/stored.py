"""An evaluation as JSON, so that what was learned about a game can be kept on disk and used again."""

from __future__ import annotations

from dataclasses import asdict
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import numpy as np

from stratagem.engine.evaluation.features import AnyFeature, Feature, Lines, Moves
from stratagem.engine.evaluation.goal_lines import Line
from stratagem.engine.evaluation.model import Accuracy, Evaluation

if TYPE_CHECKING:
    from stratagem.gdl_game import GdlGame

ARRAYS = ("early", "late", "progress")


def evaluation_json(evaluation: Evaluation) -> dict[str, Any]:
    """*evaluation* as `read_evaluation` takes it. Lines are written once for each set, not once for each length held."""
    sets: dict[tuple[Line, ...], int] = {}
    return {
        "bases": _digest(evaluation.game),
        "features": [_feature_json(feature, sets) for feature in evaluation.features],
        "lines": [[[line.role, line.needed, line.barred] for line in lines] for lines in sets],
        **{name: getattr(evaluation, name).tolist() for name in ARRAYS},
        "accuracy": [asdict(one) for one in evaluation.accuracy],
        "states": evaluation.states,
        "matches": evaluation.matches,
    }


def read_evaluation(game: GdlGame, said: dict[str, Any]) -> Evaluation | None:
    """The evaluation for *game* in *said*; None where that is of other propositions or not as it was written."""
    try:
        if said["bases"] != _digest(game):
            return None
        sets = [
            tuple(Line(role, tuple(needed), tuple(barred)) for role, needed, barred in lines)
            for lines in said["lines"]
        ]
        arrays = {name: np.array(said[name], np.float64) for name in ARRAYS}
        found = Evaluation(
            game,
            tuple(_feature(one, sets) for one in said["features"]),
            accuracy=tuple(Accuracy(**one) for one in said["accuracy"]),
            states=int(said["states"]),
            matches=int(said["matches"]),
            **arrays,
        )
    except (KeyError, TypeError, ValueError, IndexError):
        return None
    return found if _fits(found) else None


def _fits(found: Evaluation) -> bool:
    """Whether the arrays have the sizes that the game and the features ask for, and the features name propositions."""
    shape = (len(found.game.roles), len(found.features) + 1)
    bases, words = len(found.game.circuit.bases), found.game.compiled.words
    named = [base for feature in found.features if isinstance(feature, Feature) for base in feature.bases]
    for feature in found.features:
        if isinstance(feature, Lines):
            named += [base for line in feature.lines for base in (*line.needed, *line.barred)]
    return (
        found.early.shape == found.late.shape == shape
        and found.progress.shape == (64 * words + 1,)
        and all(np.isfinite(getattr(found, name)).all() for name in ARRAYS)
        and all(0 <= base < bases for base in named)
        and all(_amounts_fit(feature) for feature in found.features)
        and len(found.accuracy) == len(found.game.roles)
    )


def _amounts_fit(feature: AnyFeature) -> bool:
    """Whether a feature has no amounts, or a finite one for each of its propositions."""
    if not isinstance(feature, Feature) or not feature.amounts:
        return True
    return len(feature.amounts) == len(feature.bases) and bool(np.isfinite(feature.amounts).all())


def _digest(game: GdlGame) -> str:
    """What the bits of a packed state stand for."""
    return sha256("\n".join(map(str, game.circuit.bases)).encode()).hexdigest()


def _feature_json(feature: AnyFeature, sets: dict[tuple[Line, ...], int]) -> list[Any]:
    if isinstance(feature, Feature):
        return ["bases", feature.name, feature.bases, feature.amounts]
    if isinstance(feature, Lines):
        return ["lines", feature.name, sets.setdefault(feature.lines, len(sets)), feature.held]
    return ["moves", feature.name, feature.role]


def _feature(said: list[Any], sets: list[tuple[Line, ...]]) -> AnyFeature:
    kind, name, *rest = said
    if kind == "bases":
        return Feature(name, tuple(rest[0]), tuple(map(float, rest[1])))
    if kind == "lines":
        return Lines(name, sets[rest[0]], rest[1])
    return Moves(name, rest[0])
