#!/bin/sh
# The heavy checks, in parts:
#   contract    all tests, with every pair of the contract, every formulation, verdict, mutation and interrupted run
#   fuzz        ten minutes of attack
#   sanitizers  the tests under the address and undefined-behaviour sanitizers
#   clang       a build with clang without warnings, and its tests
#   tidy        clang-tidy without complaints
# A part that has passed is not run again at the same commit, so that all of it can be done piece by piece. Without names:
# all parts. scripts/test-full.sh [PART...]
set -eu
build=${BUILD:-build}
done_here="$(git rev-parse HEAD)$(git diff HEAD | sha1sum | cut -c1-12)"
passed=$build/test-full
mkdir -p "$passed"

contract() {
  HOLONOM_TEST_ALL=1 make test BUILD="$build"
}

fuzz() {
  HOLONOM_FUZZ_SECONDS=600 ctest --test-dir "$build" -R '^fuzz$' --output-on-failure
}

# -O1 in both: sanitizers and warnings see nothing more at -O3, for which compilers take several times as long.
# (With sanitizers warnings are no errors: GCC 12 then warns of its own standard library.)
debug="-G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG=-O1 -DHOLONOM_PRECOMPILE=ON"

# Without those that try documents and measured numbers, by commands that other tests give as well.
sanitizers() {
  cmake -S . -B build-sanitize $debug -DHOLONOM_SANITIZE=ON > /dev/null
  cmake --build build-sanitize
  ctest --test-dir build-sanitize --output-on-failure --parallel 2 \
    -E '^cli\.(readme|contributing|printed|verdicts|reproduce|recommend)_test$'
}

# Numbers of long runs are those of the other compiler: unit tests, those of the papers' numbers, and the program.
clang() {
  cmake -S . -B build-clang $debug -DCMAKE_CXX_COMPILER=clang++ -DHOLONOM_WERROR=ON > /dev/null
  cmake --build build-clang
  ctest --test-dir build-clang --output-on-failure --parallel 2 -E '^Registry/Contract|^cli\.(verdicts|reproduce|recommend)_test$'
}

tidy() {
  [ -f build-clang/compile_commands.json ] || cmake -S . -B build-clang $debug -DCMAKE_CXX_COMPILER=clang++ > /dev/null
  run-clang-tidy -quiet -p build-clang "^$PWD/(src|cli)/.*" > build-clang/tidy.log 2> /dev/null || true
  ! grep -A5 "$PWD/.*\(warning\|error\):" build-clang/tidy.log  # (of our files: Boost has some of its own)
}

scripts/install-packages.sh clang clang-tidy
[ $# -gt 0 ] || set -- contract fuzz sanitizers clang tidy
for part in "$@"; do
  if [ "$(cat "$passed/$part" 2> /dev/null)" = "$done_here" ]; then
    echo "$part: passed before, at this commit"
    continue
  fi
  begun=$(date +%s)
  $part
  echo "$done_here" > "$passed/$part"
  echo "$part: passed, in $((($(date +%s) - begun) / 60)) minutes"
done
