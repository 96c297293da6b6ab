#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# usage: killed_and_resumed.sh <mujoco_arm> <quoin-store>
# A plan whose program is killed again and again, with its workers, is that of one that ran through, to the bit, and
# nothing that had been stored is evaluated again.
set -eu
program=$1 store=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

fail() {
  echo "$*" >&2
  exit 1
}
samples() { "$store" info "$1" 2>/dev/null | sed -n 's/^samples: *\([0-9]*\),.*/\1/p' | grep . || echo 0; }
evaluated() { sed -n 's/^through the grid: \([0-9]*\) .*/\1/p' "$1"; }
found() { sed -n 's/^through the grid: .* \([0-9]*\) from the file.*/\1/p' "$1"; }
hash() { sed -n "s/^the plan's hash: //p" "$1"; }

"$program" >"$folder/whole"
all=$(evaluated "$folder/whole")
test "$all" -gt 40 || fail "only $all evaluations"

for wanted in 5 15 30 50; do
  "$program" --workers 2 --storage "$folder/f" >"$folder/killed" &
  child=$!
  while kill -0 "$child" 2>/dev/null && test "$(samples "$folder/f")" -lt "$wanted"; do :; done
  kill -KILL "$child" 2>/dev/null || true
  wait "$child" 2>/dev/null || true
  if test -s "$folder/killed"; then echo "the run up to $wanted was done before it was killed"; fi
done
before=$(samples "$folder/f")
test "$before" -ge 50 || fail "after four kills the file has $before samples"
"$program" --workers 2 --storage "$folder/f" >"$folder/resumed"
test "$(hash "$folder/resumed")" = "$(hash "$folder/whole")" || fail "another plan"
test "$(found "$folder/resumed")" -eq "$before" || fail "$before were stored, $(found "$folder/resumed") were used"
test $((before + $(evaluated "$folder/resumed"))) -eq "$all" || fail "evaluated again: $(evaluated "$folder/resumed")"
test "$(samples "$folder/f")" -eq "$all" || fail "$(samples "$folder/f") samples instead of $all"
