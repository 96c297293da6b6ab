# SPDX-License-Identifier: BSD-3-Clause
# Makes a shell function a worker of quoin (docs/evaluators.md):
#
#   . quoin_worker.sh
#   evaluate() { my_simulator --bend "$1" --twist "$2"; }   # prints the values; fails with a reason on standard error
#   quoin_serve 3 0 "my simulator 1.2"                      # outputs, order of derivatives, fingerprint
#
# A status of 75 (EX_TEMPFAIL) is a failure that may pass.

quoin_serve() {
  quoin_values=$(mktemp) || return 1
  trap 'rm -f "$quoin_values"' EXIT
  read -r quoin_greeting <&3 || return 0
  echo "quoin 2 outputs $1 order $2 fingerprint $3" >&4
  while read -r quoin_word quoin_number quoin_point <&3; do
    quoin_answer="answer $quoin_number $quoin_point"
    quoin_status=0
    # shellcheck disable=SC2086 # the point's numbers are words
    { quoin_reason=$(evaluate $quoin_point 2>&1 >&5 3<&- 4>&-); } 5>"$quoin_values" || quoin_status=$?
    case $quoin_status in
      0) echo "$quoin_answer jet" $(cat "$quoin_values") >&4 ;;
      75) echo "$quoin_answer retry $(echo "$quoin_reason" | tr '\n' ' ')(status 75)" >&4 ;;
      *) echo "$quoin_answer failed $(echo "$quoin_reason" | tr '\n' ' ')(status $quoin_status)" >&4 ;;
    esac
  done
}
