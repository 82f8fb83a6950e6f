"""Stratagem plays, solves and explains any game you can write down.

>>> import stratagem as st
>>> game = st.load("tictactoe")
>>> game.roles
('xplayer', 'oplayer')
>>> state = game.initial().play("(mark 2 2)")
>>> state.legals("oplayer")[:2]
((mark 1 1), (mark 1 2))

What is listed here, and in `stratagem.search`, `stratagem.engine`, `stratagem.play`, `stratagem.trace`,
`stratagem.exercises`, `stratagem.adapters`, `stratagem.cluster` and `stratagem.errors`, is the public interface; every other module is internal. Everything is
imported when it is first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from stratagem.lazy import lazy_names

__version__ = "0.1.0"

if TYPE_CHECKING:
    from stratagem import adapters as adapters
    from stratagem import cluster as cluster
    from stratagem import engine as engine
    from stratagem import errors as errors
    from stratagem import exercises as exercises
    from stratagem import play as play
    from stratagem import search as search
    from stratagem import trace as trace
    from stratagem.engine.judge import judge as judge
    from stratagem.engine.solve import solve as solve
    from stratagem.engine.space.count import count_states as count_states
    from stratagem.engine.space.database import Database as Database
    from stratagem.engine.verdict import Ruling as Ruling
    from stratagem.engine.verdict import Verdict as Verdict
    from stratagem.errors import StratagemError as StratagemError
    from stratagem.explanation import Explanation as Explanation
    from stratagem.explanation import explain as explain
    from stratagem.game import Game as Game
    from stratagem.gdl.findings import Finding as Finding
    from stratagem.gdl.terms import Term as Term
    from stratagem.gdl_game import GdlGame as GdlGame
    from stratagem.gdl_game import State as State
    from stratagem.limit import UNLIMITED as UNLIMITED
    from stratagem.limit import Limit as Limit
    from stratagem.loading import check as check
    from stratagem.loading import load as load
    from stratagem.machines import trees as trees
    from stratagem.machines.backward_game import BackwardGame as BackwardGame
    from stratagem.machines.trees.tree import Tree as Tree
    from stratagem.notebook import display as display
    from stratagem.result import Counters as Counters
    from stratagem.result import Interval as Interval
    from stratagem.result import MoveStatistics as MoveStatistics
    from stratagem.result import Result as Result
    from stratagem.sheets.catalogue import GameInfo as GameInfo
    from stratagem.sheets.catalogue import games as games
    from stratagem.simulation.batch import Batch as Batch
    from stratagem.simulation.encoding import Encoding as Encoding

_HOMES = {
    "BackwardGame": "stratagem.machines.backward_game",
    "Batch": "stratagem.simulation.batch",
    "Counters": "stratagem.result",
    "Database": "stratagem.engine.space.database",
    "Encoding": "stratagem.simulation.encoding",
    "Explanation": "stratagem.explanation",
    "Finding": "stratagem.gdl.findings",
    "Game": "stratagem.game",
    "GameInfo": "stratagem.sheets.catalogue",
    "GdlGame": "stratagem.gdl_game",
    "Interval": "stratagem.result",
    "Limit": "stratagem.limit",
    "MoveStatistics": "stratagem.result",
    "Result": "stratagem.result",
    "Ruling": "stratagem.engine.verdict",
    "State": "stratagem.gdl_game",
    "StratagemError": "stratagem.errors",
    "Term": "stratagem.gdl.terms",
    "Tree": "stratagem.machines.trees.tree",
    "UNLIMITED": "stratagem.limit",
    "Verdict": "stratagem.engine.verdict",
    "check": "stratagem.loading",
    "count_states": "stratagem.engine.space.count",
    "display": "stratagem.notebook",
    "explain": "stratagem.explanation",
    "games": "stratagem.sheets.catalogue",
    "judge": "stratagem.engine.judge",
    "load": "stratagem.loading",
    "trees": "stratagem.machines",
    "solve": "stratagem.engine.solve",
}
_MODULES = ("adapters", "cluster", "engine", "errors", "exercises", "play", "search", "trace")

_names, __getattr__, __dir__ = lazy_names(__name__, _HOMES, _MODULES)
__all__ = [*_names, "__version__"]
