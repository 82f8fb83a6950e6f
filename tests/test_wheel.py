"""The wheel: it has everything in it, and works in an environment that has nothing but it."""

from __future__ import annotations

import os
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

import stratagem

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this working tree."""
    pytest.importorskip("build", reason="build is not installed; pip install 'stratagem[dev]'")
    folder = tmp_path_factory.mktemp("dist")
    subprocess.run([sys.executable, "-m", "build", "--outdir", folder, ROOT], check=True, capture_output=True)
    (found,) = folder.glob("*.whl")
    assert len(list(folder.glob("*.tar.gz"))) == 1
    return found


def test_everything_that_is_in_the_package_is_in_the_wheel(wheel):
    package = ROOT / "src"
    here = {
        path.relative_to(package).as_posix()
        for path in (package / "stratagem").rglob("*")
        if path.is_file() and path.suffix not in (".pyc", ".nbi", ".nbc")
    }
    there = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    assert there == here
    assert {"stratagem/py.typed", "stratagem/sheets/tictactoe.kif"} <= there


def test_the_description_is_whole(wheel):
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith("/METADATA"))
        text = archive.read(name).decode()
    assert f"Version: {stratagem.__version__}\n" in text
    assert "License-Expression: Apache-2.0" in text
    assert "](docs/" not in text and "](CONTRIBUTING" not in text


def test_the_wheel_works_in_an_empty_environment(wheel, tmp_path):
    venv.create(tmp_path / "empty", with_pip=True)
    python = tmp_path / "empty" / ("Scripts" if os.name == "nt" else "bin") / "python"
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    environment["STRATAGEM_CACHE"] = str(tmp_path / "cache")
    for command in (["-m", "pip", "install", "--quiet", wheel], [ROOT / "tests" / "support" / "smoke.py"]):
        done = subprocess.run(
            [python, *command], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
