# Everything starts from a bare clone: each target makes .venv when it is missing and brings it
# up to date when pyproject.toml has changed. Needs only Python >= 3.11 and make.

PYTHON ?= python3
PYTHON_OLDEST ?= python3.11
BIN := .venv/bin
RUN := .venv/.installed
DEV := .venv/.installed-dev
TORCH := .venv/.installed-torch
DOCS := .venv/.installed-docs
BROWSER := .venv/.installed-browser
OLDEST := .venv-oldest/.installed
ANNDATA := .venv-anndata/.installed
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
WORKERS ?= 2
SUDO := $(shell [ "$$(id -u)" = 0 ] || echo sudo)
PEERS := r-base-core r-cran-huge r-cran-bdgraph r-cran-glasso
# One thread per test worker: the workers are what runs side by side.
PYTEST := OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -n $(WORKERS) --dist worksteal

.DEFAULT_GOAL := help
.PHONY: help demo test test-slow test-all browser test-anndata test-oldest mutants lint format docs bench reproduce train peers coverage dist clean

help:  ## Show the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 13

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "spinney needs Python 3.11 or newer; try: make $(MAKECMDGOALS) PYTHON=python3.12"; exit 1; }
	@echo "making .venv"
	@$(PYTHON) -m venv .venv

$(RUN): pyproject.toml | $(BIN)/python
	@echo "installing spinney into .venv (about a minute the first time)"
	@$(PIP) -e .
	@touch $@

$(DEV): pyproject.toml | $(BIN)/python
	@echo "installing spinney and its development tools into .venv (a minute or two the first time)"
	@$(PIP) -e '.[dev]'
	@touch $@ $(RUN)

$(TORCH): pyproject.toml $(DEV)
	@echo "installing torch into .venv"
	@$(PIP) -e '.[torch]'
	@touch $@

$(DOCS): pyproject.toml | $(BIN)/python
	@echo "installing spinney and what its documentation is built with into .venv"
	@$(PIP) -e '.[docs]'
	@touch $@ $(RUN)

demo: $(RUN)  ## Learn the graph of a bundled table
	@$(BIN)/python -m spinney.demo

test: $(DEV)  ## Run the tests (about five minutes on two cores the first time)
	$(PYTEST) -m "not slow"

test-slow: $(DEV)  ## Run the slow tests but for the mutants; those in a browser if there is one
	$(PYTEST) -m slow --ignore tests/mutants

test-all: $(DEV) $(TORCH) $(DOCS) browser test-anndata  ## Run all tests, slow ones too
	$(PYTEST) --hypothesis-profile=thorough

# An environment of its own: anndata asks for an older pandas than the other tests run with.
$(ANNDATA): pyproject.toml
	@echo "making .venv-anndata"
	@$(PYTHON) -m venv --clear .venv-anndata
	@.venv-anndata/bin/python -m pip install --quiet --disable-pip-version-check -e '.[anndata,test]'
	@touch $@

test-anndata: $(ANNDATA)  ## Run the tests of files, with anndata installed
	.venv-anndata/bin/python -m pytest tests/tables/readers tests/tables -m "not slow"

$(BROWSER): pyproject.toml $(DEV)
	@echo "installing what drives a browser into .venv"
	@$(PIP) -e '.[browser]'
	@touch $@

# Reports are opened in a real browser: the system's, or else playwright's own.
browser: $(BROWSER)  ## Find chromium, or install it
	@for name in chromium chromium-browser google-chrome; do \
	  if command -v $$name; then exit 0; fi; done; \
	if command -v apt-get >/dev/null && $(SUDO) apt-get update --quiet && \
	  $(SUDO) apt-get install --yes --no-install-recommends chromium; then exit 0; fi; \
	$(BIN)/playwright install chromium

# The oldest Python goes with the oldest dependencies: they have no wheels for newer ones.
$(OLDEST): pyproject.toml scripts/oldest.py
	@$(PYTHON_OLDEST) -c 'import sys; sys.exit(sys.version_info[:2] != (3, 11))' || \
	  { echo "this needs Python 3.11; try: make $(MAKECMDGOALS) PYTHON_OLDEST=path/to/python3.11"; exit 1; }
	@echo "making .venv-oldest with the oldest versions that pyproject.toml declares"
	@$(PYTHON_OLDEST) -m venv --clear .venv-oldest
	@.venv-oldest/bin/python scripts/oldest.py .venv-oldest/constraints.txt
	@.venv-oldest/bin/python -m pip install --quiet --disable-pip-version-check \
	  -e '.[test]' -c .venv-oldest/constraints.txt
	@touch $@

# A folder of its own for machine code: two versions of numba would overwrite each other's.
test-oldest: $(OLDEST)  ## Run the tests with the oldest declared dependencies (Python 3.11)
	NUMBA_CACHE_DIR=$(CURDIR)/.venv-oldest/numba OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 \
	  .venv-oldest/bin/python -m pytest -n $(WORKERS) -m "not slow"

mutants: $(DEV)  ## Break the code on purpose in many places, and see that tests notice
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest tests/mutants

dist: $(DEV)  ## Build the source archive and the wheel into dist/
	$(BIN)/python -m build

lint: $(DEV)  ## Check style and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(DEV)  ## Rewrite the code in the house style
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

coverage: $(DEV)  ## Tests with a coverage report in htmlcov/
	$(PYTEST) -m "not slow" --cov --cov-report=html --cov-report=term

# Warnings are errors, unknown references too; nothing is fetched. Scripts of the gallery are run.
docs: $(DOCS)  ## Build the documentation site into build/docs/
	OMP_NUM_THREADS=1 $(BIN)/python -m sphinx -q -W --keep-going -n -d build/doctrees docs build/docs
	$(BIN)/python scripts/check_docs.py build/docs
	@echo "open build/docs/index.html"

bench: $(DEV)  ## Run the benchmarks; results go to benchmarks/results/
	$(BIN)/python -m benchmarks

FIGURES ?= all
reproduce: $(RUN)  ## The founding paper's figures and claims again, into reproduction/ (hours)
	$(BIN)/python -m reproduce $(FIGURES)

# The judge that comes with the package. Everything goes on where it was stopped, until `make clean`.
# The defaults are for an accelerator and many cores; on two cores overnight:
# make train TABLES=20000 STEPS=4000 NETWORKS=1 TRAIN="--batch-pairs 5000 --width 48 --blocks 4"
# Steps are few, so that no table is used more than about five times: networks learn by heart.
TABLES ?= 500000
STEPS ?= 12000
NETWORKS ?= 1 2
TABLE_WORKERS ?= $(shell nproc 2>/dev/null || echo 2)
TRAIN ?= --batch-pairs 10000 --weight-decay 0.03
RUNS ?= build/training
JUDGE ?= src/spinney/judge/data/judge.npz
VALIDATION_SEEDS := 9000000:9004096
ROW_SEEDS := 0:20000
TRAINING := $(BIN)/python -m training
# Real tables, on which grafts are grown, and expert networks do not come with the package. Without
# them the judge is trained on the other sources. Of ten tables, four are the world's, three are
# grafts, two are of random networks and one is of experts'.
REAL_TABLES := $(or $(SPINNEY_REAL_TABLES),build/real-tables)
EXPERT_NETWORKS := $(or $(SPINNEY_EXPERT_NETWORKS),build/expert-networks.jsonl.xz)
GRAFTS := $(if $(wildcard $(REAL_TABLES)/*.csv),grafts)
EXPERTS := $(if $(wildcard $(EXPERT_NETWORKS)),experts)
KINDS := world $(GRAFTS) networks $(EXPERTS)
TUNED := world $(GRAFTS:%=%-tune) $(EXPERTS:%=%-tune)
SHARE_world := 4
SHARE_grafts := 3
SHARE_networks := 2
SHARE_experts := 1
FOLDERS := $(KINDS:%=$(RUNS)/tables-%)
VALIDATION := $(TUNED:%=$(RUNS)/validation-%)
# Seeds, and workers, by share: all sources come at the same pace.
seeds_of = 10000000:$(shell expr 10000000 + $(TABLES) \* $(SHARE_$(1)) / 10)
workers_of = $(shell expr \( $(TABLE_WORKERS) \* $(SHARE_$(1)) + 9 \) / 10)

train: $(TORCH)  ## Draw tables, train the networks and write the judge (can be stopped and gone on)
	@test -n "$(GRAFTS)" || echo "no real tables in $(REAL_TABLES): training without grafts" \
	  "(unpack real-tables.tar.xz there, or set SPINNEY_REAL_TABLES)"
	@test -n "$(EXPERTS)" || echo "no $(EXPERT_NETWORKS): training without expert networks" \
	  "(copy expert-networks.jsonl.xz there, or set SPINNEY_EXPERT_NETWORKS)"
	@for source in $(TUNED); do \
	  $(TRAINING) tables --source $$source --out $(RUNS)/validation-$$source \
	    --seeds $(VALIDATION_SEEDS) --workers $(TABLE_WORKERS) || exit 1; \
	done
	$(if $(GRAFTS),$(TRAINING) tables --source rows --out $(RUNS)/rows --seeds $(ROW_SEEDS) \
	  --workers $(TABLE_WORKERS))
	@# Tables are made while the networks train on those that are there.
	@all=; trap 'kill $$all 2>/dev/null' EXIT INT TERM; \
	  $(foreach kind,$(KINDS),$(TRAINING) tables --source $(kind) --out $(RUNS)/tables-$(kind) \
	    --seeds $(call seeds_of,$(kind)) --workers $(call workers_of,$(kind)) & all="$$all $$!"; )\
	  for seed in $(NETWORKS); do \
	    $(TRAINING) train --tables $(FOLDERS) --validation $(VALIDATION) \
	      $(if $(GRAFTS),--rows $(RUNS)/rows --coherence 0.1) \
	      --out $(RUNS)/network-$$seed --seed $$seed --steps $(STEPS) $(TRAIN) & all="$$all $$!"; \
	  done; \
	  for process in $$all; do wait $$process || exit 1; done; trap - EXIT
	$(TRAINING) export $(NETWORKS:%=$(RUNS)/network-%) --out $(JUDGE) \
	  --calibrate $(VALIDATION) --cloud $(FOLDERS)

peers:  ## Install the R packages that spinney is compared with (Debian, Ubuntu)
	@command -v apt-get >/dev/null || \
	  { echo "no apt-get here: install R and from CRAN huge, BDgraph and glasso by hand"; exit 1; }
	$(SUDO) apt-get update
	$(SUDO) apt-get install --yes --no-install-recommends $(PEERS)
	@Rscript --vanilla -e 'for (p in c("huge", "BDgraph", "glasso")) cat(p, as.character(packageVersion(p)), "\n")'

clean:  ## Remove everything that was made
	rm -rf .venv .venv-anndata .venv-oldest build dist demo htmlcov .coverage .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
