"""Seats from outside: a contestant by name, the process that it plays in, and the player that stands for it in a match."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import tarfile
import tempfile
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from stratagem.cache import source_digest
from stratagem.errors import StratagemError, UsageError
from stratagem.gdl.text.printer import to_kif
from stratagem.play.choice import Choice, Offer, Thought
from stratagem.play.clock import Deadline
from stratagem.play.interface import Player
from stratagem.play.match_state import Match
from stratagem.play.players import is_player, player_names

ROOT = Path(__file__).resolve().parents[2]
SEAT = Path(__file__).with_name("seat.py")
YARDSTICK = "yardstick"
YARDSTICK_FILE = ROOT / "benchmarks" / "yardstick_uct.py"


@dataclass(frozen=True, slots=True)
class Contestant:
    """A player of one version of the package: *name* as the user wrote it, ``mcts`` or ``mcts@v1.0``."""

    name: str
    player: str
    source: Path
    """The folder with the package."""
    version: str
    """A hash that changes whenever the player may."""


class Releases:
    """Earlier revisions of the package, each exported once into a temporary folder that goes with this object."""

    def __init__(self, root: Path = ROOT) -> None:
        self.root = root
        self._folder = tempfile.TemporaryDirectory(prefix="stratagem-releases-")

    def __enter__(self) -> Releases:
        return self

    def __exit__(self, *reason: object) -> None:
        self._folder.cleanup()

    def contestant(self, name: str) -> Contestant:
        """The contestant called *name*: a player, of this working tree unless ``@REVISION`` follows."""
        player, _, revision = name.partition("@")
        if player != YARDSTICK and not is_player(player):
            raise UsageError(
                f"no player called {player!r}", hint=f"there are {YARDSTICK}, {', '.join(player_names())}"
            )
        if not revision:
            own = source_digest(".") + (YARDSTICK_FILE.read_bytes() if player == YARDSTICK else b"")
            return Contestant(name, player, self.root / "src", sha256(own).hexdigest()[:12])
        if player == YARDSTICK:
            raise UsageError("the yardstick is that of this working tree", hint="leave @REVISION out")
        commit = self._git("rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}").decode().strip()
        return Contestant(name, player, self._exported(commit), commit[:12])

    def _exported(self, commit: str) -> Path:
        folder = Path(self._folder.name) / commit
        if not folder.exists():
            with tarfile.open(
                fileobj=io.BytesIO(self._git("archive", "--format=tar", commit, "src"))
            ) as archive:
                archive.extractall(folder, filter="data")
        return folder / "src"

    def _git(self, *words: str) -> bytes:
        done = subprocess.run(["git", "-C", str(self.root), *words], capture_output=True)
        if done.returncode != 0:
            raise UsageError(
                f"git {' '.join(words)} failed: {done.stderr.decode().strip() or 'nothing found'}",
                hint="after @ comes a tag, a branch or a commit of this repository",
            )
        return done.stdout


class SeatProcess:
    """The process of one contestant, for one match after another."""

    def __init__(self, contestant: Contestant) -> None:
        self.contestant = contestant
        self._folder = tempfile.TemporaryDirectory(prefix="stratagem-seat-")
        self._errors = Path(self._folder.name) / "errors"
        path = os.pathsep.join([str(contestant.source), str(ROOT)])
        with self._errors.open("wb") as errors:
            self._process = subprocess.Popen(
                [sys.executable, str(SEAT)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                env={**os.environ, "PYTHONPATH": path},
            )

    def ask(self, do: str, **details: object) -> dict[str, Any]:
        """The answer to a question, and the processor time that it took as ``seconds``."""
        asking, answering = self._process.stdin, self._process.stdout
        assert asking is not None and answering is not None
        try:
            asking.write(json.dumps({"do": do, **details}).encode() + b"\n")
            asking.flush()
            line = answering.readline()
        except BrokenPipeError:
            line = b""
        if not line:
            raise StratagemError(
                f"{self.contestant.name} has ended: {self._last_words()}",
                hint="a revision needs the packages that it was made for installed",
            )
        answer: dict[str, Any] = json.loads(line)
        return answer

    def close(self) -> None:
        self._process.kill()
        self._process.communicate()
        self._folder.cleanup()

    def _last_words(self) -> str:
        self._process.wait()
        said = self._errors.read_text("utf-8", "replace").strip()
        return said.splitlines()[-1] if said else f"exit status {self._process.returncode}"


class SeatedPlayer(Player):
    """Stands for the player in *process* in one match."""

    def __init__(self, process: SeatProcess, seed: int) -> None:
        self.name = process.contestant.name
        self.process, self.seed = process, seed
        self.seconds: list[float] = []
        """The processor time of every move."""
        self._told = 0

    def start(self, match: Match, clock: Deadline) -> None:
        self.process.ask(
            "start",
            player=self.process.contestant.player,
            rules=to_kif(match.rules.sheet),
            role=match.role,
            seed=self.seed,
            startclock=match.startclock,
            playclock=match.playclock,
        )

    def play(self, match: Match, clock: Deadline, offer: Offer) -> Choice:
        news = [[match.rules.spell(move) for move in joint] for joint in match.history[self._told :]]
        self._told = match.turn
        found = self.process.ask("play", moves=news)
        self.seconds.append(found["seconds"])
        return Choice(match.rules.parse_move(found["move"]), Thought(self.name, found["why"]))

    def stop(self, match: Match) -> None:
        self.process.ask("stop")
