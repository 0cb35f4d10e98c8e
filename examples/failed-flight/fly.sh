#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The flight of flight.yaml once: lab, gateway, and the UAV's telemetry (a small datagram each 20 ms) for 20 s.
# Exit status: the gateway's.
# usage: sudo examples/failed-flight/fly.sh HILGATE [OPTIONS OF hilgate run]
set -euo pipefail
hilgate=$(readlink -f "$1")
shift
cd "$(dirname "$(readlink -f "$0")")"
gateway=""
clean_up() {
  if [[ -n $gateway ]]; then
    kill "$gateway" 2>/dev/null || true
    wait "$gateway" || true
  fi
  "$hilgate" lab down flight.yaml >/dev/null
}
trap clean_up EXIT
"$hilgate" lab up flight.yaml
"$hilgate" run flight.yaml "$@" &
gateway=$!
until "$hilgate" status flight >/dev/null 2>&1; do
  kill -0 "$gateway" # fails when it has ended, with its error printed
  sleep 0.1
done
"$hilgate" lab exec flight.yaml uav -- ping -q -i 0.02 -s 40 -w 21 10.85.0.1 || true
kill -INT "$gateway" 2>/dev/null || true # with a scenario it has ended by itself
ending=$gateway
gateway=""
wait "$ending"
