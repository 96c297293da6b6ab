# SPDX-License-Identifier: BSD-3-Clause
# Sourced by the other scripts, in the root of the repository.

# get_ready <packages>: installs them ("": none). Optimized Eigen code takes up to 1.5 GB a compiler: no more of them will
# start than fit into memory.
get_ready() {
  if [ -n "$1" ]; then
    scripts/setup.sh "$1"
  fi
  cores=$(nproc 2>/dev/null || echo 2)
  memory_kb=$(awk '/^MemAvailable:/ { print $2 }' /proc/meminfo 2>/dev/null || true)
  fitting=$((${memory_kb:-4000000} / 1500000))
  [ "$fitting" -ge 1 ] || fitting=1
  [ "$cores" -le "$fitting" ] || cores=$fitting
  export CMAKE_BUILD_PARALLEL_LEVEL="${CMAKE_BUILD_PARALLEL_LEVEL:-$cores}"
  export CTEST_PARALLEL_LEVEL="${CTEST_PARALLEL_LEVEL:-$cores}"
}

# run_quietly <log> <what> <command...>: shows the end of the log only if the command fails.
run_quietly() {
  quiet_log=$1
  quiet_what=$2
  shift 2
  mkdir -p "$(dirname "$quiet_log")"
  echo "$quiet_what"
  if ! "$@" >"$quiet_log" 2>&1; then
    grep -E -A 5 'error|Error|FAILED' "$quiet_log" | head -n 40 >&2
    echo "failed: $* (whole log: $quiet_log)" >&2
    return 1
  fi
}
