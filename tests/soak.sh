#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A gateway under mixed traffic and random faults for hours: four robots, two by radio and two by impaired cables, and a
# fifth that floods. Every few seconds something happens: a reload, a change, a cable pulled, an interface deleted and
# made again, the process stopped for a moment, garbage on the control socket.
#
# usage: sudo tests/soak.sh HOURS [HILGATE [SEED]]
#   HOURS    0.5 is half an hour; HILGATE  an optimised build, build/release/bin/hilgate
#
# Every 10 s: every delivery is released, dropped or held; memory is within 1 % of what it was after the first minute;
# descriptors and threads are no more. In the end: it stops cleanly, and leaves no namespace, interface, BPF program or
# map. Prints a line a minute and the figures at the end; status 1 names what did not hold. In namespaces of its own.
set -euo pipefail

hours=${1:?usage: sudo tests/soak.sh HOURS [HILGATE [SEED]]}
here=$(dirname "$(readlink -f "$0")")
hilgate=$(readlink -f "${2:-$here/../build/release/bin/hilgate}")
seed=${3:-1}
((EUID == 0)) || { echo "soak.sh: namespaces and XDP need root: run it with sudo" >&2; exit 2; }
[[ -x $hilgate ]] || { echo "soak.sh: $hilgate is not there: cmake --build --preset release -t hilgate" >&2; exit 2; }

if [[ -z ${HILGATE_OWN_NAMESPACES:-} ]]; then
  exec "$here/in_namespaces.sh" "$here/soak.sh" "$hours" "$hilgate" "$seed"
fi

work=$(mktemp -d)
config=$work/soak.yaml
gateway=""
children=()
finish() {
  for child in "${children[@]}" $gateway; do
    kill -CONT "$child" 2>/dev/null || true
    kill "$child" 2>/dev/null || true
  done
  wait || true
  "$hilgate" detach soak >/dev/null 2>&1 || true
  "$hilgate" lab down "$config" >/dev/null 2>&1 || true
  rm -rf "$work"
}
trap finish EXIT
fail() {
  echo "FAILED after $SECONDS s, seed $seed: $*" >&2
  tail -n 20 "$work/log" >&2
  exit 1
}

RANDOM=$seed
configure() { # DELAY
  cat >"$config" <<YAML
name: soak
seed: $seed
window: 1ms
pace: wall
ports:
  red-port: {interface: hg-red}
  blue-port: {interface: hg-blue}
  green-port: {interface: hg-green}
  gold-port: {interface: hg-gold}
  mallory-port: {interface: hg-mallory}
robots:
  red: {port: red-port, mac: "02:68:67:00:00:01", ip: [10.77.0.1], radio: wifi_11n_2g4_adhoc}
  blue: {port: blue-port, mac: "02:68:67:00:00:02", ip: [10.77.0.2], radio: wifi_11n_2g4_adhoc}
  green: {port: green-port, mac: "02:68:67:00:00:03", ip: [10.77.0.3], radio: wire_1g}
  gold: {port: gold-port, mac: "02:68:67:00:00:04", ip: [10.77.0.4], radio: wire_1g}
  mallory: {port: mallory-port, mac: "02:68:67:00:00:05", ip: [10.77.0.5], radio: wire_1g}
physics:
  type: trajectory
  tracks:
    red: [{at: 0s, position: [0m, 0m, 10m]}]
    blue: [{at: 0s, position: [30m, 0m, 10m]}, {at: 60s, position: [150m, 0m, 10m]}]
    green: [{at: 0s, position: [0m, 50m, 0m]}]
    gold: [{at: 0s, position: [10m, 50m, 0m]}]
    mallory: [{at: 0s, position: [0m, 90m, 0m]}]
netsim: {type: embedded}
links:
  - {from: green, to: gold, delay: $1, loss: 1 %}
  - {from: gold, to: green, delay: 2ms}
lab: {mtu: 1500 B, prefix: {ipv4: 24, ipv6: 64}}
YAML
}
robot() { "$hilgate" lab exec "$config" "$@"; }
# A loaded machine may not let the loop answer at once.
value() {
  local text=""
  for _ in $(seq 20); do
    text=$("$hilgate" status soak --json 2>/dev/null) && break
    sleep 1
  done
  python3 -c "$1" <<<"$text"
}

# Frames of nobody, of others, of made-up addresses, short ones and long ones.
cat >"$work/flood.py" <<'PYTHON'
import os, random, socket, sys, time
random.seed(int(sys.argv[1]))
wire = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
wire.bind(("eth0", 0))
while True:
    for _ in range(random.randrange(200)):
        own = bytes.fromhex("026867000005")
        source = random.choice((own, own, bytes.fromhex("026867000001"), bytes([2]) + os.urandom(5)))
        target = random.choice((bytes.fromhex("026867000003"), b"\xff" * 6, os.urandom(6)))
        kind = random.choice((b"\x08\x00", b"\x86\xdd", b"\x81\x00", b"\x88\xf7", os.urandom(2)))
        try:
            wire.send(target + source + kind + os.urandom(random.randrange(1500)))
        except OSError:
            time.sleep(0.1)  # the cable is out
    time.sleep(0.02)
PYTHON

configure 5ms
before=$(bpftool -j prog show | python3 -c 'import json, sys; print(len(json.load(sys.stdin)))')
"$hilgate" lab up "$config" >/dev/null
"$hilgate" run "$config" >"$work/log" 2>&1 &
gateway=$!
for _ in $(seq 300); do "$hilgate" status soak >/dev/null 2>&1 && break; sleep 0.1; done
robot red -- ping -q -c 3 -W 5 10.77.0.2 >/dev/null || fail "nothing gets through"

# Pings of all sizes there and back, and bulk traffic that the links cannot carry.
robot red -- ping -q -i 0.005 -s 1000 10.77.0.2 >/dev/null & children+=($!)
robot blue -- ping -q -i 0.002 -s 56 10.77.0.1 >/dev/null & children+=($!)
robot green -- ping -q -i 0.002 -s 1400 10.77.0.4 >/dev/null & children+=($!)
robot gold -- ping -q -i 0.02 -b 10.77.0.255 >/dev/null 2>&1 & children+=($!)
robot mallory -- python3 "$work/flood.py" "$seed" & children+=($!)

faults=0
fault() {
  faults=$((faults + 1))
  case $((RANDOM % 8)) in
    0) configure "$((1 + RANDOM % 20))ms"; kill -HUP $gateway ;;
    1) "$hilgate" set soak "links.green.gold.delay=$((1 + RANDOM % 20))ms" >/dev/null 2>&1 || true ;;
    2) ip link set hg-gold down; sleep 0.5; ip link set hg-gold up ;;
    3) robot gold -- ip link set eth0 down; sleep 0.3; robot gold -- ip link set eth0 up ;;
    4) kill -STOP $gateway; sleep 0.2; kill -CONT $gateway ;;
    5) timeout 1 python3 -c '
import os, socket
peer = socket.socket(socket.AF_UNIX)
peer.connect("/run/hilgate/soak.sock")
peer.sendall(os.urandom(70000))' 2>/dev/null || true ;;
    6) for _ in 1 2 3 4 5; do timeout 1 "$hilgate" status soak >/dev/null 2>&1 || true; done ;;
    7) "$hilgate" set soak 'links.green.gold.loss=101 %' >/dev/null 2>&1 && fail "a loss of 101 % was taken" ;;
  esac || true
}

rss() { awk '/^VmRSS/ {print $2}' "/proc/$gateway/status"; }
descriptors() { find "/proc/$gateway/fd" -mindepth 1 | wc -l; }
threads() { awk '/^Threads/ {print $2}' "/proc/$gateway/status"; }

check() {
  [[ -d /proc/$gateway ]] || fail "the gateway has ended"
  value '
import json, sys
t = json.load(sys.stdin)["totals"]
if t["in"] + t["injected"] != t["out"] + sum(t["dropped"].values()) + t["held"]:
    sys.exit("books: %s" % t)' || fail "the books do not balance"
  if ((SECONDS >= 60)); then
    : "${first_rss:=$(rss)}" "${first_fds:=$(descriptors)}" "${first_threads:=$(threads)}"
    now=$(rss)
    ((now * 100 <= first_rss * 101)) || fail "$now KiB of memory, $first_rss after the first minute"
    (($(descriptors) <= first_fds + 8)) || fail "$(descriptors) descriptors, $first_fds after the first minute"
    (($(threads) <= first_threads)) || fail "$(threads) threads, $first_threads after the first minute"
  fi
}

end=$(awk -v h="$hours" 'BEGIN {printf "%d", h * 3600}')
next_minute=60
while ((SECONDS < end)); do
  for _ in 1 2 3; do
    fault
    sleep 3
  done
  check
  if ((SECONDS >= next_minute)); then
    next_minute=$((next_minute + 60))
    echo "$((SECONDS / 60)) min: $(value 'import json, sys
t = json.load(sys.stdin)["totals"]
print("%d deliveries, %d released" % (t["in"], t["out"]))'), $faults faults, $(rss) KiB, $(descriptors) descriptors"
  fi
done

summary=$(value 'import json, sys; print(json.dumps(json.load(sys.stdin)["totals"]))')
last=$(rss)
for child in "${children[@]}"; do kill "$child" 2>/dev/null || true; done
kill -TERM $gateway
wait $gateway || fail "the gateway ended with status $?"
gateway=""
"$hilgate" detach soak >/dev/null
"$hilgate" lab down "$config" >/dev/null
wait || true
children=()
[[ -z $(ip netns list) && ! -e /run/hilgate/soak.sock && ! -e /sys/fs/bpf/hilgate/soak ]] || fail "it left something"
after=$(bpftool -j prog show | python3 -c 'import json, sys; print(len(json.load(sys.stdin)))')
((after <= before)) || fail "$((after - before)) BPF programs are left"
echo "held for $SECONDS s: $faults faults, ${first_rss:-$last} KiB after the first minute, $last at the end"
echo "$summary"
