"""Data flow: `init` may not depend on a state, nor `legal`, `goal` and `terminal` on the moves being made.

    init, base, input           must not depend on true or does: there is no state yet
    legal, goal, terminal       must not depend on does: no move has been made yet

Directly or through other relations: one walk back along the dependencies finds all.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from typing import Final

from stratagem.gdl.check.survey import Survey, listed, name_place
from stratagem.gdl.dependencies import uses
from stratagem.gdl.terms import Relation

TRUE: Final = ("true", 1)
DOES: Final = ("does", 2)
BEFORE_THE_MATCH: Final = {("init", 1), ("base", 1), ("input", 2)}
BEFORE_THE_MOVE: Final = {("legal", 2), ("goal", 2), ("terminal", 0)}


def check_flow(survey: Survey) -> None:
    to_state = _ways_to(survey.edges, TRUE)
    to_move = _ways_to(survey.edges, DOES)
    for relation in BEFORE_THE_MATCH:
        hint = "use relations that do not change during the match"
        _check(survey, relation, to_state, "GDL017", "no condition that needs the state", hint)
        _check(survey, relation, to_move, "GDL017", "no condition that needs the players' moves", hint)
    for relation in BEFORE_THE_MOVE:
        hint = "keep what was done as a fact of the next state, and ask for it with true"
        _check(survey, relation, to_move, "GDL018", "conditions on the state alone", hint)


def _check(
    survey: Survey,
    head: Relation,
    ways: Mapping[Relation, Relation],
    code: str,
    expected: str,
    hint: str,
) -> None:
    for rule in survey.definitions.get(head, ()):
        for use in uses(rule):
            if use.relation not in ways:
                continue
            way = [use.relation]
            while ways[way[-1]] != way[-1]:
                way.append(ways[way[-1]])
            end = way[-1][0]
            through = (
                ""
                if len(way) == 1
                else f", through {listed([survey.name(relation) for relation in way[:-1]])}"
            )
            message = f"{head[0]} depends on {end}{through}"
            survey.report(code, name_place(use.atom.node), message, expected, hint)
            break


def _ways_to(edges: Mapping[Relation, Sequence[Relation]], target: Relation) -> dict[Relation, Relation]:
    """For every relation that depends on *target*: the next one on a shortest way there."""
    users: dict[Relation, list[Relation]] = {}
    for user, used in edges.items():
        for relation in used:
            users.setdefault(relation, []).append(user)
    ways = {target: target} if target in edges else {}
    queue = deque(ways)
    while queue:
        relation = queue.popleft()
        for user in users.get(relation, ()):
            if user not in ways:
                ways[user] = relation
                queue.append(user)
    return ways
