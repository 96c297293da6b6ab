#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Builds the Debian packages and tries them in a clean Debian 12. See --help.
set -eu

usage() {
  cat <<'END'
usage: scripts/package.sh [--components <list>] [--no-build] [--no-root]

Builds the packages of debian/ in a copy of the tree, has lintian look at them, installs them with apt in a clean root of
Debian 12 that debootstrap makes from the mirror of this machine's apt, and runs debian/tests there: README's first
program by CMake and by pkg-config, a grid in Python, quoin-store. Needs root, Debian 12 and the packages of
debian/control. All of it stays in build/package/: the packages, their logs, the root.

  --components <list>   these components alone ("compiled_grid;storage;evaluation"), to try the packages sooner
  --no-build            the packages that are in build/package/ already
  --no-root             no clean root: build and lintian alone, for which nobody need be root
  -h, --help            this text
END
}

components=all
build=yes
root=yes
while [ $# -gt 0 ]; do
  case "$1" in
    --components) components=${2-}; shift ;;
    --no-build) build= ;;
    --no-root) root= ;;
    -h | --help) usage; exit 0 ;;
    *) echo "package.sh: unknown option '$1'" >&2; usage >&2; exit 2 ;;
  esac
  shift
done

cd "$(dirname "$0")/.."
. scripts/common.sh
needed="dpkg-buildpackage:dpkg-dev dh:debhelper lintian:lintian"
if [ -n "$root" ]; then
  needed="$needed debootstrap:debootstrap"
  if [ "$(id -u)" -ne 0 ]; then
    echo "package.sh: a clean root needs root; --no-root builds the packages without" >&2
    exit 1
  fi
fi
for tool in $needed; do
  if ! command -v "${tool%:*}" >/dev/null; then
    echo "package.sh: there is no ${tool%:*}; as root: apt-get install ${tool#*:}" >&2
    exit 1
  fi
done

work=$PWD/build/package
mkdir -p "$work"
if [ -n "$build" ]; then
  get_ready ""
  rm -rf "$work/source" "$work"/*.deb "$work"/quoin_*
  mkdir "$work/source"
  tar -c --exclude=./build --exclude=./out --exclude=./.git . | tar -x -C "$work/source"
  export QUOIN_COMPONENTS="$components" DEB_BUILD_OPTIONS="${DEB_BUILD_OPTIONS-noautodbgsym} parallel=$CMAKE_BUILD_PARALLEL_LEVEL"
  (
    cd "$work/source"
    run_quietly "$work/build.log" "building the packages" dpkg-buildpackage -b -us -uc
  )
fi
packages=$(ls "$work"/*.deb)
echo "lintian"
lintian --fail-on error --allow-root "$work"/quoin_*.changes
[ -n "$root" ] || exit 0

# The mirror that apt has for Debian 12, and the proxy that it goes through.
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Identifier: Packages' 'Codename: bookworm' 'Component: main' |
  head -n 1)
if [ -z "$mirror" ]; then
  echo "package.sh: this machine's apt has no mirror with the main packages of bookworm" >&2
  exit 1
fi
eval "$(apt-config shell proxy Acquire::http::Proxy)"
if [ -n "${proxy-}" ]; then
  export http_proxy="$proxy"
fi
clean=$work/root
in_root() {
  chroot "$clean" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
    DEBIAN_FRONTEND=noninteractive ${proxy:+"http_proxy=$proxy"} "$@"
}
rm -rf --one-file-system "$clean"
run_quietly "$work/debootstrap.log" "a clean root of Debian 12" debootstrap --variant=minbase bookworm "$clean" "$mirror"
mkdir "$clean/quoin"
cp $packages debian/tests/* "$clean/quoin/"
beside=$(sed -n 's/^Depends: //p' debian/tests/control | tr -d ',' | tr ' ' '\n' | grep -v quoin | sort -u)
run_quietly "$work/apt-update.log" "apt-get update there" in_root apt-get -q update
run_quietly "$work/apt-install.log" "apt-get install there" in_root sh -c \
  'apt-get -q install -y --no-install-recommends /quoin/*.deb "$@"' sh $beside

for name in $(sed -n 's/^Tests: //p' debian/tests/control | tr -d ','); do
  echo "== $name"
  in_root sh "/quoin/$name"
done
echo "package.sh: the packages work in a clean Debian 12:"
ls -1 $packages
