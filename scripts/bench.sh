#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Builds and runs every benchmark. See --help.
set -eu

usage() {
  cat <<'END'
usage: scripts/bench.sh [--quick] [--no-setup] [<benchmark> ...]

Installs missing packages, builds the benchmarks and runs them one after another, all of them or those that are named.
Each writes out/benchmarks/<benchmark>.json; what they print for people is collected in out/benchmarks/summary.md,
and benchmarks/figures.py draws pictures of them there with matplotlib.
A benchmark that fails does not stop the others; the script names it and exits non-zero in the end.

  --quick      under a minute for each
  --no-setup   install nothing
  -h, --help   this text
END
}

packages=all
quick=
only=
for argument in "$@"; do
  case "$argument" in
    --quick) quick=--quick ;;
    --no-setup) packages= ;;
    -h | --help) usage; exit 0 ;;
    -*) echo "bench.sh: unknown option '$argument'" >&2; usage >&2; exit 2 ;;
    *) only="$only $argument" ;;
  esac
done

cd "$(dirname "$0")/.."
. scripts/common.sh
get_ready "$packages"
build=build/release
run_quietly $build/bench-configure.log "configuring" cmake --preset release -DQUOIN_BUILD_BENCHMARKS=ON
all=$(cat $build/benchmarks/programs.txt)
for name in $only; do
  case " $(echo $all) " in
    *" $name "*) ;;
    *) echo "bench.sh: no benchmark '$name'; there are: $(echo $all)" >&2; exit 2 ;;
  esac
done
run_quietly $build/bench-build.log "building" cmake --build --preset release --target quoin_benchmarks

out=out/benchmarks
if ! mkdir -p $out || ! [ -w $out ]; then
  echo "bench.sh: cannot write to $out; make it writable" >&2
  exit 1
fi
parts=$(mktemp -d)
trap 'rm -rf "$parts"' EXIT
summary=$out/summary.md
processor=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)
{
  echo "# Benchmarks"
  echo
  echo "${processor:-unknown processor}, $(nproc) cores, $(${CXX:-c++} --version | head -n 1)${quick:+; quick run}"
} >$summary

failed=
for name in ${only:-$all}; do
  echo "== $name"
  rm -f "$out/$name.json"
  status=0
  $build/benchmarks/"$name" $quick --json "$out/$name.json" --markdown "$parts/$name.md" || status=$?
  {
    echo
    if [ -s "$parts/$name.md" ]; then
      cat "$parts/$name.md"
    else
      echo "## $name"
    fi
    if [ "$status" -ne 0 ]; then
      echo
      echo "**$name failed** (exit status $status)."
    fi
  } >>$summary
  if [ "$status" -ne 0 ]; then
    failed="$failed $name"
  fi
done

draw_pictures benchmarks/figures.py "$out"
echo "results: $summary, $out/*.json"
if [ -n "$failed" ]; then
  echo "bench.sh: failed:$failed" >&2
  exit 1
fi
