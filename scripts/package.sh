#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Builds source archive, wheel and Debian packages, and tries them in a clean Debian 12. See --help.
set -eu

usage() {
  cat <<'END'
usage: scripts/package.sh [--components <list>] [--only debs|wheel] [--no-build] [--no-root]

Packs the sources, builds the packages of debian/ and a wheel from this archive, and tries them in clean roots of Debian
12 that debootstrap makes from the mirror of this machine's apt:
  source archive   in a root with the packages of scripts/setup.sh python and pip alone, without a network, pip makes
                   the wheel from it
  wheel            in a root with Python and numpy alone, without a network, packaging/try_wheel.sh installs and uses it
  packages         lintian looks at them; apt installs them in that root, and debian/tests run there: README's first
                   program by CMake and by pkg-config, a grid in Python, quoin-store
Needs root, Debian 12, debootstrap and the packages of debian/control. All of it stays in build/package/.

  --components <list>   these components alone ("compiled_grid;storage;evaluation"), to try all of it sooner
  --only debs|wheel     only the one or the other
  --no-build            packages and wheel that are in build/package/ already
  --no-root             no clean roots: source archive, packages and lintian alone, for which nobody need be root
  -h, --help            this text
END
}

components=
debs=yes
wheel=yes
build=yes
root=yes
while [ $# -gt 0 ]; do
  case "$1" in
    --components) components=${2-}; shift ;;
    --only)
      case "${2-}" in debs) wheel= ;; wheel) debs= ;; *) usage >&2; exit 2 ;; esac
      shift ;;
    --no-build) build= ;;
    --no-root) root= ;;
    -h | --help) usage; exit 0 ;;
    *) echo "package.sh: unknown option '$1'" >&2; usage >&2; exit 2 ;;
  esac
  shift
done

cd "$(dirname "$0")/.."
. scripts/common.sh
needed=
[ -z "$debs" ] || needed="dpkg-buildpackage:dpkg-dev dh:debhelper lintian:lintian"
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
get_ready ""
# What is packed is of the time of the last commit; a copy without git knows only the day's.
export SOURCE_DATE_EPOCH="${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || date +%s)}"
if [ -n "$build" ]; then
  rm -rf "$work/source" "$work"/*.tar.gz
  archive=$(/usr/bin/python3 packaging/quoin_wheel.py sdist "$work")
  mkdir "$work/source"
  tar -xz --strip-components 1 -C "$work/source" -f "$archive"
fi
if [ -n "$build" ] && [ -n "$debs" ]; then
  rm -f "$work"/*.deb "$work"/quoin_*
  export QUOIN_COMPONENTS="${components:-all}"
  export DEB_BUILD_OPTIONS="${DEB_BUILD_OPTIONS-noautodbgsym} parallel=$CMAKE_BUILD_PARALLEL_LEVEL"
  (
    cd "$work/source"
    run_quietly "$work/build.log" "building the packages" dpkg-buildpackage -b -us -uc
  )
fi
if [ -n "$debs" ]; then
  packages=$(ls "$work"/*.deb)
  echo "lintian"
  lintian --fail-on error --allow-root "$work"/quoin_*.changes
fi
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

# in_root <root> <command...>
in_root() {
  inside=$1
  shift
  chroot "$inside" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
    CMAKE_BUILD_PARALLEL_LEVEL="$CMAKE_BUILD_PARALLEL_LEVEL" SOURCE_DATE_EPOCH="$SOURCE_DATE_EPOCH" \
    DEBIAN_FRONTEND=noninteractive ${proxy:+"http_proxy=$proxy"} "$@"
}

# install_there <root> <package...>
install_there() {
  there=$1
  shift
  run_quietly "$work/apt-install.log" "apt-get install there" in_root "$there" \
    apt-get -q install -y --no-install-recommends "$@"
}
rm -rf --one-file-system "$work/bare" "$work/builder" "$work/root"
run_quietly "$work/debootstrap.log" "a clean root of Debian 12" \
  debootstrap --variant=minbase bookworm "$work/bare" "$mirror"
run_quietly "$work/apt-update.log" "apt-get update there" in_root "$work/bare" apt-get -q update
mkdir "$work/bare/quoin"
if [ -n "$build" ] && [ -n "$wheel" ]; then
  rm -f "$work"/*.whl
  cp -a "$work/bare" "$work/builder"
  cp "$archive" "$work/builder/quoin/"
  tar -xz --strip-components 1 -C "$work/builder/quoin" -f "$archive"
  run_quietly "$work/setup.log" "scripts/setup.sh python there" in_root "$work/builder" /quoin/scripts/setup.sh python
  install_there "$work/builder" python3-pip
  run_quietly "$work/wheel.log" "pip makes the wheel from the source archive" in_root "$work/builder" \
    unshare --net env ${components:+"CMAKE_ARGS='-DQUOIN_COMPONENTS=$components'"} \
    python3 -m pip wheel -v --no-index --no-deps --config-settings=preset=python-all -w /quoin "/quoin/${archive##*/}"
  cp "$work/builder/quoin"/*.whl "$work/"
  rm -rf --one-file-system "$work/builder"
fi

mv "$work/bare" "$work/root"
if [ -n "$wheel" ]; then
  wheels=$(ls "$work"/*.whl)
  install_there "$work/root" python3-venv python3-numpy
  cp $wheels packaging/try_wheel.sh "$work/root/quoin/"
  echo "== the wheel"
  in_root "$work/root" unshare --net /quoin/try_wheel.sh "/quoin/${wheels##*/}"
fi
if [ -n "$debs" ]; then
  cp $packages debian/tests/* "$work/root/quoin/"
  beside=$(sed -n 's/^Depends: //p' debian/tests/control | tr -d ',' | tr ' ' '\n' | grep -v quoin | sort -u)
  install_there "$work/root" $(ls "$work/root/quoin" | sed -n 's|.*\.deb$|/quoin/&|p') $beside
  for name in $(sed -n 's/^Tests: //p' debian/tests/control | tr -d ','); do
    echo "== $name"
    in_root "$work/root" sh "/quoin/$name"
  done
fi
echo "package.sh: these work in a clean Debian 12:"
ls -1 ${archive-} ${wheels-} ${packages-}
