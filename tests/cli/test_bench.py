"""`stratagem bench` and `stratagem perf` as a user calls them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.support.markdown import run_command

from stratagem.cli import bench as module
from stratagem.loading import SlowerMachine, load


def refused(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    """The one sentence with which a wrong command ends."""
    from unittest.mock import patch

    from stratagem.cli import main

    with patch("sys.argv", ["stratagem", *arguments]), pytest.raises(SystemExit) as left:
        main()
    assert left.value.code == 2
    return capsys.readouterr().err


def test_bench_measures_every_rate() -> None:
    (found,) = json.loads(run_command(["bench", "tictactoe", "--seconds", "0.1", "--json"]))
    assert found["game"] == "tictactoe"
    assert found["machine"] == "native"
    assert found["gates"] > 50
    assert found["playouts_per_second"] > 0
    assert abs(found["states_per_second"] / found["playouts_per_second"] - 7.63) < 0.2
    assert found["children_per_second"] > 0
    assert found["share_of_peak"] > 0
    assert {"parse", "machine", "playout code"} <= set(found["seconds_by_stage"])


def test_bench_prints_one_game_after_another() -> None:
    text = run_command(["bench", "tictactoe", "rockpaperscissors", "--seconds", "0.05", "--threads", "2"])
    assert text.index("tictactoe (native)") < text.index("rockpaperscissors (native)")
    assert "a second on 2 threads" in text
    assert "% of the peak rate of vector logic" in text


def test_bench_takes_sizes() -> None:
    (small,) = json.loads(
        run_command(
            ["bench", "connectfour", "--set", "columns=4", "--set", "rows=4", "--seconds", "0.05", "--json"]
        )
    )
    assert small["moves"] == [5, 5]


def test_a_game_on_the_reasoner_is_measured_there() -> None:
    game = load("tictactoe", machine="reasoner")
    game.fallback = "the rules could not be ground"
    found = {"threads": 1, "seconds_by_stage": {"parse": 0.001}}
    module.measure(game, found, 0.2)
    assert found["fallback"] == "the rules could not be ground"
    assert found["states_per_second"] > 0
    assert "runs on reasoner: the rules could not be ground" in "\n".join(module.described(found))
    assert issubclass(SlowerMachine, UserWarning)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["bench", "tictactoe", "--seconds", "0"], "--seconds must be more than 0; got 0"),
        (["bench", "tictactoe", "--threads", "0"], "--threads must be at least 1; got 0"),
        (["bench", "nosuchgame"], "no game, file or rules called 'nosuchgame'"),
        (["perf", "tictactoe", "result.txt", "0"], "seconds must be more than 0; got 0"),
        (["perf", "tictactoe", "/nowhere/at/all/result.txt", "0.05"], "No such file or directory"),
    ],
)
def test_wrong_arguments_are_named(arguments, sentence, capsys) -> None:
    assert sentence in refused(arguments, capsys)


def read(path: Path) -> dict[str, str]:
    return dict(line.split("=", 1) for line in path.read_text().splitlines())


def test_perf_writes_what_the_harness_reads(tmp_path: Path) -> None:
    result = tmp_path / "result.txt"
    run_command(["perf", "tictactoe", str(result), "0.2"])
    found = read(result)
    assert list(found) == ["version", "millisecondsTaken", "numStateChanges", "numRollouts"]
    assert int(found["millisecondsTaken"]) > 0
    assert 7 < int(found["numStateChanges"]) / int(found["numRollouts"]) < 8


def test_perf_says_what_went_wrong_in_the_file_too(tmp_path: Path, capsys) -> None:
    result = tmp_path / "result.txt"
    sheet = tmp_path / "broken.kif"
    sheet.write_text("(role x) (init")
    refused(["perf", str(sheet), str(result), "0.2"], capsys)
    found = read(result)
    assert list(found) == ["version", "errorMessage"]
    assert "\n" not in found["errorMessage"]


def test_bench_runs_playouts_on_a_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.support.fake_cuda import FakeCuda, processors_for_gpus

    monkeypatch.setattr("stratagem.native.playouts.playouts.GPU_ROUND", 4096)
    processors_for_gpus(monkeypatch, FakeCuda())
    (found,) = json.loads(
        run_command(["bench", "tictactoe", "--seconds", "0.01", "--device", "cuda", "--json"])
    )
    assert found["device"] == "cuda"
    assert found["matches"] >= 4096
    assert "children_per_second" not in found


def test_bench_refuses_a_device_that_there_is_not(capsys: pytest.CaptureFixture[str]) -> None:
    assert "'tpu' is not a device" in refused(["bench", "tictactoe", "--device", "tpu"], capsys)
