# make demo    the demo company, six questions answered
# make test    the whole test suite
# The first target that needs it builds .venv (scripts/setup); nothing is installed elsewhere.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
unexport PYTHONDONTWRITEBYTECODE PYTHONHOME PYTHONPATH VIRTUAL_ENV

BIN := .venv/bin
READY := .venv/.ready

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
	@$(BIN)/python -m pytest -n auto --maxprocesses 4 --dist loadfile

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
	@scripts/setup
	@touch $@

lock:
	uv pip compile --universal --python-version 3.11 pyproject.toml --extra dev --no-header --no-annotate -q -o requirements.lock

# The embedded PostgreSQL goes on running between commands, so it is stopped before its folder goes.
clean:
	@if [ -f .desk/postgres/postmaster.pid ]; then kill "$$(head -n 1 .desk/postgres/postmaster.pid)" 2>/dev/null || true; fi
	@rm -rf .venv .desk build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +
