# Two commands do everything on a fresh Debian machine: `make demo` and `make test`.
BUILD ?= build
CMAKE_FLAGS ?=

.PHONY: demo program build test test-full bench gallery figures packages format clean

demo: program
	@scripts/demo.sh $(BUILD)/bin/holonom

# The program alone, with the packages that it needs. A build folder that has the tests keeps them.
program:
	@scripts/install-packages.sh --program
	@cmake -S . -B $(BUILD) -G Ninja -DHOLONOM_WERROR=ON $(if $(wildcard $(BUILD)/CMakeCache.txt),,-DHOLONOM_TESTS=OFF -DHOLONOM_PRECOMPILE=ON) $(CMAKE_FLAGS) > /dev/null
	@cmake --build $(BUILD) --target holonom_cli

# Which part of the contract has its turn depends on the commit (tests/contract/choice.hpp).
test: export HOLONOM_TEST_SEED ?= $(shell git rev-parse HEAD 2> /dev/null)
test: build
	@rm -f $(BUILD)/tests/contract/*_tests.cmake  # the lists of tests that have their turn: CMake keeps them for as long as the programs
	ctest --test-dir $(BUILD) --output-on-failure --parallel 2

# All of the contract, ten minutes of fuzzing, sanitizers, clang and clang-tidy; or some of these: make test-full PARTS="fuzz tidy"
test-full: build
	@scripts/test-full.sh $(PARTS)

bench: packages
	@scripts/bench.sh

# The pictures of docs/gallery, from the commands on its page
gallery: build
	node scripts/gallery.mjs $(BUILD)/bin/holonom $(BUILD)/viewer "$$(command -v chromium)"

# The pictures of docs/python, from the code on its pages
figures: build
	@cmake --build $(BUILD) --target figures

build: packages
	@cmake -S . -B $(BUILD) -G Ninja -DHOLONOM_WERROR=ON -DHOLONOM_TESTS=ON $(CMAKE_FLAGS) > /dev/null
	@cmake --build $(BUILD)

packages:
	@scripts/install-packages.sh

format:
	clang-format -i $$(git ls-files '*.hpp' '*.cpp')
	for f in $$(git ls-files '*.cpp.in'); do sed 's/@SCALAR@/SCALAR_/g' $$f | clang-format --assume-filename=x.cpp | sed 's/SCALAR_/@SCALAR@/g' > $$f.new && mv $$f.new $$f; done

clean:
	rm -rf build build-*
