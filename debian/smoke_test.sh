#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# usage: debian/smoke_test.sh <folder of the build>
# README's first program on the compiled grid, the program quoin-store, and a grid in Python.
set -eu
build=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export LD_LIBRARY_PATH="$build"
c++ -std=c++20 -Iinclude -isystem /usr/include/eigen3 -DQUOIN_LINKS_COMPILED_GRID \
  examples/first_grid.cpp "-L$build" -lquoin_compiled_grid -pthread -o "$work/first_grid"
"$work/first_grid"
"$build/tools/quoin-store" --version
PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$build/python" sh debian/tests/python3
