#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# usage: sources.sh <root of the repository>
# Fails on a source without its licence line, a header without #pragma once, comments beyond column 120, unfinished work,
# and, in include and src, on anything that prints or ends the process, or writes small numbers as 0.000000.
set -eu
cd "$1"
bad=0

folders=
for folder in include src python testing tests examples benchmarks cmake scripts packaging docs debian .ci; do
  [ ! -d "$folder" ] || folders="$folders $folder"
done
list=$(mktemp)
trap 'rm -f "$list"' EXIT
find CMakeLists.txt $folders -type f \( -name '*.hpp' -o -name '*.cpp' -o -name '*.inc' -o -name '*.cmake' -o -name '*.cmake.in' \
  -o -name '*.sh' -o -name '*.py' -o -name '*.pyi' -o -name CMakeLists.txt -o -path .ci/run -o -path debian/rules \) 2>/dev/null | LC_ALL=C sort >"$list"

while IFS= read -r file; do
  # a script says first who reads it
  if ! head -n 2 "$file" | grep -qE '^(//|#) SPDX-License-Identifier: BSD-3-Clause$'; then
    echo "$file:1: the licence line is missing: SPDX-License-Identifier: BSD-3-Clause"
    bad=1
  fi
  case "$file" in
    *.hpp)
      if ! grep -q '^#pragma once$' "$file"; then
        echo "$file:2: #pragma once is missing"
        bad=1
      fi
      case "$file" in include/quoin/util/requirements.hpp) continue ;; include/*) ;; *) continue ;; esac
      if ! grep -q '^#include "quoin/' "$file"; then
        echo "$file:4: no header of quoin is included: quoin/util/requirements.hpp refuses flags that it cannot work with"
        bad=1
      fi
      ;;
  esac
done <"$list"

# clang-format keeps code within 120 columns, but for long strings; comments are laid out by hand.
if grep -E '\.(hpp|cpp|inc)$' "$list" | LC_ALL=C.UTF-8 xargs -r grep -nE '^.{121,}$' /dev/null | grep '//'; then
  echo "^ comments beyond column 120"
  bad=1
fi

# Words of unfinished work, spelled so that this file does not name them itself.
if xargs grep -nE '\b(TO''DO|FIX''ME|X''XX)\b' <"$list"; then
  echo "^ unfinished work"
  bad=1
fi

if ! grep -E '^(include|src)/.*\.(hpp|cpp|inc)$' "$list" | xargs -r awk '
  {
    code = $0
    gsub(/"([^"\\]|\\.)*"/, "\"\"", code)
    sub(/\/\/.*/, "", code)
    gsub(/& *std::c(out|err|log)/, "", code)  # the address of a stream, to tell which one it is, prints nothing
  }
  code ~ /(^|[^A-Za-z_0-9])(cout|cerr|clog)([^A-Za-z_0-9]|$)/ ||
  code ~ /(^|[^A-Za-z_0-9])(printf|fprintf|vprintf|vfprintf|puts|fputs|putchar|perror)[ \t]*\(/ ||
  code ~ /(^|[^A-Za-z_0-9.>])(abort|exit|_Exit|_exit|quick_exit|terminate)[ \t]*\(/ {
    printf "%s:%d: the library neither prints nor ends the process\n    %s\n", FILENAME, FNR, $0
    bad = 1
  }
  code ~ /std::to_string[ \t]*\(/ {
    printf "%s:%d: to_text of quoin/util/to_text.hpp says what numbers are, std::to_string does not\n", FILENAME, FNR
    bad = 1
  }
  END { exit bad }
'; then
  bad=1
fi
exit $bad
