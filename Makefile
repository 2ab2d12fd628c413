# What people and CI run. Everything happens in .venv, made here where it is missing.

PYTHON ?= python3
PYTEST_ARGS ?=
MUTATION_ARGS ?= --sample 100

BIN := .venv/bin
INSTALLED := .venv/.installed
EXTRAS := .[test,docs]
# Other packages to measure beside; they never enter .venv.
PEERS := out/peers-venv
LOWEST := out/lowest-venv
LOWEST_PYTHON ?= python3.12

# Without stored bytecode every command would compile its libraries again, for seconds.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help demo test test-lowest lint format bench bench-peers calibration exactness mutation docs constraints clean

help:
	@echo "make demo         analyse examples/sqlagent.csv and draw its figure"
	@echo "make test         run every test; PYTEST_ARGS='-m \"not slow\"' leaves the long ones out"
	@echo "make test-lowest  the same on Python 3.12 with the lowest versions that are allowed"
	@echo "make lint         check style and types"
	@echo "make format       put the code into its standard form"
	@echo "make bench        measure speed beside the alternatives"
	@echo "make mutation     break the code on purpose, and see whether a test notices"
	@echo "make bench-peers  measure speed, memory, coverage beside other packages (20 minutes)"
	@echo "make exactness    largest error against each reference vector in ../shared/vectors"
	@echo "make calibration  run the calibration study: coverage, claims, ranks (some 15 minutes)"
	@echo "make docs         build the pages in docs/_build/html"
	@echo "make constraints  pin the newest versions of all dependencies"
	@echo "make clean        remove what the other targets made, except .venv"

# pip serves machines that cannot use uv, for one because only pip is set up for their index.
$(INSTALLED): pyproject.toml constraints.txt
	@$(BIN)/python -c "" 2>/dev/null || { \
	  $(PYTHON) -c "import sys; sys.exit(sys.version_info < (3, 12))" 2>/dev/null || { \
	    found=$$($(PYTHON) --version 2>/dev/null || echo missing); \
	    echo "bayeseval needs Python 3.12 or newer, but $(PYTHON) is $$found:" \
	      "install a newer one, or name it with 'make PYTHON=/path/to/python3.13 ...'." >&2; \
	    exit 2; }; \
	  $(PYTHON) -m venv --clear .venv; }
	@$(BIN)/python -m pip --version >/dev/null 2>&1 || $(BIN)/python -m ensurepip
	@echo "Installing into .venv; the first time takes a minute or more." >&2
	@$(BIN)/python -m pip install -qq -c constraints.txt uv \
	  && $(BIN)/python -m uv pip install --quiet --compile-bytecode --python $(BIN)/python -c constraints.txt -e '$(EXTRAS)' \
	  || { echo "uv cannot install here; pip does it." >&2; \
	       $(BIN)/python -m pip install -qq -c constraints.txt -e '$(EXTRAS)'; }
	@touch $@

demo: $(INSTALLED)
	@mkdir -p out
	$(BIN)/bayeseval fit examples/sqlagent.csv --plot out/sqlagent.png
	@echo "The figure is out/sqlagent.png."

# Tests of one file stay in one process, so that the fits they share are made once.
test: $(INSTALLED)
	$(BIN)/python -m pytest -n 2 --dist loadfile $(PYTEST_ARGS)

test-lowest: $(INSTALLED)
	@$(LOWEST_PYTHON) -m venv --clear $(LOWEST)
	@$(BIN)/python -m uv pip install --quiet --compile-bytecode --python $(LOWEST)/bin/python \
	    --resolution lowest-direct -e '$(EXTRAS)'
	PATH="$(CURDIR)/$(LOWEST)/bin:$$PATH" \
	  $(LOWEST)/bin/python -m pytest -n 2 --dist loadfile $(PYTEST_ARGS)

lint: $(INSTALLED)
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

format: $(INSTALLED)
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

bench: $(INSTALLED)
	$(BIN)/python benchmarks/run.py

mutation: $(INSTALLED)
	$(BIN)/python benchmarks/mutation.py $(MUTATION_ARGS)

$(PEERS)/.installed: $(INSTALLED) benchmarks/peers/requirements.txt
	@$(BIN)/python -m venv --clear $(PEERS)
	@$(BIN)/python -m uv pip install --quiet --compile-bytecode --python $(PEERS)/bin/python -c constraints.txt \
	    -e . -r benchmarks/peers/requirements.txt \
	  || { echo "uv cannot install here; pip does it." >&2; \
	       $(PEERS)/bin/python -m pip install -qq -c constraints.txt -e . -r benchmarks/peers/requirements.txt; }
	@touch $@

bench-peers: $(PEERS)/.installed
	$(PEERS)/bin/python -m benchmarks.peers

exactness: $(INSTALLED)
	$(BIN)/python benchmarks/exactness.py

calibration: $(INSTALLED)
	$(BIN)/python -m benchmarks.calibration

docs: $(INSTALLED)
	$(BIN)/python -m sphinx -W --keep-going -b html docs docs/_build/html
	@echo "The pages begin at docs/_build/html/index.html."

constraints: $(INSTALLED)
	echo uv | $(BIN)/python -m uv pip compile pyproject.toml - --all-extras --upgrade --quiet \
	  --universal --python-version 3.12 --no-header --no-annotate --no-emit-index-url --no-emit-find-links \
	  --output-file constraints.txt

clean:
	rm -rf out dist build docs/_build .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -path ./.venv -prune -o -name __pycache__ -type d -prune -exec rm -rf {} +
