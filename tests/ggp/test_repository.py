from __future__ import annotations

import json
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from stratagem.errors import BrokenFile, StratagemError, UnknownGame, UsageError
from stratagem.ggp.repository import Repository, game_at
from stratagem.sheets import source

OTHER = "(role solo) (init a) (<= (legal solo go) (true a)) (<= (next b) (does solo go)) (<= terminal (true b)) (goal solo 7)"


@pytest.fixture
def folder(tmp_path) -> Path:
    """A repository with two games, one of them in three versions."""
    game = tmp_path / "repository" / "games" / "ticTacToe"
    (game / "v1").mkdir(parents=True)
    (game / "v2").mkdir()
    (game / "METADATA").write_text(json.dumps({"gameName": "Tic-Tac-Toe", "rulesheet": "ttt.kif"}))
    (game / "ttt.kif").write_text(OTHER)
    (game / "v1" / "METADATA").write_text(
        json.dumps({"gameName": "Tic-Tac-Toe", "rulesheet": "ttt.kif", "description": "three in a row"})
    )
    (game / "v1" / "ttt.kif").write_text(source("tictactoe").text)
    (game / "v2" / "METADATA").write_text(json.dumps({"gameName": "Newest", "rulesheet": "ttt.kif"}))
    other = tmp_path / "repository" / "games" / "go"
    other.mkdir()
    (other / "METADATA").write_text(json.dumps({"rulesheet": "go.kif"}))
    (other / "go.kif").write_text(OTHER)
    (tmp_path / "repository" / "games" / ".hidden").mkdir()
    return tmp_path / "repository"


@pytest.mark.parametrize("below", ["", "games"])
def test_the_games_of_a_folder_are_found(folder, below):
    repository = Repository(folder / below)
    assert repository.keys() == ("go", "ticTacToe")
    assert repository.versions("ticTacToe") == (0, 1, 2)


def test_the_latest_version_is_taken_and_a_file_it_lacks_is_that_of_the_version_before(folder):
    entry = Repository(folder).entry("ticTacToe")
    assert (entry.version, entry.title) == (2, "Newest")
    assert entry.rulesheet == folder / "games" / "ticTacToe" / "v1" / "ttt.kif"
    assert entry.load().roles == ("xplayer", "oplayer")


def test_an_older_version_can_be_asked_for(folder):
    repository = Repository(folder)
    assert repository.load("ticTacToe", 0).roles == ("solo",)
    assert repository.entry("ticTacToe", 1).description == "three in a row"
    with pytest.raises(UnknownGame, match="has no version 7; choose one of 0, 1, 2"):
        repository.entry("ticTacToe", 7)


def test_a_game_s_own_folder_is_a_game(folder):
    place = folder / "games" / "ticTacToe"
    assert game_at(str(place)).roles == ("xplayer", "oplayer")
    assert game_at(str(place / "v1")).roles == ("xplayer", "oplayer")
    assert game_at("tictactoe").roles == ("xplayer", "oplayer")
    assert game_at("connectfour", columns=4, rows=4).roles == ("red", "yellow")


@pytest.mark.parametrize("name", ["../ticTacToe", "", "a b", "/etc", "chess"])
def test_a_name_that_is_none_is_refused(folder, name):
    with pytest.raises(UnknownGame):
        Repository(folder).entry(name)


@pytest.mark.parametrize(
    "metadata", ["{", "[]", "{}", '{"rulesheet": "../../x.kif"}', '{"rulesheet": "none.kif"}']
)
def test_broken_metadata_are_refused_in_a_sentence(folder, metadata):
    (folder / "games" / "go" / "METADATA").write_text(metadata)
    with pytest.raises(BrokenFile):
        Repository(folder).entry("go")


def test_a_folder_that_is_none_is_refused(tmp_path):
    with pytest.raises(UsageError, match="is not a folder"):
        Repository(tmp_path / "nothing")


class Handler(SimpleHTTPRequestHandler):
    """A folder as the field's servers show it: a list of games, and METADATA with the latest version filled in."""

    def do_GET(self) -> None:
        path = self.path.rstrip("/").split("/")
        if path[-1] == "games":
            keys = sorted(one.name for one in Path(self.directory, "games").iterdir() if one.name[0] != ".")
            self._answer(json.dumps(keys).encode())
        elif len(path) == 3 and path[1] == "games":
            repository = Repository(self.directory)
            try:
                entry = repository.entry(path[2])
            except StratagemError:
                self.send_error(404)
                return
            self._answer(json.dumps({**entry.metadata, "version": entry.version}).encode())
        elif path[-1] == "METADATA" and len(path) == 4:
            self.send_error(404)
        elif "v2" in path and path[-1] == "ttt.kif":
            self._answer(Path(self.directory, "games", "ticTacToe", "v1", "ttt.kif").read_bytes())
        else:
            super().do_GET()

    def _answer(self, data: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        """Nothing to say."""


def test_a_repository_on_the_web_is_read_and_kept_for_when_the_network_is_away(folder, tmp_path, monkeypatch):
    monkeypatch.setenv("STRATAGEM_DATA", str(tmp_path / "data"))
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    root = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        repository = Repository(root)
        assert repository.keys() == ("go", "ticTacToe")
        entry = repository.entry("ticTacToe")
        assert (entry.version, entry.title) == (2, "Newest")
        assert entry.load().roles == ("xplayer", "oplayer")
        assert game_at(f"{root}/games/ticTacToe/v1/").roles == ("xplayer", "oplayer")
        with pytest.raises(UsageError, match="cannot be read"):
            repository.entry("chess")
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
    assert Repository(root).entry("ticTacToe").version == 2, "from the disk"
    with pytest.raises(UsageError, match="cannot be read"):
        Repository(root).entry("go")


def test_an_address_that_is_no_game_is_refused():
    with pytest.raises(UnknownGame, match="is not an address of a game"):
        game_at("http://example.invalid/somewhere")
