#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Two vehicles and a ground station, each in a network namespace: take-off, a mission out of the ground station's range,
# failsafe, return, landing. Prints what the ground station sees, and now and then where the gateway has the vehicles.
# Leaves nothing behind. As root, with the programs built (./demo.sh does) or HILGATE naming one.
#
# usage: fly.sh [--short] [--speedup N] [--ardupilot PATH]
#   --short           faster than copters are, a minute in all
#   --speedup N       the vehicles' clocks run N times as fast as the host's, and so does the run (pace: dilate)
#   --ardupilot PATH  ArduPilot's arducopter, built for SITL, instead of the scripted vehicles; ARDUPILOT_DEFAULTS names
#                     its parameter file (Tools/autotest/default_params/copter.parm)
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
hilgate=${HILGATE:-$here/../../build/release/bin/hilgate}
speed=15
seconds=420
speedup=1
ardupilot=
while [[ $# -gt 0 ]]; do
  case $1 in
    --short) speed=130 seconds=90; shift ;;
    --speedup) [[ ${2:-} =~ ^([1-9]|10)$ ]] || { echo "fly.sh: --speedup needs 1 to 10" >&2; exit 2; }
      speedup=$2; shift 2 ;;
    --ardupilot) [[ -x ${2:-} ]] || { echo "fly.sh: --ardupilot needs the path of a program" >&2; exit 2; }
      ardupilot=$(realpath "$2"); shift 2 ;;
    *) echo "usage: fly.sh [--short] [--speedup N] [--ardupilot PATH]" >&2; exit 2 ;;
  esac
done
[[ -x $hilgate ]] || { echo "fly.sh: $hilgate does not exist; run ./demo.sh or set HILGATE=PATH" >&2; exit 1; }

work=$(mktemp -d)
file=$work/sitl.yaml
cp "$here/sitl.yaml" "$file"
if [[ $speedup -gt 1 ]]; then
  printf '\npace: dilate\ndilate: %s %%\n' "$((100 * speedup))" >>"$file"
fi
started=()
# shellcheck disable=SC2317 # called by the trap
clean_up() {
  for process in "${started[@]}"; do
    kill -TERM "$process" 2>/dev/null || true
    wait "$process" 2>/dev/null || true
  done
  "$hilgate" lab down "$file" >/dev/null || true
  rm -rf "$work"
}
trap clean_up EXIT
trap 'exit 130' INT TERM

"$hilgate" lab up "$file"
"$hilgate" run "$file" >"$work/log" 2>&1 &
started+=($!)
until "$hilgate" status sitl >/dev/null 2>&1; do
  kill -0 "${started[0]}" 2>/dev/null || { cat "$work/log" >&2; exit 1; }
  sleep 0.1
done

# As after minutes of flight: what the kernels know of each other expires within seconds.
for robot in one two ground; do
  "$hilgate" lab exec "$file" "$robot" -- sysctl -qw net.ipv4.neigh.eth0.base_reachable_time_ms=2000 \
    net.ipv4.neigh.eth0.delay_first_probe_time=1
done

options=(--speedup "$speedup" --seconds "$seconds")
for system in 1 2; do
  robot=$([[ $system == 1 ]] && echo one || echo two)
  if [[ -n $ardupilot ]]; then
    mkdir "$work/$robot"
    (cd "$work/$robot" && exec "$hilgate" lab exec "$file" "$robot" -- "$ardupilot" --model + --speedup "$speedup" \
      --sysid "$system" --home -35.3632621,149.1652374,584,90 --serial0 udpclient:10.82.0.9:14550 \
      ${ARDUPILOT_DEFAULTS:+--defaults "$ARDUPILOT_DEFAULTS"}) >"$work/$robot.log" 2>&1 &
  else
    "$hilgate" lab exec "$file" "$robot" -- python3 "$here/vehicle.py" "$system" "10.82.0.$system" 10.82.0.9 \
      --speed "$speed" "${options[@]}" &
  fi
  started+=($!)
done

show_vehicles() {
  "$hilgate" status sitl | sed -n '/^vehicle /,/^$/p' | sed '/^RADIO_STATUS/d; s/^/  | /'
}
"$hilgate" lab exec "$file" ground -- python3 "$here/ground.py" 10.82.0.9 "${options[@]}" &
ground=$!
while kill -0 "$ground" 2>/dev/null; do
  sleep 2
  show_vehicles || true
done
failed=0
wait "$ground" || failed=1
for process in "${started[@]:1}"; do
  kill -TERM "$process" 2>/dev/null || true
  wait "$process" || true
done
"$hilgate" status sitl || failed=1
grep 'MAVLink:' "$work/log" || true
exit "$failed"
