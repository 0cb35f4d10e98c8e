#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Three gateways of one site on this machine, with two robots each: pings between all of them, and the status of each.
#   sudo examples/site/run.sh [HILGATE]
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
hilgate=${1:-hilgate}
file=$here/site.yaml
gateways=(north east south)
pids=()

stop() {
  for pid in "${pids[@]}"; do
    kill "$pid" 2>/dev/null || true
  done
  wait
  "$hilgate" lab down "$file" >/dev/null
}
trap stop EXIT

"$hilgate" lab up "$file"
for gateway in "${gateways[@]}"; do
  "$hilgate" run "$file" --gateway "$gateway" &
  pids+=($!)
done

all_here() {
  "$hilgate" status hall-north --json 2>/dev/null |
    python3 -c 'import json, sys
sys.exit(any(g["state"] != "here" for g in json.load(sys.stdin)["site"]["gateways"]))' 2>/dev/null
}
for _ in $(seq 300); do
  all_here && break
  sleep 0.1
done

for to in 10.77.21.{2..6}; do
  echo "n1 -> $to: $("$hilgate" lab exec "$file" n1 -- ping -q -c 20 -i 0.05 -w 5 "$to" | tail -2 | tr '\n' ' ')"
done
for gateway in "${gateways[@]}"; do
  "$hilgate" status "hall-$gateway" | grep -A 7 '^site'
done
