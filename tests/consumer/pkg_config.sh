#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# usage: pkg_config.sh <pkg-config> <compiler> <flags> <folder of quoin.pc> <folder of the project> <component> ...
# A program of each component is built by the compiler with what pkg-config says, and runs; grid's, which is headers, too.
# The files say where they lie, not where they were installed.
set -eu
pkg_config=$1 compiler=$2 flags=$3 here=$4 project=$5
shift 5
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

mkdir -p "$work/elsewhere/lib"
cp -r "$here" "$work/elsewhere/lib/pkgconfig"
found=$(PKG_CONFIG_PATH="$work/elsewhere/lib/pkgconfig" "$pkg_config" --variable=prefix quoin)
if [ "$(realpath "$found")" != "$(realpath "$work/elsewhere")" ] && [ "$(basename "$(dirname "$here")")" = lib ]; then
  echo "quoin.pc does not move with its prefix: $found"
  exit 1
fi

export PKG_CONFIG_PATH="$here"
LD_LIBRARY_PATH=$("$pkg_config" --variable=libdir quoin)
export LD_LIBRARY_PATH
bad=0
for name in "$@"; do
  module=quoin-$name source=$project/$name.cpp
  case $name in
    grid) module=quoin source=$project/contract.cpp ;;
    compiled_grid) source=$project/contract.cpp ;;
  esac
  "$pkg_config" --exists --print-errors "$module" || bad=1
  [ -e "$source" ] || continue
  # shellcheck disable=SC2046,SC2086 # words
  if ! "$compiler" -std=c++20 $flags "$source" $("$pkg_config" --cflags --libs "$module") -o "$work/program" ||
    ! (cd "$work" && ./program); then
    echo "$module: $source does not work with: $("$pkg_config" --cflags --libs "$module")"
    bad=1
  fi
done
exit $bad
