#!/bin/sh
# Builds and runs the benchmarks; ratios are what counts on a shared machine. QUICK=1 shortens the comparisons
# with peers and with compositions; peers are left out if they cannot be installed.
set -eu
scripts/install-packages.sh libsundials-dev libsimbody-dev || echo "SUNDIALS and Simbody could not be installed" >&2
cmake -S . -B build -G Ninja -DHOLONOM_BENCHMARKS=ON > /dev/null
cmake --build build
for b in build/bin/bench_*; do
  case $b in
    *work_precision | *lobatto) "$b" ${QUICK:+--quick} ;;
    *) "$b" ;;
  esac
done
