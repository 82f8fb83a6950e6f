"""Perfect play from disk: a database or a certificate of the rules, where there is one, chooses before any search.

`WithPerfectPlay` stands before a player. Files are found through the index that `solve --database` and `solve --certificate` write
(`engine/solved_files.py`); one that is gone, damaged or of other rules is passed over. A position that no file has is left to the player.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from stratagem.engine.solved_files import noted_files, same_rules
from stratagem.errors import StratagemError, UsageError
from stratagem.gdl_game import GdlGame, State
from stratagem.play.choice import Choice, Offer, Thought
from stratagem.play.clock import Deadline
from stratagem.play.interface import Player
from stratagem.play.match_state import Match
from stratagem.play.players.preparation import Preparation

if TYPE_CHECKING:
    from stratagem.engine.proof.certificate import Certificate
    from stratagem.engine.space.database import Database

OPENING_SHARE = 0.25
"""Of a clock, at most: how long files may take to be opened before the player has the rest."""


class SolvedPositions(Protocol):
    """A source of moves that are known to be best, or to keep what is proved."""

    def covers(self, match: Match) -> bool:
        """Whether it has a move for our role wherever it has a choice from here on, so that nothing need be prepared."""

    def choice(self, match: Match, name: str) -> Choice | None:
        """The move in the position of *match* for the player *name*; None where nothing is known of it."""


@dataclass(frozen=True, slots=True)
class DatabaseMoves:
    """The best moves of a database."""

    database: Database

    def covers(self, match: Match) -> bool:
        database, state = self.database, match.state
        return (
            len(state.choosing) <= 1
            and database.find(database.game.state_of(state.facts()).packed) is not None
        )

    def choice(self, match: Match, name: str) -> Choice | None:
        database = self.database
        try:
            found = database[database.game.state_of(match.state.facts())]
        except UsageError:
            return None
        ranked, spell = found.moves.get(match.role, ()), match.rules.spell
        best = next((move for move in match.legals() if ranked and move == ranked[0].move), None)
        if best is None:
            return None
        thought = Thought(
            name,
            f"from {database.path.name}, a database of {len(database):,} states",
            value=ranked[0].value,
            depth=found.distance or 0,
            nodes=len(database),
            line=(spell(best),),
            values=tuple((spell(each.move), float(each.value)) for each in ranked),
            solved=found.proved,
        )
        return Choice(best, thought, final=True)


@dataclass(frozen=True, slots=True)
class CertificateMoves:
    """The moves of the strategies in a certificate, by role and by the name of the state; *path* is its file."""

    path: Path
    moves: Mapping[str, Mapping[str, str]]

    def covers(self, match: Match) -> bool:
        return match.turn == 0 and bool(self.moves.get(match.role))

    def choice(self, match: Match, name: str) -> Choice | None:
        from stratagem.engine.proof.certificate import name_of

        text = self.moves.get(match.role, {}).get(name_of(match.state.facts()))
        move = next((move for move in match.legals() if text is not None and str(move) == text), None)
        if move is None:
            return None
        why = f"from {self.path.name}, a certificate: the move keeps the proved value"
        return Choice(move, Thought(name, why, line=(match.rules.spell(move),)), final=True)


def certificate_moves(path: Path, certificate: Certificate, state: State) -> CertificateMoves:
    """The moves of *certificate*, whose claims begin in *state*: of each role's strategy, and of a puzzle's solution."""
    from stratagem.engine.proof.certificate import name_of

    found: dict[str, dict[str, str]] = {role: {} for role in state.game.roles}
    for claim in certificate.data["claims"]:
        others = [role for role in found if role != claim["role"]]
        own = found[claim["role"] if "at_least" in claim else others[0]]
        own.update(claim.get("strategy", {}))
        for text in claim.get("solution", ()):
            own[name_of(state.facts())] = text
            state = state.play(text)
    return CertificateMoves(path, found)


def opened(rules: GdlGame, path: Path) -> SolvedPositions:
    """What the file at *path* knows of *rules*; a `StratagemError` where it is neither, damaged or of other rules."""
    from stratagem.engine.proof.certificate import Certificate
    from stratagem.engine.space.database import Database
    from stratagem.engine.space.database_part import MAGIC

    with path.open("rb") as file:
        is_database = file.read(len(MAGIC)) == MAGIC
    if is_database:
        database = Database(path)
        require_rules(path, database.game, rules)
        return DatabaseMoves(database)
    certificate = Certificate.read(path)
    start = certificate.start
    require_rules(path, start.game, rules)
    return certificate_moves(path, certificate, start)


def require_rules(path: Path, found: GdlGame, wanted: GdlGame) -> None:
    """Refuses a file that is not of the *wanted* rules."""
    if not same_rules(found, wanted):
        raise UsageError(f"{path} was made for other rules", hint="solve the current rules")


def solved_positions(rules: GdlGame) -> list[SolvedPositions]:
    """What the files on disk know of *rules*, databases first."""
    found: list[SolvedPositions] = []
    for path in noted_files(rules) if rules.compilable else []:
        try:
            found.append(opened(rules, path))
        except (StratagemError, OSError, KeyError, IndexError, TypeError, ValueError, AttributeError):
            continue  # damaged, of another version, or of other rules by now
    return sorted(found, key=lambda one: not isinstance(one, DatabaseMoves))


class WithPerfectPlay(Player):
    """Plays what is solved on disk, and leaves the rest to *player*."""

    def __init__(self, player: Player) -> None:
        self.player = player
        self.name = player.name
        self.remember = player.remember
        self._opened: tuple[GdlGame, Preparation[list[SolvedPositions]]] | None = None

    def preview(self, rules: GdlGame, clock: Deadline) -> None:
        self.player.preview(rules, clock)

    def start(self, match: Match, clock: Deadline) -> None:
        if not any(one.covers(match) for one in self._files(match, clock.sooner(OPENING_SHARE))):
            self.player.start(match, clock)

    def play(self, match: Match, clock: Deadline, offer: Offer) -> Choice:
        files = self._files(match, clock.sooner(OPENING_SHARE))
        found = (one.choice(match, self.name) for one in files if not match.over)
        known = next((choice for choice in found if choice is not None), None)
        return self.player.play(match, clock, offer) if known is None else known

    def ponder(self, match: Match, clock: Deadline) -> None:
        if match.over or not any(
            one.covers(match) for one in self._files(match, clock.sooner(OPENING_SHARE))
        ):
            self.player.ponder(match, clock)

    def stop(self, match: Match) -> None:
        self._opened = None
        self.player.stop(match)

    def _files(self, match: Match, clock: Deadline) -> Sequence[SolvedPositions]:
        """What is on disk about the rules of *match*, if it is open before the clock is over."""
        if self._opened is None or self._opened[0] is not match.rules:
            rules = match.rules
            self._opened = rules, Preparation(lambda: solved_positions(rules))
        return self._opened[1].wait(clock) or ()
