#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# usage: include_order.sh <root of the repository>
# Who may know whom: fails on an #include, in include/quoin or src, against the order of the structure.
set -eu
cd "$1"

find include/quoin src -name '*.hpp' -o -name '*.cpp' -o -name '*.inc' | LC_ALL=C sort | xargs awk '
  BEGIN {
    knows["core"] = "core"
    knows["dynamics"] = "core dynamics"
    knows["grid"] = "core grid"
    knows["compiled_grid"] = "grid"
    knows["on_grid"] = "core grid evaluation dynamics models/soft_arm on_grid"
    knows["kernel"] = "core kernel"
    knows["choosing"] = "core grid kernel choosing"
    knows["evaluation"] = "core grid evaluation"
    knows["storage"] = "core grid storage"
    knows["geometry"] = "core geometry"
    knows["optimization"] = "core optimization"
    knows["planning"] = "core dynamics optimization planning"
    knows["identification"] = "core dynamics optimization identification"
    knows["io"] = "core geometry io"
    knows["umbrella"] = "core grid choosing umbrella"
    # other libraries than Eigen and the standard library, as the beginning of what stands between < and >
    others["grid"] = "sys/mman.h immintrin.h"
    others["evaluation"] = "*"
    others["storage"] = "*"
    others["geometry"] = "fcl/"
    others["models/rigid_body"] = "urdf_parser/ urdf_model/ urdf_world/ console_bridge/ tinyxml.h"
    others["optimization"] = "Ip coin/"
    others["planning"] = "torch/"
    others["identification"] = "torch/"
    others["core"] = "ATen/"
    in_header["core/at_fork.hpp"] = "pthread.h"  # a function of the C library
  }
  # core/point.hpp -> core, models/soft_arm/statics.hpp -> models/soft_arm, quoin.hpp -> umbrella
  function module(path, parts, n) {
    n = split(path, parts, "/")
    if (n == 1) return "umbrella"
    return parts[1] == "models" ? parts[1] "/" parts[2] : parts[1]
  }
  function allowed(from, to, list, n, i, words) {
    list = from ~ /^models\// ? "core dynamics geometry " from : knows[from]
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
    if (!(from in knows) && from !~ /^models\//) complain("a folder that the order of the structure does not name: " from)
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
      if (!begins_with_one_of(what, others[from]) || (from == "core" && FILENAME !~ /^src\//)) complain(from " must not know the library of " what)
    }
  }
  END { exit bad }
'
