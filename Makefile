# Everything goes through the virtual environment that this file makes itself.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Playing needs the package; every other target brings what it needs, once: an extra of pyproject.toml. What is installed
# is what the lock files name, with their hashes and nothing else; 'make lock' makes them anew.
PLAY := $(VENV)/.play
STUBS := $(VENV)/stubs/.installed
LOCKS := host/locks
INSTALL = $(BIN)/python -m pip install --quiet --disable-pip-version-check
LOCKED = $(INSTALL) --require-hashes --no-build-isolation --only-binary :all: --no-binary cobs
# The type checker of scripts: TypeScript, which Deno's wheel brings. It reads nothing from elsewhere.
SCRIPTS = DENO_NO_UPDATE_CHECK=1 DENO_DIR=$(VENV)/deno $(BIN)/deno check --quiet --no-remote
PACKAGE = $(INSTALL) --no-deps --no-build-isolation --editable .

TABLE ?= simulated
JIG ?=
FRAMES ?= 1000000
FUZZED = $(if $(filter command line environment,$(origin FRAMES)),$(FRAMES),500000)
TIMES ?= 100
JOBS ?= 2
# Steps of work in a turn of a simulated table's loop; 1 is the Pico's.
ifdef BUDGET
export TABLIER_BUDGET := $(BUDGET)
endif

# A second emulator of a Pico, by Node: npm's rp2040js, with its hash. Nothing else needs it.
NODE_MODULES := $(VENV)/npm/node_modules
SECOND = TABLIER_RP2040JS="$${TABLIER_RP2040JS-$(NODE_MODULES)/rp2040js}"

# Most tests start programs of their own: each would compile every module again, and each worker every test.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help play setup test thorough browse joins smoke pages games chance crash archive fuzz soak evening terminals hil linetest firmware hardware release sheets pictures reading catalogues lint format bench tournament levels bench-pico algorithms lock clean

help: ## show this list
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "  make %-11s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# One make at a time changes the environment: another one waits here, and then finds it done. The second half of these
# rules is for the one that holds the lock.
WAITING = $(PYTHON) $(LOCKS)/waiting.py Makefile "make: waiting for another make, which sets up $(VENV) …"
VERSION := pyproject.toml firmware/tablier_fw/version.py $(LOCKS)/build.txt

ifndef SETTING_UP

$(PLAY): $(LOCKS)/play.txt $(VERSION)
	@$(WAITING) $(MAKE) --no-print-directory SETTING_UP=1 $@

$(STUBS): $(LOCKS)/stubs.txt $(LOCKS)/lint.txt $(VERSION)
	@$(WAITING) $(MAKE) --no-print-directory SETTING_UP=1 $@

$(VENV)/.with-%: $(LOCKS)/%.txt $(VERSION)
	@$(WAITING) $(MAKE) --no-print-directory SETTING_UP=1 $@

else

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "make: $(PYTHON) is older than 3.11; name a newer one: make PYTHON=python3.12 …" >&2; exit 2; }
	@$(PYTHON) -m venv $(VENV)

$(VENV)/.build: $(LOCKS)/build.txt | $(BIN)/python
	@echo "Setting up $(VENV) (once) …"
	@$(LOCKED) -r $<
	@touch $@

# Only once: while it is installed anew, whatever runs beside this lacks it.
$(VENV)/.package: $(VERSION) $(VENV)/.build
	@$(PACKAGE)
	@touch $@

$(PLAY): $(LOCKS)/play.txt $(VENV)/.package
	@$(LOCKED) -r $<
	@touch $@

$(VENV)/.with-%: $(LOCKS)/%.txt $(VENV)/.package
	@echo "Installing what '$*' needs (once) …"
	@$(LOCKED) -r $<
	@touch $@ $(PLAY)

$(STUBS): $(LOCKS)/stubs.txt $(VENV)/.with-lint
	@$(LOCKED) --upgrade --target $(@D) -r $<
	@touch $@

endif

$(NODE_MODULES): tests/hil/npm/package-lock.json tests/hil/npm/package.json
	@mkdir -p $(@D)
	@cp $^ $(@D)
	@npm ci --silent --no-audit --no-fund --prefix $(@D)
	@touch $@

setup: $(PLAY) ## install what playing needs, and nothing else
	@echo "To have 'tablier' on your path: . $(BIN)/activate"

play: $(PLAY) ## play at a simulated table (without a terminal: a demonstration game)
	@$(BIN)/tablier play dilemma

# Five at a time also where there are two cores: many wait, for a table that lives in life's time or for a disk.
test: $(VENV)/.with-test ## run the tests; BUDGET=1: simulated tables take as little time a turn as a Pico
	@$(BIN)/python -m pytest -n 5 --dist worksteal $(ARGS)

thorough: $(VENV)/.with-test ## the tests with whole campaigns where 'make test' takes a sample; about half an hour
	@TABLIER_THOROUGH=1 $(BIN)/python -m pytest -n 3 --dist worksteal --timeout 3600 --hypothesis-profile random $(ARGS)

browse: $(VENV)/.with-browse ## whole games in browsers by touch, mouse or keys, axe-core on every page; needs an installed Chromium
	@TABLIER_BROWSE=1 $(BIN)/python -m pytest tests/browse $(ARGS)

joins: $(VENV)/.with-browse ## 500 fresh browsers come in, with and without SharedWorker, answers delayed at random; JOINS=
	@TABLIER_BROWSE=1 TABLIER_JOINS=$(or $(JOINS),500) $(BIN)/python -m pytest tests/browse/test_joining.py -k many -s $(ARGS)

smoke: ## each page loads in a browser without a script's error, in a minute; without an installed Chromium it says so
	@if command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null; then \
		$(MAKE) --no-print-directory $(VENV)/.with-browse && \
		TABLIER_BROWSE=1 $(BIN)/python -m pytest tests/browse/test_smoke.py $(ARGS); \
	else echo "make: no Chromium is installed, so no page was looked at: apt install chromium"; fi

pages: $(VENV)/.with-browse ## screenshots of each page and game, by phone, laptop and television, into build/pages; README=1: the README's; LANG=fr: in a language
	@PYTHONPATH=tests:tests/web $(BIN)/python -m tests.tools.pictures.pages $(if $(README),--readme,build/pages $(if $(filter command line,$(origin LANG)),$(LANG)))

games: $(VENV)/.with-test ## twenty games of each kind by simulated people at a simulated table; GAMES=
	@TABLIER_GAMES=$(or $(GAMES),20) $(BIN)/python -m pytest -n 2 tests/play/test_people_and_bots.py tests/play/test_whole_games.py --timeout 3600 -k "meant or screens or any_arrangement" $(ARGS)

soak: $(VENV)/.with-test ## a million frames, everything breaking again and again; FRAMES=, TIMES=, SEED=, JOBS=
	@$(BIN)/python -m tests.soak --frames $(FRAMES) --times $(TIMES) --jobs $(JOBS) $(if $(SEED),--seed $(SEED))

evening: $(VENV)/.with-test ## whole evenings on a keeper while everything breaks, at most an hour; QUICK=1: a tenth; TIMES=, SEED=, JOBS=
	@$(BIN)/python -m tests.evening --times $(if $(QUICK),$(shell expr \( $(TIMES) + 9 \) / 10),$(TIMES)) --jobs $(JOBS) $(if $(SEED),--seed $(SEED))

terminals: $(VENV)/.with-test ## end the program in its first three seconds, in each way a hundred times; TIMES=, SEED=, JOBS=
	@$(BIN)/python -m tests.terminals --times $(TIMES) --jobs $(JOBS) $(if $(SEED),--seed $(SEED))

fuzz: $(VENV)/.with-test ## half a million frames of any values each way, 100,000 at games, requests (a million at a keeper), lies in between; FRAMES=, SEED=
	@$(BIN)/python -m tests.fuzz --frames $(FUZZED) $(if $(SEED),--seed $(SEED))

chance: $(VENV)/.with-test ## chi-square over a million outcomes of rolls, one side fixed; and of dice that a host drops
	@$(BIN)/python -m tests.chance

crash: $(VENV)/.with-test ## logs on disks that stop, fill up and fail, at every point of games; JOBS=
	@$(BIN)/python -m tests.crash --jobs $(JOBS)

archive: $(VENV)/.with-test ## twenty clubs add to one archive while clients, connections and the server are killed; TIMES=, SEED=, JOBS=
	@$(BIN)/python -m tests.clubs --clubs 20 --times $(TIMES) $(if $(filter command line environment,$(origin JOBS)),--jobs $(JOBS)) $(if $(SEED),--seed $(SEED))

linetest: $(VENV)/.with-test $(if $(filter rp2040js,$(TABLE)),$(NODE_MODULES)) ## the trials of a table's line: TABLE=simulated, emulated, rp2040js or the port of a real table
	@$(SECOND) $(BIN)/tablier table linetest --port "$(TABLE)" $(ARGS)

hil: $(VENV)/.with-test $(if $(filter rp2040js,$(TABLE)),$(NODE_MODULES)) ## hardware in the loop: TABLE=simulated (whole and in part), emulated, rp2040js or the port of a real table; JIG=, of its jig; BUILT=whole, four, two, starter
	@$(SECOND) $(BIN)/python -m pytest tests/hil --table "$(TABLE)" $(if $(BUILT),--built $(BUILT),$(if $(filter simulated,$(TABLE)),--built all)) $(if $(JIG),--jig "$(JIG)") --timeout 0 $(ARGS)

firmware: $(VENV)/.with-deploy ## build what 'tablier table deploy' puts on a Pico, into build/firmware
	@$(BIN)/python -m tablier.service.firmware build/firmware --sources firmware/package.json

hardware: $(VENV)/.with-drawings ## everything to order and build a table, into build/hardware; says what it left out
	@$(BIN)/python -m hardware.make build/hardware

release: $(VENV)/.with-drawings ## all of it as one archive by which a table can be ordered, into build/release; says what it left out
	@$(BIN)/python -m hardware.release build/release

sheets: $(PLAY) ## two pages for each game, to print and lay beside it, into build/sheets
	@$(BIN)/python -m tests.tools.pictures.sheets

pictures: $(if $(SCREENS),$(VENV)/.with-browse,$(VENV)/.with-test) ## the README's pictures of boards and of the full screen; SCREENS=1: each game's situations on phones and a television, into build/screens; GAMES=
ifdef SCREENS
	@PYTHONPATH=tests:tests/web $(BIN)/python -m tests.tools.pictures.situations $(GAMES)
else
	@$(BIN)/python -m tests.tools.pictures
	@$(BIN)/python -m tests.tools.pictures.console
endif

reading: $(VENV)/.with-test ## twenty pictures of a seat to be read with the sheets, and the answers, into build/reading
	@$(BIN)/python -m tests.tools.pictures.reading

catalogues: $(VENV)/.with-test ## write what is missing into the catalogues of each language, and what is gone out of them
	@$(BIN)/python -m tests.catalogue --update

# Of these files pytest wants one name in each folder, so that mypy cannot see them beside each other.
CONFTESTS := archive firmware hardware play web

lint: $(STUBS) ## formatter, linter, type checkers
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@$(BIN)/mypy $(CONFTESTS:%=-m tests.%.conftest)
	@$(BIN)/mypy --config-file firmware/mypy.ini
	@$(SCRIPTS) --config host/deno.json host/tablier/web/pages/*.js
	@$(SCRIPTS) --config host/deno-of-node.json host/tablier/simulation/rp2040js.mjs
	@$(BIN)/python -m tests.wire.clients $(VENV)/clients
	@$(SCRIPTS) --config tests/deno.json tests/keeper/client.mjs tests/web/scripts.mjs tests/web/on_page.mjs $(VENV)/clients/javascript/*.mjs

format: $(VENV)/.with-lint ## format the code
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

bench: $(VENV)/.with-test $(VENV)/.with-bench ## measure speed beside peers and limits
	@$(BIN)/python -m tests.tools.bench

tournament: $(VENV)/.with-test ## bots against each other, with intervals: an hour on two cores at most; SEED=, JOBS=, DASK= (a cluster's address)
	@$(BIN)/python -m tests.tools.bench.tournament $(if $(DASK),--dask $(DASK),--jobs $(JOBS)) $(if $(SEED),--seed $(SEED))

bench-pico: $(VENV)/.with-test $(VENV)/.with-bench ## measure the firmware on an emulated Pico, in its time (needs MicroPython's image)
	@$(BIN)/python -m tests.tools.bench pico

levels: $(VENV)/.with-test ## whether ratings find the order of the bots: 2,000 games of each, hours; GAMES=, RATED=, SEED=, JOBS=
	@$(BIN)/python -m tests.tools.bench.levels --jobs $(JOBS) $(if $(GAMES),--games $(GAMES)) $(if $(RATED),--rated $(RATED)) $(if $(SEED),--seed $(SEED))

algorithms: $(VENV)/.with-adapters ## play and solve the games with algorithms of OpenSpiel
	@$(BIN)/python -m tests.adapters.algorithms

lock: $(VENV)/.with-lock ## make the lock files anew, with the newest versions of what is not pinned by name
	@$(BIN)/python $(LOCKS)/make.py

clean: ## remove what the other targets made
	@$(WAITING) rm -rf $(VENV) build dist .ruff_cache .pytest_cache .hypothesis
