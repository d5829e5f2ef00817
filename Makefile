# Thin targets over CMake and Ninja. `make run` and `make test` do everything a bare Debian 12
# machine needs.

PRESET ?= release
BUILD = $(if $(filter release,$(PRESET)),build,build-$(PRESET))
PREFIX ?= /usr/local

.PHONY: run test build command configure install python deb bench fuzz faults claims sanitize coverage format lint install-packages \
  install-test-packages clean help

run: command ## install what is missing, build the command, reproduce all papers and write the page about it
	$(BUILD)/rattleback reproduce all -o $(BUILD)/reproduced

test: install-test-packages build ## install what is missing, build, run all tests
	ctest --test-dir $(BUILD) --output-on-failure --no-tests=error -j2

build: configure ## everything; leaves the command at build/rattleback
	cmake --build $(BUILD)

# The command with all that belongs to it, without tests and benchmarks.
command: configure
	cmake --build $(BUILD) --target rattleback rattleback_manual rattleback_page

configure: install-packages
	cmake --preset $(PRESET) -DCMAKE_INSTALL_PREFIX=$(PREFIX) > /dev/null

install: command ## to PREFIX (/usr/local), below DESTDIR if it is given
	DESTDIR=$(DESTDIR) cmake --install $(BUILD)

python: ## the Python package in build/python: PYTHONPATH=build/python python3 -c 'import rattleback'
	scripts/install-packages.sh --python
	$(MAKE) configure
	cmake --build $(BUILD) --target rattleback_python rattleback_page

deb: ## Debian packages in build/: rattleback, rattleback-mpi, librattleback-dev
	scripts/install-packages.sh --deb
	$(MAKE) command PREFIX=/usr
	cd $(BUILD) && cpack
	@ls $(BUILD)/*.deb

bench: build ## compiled code against hand-written code as ratios, and how costs grow with the size of a model
	$(BUILD)/kernel_benchmark
	$(BUILD)/model_benchmark
	$(BUILD)/modified_benchmark
	$(BUILD)/rattleback bench

# Every test runs without; with sanitizers those run again of which they can say something.
sanitize: install-test-packages ## tests under the address and undefined-behaviour sanitizers
	scripts/install-packages.sh --clang
	$(MAKE) configure
	cmake --build build --target rattleback_tests
	$(MAKE) build PRESET=sanitize
	ctest --test-dir build-sanitize --output-on-failure --no-tests=error -j2 -L sanitize

FUZZ_RUNS ?= 1000000
FUZZERS ?= parse model quantity checkpoint ensemble experiment
fuzz: ## the fuzzers, FUZZ_RUNS inputs each
	scripts/install-packages.sh --clang
	$(MAKE) configure PRESET=sanitize
	cmake --build build-sanitize --target $(FUZZERS:=_fuzzer)
	scripts/fuzz.sh build-sanitize $(FUZZ_RUNS) $(FUZZERS)

FAULTS ?= 20
faults: install-test-packages build ## full disks, cuts, kills, damaged and hostile files, units: all of it, FAULTS times
	scripts/faults.sh $(BUILD) $(FAULTS)

claims: build ## experiments with mistakes in methods, models and data: which claims find none?
	$(BUILD)/claims_test --gtest_also_run_disabled_tests --gtest_filter='Long*'

coverage: ## build-coverage/coverage.txt
	$(MAKE) test PRESET=coverage
	scripts/coverage.sh build-coverage

format: ## rewrite all sources in the project's style
	scripts/install-packages.sh --format
	git ls-files '*.cpp' '*.hpp' | xargs clang-format-19 -i

lint: build ## clang-tidy
	scripts/install-packages.sh --format
	git ls-files 'src/**.cpp' | xargs clang-tidy-19 -p $(BUILD) --quiet

install-packages:
	@scripts/install-packages.sh

# Without ccache, shells, a browser and Python's packages tests say that they are skipped, and builds take longer.
install-test-packages: install-packages
	@scripts/install-packages.sh --test || echo "Some packages could not be installed: tests that need them are skipped"

clean:
	rm -rf build build-*

help: ## this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 12
