# SPDX-License-Identifier: Apache-2.0
# Every target works as the first command on a fresh clone; `make help` lists them.

PYTHON ?= python3
VENV ?= .venv
MVN ?= mvn
# Further options for Maven, e.g. MVN_FLAGS=-Dmaven.repo.local=/some/folder
MVN_FLAGS ?=
export MVN MVN_FLAGS VENV

BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
JAVA := $(PYTHON) scripts/java.py
INSTALLED := $(VENV)/.installed
INSTALLED_BENCH := $(VENV)/.installed-bench
JAR := src/isonomy/bridge/_jars/isonomy.jar
# Folders are among the sources: their times tell of files that are gone.
JAR_SOURCES := java/pom.xml $(wildcard java/isonomy*/pom.xml) $(shell find java/isonomy*/src/main spec/sql)
# The official MCP servers and their inspector, which tests speak with.
NODE_MODULES := tests/mcp/official/node_modules
SERVERS := $(NODE_MODULES)/.installed
# The Java tools of the main job.
EXAMPLE := examples/main_job/java/target/.built
EXAMPLE_SOURCES := examples/main_job/java/pom.xml $(shell find examples/main_job/java/src)

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.NOTPARALLEL:
.PHONY: help run test test-all test-contract lint bench jar wheel clean

help: ## List the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(firstword $(MAKEFILE_LIST)) | expand -t 12

run: $(INSTALLED) $(EXAMPLE) ## Run the main job: some hundreds of real calls, and how they ended
	@$(BIN)/python examples/main_job/run.py

test: $(INSTALLED) $(EXAMPLE) ## Everything quick: Python and Java tests
	@failed=0; \
	$(BIN)/python -m pytest -m "not slow" || failed=1; \
	$(JAVA) test --skipping "Java tools and the Java tests are" || failed=1; \
	exit $$failed

test-all: $(INSTALLED) $(EXAMPLE) $(SERVERS) ## All tests, the slow ones included
	@failed=0; \
	$(BIN)/python -m pytest || failed=1; \
	$(JAVA) test-all --skipping "Java tools and the Java tests are" || failed=1; \
	exit $$failed

test-contract: $(INSTALLED) ## The contract and the tools alone, in Python
	@$(BIN)/python -m pytest -m "not slow" tests/contract tests/tools

lint: $(INSTALLED) ## Style, types, layers, licence lines, vectors, Java warnings
	@$(BIN)/ruff check --quiet .
	@$(BIN)/ruff format --check --quiet .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-logo
	@$(BIN)/python scripts/check_spdx.py
	@$(BIN)/python scripts/check_vectors.py
	@$(JAVA) lint --skipping "Java warnings are"

bench: $(INSTALLED_BENCH) $(JAR) ## Benchmarks, Python and Java
	@$(JAVA) bench --skipping "Java benchmarks are"
	@$(BIN)/python bench/run.py

jar: $(JAR) ## Build the Java bundle that the Python package carries
	@$(JAVA) check --required

wheel: $(INSTALLED) $(JAR) ## Build the wheel into dist/
	@$(BIN)/python -m build --wheel --outdir dist .

clean: ## Remove what the other targets made
	@rm -rf $(VENV) .venv-system build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis \
		.import_linter_cache src/isonomy/bridge/_jars java/target java/*/target \
		examples/*/out examples/*/java/target $(NODE_MODULES) tests/mcp/official/.clients
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(BIN)/python:
	@$(PYTHON) -m venv $(VENV)

$(INSTALLED): pyproject.toml | $(BIN)/python
	@echo "Installing into $(VENV) ..."
	@$(PIP) install --editable '.[all,dev,examples]'
	@touch $@

$(INSTALLED_BENCH): pyproject.toml $(INSTALLED)
	@$(PIP) install --editable '.[all,dev,examples,bench]'
	@touch $@

# Without a JDK there is no file, so the next run asks again; who needs it says what is skipped.
$(JAR): $(JAR_SOURCES) scripts/java.py
	@echo "Building the Java core ..."
	@$(JAVA) jar

$(EXAMPLE): $(JAR) $(EXAMPLE_SOURCES)
	@echo "Building the Java tools of the main job ..."
	@$(JAVA) examples
	@if [ -d $(@D) ]; then touch $@; fi

# Without npm there is no file, so the next run asks again; the tests say what is skipped.
$(SERVERS): tests/mcp/official/package.json
	@if command -v npm >/dev/null; then \
		echo "Installing the MCP servers that tests speak with ..." && \
		cd $(<D) && npm install --no-package-lock --no-audit --no-fund --silent && touch node_modules/.installed; \
	fi
