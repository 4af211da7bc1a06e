#!/bin/sh
# Installs the Debian packages that are missing; does nothing, and asks for nothing, if none is.
#   install-packages.sh --program      what the library and the program are built from
#   install-packages.sh [PACKAGE...]   the same, what the tests and the benchmarks need, and these
set -eu
packages="g++ cmake ninja-build make libboost-dev libtomlplusplus-dev libcli11-dev libsuitesparse-dev liblapack-dev llvm-14-dev zlib1g-dev libhdf5-dev"
if [ "${1-}" = --program ]; then
  shift
else
  packages="$packages git clang-format python3 python3-numpy python3-matplotlib python3-h5py python3-mdanalysis libgtest-dev libbenchmark-dev chromium python3-dev python3-pytest pybind11-dev python3-venv python3-pip python3-setuptools python3-wheel"
  # (Node.js may come from elsewhere than Debian, with an npm of its own, beside which Debian's cannot be installed.)
  command -v node >/dev/null && command -v npm >/dev/null || packages="$packages nodejs npm"
fi
missing=""
for p in $packages "$@"; do
  dpkg-query -W -f '${Status}' "$p" 2>/dev/null | grep -q 'install ok installed' || missing="$missing $p"
done
[ -n "$missing" ] || exit 0
command -v apt-get >/dev/null || { echo "Please install the equivalents of:$missing" >&2; exit 1; }
sudo=""
[ "$(id -u)" = 0 ] || sudo="sudo"
echo "Installing:$missing"
export DEBIAN_FRONTEND=noninteractive
$sudo apt-get update -q >/dev/null
# shellcheck disable=SC2086
$sudo apt-get install -y -q --no-install-recommends $missing >/dev/null
