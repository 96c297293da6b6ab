#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# usage: remedies.sh <compiler> <folder of Eigen> <root of the repository>
# The first error of a program that gives a callable where a function is needed, or one without a Jacobian, has the remedy.
set -eu
compiler=$1 eigen=$2 root=$3
errors=$(mktemp)
trap 'rm -f "$errors"' EXIT
bad=0

# refused <text> <statement>
refused() {
  if printf '%s\n' '#include <quoin/quoin.hpp>' '#include <quoin/choosing/surrogate.hpp>' '#include <quoin/choosing/table.hpp>' \
      'static auto f = [](const quoin::Point<1>& x, Eigen::Ref<Eigen::VectorXd> y) { y[0] = x[0]; };' \
      'const quoin::Point<1> lower(0.0), upper(1.0);' "int main() { $2; }" |
      "$compiler" -std=c++20 -I "$root/include" -isystem "$eigen" -fsyntax-only -x c++ - 2>"$errors"; then
    echo "compiles: $2"
    bad=1
  elif ! grep -m 1 'error:' "$errors" | grep -qF -e "$1"; then
    echo "the first error of $2 does not say: $1"
    grep -m 3 'error:' "$errors"
    bad=1
  fi
}

refused 'exact_function_without_derivatives<Dim>(N, f) for a grid, differenced<Dim>' 'quoin::exact_function<1>(1, f)'
refused 'exact_function_without_derivatives<Dim>(N, f) of f(x, y)' 'quoin::AdaptiveGrid<1> grid(f)'
refused 'exact_function_without_derivatives<Dim>(N, f) of f(x, y)' 'quoin::Surrogate<1> map(f, lower, upper, {.error = 1e-3})'
refused 'exact_function_without_derivatives<Dim>(N, f) of f(x, y)' \
  'quoin::Table<1> table(f, {quoin::linear_axis("x", 0, 1)})'
exit $bad
