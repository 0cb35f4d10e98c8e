#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The flight of flight.yaml once: lab, gateway, and from the UAV a small datagram each 20 ms by Wi-Fi and each 200 ms by
# the telemetry radio, for 20 s. Exit status: the gateway's, 0 when all that radios.yaml expects was so.
# usage: sudo examples/radios/fly.sh HILGATE [OPTIONS OF hilgate run]
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
until "$hilgate" status radios >/dev/null 2>&1; do
  kill -0 "$gateway" # fails when it has ended, with its error printed
  sleep 0.1
done
"$hilgate" lab exec flight.yaml uav -- ping -q -i 0.02 -s 40 -w 21 10.86.0.1 &
wifi=$!
"$hilgate" lab exec flight.yaml uav -- ping -q -i 0.2 -s 40 -w 21 10.87.0.1 || true
wait "$wifi" || true
ending=$gateway
gateway=""
wait "$ending"
