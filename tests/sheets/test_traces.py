"""Our own sheets against the field's reference implementation: every recorded state, on every machine."""

from __future__ import annotations

import pytest
from tests.support.traces import agree, own_trace, own_traces

from stratagem import sheets as games
from stratagem.loading import MachineName, load

SIZES = {"gomoku": {"columns": 7, "rows": 7}, "hex": {"size": 5}}
"""Where a trace was not recorded at the default size."""


@pytest.mark.parametrize("machine", ["native", "circuit", "joins", "reasoner"])
@pytest.mark.parametrize("name", own_traces())
def test_every_machine_agrees_with_the_reference_on_every_recorded_state(
    name: str, machine: MachineName
) -> None:
    header, states = own_trace(name)
    game = load(name, machine=machine, **SIZES.get(name, {}))
    assert list(game.roles) == header["roles"]
    assert agree(game, states) > 0


def test_every_bundled_game_has_a_trace() -> None:
    assert own_traces() == list(games.names())
