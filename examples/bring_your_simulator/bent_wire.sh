#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A simulator in a shell script: a wire of 1 m whose halves have the curvatures 2 + u and 2 + v, 1/m; where its end is.
. "$(dirname "$0")/../../share/workers/quoin_worker.sh"
evaluate() {
  awk -v u="$1" -v v="$2" 'BEGIN {
    for (i = 0; i < 1000; ++i) {
      s = (i + 0.5) / 1000
      angle = s < 0.5 ? (2 + u) * s : (2 + u) * 0.5 + (2 + v) * (s - 0.5)
      x += cos(angle) / 1000; y += sin(angle) / 1000
    }
    printf "%.17g %.17g\n", x, y }'
}
quoin_serve 2 0 "bent wire 1"
