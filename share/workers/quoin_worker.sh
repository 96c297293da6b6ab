# SPDX-License-Identifier: BSD-3-Clause
# Makes a shell function a worker of quoin (docs/evaluators.md):
#
#   . quoin_worker.sh
#   evaluate() { my_simulator --bend "$1" --twist "$2"; }   # prints the values; fails with a reason on standard error
#   quoin_serve 3 0 "my simulator 1.2"                      # outputs, order of derivatives, fingerprint
#
# Print all digits of a number (%.17g in awk, whose own format has six). A status of 75 (EX_TEMPFAIL) is a failure that
# may pass, and so are those of a program that is not found or not executable.

quoin_serve() {
  read -r quoin_greeting <&3 || return 0
  quoin_last_character=$(printf '[\300-\377][\200-\277]*')
  echo "quoin 2 outputs $1 order $2 fingerprint $3" >&4
  while read -r quoin_word quoin_number quoin_point <&3; do
    quoin_answer="answer $quoin_number $quoin_point"
    # What it prints, and behind it its status and what it wrote to its standard error.
    # shellcheck disable=SC2086 # the point's numbers are words
    quoin_said=$({
      quoin_status=0
      quoin_reason=$(evaluate $quoin_point 2>&1 >&5 3<&- 4>&-) || quoin_status=$?
      echo " quoin_status $quoin_status $quoin_reason"
    } 5>&1)
    quoin_values=${quoin_said%% quoin_status *}
    quoin_reason=${quoin_said#* quoin_status }
    quoin_status=${quoin_reason%% *}
    quoin_reason=$(echo "${quoin_reason#* }" | tr '\n' ' ')
    # Of 60000 bytes at most, in whole characters: a line that is much longer is no answer.
    if [ ${#quoin_reason} -gt 15000 ] && [ "$(printf '%s' "$quoin_reason" | wc -c)" -gt 60000 ]; then
      quoin_reason=$(printf '%s' "$quoin_reason" | head -c 59996 | LC_ALL=C sed "s/$quoin_last_character\$//")
    fi
    quoin_reason="$quoin_reason(status $quoin_status)"
    case $quoin_status in
      0) echo "$quoin_answer jet" $quoin_values >&4 ;;
      75 | 126 | 127) echo "$quoin_answer retry $quoin_reason" >&4 ;;
      *) echo "$quoin_answer failed $quoin_reason" >&4 ;;
    esac
  done
}
