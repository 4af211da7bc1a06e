#!/bin/sh
# The heavy checks: ten minutes of attack, all tests under the address and undefined-behaviour sanitizers, and a build with
# clang without warnings.
set -eu
HOLONOM_FUZZ_SECONDS=600 ctest --test-dir "${BUILD:-build}" -R '^fuzz$' --output-on-failure
unset HOLONOM_TEST_ALL  # the whole contract has run; here its parts have their turn
scripts/install-packages.sh clang
# (warnings are no errors there: with sanitizers GCC 12 warns of its own standard library)
cmake -S . -B build-sanitize -G Ninja -DHOLONOM_SANITIZE=ON > /dev/null
cmake --build build-sanitize
ctest --test-dir build-sanitize --output-on-failure --parallel 2
cmake -S . -B build-clang -G Ninja -DCMAKE_CXX_COMPILER=clang++ -DHOLONOM_WERROR=ON > /dev/null
cmake --build build-clang
ctest --test-dir build-clang --output-on-failure --parallel 2
