"""S-expressions as text: messages are taken apart without being understood, so that every spelling survives.

The rules inside a START message are the largest part of all traffic and are not read here: they are handed on
as the text they are. One pass over the text, no recursion.
"""

from __future__ import annotations

from stratagem.errors import UsageError
from stratagem.play.records.record import TOKEN


def is_list(text: str) -> bool:
    return text.startswith("(")


def first(text: str) -> str:
    """The first expression in *text*, as it is written there; what comes after it does not count.

    >>> first("  (go x) (go y)"), first("noop ; a comment"), first("(go\\n\\tx)")
    ('(go x)', 'noop', '(go\\n\\tx)')
    """
    start: int | None = None
    depth = 0
    for token in TOKEN.finditer(text):
        word = token.group()
        if word.startswith(";"):
            continue
        if start is None:
            start = token.start()
        if word == "(":
            depth += 1
        elif word == ")":
            depth -= 1
        if depth < 0:
            raise UsageError("a bracket is closed that was never opened")
        if depth == 0:
            return text[start : token.end()]
    if start is None:
        raise UsageError("there is nothing in the message")
    raise UsageError("a bracket is never closed")


def items(text: str) -> list[str]:
    """The expressions inside the list *text*, each as it is written there.

    >>> items("( PLAY m1 (( mark 1 2 ) noop ) )")
    ['PLAY', 'm1', '(( mark 1 2 ) noop )']
    """
    found: list[str] = []
    depth, start = 0, 0
    for token in TOKEN.finditer(text):
        word = token.group()
        if word == "(":
            depth += 1
            if depth == 2:
                start = token.start()
        elif word == ")":
            depth -= 1
            if depth == 1:
                found.append(text[start : token.end()])
        elif depth == 1 and not word.startswith(";"):
            found.append(word)
    return found


def inside(text: str) -> str:
    """What stands between the outermost brackets of the list *text*."""
    return text[text.index("(") + 1 : text.rindex(")")].strip()


def compact(text: str) -> str:
    """*text* with single blanks, and none at the inside of a bracket: our own way to write.

    >>> compact("( mark  1\\n( f 2 ) )")
    '(mark 1 (f 2))'
    """
    words = [token for token in TOKEN.findall(text) if not token.startswith(";")]
    return " ".join(words).replace("( ", "(").replace(" )", ")")
