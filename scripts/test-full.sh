#!/bin/sh
# The heavy checks: ten minutes of attack, the tests under the address and undefined-behaviour sanitizers, a build with
# clang without warnings, and clang-tidy without complaints. On two cores: the builds 55 minutes, their tests 28 and 12,
# clang-tidy 12; the whole contract before them is not in it.
set -eu
HOLONOM_FUZZ_SECONDS=600 ctest --test-dir "${BUILD:-build}" -R '^fuzz$' --output-on-failure
unset HOLONOM_TEST_ALL  # the whole contract has run; here its parts have their turn
scripts/install-packages.sh clang clang-tidy
# (warnings are no errors there: with sanitizers GCC 12 warns of its own standard library. -O1 everywhere: at -O3 the
# compiler takes several times as long for code with sanitizers, and they see nothing more.)
cmake -S . -B build-sanitize -G Ninja -DHOLONOM_SANITIZE=ON -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG=-O1 \
  -DHOLONOM_PRECOMPILE=ON > /dev/null
cmake --build build-sanitize
# (without those that try documents and measured numbers, by commands that other tests give as well)
ctest --test-dir build-sanitize --output-on-failure --parallel 2 \
  -E '^cli\.(readme|contributing|printed|verdicts|reproduce|recommend)_test$'
cmake -S . -B build-clang -G Ninja -DCMAKE_CXX_COMPILER=clang++ -DHOLONOM_WERROR=ON -DHOLONOM_PRECOMPILE=ON > /dev/null
cmake --build build-clang
ctest --test-dir build-clang --output-on-failure --parallel 2
run-clang-tidy -quiet -p build-clang "^$PWD/(src|cli)/.*" > build-clang/tidy.log 2> /dev/null || true
! grep -A5 "$PWD/.*\(warning\|error\):" build-clang/tidy.log  # (of our files: Boost has some of its own)
