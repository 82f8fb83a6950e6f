"""The sentences of tree searches: what happens, and why.

Each function turns one event into a `Sentence`: parts of text and numbers of nodes.
"""

from __future__ import annotations

from math import inf

from stratagem.plural import plural
from stratagem.show.labels import empty, figure, interval, title
from stratagem.show.walkthrough.model import Sentence
from stratagem.show.walkthrough.writer import StepWriter
from stratagem.trace.events import (
    Again,
    Begin,
    Cut,
    Enter,
    Finish,
    Leaf,
    Leave,
    LowerBeta,
    Pass,
    RaiseAlpha,
    Recall,
    Reorder,
    Test,
)

SIGNS = {"exact": "", "low": "≥ ", "high": "≤ ", "above": "> ", "below": "< "}
CHOICES = {"max": "MAX takes the greatest value", "min": "MIN takes the least value"}


def begin(event: Begin, label: str) -> Sentence:
    text = f"{title(event.algorithm)} begins{f' on {label}' if label else ''}."
    if len(event.roles) == 2 and event.roles != ("max", "min"):
        text += f" MAX is {event.roles[0]}, MIN is {event.roles[1]}."
    return (text,)


def enter(writer: StepWriter, event: Enter) -> Sentence:
    node = writer.number(event.node)
    who = event.player.upper() if event.player != "chance" else "Chance"
    moves = plural(event.children, "move")
    if event.alpha is None or event.beta is None:
        choice = CHOICES.get(event.player, "and the mean of all counts")
        return (f"{who} decides in ", node, f", which has {moves}: {choice}.")
    if event.alpha == -inf and event.beta == inf:
        return (
            f"{who} decides in ",
            node,
            f", which has {moves}. Nothing is settled yet: any value would matter.",
        )
    if empty(event.alpha, event.beta):
        return (
            f"{who} decides in ",
            node,
            f". Only one question is asked: is it worth {question(event.alpha, event.beta)}?",
        )
    reasons = []
    if event.alpha > -inf:
        reasons.append(f"MAX is sure of {figure(event.alpha)} elsewhere")
    if event.beta < inf:
        reasons.append(f"MIN can hold MAX down to {figure(event.beta)} elsewhere")
    wanted = interval(event.alpha, event.beta)
    return (
        f"{who} decides in ",
        node,
        f". It matters only if it is worth {wanted}: {' and '.join(reasons)}.",
    )


def question(low: float, high: float) -> str:
    """What an empty window asks: one of its ends is a number of the game, the other only its neighbour.

    >>> from math import nextafter
    >>> question(12, nextafter(12, 13)), question(nextafter(12, 0), 12)
    ('more than 12', 'at least 12')
    """
    if len(repr(float(low))) <= len(repr(float(high))):
        return f"more than {figure(low)}"
    return f"at least {figure(high)}"


def leaf(writer: StepWriter, event: Leaf) -> Sentence:
    node = writer.number(event.node)
    if event.terminal:
        return ("leaf ", node, f" is worth {figure(event.value)}.")
    return ("the horizon: ", node, f" is estimated at {figure(event.value)}.")


def raise_alpha(writer: StepWriter, event: RaiseAlpha) -> Sentence:
    return _better(writer, event, "MAX", "alpha goes up")


def lower_beta(writer: StepWriter, event: LowerBeta) -> Sentence:
    return _better(writer, event, "MIN", "beta goes down")


def _better(writer: StepWriter, event: RaiseAlpha | LowerBeta, who: str, what: str) -> Sentence:
    node, child = writer.number(event.node), writer.number(event.child)
    thanks: Sentence = ()
    if event.leaf is not None and event.leaf != event.child:
        thanks = (", thanks to leaf ", writer.number(event.leaf))
    change = f"{what} from {figure(event.before)} to {figure(event.after)}"
    return (f"{who}, in ", node, f", can get {figure(event.after)} through ", child, *thanks, f": {change}.")


def cut(writer: StepWriter, event: Cut) -> Sentence:
    """Why the children that are left cannot matter: whose bound it is, and which leaf set it."""
    node = writer.number(event.node)
    skipped = "its last move is" if event.skipped == 1 else f"its last {event.skipped} moves are"
    start: Sentence = ("cut in ", node, f": {skipped} not searched. ")
    if event.ancestor is None:
        return (*start, *_settled(node, event))
    here, there = ("MIN", "MAX") if event.side == "alpha" else ("MAX", "MIN")
    held = "hold it down to" if here == "MIN" else "get at least"
    sure = "is sure of" if there == "MAX" else "can hold MAX down to"
    leaf: Sentence = () if event.leaf is None else (", thanks to leaf ", writer.number(event.leaf))
    return (
        *start,
        f"{here} can {held} {figure(event.value)} here, but {there} {sure} {figure(event.bound)} already, in ",
        writer.number(event.ancestor),
        *leaf,
        f", and so will not come here. It could have mattered only with {_values(event.low, event.high)}.",
    )


def _settled(node: int, event: Cut) -> Sentence:
    """A cut whose bound was there from the start: the question of a pass, a test or a window from outside."""
    if event.low == -inf and event.high == inf:
        answer = "yes" if event.side == "beta" else "no"
        return (f"One move settles the test against {figure(event.bound)}, and the answer is {answer}.",)
    than = "at least" if event.side == "beta" else "at most"
    asked = f"The window ended at {figure(event.bound)}"
    if empty(event.low, event.high):
        asked = f"The question was only whether it is worth {question(event.low, event.high)}"
    return (node, f" is worth {than} {figure(event.value)}. {asked}.")


def _values(low: float, high: float) -> str:
    return "a value of " + interval(low, high)


def leave(writer: StepWriter, event: Leave) -> Sentence:
    node = writer.number(event.node)
    player = writer.node(node).player
    if event.kind == "low":
        return (
            node,
            f" is worth at least {figure(event.value)}: outside its window, so this bound is enough.",
        )
    if event.kind == "high":
        return (
            node,
            f" is worth at most {figure(event.value)}: outside its window, so this bound is enough.",
        )
    if player == "chance":
        return (node, f" is worth {figure(event.value)}, the mean of its children.")
    best: Sentence = (".",)
    if event.leaf is not None and isinstance(event.leaf, tuple) and isinstance(event.node, tuple):
        child = writer.table.numbers.get(event.leaf[: len(event.node) + 1])
        best = (".",) if child is None else (f", which {player.upper()} gets through ", child, ".")
    return (node, f" is worth {figure(event.value)}", *best)


def answered(writer: StepWriter, event: Test) -> Sentence:
    node = writer.number(event.node)
    than = "more than" if event.strict else "at least"
    answer = "yes" if event.holds else "no"
    return ("test: is ", node, f" worth {than} {figure(event.bound)}? The answer is {answer}.")


def again(writer: StepWriter, event: Again) -> Sentence:
    node = writer.number(event.node)
    return (node, " may change the result, so it is searched again, this time for its value.")


def recall(writer: StepWriter, event: Recall) -> Sentence:
    node = writer.number(event.node)
    if event.low == event.high:
        return (node, f" is in the table: it is worth {figure(event.low)}.")
    bound = f"at least {figure(event.low)}" if event.low > -inf else f"at most {figure(event.high)}"
    if event.low > -inf and event.high < inf:
        bound = f"from {figure(event.low)} to {figure(event.high)}"
    return (node, f" is in the table: it is worth {bound}, and that settles the question.")


def reorder(writer: StepWriter, event: Reorder) -> Sentence:
    order = ", ".join(map(str, event.order))
    return ("from now on the moves of ", writer.number(event.node), f" are tried in the order {order}.")


def round_begins(event: Pass, *, costs: bool = False) -> Sentence:
    if event.limit is not None:
        what = (
            f"at a cost of at most {figure(event.limit)}" if costs else f"down to depth {figure(event.limit)}"
        )
        again = "everything is searched again, " if event.number > 1 else "everything "
        return (f"Round {event.number}: {again}{what}.",)
    than = "more than" if event.strict else "at least"
    return (f"Pass {event.number}: is the root worth {than} {figure(event.bound)}?",)


def round_title(event: Pass, *, costs: bool = False) -> str:
    if event.limit is not None:
        return f"round {event.number}, {'cost' if costs else 'depth'} ≤ {figure(event.limit)}"
    return f"pass {event.number}: {'>' if event.strict else '≥'} {figure(event.bound)}?"


def finish(event: Finish, extra: str = "") -> Sentence:
    if not event.complete:
        guess = "" if event.value is None else f" The best guess so far is {figure(event.value)}."
        return (f"The search stopped before it was done.{guess}{extra}",)
    if event.value is None:
        return (f"Done: nothing was found.{extra}",)
    move = "" if event.best_move is None else f", the best move is {event.best_move}"
    return (f"Done: the value is {figure(event.value)}{move}.{extra}",)
