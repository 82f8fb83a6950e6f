"""Circuits as bytes: numpy's archive for the arrays, JSON for the names. Nothing in it can run."""

from __future__ import annotations

import io
import json
import zipfile
from typing import Any

from stratagem.circuit.circuit import Circuit, CompiledRules
from stratagem.errors import BrokenFile
from stratagem.gdl.terms import Compound, Symbol, Term, order

FORMAT = 1


def pack(compiled: CompiledRules) -> bytes:
    """*compiled* as bytes that `unpack` reads."""
    import numpy as np

    circuit = compiled.circuit
    header = {
        "format": FORMAT,
        "roles": list(circuit.roles),
        "bases": [_plain(term) for term in circuit.bases],
        "moves": [[_plain(term) for term in several] for several in circuit.moves],
        "constants": [_plain(term) for term in sorted(circuit.constants, key=order)],
        "loops": list(circuit.loops),
        "terminal": circuit.terminal,
        "goals": circuit.goals,
        "figures": dict(compiled.figures),
        "seconds": dict(compiled.seconds),
    }
    buffer = io.BytesIO()
    text = json.dumps(header, separators=(",", ":")).encode()
    np.savez(
        buffer,
        header=np.frombuffer(text, dtype=np.uint8),
        operations=circuit.operations,
        left=circuit.left,
        right=circuit.right,
        initial=circuit.initial,
        next=circuit.next,
        legal=np.concatenate([np.zeros(0, dtype=np.int32), *circuit.legal]),
    )
    return buffer.getvalue()


def unpack(content: bytes) -> CompiledRules:
    """What `pack` made bytes of; raises `BrokenFile` for anything else."""
    import numpy as np

    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
        header: dict[str, Any] = json.loads(arrays["header"].tobytes())
        if header["format"] != FORMAT:
            raise BrokenFile(f"a circuit of format {header['format']}, not {FORMAT}")
        moves = tuple(tuple(map(_term, several)) for several in header["moves"])
        ends = np.cumsum([len(several) for several in moves])[:-1]
        circuit = Circuit(
            tuple(header["roles"]),
            tuple(map(_term, header["bases"])),
            moves,
            frozenset(map(_term, header["constants"])),
            arrays["operations"],
            arrays["left"],
            arrays["right"],
            tuple((first, last) for first, last in header["loops"]),
            arrays["initial"],
            arrays["next"],
            tuple(np.split(arrays["legal"], ends)),
            header["terminal"],
            tuple(tuple((value, literal) for value, literal in pairs) for pairs in header["goals"]),
        )
        return CompiledRules(circuit, tuple(header["figures"].items()), tuple(header["seconds"].items()))
    except (KeyError, ValueError, TypeError, OSError, EOFError, zipfile.BadZipFile) as failure:
        raise BrokenFile("these bytes are not a circuit written by this program") from failure


def _plain(term: Term) -> Any:
    return [term[0], *map(_plain, term[1:])] if isinstance(term, Compound) else term


def _term(plain: Any) -> Term:
    if isinstance(plain, str):
        return Symbol(plain)
    return Compound((Symbol(plain[0]), *map(_term, plain[1:])))
