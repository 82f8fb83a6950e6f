"""Work that is asked to stop, or whose budget is spent, is not waited for much longer; notes are one line each."""

from __future__ import annotations

import signal
import threading
import warnings
from collections.abc import Iterator

import pytest

from stratagem.circuit.compiler.budget import out_of_time
from stratagem.cli.common.notes import warnings_as_notes
from stratagem.cli.common.progress import GRACE, Stop, Tell, WorkAbandoned, with_progress
from stratagem.errors import OutOfTime
from stratagem.loading import SlowerMachine


@pytest.fixture
def forever() -> Iterator[threading.Event]:
    """What work waits for that cannot be asked to stop; set at the end of the test."""
    event = threading.Event()
    yield event
    event.set()


@pytest.fixture
def interruptible(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Ctrl-C reaches Python, also where the tests run in the background of a shell that ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


class Clock:
    """Time that begins to run, a second at a time, once it has been *started*."""

    def __init__(self, *, started: bool = True) -> None:
        self.time, self.running = 0.0, threading.Event()
        if started:
            self.running.set()

    def __call__(self) -> float:
        self.time += self.running.is_set()
        return self.time


def test_work_that_keeps_its_budget_is_returned() -> None:
    assert with_progress(lambda tell, stop: 42, seconds=5.0) == 42


def test_what_work_raises_is_raised() -> None:
    with pytest.raises(ZeroDivisionError):
        with_progress(lambda tell, stop: 1 / 0)


def test_work_that_outlasts_its_budget_is_left_behind_with_its_last_step(forever: threading.Event) -> None:
    clock, told = Clock(started=False), []

    def work(tell: Tell, stop: Stop) -> None:
        tell("compiling kernels")
        told.append(True)
        clock.running.set()
        forever.wait()

    with pytest.raises(
        WorkAbandoned, match=r"budget of 30 s is spent; the last step was: compiling kernels; more"
    ):
        with_progress(work, seconds=30.0, hint="more", now=clock)
    assert told
    assert 30 + GRACE < clock.time <= 30 + GRACE + 2


@pytest.mark.usefixtures("interruptible")
def test_ctrl_c_asks_the_work_to_stop_and_takes_what_it_knows() -> None:
    def work(tell: Tell, stop: Stop) -> str:
        signal.raise_signal(signal.SIGINT)
        while not stop():
            pass
        return "bounds"

    assert with_progress(work) == "bounds"


@pytest.mark.usefixtures("interruptible")
def test_work_that_does_not_hear_ctrl_c_is_left_behind(forever: threading.Event) -> None:
    clock = Clock(started=False)

    def work(tell: Tell, stop: Stop) -> None:
        signal.raise_signal(signal.SIGINT)
        while not stop():
            pass
        clock.running.set()
        forever.wait()

    with pytest.raises(WorkAbandoned, match="stopped, and nothing is known yet"):
        with_progress(work, seconds=1000.0, now=clock)
    assert clock.time <= GRACE + 3


@pytest.mark.usefixtures("interruptible")
def test_work_that_ctrl_c_has_ended_for_want_of_time_was_stopped_and_not_late() -> None:
    def work(tell: Tell, stop: Stop) -> None:
        tell("compiling the rules")
        signal.raise_signal(signal.SIGINT)
        while not stop():
            pass
        raise out_of_time()

    with pytest.raises(OutOfTime) as fault:
        with_progress(work, seconds=1000.0, more="--budget allows more")
    assert str(fault.value) == "stopped; the last step was: compiling the rules"


@pytest.mark.usefixtures("interruptible")
def test_work_that_ctrl_c_has_ended_and_that_can_be_continued_says_so_itself() -> None:
    def work(tell: Tell, stop: Stop) -> None:
        tell("compiling the rules")
        signal.raise_signal(signal.SIGINT)
        while not stop():
            pass
        raise OutOfTime("stopped; the checkpoint keeps the finished layers", hint="continue with --resume")

    with pytest.raises(OutOfTime) as fault:
        with_progress(work, hint="continue with the same command and --resume")
    assert str(fault.value) == "stopped; the checkpoint keeps the finished layers; continue with --resume"


def test_work_that_had_too_little_time_names_the_option_that_gives_more() -> None:
    def work(tell: Tell, stop: Stop) -> None:
        raise out_of_time()

    with pytest.raises(OutOfTime, match="before the rules were compiled; --budget allows more"):
        with_progress(work, seconds=1000.0, more="--budget allows more")


def test_our_warnings_are_notes_of_one_line_and_others_stay_what_they_are(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    others: list[str] = []
    monkeypatch.setattr(warnings, "showwarning", lambda message, *_: others.append(str(message)))
    warnings_as_notes()
    warnings.showwarning("chess runs on the reasoner", SlowerMachine, "loading.py", 1)
    warnings.showwarning("somebody else's", UserWarning, "other.py", 1)
    assert capsys.readouterr().err == "note: chess runs on the reasoner\n"
    assert others == ["somebody else's"]
