#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# usage: self_test.sh <folder of the checks> <compiler>
# The checks are worth what they find: each must pass a sound tree and fail one with a single fault.
set -eu
checks=$1 compiler=$2
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
bad=0

sound_tree() {
  rm -rf "${tree:?}"/*
  for folder in util map grid evaluation kernel robots/geometry robots/models/arm robots/models/fish robots/planning robots/io; do
    mkdir -p "$tree/include/quoin/$folder" "$tree/src/$folder"
    printf '// SPDX-License-Identifier: BSD-3-Clause\n#pragma once\n#include "quoin/util/requirements.hpp"\n#include <Eigen/Core>\n' \
      >"$tree/include/quoin/$folder/a.hpp"
    printf '// SPDX-License-Identifier: BSD-3-Clause\n#include "quoin/%s/a.hpp"\n' "$folder" \
      >"$tree/src/$folder/a.cpp"
  done
  printf '// SPDX-License-Identifier: BSD-3-Clause\n#pragma once\n#include "quoin/grid/a.hpp"\n' \
    >"$tree/include/quoin/quoin.hpp"
  echo '#include "quoin/map/a.hpp"' >>"$tree/include/quoin/grid/a.hpp"
  echo '#include <sys/mman.h>' >>"$tree/include/quoin/grid/a.hpp"
  echo '#include "quoin/robots/geometry/a.hpp"' >>"$tree/include/quoin/robots/models/arm/a.hpp"
  echo '#include "quoin/grid/a.hpp"' >>"$tree/include/quoin/evaluation/a.hpp"
  echo 'inline void say() { throw "this string says abort() and std::cout"; }  // printf() in words' \
    >>"$tree/include/quoin/map/a.hpp"
  mkdir -p "$tree/testing" "$tree/tests/map"
  printf '// SPDX-License-Identifier: BSD-3-Clause\n#pragma once\n' | tee "$tree/testing/a.hpp" >"$tree/tests/map/a.hpp"
  printf '# SPDX-License-Identifier: BSD-3-Clause\n' >"$tree/CMakeLists.txt"
  mkdir "$tree/docs"
  echo '[grid](grid.md), [elsewhere](https://example.org), [a part](grid.md#part)' >"$tree/docs/README.md"
  printf '[back](../CMakeLists.txt)\n<!-- with: struct X {}; -->\n```cpp\nauto f = [](const X& x) {};\n```\n' >"$tree/docs/grid.md"
  mkdir "$tree/docs/tutorial" "$tree/docs/notes"
  echo '[one](1.md)' >"$tree/docs/tutorial/README.md"
  printf '[back](../grid.md)\n<!-- from examples/first.py -->\n```python\nserve(f)\n```\n' >"$tree/docs/tutorial/1.md"
  mkdir "$tree/examples"
  printf '# SPDX-License-Identifier: BSD-3-Clause\nf = 1\nserve(f)\n' >"$tree/examples/first.py"
  printf '// SPDX-License-Identifier: BSD-3-Clause\nint main() {\n  int a = 1;\n  if (a) {\n    a = 2;\n\n  }\n}\n' \
    >"$tree/examples/first.cpp"
  printf '<!-- from examples/first.cpp -->\n```cpp\nif (a) {\n  a = 2;\n\n}\n```\n' >>"$tree/docs/grid.md"
  printf '<!-- with:\n#include <cstddef>\n-->\n```cpp\nstruct Y {\n  std::size_t size() const;\n};\n```\n' >>"$tree/docs/grid.md"
}

# must_fail <check> <file> <line>: with this line at its end, the file must fail the check.
must_fail() {
  sound_tree
  printf '%s\n' "$3" >>"$tree/$2"
  if "$checks/$1" "$tree" >/dev/null; then
    echo "$1 did not see in $2: $3"
    bad=1
  fi
}

# must_not_compile <file> <lines>: with these lines at its end, the compiler must refuse a block of C++ in the file.
must_not_compile() {
  sound_tree
  printf '%s\n' "$2" >>"$tree/$1"
  if "$checks/quotes.sh" "$tree" "$compiler" "$tree" 2>/dev/null; then
    echo "quotes.sh did not see in $1: $2"
    bad=1
  fi
}

sound_tree
if ! "$checks/quotes.sh" "$tree" "$compiler" "$tree"; then
  echo "quotes.sh fails a sound tree"
  bad=1
fi
compiled_headers=
if command -v python3 >/dev/null; then compiled_headers=compiled_headers.py; fi
for check in include_order.sh sources.sh links.sh $compiled_headers; do
  if ! "$checks/$check" "$tree"; then
    echo "$check fails a sound tree"
    bad=1
  fi
done

must_fail include_order.sh include/quoin/map/a.hpp '#include "quoin/grid/a.hpp"'
must_fail include_order.sh include/quoin/grid/a.hpp '#include <boost/asio.hpp>'
must_fail include_order.sh include/quoin/map/a.hpp '#include <boost/container/small_vector.hpp>'
must_fail include_order.sh include/quoin/map/a.hpp '#include "quoin/quoin.hpp"'
must_fail include_order.sh include/quoin/map/a.hpp '#include <quoin/map/b.hpp>'
must_fail include_order.sh include/quoin/map/a.hpp '#include "b.hpp"'
must_fail include_order.sh include/quoin/quoin.hpp '#include "quoin/robots/planning/a.hpp"'
must_fail include_order.sh include/quoin/grid/a.hpp '#include "quoin/evaluation/a.hpp"'
must_fail include_order.sh include/quoin/kernel/a.hpp '#include "quoin/grid/a.hpp"'
must_fail include_order.sh include/quoin/robots/geometry/a.hpp '#include "quoin/robots/models/arm/a.hpp"'
must_fail include_order.sh include/quoin/robots/models/arm/a.hpp '#include "quoin/robots/models/fish/a.hpp"'
must_fail include_order.sh include/quoin/robots/models/arm/a.hpp '  #  include "quoin/grid/a.hpp"'
must_fail include_order.sh include/quoin/robots/models/arm/a.hpp '#include "quoin/robots/planning/a.hpp"'
must_fail include_order.sh src/robots/models/arm/a.cpp '#include "quoin/robots/io/a.hpp"'
must_fail include_order.sh include/quoin/robots/planning/a.hpp '#include "quoin/robots/models/arm/a.hpp"'
must_fail include_order.sh src/robots/planning/a.cpp '#include "quoin/grid/a.hpp"'
must_fail include_order.sh src/robots/io/a.cpp '#include "quoin/robots/planning/a.hpp"'
must_fail include_order.sh src/robots/io/a.cpp '#include "../planning/b.hpp"'
must_fail include_order.sh src/robots/io/a.cpp '#include <IpTNLP.hpp>'
must_fail include_order.sh include/quoin/grid/a.hpp '#include "quoin/robots/io/a.hpp"'
must_fail include_order.sh testing/a.hpp '#include "tests/map/a.hpp"'
must_fail include_order.sh testing/a.hpp '#include "quoin/robots/io/a.hpp"'
must_fail include_order.sh tests/map/a.hpp '#include "testing/robots/a.hpp"'

must_fail sources.sh src/robots/io/a.cpp '// long long long long long long long long long long long long long long long long long long long long long long long long'
must_fail sources.sh src/robots/io/a.cpp 'auto text = std::to_string(1e-9);'
must_fail sources.sh src/robots/io/a.cpp 'void f() { std::cout << 1; }'
must_fail sources.sh src/robots/io/a.cpp 'void f() { printf("x"); }'
must_fail sources.sh src/robots/io/a.cpp 'void f() { std::abort(); }'
must_fail sources.sh src/robots/io/a.cpp 'void f() { std::exit (1); }'
must_fail sources.sh src/robots/io/a.cpp "// TO""DO: later"
must_fail compiled_headers.py include/quoin/robots/io/a.hpp 'namespace quoin { int f(int x = g(1), const char* s = "{"); }'
must_fail compiled_headers.py include/quoin/robots/io/a.hpp 'struct A { int f() const { return 1; } explicit A(int x); int b = 2; };'
must_fail compiled_headers.py include/quoin/robots/io/a.hpp 'template <class T> struct A { T f() const; };'
must_fail compiled_headers.py include/quoin/robots/io/a.hpp 'extern template class A<1>;'
must_fail compiled_headers.py include/quoin/robots/io/a.hpp '#include "quoin/util/abi_check.hpp"'
must_fail links.sh docs/grid.md '[nowhere](nowhere.md)'
must_fail links.sh docs/unnamed.md 'A page that the index does not name.'
must_fail links.sh docs/tutorial/2.md 'A page that the index does not name.'
must_fail links.sh docs/tutorial/1.md '[nowhere](grid.md)'
must_fail links.sh docs/notes/orphan.md 'A note without a guide.'
must_fail links.sh docs/grid.md "$(yes word | head -n 1101)"
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
must_fail quotes.sh docs/tutorial/1.md "<!-- from examples/first.py -->
${fence}python
serve(g)
$fence"
must_not_compile docs/grid.md "${fence}cpp
undeclared();
$fence"
must_not_compile docs/tutorial/1.md "${fence}cpp
undeclared();
$fence"
must_not_compile README.md "<!-- with: int a; -->
Another block's words are not this one's.
${fence}cpp
++a;
$fence"
sound_tree
echo 'int x;' >"$tree/src/robots/io/a.cpp"
! "$checks/sources.sh" "$tree" >/dev/null || { echo "sources.sh did not see a missing licence line"; bad=1; }
sound_tree
grep -v pragma "$tree/include/quoin/robots/io/a.hpp" >"$tree/b" && mv "$tree/b" "$tree/include/quoin/robots/io/a.hpp"
! "$checks/sources.sh" "$tree" >/dev/null || { echo "sources.sh did not see a missing #pragma once"; bad=1; }
sound_tree
grep -v requirements "$tree/include/quoin/robots/io/a.hpp" >"$tree/b" && mv "$tree/b" "$tree/include/quoin/robots/io/a.hpp"
! "$checks/sources.sh" "$tree" >/dev/null || { echo "sources.sh did not see a header without requirements"; bad=1; }

# must_print <text> <exit status>: a page that says that the program prints the text
must_print() {
  sound_tree
  printf '#!/bin/sh\ntest ! -e "$1" && echo "7 calls, 1.250 m, error 1.9e-06" >"$1"\ncat "$1"\n' >"$tree/examples/first"
  chmod +x "$tree/examples/first"
  for time in 1 2; do
    printf '<!-- printed by first $TMP/file -->\n```text\n%s\n```\n' "$1" >>"$tree/docs/tutorial/1.md"
  done
  status=0
  python3 "$checks/printed.py" "$tree" "$tree/examples/first" >/dev/null || status=$?
  [ "$status" -eq "$2" ] || { echo "printed.py ends with $status on: $1"; bad=1; }
}
if command -v python3 >/dev/null; then
  must_print '7 calls, 1.250 m, error 1.9e-06' 0
  must_print '7 calls, 1.251 m, error 2.9e-06' 0
  must_print '8 calls, 1.250 m, error 1.9e-06' 1
  must_print '7 calls, 1.280 m, error 1.9e-06' 1
  must_print '7 calls, 1.250 m, error 1.9e-05' 1
  must_print '7 calls, 1.250 mm, error 1.9e-06' 1
  must_print '7 calls, 1.250 m' 1
fi

for folder in map grid; do  # without Eigen, and with it
  sound_tree
  mkdir "$tree/Eigen"
  : >"$tree/Eigen/Core"
  echo '#pragma once' >"$tree/include/quoin/util/requirements.hpp"
  grep -v Eigen "$tree/include/quoin/map/a.hpp" >"$tree/b" && mv "$tree/b" "$tree/include/quoin/map/a.hpp"
  "$checks/headers.sh" "$tree" "$compiler" "$tree" || { echo "headers.sh refused headers that compile alone"; bad=1; }
  echo 'std::vector<int> numbers();' >>"$tree/include/quoin/$folder/a.hpp"
  ! "$checks/headers.sh" "$tree" "$compiler" "$tree" >/dev/null ||
    { echo "headers.sh did not see that $folder/a.hpp does not include what it names"; bad=1; }
done

numbered_tree() {
  rm -rf "${tree:?}"/*
  mkdir -p "$tree/include/quoin" "$tree/debian" "$tree/docs" "$tree/tests" "$tree/packaging/conda" \
    "$tree/packaging/vcpkg/quoin"
  printf '#define QUOIN_VERSION_%s\n' 'MAJOR 1' 'MINOR 2' 'PATCH 3' >"$tree/include/quoin/version.hpp"
  printf '# Changelog\n\n## 1.2.3, unreleased\n\n## 1.1.0\n' >"$tree/CHANGELOG.md"
  printf 'version: 1.2.3\nreferences:\n  - type: article\n    title: "On grids"\n' >"$tree/CITATION.cff"
  echo 'quoin (1.2.3) bookworm; urgency=medium' >"$tree/debian/changelog"
  printf 'Package: libquoin-dev\n\nPackage: libquoin1.2\n' >"$tree/debian/control"
  printf -- '- A. Author, *On\n  grids*, 2020.\n' >"$tree/docs/citations.md"
  echo 'find_package(quoin 1.2 REQUIRED)' >"$tree/tests/CMakeLists.txt"
  echo '  <version>1.2.3</version>' >"$tree/package.xml"
  echo '  version: "1.2.3"' >"$tree/packaging/conda/meta.yaml"
  echo '  "version": "1.2.3",' >"$tree/packaging/vcpkg/quoin/vcpkg.json"
  printf 'def version():\n    return "1.2.3"\n' >"$tree/packaging/quoin_wheel.py"
}

# must_disagree <file> <command of sed> [<CMake's number>]: with this change, the number or the papers differ.
must_disagree() {
  numbered_tree
  sed -i "$2" "$tree/$1"
  if "$checks/version.sh" "$tree" "${3-1.2.3}" >/dev/null; then
    echo "version.sh did not see in $1: $2"
    bad=1
  fi
}
numbered_tree
"$checks/version.sh" "$tree" 1.2.3 || { echo "version.sh fails a sound tree"; bad=1; }
must_disagree include/quoin/version.hpp s/3/4/
must_disagree CHANGELOG.md s/1.2.3/1.2.2/
must_disagree CITATION.cff s/1.2.3/1.2/
must_disagree CITATION.cff s/grids/trees/
must_disagree debian/changelog s/1.2.3/1.2.4/
must_disagree debian/control s/1.2/1/
must_disagree docs/citations.md '1s/$/ *Another paper*/'
must_disagree package.xml s/1.2.3/1.2.2/
must_disagree packaging/conda/meta.yaml s/1.2.3/1.2.2/
must_disagree packaging/vcpkg/quoin/vcpkg.json s/1.2.3/1.2.2/
! command -v python3 >/dev/null || must_disagree packaging/quoin_wheel.py s/1.2.3/1.2.2/
must_disagree tests/CMakeLists.txt s/1.2/1.1/
must_disagree tests/CMakeLists.txt '' 1.2.2
exit $bad
