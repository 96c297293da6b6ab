#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# usage: flags.sh <compiler> <folder of Eigen> <root of the repository>
# Flags that quoin does not work with are refused in one line that names the remedy, and the remedy works.
set -eu
compiler=$1 eigen=$2 root=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0

# compiles <flag> ...: compiles the umbrella header
compiles() {
  echo '#include <quoin/quoin.hpp>' | "$compiler" "$@" -I "$root/include" -isystem "$eigen" -fsyntax-only -x c++ - \
    2>"$work/errors"
}

# refused <text> <flag> ...: the text is the first error, and nothing but the end of the compilation follows it
refused() {
  text=$1
  shift
  if compiles "$@"; then
    echo "compiles with $*"
    bad=1
  elif ! grep -m 1 'error:' "$work/errors" | grep -qF -e "$text" || [ "$(grep -c 'error:' "$work/errors")" != 2 ]; then
    echo "with $* the compiler does not say once: $text"
    cat "$work/errors"
    bad=1
  fi
}

# accepted <flag> ...
accepted() {
  if ! compiles "$@"; then
    echo "does not compile with $*"
    cat "$work/errors"
    bad=1
  fi
}

refused 'compile with -std=c++20' -std=c++17
accepted -std=c++20
refused '-fno-finite-math-only' -std=c++20 -ffast-math
refused '-fno-finite-math-only' -std=c++20 -Ofast
accepted -std=c++20 -ffast-math -fno-finite-math-only
exit $bad
