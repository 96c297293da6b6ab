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

# draw_pictures <figures.py> <folder>: the pictures of what a program wrote there, or a line that says what is missing.
draw_pictures() {
  for pictures_python in python3 /usr/bin/python3; do
    if "$pictures_python" -c 'import numpy, matplotlib' 2>/dev/null; then
      "$pictures_python" "$1" "$2" >/dev/null || true
      return 0
    fi
  done
  echo "Curves are not drawn, their data are in $2/: install python3-matplotlib, then run" \
    "python3 $1 $2"
}

# run_with_progress <log> <what> <command...>: as run_quietly, of a build by Ninja; on a terminal with how far it is.
run_with_progress() {
  quiet_log=$1
  quiet_what=$2
  shift 2
  mkdir -p "$(dirname "$quiet_log")"
  echo "$quiet_what"
  quiet_begin=$(date +%s)
  "$@" >"$quiet_log" 2>&1 &
  quiet_job=$!
  trap 'kill $quiet_job 2>/dev/null; exit 130' INT TERM
  while kill -0 $quiet_job 2>/dev/null; do
    sleep 1
    quiet_step=$(grep -o '^\[[0-9]*/[0-9]*\]' "$quiet_log" | tail -n 1 | tr -d '[]')
    [ -t 1 ] && [ -n "$quiet_step" ] || continue
    quiet_left=$((($(date +%s) - quiet_begin) * (${quiet_step#*/} - ${quiet_step%/*}) / ${quiet_step%/*}))
    printf '\r      %s of %s, about %s s left \033[K' "${quiet_step%/*}" "${quiet_step#*/}" "$quiet_left"
  done
  [ ! -t 1 ] || printf '\r\033[K'
  trap - INT TERM
  wait $quiet_job || show_failure "$quiet_log" "$*"
}

# show_failure <log> <command>: the end of the log that tells.
show_failure() {
  grep -E -A 5 'error|Error|FAILED' "$1" | head -n 40 >&2
  echo "failed: $2 (whole log: $1)" >&2
  return 1
}

# run_quietly <log> <what> <command...>: shows the end of the log only if the command fails.
run_quietly() {
  quiet_log=$1
  quiet_what=$2
  shift 2
  mkdir -p "$(dirname "$quiet_log")"
  echo "$quiet_what"
  "$@" >"$quiet_log" 2>&1 || show_failure "$quiet_log" "$*"
}
