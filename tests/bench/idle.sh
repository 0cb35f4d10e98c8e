#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What a gateway costs that has little or nothing to do, and how late it releases frames then: two robots by cable with
# 1 ms of delay, windows of 1 ms, `packet_loop: {idle: sleep}` against `{idle: poll}`.
#
# usage: sudo tests/bench/idle.sh HILGATE [SECONDS [RUNS]]
#   HILGATE  an optimised build, such as build/release/bin/hilgate; SECONDS of each measurement, 20; RUNS of each, 5
#
# Prints minimum, median and maximum over the runs: processor time of the whole process as a share of one processor,
# with no traffic and with 1000 frames a second (iperf3, UDP, 100 bytes), and the 99th percentile of release lateness
# of those frames. Runs in namespaces of its own.
set -euo pipefail

hilgate=$(readlink -f "${1:?usage: sudo tests/bench/idle.sh HILGATE [SECONDS [RUNS]]}")
seconds=${2:-20}
runs=${3:-5}
command -v iperf3 >/dev/null || { echo "idle.sh: iperf3 is missing: apt-get install iperf3" >&2; exit 2; }
((EUID == 0)) || { echo "idle.sh: namespaces and XDP need root: run it with sudo" >&2; exit 2; }

# Its own sockets and namespaces: other gateways of this machine are not disturbed.
if [[ -z ${HILGATE_OWN_NAMESPACES:-} ]]; then
  self=$(readlink -f "$0")
  exec "${self%/*}/../in_namespaces.sh" "$self" "$hilgate" "$seconds" "$runs"
fi
work=$(mktemp -d)
gateway=""
finish() {
  if [[ -n $gateway ]]; then kill "$gateway" 2>/dev/null || true; wait "$gateway" 2>/dev/null || true; fi
  "$hilgate" lab down "$work/idle.yaml" >/dev/null 2>&1 || true
  rm -rf "$work"
}
trap finish EXIT

configure() { # IDLE
  cat >"$work/idle.yaml" <<YAML
name: idle
seed: 1
window: 1ms
pace: wall
packet_loop: {idle: $1}
ports: {red-port: {interface: hg-red}, blue-port: {interface: hg-blue}}
robots:
  red: {port: red-port, mac: "02:68:67:00:00:01", ip: [10.77.0.1]}
  blue: {port: blue-port, mac: "02:68:67:00:00:02", ip: [10.77.0.2]}
physics:
  type: trajectory
  tracks:
    red: [{at: 0s, position: [0m, 0m, 0m]}]
    blue: [{at: 0s, position: [10m, 0m, 0m]}]
netsim: {type: wire}
links: [{from: "*", to: "*", delay: 1ms}]
lab: {mtu: 1500 B, prefix: {ipv4: 24, ipv6: 64}}
YAML
}

ticks() { awk '{print $14 + $15}' "/proc/$gateway/stat"; }
# Of one processor, in percent, over `seconds`.
share() {
  local before
  before=$(ticks)
  sleep "$seconds"
  awk -v before="$before" -v after="$(ticks)" -v hz="$(getconf CLK_TCK)" -v s="$seconds" \
    'BEGIN {printf "%.2f\n", 100 * (after - before) / hz / s}'
}
exec_in() { "$hilgate" lab exec "$work/idle.yaml" "$@"; }

measure() { # IDLE
  configure "$1"
  "$hilgate" lab up "$work/idle.yaml" >/dev/null
  "$hilgate" run "$work/idle.yaml" >"$work/log" 2>&1 &
  gateway=$!
  for _ in $(seq 100); do "$hilgate" status idle >/dev/null 2>&1 && break; sleep 0.1; done
  exec_in red -- ping -q -c 3 10.77.0.2 >/dev/null || { cat "$work/log" >&2; exit 1; }
  sleep 1
  share >>"$work/$1.silent"
  exec_in blue -- iperf3 --server --one-off >/dev/null &
  local server=$!
  sleep 1
  exec_in red -- iperf3 --client 10.77.0.2 --udp --length 100 --bitrate 800k --time $((seconds + 2)) >/dev/null &
  local client=$!
  sleep 1
  share >>"$work/$1.busy"
  wait "$client" "$server"
  "$hilgate" status idle --json |
    python3 -c 'import json, sys; print(json.load(sys.stdin)["loop"]["release_error_p99_us"])' >>"$work/$1.late"
  kill "$gateway"
  wait "$gateway" || true
  gateway=""
  "$hilgate" lab down "$work/idle.yaml" >/dev/null
}

spread() { sort -n "$1" | awk '{v[NR] = $1} END {printf "%s %s %s", v[1], v[int((NR + 1) / 2)], v[NR]}'; }

for _ in $(seq "$runs"); do
  measure sleep
  measure poll
done
printf '%-7s  %-32s  %s\n' idle: what 'minimum, median, maximum'
for idle in sleep poll; do
  printf '%-7s  %-32s  %s\n' "$idle" '% of a processor, no traffic' "$(spread "$work/$idle.silent")"
  printf '%-7s  %-32s  %s\n' "$idle" '% of a processor, 1000 frames/s' "$(spread "$work/$idle.busy")"
  printf '%-7s  %-32s  %s\n' "$idle" 'release lateness p99, us' "$(spread "$work/$idle.late")"
done
