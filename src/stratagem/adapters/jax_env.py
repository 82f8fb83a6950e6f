"""JAX: a game as pure functions over a pytree, made from its circuit, that `jit`, `vmap` and `scan`."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from stratagem.adapters.jax_circuit import PhaseFunction
from stratagem.errors import MissingExtra, UsageError, require_type
from stratagem.native.phases.frame_layout import layout_of
from stratagem.native.phases.phases import next_phase, view_phase
from stratagem.simulation.encoding import CHANCE, checked_range, require_player, whole_numbers

try:
    from jax import Array, dtypes, jit, nn, random
    from jax import numpy as jnp
except ImportError as missing:
    raise MissingExtra("jax", needs="jax") from missing

if TYPE_CHECKING:
    from stratagem.gdl_game import GdlGame


class JaxState(NamedTuple):
    """The state of one match: a pytree of arrays."""

    observation: Any
    """The propositions that hold, bool [propositions]."""
    legal_action_mask: Any
    """The legal actions of the current player, bool [num_actions]; all false once the match is over."""
    current_player: Any
    """The number of the first player that has a choice, 0 where none has; int32."""
    rewards: Any
    """What the last step earned each player, float32 [num_players]."""
    terminated: Any
    """Whether the match is over, bool."""
    legal: Any
    """The legal actions of every role, bool [roles, num_actions]."""
    steps: Any
    """How many steps were made, int32."""


def _action_numbers(action: Any) -> Any:
    """*action* as an array of int32; what is too large stays too large."""
    if not isinstance(action, Array):
        return jnp.asarray(whole_numbers(action).reshape(np.shape(action)))
    if not jnp.issubdtype(action.dtype, jnp.integer):
        raise UsageError(f"actions are whole numbers, not {action.dtype}")
    if not np.can_cast(action.dtype, np.int32):
        most = np.iinfo(np.int32)
        action = action.clip(max(most.min, np.iinfo(action.dtype).min), most.max)
    return action.astype(jnp.int32)


def _is_key(key: Any) -> bool:
    """Whether it is one key, of the new kind or the old one."""
    kind = getattr(key, "dtype", None)
    if kind is None:
        return False
    if jnp.issubdtype(kind, dtypes.prng_key):
        return bool(key.ndim == 0)
    return bool(kind == jnp.uint32 and key.ndim == 1)


class JaxEnv:
    """The functions of one game."""

    def __init__(self, game: GdlGame, reward_range: tuple[float, float]) -> None:
        encoding, circuit = game.encoding, game.circuit
        require_player(encoding)
        self.id, self._encoding = game.identity.name, encoding
        self.roles, self.players = encoding.roles, encoding.players
        self.num_players = len(encoding.players)
        self.num_actions = max(map(len, encoding.actions.values()))
        """Actions of the role that has most; the masks of others are padded."""
        self.observation_shape = (len(encoding.propositions),)
        self._seats = np.array([encoding.number(role) for role in encoding.players], np.int32)
        self._chance = encoding.roles.index(CHANCE) if CHANCE in encoding.roles else None
        self._low, _ = checked_range(reward_range)
        layout = layout_of(circuit)
        self._bases = len(circuit.bases)
        self._view = PhaseFunction(view_phase(circuit, layout))
        self._next = PhaseFunction(next_phase(circuit, layout))
        self._moves = [len(moves) for moves in circuit.moves]
        self._reads = self._inputs_of_next(layout.moves)
        self._looks = np.where(self._view.inputs < self._bases, self._view.inputs, self._bases)
        """The propositions that a view reads; a move, which it never needs, is the false one after them."""
        place = {int(row): number for number, row in enumerate(self._view.rows)}
        self._legal_places = [
            np.array([place[rows.first + move] for move in range(rows.moves)], np.int32)
            for rows in layout.moves
        ]
        self._terminal_place = place[layout.terminal]
        self._goal_places = [
            np.array([place[layout.goal(role, value)] for value in range(len(goals))], np.int32)
            for role, goals in enumerate(circuit.goals)
        ]
        worth = encoding.worth(reward_range)
        edges = np.cumsum([0, *map(len, circuit.goals)])
        self._worth = [worth[first:last] for first, last in pairwise(edges)]
        order = {int(row): number for number, row in enumerate(self._next.rows)}
        self._next_order = np.array([order[layout.next + base] for base in range(self._bases)], np.int32)

        self._start = self._first(game)
        # Steps made one by one are compiled, too; within another transformation this changes nothing.
        self._compiled_step = jit(self._stepped)

    def _first(self, game: GdlGame) -> JaxState:
        """The start, worked out here and not in JAX."""
        state, encoding = game.initial(), game.encoding
        legal = np.zeros((len(self.roles), self.num_actions), np.bool_)
        for number, role in enumerate(self.roles):
            legal[number, encoding.legal_actions(state, role)] = True
        counts = legal[self._seats].sum(axis=1)
        player = int(np.argmax(counts > 1)) if (counts > 1).any() else 0
        return JaxState(
            observation=encoding.observation(state),
            legal_action_mask=legal[self._seats][player],
            current_player=np.int32(player),
            rewards=np.zeros(self.num_players, np.float32),
            terminated=np.bool_(state.terminal),
            legal=legal,
            steps=np.int32(0),
        )

    def _inputs_of_next(self, rows: Any) -> Any:
        """Where the inputs of the next state stand in the propositions and the moves of all roles, one after another."""
        place = {base: base for base in range(self._bases)}
        at = self._bases
        for own in rows:
            for move in range(own.moves):
                place[own.first + move] = at + move
            at += own.moves
        return np.array([place[int(row)] for row in self._next.inputs], np.int32)

    def __repr__(self) -> str:
        return f"<JAX environment {self.id}: {self.num_players} players, {self.num_actions} actions>"

    def init(self, key: Any = None) -> JaxState:
        """The start. GDL's is always the same: *key* is there for the callers that have one."""
        return JaxState(*map(jnp.asarray, self._start))

    def planes(self, state: JaxState) -> Any:
        """The board, bool [channels, rows, columns]; ``game.encoding.planes`` names the channels."""
        self._check(state, None)
        return jnp.append(state.observation, False)[
            self._encoding.planes.index
        ]  # -1 is the last, which is false

    def step(self, state: JaxState, action: Any, key: Any = None) -> JaxState:
        """The state after *action*: of the current player, or [num_players] of all of them, where several choose at once.

        The others make their only move. The role ``random`` draws with *key*. An illegal action ends the match: it
        earns its player the lowest reward, the others nothing. A match that is over stays as it is and earns nothing.
        """
        if self._chance is not None and key is None:
            raise UsageError(
                "chance moves in this game, so a step needs a key", hint="step(state, action, key)"
            )
        self._check(state, key)
        given = _action_numbers(action)
        if given.ndim > 1 or (given.ndim == 1 and given.shape != (self.num_players,)):
            raise UsageError(
                f"an action is one number, or {self.num_players} of them, not {given.shape}",
                hint="jax.vmap makes a batch",
            )
        after: JaxState = self._compiled_step(state, given, key)
        return after

    def _check(self, state: JaxState, key: Any) -> None:
        """Refuses what is no state of one match of this game, or no key."""
        require_type(state, JaxState, "a state of this environment", hint="init(key) is the first one")
        shapes = (jnp.shape(state.observation), jnp.shape(state.legal))
        wanted = (self.observation_shape, (len(self.roles), self.num_actions))
        if shapes != wanted:
            raise UsageError(
                f"this is no state of one match of {self.id}: its observation is an array of {shapes[0]}, not {wanted[0]}",
                hint="jax.vmap(env.step) makes a step of a batch",
            )
        if key is not None and self._chance is not None and not _is_key(key):
            raise UsageError("this is not a key of JAX", hint="jax.random.key(seed) makes one")

    def _stepped(self, state: JaxState, given: Any, key: Any) -> JaxState:
        """The state after *given*: a step, as it is traced."""
        only = jnp.argmax(state.legal, axis=1).astype(jnp.int32)
        single = state.legal.sum(axis=1) == 1
        mine = jnp.arange(self.num_players) == state.current_player
        wanted = given if given.ndim else jnp.where(mine, given, -1)
        chosen = jnp.where((wanted < 0) & single[self._seats], only[self._seats], wanted)
        inside = (chosen >= 0) & (chosen < self.num_actions)
        legal = inside & state.legal[self._seats, jnp.clip(chosen, 0, self.num_actions - 1)]
        actions = jnp.zeros(len(self.roles), jnp.int32).at[self._seats].set(jnp.where(legal, chosen, 0))
        if self._chance is not None:
            scores = jnp.where(state.legal[self._chance], 0.0, -jnp.inf)
            actions = actions.at[self._chance].set(random.categorical(key, scores).astype(jnp.int32))
        return self._after(state, actions, legal)

    def _after(self, state: JaxState, actions: Any, legal: Any) -> JaxState:
        """The next state, unless the match is over or an action was not legal."""
        done = [nn.one_hot(actions[role], size, dtype=jnp.bool_) for role, size in enumerate(self._moves)]
        before = jnp.concatenate([state.observation, *done])
        reached = self._next(before[self._reads])[self._next_order]
        fine = legal.all()
        going = ~state.terminated & fine
        penalty = jnp.where(legal, 0.0, self._low).astype(jnp.float32)
        return self._seen(
            jnp.where(going, reached, state.observation),
            jnp.where(state.terminated | fine, 0.0, penalty),
            state.terminated | ~fine,
            state.steps + (~state.terminated).astype(jnp.int32),
        )

    def _seen(self, truth: Any, rewards: Any, over: Any, steps: Any) -> JaxState:
        """A state with all that the rules say about *truth*; *over* is set where the match is over already."""
        values = self._view(jnp.append(truth, False)[self._looks])
        ended = values[self._terminal_place]
        legal = jnp.stack(
            [
                jnp.zeros(self.num_actions, jnp.bool_).at[: len(places)].set(values[places])
                for places in self._legal_places
            ]
        )
        legal = legal & ~(ended | over)
        counts = legal.sum(axis=1)[self._seats]
        player = jnp.where((counts > 1).any(), jnp.argmax(counts > 1), 0).astype(jnp.int32)
        goals = jnp.stack(
            [
                self._low + jnp.sum(values[self._goal_places[seat]] * (self._worth[seat] - self._low))
                for seat in self._seats
            ]
        ).astype(jnp.float32)
        return JaxState(
            observation=truth,
            legal_action_mask=legal[self._seats][player],
            current_player=player,
            rewards=jnp.where(ended & ~over, goals, rewards),
            terminated=ended | over,
            legal=legal,
            steps=steps,
        )
