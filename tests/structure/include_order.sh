#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# usage: include_order.sh <root of the repository>
# Who may know whom: fails on an #include, in include/quoin or src, against the order of the structure; on one, in testing,
# benchmarks or examples, of what stands in tests; and, in tests of the surrogate, of what stands above it.
set -eu
cd "$1"

find include/quoin src -name '*.hpp' -o -name '*.cpp' -o -name '*.inc' | LC_ALL=C sort | xargs awk '
  BEGIN {
    # three storeys: the surrogate, robots on it, papers on these (examples/studies, which no file here names)
    knows["util"] = "util"
    knows["map"] = "util map"
    knows["grid"] = "util map grid"
    knows["kernel"] = "util map kernel"
    knows["choosing"] = "util map grid kernel choosing"
    knows["evaluation"] = "util map grid evaluation"
    knows["storage"] = "util map grid storage"
    knows["umbrella"] = "util map grid choosing umbrella"
    knows["robots/linear_algebra"] = "util robots/linear_algebra"
    knows["robots/dynamics"] = "util map robots/linear_algebra robots/dynamics"
    knows["robots/task_maps"] = "util map robots/task_maps"
    knows["robots/geometry"] = "util map robots/task_maps robots/geometry"
    knows["robots/io"] = "util map robots/geometry robots/io"
    knows["robots/optimization"] = "util map robots/linear_algebra robots/optimization"
    below = "util map robots/linear_algebra robots/dynamics "
    knows["robots/planning"] = below "robots/task_maps robots/optimization robots/planning"
    knows["robots/identification"] = below "robots/optimization robots/identification"
    knows["robots/soft_arm_grid"] = "util map grid evaluation robots/dynamics robots/models/soft_arm robots/soft_arm_grid"
    model = below "robots/task_maps robots/geometry "  # and itself
    # other libraries than Eigen and the standard library, as the beginning of what stands between < and >
    others["grid"] = "sys/mman.h immintrin.h"
    others["evaluation"] = "*"
    others["storage"] = "*"
    others["robots/geometry"] = "fcl/"
    others["robots/models/rigid_body"] = "urdf_parser/ urdf_model/ urdf_world/ console_bridge/ tinyxml.h"
    others["robots/optimization"] = "Ip coin/"
    others["robots/planning"] = "torch/"
    others["robots/identification"] = "torch/"
    others["util"] = "ATen/"
    in_header["util/at_fork.hpp"] = "pthread.h"  # a function of the C library
  }
  # map/point.hpp -> map, robots/models/soft_arm/statics.hpp -> robots/models/soft_arm, quoin.hpp -> umbrella
  function module(path, parts, n) {
    n = split(path, parts, "/")
    if (n == 1) return "umbrella"
    if (parts[1] != "robots") return parts[1]
    return parts[1] "/" parts[2] (parts[2] == "models" ? "/" parts[3] : "")
  }
  function allowed(from, to, list, n, i, words) {
    list = from ~ /^robots\/models\// ? model from : knows[from]
    n = split(list, words, " ")
    for (i = 1; i <= n; ++i) if (words[i] == to) return 1
    return 0
  }
  function begins_with_one_of(text, list, n, i, words) {
    n = split(list, words, " ")
    for (i = 1; i <= n; ++i) if (words[i] == "*" || index(text, words[i]) == 1) return 1
    return 0
  }
  function complain(why) {
    printf "%s:%d: %s\n    %s\n", FILENAME, FNR, why, $0
    bad = 1
  }
  FNR == 1 {
    path = FILENAME
    sub(/^(include\/quoin|src)\//, "", path)
    from = module(path)
    if (!(from in knows) && from !~ /^robots\/models\//) complain("a folder that the order of the structure does not name: " from)
  }
  /^[ \t]*#[ \t]*include/ {
    if (match($0, /[<"][^>"]*[>"]/) == 0) { complain("an include that cannot be read"); next }
    quoted = substr($0, RSTART, 1) == "\""
    what = substr($0, RSTART + 1, RLENGTH - 2)
    if (what ~ /^quoin\//) {
      sub(/^quoin\//, "", what)
      if (!quoted) complain("our own headers are included with quotes")
      else if (what == "quoin.hpp") complain("the umbrella header is for those outside")
      else if (!allowed(from, module(what))) complain(from " must not know " module(what))
    } else if (quoted) {
      if (FILENAME !~ /^src\//) complain("write \"quoin/<folder>/<file>\"")
      else if (what ~ /\// && !allowed(from, module(what))) complain(from " must not know " module(what))
    } else if (what ~ /[\/.]/ && what !~ /^(unsupported\/)?Eigen\//) {
      if (what == in_header[path]) next
      if (!begins_with_one_of(what, others[from]) || (from == "util" && FILENAME !~ /^src\//)) complain(from " must not know the library of " what)
    }
  }
  END { exit bad }
'

# Tests of the surrogate know no robot, and benchmarks no test: what they share is in testing.
# must_not_include <pattern> <folder or file> ...
must_not_include() {
  pattern=$1
  shift
  found=$(grep -rnE "^ *# *include \"($pattern)" "$@" 2>/dev/null || true)  # also where some of them are not there
  if [ -n "$found" ]; then
    printf '%s\n^ must not be known there\n' "$found"
    exit 1
  fi
}
must_not_include 'tests/|benchmarks/|examples/' include src
must_not_include 'tests/' testing benchmarks examples
must_not_include 'quoin/robots/|testing/robots/|examples/' testing/*.hpp tests/map tests/grid tests/kernel tests/choosing \
  tests/evaluation tests/storage tests/memory
