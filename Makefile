# Everything goes through the virtual environment that this file makes itself.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
STUBS := $(VENV)/stubs/.installed
# The types of MicroPython 1.28 on the Pico; apart, because they shadow CPython's own modules.
STUBS_PACKAGE := micropython-rp2-rpi_pico-stubs==1.28.0.post4

TABLE ?= simulated
FRAMES ?= 1000000
TIMES ?= 100
JOBS ?= 2

.DEFAULT_GOAL := help
.PHONY: help play test soak hil firmware hardware lint format bench bench-pico algorithms clean

help: ## show this list
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "  make %-11s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

$(STAMP): pyproject.toml firmware/tablier_fw/version.py
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "make: $(PYTHON) is older than 3.11; name a newer one: make PYTHON=python3.12 …" >&2; exit 2; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "Setting up $(VENV) (once) …"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@

$(STUBS): Makefile $(STAMP)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade --target $(@D) '$(STUBS_PACKAGE)'
	@touch $@

play: $(STAMP) ## play at a simulated table (without a terminal: a demonstration game)
	@$(BIN)/tablier play dilemma

# Three at a time also where there are two cores: many wait, for a table that lives in life's time or for a disk.
test: $(STAMP) ## run the tests
	@$(BIN)/python -m pytest -n 3 $(ARGS)

soak: $(STAMP) ## a million frames, everything breaking again and again; FRAMES=, TIMES=, SEED=, JOBS=
	@$(BIN)/python -m tests.soak --frames $(FRAMES) --times $(TIMES) --jobs $(JOBS) $(if $(SEED),--seed $(SEED))

hil: $(STAMP) ## hardware in the loop: TABLE=simulated, emulated or the port of a real table
	@$(BIN)/python -m pytest tests/hil --table "$(TABLE)" --timeout 0 $(ARGS)

firmware: $(STAMP) ## build what 'tablier table deploy' puts on a Pico, into build/firmware
	@$(BIN)/python -m tablier.table.firmware build/firmware --sources firmware/package.json

hardware: $(STAMP) ## everything to order and build a table, into build/hardware; says what it left out
	@$(BIN)/python -m hardware.make build/hardware

lint: $(STUBS) ## formatter, linter, type checkers
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@$(BIN)/mypy --config-file firmware/mypy.ini

format: $(STAMP) ## format the code
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

bench: $(STAMP) ## measure speed beside peers and limits
	@$(BIN)/python -m tests.bench

bench-pico: $(STAMP) ## measure the firmware on an emulated Pico, in its time (needs MicroPython's image)
	@$(BIN)/python -m tests.bench pico

algorithms: $(STAMP) ## play and solve the games with algorithms of OpenSpiel
	@$(BIN)/python -m tests.adapters.algorithms

clean: ## remove what the other targets made
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
