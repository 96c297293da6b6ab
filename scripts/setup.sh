#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Installs the Debian packages that quoin is built with. See --help.
set -eu

usage() {
  cat <<'END'
usage: scripts/setup.sh [demo|core|all|test|python|site]

Installs the Debian packages of scripts/packages.txt that are missing:
  demo   for the demonstration (scripts/demo.sh)
  core   also for core and grid and their tests
  all    also for the other components, the examples and the benchmarks (default)
  test   also for all tests
  python for the binding to Python alone
  site   those of core, and for the documentation as a site (docs/site)

Does nothing where all are installed. Needs root or sudo otherwise.
END
}

set_wanted=all
case "${1-all}" in
  demo | core | all | test | python | site) set_wanted=${1-all} ;;
  -h | --help) usage; exit 0 ;;
  *) echo "setup.sh: unknown argument '$1'" >&2; usage >&2; exit 2 ;;
esac
if [ $# -gt 1 ]; then
  echo "setup.sh: one argument at most" >&2
  usage >&2
  exit 2
fi

list=$(dirname "$0")/packages.txt
packages=$(awk -v wanted="$set_wanted" '
  BEGIN { rank["demo"] = 1; rank["core"] = 2; rank["all"] = 3; rank["test"] = 4 }
  BEGIN { level = wanted == "site" ? 2 : rank[wanted] }
  BEGIN { draws = wanted == "demo" || level > rank["core"] }
  {
    count = split($1, sets, ",")
    for (i = 1; i <= count; ++i)
      if (sets[i] == wanted || (sets[i] == "pictures" && draws) || (rank[sets[i]] > 0 && rank[sets[i]] <= level)) { print $2; next }
  }' "$list")

if ! command -v dpkg-query >/dev/null 2>&1; then
  echo "setup.sh: this is not Debian or a relative of it. Install by hand what these Debian packages hold:" >&2
  echo "  "$packages >&2
  echo "Then build with CMake 3.25 or later: cmake --preset release && cmake --build --preset release" >&2
  exit 1
fi

missing=
for package in $packages; do
  state=$(dpkg-query -W -f '${db:Status-Abbrev}' "$package" 2>/dev/null || true)
  case "$state" in
    ii*) ;;
    *) missing="$missing $package" ;;
  esac
done
if [ -z "$missing" ]; then
  echo "setup.sh: all packages of '$set_wanted' are installed"
  exit 0
fi

as_root=
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null 2>&1; then
    echo "setup.sh: packages are missing, and this is neither root nor is there sudo. As root, run:" >&2
    echo "  apt-get update && apt-get install --no-install-recommends$missing" >&2
    exit 1
  fi
  as_root="sudo --preserve-env=DEBIAN_FRONTEND"
fi

export DEBIAN_FRONTEND=noninteractive
echo "setup.sh: installing$missing"
install_missing() {
  $as_root apt-get -qq install -y --no-install-recommends $missing >"$log" 2>&1
}
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# The package lists of a machine that stood for a while point at files that are gone: then update, and once more.
if ! install_missing; then
  $as_root apt-get -qq -o Acquire::Retries=3 update || echo "setup.sh: apt-get update failed; going on" >&2
  if ! install_missing; then
    tail -n 20 "$log" >&2
    cat >&2 <<END
setup.sh: could not install:$missing
Is there a network, and does /etc/apt/sources.list name a Debian 12 mirror? Try it by hand:
  apt-get update && apt-get install --no-install-recommends$missing
END
    exit 1
  fi
fi
echo "setup.sh: done"
