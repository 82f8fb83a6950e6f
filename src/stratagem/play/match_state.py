"""The state of a match: its rules, role and clocks, and the positions so far as nodes.

Both are values. `Match.after` and `Match.before` give another match, one joint move on or back, so that a match can
be kept, sent away, taken back and continued differently. A `MatchNode` is one position of a match with the way to it; the
trees that searches grow below it belong to the players (and, as in the lecture, to `stratagem.search.incremental`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from time import time
from typing import Final, TypeVar

from stratagem.errors import IllegalMove, UsageError
from stratagem.game import JointMove
from stratagem.gdl.terms import Term
from stratagem.gdl_game import GdlGame
from stratagem.plural import plural
from stratagem.state import State, some

RANDOM_ROLE: Final = "random"
"""The role that chance plays, by its name in GDL."""
Playing = TypeVar("Playing")
_serial = count(1)


@dataclass(frozen=True, slots=True, eq=False)
class MatchNode:
    """A position that a match has come to: *moves*, one for each role, led here from *parent*."""

    data: State
    parent: MatchNode | None = field(default=None, repr=False)
    moves: tuple[Term, ...] = ()
    turn: int = 0
    """How many joint moves have been made."""

    def way(self, most: int | None = None) -> list[MatchNode]:
        """The nodes from the root to this one, or the last *most* of them."""
        nodes: list[MatchNode] = []
        node: MatchNode | None = self
        while node is not None and len(nodes) != most:
            nodes.append(node)
            node = node.parent
        nodes.reverse()
        return nodes


@dataclass(frozen=True, slots=True, eq=False)
class Match:
    """One match as seen by the player of *role*.

    >>> from stratagem.loading import load
    >>> match = Match.of(load("tictactoe"), "xplayer", id="m1")
    >>> match = match.after(["(mark 2 2)", "noop"]).after(["noop", "(mark 1 1)"])
    >>> match.turn, match.history, match.legals("xplayer")[:2]
    (2, (((mark 2 2), 'noop'), ('noop', (mark 1 1))), ((mark 1 2), (mark 1 3)))
    >>> match.before(2).history
    ()
    """

    id: str
    role: str
    rules: GdlGame = field(repr=False)
    node: MatchNode = field(repr=False)
    startclock: float = 30
    playclock: float = 15

    @classmethod
    def of(
        cls,
        rules: GdlGame,
        role: str | None = None,
        *,
        id: str = "",
        startclock: float = 30,
        playclock: float = 15,
    ) -> Match:
        """A match that begins; *role* may be in any letter case, the first one unless given."""
        name = rules.roles[0] if role is None else rules.roles[rules.number(role)]
        return cls(id or new_id(), name, rules, MatchNode(rules.initial()), startclock, playclock)

    @property
    def roles(self) -> tuple[str, ...]:
        return self.rules.roles

    @property
    def seat(self) -> int:
        """The place of our role among the roles."""
        return self.roles.index(self.role)

    @property
    def state(self) -> State:
        return self.node.data

    @property
    def turn(self) -> int:
        return self.node.turn

    @property
    def history(self) -> tuple[tuple[Term, ...], ...]:
        """All joint moves so far, in order."""
        return tuple(node.moves for node in self.node.way()[1:])

    @property
    def over(self) -> bool:
        return self.state.terminal

    def legals(self, role: str | None = None) -> tuple[Term, ...]:
        """What *role*, ours unless given, may do now; nothing once the match is over."""
        return () if self.over else self.state.legals(self.role if role is None else role)

    def goals(self) -> tuple[int | None, ...]:
        return tuple(self.state.goal(role) for role in self.roles)

    def allows(self, joint: Sequence[Term]) -> bool:
        """Whether *joint* is legal now: one legal move for each role."""
        return (
            len(joint) == len(self.roles)
            and not self.over
            and all(move in self.state.legals(role) for role, move in zip(self.roles, joint, strict=True))
        )

    def after(self, joint: JointMove) -> Match:
        """The match one joint move on. An illegal move is refused: a match is a record that must hold."""
        moves = tuple(self.rules.move(move) for move in self.rules.in_role_order(joint))
        if self.over:
            raise IllegalMove("the match is over", hint="start another one")
        for role, move in zip(self.roles, moves, strict=True):
            legal = self.state.legals(role)
            if move not in legal:
                raise IllegalMove(f"{move} is not legal for {role} here", hint=f"legal: {some(legal)}")
        return self._at(MatchNode(self.state.next(moves), self.node, moves, self.turn + 1))

    def expecting(self, own: Term) -> Match:
        """The match after our move, where no other role has a choice; else the match as it is."""
        legals = [(own,) if role == self.role else self.legals(role) for role in self.roles]
        return self.after([moves[0] for moves in legals]) if all(len(one) == 1 for one in legals) else self

    def before(self, turns: int = 1) -> Match:
        """The match as it was that many joint moves ago."""
        node = self.node
        for _ in range(turns):
            if node.parent is None:
                raise UsageError(
                    f"the match has only {plural(self.turn, 'move')} to take back", hint="take back fewer"
                )
            node = node.parent
        return self._at(node)

    def by(self, rules: GdlGame) -> Match:
        """The same match on another machine for the same rules."""
        node: MatchNode | None = None
        for old in self.node.way():
            node = MatchNode(rules.state_of(old.data.facts()), node, old.moves, old.turn)
        assert node is not None
        return replace(self, rules=rules, node=node)

    def as_role(self, role: str) -> Match:
        """The same match as seen by the player of *role*."""
        return replace(self, role=self.roles[self.rules.number(role)])

    def _at(self, node: MatchNode) -> Match:
        return replace(self, node=node)


def new_id(prefix: str = "stratagem") -> str:
    """A name for a match that no other has: one word, as the protocol wants it."""
    return f"{prefix}.{int(time() * 1000):x}.{next(_serial)}"


def by_role(roles: Sequence[str], players: Sequence[Playing]) -> tuple[Playing | None, ...]:
    """A player for every role in order; None for the role ``random`` where no player is given for it.

    >>> by_role(("red", "random"), ["me"])
    ('me', None)
    """
    if len(players) == len(roles):
        return tuple(players)
    if len(players) == sum(role != RANDOM_ROLE for role in roles):
        waiting = iter(players)
        return tuple(None if role == RANDOM_ROLE else next(waiting) for role in roles)
    given = f"{len(players)} {'was' if len(players) == 1 else 'were'} given"
    raise UsageError(
        f"{plural(len(roles), 'player is', 'players are')} needed, for {', '.join(roles)}; {given}",
        hint="name one player for each role, in this order; `random` stands for chance",
    )
