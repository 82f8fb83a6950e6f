"""Local play: players, matches and tournaments in this process, and the records of matches.

The names listed here are public; the modules below are internal.

>>> import stratagem as st
>>> record = st.play.match(st.load("tictactoe"), ["legal", st.play.player("random", seed=1)], clock=0.1)
>>> record.status
'completed'
"""

from typing import TYPE_CHECKING

from stratagem.lazy import lazy_names

if TYPE_CHECKING:
    from stratagem.play.choice import Choice as Choice
    from stratagem.play.choice import Offer as Offer
    from stratagem.play.choice import Thought as Thought
    from stratagem.play.clock import Deadline as Deadline
    from stratagem.play.interface import Player as Player
    from stratagem.play.local import Standings as Standings
    from stratagem.play.local import match as match
    from stratagem.play.local import player as player
    from stratagem.play.local import tournament as tournament
    from stratagem.play.match_state import Match as Match
    from stratagem.play.players import player_names as player_names
    from stratagem.play.records.record import MatchRecord as MatchRecord
    from stratagem.play.tournaments.ratings import Rating as Rating
    from stratagem.play.tournaments.results import MatchResult as MatchResult

_HOMES = {
    "Choice": "stratagem.play.choice",
    "Deadline": "stratagem.play.clock",
    "Match": "stratagem.play.match_state",
    "MatchRecord": "stratagem.play.records.record",
    "MatchResult": "stratagem.play.tournaments.results",
    "Offer": "stratagem.play.choice",
    "Player": "stratagem.play.interface",
    "Rating": "stratagem.play.tournaments.ratings",
    "Standings": "stratagem.play.local",
    "Thought": "stratagem.play.choice",
    "match": "stratagem.play.local",
    "player": "stratagem.play.local",
    "player_names": "stratagem.play.players",
    "tournament": "stratagem.play.local",
}
__all__, __getattr__, __dir__ = lazy_names(__name__, _HOMES)
