"""The package as it is published: its description is true, and what the workflows name exists."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

import stratagem

ROOT = Path(__file__).parents[1]
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
ADDRESS = "https://github.com/stratagem-games/stratagem"


def read(path: Path) -> Any:
    yaml = pytest.importorskip("yaml", reason="PyYAML is not installed; pip install 'stratagem[docs]'")
    # YAML 1.1 takes the word `on` for a truth value
    return {
        "on" if key is True else key: value for key, value in yaml.safe_load(path.read_text("utf-8")).items()
    }


def jobs() -> list[tuple[str, str, Any]]:
    return [(path.name, name, job) for path in WORKFLOWS for name, job in read(path)["jobs"].items()]


def commands() -> list[str]:
    return [step["run"] for _, _, job in jobs() for step in job["steps"] if "run" in step]


def test_there_is_one_version():
    assert PROJECT["project"]["dynamic"] == ["version", "readme"]
    assert PROJECT["tool"]["hatch"]["version"]["path"] == "src/stratagem/__init__.py"
    citation = (ROOT / "CITATION.cff").read_text("utf-8")
    assert re.search(r"^version: (.*)$", citation, re.MULTILINE)[1] == stratagem.__version__  # type: ignore[index]


def test_numpy_2_is_asked_for_and_the_compiler_is_bounded():
    bounds = dict(
        re.match(r"([\w-]+)(.*)", wanted).groups()  # type: ignore[union-attr]
        for wanted in PROJECT["project"]["dependencies"]
    )
    assert bounds["numpy"].startswith(">=2")
    assert re.fullmatch(r">=0\.\d+,<0\.\d+", bounds["llvmlite"])


def test_what_the_package_imports_is_what_it_asks_for():
    """Packages that are only there because another one needs them may go when that one changes its mind."""
    source = "\n".join(path.read_text("utf-8") for path in (ROOT / "src").rglob("*.py"))
    imported = set(re.findall(r"^\s*(?:from|import) (\w+)", source, re.MULTILINE))
    assert "click" not in imported
    asked = {re.match(r"[\w-]+", wanted)[0].lower() for wanted in PROJECT["project"]["dependencies"]}  # type: ignore[index]
    assert asked <= imported


def test_versions_of_python_are_the_same_in_classifiers_and_matrix():
    classified = [
        name.rpartition(" ")[2]
        for name in PROJECT["project"]["classifiers"]
        if re.fullmatch(r"Programming Language :: Python :: 3\.\d+", name)
    ]
    (matrix,) = (
        job["strategy"]["matrix"] for file, name, job in jobs() if (file, name) == ("ci.yml", "test")
    )
    assert matrix["python"] == classified == ["3.11", "3.12", "3.13", "3.14"]
    assert {system.partition("-")[0] for system in matrix["system"]} == {"ubuntu", "macos", "windows"}
    assert any(system.endswith("-arm") for system in matrix["system"])


def test_every_address_is_of_one_repository():
    assert all("stratagem-games" in address for address in PROJECT["project"]["urls"].values()), PROJECT[
        "project"
    ]["urls"]
    assert PROJECT["project"]["urls"]["Source"] == ADDRESS
    for name in ("SECURITY.md", "CITATION.cff", ".github/ISSUE_TEMPLATE/config.yml"):
        assert ADDRESS in (ROOT / name).read_text("utf-8")


@pytest.mark.parametrize(
    "path", [*WORKFLOWS, *sorted((ROOT / ".github").glob("ISSUE_TEMPLATE/*.yml"))], ids=lambda path: path.name
)
def test_workflows_and_templates_can_be_read(path):
    content = read(path)
    if path in WORKFLOWS:
        assert {"name", "on", "permissions", "jobs"} <= set(content)
        for job in content["jobs"].values():
            assert "timeout-minutes" in job
            assert all("run" in step or "@" in step["uses"] for step in job["steps"])


def test_workflows_name_only_targets_extras_marks_and_files_that_exist():
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    extras = set(PROJECT["project"]["optional-dependencies"])
    marks = {mark.partition(":")[0] for mark in PROJECT["tool"]["pytest"]["ini_options"]["markers"]}
    named = commands()
    assert {"make test", "make wheel", "make test-slow"} <= set(named)
    for command in named:
        if command.startswith("make "):
            assert command.split()[1] in targets
        for several in re.findall(r"\.\[([\w,]+)\]", command):
            assert set(several.split(",")) <= extras
        for expression in re.findall(r"pytest .*-m \"([^\"]*)\"", command):
            assert set(expression.split()) - {"and", "not", "or"} <= marks
        for file in re.findall(r"python ([\w/]+\.py)", command):
            assert (ROOT / file).is_file()


def test_windows_is_never_asked_for_make():
    for file, name, job in jobs():
        systems = str(job.get("strategy", {}).get("matrix", {}).get("system", job["runs-on"]))
        if "windows" in systems:
            assert not any(step.get("run", "").startswith("make") for step in job["steps"]), (file, name)


def test_only_publishing_may_do_so_and_only_from_a_tag():
    release = read(ROOT / ".github" / "workflows" / "release.yml")
    assert release["on"] == {"push": {"tags": ["v*"]}}
    assert release["jobs"]["publish"]["permissions"] == {"id-token": "write"}
    assert all(
        "id-token" not in str(job.get("permissions", ""))
        for name, job in release["jobs"].items()
        if name != "publish"
    )


def test_make_test_installs_nothing_for_the_whole_machine():
    makefile = (ROOT / "Makefile").read_text("utf-8")
    rules = dict(re.findall(r"^([\w-]+):([^\n]*(?:\n\t[^\n]*)*)", makefile, re.MULTILINE))
    assert "apt-get" in rules["browser"]
    assert all(
        "apt-get" not in rule and "browser" not in rule for name, rule in rules.items() if name != "browser"
    )
    assert (ROOT / ".ci" / "run").read_text("utf-8").splitlines()[-1] == "make test"


def test_the_readme_on_the_package_index_has_no_paths():
    text = (ROOT / "README.md").read_text("utf-8")
    for each in PROJECT["tool"]["hatch"]["metadata"]["hooks"]["fancy-pypi-readme"]["substitutions"]:
        text = re.sub(each["pattern"], each["replacement"], text)
    places = re.findall(r"\]\(([^)]*)\)", text)
    assert len(places) >= 3
    assert all(place.startswith("https://") for place in places)


def test_empty_packages_are_not_shipped():
    package = ROOT / "src" / "stratagem"
    for initial in package.rglob("__init__.py"):
        content = [
            path for path in initial.parent.iterdir() if path.name not in ("__init__.py", "__pycache__")
        ]
        assert content, f"{initial.parent} has nothing in it"
    assert (package / "py.typed").is_file()
