"""The same ideas as in `search/`, at full speed on compiled games: solving, MCTS, alpha-beta, databases, evaluations.

The names listed here are public; the modules below are internal.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from stratagem.lazy import lazy_names

if TYPE_CHECKING:
    from stratagem.engine.alpha_beta.search import AlphaBeta as AlphaBeta
    from stratagem.engine.evaluation.learning import learn_evaluation as learn_evaluation
    from stratagem.engine.evaluation.model import Evaluation as Evaluation
    from stratagem.engine.heuristics.by_name import estimate as estimate
    from stratagem.engine.heuristics.pattern_database import pattern_database as pattern_database
    from stratagem.engine.heuristics.relaxation import relaxation as relaxation
    from stratagem.engine.mcts.search import Mcts as Mcts
    from stratagem.engine.space.count import count_states as count_states
    from stratagem.engine.space.database import Database as Database
    from stratagem.engine.verdict import Ruling as Ruling
    from stratagem.engine.verdict import Verdict as Verdict

_HOMES = {
    "AlphaBeta": "stratagem.engine.alpha_beta.search",
    "Database": "stratagem.engine.space.database",
    "Evaluation": "stratagem.engine.evaluation.model",
    "Mcts": "stratagem.engine.mcts.search",
    "Ruling": "stratagem.engine.verdict",
    "Verdict": "stratagem.engine.verdict",
    "count_states": "stratagem.engine.space.count",
    "estimate": "stratagem.engine.heuristics.by_name",
    "learn_evaluation": "stratagem.engine.evaluation.learning",
    "pattern_database": "stratagem.engine.heuristics.pattern_database",
    "relaxation": "stratagem.engine.heuristics.relaxation",
}

__all__, __getattr__, __dir__ = lazy_names(__name__, _HOMES)
