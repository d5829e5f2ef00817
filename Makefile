# Thin targets over CMake and Ninja. `make run` and `make test` do everything a bare Debian 12
# machine needs.

PRESET ?= release
BUILD = $(if $(filter release,$(PRESET)),build,build-$(PRESET))

.PHONY: run test build configure bench fuzz sanitize coverage format lint install-packages install-browser clean help

run: configure ## install what is missing, build the command, reproduce all papers and write the page about it
	cmake --build $(BUILD) --target rattleback rattleback_jit rattleback_page
	$(BUILD)/rattleback reproduce all -o $(BUILD)/reproduced

test: build install-browser ## install what is missing, build, run all tests
	ctest --test-dir $(BUILD) --output-on-failure --no-tests=error -j2

build: configure ## leaves the command at build/rattleback
	cmake --build $(BUILD)

configure: install-packages
	cmake --preset $(PRESET) > /dev/null

bench: build ## compiled code against hand-written code as ratios, and how costs grow with the size of a model
	$(BUILD)/kernel_benchmark
	$(BUILD)/model_benchmark
	$(BUILD)/modified_benchmark
	$(BUILD)/rattleback bench

# Long, and nearly all of their time is spent in generated code, which has no checks; or the same code once more.
UNSANITIZED = ^docs$$|^reproduce$$|^page|^lanes_on_|^LongRuns|/Conformance.*(order_8|order_10|stages|trapezoidal_order|alpha_0_3)|/ReducedOrder.*(4d|sphere|carriage|general)|/OnTheDisk|/FreeOrder.*(trapezoidal|sym|momentum)|/Coefficients.*(_MT|_TM|_T$$|kepler|sinusoidal)|^Cloud.(shows|of_the)|^Measure.(of_the|is_preserved|is_observed)|^Conformal.(truncated|runs)|/Corollary.*(_4)
sanitize: ## the tests under the address and undefined-behaviour sanitizers
	$(MAKE) build PRESET=sanitize
	ctest --test-dir build-sanitize --output-on-failure --no-tests=error -j2 -E '$(UNSANITIZED)'

FUZZ_RUNS ?= 1000000
fuzz: ## the fuzzers, FUZZ_RUNS inputs each
	scripts/install-packages.sh --fuzz
	cmake --preset fuzz > /dev/null
	cmake --build build-fuzz
	scripts/fuzz.sh build-fuzz $(FUZZ_RUNS)

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

# The tests of pages say that they are skipped where there is no browser.
install-browser:
	@scripts/install-packages.sh --browser || echo "Chromium could not be installed: the tests of pages will be skipped"

clean:
	rm -rf build build-*

help: ## this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 12
