#!/bin/sh
# Builds and runs the benchmarks; ratios are what counts on a shared machine.
set -eu
cmake -S . -B build -G Ninja -DHOLONOM_BENCHMARKS=ON > /dev/null
cmake --build build
for b in build/bin/bench_*; do "$b"; done
