#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# usage: run.sh <mpirun> <test_mpi> <what>
# What the tests do with several ranks, as whoever runs them. A job that has not ended in 60 s is ended. Orders are drawn
# from the seeds 1 to 5, or to what the environment's QUOIN_ORDERS says.
set -eu
mpirun=$1 program=$2 what=$3
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
ranks() {
  count=$1
  shift
  timeout 60 "$mpirun" -n "$count" "$program" "$@"
}
case $what in
  grid) ranks 1 && ranks 3 && ranks 5 ;;
  death)
    folder=$(mktemp -d)
    trap 'rm -rf "$folder"' EXIT
    before=$(date +%s)
    if ranks 3 dies "$folder/f"; then
      echo "a job went on without one of its ranks"
      exit 1
    fi
    test $(($(date +%s) - before)) -le 10
    ranks 3 stores "$folder/f"
    ;;
  "never serves") ranks 3 throws && ranks 3 "is slow" && ranks 3 "is left out" && ranks 3 "never made" ;;
  orders) for seed in $(seq "${QUOIN_ORDERS:-5}"); do ranks 3 "any order" "$seed" || exit 1; done ;;
  *) ranks 3 "$what" ;;
esac
