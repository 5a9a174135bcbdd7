# `make` lists the verbs. Python >= 3.11 with venv is all that is needed; PYTHON=/path/to/python chooses another one (`make clean` first).
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# What is compiled once is not compiled again in every process.
unexport PYTHONDONTWRITEBYTECODE
# Tests run in this number of processes.
JOBS ?= 2
PYTEST := $(BIN)/python -m pytest -n $(JOBS) --no-loadscope-reorder
# These reach every branch of the counting core. They alone are watched: watching costs 2.5 times as much.
CORE := tests/counts/test_counts.py tests/counts/test_grouped.py tests/counts/test_joint.py tests/counts/test_saved.py \
	tests/read/test_bad_labels.py tests/read/test_bad_scores.py tests/read/test_bad_weights.py tests/read/test_classes.py \
	tests/read/test_csv_groups.py tests/read/test_frames.py tests/read/test_many_rows.py tests/read/test_treatments.py \
	tests/segments/test_unlabelled_alerts.py tests/cli/test_clusters.py tests/bad_inputs/test_b_scores.py tests/bad_inputs/test_d_models.py \
	tests/shift/test_correcting.py tests/shift/test_unlabelled.py tests/test_html_tables.py
# `make quick`: the core with NumPy, SciPy, DuckDB, narwhals and click alone, in two processes. Files that need other packages are skipped.
QUICK_1 := tests/counts tests/measures tests/decisions tests/test_conditions.py tests/test_costs.py \
	tests/test_distributions.py tests/test_numbers.py tests/test_uncertain.py --ignore=tests/decisions/test_guarantees.py \
	--ignore=tests/measures/test_registry.py
QUICK_2 := tests/api tests/curves tests/gates tests/views/test_choices.py tests/segments tests/cli/test_amounts.py tests/cli/test_calc.py \
	tests/cli/test_clusters.py tests/cli/test_commands_pages.py tests/cli/test_curve.py tests/cli/test_hints.py \
	tests/cli/test_plan.py tests/cli/test_sources.py tests/cli/test_table.py tests/cli/test_prior.py \
	tests/read/test_dialects.py tests/read/test_text_files.py tests/read/test_bad_weights.py tests/reports/test_command.py \
	--ignore=tests/curves/test_densified.py --ignore=tests/curves/test_summaries_exactly.py --ignore=tests/gates/test_pytest_plugin.py
# The locks are complete: pip need not resolve, and old versions of it cannot with hashes and extras.
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
SOURCES := setup.py pyproject.toml $(wildcard src/baserate/kernels/*.[ch])

.DEFAULT_GOAL := help
.PHONY: help demo test core others check size laws bench campaigns docs report-ui lock clean

help: ## list the verbs
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-9s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

$(VENV)/made:
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "baserate needs Python 3.11 or later; this is " + sys.version.split()[0] + ". Try: make PYTHON=/path/to/python3.11")'
	$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/installed: $(VENV)/made requirements/run.txt $(SOURCES)
	$(PIP) --no-deps --require-hashes -r requirements/run.txt
	$(PIP) --no-deps --no-build-isolation --editable .
	@$(BIN)/baserate --version
	@touch $@

$(VENV)/ready: $(VENV)/installed requirements/dev.txt
	$(PIP) --no-deps --require-hashes -r requirements/dev.txt
	@touch $@

demo: $(VENV)/installed ## set up and run the worked example
	$(BIN)/baserate demo

# All three side by side, so that no processor waits; what the first two say comes in one piece, each when it has ended.
test: $(VENV)/ready ## set up, check style, types and layers, and run every test
	@$(BIN)/python -m compileall -q src # commands that tests start do not compile again
	@$(MAKE) --no-print-directory --jobs=3 $(if $(filter output-sync,$(.FEATURES)),--output-sync=target) check core others

core: $(VENV)/ready
	$(BIN)/python -m pytest $(CORE) --cov --cov-report=term-missing --cov-fail-under=100

others: $(VENV)/ready
	+$(PYTEST) $(CORE:%=--ignore=%) # the plus sign: said while it runs

check: $(VENV)/ready ## style, types and layers only
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

size: $(VENV)/made ## how large each folder is, and how far below the limit of tools/size.toml
	@$(BIN)/python tools/size.py

$(VENV)-quick/ready: requirements/run.txt requirements/quick.txt $(SOURCES)
	@$(MAKE) --no-print-directory VENV=$(VENV)-quick $(VENV)-quick/installed
	$(VENV)-quick/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r requirements/quick.txt
	@touch $@

quick: $(VENV)-quick/ready ## most of the core in a minute, without optional packages
	@$(MAKE) --no-print-directory --jobs=2 $(if $(filter output-sync,$(.FEATURES)),--output-sync=target) quick-1 quick-2

quick-1 quick-2: quick-%: $(VENV)-quick/ready
	$(VENV)-quick/bin/python -m pytest -q $(QUICK_$*)

laws: $(VENV)/ready ## the laws on thousands of examples each (minutes)
	HYPOTHESIS_PROFILE=long $(BIN)/python -m pytest tests/laws tests/kernels tests/decisions tests/robustness tests/inference/test_best.py \
		tests/learners/test_cost_trees.py tests/counts/test_hulls.py tests/curves/test_summaries_exactly.py tests/read/test_every_engine.py tests/reports/test_core_vectors.py tests/reports/test_states.py -q

bench: $(VENV)/ready ## the tables of benchmarks/README.md (minutes)
	$(BIN)/python benchmarks/count.py
	$(BIN)/python benchmarks/growth.py

campaigns: $(VENV)/ready ## every promise of docs/evidence/promises.md tried at full size (hours; goes on where it stopped)
	$(BIN)/python campaigns/run.py; status=$$?; $(BIN)/python tools/docs/promises.py; exit $$status

docs: $(VENV)/ready ## write the pages that are generated
	$(BIN)/python tools/docs/reference.py
	$(BIN)/python tools/docs/measures.py
	$(BIN)/python tools/docs/curves.py
	$(BIN)/python tools/docs/commands.py
	$(BIN)/python tools/docs/picture.py
	$(BIN)/python tools/docs/gallery.py
	$(BIN)/python tools/docs/studies.py
	$(BIN)/python tools/docs/bad_inputs.py
	$(BIN)/python tools/docs/console.py
	$(BIN)/python tools/docs/reference_set.py
	$(BIN)/python tools/docs/promises.py

report-ui: $(VENV)/installed ## check, test and bundle the report's front end (needs node; users do not)
	$(BIN)/python frontend/registry.py
	cd frontend && npm ci --no-audit --no-fund && npm run --silent check && npm run --silent test && npm run --silent build

lock: $(VENV)/ready ## choose the newest versions again and lock them
	$(BIN)/python requirements/lock.py
	$(BIN)/python requirements/sbom.py

clean: ## remove everything that make and the demo made
	rm -rf $(VENV) $(VENV)-quick build dist baserate-demo .coverage .hypothesis .mypy_cache .pytest_cache .ruff_cache frontend/node_modules frontend/build src/*.egg-info src/baserate/kernels/*.so
