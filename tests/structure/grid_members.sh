#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# usage: grid_members.sh <root of the repository>
# AdaptiveGrid inherits from GridView in private, and names each of its members again: fails where one is forgotten.
set -eu
cd "$1/include/quoin/grid"
bad=0
members=$(awk '
  /^class GridView/ { inside = 1 }
  inside && /^ private:/ { exit }
  inside && /^  (\[\[[^]]*\]\] *)?[A-Za-z].*[a-z_]\(/ && !/^  (GridView\(|GridView& operator)/ {
    line = $0
    sub(/\[\[[^]]*\]\] */, "", line)
    match(line, /[a-z_0-9]+\(/)
    print substr(line, RSTART, RLENGTH - 1)
  }' grid_view.hpp | sort -u)
[ -n "$members" ] || { echo "grid_view.hpp: no members were found"; exit 1; }
for member in $members; do
  if ! grep -q "^  using View::$member;" adaptive_grid.hpp; then
    echo "adaptive_grid.hpp: does not name GridView::$member again"
    bad=1
  fi
done
exit $bad
