# make demo    the demo company, six questions answered
# make test    the whole test suite
# The first target that needs it builds .venv from requirements.lock; nothing is installed elsewhere.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
unexport PYTHONDONTWRITEBYTECODE PYTHONHOME PYTHONPATH VIRTUAL_ENV

BIN := .venv/bin
READY := .venv/.ready
CODE := agent tools instructions demo evals examples tests

.PHONY: help demo test lint format eval lock clean

help:
	@echo "make demo    build the demo company and answer six questions, with sources"
	@echo "make test    run the test suite"
	@echo "make lint    formatting, lint and types"
	@echo "make eval    routing and answer quality over the demo company"
	@echo "make lock    pin the versions again from pyproject.toml (needs uv)"
	@echo "make clean   remove .venv, .desk and caches"

demo: $(READY)
	@$(BIN)/desk demo

test: $(READY)
	@$(BIN)/python -m pytest

lint: $(READY)
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy

format: $(READY)
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

eval: $(READY)
	@$(BIN)/python -m evals.run

$(READY): requirements.lock pyproject.toml
	@python=""; \
	for name in $(PYTHON) python3 python3.14 python3.13 python3.12 python3.11; do \
	  if "$$name" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then python=$$name; break; fi; \
	done; \
	if [ -z "$$python" ]; then echo "Citedesk needs Python 3.11 or newer: install it, or make PYTHON=/path/to/python3.11" >&2; exit 1; fi; \
	echo "Setting up .venv (once; a minute or two)" >&2; \
	if command -v uv >/dev/null; then \
	  uv venv --quiet --allow-existing --python "$$python" .venv; \
	  uv pip install --quiet --python $(BIN)/python -r requirements.lock; \
	  uv pip install --quiet --python $(BIN)/python --no-deps --no-build-isolation -e .; \
	else \
	  "$$python" -m venv .venv || { echo "$$python has no venv module: install it (Debian: python3-venv), or uv" >&2; exit 1; }; \
	  $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile -r requirements.lock; \
	  $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .; \
	fi; \
	$(BIN)/python -m compileall -qq -j 0 .venv/lib $(CODE) || true; \
	touch $@

lock:
	uv pip compile --universal --python-version 3.11 pyproject.toml --extra dev --no-header --no-annotate -q -o requirements.lock

# The embedded PostgreSQL goes on running between commands, so it is stopped before its folder goes.
clean:
	@if [ -f .desk/postgres/postmaster.pid ]; then kill "$$(head -n 1 .desk/postgres/postmaster.pid)" 2>/dev/null || true; fi
	@rm -rf .venv .desk build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +
