"""The timed player with scripted workers: which commands it sends, and what it answers when they fail.

All in virtual time: what comes out does not depend on the machine, and no test waits.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from functools import partial

import pytest
from tests.support.virtual_time import VirtualClock

from stratagem.errors import LimitExceeded
from stratagem.play.choice import Thought
from stratagem.play.clock import Margin
from stratagem.play.process.pending_worker import Hear, PendingWorker
from stratagem.play.process.protocol import (
    BeginMatch,
    Command,
    Finished,
    FinishMatch,
    Follow,
    Idle,
    Offered,
    Ready,
    Report,
    RulesLoaded,
    TakeTurn,
    Trouble,
)
from stratagem.play.process.timed_player import DEPUTY_WAITS, TimedPlayer
from stratagem.play.process.worker import WorkerConfig

READY = Ready(("a", "b"), "joins", 0.01)
NOTHING = Report()
Behaviour = Callable[["FakeWorker", Command], None]


class FakeWorker:
    """A worker whose *behaviour* answers each command."""

    def __init__(self, config: WorkerConfig, heard: Hear, behaviour: Behaviour, clock: VirtualClock) -> None:
        self.clock = clock
        self.config = config
        self.heard = heard
        self.behaviour = behaviour
        self.commands: list[Command] = []
        self.dismissed = False

    def send(self, command: Command) -> None:
        self.commands.append(command)
        self.behaviour(self, command)

    def kill(self) -> None:
        self.dismissed = True

    def offer(
        self, command: TakeTurn | Follow, move: str, *, nodes: int = 0, done: bool = False, only: bool = False
    ) -> None:
        self.heard(Offered(command.number, move, Thought("fake", "because", nodes=nodes), done, only))


def obedient(worker: FakeWorker, command: Command) -> None:
    """Ready at once; a first offer at once, the choice when time is up."""
    if isinstance(command, BeginMatch):
        worker.heard(READY)
    if isinstance(command, TakeTurn):
        worker.offer(command, "first")
        worker.clock.at(command.deadline, lambda: worker.offer(command, "choice", nodes=10, done=True))
    if isinstance(command, FinishMatch):
        worker.heard(Finished((100, 0)))


def deaf(worker: FakeWorker, command: Command) -> None:
    """Never says anything."""


def stubborn(worker: FakeWorker, command: Command) -> None:
    """Offers something and thinks on past every deadline."""
    if isinstance(command, BeginMatch):
        worker.heard(READY)
    if isinstance(command, TakeTurn):
        worker.offer(command, "stubborn", nodes=3)


def mortal(worker: FakeWorker, command: Command) -> None:
    """Dies when it has to move."""
    if isinstance(command, BeginMatch):
        worker.heard(READY)
    if isinstance(command, TakeTurn):
        worker.heard(None)


def deputy(worker: FakeWorker, command: Command) -> None:
    if isinstance(command, BeginMatch):
        worker.heard(READY)
    if isinstance(command, TakeTurn):
        worker.offer(command, "deputy", nodes=2)
    if isinstance(command, FinishMatch):
        worker.heard(Finished((50, 50)))


class Setup:
    """A timed player with a thinker and a deputy of the given behaviours."""

    def __init__(self, thinker: Behaviour, second: Behaviour = deputy) -> None:
        self.clock = VirtualClock()
        self.spawned: list[FakeWorker] = []
        self.log: list[str] = []

        def spawn(config: WorkerConfig, heard: Hear) -> FakeWorker:
            behaviour = second if config.machine == "joins" else thinker
            self.spawned.append(FakeWorker(config, heard, behaviour, self.clock))
            return self.spawned[-1]

        self.player = TimedPlayer(
            "legal",
            margin=Margin(0.05, load=0),
            clock=self.clock,
            spawn=spawn,  # type: ignore[arg-type]
            log=self.log.append,
        )

    def start(self, playclock: float = 0.8, startclock: float = 0.4, rules: str = "(rules)"):
        return self.clock.result(self.player.start("m", "a", rules, startclock, playclock))

    def play(self, report: Report = NOTHING, **how):
        begun = self.clock.now()
        answer = self.clock.result(self.player.play(report, **how))
        return answer, self.clock.now() - begun

    def thinkers(self) -> list[FakeWorker]:
        return [worker for worker in self.spawned if worker.config.machine != "joins"]

    def deputies(self) -> list[FakeWorker]:
        return [worker for worker in self.spawned if worker.config.machine == "joins"]


@pytest.fixture
def setup() -> Iterator[Callable[..., Setup]]:
    tables: list[Setup] = []

    def make(*behaviours: Behaviour) -> Setup:
        tables.append(Setup(*behaviours))
        return tables[-1]

    yield make
    for each in tables:
        each.player.close()
        each.clock.settle()


def test_an_obedient_thinker_uses_its_time_and_is_not_late(setup):
    here = setup(obedient)
    assert here.start().refusal == ""
    answer, seconds = here.play()
    assert (answer.move, answer.source, answer.overruled) == ("choice", "thinker", False)
    assert 0.3 < seconds < 0.8
    assert not any(isinstance(command, TakeTurn) for command in here.deputies()[0].commands)


def test_a_stubborn_thinker_is_overruled_in_time_with_its_own_offer(setup):
    here = setup(stubborn)
    here.start()
    answer, seconds = here.play()
    assert (answer.move, answer.overruled) == ("stubborn", True)
    assert seconds < 0.8


def test_the_deputy_speaks_for_a_thinker_that_says_nothing(setup):
    here = setup(deaf)
    here.start()
    answer, seconds = here.play()
    assert (answer.move, answer.source) == ("deputy", "deputy")
    assert seconds < 0.8


def test_the_start_clock_ends_whether_the_thinker_is_ready_or_not(setup):
    here = setup(deaf)
    begun = here.clock.now()
    started = here.start(startclock=0.3)
    assert here.clock.now() - begun < 0.3
    assert started.refusal == ""
    assert started.note == "the rules are still being compiled"


def test_rules_that_are_compiled_are_not_said_to_be_compiling(setup):
    def loaded(worker: FakeWorker, command: Command) -> None:
        if isinstance(command, BeginMatch):
            worker.heard(RulesLoaded(("a", "b"), "native", 0.2))

    started = setup(loaded).start(startclock=0.3)
    assert started.note == "the rules were there after 0.2 s, and the search is still getting ready"
    assert started.roles == ("a", "b")


def test_a_dead_thinker_is_replaced_twice_and_then_the_deputy_plays_alone(setup):
    here = setup(mortal)
    here.start()
    for turn in range(4):
        report = Report() if turn == 0 else Report((f"x{turn}", "noop"))
        answer, seconds = here.play(report)
        assert answer.move == "deputy"
        assert seconds < 0.8
    assert len(here.thinkers()) == 3
    assert all(worker.dismissed for worker in here.thinkers())
    assert here.log.count("the thinker has died") == 3


def test_whoever_replaces_another_gets_all_reports(setup):
    here = setup(obedient)
    here.start()
    here.play()
    here.play(Report(("m1", "noop")))
    here.thinkers()[0].heard(None)
    here.play(Report(("m2", "noop")))
    begin, *_, last = here.thinkers()[1].commands
    assert isinstance(begin, BeginMatch)
    assert isinstance(last, TakeTurn)
    told = [
        command.update for command in here.thinkers()[1].commands if isinstance(command, TakeTurn | Follow)
    ]
    heard: tuple[Report, ...] = ()
    for update in told:
        heard = update.after(heard)
    assert [report.moves for report in heard] == [("m1", "noop"), ("m2", "noop")]


def following(move: str, *, only: bool = False) -> Behaviour:
    """A deputy that says what is legal wherever it follows to, and never anything else."""

    def behave(worker: FakeWorker, command: Command) -> None:
        if isinstance(command, BeginMatch):
            worker.heard(READY)
        if isinstance(command, Follow):
            worker.offer(command, move, only=only)

    return behave


def dies_later(worker: FakeWorker, command: Command) -> None:
    """Plays its first move and is silent after that."""
    if isinstance(command, BeginMatch):
        worker.heard(READY)
    if isinstance(command, TakeTurn) and command.number == 1:
        worker.offer(command, "(mark 2 1)", nodes=10, done=True)


def test_a_deputy_that_only_follows_has_told_a_legal_move_when_the_thinker_hangs(setup):
    """Its own move is never repeated: here only noop is legal."""
    here = setup(dies_later, following("noop"))
    here.start()
    assert here.play()[0].move == "(mark 2 1)"
    answer, seconds = here.play(Report(("(mark 2 1)", "noop")))
    assert (answer.move, answer.source) == ("noop", "deputy")
    assert seconds < 0.8


def test_an_only_move_that_the_deputy_knows_is_played_as_soon_as_the_thinker_had_time_to_say_it(setup):
    here = setup(dies_later, following("noop", only=True))
    here.start(playclock=60)
    here.play()
    answer, seconds = here.play(Report(("(mark 2 1)", "noop")))
    assert (answer.move, answer.thought.why) == ("noop", "because")
    assert seconds == pytest.approx(DEPUTY_WAITS)


def test_an_only_move_is_the_thinkers_to_tell_while_it_answers(setup):
    def quick(worker: FakeWorker, command: Command) -> None:
        if isinstance(command, BeginMatch):
            worker.heard(READY)
        if isinstance(command, TakeTurn):
            soon = worker.clock.now() + DEPUTY_WAITS / 2
            worker.clock.at(soon, lambda: worker.offer(command, "noop", done=True, only=True))

    here = setup(quick, following("noop", only=True))
    here.start()
    assert here.play()[0].source == "thinker"


def test_what_was_legal_in_the_first_position_is_known_before_the_first_question(setup):
    def ready_with_a_move(worker: FakeWorker, command: Command) -> None:
        if isinstance(command, BeginMatch):
            worker.heard(Ready(("a", "b"), "joins", 0.01, move="(drop 1)"))

    here = setup(deaf, ready_with_a_move)
    here.start()
    answer, _ = here.play()
    assert (answer.move, answer.source) == ("(drop 1)", "deputy")


@pytest.mark.parametrize(
    ("rules", "guess"),
    [
        (
            "(role a) (<= (legal a (mark ?x)) (true (cell ?x b))) (<= (legal a noop) (true (control b)))",
            "noop",
        ),
        ("(role a) (legal b noop) (legal a stay)", "stay"),
        ("(role a) (<= (legal a (go ?x)) (true (at ?x))) (input a (go 1)) (input a (go 2))", "(go 1)"),
        ("(role a) (<= (legal ?role (say hello)) (role ?role))", "(say hello)"),
        ("(role a) (<= (legal a", "noop"),
    ],
)
def test_a_guess_is_a_move_of_the_sheet_and_says_that_it_is_one(setup, rules, guess):
    here = setup(dies_later, deaf)
    here.start(rules=rules)
    here.play()
    answer, seconds = here.play(Report(("(mark 2 1)", "noop")))
    assert (answer.move, answer.source) == (guess, "guess")
    assert answer.thought.why == "a guess: no legal move was known in time"
    assert seconds < 0.8


def test_where_the_sheet_spells_out_no_move_a_guess_is_one_that_was_legal_once(setup):
    def knows_one(worker: FakeWorker, command: Command) -> None:
        if isinstance(command, BeginMatch):
            worker.heard(Ready(("a",), "joins", 0.01, move="(slide 1 2)"))

    here = setup(dies_later, knows_one)
    here.start(rules="(role a) (<= (legal a (slide ?x ?y)) (true (at ?x ?y)))")
    here.play()
    answer, _ = here.play(Report(("(mark 2 1)",)))
    assert (answer.move, answer.source) == ("(slide 1 2)", "guess")


def test_nobody_says_anything_and_still_there_is_an_answer(setup):
    here = setup(deaf, deaf)
    here.start()
    answer, seconds = here.play()
    assert (answer.move, answer.source) == ("noop", "guess")
    assert seconds < 0.8


def test_a_message_that_comes_twice_gets_the_same_answer(setup):
    here = setup(obedient)
    here.start()
    first, _ = here.play()
    again, seconds = here.play()
    assert again == first
    assert seconds == 0
    one = here.player.play(Report(("m1", "noop")))
    two = here.player.play(Report(("m1", "noop")))
    assert here.clock.result(one) == here.clock.result(two)
    turns = [command for command in here.thinkers()[0].commands if isinstance(command, TakeTurn)]
    assert len(turns) == 2


def test_turns_that_are_counted_show_what_was_lost(setup):
    here = setup(obedient)
    here.start()
    here.play(turn=0)
    here.play(Report(own="m1", percepts=()), turn=1)
    here.play(Report(own="m1", percepts=()), turn=1)
    here.play(Report(own="m3", percepts=()), turn=3)
    heard: tuple[Report, ...] = ()
    for command in here.thinkers()[0].commands:
        if isinstance(command, TakeTurn):
            heard = command.update.after(heard)
    assert [report.own for report in heard] == ["m1", "choice", "m3"]
    assert heard[1].percepts is None, "nothing is known of what was seen then"


def test_offers_for_earlier_turns_are_not_taken_for_this_one(setup):
    here = setup(stubborn, deaf)
    here.start()
    here.play()
    late = here.thinkers()[0].commands[-1]
    future = here.player.play(Report(("m1", "noop")))
    assert isinstance(late, TakeTurn)
    here.thinkers()[0].offer(late, "late", nodes=99, done=True)
    assert here.clock.result(future).move == "stubborn"


def test_a_deputy_that_was_asked_may_rest_when_the_thinker_wakes_up(setup):
    def slow(worker: FakeWorker, command: Command) -> None:
        if isinstance(command, BeginMatch):
            worker.heard(READY)
        if isinstance(command, TakeTurn):
            worker.clock.at(worker.clock.now() + 0.5, lambda: worker.offer(command, "first"))
            worker.clock.at(
                worker.clock.now() + 0.5, lambda: worker.offer(command, "choice", nodes=10, done=True)
            )

    here = setup(slow)
    here.start(playclock=5, startclock=5)
    here.play()
    kinds = [type(command) for command in here.deputies()[0].commands]
    assert kinds[-3:] == [Follow, TakeTurn, Idle]


def test_a_patient_player_waits_for_a_legal_move_past_its_deadline():
    clock, offers = VirtualClock(), []

    def late(worker: FakeWorker, command: Command) -> None:
        if isinstance(command, TakeTurn):
            worker.clock.at(worker.clock.now() + 20, lambda: worker.offer(command, "late", nodes=1))

    player = TimedPlayer(
        "legal",
        margin=Margin(0.05, load=0),
        clock=clock,
        patience=5.0,
        offered=offers.append,
        spawn=lambda config, hear: FakeWorker(config, hear, late, clock),  # type: ignore[arg-type, return-value]
    )
    player.start("m", "a", "", 1, 1)
    answer = clock.result(player.play(NOTHING))
    assert (answer.move, answer.source) == ("late", "thinker")
    assert clock.now() >= 20
    assert [offered.move for offered in offers] == ["late"]
    player.close()
    clock.settle()


def test_rules_that_are_none_are_refused_when_the_match_starts(setup):
    def judge(worker: FakeWorker, command: Command) -> None:
        worker.heard(Trouble("line 3: this is no GDL", fatal=True))

    assert setup(judge, judge).start().refusal == "line 3: this is no GDL"


def test_taking_moves_back_sends_the_reports_anew(setup):
    here = setup(obedient)
    here.start()
    here.play()
    here.play(Report(("m1", "noop")))
    here.play(Report(("m2", "noop")))
    here.player.recall(())
    here.play(Report(("other", "noop")))
    heard: tuple[Report, ...] = ()
    for command in here.thinkers()[0].commands:
        if isinstance(command, TakeTurn):
            heard = command.update.after(heard)
    assert [report.moves for report in heard] == [("other", "noop")]


def test_the_goals_come_from_the_deputy_and_then_all_workers_end(setup):
    here = setup(obedient)
    here.start()
    here.play()
    assert here.clock.result(here.player.finish(Report(("m1", "noop")))).goals == (50, 50)
    here.clock.settle()
    assert all(worker.dismissed for worker in here.spawned)


def test_goals_that_nobody_knows_are_waited_for_as_long_as_was_said(setup):
    here = setup(deaf, deaf)
    here.start()
    begun = here.clock.now()
    assert here.clock.result(here.player.finish(Report(), patience=60.0)) == Finished(None)
    assert here.clock.now() - begun == 60.0


def test_a_machine_without_room_for_processes_still_answers():
    def spawn(config: WorkerConfig, heard: Hear):
        raise LimitExceeded("no process could be started to think in")

    log: list[str] = []
    clock = VirtualClock()
    player = TimedPlayer("legal", margin=Margin(0.05, load=0), clock=clock, spawn=spawn, log=log.append)
    assert clock.result(player.start("m", "a", "(rules)", 0.2, 0.2)).refusal == ""
    assert clock.result(player.play(Report())).source == "guess"
    assert any("no process could be started" in text for text in log)
    player.close()


def test_nobody_waits_for_processes_that_take_long_to_start():
    """A fork server that answers late, as on a busy machine: the clock goes on, and so do the answers."""
    clock, may_start = VirtualClock(), threading.Event()

    def start(config: WorkerConfig, hear: Hear) -> FakeWorker:
        assert may_start.wait(60)
        return FakeWorker(config, hear, obedient, clock)

    made: list[PendingWorker] = []

    def spawn(config: WorkerConfig, hear: Hear) -> PendingWorker:
        made.append(PendingWorker(partial(start, config, hear), hear))  # type: ignore[arg-type]
        return made[-1]

    player = TimedPlayer("legal", margin=Margin(0.05, load=0), clock=clock, spawn=spawn)
    begun = clock.now()
    assert clock.result(player.start("m", "a", "(rules)", 2.0, 1.0)).refusal == ""
    assert begun + 1.0 < clock.now() < begun + 2.0
    begun = clock.now()
    assert clock.result(player.play(Report())).source == "guess"
    assert clock.now() < begun + 1.0
    may_start.set()
    player.close()
    clock.settle()


def test_messages_that_are_read_late_make_the_first_move_more_careful(setup):
    """The thread of the clock is kept busy for 0.3 s while the question for the first move waits."""
    here = setup(stubborn)
    here.start(playclock=1.0)
    margin, clock = here.player.margin, here.clock
    before, asked = margin.overrule(1.0), threading.Event()

    def busy() -> None:
        assert asked.wait(60)
        clock._now = clock.now() + 0.3

    here.player._events.put(busy)
    begun = clock.now()
    answered = here.player.play(NOTHING)
    asked.set()
    answer = clock.result(answered)
    assert answer.decided < begun + 1.0 - 0.3
    assert margin.overrule(1.0) > before + 0.3
    for turn in range(40):
        here.play(Report((f"m{turn}", "noop")))
    assert margin.overrule(1.0) < before + 0.15


def test_lateness_is_learned_from(setup):
    def late(worker: FakeWorker, command: Command) -> None:
        if isinstance(command, TakeTurn):
            worker.offer(command, "first")
            late = command.deadline + 0.08
            worker.clock.at(late, lambda: worker.offer(command, "choice", nodes=10, done=True))
        elif isinstance(command, BeginMatch):
            worker.heard(READY)

    here = setup(late)
    here.start(playclock=10.0)
    before = here.player.margin.think(10.0)
    for turn in range(3):
        here.play(Report() if turn == 0 else Report((f"m{turn}", "noop")))
    assert here.player.margin.think(10.0) > before
    assert here.player.margin.stopping.expected >= 0.08
