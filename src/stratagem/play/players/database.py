"""The database player: perfect moves, from a database file or from all states, worked out in the start clock.

Without a file all reachable states are found, then values by backward induction (`engine.space.retrograde`): what our
role can force against all others, and in how many moves. Of wins the quickest is played, of losses the one that takes longest. Games that do not fit into the
clock or the memory, and those in which several move at once, are left to `stratagem`.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from stratagem.engine.solved_files import same_rules
from stratagem.errors import StratagemError
from stratagem.play.choice import Choice, Offer, Thought
from stratagem.play.clock import Deadline
from stratagem.play.interface import Player
from stratagem.play.match_state import Match
from stratagem.play.players.perfect_play import DatabaseMoves
from stratagem.play.players.preparation import Preparation
from stratagem.play.players.stratagem import Stratagem
from stratagem.play.process.memory_share import fair_share

if TYPE_CHECKING:
    from stratagem.engine.space.explore import Space
    from stratagem.engine.space.retrograde import Values
    from stratagem.gdl_game import GdlGame

MEMORY = 2 << 30
PREPARATION_SHARE = 0.5
"""The share of a move's time in which the database may be finished; after that `stratagem` has the rest."""


class DatabasePlayer(Player):
    """Perfect play where the whole game can be worked out, or is in *file*."""

    name = "database"

    def __init__(
        self, *, seed: int | None = None, threads: int | None = None, file: str | None = None
    ) -> None:
        from stratagem.engine.space.database import Database

        self.database = None if file is None else Database(file)
        self.fallback = Stratagem(seed=seed, threads=threads)
        self.prepared: tuple[GdlGame, int, Preparation[tuple[Space, Values]]] | None = None
        self.given_up = threading.Event()

    def start(self, match: Match, clock: Deadline) -> None:
        self.fallback.remember = self.remember
        if not self._in_file(match) and self._known(match, clock) is None:
            self.fallback.start(match, clock)

    def play(self, match: Match, clock: Deadline, offer: Offer) -> Choice:
        legal = match.legals()
        if len(legal) == 1:
            return Choice(legal[0], Thought(self.name, "the only legal move"), final=True)
        read = self._read(match)
        if read is not None:
            return read
        known = self._known(match, clock.sooner(PREPARATION_SHARE))
        choice = None if known is None else self._chosen(match, *known)
        return self.fallback.play(match, clock, offer) if choice is None else choice

    def ponder(self, match: Match, clock: Deadline) -> None:
        if not self._in_file(match) and self._known(match, clock) is None:
            self.fallback.ponder(match, clock)

    def stop(self, match: Match) -> None:
        self.prepared = None
        self.given_up.set()
        self.fallback.stop(match)

    def _in_file(self, match: Match) -> bool:
        """Whether the database file is of the rules of *match*, whatever their layout."""
        return self.database is not None and same_rules(self.database.game, match.rules)

    def _read(self, match: Match) -> Choice | None:
        """The best move by the database file; None where it does not have the position, or several roles choose."""
        if self.database is None or not self._in_file(match):
            return None
        return DatabaseMoves(self.database).choice(match, self.name)

    def _known(self, match: Match, clock: Deadline) -> tuple[Space, Values] | None:
        """All states of the rules of *match* and what they are worth to its role, if that is ready in time."""
        rules, seat = match.rules, match.seat
        if not rules.compilable:
            return None
        if self.prepared is None or self.prepared[0] is not rules or self.prepared[1] != seat:
            given_up = self.given_up = threading.Event()

            def make() -> tuple[Space, Values]:
                from stratagem.engine.space.explore import SpaceTooLarge, explore
                from stratagem.engine.space.retrograde import solve_zero_sum

                try:
                    space = explore(rules.compiled, memory=fair_share(MEMORY), stop=given_up.is_set)
                except SpaceTooLarge as large:
                    raise StratagemError(
                        f"more than {large.states:,} states do not fit into memory"
                    ) from large
                return space, solve_zero_sum(space, maximiser=seat)

            self.prepared = rules, seat, Preparation(make)
        return self.prepared[2].wait(clock)

    def _chosen(self, match: Match, space: Space, values: Values) -> Choice | None:
        """The best move for our role by what its children are worth; None in a state that the database lacks."""
        rules, seat = match.rules, match.seat
        number = int(space.known.find(match.state.packed.copy()[None])[0])
        if number < 0:
            return None
        ranked = []
        for edge in range(int(space.offsets[number]), int(space.offsets[number + 1])):
            child = int(space.children[edge])
            worth, distance = int(values.low[child]), int(values.distance[child])
            hurry = -distance if 2 * worth > 100 else distance
            ranked.append((worth, hurry, -edge, rules.circuit.moves[seat][int(space.moves[edge, seat])]))
        ranked.sort(key=lambda one: one[:3], reverse=True)
        best = ranked[0]
        thought = Thought(
            self.name,
            f"from the database of all {len(space):,} states",
            value=best[0],
            depth=max(0, int(values.distance[number])),
            nodes=len(space),
            line=(rules.spell(best[3]),),
            values=tuple((rules.spell(move), float(worth)) for worth, _, _, move in ranked),
            solved=bool(values.low[number] == values.high[number]),
        )
        return Choice(best[3], thought, final=True)
