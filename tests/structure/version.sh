#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# usage: version.sh <root of the repository> [<number of CMake's project>]
# include/quoin/version.hpp holds the number. Fails where CMake, the first section of CHANGELOG.md, CITATION.cff,
# debian/changelog, the runtime package's name, package.xml, a recipe of packaging, what pip is told or a find_package says
# another, and where CITATION.cff and docs/citations.md do not name the same papers.
set -eu
cd "$1"
bad=0

number() {
  sed -n "s/^#define QUOIN_VERSION_$1 \([0-9][0-9]*\)$/\1/p" include/quoin/version.hpp
}
minor=$(number MAJOR).$(number MINOR)
version=$minor.$(number PATCH)

# says <where> <what it says> <what it should say>
says() {
  if [ "$2" != "$3" ]; then
    echo "$1: '$2', but include/quoin/version.hpp has $version"
    bad=1
  fi
}
case "$version" in
  *[!0-9.]* | .* | *..* | *.) echo "include/quoin/version.hpp: no three numbers, but $version"; bad=1 ;;
esac
[ $# -lt 2 ] || says CMakeLists.txt "$2" "$version"
says CHANGELOG.md "$(sed -n 's/^## \([0-9.]*\).*/\1/p' CHANGELOG.md | head -n 1)" "$version"
says CITATION.cff "$(sed -n 's/^version: *//p' CITATION.cff)" "$version"
says debian/changelog "$(sed -n '1s/^quoin (\([^)]*\)).*/\1/p' debian/changelog)" "$version"
says package.xml "$(sed -n 's|^  <version>\(.*\)</version>$|\1|p' package.xml)" "$version"
says packaging/conda "$(sed -n 's/^  version: "\(.*\)"$/\1/p' packaging/conda/meta.yaml)" "$version"
says packaging/vcpkg "$(sed -n 's/^  "version": "\(.*\)",$/\1/p' packaging/vcpkg/quoin/vcpkg.json)" "$version"
if command -v python3 >/dev/null; then
  says packaging/quoin_wheel.py "$(python3 -B -c 'import sys
sys.path.insert(0, "packaging")
import quoin_wheel
print(quoin_wheel.version())')" "$version"
fi
says debian/control "$(sed -n 's/^Package: libquoin\([0-9]\)/\1/p' debian/control)" "$minor"

asked=$(grep -rhoE --include='*.md' --include=CMakeLists.txt 'find_package\(quoin [0-9.]+' ./*.md docs tests debian |
  sed 's/.* //' | sort -u)
[ -z "$asked" ] || says "find_package(quoin ...)" "$(echo $asked)" "$minor"

# A title stands between asterisks in one, between quotes in the other; lines are broken anywhere.
titles=$(mktemp)
trap 'rm -f "$titles"' EXIT
tr '\n' ' ' <docs/citations.md | tr -s ' ' | grep -oE '\*[^*]+\*' | tr -d '*' | sort >"$titles"
if ! sed -n 's/^    title: "\(.*\)"$/\1/p' CITATION.cff | sort | diff "$titles" -; then
  echo "^ docs/citations.md (<) and CITATION.cff (>) do not name the same papers"
  bad=1
fi
exit $bad
