#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The whole check, from a bare machine on. See --help.
set -eu

usage() {
  cat <<'END'
usage: scripts/test.sh [--core] [--no-setup]

Installs missing packages, builds everything with warnings as errors, runs every test, then builds and runs the tests of
core and grid under the sanitizers: cmake --workflow --preset check. Exits non-zero if anything failed.

  --core       install only what core and grid need; parts whose packages are missing are left out
  --no-setup   install nothing
  -h, --help   this text
END
}

packages=test
for argument in "$@"; do
  case "$argument" in
    --core) packages=core ;;
    --no-setup) packages= ;;
    -h | --help) usage; exit 0 ;;
    *) echo "test.sh: unknown option '$argument'" >&2; usage >&2; exit 2 ;;
  esac
done

cd "$(dirname "$0")/.."
. scripts/common.sh
get_ready "$packages"
exec cmake --workflow --preset check
