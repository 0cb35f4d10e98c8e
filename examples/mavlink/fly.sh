#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Flies the vehicle of mavlink.yaml away from its ground station, each in a network namespace, and prints the
# radio status that both receive. Leaves nothing behind. As root, with the programs built (./demo.sh does) or HILGATE
# naming one.
#
# usage: fly.sh [--seconds N]
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
hilgate=${HILGATE:-$here/../../build/release/bin/hilgate}
file=$here/mavlink.yaml
seconds=30
if [[ ${1:-} == --seconds && ${2:-} =~ ^[0-9]+$ ]]; then
  seconds=$2
elif [[ $# -gt 0 ]]; then
  echo "usage: fly.sh [--seconds N]" >&2
  exit 2
fi
[[ -x $hilgate ]] || { echo "fly.sh: $hilgate does not exist; run ./demo.sh or set HILGATE=PATH" >&2; exit 1; }

log=$(mktemp)
run=
# shellcheck disable=SC2317 # called by the trap
clean_up() {
  if [[ -n $run ]] && kill -INT "$run" 2>/dev/null; then
    wait "$run" || true
  fi
  "$hilgate" lab down "$file" >/dev/null || true
  rm -f "$log"
}
trap clean_up EXIT
trap 'exit 130' INT TERM

"$hilgate" lab up "$file"
"$hilgate" run "$file" >"$log" 2>&1 &
run=$!
until "$hilgate" status mavlink >/dev/null 2>&1; do
  kill -0 "$run" 2>/dev/null || { cat "$log" >&2; run=; exit 1; }
  sleep 0.1
done

"$hilgate" lab exec "$file" ground -- python3 "$here/ground.py" "$((seconds + 1))" &
ground=$!
failed=0
"$hilgate" lab exec "$file" vehicle -- python3 "$here/vehicle.py" "$seconds" || failed=1
"$hilgate" status mavlink || failed=1
wait "$ground" || failed=1
exit "$failed"
