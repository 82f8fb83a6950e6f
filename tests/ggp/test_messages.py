from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.exchange import body, requests_of, rules_in, tap

from stratagem.errors import UsageError
from stratagem.ggp.protocol.expressions import compact, first, items
from stratagem.ggp.protocol.messages import (
    DIALECTS,
    Abort,
    Info,
    Message,
    Ping,
    Play,
    Preview,
    Start,
    Stop,
    read,
    write,
)
from stratagem.play.records.record import spaced

WORDS = st.text("abcdefgXYZ0123456789_-+<>=*.", min_size=1, max_size=8).filter(
    lambda word: word.lower() != "nil"
)
TERMS = st.recursive(
    WORDS,
    lambda inner: st.lists(inner, min_size=1, max_size=3).map(lambda parts: f"({' '.join(parts)})"),
    max_leaves=6,
)
MOVES = st.none() | st.lists(TERMS, min_size=1, max_size=4).map(tuple)
CLOCKS = st.integers(0, 10_000).map(float)
RULES = st.lists(TERMS.filter(lambda term: term.startswith("(")), min_size=1, max_size=5).map(" ".join)
TOLD = st.one_of(
    st.builds(dict, moves=MOVES),
    st.builds(dict, turn=st.integers(0, 999), own=st.none() | TERMS, percepts=MOVES),
)
MESSAGES = st.one_of(
    st.just(Info()),
    st.just(Ping()),
    st.builds(Preview, RULES, CLOCKS),
    st.builds(Start, WORDS, WORDS, RULES, CLOCKS, CLOCKS),
    st.builds(lambda match, told: Play(match, **told), WORDS, TOLD),
    st.builds(lambda match, told: Stop(match, **told), WORDS, TOLD),
    st.builds(Abort, WORDS),
)


def canonical(message: Message, *, upper: bool = False) -> Message:
    """The message with our own blanks and, for the dialect that shouts, in upper case."""

    def text(value: object) -> object:
        if isinstance(value, tuple):
            return tuple(map(text, value))
        if not isinstance(value, str):
            return value
        return compact(value).upper() if upper else compact(value)

    return type(message)(**{name: text(getattr(message, name)) for name in message.__slots__})


@pytest.mark.parametrize("dialect", DIALECTS)
@given(message=MESSAGES)
def test_what_is_written_in_a_dialect_is_read_as_the_same_message(dialect, message):
    upper = dialect == "dresden"
    assert canonical(read(write(message, dialect)), upper=upper) == canonical(message, upper=upper)


@given(message=MESSAGES, dialect=st.sampled_from(DIALECTS))
def test_blanks_and_the_case_of_keywords_do_not_matter(message, dialect):
    text = write(message, dialect)
    loose = "\n" + text.replace("(", " (\t").replace(")", " ) ").replace(" ", "  ") + " \r\n"
    assert canonical(read(loose)) == canonical(read(text))
    keyword = items(text)[0]
    assert canonical(read(text.replace(keyword, keyword.swapcase(), 1))) == canonical(read(text))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("( INFO )", Info()),
        ("(info)", Info()),
        ("info", Info()),
        ("(ping)", Ping()),
        ("ping()", Ping()),
        ("( PLAY m NIL )", Play("m")),
        ("( PLAY m nil )", Play("m")),
        ("( PLAY m () )", Play("m")),
        ("(PLAY m)", Play("m")),
        ("( PLAY m1 (noop ( mark 1 1 ) ) )", Play("m1", ("noop", "( mark 1 1 )"))),
        ("(PLAY MATCH.7 0 NIL NIL)", Play("MATCH.7", turn=0)),
        (
            "(PLAY MATCH.7 3 (MARK 1 1) ((DOES XPLAYER (MARK 1 1)) (DOES OPLAYER NOOP)))",
            Play("MATCH.7", None, 3, "(MARK 1 1)", ("(DOES XPLAYER (MARK 1 1))", "(DOES OPLAYER NOOP)")),
        ),
        ("(STOP m ((mark 3 3) noop))", Stop("m", ("(mark 3 3)", "noop"))),
        ("(ABORT m)", Abort("m")),
        ("(START m a ((role a)) 5 3 EXTRA)", Start("m", "a", "(role a)", 5, 3)),
        ("(START m a ((role a) ; a comment with ) in it\n (role b)) 5 3)", None),
    ],
)
def test_messages_of_the_field_are_understood(text, message):
    assert message is None or read(text) == message
    assert isinstance(read(text), Start) or message is not None


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "there is nothing in the message"),
        ("   ", "there is nothing in the message"),
        ("( INFO", "a bracket is never closed"),
        (")", "a bracket is closed that was never opened"),
        ("hello", "hello is not a message"),
        ("(foo bar)", "foo is not a message"),
        ("((a) b)", "is not a message"),
        ("(START m a)", "START with 2 arguments"),
        ("(START m a rules 5 3)", "a word stands where the rules must be"),
        ("(START m a ((role a)) soon 3)", "soon is not a clock"),
        ("(START m a ((role a)) -1 3)", "-1 is not a clock"),
        ("(START m a ((role a)) nan 3)", "nan is not a clock"),
        ("(PLAY (m) NIL)", "a list stands where a name must be"),
        ("(ABORT)", "ABORT with 0 arguments"),
        ("()", "is not a message"),
    ],
)
def test_what_is_no_message_is_refused_in_a_sentence(text, fault):
    with pytest.raises(UsageError, match=fault.replace("(", r"\(")):
        read(text)


@given(st.text(max_size=200))
def test_any_text_is_a_message_or_is_refused(text):
    try:
        message = read(text)
    except UsageError:
        return
    assert canonical(read(write(message))) == canonical(message)


@given(TERMS, st.text("() abc", max_size=20))
def test_only_the_first_expression_counts(term, rest):
    assert first(f" {term} {rest}") == term


@pytest.mark.parametrize("name", ["tap_x.log", "tap_o.log"])
def test_our_messages_are_the_reference_s_to_the_byte(name):
    for request, _ in tap(name):
        text = body(request)
        assert write(read(text), "base") == text


def test_a_scrambled_preview_of_the_reference_is_written_back_to_the_byte():
    for request in requests_of("fake_player_requests.txt"):
        text = body(request)
        assert write(read(text), "base") == text


def test_the_rules_in_a_start_are_handed_on_as_they_came():
    request, _ = tap("tap_x.log")[1]
    message = read(body(request))
    assert isinstance(message, Start)
    assert message.rules == rules_in(body(request)).strip()
    assert (message.match, message.role, message.startclock, message.playclock) == ("demo1", "xplayer", 5, 3)
    assert spaced(message.rules) == message.rules
