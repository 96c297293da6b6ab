#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# usage: headers.sh <root of the repository> <compiler> <folder of Eigen>
# Each header compiles alone. One that comes to Eigen through its own includes starts from Eigen/Core precompiled, which
# is most of the work and changes nothing for it; one that does not must do without. Those that need MPI are left out.
set -eu
cd "$1/include"
compiler=$2 eigen=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

echo '#include <Eigen/Core>' >"$work/eigen.hpp"
"$compiler" -std=c++20 -isystem "$eigen" -x c++-header "$work/eigen.hpp" -o "$work/eigen.hpp.gch"

# "<header> <whether it comes to Eigen>" for every header
find quoin -name '*.hpp' ! -path 'quoin/evaluation/mpi/*' | sort | xargs awk '
  FNR == 1 { headers[++count] = FILENAME }
  /^#include <Eigen\// { comes[FILENAME] = 1 }
  /^#include "quoin\// { split($0, part, "\""); includes[FILENAME] = includes[FILENAME] " " part[2] }
  END {
    do {
      changed = 0
      for (i = 1; i <= count; ++i) {
        n = split(includes[headers[i]], list, " ")
        for (k = 1; k <= n && !comes[headers[i]]; ++k)
          if (comes[list[k]]) changed = comes[headers[i]] = 1
      }
    } while (changed)
    for (i = 1; i <= count; ++i) print headers[i], comes[headers[i]] + 0
  }' >"$work/headers"

cat >"$work/compile" <<'END'
#!/bin/sh
# usage: compile <folder> <compiler> <folder of Eigen> <header> <whether it comes to Eigen>
precompiled=
[ "$5" -eq 0 ] || precompiled="-include $1/eigen.hpp"
messages=$("$2" -std=c++20 $precompiled -I . -isystem "$3" -w -fsyntax-only -x c++ "$4" 2>&1) && exit 0
echo "$4 does not compile alone:"
echo "$messages" | head -n 5
exit 1
END
chmod +x "$work/compile"
xargs -P "$(nproc 2>/dev/null || echo 2)" -n 2 "$work/compile" "$work" "$compiler" "$eigen" <"$work/headers"
