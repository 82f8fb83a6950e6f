# Two commands do everything on a fresh machine: `make demo` and `make test`.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready

.PHONY: demo test check browser cluster wheel test-slow bench docs clean

$(READY): pyproject.toml
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "installing stratagem and its tools into $(VENV) …"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade pip
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev,docs,ggp,png,rl,web]'
	@touch $(READY)

demo: $(READY)
	@$(BIN)/python examples/demo.py

check: $(READY)
	$(BIN)/ruff check src tests benchmarks examples
	$(BIN)/ruff format --check src tests benchmarks examples
	$(BIN)/mypy
	$(BIN)/lint-imports

test: check
	$(BIN)/python -m pytest -n auto -m "not slow and not realtime"
	$(BIN)/python -m pytest -m "realtime and not slow"

# The browser tests use the system's chromium and skip where there is none. This target installs it, on Debian, for the
# whole machine; nothing else here writes outside this folder.
browser:
	@command -v apt-get >/dev/null || { echo "install chromium and chromedriver the way of your system"; exit 1; }
	apt-get update -qq
	DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium chromium-driver

# The tests on Ray skip where it is not installed.
cluster: $(READY)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[cluster]'

# A wheel and a source archive in dist/, and the wheel tried in an empty environment.
wheel: $(READY)
	rm -rf dist
	$(BIN)/python -m build --outdir dist
	$(BIN)/python -m pytest -m slow tests/test_wheel.py

test-slow: $(READY)
	$(BIN)/python -m pytest -n auto -m "slow and not realtime" --timeout 3600
	$(BIN)/python -m pytest -m "slow and realtime" --timeout 3600

bench: $(READY)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[bench]'
	$(BIN)/python -m benchmarks

docs: $(READY)
	$(BIN)/mkdocs build --strict

clean:
	rm -rf $(VENV) build dist site .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
