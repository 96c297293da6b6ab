#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Makes what is published of a version, and tries it. See --help.
set -eu

usage() {
  cat <<'END'
usage: scripts/release.sh [--as-it-is] [option of scripts/package.sh ...]

Makes source archive, wheel and Debian packages of the version that include/quoin/version.hpp names, tries each in a clean
root of Debian 12 (scripts/package.sh), and puts them into build/release/ with SHA256SUMS. The same commit gives the same
source archive, to the byte. It tags and publishes nothing, and runs none of the repository's tests, which scripts/test.sh
does.

Refuses a tree with changes that are not committed, a number that is not the same everywhere, and a changelog that calls
the version unreleased.

  --as-it-is   refuses none of these: to try the command
  -h, --help   this text
END
}

strict=yes
case "${1-}" in
  --as-it-is) strict=; shift ;;
  -h | --help) usage; exit 0 ;;
esac

cd "$(dirname "$0")/.."
refuse() {
  echo "release.sh: $*" >&2
  [ -z "$strict" ] || exit 1
}
number() {
  sed -n "s/^#define QUOIN_VERSION_$1 \([0-9][0-9]*\)$/\1/p" include/quoin/version.hpp
}
version=$(number MAJOR).$(number MINOR).$(number PATCH)
sh tests/structure/version.sh . || refuse "the number is not the same everywhere"
[ -z "$(git status --porcelain)" ] || refuse "there are changes that are not committed (git status)"
! grep -q "^## $version, unreleased" CHANGELOG.md || refuse "CHANGELOG.md calls $version unreleased"

scripts/package.sh "$@"

to=build/release
rm -rf "$to"
mkdir -p "$to"
for file in build/package/quoin-"$version".tar.gz build/package/quoin-"$version"-*.whl build/package/*_"$version"_*.deb; do
  [ ! -e "$file" ] || cp "$file" "$to/"
done
(cd "$to" && sha256sum -- * >SHA256SUMS)
echo "release.sh: in $to"
ls -1 "$to"
