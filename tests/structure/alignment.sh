#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# usage: alignment.sh <root of the repository> <folder of Eigen> <compiler> ...
# Programs that are compiled by hand, with no macro of ours, against a library of other flags: they link if Eigen lies in
# memory as it does there, and if not, the linker says what may be missing. A static library and a shared one.
set -eu
root=$1 eigen=$2
shift 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
cat >program.cpp <<'END'
#include <quoin/robots/geometry/shapes.hpp>
int main() {}
END
bad=0

flags() {
  case $1 in
    plain) ;;
    march) echo -march=x86-64-v3 ;;
    both) echo -march=x86-64-v3 -DEIGEN_MAX_ALIGN_BYTES=16 ;;
    sanitized) echo -fsanitize=address ;;
  esac
}
# What may be missing, and the numbers, that a file calls or defines the function for.
numbers() { nm -C "$1" | sed -n 's/.*EIGEN_MAX_ALIGN_BYTES<\(.*\)>().*/\1/p' | head -1; }

for compiler in "$@"; do
  for kind in plain march both sanitized; do
    for source in "$root/src/util/abi_check.cpp" program.cpp; do
      # shellcheck disable=SC2046 # words
      "$compiler" -std=c++20 -O1 -fPIC $(flags "$kind") -I"$root/include" -isystem "$eigen" -c "$source" \
        -o "$(basename "$source" .cpp)_$kind.o" &
    done
    wait
    ar rc "library_$kind.a" "abi_check_$kind.o"
    # shellcheck disable=SC2046
    "$compiler" -shared $(flags "$kind") "abi_check_$kind.o" -o "library_$kind.so"
  done
  for library in plain march both sanitized; do
    for program in plain march both sanitized; do
      for end in a so; do
        wanted=$(numbers "program_$program.o") there=$(numbers "abi_check_$library.o") said=linked
        # clang lets Eigen's memory be the same under a sanitizer, whose own functions a program without it has not
        if [ "$wanted" = "$there" ] && [ $library = sanitized ] && [ $program != sanitized ]; then continue; fi
        # shellcheck disable=SC2046
        "$compiler" $(flags "$program") "program_$program.o" "./library_$library.$end" -o program >said 2>&1 ||
          said=$(sed -n 's/.*undefined.*EIGEN_MAX_ALIGN_BYTES<\(.*\)>().*/\1/p' said)
        if [ "$wanted" = "$there" ]; then wanted=linked; fi
        if [ "$said" != "$wanted" ]; then
          echo "$compiler: a $program program and a $library library ($end): $said, wanted $wanted"
          bad=1
        fi
      done
    done
  done
  for pair in plain:perhaps::add_march_native march:perhaps::add_DEIGEN_MAX_ALIGN_BYTES_16 both:perhaps::leave_out_march; do
    case $(numbers "program_${pair%%:*}.o") in
      *"${pair#*:},"*) ;;
      *) echo "$compiler: the linker would not tell ${pair#*:}" && bad=1 ;;
    esac
  done
done
exit $bad
