"""Certificates: proofs of values that can be checked with the reasoner alone.

For a bound ("this role gets at least 50") the certificate is a strategy: the move of the role that forces it, in every state
that the strategy can come to. For a puzzle it is the solution. A state is named by a hash of its facts, so that the
checker works out every state itself, from the rules in the certificate, and only looks moves up:

    {"format": "stratagem certificate", "version": 1, "rules": ..., "claims": [{"role": ..., "at_least": 50,
     "strategy": {hash: move, ...}}, ...]}

`Certificate.verify` plays every reply to the end: it accepts only if every line ends and every end keeps the claim.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from stratagem.engine.solved_files import note_file
from stratagem.errors import BrokenFile, UnsuitableGame, UsageError

if TYPE_CHECKING:
    from stratagem.gdl.terms import Term
    from stratagem.gdl_game import GdlGame, State
    from stratagem.result import Result

FORMAT = "stratagem certificate"
VERSION = 1
STATES_AT_MOST = 500_000


def name_of(facts: Iterable[Term]) -> str:
    """A state by the hash of its facts."""
    return hashlib.sha256("\n".join(sorted(map(str, facts))).encode()).hexdigest()[:32]


@dataclass(frozen=True, slots=True)
class CertificateCheck:
    """What checking a certificate came to: *holds*, and a sentence for each claim.

    *game* and *sizes* are what the certificate says; *bundled* tells whether its rules are those of the bundled game
    of that name. *start* is the state that the claims are about.
    """

    holds: bool
    sentences: tuple[str, ...]
    states: int
    game: str
    sizes: Mapping[str, int]
    bundled: bool
    start: State

    @property
    def subject(self) -> str:
        """What the claims are about, in a line: the game, its sizes, where it starts."""
        sizes = "".join(f", {name} {value}" for name, value in self.sizes.items())
        rules = "the bundled rules" if self.bundled else "the rules in the certificate"
        where = "the initial state" if self.start == self.start.game.initial() else f"{self.start!r}"
        return f"{self.game}{sizes} ({rules}), from {where}"


@dataclass(frozen=True, slots=True)
class Certificate:
    """A certificate, as its file has it.

    >>> from tempfile import TemporaryDirectory
    >>> from stratagem.engine.solve import solve
    >>> from stratagem.loading import load
    >>> state = load("hexapawn").initial()
    >>> with TemporaryDirectory() as folder:
    ...     _ = Certificate.write(f"{folder}/proof.json", state, solve(state.game))
    ...     Certificate.read(f"{folder}/proof.json").verify().sentences
    ('white gets at most 0: proved',)
    """

    data: Mapping[str, Any]

    @staticmethod
    def write(path: str | Path, state: State, result: Result) -> int:
        """Writes the certificate of what *result* proves of *state*; how many moves it has.

        Nothing is written if there is no proof.
        """
        game = state.game
        claims = _claims(game, state, result)
        source = game.identity.source
        data = {
            "format": FORMAT,
            "version": VERSION,
            "game": game.identity.name,
            "rules": source.text,
            "syntax": source.syntax,
            "settings": dict(source.settings),
            "state": sorted(map(str, state.facts())),
            "claims": claims,
        }
        text = json.dumps(data, indent=1)
        try:
            Path(path).write_text(text, encoding="utf-8")
        except OSError as fault:
            raise UsageError(f"{path} cannot be written: {fault.strerror}") from fault
        note_file(game, path)
        return sum(len(claim.get("strategy", claim.get("solution", ()))) for claim in claims)

    @classmethod
    def read(cls, path: str | Path) -> Certificate:
        """The certificate in a file, its form checked."""
        try:
            data = json.loads(Path(path).read_text(encoding="utf-8"))
        except OSError as fault:
            raise BrokenFile(f"{path} cannot be read: {fault.strerror}") from fault
        except ValueError as fault:
            raise BrokenFile(
                f"{path} is not a certificate", hint="`stratagem solve --certificate FILE` writes one"
            ) from fault
        if not isinstance(data, dict) or data.get("format") != FORMAT:
            raise BrokenFile(
                f"{path} is not a certificate", hint="`stratagem solve --certificate FILE` writes one"
            )
        if data.get("version") != VERSION:
            raise BrokenFile(
                f"{path} is of version {data.get('version')}; this program reads version {VERSION}"
            )
        wanted = {"rules": str, "syntax": str, "settings": dict, "state": list, "claims": list}
        for key, kind in wanted.items():
            if not isinstance(data.get(key), kind):
                raise BrokenFile(f"{path} is damaged: {key} is missing")
        return cls(data)

    @property
    def start(self) -> State:
        """The state that the claims are about, on the reasoner, by the rules in the certificate."""
        from stratagem.gdl.text.syntax import Source
        from stratagem.loading import load_source

        data = self.data
        settings = tuple(sorted((str(name), int(value)) for name, value in data["settings"].items()))
        source = Source(data["rules"], str(data.get("game", "certificate")), data["syntax"], settings)
        game = load_source(source, "reasoner")
        return game.state_of(game.parse_move(fact) for fact in data["state"])

    def verify(self, *, progress: Callable[[int], None] | None = None) -> CertificateCheck:
        """Checks it with the reasoner, which works out every state and every move itself."""
        from stratagem.gdl.header import header_of
        from stratagem.gdl.sizes import chosen
        from stratagem.sheets import names
        from stratagem.sheets import source as bundled_source

        data, start = self.data, self.start
        game = start.game
        name, source = game.identity.name, game.identity.source
        sentences: list[str] = []
        holds = bool(data["claims"])
        states = 0
        for claim in data["claims"]:
            check = _check_solution if "solution" in claim else _check_strategy
            fault, seen = check(game, start, claim, progress)
            states += seen
            what = f"{claim.get('role')} gets " + (
                f"at least {claim['at_least']}" if "at_least" in claim else f"at most {claim.get('at_most')}"
            )
            sentences.append(f"{what}: {'proved' if fault is None else fault}")
            holds = holds and fault is None
        bundled = name in names() and bundled_source(name).text == source.text
        sizes = chosen(header_of(source), dict(source.settings), name)
        return CertificateCheck(holds, tuple(sentences), states, name, sizes, bundled, start)


def _claims(game: GdlGame, state: State, solution: Result) -> list[dict[str, Any]]:
    roles = game.roles
    if len(roles) == 1:
        if solution.distance is None and not solution.line:
            raise UnsuitableGame("there is no solution to certify", hint="solve with a larger budget")
        moves = [str(move) for (move,) in solution.line]
        low = int(solution.values[roles[0]].low)
        claim: dict[str, Any] = {"role": roles[0], "at_least": low, "solution": moves}
        if solution.proved and solution.distance is not None:
            claim["shortest"] = {"states": solution.counters.states}
        return [claim]
    if len(roles) != 2:
        raise UnsuitableGame(f"certificates are for one or two players; this game has {len(roles)}")
    low, high = int(solution.values[roles[0]].low), int(solution.values[roles[0]].high)
    least, most = _range(game)
    claims = []
    if low > least:
        claims.append(
            {"role": roles[0], "at_least": low, "strategy": strategy(game, state, low, at_least=True)}
        )
    if high < most:
        claims.append(
            {"role": roles[0], "at_most": high, "strategy": strategy(game, state, high, at_least=False)}
        )
    if not claims:
        raise UnsuitableGame("nothing is proved that could be certified", hint="solve with a larger budget")
    return claims


def _range(game: GdlGame) -> tuple[int, int]:
    values = [value for value, _ in game.circuit.goals[0]]
    return min(values), max(values)


def strategy(game: GdlGame, state: State, bound: int, *, at_least: bool) -> dict[str, str]:
    """The moves with which the first role forces at least *bound*, or the second at most."""
    from stratagem.engine.proof.line import mover_of
    from stratagem.engine.proof.prover import DEEPEST, Prover

    compiled = game.compiled
    prover = Prover(compiled)
    attacker = 0 if at_least else 1
    found: dict[str, str] = {}
    waiting: list[tuple[Any, int]] = [(state.packed.copy(), DEEPEST)]
    seen: set[bytes] = set()
    while waiting:
        packed, depth = waiting.pop()
        if packed.tobytes() in seen:
            continue
        seen.add(packed.tobytes())
        if len(seen) > STATES_AT_MOST:
            raise UnsuitableGame(
                f"the strategy needs more than {STATES_AT_MOST:,} states", hint="certify a later position"
            )
        children = compiled.expand(packed[None])
        mover = mover_of(children.moves)
        if mover == attacker:
            answer, place = _choice(prover, packed, bound, at_least, depth)
            if answer < 0:
                raise UnsuitableGame(f"{bound} is not proved from here", hint="solve with a larger budget")
            move = game.circuit.moves[attacker][int(children.moves[place, attacker])]
            found[name_of(compiled.unpack(packed))] = str(move)
            chosen: Iterable[int] = [place]
            depth = answer
        else:
            chosen = range(len(children))
        for place in chosen:
            if not children.terminal[place]:
                waiting.append((children.states[place], max(0, depth - 1) if mover == attacker else depth))
    return found


def _choice(prover: Any, packed: Any, bound: int, at_least: bool, depth: int) -> tuple[int, int]:
    """Within how many moves the bound is forced, the least there is, and the child that does it."""
    for limit in range(1, depth + 1):
        answer, place = prover.force(packed, 0, bound, at_least=at_least, depth=limit)
        if answer >= 0:
            if place < 0:
                place = _child(prover, packed, bound, at_least, answer)
            return answer, place
        if answer == -2:
            break
    return -1, -1


def _child(prover: Any, packed: Any, bound: int, at_least: bool, depth: int) -> int:
    children = prover.compiled.expand(packed[None])
    for place in range(len(children)):
        if children.terminal[place]:
            goal = int(children.goals[place, 0])
            if goal >= 0 and (goal >= bound if at_least else goal <= bound):
                return place
        elif prover.force(children.states[place], 0, bound, at_least=at_least, depth=depth - 1)[0] >= 0:
            return place
    return int(np.int64(-1))


def _check_solution(
    game: GdlGame, start: State, claim: Mapping[str, Any], progress: Callable[[int], None] | None
) -> tuple[str | None, int]:
    state = start
    for number, text in enumerate(claim["solution"], start=1):
        move = game.parse_move(str(text))
        if state.terminal or move not in state.legals(game.roles[0]):
            return f"move {number}, {text}, is not legal", number
        state = state.next((move,))
    goal = state.goal(game.roles[0])
    if not state.terminal or goal is None or goal < int(claim["at_least"]):
        return "the solution does not end there", len(claim["solution"])
    return None, len(claim["solution"])


def _check_strategy(
    game: GdlGame, start: State, claim: Mapping[str, Any], progress: Callable[[int], None] | None
) -> tuple[str | None, int]:
    """Plays every reply: depth-first, so that a line that comes back to itself is found to be endless."""
    if claim.get("role") not in game.roles:
        return "no such role", 0
    at_least = "at_least" in claim
    role = claim["role"]
    bound = int(claim["at_least"] if at_least else claim["at_most"])
    attacker = role if at_least else next(other for other in game.roles if other != role)
    moves = claim["strategy"]
    done: set[State] = set()
    on_path: set[State] = set()
    path: list[tuple[State, Sequence[State]]] = []

    def enter(state: State) -> str | None:
        if state.terminal:
            goal = state.goal(role)
            kept = goal is not None and (goal >= bound if at_least else goal <= bound)
            return None if kept else f"an end is worth {goal}"
        options = []
        for other in game.roles:
            legal = state.legals(other)
            if other == attacker and len(legal) > 1:
                text = moves.get(name_of(state.facts()))
                move = None if text is None else game.parse_move(str(text))
                if move not in legal:
                    return f"the strategy has no legal move in {state!r}"
                legal = (move,)
            options.append(legal)
        on_path.add(state)
        path.append((state, [state.next(joint) for joint in product(*options)]))
        return None

    fault = enter(start)
    while path and fault is None:
        state, rest = path[-1]
        if not rest:
            path.pop()
            on_path.discard(state)
            done.add(state)
            if progress is not None:
                progress(len(done))
            continue
        child = rest[0]
        path[-1] = (state, rest[1:])
        if child in on_path:
            return "a line comes back to itself and never ends", len(done)
        if child not in done:
            fault = enter(child)
    return fault, len(done)
