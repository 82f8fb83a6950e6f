"""Golden encodings: the numbers of actions and propositions and the places of planes, which no version may change.

``python -m tests.support.golden_encodings`` writes them anew; whoever has trained something will mind.
"""

from __future__ import annotations

import hashlib

from tests.support.golden import GOLDEN

import stratagem as st
from stratagem import sheets
from stratagem.errors import UnsuitableGame

FOLDER = GOLDEN / "encodings"
SHOWN = ("tictactoe", "tron", "rockpaperscissors")
"""Games whose encodings are kept as text; of the others a fingerprint is kept."""
FINGERPRINTS = FOLDER / "fingerprints.txt"


def written(name: str) -> str:
    """The whole encoding of a game."""
    encoding = st.load(name).encoding
    lines = [
        f"action {role} {number} {move}"
        for role, own in encoding.actions.items()
        for number, move in enumerate(own)
    ]
    lines += [f"proposition {number} {fact}" for number, fact in enumerate(encoding.propositions)]
    try:
        planes = encoding.planes
    except UnsuitableGame:
        return "\n".join([*lines, "no planes"]) + "\n"
    for channel, index in zip(planes.channels, planes.index, strict=True):
        lines.append(f"plane {channel}: " + " / ".join(" ".join(map(str, row)) for row in index.tolist()))
    return "\n".join(lines) + "\n"


def fingerprint(name: str) -> str:
    return hashlib.sha256(written(name).encode()).hexdigest()[:16]


def fingerprints() -> dict[str, str]:
    """The fingerprints that are kept, by game."""
    lines = FINGERPRINTS.read_text(encoding="utf-8").splitlines()
    return dict(line.split() for line in lines)


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for each in SHOWN:
        (FOLDER / f"{each}.txt").write_text(written(each), encoding="utf-8")
    found = "".join(f"{each} {fingerprint(each)}\n" for each in sheets.names())
    FINGERPRINTS.write_text(found, encoding="utf-8")
