"""What a game is called and which rules it has: enough to load it again in another process."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from stratagem.gdl.text.syntax import Source


@dataclass(frozen=True, slots=True)
class Identity:
    """*source* is the text with the sizes chosen; two games are the same if their rules are."""

    name: str
    source: Source

    @property
    def rules(self) -> str:
        """A fingerprint of the text of the rules and the sizes chosen."""
        sizes = " ".join(f"{name}={value}" for name, value in self.source.settings)
        return hashlib.sha256(f"{self.source.syntax}\n{sizes}\n{self.source.text}".encode()).hexdigest()
