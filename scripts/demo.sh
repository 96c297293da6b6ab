#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The demonstration, from a bare machine on. See --help.
set -eu

# The program, and what it is called with before the caller's own options.
program=soft_arm_laser
out=out/soft_arm_laser
program_arguments="--demo --out $out"

usage() {
  cat <<END
usage: scripts/demo.sh [--no-setup] [-- <options of $program>]

Installs missing packages, builds the example $program and runs it: the soft arm's trajectory planned through the
on-demand grid and with exact dynamics. Prints a table of what was saved and what it cost; pictures go to $out/.
Takes four to five minutes from a bare machine on 2 cores.

  --no-setup   install nothing
  -h, --help   this text
END
}

packages=demo
while [ $# -gt 0 ]; do
  case "$1" in
    --no-setup) packages=; shift ;;
    -h | --help) usage; exit 0 ;;
    --) shift; break ;;
    *) echo "demo.sh: unknown option '$1'" >&2; usage >&2; exit 2 ;;
  esac
done

cd "$(dirname "$0")/.."
. scripts/common.sh
get_ready "$packages"
run_quietly build/demo/configure.log "configuring" cmake --preset demo
run_quietly build/demo/build.log "building $program (about three minutes)" \
  cmake --build --preset demo --target "$program"
exec "build/demo/examples/$program" $program_arguments "$@"
