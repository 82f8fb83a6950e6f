# Two commands do everything on a fresh machine: `make demo` and `make test`.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready

.PHONY: demo test check browser test-slow bench docs clean

$(READY): pyproject.toml
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "installing stratagem and its tools into $(VENV) …"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade pip
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev,docs,ggp,png,web]'
	@touch $(READY)

demo: $(READY)
	@$(BIN)/python examples/demo.py

check: $(READY)
	$(BIN)/ruff check src tests benchmarks examples
	$(BIN)/ruff format --check src tests benchmarks examples
	$(BIN)/mypy
	$(BIN)/lint-imports

# The browser tests use the system's chromium. It is installed here only on Debian and only for root; elsewhere the
# tests that need it skip and say so.
browser:
	@if ! command -v chromium >/dev/null 2>&1 && [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then \
		echo "installing chromium for the browser tests …"; \
		(apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium chromium-driver) \
			>/dev/null 2>&1 || echo "chromium could not be installed: the browser tests will skip"; \
	fi

test: check browser
	$(BIN)/python -m pytest -n auto -m "not slow and not realtime"
	$(BIN)/python -m pytest -m "realtime and not slow"

test-slow: $(READY)
	$(BIN)/python -m pytest -n auto -m slow --timeout 3600

bench: $(READY)
	$(BIN)/python -m benchmarks

docs: $(READY)
	$(BIN)/mkdocs build --strict

clean:
	rm -rf $(VENV) build dist site .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
