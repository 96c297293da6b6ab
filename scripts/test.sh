#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The check, from a bare machine on. See --help.
set -eu

usage() {
  cat <<'END'
usage: scripts/test.sh [--all [--no-sanitizers]] [--core] [--no-setup]

Installs missing packages, builds the library, its tests, the examples and, where Python is, the binding, with warnings
as errors, and runs them: cmake --workflow --preset check. Exits non-zero if anything failed.

  --all        then, in the same folder, what that does not see: the studies and benchmarks, with their tests; each header
               and each block of C++ in the docs compiled alone; the types of the Python package, and its wheel; the library
               installed, static and shared, and programs outside that use it by CMake and pkg-config, beside other
               libraries, for this processor and for any; core, grid and all readers of files under the address and
               undefined behaviour sanitizers, threads under the thread sanitizer: preset check-rest. By hand remain
               scripts/package.sh (packages, wheel), the presets asan-all, kills and fuzz, and tables at full length
  --no-sanitizers
               with --all: leave out the two builds under the sanitizers, which take long
  --core       install only what core and grid need; parts whose packages are missing are left out
  --no-setup   install nothing
  -h, --help   this text
END
}

packages=test
rest=
left_out=
for argument in "$@"; do
  case "$argument" in
    --all) rest=yes ;;
    --no-sanitizers) left_out='^structure/(asan|tsan)$' ;;
    --core) packages=core ;;
    --no-setup) packages= ;;
    -h | --help) usage; exit 0 ;;
    *) echo "test.sh: unknown option '$argument'" >&2; usage >&2; exit 2 ;;
  esac
done

if [ -n "$left_out" ] && [ -z "$rest" ]; then
  echo "test.sh: --no-sanitizers leaves out a part of --all, which was not given" >&2
  exit 2
fi

cd "$(dirname "$0")/.."
. scripts/common.sh
get_ready "$packages"
cmake --workflow --preset check
[ -n "$rest" ] || exit 0
[ -n "$left_out" ] || exec cmake --workflow --preset check-rest
cmake --preset check-rest
cmake --build --preset check-rest
exec ctest --preset check-rest --exclude-regex "$left_out"
