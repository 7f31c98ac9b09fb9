# `make` builds and verifies the release; `make test` runs everything CI runs. Needs python3 (3.11 or newer) and make.
PYTHON ?= python3
CORES ?= 2
VENV := .venv
BIN := $(VENV)/bin
export PATH := $(abspath $(BIN)):$(PATH)

.DEFAULT_GOAL := all
.PHONY: all test lint unit workflow-test double-build lock clean synthetic-snapshot configuration-table bench-catalog task-seeds task-scale bench-trials bench-search reference-agents fuzz-trials

all: $(VENV)/.installed
	snakemake --workflow-profile workflow/profiles/default --cores $(CORES) all

# The environment for building: exactly the locked files, checked by hash.
$(VENV)/.installed: envs/requirements.lock pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --disable-pip-version-check --quiet --require-hashes -r envs/requirements.lock
	$(BIN)/pip install --disable-pip-version-check --quiet --no-deps --no-build-isolation --editable .
	touch $@

# The same plus the tools of the tests.
$(VENV)/.installed-test: envs/requirements-test.lock $(VENV)/.installed
	$(BIN)/pip install --disable-pip-version-check --quiet --require-hashes -r envs/requirements-test.lock
	touch $@

# The same plus the programs that benchmarks compare with.
$(VENV)/.installed-bench: envs/requirements-bench.lock $(VENV)/.installed
	$(BIN)/pip install --disable-pip-version-check --quiet --require-hashes -r envs/requirements-bench.lock
	touch $@

test: lint unit workflow-test

lint: $(VENV)/.installed-test
	ruff check .
	ruff format --check .
	mypy
	snakefmt --check Snakefile rules
	snakemake --lint

unit: $(VENV)/.installed-test
	pytest --numprocesses $(CORES) -m "not workflow"

# One after another: each of these runs Snakemake on all cores.
workflow-test: $(VENV)/.installed-test
	pytest -m workflow

# Two full builds under different conditions, compared byte by byte.
double-build: $(VENV)/.installed-test
	python tests/workflow/double_build.py --full

# Speeds on this machine, from the built default track; a table each, and results/benchmarks/*.json.
bench-trials: $(VENV)/.installed
	python tests/benchmark/bench_trials.py

bench-search: $(VENV)/.installed-bench
	python tests/benchmark/bench_search.py

# What the reference agents solve on default and fresh families: the tables of docs/reference-agents.md.
reference-agents: $(VENV)/.installed
	python tests/benchmark/reference_agents.py

# Thousands of random trials through the invariants that `make unit` tries on hundreds.
fuzz-trials: $(VENV)/.installed-test
	TRIAL_EXAMPLES=600 pytest -s tests/unit/trial/test_any_trial.py

# Reading and building against the bare parser, and their growth up to SCALE works (1,000,000; QUICK=1: a tenth).
bench-catalog: $(VENV)/.installed
	python tests/benchmark/bench_catalog.py $(if $(SCALE),--scale $(SCALE)) $(if $(QUICK),--quick)

# Task families beside the default set: of ten other seeds, and on a world of 100,000 books; each set proven.
task-seeds: $(VENV)/.installed
	python tests/benchmark/task_seeds.py

task-scale: $(VENV)/.installed
	python tests/benchmark/large_world_tasks.py

# Make the bundled snapshot again from the synthetic world, byte for byte.
synthetic-snapshot: $(VENV)/.installed
	snakemake --cores $(CORES) synthetic_snapshot

# Resolve the locks anew (needs uv); they carry hashes and name no index.
lock:
	cd envs && for name in requirements requirements-test requirements-bench requirements-slurm; do \
	  uv pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --upgrade --quiet --output-file $$name.lock $$name.in; done

# Write the README's table of configuration keys anew.
configuration-table: $(VENV)/.installed
	python -m tau_rec_books.core.configuration_table

clean:
	rm -rf results .snakemake
