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
on-demand grid and with exact dynamics. Prints a table of what was saved and what it cost; data and pictures go to
$out/, and $out/index.html shows them; without matplotlib it draws fewer and says so. Five minutes from a bare
machine on 2 cores (279 s measured), longer on slow ones. Options of the program: --checks lists what was checked,
--dimension both takes the plane arm too, --help tells the others.

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
begin=$(date +%s)
echo "Quoin's demonstration: a soft arm (525 vertices, pulled by 4 lines) draws a circle with a laser, 200 steps of 20 ms."
echo "Five minutes from a bare machine on two cores, longer on slow ones, one minute where it was built before."
echo "1/3 packages"
get_ready "$packages"
run_quietly build/demo/configure.log "2/3 building, log: build/demo/build.log" cmake --preset demo
run_with_progress build/demo/build.log "    $program" cmake --build --preset demo --target "$program"
built=$(date +%s)
echo "3/3 planning: through grids, on the mesh, on the full dynamics, around obstacles"
status=0
"build/demo/examples/$program" $program_arguments "$@" || status=$?
before=
for argument in "$@"; do
  case "$before$argument" in
    --out=*) out=${argument#--out=} ;;
    --out?*) out=$argument ;;
  esac
  before=
  [ "$argument" != --out ] || before=$argument
done
[ ! -f "$out/plans.json" ] || draw_pictures "examples/studies/$program/figures.py" "$out"
end=$(date +%s)
echo "Done in $((end - begin)) s: packages and building $((built - begin)), planning $((end - built))."
exit $status
