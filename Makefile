# `make chat` talks to Parley, `make test` proves it; both first install what they need into .venv, and only when it changed.
# Needs Python 3.11 or newer and a package index. Written for GNU make 3.81, which macOS ships, and newer.

MAKEFLAGS += --no-print-directory --no-builtin-rules
.SUFFIXES:
.DEFAULT_GOAL := help
.PHONY: help chat run test nightly check bench crash lock clean FORCE

# Which Python makes .venv, and what is passed on to the command: make chat PYTHON=python3.12 ARGS='-m hi'
PYTHON ?= python3
ARGS ?=
# PYTEST_ARGS='tests/unit -x' chooses some of the tests; -n 2 costs more at the start than a second process saves.
PYTEST_ARGS ?= -q

VENV := .venv
BIN := $(VENV)/bin
UV = $(shell command -v uv 2>/dev/null)

help: ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-7s %s\n", $$1, $$2 }' Makefile

chat: $(VENV)/.runtime ## talk to Parley in this terminal (ARGS='-m hi' for one message; piped lines work too)
	@exec $(BIN)/parley chat $(ARGS)

run: $(VENV)/.runtime ## run the gateway in the foreground
	@exec $(BIN)/parley run $(ARGS)

test: check ## everything that has to pass: the checks, then all tests
	@$(BIN)/python -m pytest $(PYTEST_ARGS)

nightly: $(VENV)/.dev ## show 20,000 documents to the parsers of Telegram and Discord
	@DOCUMENTS=20000 $(BIN)/python -m pytest -q --timeout 0 tests/unit/markup/test_telegram_parser.py tests/unit/markup/test_discord_parser.py

check: $(VENV)/.dev ## format, lint, types, import contracts, size and habit budgets
	@$(BIN)/python -m tests.checks

bench: $(VENV)/.dev ## measure this machine
	@$(BIN)/python -m tests.bench $(ARGS)

crash: $(VENV)/.dev ## kill gateways at every point on every kind of platform, some 12,000 times (ARGS='--kills 5' for fewer)
	@$(BIN)/python -m tests.crash.matrix $(ARGS)

clean: ## remove .venv, caches and builds
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .import_linter_cache .hypothesis .coverage htmlcov

# --- locks ---------------------------------------------------------------------------------------------------------
# A release has to be seven days old before a lock takes it: most poisoned ones are found and removed before that.

RELEASED_BEFORE = $(shell $(PYTHON) -c 'import datetime as d; \
	print((d.datetime.now(d.timezone.utc) - d.timedelta(days=7)).strftime("%Y-%m-%dT%H:%M:%SZ"))')
COMPILE = uv pip compile pyproject.toml --quiet --upgrade --universal --python-version 3.11 --generate-hashes \
	--no-emit-index-url --no-emit-find-links --no-annotate --custom-compile-command 'make lock' \
	--exclude-newer $(RELEASED_BEFORE) --group build --group fetch

lock: ## pin every dependency anew, with hashes (needs uv)
	@test -n '$(UV)' || { echo 'make lock needs uv on the PATH: $(PYTHON) -m pip install uv' >&2; exit 1; }
	$(COMPILE) --output-file requirements.lock
	$(COMPILE) --group dev --extra postgres --constraint requirements.lock --output-file requirements-dev.lock

# --- .venv ---------------------------------------------------------------------------------------------------------
# Standard output belongs to Parley's answers and standard input to its questions: whatever installs writes to
# standard error and reads nothing.

# .checkout holds the folder that the .venv was made for. A moved checkout, or one whose Python is gone, starts anew.
ifneq ($(shell test -x $(BIN)/python && cat $(VENV)/.checkout 2>/dev/null),$(CURDIR))
$(VENV)/.checkout: FORCE
endif

$(VENV)/.checkout:
	@{ $(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	     echo "Parley needs Python 3.11 or newer, but '$(PYTHON)' says: `$(PYTHON) --version 2>&1 || true`"; \
	     echo "Name another one: make $(MAKECMDGOALS) PYTHON=python3.12"; exit 1; }; \
	   { test -x $(BIN)/python && test ! -e $@; } || rm -rf $(VENV); \
	   if test -n '$(UV)'; \
	   then uv venv --quiet --allow-existing --python "`$(PYTHON) -c 'import sys; print(sys.executable)'`" $(VENV); \
	   else $(PYTHON) -m venv $(VENV); fi && \
	   printf '%s' '$(CURDIR)' >$@; } >&2 </dev/null

# $(call install,LOCK,WHAT): every package by its hash, then the checkout itself as one path entry.
define install
	@{ echo 'Installing $(2) into $(VENV), once ...'; \
	   if test -n '$(UV)'; then \
	     uv pip install --quiet --python $(BIN)/python --require-hashes -r $(1) && \
	     uv pip install --quiet --python $(BIN)/python --no-deps --no-build-isolation --offline -e .; \
	   else \
	     { $(BIN)/python -m pip --version >/dev/null 2>&1 || $(BIN)/python -m ensurepip >/dev/null; } && \
	     $(BIN)/python -m pip install $(PIP_QUIET) --require-hashes --no-deps -r $(1) && \
	     $(BIN)/python -m pip install $(PIP_QUIET) --no-index --no-deps --no-build-isolation -e .; \
	   fi && touch $@; } >&2 </dev/null
endef
PIP_QUIET = -qq --disable-pip-version-check --no-input

$(VENV)/.runtime: requirements.lock pyproject.toml $(VENV)/.checkout
	$(call install,requirements.lock,what Parley needs)

# The lock for development holds all that the other one holds, at the same versions.
$(VENV)/.dev: requirements-dev.lock pyproject.toml $(VENV)/.checkout
	$(call install,requirements-dev.lock,what the tests need)
	@touch $(VENV)/.runtime
