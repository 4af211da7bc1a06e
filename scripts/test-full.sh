#!/bin/sh
# The heavy checks, in parts:
#   tests         what `make test` runs
#   turns         all of what takes turns there: mutations, interrupted runs, methods that are resumed
#   contract      every method on every model in every form
#   formulations  every formulation with every method and projection that goes with it
#   verdicts      what `certify` says of every method on every model
#   fuzz          ten minutes of attack
#   sanitizers    the tests under the address and undefined-behaviour sanitizers
#   clang         a build with clang without warnings, and its tests
#   tidy          clang-tidy without complaints
# A part that has passed is not run again while the files that it depends on are the same, so that all of it can be done piece by
# piece. Without names: all parts. scripts/test-full.sh [PART...]
set -eu
build=${BUILD:-build}
passed=$build/test-full
mkdir -p "$passed"

# What a part depends on, as one number: the contents of these files, committed or not, and of the programs as they are built.
inputs_of() {
  case $1 in
    contract) echo "$build/bin/contract_test models tests/models" ;;
    formulations) echo "$build/bin/contract_formulations_test models tests/models" ;;
    verdicts) echo "$build/bin/holonom scripts/verdicts.py tests/cli/verdicts_test.py tests/cli/support.py models tests/models" ;;
    fuzz) echo "$build/bin/holonom tests/fuzz models" ;;
    tidy) echo "CMakeLists.txt cmake include src cli .clang-tidy" ;;
    sanitizers | clang) echo "CMakeLists.txt cmake include src cli python models reproduce tests viewer" ;;
    tests | turns) echo "." ;;
  esac
}
digest_of() {
  inputs=$(inputs_of "$1")
  {
    find $inputs -prune -type f -print0  # (what is no folder: programs are not in the index)
    git ls-files -z --cached --others --exclude-standard -- $inputs scripts/test-full.sh
  } | sort -zu | xargs -0 sha1sum 2> /dev/null | sha1sum | cut -c1-40
}

verdict_tests='^cli\.verdicts_test$'
turns_tests='Resuming|^Impulses\.AreThoseOfTheWrapper$|^cli\.(hdf5_ends|recommend|reproduce|resume)_test$'
run_all() {
  rm -f "$build"/tests/contract/*_tests.cmake  # (as in the Makefile)
  HOLONOM_TEST_ALL=1 ctest --test-dir "$build" --output-on-failure --parallel 2 "$@"
}
# In two processes instead of thousands, each of which would have to begin
half() {
  HOLONOM_TEST_ALL=1 GTEST_TOTAL_SHARDS=2 GTEST_SHARD_INDEX="$1" "$build/bin/$2" --gtest_filter="$3" > "$passed/$2-$1.log" 2>&1
}
halves() {
  half 0 "$@" &
  other=$!
  ended=0
  half 1 "$@" || ended=1
  wait $other || ended=1
  grep -h '^\[  FAILED\|^\[  PASSED' "$passed/$1-0.log" "$passed/$1-1.log"
  return $ended
}
tests() { make test BUILD="$build"; }
turns() { run_all -R "$turns_tests"; }
contract() { halves contract_test 'Registry/Contract*'; }
formulations() { halves contract_formulations_test 'All/FormulationContract*'; }
verdicts() { run_all -R "$verdict_tests"; }

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
    -E '^cli\.(readme|contributing|printed|verdicts|reproduce|recommend)_test$|^python\.packaging_test$'
}

# Numbers of long runs are those of the other compiler: unit tests, those of the papers' numbers, and the program.
clang() {
  cmake -S . -B build-clang $debug -DCMAKE_CXX_COMPILER=clang++ -DHOLONOM_WERROR=ON > /dev/null
  cmake --build build-clang
  ctest --test-dir build-clang --output-on-failure --parallel 2 -E '^Registry/Contract|^cli\.(verdicts|reproduce|recommend)_test$|^python\.packaging_test$'
}

# Each file by itself: that each includes what it needs is an error here otherwise.
tidy() {
  cmake -S . -B build-tidy -G Ninja -DHOLONOM_UNITY=OFF -DHOLONOM_TESTS=OFF -DHOLONOM_VIEW=OFF -DCMAKE_CXX_COMPILER=clang++ > /dev/null
  run-clang-tidy -quiet -p build-tidy "^$PWD/(src|cli)/.*" > build-tidy/tidy.log 2> build-tidy/errors.log || true
  grep -q '^clang-tidy' build-tidy/tidy.log  # (it did run)
  ! grep -A5 "$PWD/.*\(warning\|error\):" build-tidy/tidy.log  # (of our files: Boost has some of its own)
}

scripts/install-packages.sh clang clang-tidy
[ $# -gt 0 ] || set -- tests turns contract formulations verdicts fuzz sanitizers clang tidy
for part in "$@"; do
  digest=$(digest_of "$part")
  if [ "$(cat "$passed/$part" 2> /dev/null)" = "$digest" ]; then
    echo "$part: passed before, with the same files"
    continue
  fi
  begun=$(date +%s)
  $part
  echo "$digest" > "$passed/$part"
  echo "$part: passed, in $((($(date +%s) - begun) / 60)) minutes"
done
