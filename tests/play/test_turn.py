from __future__ import annotations

from stratagem.play.choice import Thought
from stratagem.play.process.protocol import Offered
from stratagem.play.process.turn import PendingTurn


def asked() -> PendingTurn:
    return PendingTurn(number=7, begun=100.0, deadline=101.0, overrule=100.9, stop=100.8)


def offer(move: str, *, nodes: int = 0, done: bool = False, only: bool = False, number: int = 7) -> Offered:
    return Offered(number, move, Thought("test", "because", nodes=nodes), done, only)


def decided(turn: PendingTurn, now: float, *, lives: bool = True):
    return turn.decide(now, thinker_lives=lives, guess="noop")


def test_nothing_is_answered_while_there_is_time_for_something_better():
    turn = asked()
    turn.hear("thinker", offer("a", nodes=50))
    assert decided(turn, 100.89) is None


def test_a_thinker_that_is_done_is_answered_at_once():
    turn = asked()
    turn.hear("thinker", offer("a", nodes=50, done=True))
    answer = decided(turn, 100.1)
    assert (answer.move, answer.source, answer.overruled) == ("a", "thinker", False)


def test_the_only_legal_move_is_answered_at_once_whoever_says_so():
    turn = asked()
    turn.hear("deputy", offer("noop", done=True, only=True))
    assert decided(turn, 100.01).move == "noop"


def test_a_thinker_that_does_not_stop_is_overruled_with_its_best_offer():
    turn = asked()
    turn.hear("thinker", offer("a"))
    turn.hear("thinker", offer("b", nodes=50))
    turn.hear("deputy", offer("c", nodes=9))
    answer = decided(turn, 100.9)
    assert (answer.move, answer.source, answer.overruled) == ("b", "thinker", True)
    assert "time was up" in answer.thought.why


def test_thought_counts_more_than_rank():
    turn = asked()
    turn.hear("thinker", offer("a"))
    turn.hear("deputy", offer("c", nodes=9))
    assert decided(turn, 100.95).move == "c"


def test_the_deputy_is_waited_for_only_while_a_thinker_lives():
    turn = asked()
    turn.hear("deputy", offer("c", nodes=9, done=True))
    assert decided(turn, 100.2) is None
    assert decided(turn, 100.2, lives=False).source == "deputy"


def test_offers_for_another_turn_are_dropped():
    turn = asked()
    turn.hear("thinker", offer("old", done=True, number=6))
    assert decided(turn, 100.5) is None


def test_with_nothing_at_all_there_is_still_an_answer():
    answer = decided(asked(), 100.9)
    assert (answer.move, answer.source, answer.certain) == ("noop", "guess", False)


def test_an_answer_once_given_stays():
    turn = asked()
    turn.hear("thinker", offer("a", done=True))
    first = decided(turn, 100.1)
    turn.hear("thinker", offer("b", nodes=10, done=True))
    assert decided(turn, 100.99) is first
