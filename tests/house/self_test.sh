#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# usage: self_test.sh <folder of the checks> <compiler>
# The checks are worth what they find: each must pass a sound tree and fail one with a single fault.
set -eu
checks=$1 compiler=$2
house=$(mktemp -d)
trap 'rm -rf "$house"' EXIT
bad=0

sound_house() {
  rm -rf "${house:?}"/*
  for folder in core grid evaluation kernel geometry models/arm models/fish planning io; do
    mkdir -p "$house/include/quoin/$folder" "$house/src/$folder"
    printf '// SPDX-License-Identifier: BSD-3-Clause\n#pragma once\n#include "quoin/core/requirements.hpp"\n#include <Eigen/Core>\n' \
      >"$house/include/quoin/$folder/a.hpp"
    printf '// SPDX-License-Identifier: BSD-3-Clause\n#include "quoin/%s/a.hpp"\n' "$folder" \
      >"$house/src/$folder/a.cpp"
  done
  printf '// SPDX-License-Identifier: BSD-3-Clause\n#pragma once\n#include "quoin/grid/a.hpp"\n' \
    >"$house/include/quoin/quoin.hpp"
  echo '#include "quoin/core/a.hpp"' >>"$house/include/quoin/grid/a.hpp"
  echo '#include <sys/mman.h>' >>"$house/include/quoin/grid/a.hpp"
  echo '#include "quoin/geometry/a.hpp"' >>"$house/include/quoin/models/arm/a.hpp"
  echo '#include "quoin/grid/a.hpp"' >>"$house/include/quoin/evaluation/a.hpp"
  echo 'inline void say() { throw "this string says abort() and std::cout"; }  // printf() in words' \
    >>"$house/include/quoin/core/a.hpp"
  printf '# SPDX-License-Identifier: BSD-3-Clause\n' >"$house/CMakeLists.txt"
  mkdir "$house/docs"
  echo '[grid](grid.md), [elsewhere](https://example.org), [a part](grid.md#part)' >"$house/docs/README.md"
  printf '[back](../CMakeLists.txt)\n<!-- with: struct X {}; -->\n```cpp\nauto f = [](const X& x) {};\n```\n' >"$house/docs/grid.md"
  mkdir "$house/examples"
  printf '// SPDX-License-Identifier: BSD-3-Clause\nint main() {\n  int a = 1;\n  if (a) {\n    a = 2;\n\n  }\n}\n' \
    >"$house/examples/first.cpp"
  printf '<!-- from examples/first.cpp -->\n```cpp\nif (a) {\n  a = 2;\n\n}\n```\n' >>"$house/docs/grid.md"
  printf '<!-- with:\n#include <cstddef>\n-->\n```cpp\nstruct Y {\n  std::size_t size() const;\n};\n```\n' >>"$house/docs/grid.md"
}

# must_fail <check> <file> <line>: with this line at its end, the file must fail the check.
must_fail() {
  sound_house
  printf '%s\n' "$3" >>"$house/$2"
  if "$checks/$1" "$house" >/dev/null; then
    echo "$1 did not see in $2: $3"
    bad=1
  fi
}

# must_not_compile <file> <lines>: with these lines at its end, the compiler must refuse a block of C++ in the file.
must_not_compile() {
  sound_house
  printf '%s\n' "$2" >>"$house/$1"
  if "$checks/quotes.sh" "$house" "$compiler" "$house" 2>/dev/null; then
    echo "quotes.sh did not see in $1: $2"
    bad=1
  fi
}

sound_house
if ! "$checks/quotes.sh" "$house" "$compiler" "$house"; then
  echo "quotes.sh fails a sound house"
  bad=1
fi
for check in include_order.sh sources.sh links.sh; do
  if ! "$checks/$check" "$house"; then
    echo "$check fails a sound house"
    bad=1
  fi
done

must_fail include_order.sh include/quoin/core/a.hpp '#include "quoin/grid/a.hpp"'
must_fail include_order.sh include/quoin/grid/a.hpp '#include <boost/asio.hpp>'
must_fail include_order.sh include/quoin/core/a.hpp '#include <boost/container/small_vector.hpp>'
must_fail include_order.sh include/quoin/core/a.hpp '#include "quoin/quoin.hpp"'
must_fail include_order.sh include/quoin/core/a.hpp '#include <quoin/core/b.hpp>'
must_fail include_order.sh include/quoin/core/a.hpp '#include "b.hpp"'
must_fail include_order.sh include/quoin/quoin.hpp '#include "quoin/planning/a.hpp"'
must_fail include_order.sh include/quoin/grid/a.hpp '#include "quoin/evaluation/a.hpp"'
must_fail include_order.sh include/quoin/kernel/a.hpp '#include "quoin/grid/a.hpp"'
must_fail include_order.sh include/quoin/geometry/a.hpp '#include "quoin/models/arm/a.hpp"'
must_fail include_order.sh include/quoin/models/arm/a.hpp '#include "quoin/models/fish/a.hpp"'
must_fail include_order.sh include/quoin/models/arm/a.hpp '  #  include "quoin/grid/a.hpp"'
must_fail include_order.sh include/quoin/models/arm/a.hpp '#include "quoin/planning/a.hpp"'
must_fail include_order.sh src/models/arm/a.cpp '#include "quoin/io/a.hpp"'
must_fail include_order.sh include/quoin/planning/a.hpp '#include "quoin/models/arm/a.hpp"'
must_fail include_order.sh src/planning/a.cpp '#include "quoin/grid/a.hpp"'
must_fail include_order.sh src/io/a.cpp '#include "quoin/planning/a.hpp"'
must_fail include_order.sh src/io/a.cpp '#include "../planning/b.hpp"'
must_fail include_order.sh src/io/a.cpp '#include <IpTNLP.hpp>'

must_fail sources.sh src/io/a.cpp 'auto text = std::to_string(1e-9);'
must_fail sources.sh src/io/a.cpp 'void f() { std::cout << 1; }'
must_fail sources.sh src/io/a.cpp 'void f() { printf("x"); }'
must_fail sources.sh src/io/a.cpp 'void f() { std::abort(); }'
must_fail sources.sh src/io/a.cpp 'void f() { std::exit (1); }'
must_fail sources.sh src/io/a.cpp "// TO""DO: later"
must_fail links.sh docs/grid.md '[nowhere](nowhere.md)'
must_fail links.sh docs/unnamed.md 'A page that the index does not name.'
fence='```'
must_fail quotes.sh docs/grid.md "<!-- from examples/nowhere.cpp -->
${fence}cpp
int a = 1;
$fence"
must_fail quotes.sh docs/grid.md "<!-- from examples/first.cpp -->
${fence}cpp
int a = 2;
$fence"
must_fail quotes.sh docs/grid.md "<!-- from examples/first.cpp -->
${fence}cpp
int a = 1;
if (a) {
a = 2;
$fence"
must_fail quotes.sh docs/grid.md "<!-- from examples/first.cpp -->
${fence}cpp
int a = 1;
  a = 2;
$fence"
must_fail quotes.sh docs/grid.md "<!-- like examples/first.cpp -->
${fence}cpp
int a = 1;
$fence"
must_fail quotes.sh docs/grid.md "${fence}c++
int a = 1;
$fence"
must_fail quotes.sh docs/grid.md "${fence}cpp
int a = 1;"
must_not_compile docs/grid.md "${fence}cpp
undeclared();
$fence"
must_not_compile README.md "<!-- with: int a; -->
Another block's words are not this one's.
${fence}cpp
++a;
$fence"
sound_house
echo 'int x;' >"$house/src/io/a.cpp"
! "$checks/sources.sh" "$house" >/dev/null || { echo "sources.sh did not see a missing licence line"; bad=1; }
sound_house
grep -v pragma "$house/include/quoin/io/a.hpp" >"$house/b" && mv "$house/b" "$house/include/quoin/io/a.hpp"
! "$checks/sources.sh" "$house" >/dev/null || { echo "sources.sh did not see a missing #pragma once"; bad=1; }
sound_house
grep -v requirements "$house/include/quoin/io/a.hpp" >"$house/b" && mv "$house/b" "$house/include/quoin/io/a.hpp"
! "$checks/sources.sh" "$house" >/dev/null || { echo "sources.sh did not see a header without requirements"; bad=1; }
exit $bad
