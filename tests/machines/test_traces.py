"""The machines against the field's reference implementation, state by state."""

from __future__ import annotations

import pytest
from tests.support.traces import DIFFERENT_ON_PURPOSE, agree, sheet_names, sheet_path, trace

from stratagem.errors import RulesError
from stratagem.loading import load

# Their rules leave variables without values; the reference drops the conditions that use them.
UNSAFE = {"test_case_3b", "test_case_3e", "test_case_3f"}
# A state of these costs the reasoner a second or more.
HEAVY = {"chess", "amazonsTorus", "amazons.v1", "mummymaze2p", "linesOfAction", "ad_game_2x2"}


@pytest.mark.parametrize("name", [name for name in sheet_names("games") if name not in HEAVY])
def test_the_reasoner_agrees_with_the_reference_at_the_start_of_every_walk(name: str) -> None:
    _, states = trace(name)
    assert agree(load(sheet_path(name), machine="reasoner"), states, most=4) > 0


@pytest.mark.slow
@pytest.mark.parametrize("name", sheet_names("games"))
def test_the_reasoner_agrees_with_the_reference_on_every_state(name: str) -> None:
    _, states = trace(name)
    assert agree(load(sheet_path(name), machine="reasoner"), states) > 0


@pytest.mark.parametrize("name", sheet_names("edge"))
def test_the_reference_s_own_edge_cases_come_out_the_same_or_are_refused(name: str) -> None:
    if name in DIFFERENT_ON_PURPOSE:
        pytest.skip("different from the reference on purpose; test_edge_cases.py says how")
    _, states = trace(name, "edge")
    if name in UNSAFE:
        with pytest.raises(RulesError, match="has no values to take"):
            load(sheet_path(name, "edge"), machine="reasoner")
    else:
        assert agree(load(sheet_path(name, "edge"), machine="reasoner"), states) > 0
