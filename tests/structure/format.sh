#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# usage: format.sh <clang-format> <root of the repository> [--fix]
# Fails on the first lines that clang-format would lay out otherwise; with --fix, lays them out.
set -eu
cd "$2"
mode="--dry-run -Werror"
if [ "${3-}" = --fix ]; then
  mode=-i
fi
find include src python testing tests examples benchmarks -name '*.hpp' -o -name '*.cpp' -o -name '*.inc' | LC_ALL=C sort |
  xargs -r "$1" --style=file --ferror-limit=5 $mode
