"""The matches of the laboratory, one line of JSON each, so that a run that was ended goes on."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from threading import Lock

from stratagem.play.tournaments.statistics import (
    Decision,
    SequentialTest,
    elo_difference,
    wilson_interval,
)


@dataclass(frozen=True, slots=True)
class Pairing:
    """Two players in one game, and all that their matches depend on; *seconds* are of the processor, for each move."""

    game: str
    player: str
    opponent: str
    versions: tuple[str, str]
    seconds: float
    startclock: float
    opening: int


@dataclass(frozen=True, slots=True)
class Played:
    """A match of *pairing*: *score* is the player's, *used* the mean processor time per move of both."""

    pairing: Pairing
    number: int
    score: float
    turns: int
    used: tuple[float, float]
    errors: int = 0
    """Moves that were illegal."""


class Notebook:
    """All matches that were played, kept in *path* unless that is None; lines that say nothing are passed over."""

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self._lock = Lock()
        self._played: dict[tuple[Pairing, int], Played] = {}
        if path is not None and path.exists():
            for line in path.read_text("utf-8").splitlines():
                one = read(line)
                if one is not None:
                    self._played[one.pairing, one.number] = one

    def add(self, one: Played) -> None:
        """Keeps a match; several threads may call this."""
        with self._lock:
            self._played[one.pairing, one.number] = one
            if self.path is not None:
                with self.path.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(asdict(one)) + "\n")

    def of(self, pairing: Pairing) -> list[Played]:
        """The matches of *pairing* from number 0 on, up to the first that is missing."""
        found: list[Played] = []
        while (one := self._played.get((pairing, len(found)))) is not None:
            found.append(one)
        return found


def read(line: str) -> Played | None:
    """The match in a *line*; None where it was cut short or is of another format."""
    try:
        said = json.loads(line)
        pairing = Pairing(**{**said["pairing"], "versions": tuple(said["pairing"]["versions"])})
        return Played(**{**said, "pairing": pairing, "used": tuple(said["used"])})
    except (ValueError, TypeError, KeyError, AttributeError):
        return None


@dataclass(frozen=True, slots=True)
class Summary:
    """What the matches of one player against another show."""

    scores: tuple[float, ...]
    decision: Decision | None = None
    """None where matches of several tests are counted together."""

    @classmethod
    def of(cls, played: Iterable[Played], test: SequentialTest | None = None) -> Summary:
        scores = tuple(one.score for one in played)
        return cls(scores, None if test is None else test.verdict(scores))

    @property
    def counts(self) -> tuple[int, int, int]:
        """Won, drawn, lost."""
        won, lost = sum(score > 0.5 for score in self.scores), sum(score < 0.5 for score in self.scores)
        return won, len(self.scores) - won - lost, lost

    @property
    def words(self) -> str:
        """Shares in percent and Elo differences, each with its 95 % interval, and what the test says."""
        if not self.scores:
            return "no matches"
        won, drawn, lost = self.counts
        share = sum(self.scores) / len(self.scores)
        low, high = wilson_interval(sum(self.scores), len(self.scores))
        never = ", never lost" if lost == 0 and self.decision == "open" else ""
        elo = f"{_elo(share):>5} [{_elo(low)}, {_elo(high)}]"
        return (
            f"{won:>3} {drawn:>3} {lost:>3}  {100 * share:>3.0f} % [{100 * low:.0f}, {100 * high:.0f}]"
            f"  {elo:<20} {self.decision or ''}{never}"
        )


def _elo(share: float) -> str:
    return f"{elo_difference(share):+.0f}"


def mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0
